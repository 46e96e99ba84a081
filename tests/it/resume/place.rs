//! A place of its own for each test: a working directory, a home and a config root.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use uuid::Uuid;

/// Directories of one test, removed at its end unless it fails.
pub(super) struct Place {
    top: PathBuf,
    /// Where the session lives.
    pub(super) work: PathBuf,
}

impl Place {
    pub(super) fn new() -> Self {
        Self::with_work("work")
    }

    /// `work` is the name of the working directory below the place, with `/` allowed in it.
    pub(super) fn with_work(work: &str) -> Self {
        // Outside of any checkout: the program looks at the repository around its directory.
        let temporary = std::env::temp_dir().canonicalize().unwrap();
        let top = temporary.join(format!("asyncai-resume-{}", Uuid::new_v4().simple()));
        let work = top.join(work);
        fs::create_dir_all(&work).unwrap();
        fs::create_dir_all(top.join("home")).unwrap();
        fs::create_dir_all(top.join("config")).unwrap();
        fs::create_dir_all(top.join("codex")).unwrap();
        Self { top, work }
    }

    /// A place whose working directory has a path of exactly `length` characters.
    pub(super) fn with_work_of_length(length: usize) -> Self {
        let mut place = Self::new();
        let missing = length - place.top.as_os_str().len() - 1;
        // A name holds at most 255 bytes: two levels reach any length that tests need.
        let name = match missing {
            0..=200 => "b".repeat(missing),
            _ => format!("{}/{}", "b".repeat(200), "b".repeat(missing - 201)),
        };
        place.work = place.top.join(name);
        fs::create_dir_all(&place.work).unwrap();
        assert_eq!(place.work.as_os_str().len(), length);
        place
    }

    pub(super) fn config(&self) -> PathBuf {
        self.top.join("config")
    }

    pub(super) fn codex_home(&self) -> PathBuf {
        self.top.join("codex")
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.top.join(name)
    }

    /// A command that runs in the working directory and knows nothing of the user's own set-up.
    pub(super) fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command
            .current_dir(&self.work)
            .env_clear()
            .env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
            .env("HOME", self.top.join("home"))
            .env("LANG", "C.UTF-8")
            .env("TERM", "dumb")
            .env("CLAUDE_CONFIG_DIR", self.config())
            .env("CODEX_HOME", self.codex_home());
        command
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !thread::panicking() {
            drop(fs::remove_dir_all(&self.top));
        }
    }
}

//! A sandbox for one test, builders of event lines, one run of the program. Knows no record shape.

use std::fmt::Write as _;
use std::fs;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{self, Command, ExitStatus};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::io::ioctl_fionread;
use serde::Deserialize;
use serde_json::json;

use crate::codex;
use crate::schema::Transcript;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_asyncai-transcribe");

/// No condition of these tests takes a healthy machine longer; a hang ends here instead of never.
const DEADLINE: Duration = Duration::from_secs(30);

/// A home and a working directory of one test's own, removed with it.
pub(crate) struct Sandbox {
    root: PathBuf,
}

impl Sandbox {
    /// The working directory is a repository on `main`, so that the branch does not depend on the
    /// repository that the tests themselves stand in.
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let parent = fs::canonicalize(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let root = parent.join(format!("it-{}-{number}", process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("home")).unwrap();
        let sandbox = Self { root };
        sandbox.repository("work", "ref: refs/heads/main\n");
        sandbox
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    pub(crate) fn cwd(&self) -> PathBuf {
        self.path("work")
    }

    /// The root that the program takes when nothing else is said.
    pub(crate) fn claude_root(&self) -> PathBuf {
        self.path("home/.claude")
    }

    pub(crate) fn folder(&self, relative: &str) -> PathBuf {
        let path = self.path(relative);
        fs::create_dir_all(&path).unwrap();
        path
    }

    pub(crate) fn file(&self, relative: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// The least that a program takes for a repository.
    pub(crate) fn repository(&self, relative: &str, head: &str) -> PathBuf {
        self.folder(&format!("{relative}/.git/objects"));
        self.folder(&format!("{relative}/.git/refs/heads"));
        self.file(&format!("{relative}/.git/HEAD"), head);
        self.path(relative)
    }

    /// The program with the sandbox as its whole environment.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(args).env_clear().env("HOME", self.path("home")).current_dir(self.cwd());
        command
    }

    pub(crate) fn run(&self, args: &[&str], input: impl AsRef<[u8]>) -> Run {
        run(self.command(args), input)
    }

    /// The finished transcripts below the default root, for runs whose session line is lost.
    pub(crate) fn transcripts(&self) -> Vec<Transcript> {
        let mut lines = Vec::new();
        list(&self.claude_root(), &mut lines);
        let paths = lines.iter().filter_map(|line| line.split('\t').next()).map(Path::new);
        let transcripts = paths.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
        transcripts.map(Transcript::read).collect()
    }

    /// Every file and folder below the sandbox with what tells a change: size, mode, modification time.
    pub(crate) fn tree(&self) -> Vec<String> {
        let mut lines = Vec::new();
        list(&self.root, &mut lines);
        lines.sort();
        lines
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn list(folder: &Path, lines: &mut Vec<String>) {
    use std::os::unix::fs::MetadataExt;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let meta = fs::symlink_metadata(&path).unwrap();
        let (seconds, nanos) = (meta.mtime(), meta.mtime_nsec());
        // A folder's own times and size change with what is made in it, which is listed anyway.
        if meta.is_dir() {
            lines.push(format!("{}\tfolder {:o}", path.display(), meta.mode()));
            list(&path, lines);
        } else {
            let (mode, size) = (meta.mode(), meta.len());
            let path = path.display();
            lines.push(format!("{path}\t{mode:o}\t{size}\t{seconds}.{nanos}"));
        }
    }
}

/// What one run of the program left behind.
pub(crate) struct Run {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

pub(crate) fn run(command: Command, input: impl AsRef<[u8]>) -> Run {
    let output = assert_cmd::Command::from_std(command).write_stdin(input.as_ref()).timeout(DEADLINE).output().unwrap();
    Run {
        status: output.status,
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
    }
}

impl Run {
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.code()
    }

    pub(crate) fn session(&self) -> SessionResult {
        SessionResult::parse(&self.stdout)
    }

    /// What stdout says after the session line.
    pub(crate) fn echo(&self) -> String {
        let end = self.stdout.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        String::from_utf8(self.stdout[end..].to_vec()).expect("stdout is UTF-8")
    }

    /// The finished Codex transcript, held against its own.
    pub(crate) fn codex_transcript(&self) -> codex::Transcript {
        codex::Transcript::read(&self.file_of("codex-cli"))
    }

    /// The finished transcript, held against the schema and the rules of a whole file.
    pub(crate) fn transcript(&self) -> Transcript {
        Transcript::read(&self.file_of("claude-code-cli"))
    }

    fn file_of(&self, format: &str) -> PathBuf {
        let mut harnesses = self.session().harnesses.into_iter();
        harnesses.find(|harness| harness.format == format).expect("a transcript in the format").session_file
    }

    /// The reports on stderr, each without the program's name.
    pub(crate) fn reports(&self) -> Vec<&str> {
        self.stderr
            .lines()
            .map(|line| {
                line.strip_prefix("asyncai-transcribe: ")
                    .unwrap_or_else(|| panic!("not a message of the program: {line}"))
            })
            .collect()
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SessionLine {
    work_name: String,
    result: SessionResult,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionResult {
    #[serde(deserialize_with = "Option::deserialize")]
    pub(crate) session_id: Option<String>,
    #[serde(deserialize_with = "Option::deserialize")]
    pub(crate) session_file: Option<PathBuf>,
    #[serde(deserialize_with = "Option::deserialize")]
    pub(crate) harness: Option<String>,
    pub(crate) agent_name: String,
    pub(crate) harnesses: Vec<SessionHarness>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionHarness {
    pub(crate) format: String,
    pub(crate) session_id: String,
    pub(crate) session_file: PathBuf,
}

impl SessionResult {
    /// Reads the first line of stdout.
    pub(crate) fn parse(stdout: &[u8]) -> Self {
        let text = String::from_utf8_lossy(stdout);
        let line = text.lines().next().expect("stdout begins with a line");
        let line: SessionLine = serde_json::from_str(line).expect(line);
        assert_eq!(line.work_name, "session");
        line.result
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.session_file.clone().expect("a session file")
    }
}

/// Event lines from the shorthand of the cases: `U(text) A(text) C(id) R(id,content) M(event)`.
pub(crate) fn events(shorthand: &str) -> String {
    let mut lines = String::new();
    for word in shorthand.split_whitespace() {
        let (kind, rest) = word.split_once('(').expect(word);
        let inner = rest.strip_suffix(')').expect(word);
        let event = match kind {
            "U" => json!({"type": "user", "text": inner}),
            "A" => json!({"type": "assistant", "text": inner}),
            "C" => json!({
                "type": "tool_call", "id": inner, "name": "Bash", "arguments": {"command": "true"}
            }),
            "R" => {
                let (id, content) = inner.split_once(',').expect(word);
                json!({"type": "tool_result", "id": id, "content": content})
            }
            "M" => json!({"type": "monitor_event", "description": "log", "event": inner}),
            other => panic!("no event is written {other}(…)"),
        };
        writeln!(lines, "{event}").unwrap();
    }
    lines
}

/// Runs the shorthand in a sandbox of its own and gives the records in outline.
///
/// The run must end with status 0: this is for input in which nothing is lost.
pub(crate) fn outline(shorthand: &str) -> Vec<String> {
    outline_of(&events(shorthand))
}

pub(crate) fn outline_of(input: &str) -> Vec<String> {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[], input);
    assert_eq!(run.code(), Some(0), "{}", run.stderr);
    run.transcript().outline()
}

/// Waits for a condition; the deadline is there for a program that hangs, not to be waited for.
pub(crate) fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < DEADLINE, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Sends a signal to a process.
pub(crate) fn send(signal: &str, process: u32) {
    let status = Command::new("/bin/sh").args(["-c", &format!("kill -s {signal} {process}")]).status();
    assert!(status.unwrap().success());
}

/// Waits until nobody can write into a pipe any more: it has 16 pages, and something is in each.
pub(crate) fn wait_until_full(pipe: impl AsFd) {
    wait_until("a full pipe", || ioctl_fionread(&pipe).unwrap() > 60_000);
}

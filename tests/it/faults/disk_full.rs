//! A disk without room: a file system of 256 KiB, or a limit of the file's size where none can be mounted.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::{numbered, numbers_in, script};
use crate::running::{Ended, Running};
use crate::schema::Transcript;
use crate::support::{Sandbox, wait_until};

/// Mounts a small file system, fills most of it, runs the program with its root there, and copies what it left.
const ON_A_SMALL_DISK: &str = r#"
    disk=$1 copy=$2; mkdir "$disk"; mount -t tmpfs -o size=256k none "$disk" || exit 99
    for filler in 1 2; do head -c 65536 /dev/zero >"$disk/filler$filler" || exit 99; done
    "$0" --session-dir "claude-code-cli=$disk"; status=$?
    cp "$disk"/projects/*/*.jsonl "$copy"; exit $status
"#;

/// The same with a limit that can be raised from outside.
const WITH_A_SIZE_LIMIT: &str = r#"
    copy=$2; prlimit --fsize=131072:unlimited "$0"; status=$?
    cp "$HOME"/.claude/projects/*/*.jsonl "$copy"; exit $status
"#;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Medium {
    SmallDisk,
    SizeLimit,
}

impl Medium {
    /// Those that this machine lets us have.
    fn all() -> Vec<Self> {
        let mut mount = Command::new("unshare");
        mount.args(["-rm", "sh", "-c", "mount -t tmpfs none /tmp"]).stderr(Stdio::null());
        let can_mount = mount.status().is_ok_and(|status| status.success());
        if can_mount { vec![Self::SmallDisk, Self::SizeLimit] } else { vec![Self::SizeLimit] }
    }
}

struct Full {
    medium: Medium,
    running: Running,
    sandbox: Sandbox,
}

impl Full {
    fn start(medium: Medium) -> Self {
        let sandbox = Sandbox::new();
        let (disk, copy) = (sandbox.path("disk"), sandbox.path("copy.jsonl"));
        let command = match medium {
            Medium::SizeLimit => script(&sandbox, WITH_A_SIZE_LIMIT, &[&disk, &copy]),
            Medium::SmallDisk => {
                let inner = script(&sandbox, ON_A_SMALL_DISK, &[&disk, &copy]);
                let mut command = Command::new("unshare");
                command.arg("-rm").arg(inner.get_program()).args(inner.get_args()).current_dir(sandbox.cwd());
                command.env_clear().envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
                command
            }
        };
        Self { medium, running: Running::start_command(command), sandbox }
    }

    fn says(&self, message: &str, times: usize) {
        let what = format!("{message}, {times} times, {:?}: {}", self.medium, self.running.stderr());
        wait_until(&what, || self.running.stderr().matches(message).count() == times);
    }

    /// Makes room for 64 KiB more, for the first and for the second time.
    fn make_room(&self, time: usize) {
        let shell = self.running.id();
        match self.medium {
            Medium::SmallDisk => {
                // The file system is seen from here through the process that lives in it.
                let root = PathBuf::from(format!("/proc/{shell}/root"));
                let filler = self.sandbox.path(&format!("disk/filler{time}"));
                fs::remove_file(root.join(filler.strip_prefix("/").unwrap())).unwrap();
            }
            Medium::SizeLimit => {
                let children = fs::read_to_string(format!("/proc/{shell}/task/{shell}/children")).unwrap();
                let limit = format!("--fsize={}:unlimited", 131_072 + 65_536 * time);
                let raised = Command::new("prlimit").args(["--pid", children.trim(), &limit]).status().unwrap();
                assert!(raised.success());
            }
        }
    }

    /// Ends the input; the transcript is in the file of this name.
    fn end(self) -> (Sandbox, Ended, PathBuf) {
        let copy = self.sandbox.path("copy.jsonl");
        (self.sandbox, self.running.end(), copy)
    }
}

/// The numbers of the events of whole records; at most the last line may be torn.
fn whole_records(text: &str) -> Vec<usize> {
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    for line in whole.lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    }
    numbers_in(whole)
}

// T26
#[test]
fn a_full_disk_that_gets_room_again_loses_nothing() {
    for medium in Medium::all() {
        let mut full = Full::start(medium);
        let mut next = 0;
        for time in [1, 2] {
            let is_full = |full: &Full| full.running.stderr().matches("disk full").count() == time;
            // The echo is waited for, also when there is no room any more; what is held then fits into the next room.
            let mut left = 5;
            while left > 0 {
                full.running.record(&numbered(next..next + 2, 500));
                next += 2;
                left -= usize::from(is_full(&full));
                assert!(next < 1000, "{medium:?}: no end of room");
            }
            full.make_room(time);
            full.running.record(&numbered(next..next + 1, 1));
            next += 1;
            full.says("claude-code-cli: disk has room again", time);
        }
        let (_sandbox, ended, copy) = full.end();
        assert_eq!(ended.code(), Some(0), "{medium:?}: {}", ended.stderr);
        assert_eq!(ended.stderr.lines().count(), 4, "{medium:?}: {}", ended.stderr);
        let text = fs::read_to_string(copy).unwrap();
        let session = serde_json::from_str::<serde_json::Value>(text.lines().next().unwrap()).unwrap();
        let transcript = Transcript::of(text, session["sessionId"].as_str().unwrap());
        let expected: Vec<usize> = (0..next).collect();
        assert_eq!(numbers_in(&transcript.text), expected, "{medium:?}");
        assert_eq!(numbers_in(&ended.stdout), expected, "{medium:?}");
    }
}

// T26
#[test]
fn room_that_comes_before_the_end_of_the_input_is_used_at_the_end() {
    for medium in Medium::all() {
        let mut full = Full::start(medium);
        full.running.record(&numbered(0..150, 500));
        full.says("claude-code-cli: disk full", 1);
        full.make_room(1);
        let (_sandbox, ended, copy) = full.end();
        assert_eq!(ended.code(), Some(0), "{medium:?}: {}", ended.stderr);
        let text = fs::read_to_string(copy).unwrap();
        assert_eq!(whole_records(&text), (0..150).collect::<Vec<_>>(), "{medium:?}");
        assert!(text.ends_with('\n'));
    }
}

// T27
#[test]
fn a_disk_that_stays_full_costs_the_events_that_are_counted() {
    for medium in Medium::all() {
        let mut full = Full::start(medium);
        for number in 0..20 {
            full.running.record(&numbered(number * 20..number * 20 + 20, 500));
        }
        let (_sandbox, ended, copy) = full.end();
        assert_eq!(ended.code(), Some(1), "{medium:?}: {}", ended.stderr);
        assert_eq!(numbers_in(&ended.stdout), (0..400).collect::<Vec<_>>(), "{medium:?}");
        let recorded = whole_records(&fs::read_to_string(copy).unwrap());
        assert!(recorded.len() > 50 && recorded.len() < 350, "{medium:?}: {}", recorded.len());
        assert_eq!(recorded, (0..recorded.len()).collect::<Vec<_>>(), "{medium:?}");
        let lost = format!("claude-code-cli: transcript incomplete: {} events not recorded\n", 400 - recorded.len());
        assert!(ended.stderr.ends_with(&lost), "{medium:?}: {lost}{}", ended.stderr);
        assert_eq!(ended.stderr.matches("disk full").count(), 1, "{medium:?}: {}", ended.stderr);
    }
}

#[test]
fn more_than_64_mib_of_what_a_full_disk_left_gives_the_transcript_up() {
    let mut full = Full::start(Medium::SizeLimit);
    full.running.record(&numbered(0..200, 500));
    full.says("claude-code-cli: disk full", 1);
    // 60 MiB are held, and a few more are not.
    full.running.write(numbered(200..260, 1 << 20));
    full.running.record(&numbered(260..261, 1));
    assert!(!full.running.stderr().contains("cannot record"), "{}", full.running.stderr());
    full.running.write(numbered(261..266, 1 << 20));
    full.says("claude-code-cli: cannot record", 1);
    // The agent goes on.
    full.running.record(&numbered(266..270, 1));
    let (_sandbox, ended, copy) = full.end();
    assert_eq!(ended.code(), Some(1), "{}", ended.stderr);
    let lost = 270 - whole_records(&fs::read_to_string(copy).unwrap()).len();
    let lost = format!("claude-code-cli: transcript incomplete: {lost} events not recorded\n");
    assert!(ended.stderr.ends_with(&lost), "{lost}{}", ended.stderr);
}

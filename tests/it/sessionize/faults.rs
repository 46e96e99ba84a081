//! Transcripts that are damaged: nothing panics, and everything that can be read is read.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use rustix::process::geteuid;

use super::{command, events_of, random, sessionize, transcript_of};
use crate::support::{Sandbox, run};

/// Numbers that the same seed gives again.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

/// Breaks a line so that it surely is no record any more.
fn broken(line: &str, random: &mut Random) -> Vec<u8> {
    let middle = (1..line.len()).rev().find(|at| line.is_char_boundary(*at) && *at <= line.len() / 2).unwrap();
    match random.below(4) {
        0 => line.as_bytes()[1..].to_vec(),
        1 => line.as_bytes()[..middle].to_vec(),
        2 => [b"\xff\xfe", line.as_bytes()].concat(),
        _ => [line.as_bytes(), b"}\0"].concat(),
    }
}

#[test]
fn what_stands_around_broken_lines_is_read() {
    for seed in 1..=20 {
        let transcript = transcript_of(&random(seed));
        let mut random = Random(seed);
        let (mut damaged, mut whole, mut count) = (Vec::new(), String::new(), 0);
        for line in transcript.lines() {
            if random.below(8) == 0 {
                count += 1;
                damaged.extend(broken(line, &mut random));
            } else {
                whole.push_str(line);
                whole.push('\n');
                damaged.extend(line.as_bytes());
            }
            damaged.push(b'\n');
        }
        damaged.extend(b"{}\n");
        let run = sessionize(&["events"], &damaged);
        assert_eq!(run.code(), Some(i32::from(count > 0)), "{}", run.stderr);
        assert_eq!(String::from_utf8(run.stdout).unwrap(), events_of(&whole));
        let reports = run.stderr.lines().filter(|line| line.contains(": column ")).count();
        assert_eq!(reports, count, "{}", run.stderr);
    }
}

#[test]
fn no_flipped_byte_ends_the_program() {
    let transcript = transcript_of(&random(4));
    for seed in 1..=60 {
        let mut random = Random(seed);
        let mut bytes = transcript.clone().into_bytes();
        for _ in 0..30 {
            let place = random.below(bytes.len());
            bytes[place] = u8::try_from(random.below(256)).unwrap();
        }
        for command in ["events", "verify", "structure", "show"] {
            let run = sessionize(&[command], &bytes);
            // A flipped byte in the session's id makes two sessions.
            let is_refused = matches!(command, "structure" | "show") && run.code() == Some(2);
            assert!(is_refused || matches!(run.code(), Some(0 | 1)), "{:?}: {}", run.status, run.stderr);
            assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
        }
    }
}

#[test]
fn a_torn_last_line_is_told_and_no_loss() {
    let transcript = transcript_of(&random(1));
    let torn = transcript.trim_end().rsplit_once('\n').unwrap().0.to_owned() + "\n{\"type\":\"ass";
    let run = sessionize(&["events"], torn);
    assert_eq!(run.code(), Some(0));
    assert!(run.stderr.contains(": torn last line, left out: "), "{}", run.stderr);
}

#[test]
fn what_cannot_be_opened_ends_with_status_2_in_one_line() {
    let sandbox = Sandbox::new();
    for args in [
        &["events", "no-such-file"][..],
        &["events", "."],
        &["structure", "no-such-file"],
        &["structure", "."],
        &["show", "no-such-file"],
        &["show", "."],
        &["show", "--terms", "other"],
        &["show", "--id", ""],
        &["events", "a", "b"],
        &["no-such"],
        &[],
    ] {
        let run = run(command(&sandbox, args), "");
        assert_eq!(run.code(), Some(2), "{args:?}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        assert!(run.stdout.is_empty());
    }
}

#[test]
fn a_full_device_ends_with_status_1() {
    let sandbox = Sandbox::new();
    let path = sandbox.file("t.jsonl", transcript_of(&random(1)));
    for name in ["events", "structure", "show"] {
        let mut command = command(&sandbox, &[name, path.to_str().unwrap()]);
        let output = command.stdout(fs::File::options().write(true).open("/dev/full").unwrap()).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains("cannot write to stdout: no space left on device"), "{stderr}");
    }
}

/// The same program for which the modes of files count. To who may do everything they do not.
fn without_privilege(command: Command) -> Command {
    if !geteuid().is_root() {
        return command;
    }
    let mut without = Command::new("setpriv");
    without.args(["--inh-caps=-all", "--bounding-set=-all"]).arg(command.get_program()).args(command.get_args());
    without
}

#[test]
fn a_folder_of_the_session_that_nobody_may_look_into_is_an_error() {
    let session = "5e551017-0000-4000-8000-000000000000";
    for (subcommand, closed, mode) in
        [("structure", "", 0o000), ("structure", "subagents", 0o444), ("show", "subagents", 0o000)]
    {
        let sandbox = Sandbox::new();
        let path = sandbox.file(&format!("{session}.jsonl"), "{\"type\":\"user\",\"message\":{\"content\":\"x\"}}\n");
        sandbox.file(&format!("{session}/subagents/agent-a1.jsonl"), "{}\n");
        let folder = path.with_file_name(session).join(closed);
        fs::set_permissions(&folder, Permissions::from_mode(mode)).unwrap();
        let run = run(without_privilege(command(&sandbox, &[subcommand, path.to_str().unwrap()])), "");
        fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
        assert_eq!((run.code(), run.stdout.len()), (Some(2), 0), "{}", run.stderr);
        assert!(run.stderr.contains("cannot read the folder of"), "{}", run.stderr);
        assert!(run.stderr.contains("permission denied"), "{}", run.stderr);
    }
}

//! While the input is still open; signals; a reader that leaves.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::{command, message, outline, parse};
use crate::support::{Sandbox, wait_until};

const SIGTERM: i32 = 15;

struct Live {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    _sandbox: Sandbox,
}

impl Live {
    fn start() -> Self {
        let sandbox = Sandbox::new();
        let mut command = command(&sandbox, &["--self", "me"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, stdin, stdout, _sandbox: sandbox }
    }

    fn write(&mut self, text: &str) {
        self.stdin.write_all(text.as_bytes()).unwrap();
    }

    /// Waits for the next event.
    fn next(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        outline(&parse(line.as_bytes())).concat()
    }

    fn signal(&self, name: &str) {
        let id = self.child.id();
        assert!(Command::new("/bin/sh").args(["-c", &format!("kill -s {name} {id}")]).status().unwrap().success());
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn an_event_is_out_before_the_input_ends() {
    let mut live = Live::start();
    live.write(&message("1", "#c", "bob", "one"));
    assert_eq!(live.next(), "them: one");
    // A part line does not hold back the line before it.
    live.write(&(message("2", "#c", "bob", "two") + "{\"id\":"));
    assert_eq!(live.next(), "them: two");
}

#[test]
fn the_first_sigint_is_left_to_the_programs_upstream_and_the_second_ends_at_once() {
    let mut live = Live::start();
    live.write(&message("1", "#c", "bob", "one"));
    assert_eq!(live.next(), "them: one");
    live.signal("INT");
    live.write(&message("2", "#c", "bob", "two"));
    assert_eq!(live.next(), "them: two");
    live.signal("INT");
    wait_until("the end of the program", || live.child.try_wait().unwrap().is_some());
    assert_eq!(live.child.wait().unwrap().code(), Some(130));
}

#[test]
fn sigterm_ends_the_program_after_what_has_come() {
    let mut live = Live::start();
    live.write(&message("1", "#c", "bob", "one"));
    assert_eq!(live.next(), "them: one");
    // Stopped, so that the lines and the signal are there together when it goes on.
    live.signal("STOP");
    live.write(&(message("2", "#c", "bob", "two") + ":bob!u@h PRIVMSG #c :cut of"));
    live.signal("TERM");
    live.signal("CONT");
    let mut rest = Vec::new();
    live.stdout.read_to_end(&mut rest).unwrap();
    assert_eq!(outline(&parse(&rest)), ["them: two"]);
    assert_eq!(live.child.wait().unwrap().signal(), Some(SIGTERM));
}

#[test]
fn a_reader_that_leaves_ends_the_program_silently() {
    let mut live = Live::start();
    live.write(&(message("1", "#c", "bob", "one") + "nothing\n"));
    assert_eq!(live.next(), "them: one");
    drop(std::mem::replace(&mut live.stdout, BufReader::new(pipe())));
    // Nothing more is written: it notices by itself.
    wait_until("the end of the program", || live.child.try_wait().unwrap().is_some());
    assert_eq!(live.child.wait().unwrap().code(), Some(0));
}

/// Something else to hold in place of the output.
fn pipe() -> ChildStdout {
    let mut other = Command::new("/bin/true").stdout(Stdio::piped()).spawn().unwrap();
    let stdout = other.stdout.take().unwrap();
    other.wait().unwrap();
    stdout
}

#[test]
fn a_long_feed_whose_reader_leaves_ends_without_a_message() {
    let sandbox = Sandbox::new();
    let feed: String = (0..5000).map(|id| message(&id.to_string(), "#c", "bob", "text")).collect();
    let file = sandbox.file("feed", feed);
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "\"$0\" --self me < \"$1\" | head -n 1", super::ATIRC]).arg(file).env("PATH", "/usr/bin:/bin");
    let output = command.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(parse(&output.stdout).len(), 1);
}

//! While the input is still open; signals; a reader that leaves.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, Command, Stdio};

use super::{Lines, command, message, parse};
use crate::support::{Sandbox, send, wait_until};

const SIGTERM: i32 = 15;

struct Live {
    child: Child,
    stdin: ChildStdin,
    lines: Lines,
    _sandbox: Sandbox,
}

impl Live {
    fn start() -> Self {
        let sandbox = Sandbox::new();
        let mut command = command(&sandbox, &["--self", "me"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (stdin, lines) = (child.stdin.take().unwrap(), Lines::of(child.stdout.take().unwrap()));
        Self { child, stdin, lines, _sandbox: sandbox }
    }

    fn write(&mut self, text: &str) {
        self.stdin.write_all(text.as_bytes()).unwrap();
    }

    fn next(&self) -> String {
        self.lines.next_event()
    }

    fn signal(&self, name: &str) {
        send(name, self.child.id());
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
    assert_eq!([live.next(), live.next()], ["them: two", ""]);
    assert_eq!(live.child.wait().unwrap().signal(), Some(SIGTERM));
}

#[test]
fn a_reader_that_leaves_ends_the_program_silently() {
    let sandbox = Sandbox::new();
    let mut command = command(&sandbox, &["--self", "me"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(message("1", "#c", "bob", "one").as_bytes()).unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert_eq!(parse(line.as_bytes()).len(), 1);
    drop(stdout);
    // Nothing more is written: it notices by itself.
    wait_until("the end of the program", || child.try_wait().unwrap().is_some());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
    drop(stdin);
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

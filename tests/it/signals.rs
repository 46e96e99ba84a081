//! Signals: which end the input in good order, which is left to the programs upstream.

use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use crate::running::{Ended, Running};
use crate::support::{Sandbox, events, send, wait_until};

const SIGHUP: i32 = 1;
const SIGTERM: i32 = 15;

/// A call is open and a part line waits when the signal comes.
fn ended_by(signal: &str) -> Ended {
    let sandbox = Sandbox::new();
    let mut running = Running::start(&sandbox, &[]);
    running.record(&events("U(go) C(a)"));
    running.write("{\"type\":\"user\",\"text\":\"half");
    running.signal(signal);
    let ended = running.wait();
    // The file is read here, while the sandbox is still there.
    assert_eq!(ended.outline(), ["user go", "call a @1", "closed a"]);
    ended
}

// T32
#[test]
fn sigterm_closes_the_open_calls_and_is_what_the_program_dies_of() {
    let ended = ended_by("TERM");
    assert_eq!((ended.code(), ended.signal()), (None, Some(SIGTERM)));
}

#[test]
fn sighup_closes_the_open_calls_and_is_what_the_program_dies_of() {
    let ended = ended_by("HUP");
    assert_eq!((ended.code(), ended.signal()), (None, Some(SIGHUP)));
}

// T32
#[test]
fn lines_that_are_complete_when_sigterm_comes_are_recorded() {
    let sandbox = Sandbox::new();
    let mut running = Running::start(&sandbox, &[]);
    // Stopped, so that the lines and the signal are there together when it goes on.
    running.signal("STOP");
    running.write(events("U(go) A(one) A(two)") + "{\"type\":\"user\"");
    running.signal("TERM");
    running.signal("CONT");
    let ended = running.wait();
    assert_eq!(ended.outline(), ["user go", "text one @1", "text two @2"]);
    assert_eq!(ended.signal(), Some(SIGTERM));
}

#[test]
fn the_first_sigint_is_left_to_the_programs_upstream() {
    let sandbox = Sandbox::new();
    let mut running = Running::start(&sandbox, &[]);
    running.record(&events("U(go)"));
    running.signal("INT");
    running.record(&events("A(cleaning-up)"));
    let ended = running.end();
    assert_eq!(ended.code(), Some(0));
    assert_eq!(ended.outline(), ["user go", "text cleaning-up @1"]);
}

#[test]
fn the_second_sigint_ends_the_program_with_130() {
    let sandbox = Sandbox::new();
    let mut running = Running::start(&sandbox, &[]);
    running.signal("INT");
    // Two signals at once may count as one: the echo shows that the first has been taken.
    running.record(&events("U(go)"));
    running.signal("INT");
    assert_eq!(running.wait().code(), Some(130));
}

#[test]
fn sigterm_ends_a_program_whose_output_nobody_reads() {
    let sandbox = Sandbox::new();
    // Far more than a pipe holds: the echo waits for a reader that never comes.
    let input = sandbox.file("in.ndjson", events("U(go) A(done)").repeat(2000));
    let mut command = sandbox.command(&[input.to_str().unwrap()]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let has_records = |line: &String| line.contains(".jsonl\t") && line.split('\t').nth(2) != Some("0");
    wait_until("a first record", || sandbox.tree().iter().any(has_records));
    send("TERM", child.id());
    wait_until("the end of the program", || child.try_wait().unwrap().is_some());
    assert_eq!(child.wait().unwrap().signal(), Some(SIGTERM));
    // Whatever was recorded by then is whole.
    assert_eq!(sandbox.transcripts().len(), 1);
}

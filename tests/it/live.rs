//! What is seen while the input is still open, and what happens when nobody reads the output.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::running::Running;
use crate::schema::Transcript;
use crate::support::{PROGRAM, Sandbox, SessionResult, events, wait_until};

#[test]
fn the_session_line_comes_before_any_input() {
    let sandbox = Sandbox::new();
    let running = Running::start(&sandbox, &[]);
    assert!(running.file.exists(), "the file is created at the start");
    assert_eq!(running.text(), "");
}

#[test]
fn a_line_is_in_the_file_and_echoed_before_the_input_ends() {
    let sandbox = Sandbox::new();
    let mut running = Running::start(&sandbox, &[]);
    running.record(&events("U(go)"));
    // The echo is the acknowledgement: what is echoed is in the file.
    assert_eq!(running.text().lines().count(), 1);
    running.record(&events("A(done)"));
    assert_eq!(running.text().lines().count(), 2);
    assert_eq!(running.end().outline(), ["user go", "text done @1"]);
}

#[test]
fn a_part_line_does_not_hold_back_the_line_before_it() {
    let sandbox = Sandbox::new();
    let mut running = Running::start(&sandbox, &[]);
    running.write(events("U(go)") + "{\"type\":\"assistant\",");
    wait_until("the echo of the whole line", || running.stdout().ends_with(&events("U(go)")));
    assert_eq!(running.text().lines().count(), 1);
    running.write("\"text\":\"done\"}\n");
    assert_eq!(running.end().outline(), ["user go", "text done @1"]);
}

#[test]
fn a_rejected_line_is_reported_before_the_input_ends() {
    let sandbox = Sandbox::new();
    let mut running = Running::start(&sandbox, &[]);
    running.write("nope\n");
    wait_until("the report", || running.stderr().contains("line 1"));
    assert_eq!(running.end().code(), Some(1));
}

#[test]
fn a_quiet_run_records_before_the_input_ends() {
    let sandbox = Sandbox::new();
    let mut running = Running::start(&sandbox, &["--quiet"]);
    running.write(events("U(go)"));
    wait_until("the record", || running.text().ends_with('\n'));
    assert_eq!(running.end().stdout.lines().count(), 1);
}

#[test]
fn a_file_operand_is_read_to_its_end() {
    let sandbox = Sandbox::new();
    let input = sandbox.file("in.ndjson", events("U(go) A(done)"));
    let running = Running::start(&sandbox, &[input.to_str().unwrap()]);
    // Stdin stays open: it is not what is read.
    assert_eq!(running.wait().outline(), ["user go", "text done @1"]);
}

/// More than any pipe holds, so that the closed pipe is met while most of the input is still to come.
fn long_input() -> String {
    events("U(go) A(x) M(y)").repeat(1000)
}

// T25
#[test]
fn a_reader_of_stdout_that_leaves_does_not_end_the_recording() {
    let sandbox = Sandbox::new();
    let mut child =
        sandbox.command(&[]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    drop(stdout);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(long_input().as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    let transcript = Transcript::read(&SessionResult::parse(line.as_bytes()).file());
    assert_eq!(transcript.outline().len(), 3000);
}

// T25
#[test]
fn a_stdout_closed_from_the_start_does_not_matter() {
    let sandbox = Sandbox::new();
    let input = sandbox.file("in.ndjson", long_input());
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", "exec \"$0\" \"$1\" >&-", PROGRAM])
        .arg(&input)
        .env_clear()
        .env("HOME", sandbox.path("home"))
        .current_dir(sandbox.cwd());
    let output = command.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    let transcripts = sandbox.transcripts();
    assert_eq!(transcripts.len(), 1);
    assert_eq!(transcripts[0].outline().len(), 3000);
}

#[test]
fn a_closed_stderr_changes_nothing_but_the_reports() {
    let sandbox = Sandbox::new();
    let input = sandbox.file("in.ndjson", events("U(go)") + "nope\n" + &events("A(done)"));
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", "exec \"$0\" --no-session \"$1\" 2>&-", PROGRAM])
        .arg(&input)
        .env_clear()
        .env("HOME", sandbox.path("home"))
        .current_dir(sandbox.cwd());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stdout).unwrap().ends_with(&events("U(go) A(done)")));
}

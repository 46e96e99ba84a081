//! While the transcript is still being written.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use super::command;
use crate::support::{Sandbox, run, send, wait_until, wait_until_full};

fn line(id: u32) -> String {
    format!("{{\"type\":\"user\",\"uuid\":\"{id}\",\"message\":{{\"content\":\"m{id}\"}}}}\n")
}

#[test]
fn an_event_is_out_before_the_transcript_ends() {
    let sandbox = Sandbox::new();
    let mut child = command(&sandbox, &["events"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    // A part line does not hold back the line before it.
    stdin.write_all((line(1) + "{\"type\"").as_bytes()).unwrap();
    let mut event = String::new();
    stdout.read_line(&mut event).unwrap();
    assert_eq!(event, "{\"type\":\"user\",\"text\":\"m1\"}\n");
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let sandbox = Sandbox::new();
    let input: String = (0..20_000).map(line).collect();
    let path = sandbox.file("t.jsonl", input);
    let name = "5e551017-0000-4000-8000-000000000000.jsonl";
    let named = sandbox.file(name, std::fs::read(&path).unwrap());
    for (args, path) in [(&["events"][..], &path), (&["show"], &named), (&["show", "--json"], &named)] {
        let mut command = command(&sandbox, args);
        let mut child = command.arg(path).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut messages = String::new();
        child.stderr.take().unwrap().read_to_string(&mut messages).unwrap();
        assert_eq!((child.wait().unwrap().code(), messages.as_str()), (Some(0), ""));
    }
}

#[test]
fn sigterm_ends_a_program_whose_messages_nobody_reads() {
    for subcommand in ["events", "structure", "show"] {
        let sandbox = Sandbox::new();
        // Far more messages than a pipe holds.
        let path = sandbox.file("t.jsonl", line(1) + &"nope\n".repeat(20_000) + &line(2));
        let mut command = command(&sandbox, &[subcommand, path.to_str().unwrap()]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        wait_until_full(child.stderr.as_ref().unwrap());
        send("TERM", child.id());
        wait_until("the end of the program", || child.try_wait().unwrap().is_some());
        assert_eq!(child.wait().unwrap().signal(), Some(15), "{subcommand}");
    }
}

#[test]
fn what_is_written_does_not_go_into_what_is_read() {
    let sandbox = Sandbox::new();
    for subcommand in ["events", "verify", "structure", "show"] {
        let path = sandbox.file("t.jsonl", line(1) + "nope\n" + &line(2));
        let append = || File::options().append(true).open(&path).unwrap();
        let as_output = command(&sandbox, &[subcommand, path.to_str().unwrap()]).stdout(append()).output().unwrap();
        let as_messages = command(&sandbox, &[subcommand, path.to_str().unwrap()]).stderr(append()).output().unwrap();
        assert_eq!((as_output.status.code(), as_messages.status.code()), (Some(2), Some(2)), "{subcommand}");
        assert!(String::from_utf8(as_output.stderr).unwrap().contains("the input is the output"), "{subcommand}");
        assert!(as_messages.stdout.is_empty(), "{subcommand}");
    }
}

#[test]
fn names_of_files_reach_a_terminal_without_what_steers_it() {
    let sandbox = Sandbox::new();
    let session = "5e551017-0000-4000-8000-000000000000";
    let path = sandbox.file(&format!("{session}.jsonl"), line(1));
    let group = format!("{session}/subagents/workflows/\u{1b}[31mX\nasyncai-sessionize: forged");
    sandbox.file(&format!("{group}/journal.jsonl"), "{x\n{}\n");
    // A folder that leads to itself has nothing in it.
    let looped = sandbox.path(&format!("{session}/subagents/workflows/loop"));
    std::os::unix::fs::symlink("loop", looped).unwrap();
    let run = run(command(&sandbox, &["structure", path.to_str().unwrap()]), "");
    assert_eq!((run.code(), run.stderr.lines().count()), (Some(1), 1), "{}", run.stderr);
    assert!(
        run.stderr.contains("\u{fffd}[31mX\u{fffd}asyncai-sessionize: forged/journal.jsonl: line 1: "),
        "{}",
        run.stderr
    );
}

#[test]
fn a_source_that_cannot_be_read_is_named() {
    let sandbox = Sandbox::new();
    let session = "5e551017-0000-4000-8000-000000000000";
    let path = sandbox.file(&format!("{session}.jsonl"), line(1));
    let child = format!("{session}/subagents/agent-a0000000000000001.jsonl");
    sandbox.folder(&format!("{session}/subagents"));
    // Readable by its mode, and not at its beginning.
    std::os::unix::fs::symlink("/proc/self/mem", sandbox.path(&child)).unwrap();
    let run = run(command(&sandbox, &["show", path.to_str().unwrap()]), "");
    assert_eq!((run.code(), run.stdout.len()), (Some(2), 0));
    assert!(run.stderr.contains(&format!("cannot read {child}: ")), "{}", run.stderr);
}

#[test]
fn verify_ends_when_nobody_takes_its_findings_though_the_input_goes_on() {
    for (output, code, message) in [(None, 0, ""), (Some("/dev/full"), 1, "cannot write to stdout")] {
        let sandbox = Sandbox::new();
        let output = output.map(|path| Stdio::from(File::options().write(true).open(path).unwrap()));
        let mut command = command(&sandbox, &["verify"]);
        command.stdin(Stdio::piped()).stdout(output.unwrap_or_else(Stdio::piped)).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let mut stdin = child.stdin.take().unwrap();
        // More findings than are held back, and then nothing more, without an end.
        let _ = stdin.write_all("nope\n".repeat(20_000).as_bytes());
        let _ = stdin.write_all(b"nope\n");
        wait_until("the end of the program", || child.try_wait().unwrap().is_some());
        let mut messages = String::new();
        child.stderr.take().unwrap().read_to_string(&mut messages).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(code), "{messages}");
        assert!(messages.contains(message) && messages.is_empty() == message.is_empty(), "{messages}");
    }
}

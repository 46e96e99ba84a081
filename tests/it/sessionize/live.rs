//! While the transcript is still being written.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use super::command;
use crate::support::Sandbox;

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

//! Sessions that would harm a screen, a reader or the program.

use std::fmt::Write as _;

use super::super::{command, sessionize, transcript_of};
use super::{SESSION, data, shown};
use crate::support::{Sandbox, run};

/// A record of a session's main stream.
fn record(id: &str, rest: &str) -> String {
    format!("{{\"uuid\":\"{id}\",\"sessionId\":\"{SESSION}\",\"timestamp\":\"2026-01-02T10:00:00Z\",{rest}}}\n")
}

fn call(id: &str, tool: &str, name: &str) -> String {
    let block = format!(r#"{{"type":"tool_use","id":"{tool}","name":"{name}","input":{{}}}}"#);
    record(id, &format!(r#""type":"assistant","message":{{"id":"c{id}","content":[{block}]}}"#))
}

fn launch(id: &str, tool: &str, child: &str) -> String {
    let block = format!(r#"{{"type":"tool_result","tool_use_id":"{tool}","content":"started"}}"#);
    let beside = format!(r#""toolUseResult":{{"status":"async_launched","agentId":"{child}"}}"#);
    record(id, &format!(r#""type":"user","message":{{"content":[{block}]}},{beside}"#))
}

fn agent(number: usize) -> String {
    format!("a{number:016x}")
}

/// Calls the next child in a child's own transcript.
fn child(number: usize, next: usize) -> String {
    call(&format!("call-{number}"), &format!("t{number}"), "Agent")
        + &launch(&format!("launch-{number}"), &format!("t{number}"), &agent(next))
}

#[test]
fn nothing_in_a_session_steers_the_terminal() {
    let odd = r"\u001b[31m\u0007\u009b2J\u202e\r\n\u0000\u007f\u2028\udc00";
    let raw = "\u{9b}2J\u{202e}\u{7f}\u{85}";
    let odd = format!("{odd}{raw}");
    let text = [
        record("r1", &format!(r#""type":"user","promptId":"p{odd}","message":{{"content":"{odd}a"}}"#)),
        record("r2", &format!(r#""type":"system","subtype":"n{odd}","content":"{odd}b""#)),
        record(
            "r3",
            &format!(r#""type":"assistant","message":{{"id":"c{odd}","model":"m{odd}","content":[{{"type":"text","text":"{odd}"}}]}}"#),
        ),
        call(&format!("r4{odd}"), &format!("t{odd}"), &format!("Bash{odd}")),
        launch("r5", &format!("u{odd}"), &format!("x{odd}")),
        format!("{{\"type\":\"ai-title\",\"aiTitle\":\"title{odd}\",\"sessionId\":\"{SESSION}\"}}\n"),
    ]
    .concat();
    let sandbox = Sandbox::new();
    let path = sandbox.file(&format!("{SESSION}.jsonl"), text);
    let ids: Vec<String> = data(&path, &[])["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["id"].as_str().unwrap().to_owned())
        .filter(|id| !id.contains('\0'))
        .collect();
    let mut outputs =
        vec![shown(&path, &[]), shown(&path, &["--json"]), shown(&path, &["--conversation", "c\u{1b}[1m"])];
    for id in &ids {
        outputs.extend([shown(&path, &["--id", id]), shown(&path, &["--json", "--id", id])]);
    }
    let steers = |letter: char| (letter.is_control() && letter != '\n') || ('\u{2028}'..='\u{202e}').contains(&letter);
    for output in outputs {
        assert!(!output.contains(steers), "{output:?}");
    }
    assert!(shown(&path, &[]).contains("\\u{1b}[31m\\u{7}"), "{}", shown(&path, &[]));
}

#[test]
fn a_session_without_records_is_shown_as_such() {
    let sandbox = Sandbox::new();
    let path = sandbox.file(&format!("{SESSION}.jsonl"), "");
    assert_eq!(shown(&path, &[]), format!("session  {SESSION}\n│  no records\n"));
    assert_eq!(data(&path, &[])["items"].as_array().unwrap().len(), 1);
    // From standard input nothing says which session it is.
    let run = sessionize(&["show"], "");
    assert_eq!((run.code(), run.stdout.len(), run.stderr.lines().count()), (Some(2), 0, 1));
}

#[test]
fn a_torn_last_line_is_told_and_the_rest_is_shown() {
    let whole = transcript_of("{\"type\":\"user\",\"text\":\"hello\"}\n");
    let run = sessionize(&["show"], whole + "{\"type\":\"us");
    assert_eq!((run.code(), run.stderr.lines().count()), (Some(0), 1), "{}", run.stderr);
    assert!(run.stderr.contains("torn last line, left out"), "{}", run.stderr);
    assert!(String::from_utf8(run.stdout).unwrap().contains("message.external  hello\n"));
}

#[test]
fn a_broken_line_is_told_and_the_status_is_1() {
    let whole = transcript_of("{\"type\":\"user\",\"text\":\"hello\"}\n");
    let run = sessionize(&["show"], format!("nope\n{whole}"));
    assert_eq!((run.code(), run.stderr.lines().count()), (Some(1), 1), "{}", run.stderr);
    assert!(String::from_utf8(run.stdout).unwrap().contains("hello"));
}

#[test]
fn no_line_is_wider_than_a_hundred_columns() {
    let columns = |line: &str| -> usize {
        let width = |letter: char| if ('\u{3000}'..='\u{ffef}').contains(&letter) { 2 } else { 1 };
        line.chars().map(width).sum()
    };
    for word in ["日本語", "word ", "x", "é"] {
        let text = word.repeat(300);
        let events = [
            format!("{{\"type\":\"user\",\"text\":\"{text}\"}}\n"),
            format!(
                "{{\"type\":\"tool_call\",\"id\":\"c\",\"name\":\"Bash\",\"arguments\":{{\"command\":\"{text}\"}}}}\n"
            ),
            format!("{{\"type\":\"tool_result\",\"id\":\"c\",\"content\":\"{text}\"}}\n"),
        ];
        let run = sessionize(&["show", "--conversation", &text], transcript_of(&events.concat()));
        let shown = String::from_utf8(run.stdout).unwrap();
        let cut: Vec<&str> = shown.lines().filter(|line| line.ends_with('…')).collect();
        assert!(cut.len() >= 4, "{shown}");
        // A wide character may not fit into the last column.
        assert!(cut.iter().all(|line| (97..=100).contains(&columns(line))), "{shown}");
        assert!(shown.lines().all(|line| columns(line) <= 100), "{shown}");
        let tool = shown.lines().find(|line| line.contains(" Bash ")).unwrap();
        assert!(tool.contains("… → "), "the result has its half: {tool}");
    }
}

/// A session of so many children, each started by the one before; the last one starts the child of the given number.
fn chain(sandbox: &Sandbox, length: usize, last_starts: Option<usize>) -> std::path::PathBuf {
    for number in 1..=length {
        let next = if number < length { Some(number + 1) } else { last_starts };
        let text = next.map_or_else(|| call("end", "t-end", "Bash"), |next| child(number, next));
        sandbox.file(&format!("{SESSION}/subagents/agent-{}.jsonl", agent(number)), text);
    }
    sandbox.file(&format!("{SESSION}.jsonl"), child(0, 1))
}

#[test]
fn deeply_nested_children_are_all_shown() {
    let sandbox = Sandbox::new();
    let path = chain(&sandbox, 400, None);
    let shown = shown(&path, &[]);
    assert_eq!(shown.matches("stream  a0").count(), 400, "{shown}");
    let items = data(&path, &[]);
    let deepest = items["items"].as_array().unwrap().iter().map(|item| item["depth"].as_u64().unwrap()).max();
    assert!(deepest > Some(1600), "{deepest:?}");
}

#[test]
fn children_that_start_each_other_are_shown_once() {
    let sandbox = Sandbox::new();
    let mut main = String::new();
    write!(main, "{}", call("m", "t-main", "Bash")).unwrap();
    let path = chain(&sandbox, 2, Some(1));
    // Nobody outside the circle starts anything.
    sandbox.file(&format!("{SESSION}.jsonl"), main);
    let run = run(command(&sandbox, &["show", path.to_str().unwrap()]), "");
    assert_eq!(run.code(), Some(0), "{}", run.stderr);
    let shown = String::from_utf8(run.stdout).unwrap();
    assert_eq!(shown.matches("stream  ").count(), 4, "{shown}");
    assert_eq!(shown.matches("told elsewhere").count(), 1, "{shown}");
    let items = data(&path, &[]);
    assert_eq!(items["items"].as_array().unwrap().iter().filter(|item| item["again"] == true).count(), 1);
}

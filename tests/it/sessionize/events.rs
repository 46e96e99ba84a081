//! The way back: what was recorded comes out as the events that it was made of.

use std::collections::HashMap;

use chrono::DateTime;
use serde_json::{Value, json};

use super::{command, events_of, examples, random, sessionize, transcript_of};
use crate::support::{Sandbox, run};

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

fn mended(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// What the event format makes of an event of these tests, without the fields that a recording adds.
fn expected(event: &Value) -> Value {
    let mut event = event.clone();
    for added in ["id", "timestamp", "model", "task_id"] {
        event.as_object_mut().unwrap().remove(added);
    }
    match event["type"].as_str().unwrap() {
        "user" | "assistant" => event["text"] = mended(event["text"].as_str().unwrap()).into(),
        "tool_call" => {
            if let Some(text) = event["arguments"].as_str() {
                event["arguments"] = serde_json::from_str(text).unwrap();
            }
        }
        "tool_result" => {
            event["content"] = match &event["content"] {
                Value::String(text) => mended(text).into(),
                Value::Array(blocks) => {
                    let text = |block: &Value| json!({"type": "text", "text": mended(block["text"].as_str().unwrap())});
                    blocks.iter().map(text).collect()
                }
                other => other.to_string().into(),
            };
            if event["is_error"] == false {
                event.as_object_mut().unwrap().remove("is_error");
            }
        }
        "monitor_event" => {
            if let Some(text) = event["event"].as_str() {
                event["event"] = mended(text).into();
            }
            if event.get("status").is_some() {
                event.as_object_mut().unwrap().remove("note");
            }
        }
        other => panic!("{other}"),
    }
    event
}

/// For each result the place of the call that it answers; ids are compared as the event format says.
fn answered(events: &[Value]) -> Vec<Option<usize>> {
    let id = |event: &Value| event["id"].as_str().unwrap_or_default().to_owned();
    let mut waiting: HashMap<String, Vec<usize>> = HashMap::new();
    let mut answers = Vec::new();
    for (place, event) in events.iter().enumerate() {
        if event["type"] == "tool_call" {
            waiting.entry(id(event)).or_default().push(place);
        }
        if event["type"] == "tool_result" {
            let calls = waiting.get_mut(&id(event)).filter(|calls| !calls.is_empty());
            answers.push(calls.map(|calls| calls.remove(0)));
        }
    }
    answers
}

fn assert_same_conversation(input: &str, output: &str) {
    let (input, output) = (lines(input), lines(output));
    let wanted: Vec<Value> = input.iter().map(expected).collect();
    let found: Vec<Value> = output.iter().map(expected).collect();
    assert_eq!(found, wanted);
    assert_eq!(answered(&output), answered(&input));
    let time = |event: &Value| event["timestamp"].as_str().map(|time| DateTime::parse_from_rfc3339(time).unwrap());
    for (came, recorded) in input.iter().map(time).zip(output.iter().map(time)) {
        assert!(came.is_none() || came == recorded, "{came:?} became {recorded:?}");
    }
}

/// A transcript without what differs from one recording to another: ids, and the time of records that stand for
/// nothing, which is that of the recording's end.
fn shape(transcript: &str) -> Vec<String> {
    let mut ids: HashMap<String, usize> = HashMap::new();
    let mut shape = Vec::new();
    for line in transcript.lines() {
        let mut line = line.to_owned();
        let record: Value = serde_json::from_str(&line).unwrap();
        if record["asyncaiSynthetic"] == true
            && let Some(time) = record["timestamp"].as_str()
        {
            line = line.replace(time, "TIME");
        }
        let mut at = 0;
        while at + 36 <= line.len() {
            let Some(id) = line.get(at..at + 36).filter(|id| is_uuid(id)).map(str::to_owned) else {
                at += 1;
                continue;
            };
            let next = ids.len();
            let name = format!("id-{}", ids.entry(id).or_insert(next));
            line.replace_range(at..at + 36, &name);
            at += name.len();
        }
        // Each run has a folder of its own.
        shape.push(line.split("\"cwd\":").next().unwrap().to_owned());
    }
    shape
}

fn is_uuid(text: &str) -> bool {
    text.bytes().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
    })
}

fn assert_round_trip(input: &str) {
    let first = transcript_of(input);
    let events = events_of(&first);
    assert_same_conversation(input, &events);
    let second = transcript_of(&events);
    assert_eq!(shape(&second), shape(&first));
    assert_eq!(events_of(&second), events);
}

#[test]
fn every_example_comes_back_as_the_same_events() {
    for input in examples() {
        assert_round_trip(&input);
    }
}

#[test]
fn a_hundred_random_conversations_come_back_as_the_same_events() {
    for seed in 1..=100 {
        assert_round_trip(&random(seed));
    }
}

#[test]
fn failed_results_with_images_come_back_whole() {
    let image = r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}"#;
    let call = r#"{"type":"tool_call","id":"c","name":"Shot","arguments":{}}"#;
    let result = format!(r#"{{"type":"tool_result","id":"c","content":[{image}],"is_error":true}}"#);
    let events = events_of(&transcript_of(&format!("{call}\n{result}\n")));
    let found = lines(&events);
    assert_eq!(found[1]["content"], json!([serde_json::from_str::<Value>(image).unwrap()]));
    assert_eq!(found[1]["is_error"], true);
}

#[test]
fn a_source_whose_id_looks_like_a_childs_is_still_a_monitor() {
    let event = r#"{"type":"monitor_event","description":"d","event":"e","task_id":"a0123456789abcdef"}"#;
    let found = lines(&events_of(&transcript_of(&format!("{event}\n"))));
    assert_eq!((&found[0]["task_id"], &found[0]["event"]), (&json!("a0123456789abcdef"), &json!("e")));
}

/// What the real program writes, in the shapes that tell a person's words from everything else.
#[test]
fn of_foreign_records_only_the_conversation_comes_out() {
    let transcript = [
        r#"{"type":"mode","mode":"normal"}"#,
        r#"{"type":"user","uuid":"1","origin":{"kind":"human"},"message":{"content":"typed"}}"#,
        r#"{"type":"user","uuid":"2","promptSource":"sdk","message":{"content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]}}"#,
        r#"{"type":"user","uuid":"3","message":{"content":"<command-name>/clear</command-name>"}}"#,
        r#"{"type":"user","uuid":"4","isMeta":true,"message":{"content":"meta"}}"#,
        r#"{"type":"user","uuid":"5","isCompactSummary":true,"message":{"content":"summary"}}"#,
        r#"{"type":"assistant","uuid":"6","message":{"model":"m","content":[{"type":"thinking","thinking":""},{"type":"text","text":"said"},{"type":"tool_use","id":"toolu_1","name":"Agent","input":{"a":1e400}}]}}"#,
        r#"{"type":"user","uuid":"7","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"r"}]}]},"toolUseResult":"x"}"#,
        r#"{"type":"user","uuid":"8","origin":{"kind":"task-notification"},"message":{"content":"<task-notification>\n<task-id>a0123456789abcdef</task-id>\n<status>completed</status>\n<summary>Agent \"x\" finished</summary>\n</task-notification>"}}"#,
        r#"{"type":"user","uuid":"9","origin":{"kind":"task-notification"},"message":{"content":"<task-notification>\n<task-id>bq1</task-id>\n<summary>Monitor event: \"d\"</summary>\n<event>e &lt;1&gt;</event>\n</task-notification>"}}"#,
        r#"{"type":"assistant","uuid":"10","isSidechain":true,"message":{"content":[{"type":"text","text":"side"}]}}"#,
        r#"{"type":"assistant","uuid":"11","isApiErrorMessage":true,"message":{"model":"<synthetic>","content":[{"type":"text","text":"lost"}]}}"#,
        r#"{"type":"attachment","uuid":"12","attachment":{"type":"queued_command","commandMode":"prompt","prompt":[{"type":"text","text":"queued"}]}}"#,
        r#"{"type":"user","uuid":"1","origin":{"kind":"human"},"message":{"content":"again"}}"#,
        r#"{"type":"no-such-type","uuid":"13"}"#,
    ];
    let run = sessionize(&["events"], transcript.join("\n"));
    let expected = [
        r#"{"type":"user","text":"typed"}"#,
        r#"{"type":"user","text":"one\ntwo"}"#,
        r#"{"type":"assistant","text":"said","model":"m"}"#,
        r#"{"type":"tool_call","id":"toolu_1","name":"Agent","arguments":{"a":1e400},"model":"m"}"#,
        r#"{"type":"tool_result","id":"toolu_1","content":[{"type":"text","text":"r"}]}"#,
        r#"{"type":"monitor_event","description":"d","event":"e <1>","task_id":"bq1","note":null}"#,
        r#"{"type":"user","text":"queued"}"#,
    ];
    assert_eq!(String::from_utf8(run.stdout).unwrap().lines().collect::<Vec<_>>(), expected);
    assert_eq!(
        run.stderr,
        "asyncai-sessionize: left out: titles and other state: 1, context that the program added: 2, compactions and \
         their summaries: 1, records of side chains: 1, notifications of children: 1, words of the program in the \
         agent's place: 1, repeated records: 1, thoughts: 1, records of unknown kinds: 1\n"
    );
    assert_eq!(run.status.code(), Some(0));
}

#[test]
fn a_transcript_is_read_from_its_file_too() {
    let sandbox = Sandbox::new();
    let path = sandbox.file("t.jsonl", transcript_of(&random(1)));
    let run = run(command(&sandbox, &["events", path.to_str().unwrap()]), "");
    assert_eq!(run.code(), Some(0), "{}", run.stderr);
    assert_eq!(run.stdout, events_of(&std::fs::read_to_string(path).unwrap()).into_bytes());
}

#[test]
fn a_session_is_carried_over_to_another_program() {
    let sandbox = Sandbox::new();
    let events = events_of(&transcript_of(&random(2)));
    let root = format!("codex-cli={}", sandbox.folder("codex").display());
    let run = sandbox.run(&["--session-format", "codex-cli", "--session-dir", &root], &events);
    assert_eq!(run.code(), Some(0), "{}", run.stderr);
    assert_eq!(run.echo(), events);
}

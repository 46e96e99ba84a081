//! Tool calls whose ids, names and arguments an API would refuse, and what finds back to them.

use std::collections::HashSet;
use std::fmt::Write as _;

use serde_json::json;

use crate::schema::{AssistantBlock, Content, Transcript};
use crate::support::{Run, Sandbox, events, outline};

// T8
#[test]
fn a_reused_call_id_is_replaced_by_a_fresh_one_and_its_result_follows() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[], events("U(go) C(c1) R(c1,1) C(c1) R(c1,2) A(done)"));
    assert_eq!(answers(&run.transcript()), ["1", "2"]);
    assert_eq!(run.transcript().calls()[0].0, "c1");
}

// T9
#[test]
fn ill_formed_call_ids_are_replaced_and_their_results_follow() {
    let ids = [Some("functions.read:37"), Some("call_1|fc_2"), Some("a.b"), Some("a:b"), None, Some("")];
    let mut input = String::new();
    for (kind, field, value) in [("tool_call", "name", "Bash"), ("tool_result", "content", "")] {
        for (number, id) in ids.iter().enumerate() {
            let mut event = json!({"type": kind});
            if let Some(id) = id {
                event["id"] = json!(id);
            }
            let value = if value.is_empty() { number.to_string() } else { value.to_owned() };
            event[field] = json!(value);
            writeln!(input, "{event}").unwrap();
        }
    }
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[], input);
    // The schema holds each id against its alphabet and its length.
    assert_eq!(answers(&run.transcript()), ["0", "1", "2", "3", "4", "5"]);
}

/// The content of the result of each call, in the order of the calls; no id may come twice.
fn answers(transcript: &Transcript) -> Vec<String> {
    let calls = transcript.calls();
    let distinct: HashSet<&str> = calls.iter().map(|(id, _)| *id).collect();
    assert_eq!(distinct.len(), calls.len());
    let answer = |id: &str| {
        let result = transcript
            .results()
            .map(|result| &result.message.content[0])
            .find(|block| block.tool_use_id == id)
            .expect("a result");
        match &result.content {
            Content::Text(text) => text.clone(),
            Content::Blocks(_) => panic!("blocks where a string went in"),
        }
    };
    calls.iter().map(|(id, _)| answer(id)).collect()
}

#[test]
fn ids_that_differ_in_what_is_mended_only_do_not_meet() {
    let call = |id: &str| format!("{{\"type\":\"tool_call\",\"id\":\"{id}\",\"name\":\"Bash\"}}\n");
    let result =
        |id: &str, text: &str| format!("{{\"type\":\"tool_result\",\"id\":\"{id}\",\"content\":\"{text}\"}}\n");
    for (one, two) in [("a\\ud83d", "a\\ud83e"), ("a\\u0000", "a\\ufffd")] {
        let input = [events("U(go)"), call(one), call(two), result(two, "2"), result(one, "1")];
        let sandbox = Sandbox::new();
        let run = sandbox.run(&[], input.concat());
        assert_eq!(answers(&run.transcript()), ["1", "2"], "{one} and {two}");
    }
}

#[test]
fn a_call_id_of_64_characters_stays_and_one_of_65_does_not() {
    let ids = ["x".repeat(64), "y".repeat(65)];
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[], events(&format!("U(go) C({}) C({})", ids[0], ids[1])));
    let transcript = run.transcript();
    let calls = transcript.calls();
    assert_eq!(calls[0].0, ids[0]);
    assert_ne!(calls[1].0, ids[1]);
}

// T9b
#[test]
fn the_first_result_of_a_doubled_id_answers_the_older_call() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[], events("U(go) C(d) C(d) R(d,1) R(d,2)"));
    assert_eq!(answers(&run.transcript()), ["1", "2"]);
}

// T9b
#[test]
fn a_closed_call_is_older_than_the_open_one_of_the_same_id() {
    let lines = outline("U(go) C(d) U(q) A(x) C(d) R(d,1) R(d,2)");
    assert_eq!(lines[..5], ["user go", "call d @1", "queued q", "closed d", "text x @2"]);
    assert_eq!(lines[6], "notice Late result of tool call \"d\" = 1");
    let second = lines[5].strip_prefix("call ").unwrap().strip_suffix(" @3").unwrap();
    assert_ne!(second, "d");
    assert_eq!(lines[7], format!("result {second} 2"));
    assert_eq!(lines.len(), 8);
}

#[test]
fn a_result_without_id_does_not_answer_a_call_with_one() {
    let input = events("U(go) C(a)") + "{\"type\":\"tool_result\",\"content\":\"x\"}\n";
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[], input + &events("R(a,1)"));
    let lines = run.transcript().outline();
    assert!(lines[2].starts_with("notice Result of an unknown tool call"), "{lines:?}");
    assert_eq!(lines[3], "result a 1");
}

#[test]
fn a_fresh_id_never_meets_one_that_the_agent_uses() {
    // What the first run invents, the second run's agent uses by itself.
    let sandbox = Sandbox::new();
    let first = sandbox.run(&[], events("U(go) C(a.b) R(a.b,1)"));
    let invented = first.transcript().calls()[0].0.to_owned();
    let words = format!("U(go) C({invented}) C(a.b) R(a.b,2) R({invented},1)");
    let second = sandbox.run(&[], events(&words));
    assert_eq!(answers(&second.transcript()), ["1", "2"]);
}

#[test]
fn odd_characters_of_a_tool_name_are_replaced_one_by_one() {
    assert_eq!(tool_name("mcp/files.read é"), "mcp_files_read__");
}

#[test]
fn a_tool_name_is_cut_at_128() {
    assert_eq!(tool_name(&"n".repeat(200)), "n".repeat(128));
}

#[test]
fn an_empty_tool_name_is_an_underscore() {
    assert_eq!(tool_name(""), "_");
}

fn tool_name(name: &str) -> String {
    let call = json!({"type": "tool_call", "id": "a", "name": name});
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[], events("U(go)") + &call.to_string());
    assert_eq!(run.code(), Some(0));
    run.transcript().calls()[0].1.to_owned()
}

#[test]
fn a_repaired_tool_name_is_reported_once_per_name() {
    let call = |name| format!("{}\n", json!({"type": "tool_call", "name": name}));
    let input = [call("a b"), call("a b"), call("c d"), call("fine")].concat();
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[], input);
    let reports = run.reports();
    let names: Vec<_> = reports.iter().filter(|line| line.starts_with("line ") && line.contains("tool name")).collect();
    assert_eq!(names.len(), 2, "{reports:?}");
}

// T10
#[test]
fn arguments_in_a_string_become_the_object_that_they_hold() {
    assert_eq!(input_of(r#""{\"command\":\"ls\"}""#), r#"{"command":"ls"}"#);
}

// T10
#[test]
fn arguments_in_a_string_lose_their_line_breaks_between_tokens() {
    let input = input_of(r#""{\n \"a\": 1\n}""#);
    assert_eq!(input.replace(' ', ""), r#"{"a":1}"#);
}

// T10
#[test]
fn arguments_that_are_a_list_are_wrapped() {
    assert_eq!(input_of("[1]"), r#"{"value":[1]}"#);
}

// T10
#[test]
fn arguments_that_are_other_text_are_wrapped() {
    assert_eq!(input_of(r#""ls -l""#), r#"{"value":"ls -l"}"#);
}

#[test]
fn arguments_that_are_a_number_are_wrapped() {
    assert_eq!(input_of("12345678901234567890123"), r#"{"value":12345678901234567890123}"#);
}

#[test]
fn a_string_that_holds_json_but_no_object_is_text() {
    assert_eq!(input_of(r#""[1]""#), r#"{"value":"[1]"}"#);
}

// T10
#[test]
fn arguments_that_are_null_are_an_empty_object() {
    assert_eq!(input_of("null"), "{}");
}

// T10
#[test]
fn arguments_that_are_an_empty_string_are_an_empty_object() {
    assert_eq!(input_of(r#""""#), "{}");
}

#[test]
fn arguments_that_are_a_blank_string_are_an_empty_object() {
    assert_eq!(input_of(r#"" \n""#), "{}");
}

// T10
#[test]
fn absent_arguments_are_an_empty_object() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[], "{\"type\":\"tool_call\",\"id\":\"a\",\"name\":\"Bash\"}\n");
    assert_eq!(input_in(&run), "{}");
}

// T10
#[test]
fn arguments_nested_deeper_than_128_become_text() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(input_of(&deep), format!(r#"{{"value":"{deep}"}}"#));
}

#[test]
fn an_object_nested_deeper_than_128_becomes_text_too() {
    let deep = format!(r"{}1{}", r#"{"a":"#.repeat(10_000), "}".repeat(10_000));
    let text = serde_json::to_string(&deep).unwrap();
    assert_eq!(input_of(&deep), format!(r#"{{"value":{text}}}"#));
}

#[test]
fn an_object_nested_120_deep_stays_an_object() {
    let deep = format!(r"{}1{}", r#"{"a":"#.repeat(120), "}".repeat(120));
    assert_eq!(input_of(&deep), deep);
}

// T14
#[test]
fn tokens_of_an_object_stay_as_the_agent_wrote_them() {
    let object = r#"{"id":738529527931269425,"x":1e400,"y":-0.0,"b":1,"a":2,"a":3}"#;
    assert_eq!(input_of(object), object);
}

#[test]
fn a_23_digit_integer_stays() {
    let object = r#"{"n":12345678901234567890123,"u":"\u00e9\/"}"#;
    assert_eq!(input_of(object), object);
}

/// The bytes that stand under `input` for one call with these arguments.
fn input_of(arguments: &str) -> String {
    let call = format!("{{\"type\":\"tool_call\",\"id\":\"a\",\"name\":\"Bash\",\"arguments\":{arguments}}}\n");
    let sandbox = Sandbox::new();
    input_in(&sandbox.run(&[], call))
}

fn input_in(run: &Run) -> String {
    assert_eq!(run.code(), Some(0), "{}", run.stderr);
    let transcript = run.transcript();
    let inputs: Vec<&String> = transcript
        .assistants()
        .filter_map(|assistant| match &assistant.message.content[0] {
            AssistantBlock::ToolUse { input, .. } => Some(input),
            AssistantBlock::Text { .. } => None,
        })
        .collect();
    assert_eq!(inputs.len(), 1);
    inputs[0].clone()
}

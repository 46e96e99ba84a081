//! Odd contents, texts and characters: what the agent wrote, and what an API accepts.

use std::fs;

use serde_json::{Value, json};

use crate::schema::{Content, Record, ResultPart};
use crate::support::{Run, Sandbox, events, outline_of};

// T11
#[test]
fn text_with_nothing_visible_makes_no_record() {
    let blank = [
        r#"{"type":"assistant","text":" \n"}"#,
        r#"{"type":"user","text":""}"#,
        r#"{"type":"user","text":"\u200b\ufeff"}"#,
    ];
    for line in blank {
        let input = format!("{}{line}\n{}", events("U(go)"), events("A(done)"));
        assert_eq!(outline_of(&input), ["user go", "text done @1"], "{line}");
    }
}

// T11
#[test]
fn text_with_nothing_visible_is_reported_and_echoed() {
    let line = "{\"type\":\"assistant\",\"text\":\" \\n\"}\n";
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["--no-session"], line);
    assert_eq!(run.code(), Some(0));
    assert_eq!(run.reports().len(), 1, "{}", run.stderr);
    assert_eq!(run.echo(), line);
}

#[test]
fn blank_text_does_not_change_whose_turn_it_is() {
    let blank = r#"{"type":"assistant","text":" "}"#;
    let input = format!("{}{blank}\n{}", events("U(go) C(a) U(q)"), events("R(a,1) A(r)"));
    assert_eq!(outline_of(&input), ["user go", "call a @1", "queued q", "result a 1", "text r @2"]);
}

// T11
#[test]
fn an_empty_result_is_recorded() {
    assert_eq!(content_of(r#""""#), json!(""));
}

// T11b
#[test]
fn an_empty_list_is_an_empty_string() {
    assert_eq!(content_of("[]"), json!(""));
}

// T11b
#[test]
fn a_list_of_blank_text_blocks_is_an_empty_string() {
    assert_eq!(content_of(r#"[{"type":"text","text":"","annotations":{}}]"#), json!(""));
}

#[test]
fn a_text_block_keeps_its_type_and_text_only() {
    let content =
        content_of(r#"[{"type":"text","text":"x","annotations":{},"cache_control":{}},{"type":"text","text":" "}]"#);
    assert_eq!(content, json!([{"type": "text", "text": "x"}]));
}

// T11b
#[test]
fn an_image_block_of_mcp_becomes_one_of_the_api() {
    let content = content_of(r#"[{"type":"image","data":"aGk=","mimeType":"image/png"}]"#);
    let source = json!({"type": "base64", "media_type": "image/png", "data": "aGk="});
    assert_eq!(content, json!([{"type": "image", "source": source}]));
}

#[test]
fn an_image_block_of_the_api_stays() {
    let source = json!({"type": "base64", "media_type": "image/png", "data": "aGk="});
    let blocks = json!([{"type": "image", "source": source}]);
    assert_eq!(content_of(&blocks.to_string()), blocks);
}

#[test]
fn a_failed_result_with_an_image_says_so_in_text_and_stands_whole_beside() {
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}});
    let line = json!({"type": "tool_result", "id": "a", "content": [image], "is_error": true});
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[], format!("{}{line}\n", events("U(go) C(a)")));
    let transcript = run.transcript();
    let Record::ToolResult(result) = &transcript.records[2] else { panic!("{:?}", transcript.outline()) };
    let whole = result.asyncai_tool_result.as_ref().unwrap();
    let block = &result.message.content[0];
    assert!(!block.is_error && whole.is_error);
    let (Content::Blocks(shown), Content::Blocks(kept)) = (&block.content, &whole.content) else { panic!("{block:?}") };
    assert_eq!((shown.len(), kept.len()), (2, 1));
    assert!(matches!(&shown[0], ResultPart::Text { text } if text.contains("failed")), "{shown:?}");
}

#[test]
fn another_block_becomes_text_that_names_its_type_but_not_its_content() {
    let content = content_of(r#"[{"type":"audio","data":"c2VjcmV0","mimeType":"audio/wav"}]"#);
    assert_eq!(content[0]["type"], "text");
    let text = content[0]["text"].as_str().unwrap();
    assert!(text.contains("audio"), "{text}");
    assert!(!text.contains("c2VjcmV0"), "{text}");
}

// T11b
#[test]
fn an_object_becomes_its_json_as_text() {
    assert_eq!(content_of(r#"{ "a": 1 }"#), json!(r#"{"a":1}"#));
}

#[test]
fn a_number_becomes_its_digits_as_text() {
    assert_eq!(content_of("12345678901234567890123"), json!("12345678901234567890123"));
}

#[test]
fn null_is_an_empty_string() {
    assert_eq!(content_of("null"), json!(""));
}

#[test]
fn an_absent_content_is_an_empty_string() {
    let input = events("U(go) C(a)") + "{\"type\":\"tool_result\",\"id\":\"a\"}\n";
    assert_eq!(outline_of(&input)[2], "result a ");
}

// T12
#[test]
fn an_unpaired_surrogate_is_replaced() {
    assert_eq!(content_of(r#""bad \ud83d tail""#), json!("bad \u{fffd} tail"));
}

// T12
#[test]
fn a_nul_is_replaced() {
    assert_eq!(content_of(r#""a\u0000b""#), json!("a\u{fffd}b"));
}

#[test]
fn a_pair_of_surrogates_stays_one_character() {
    assert_eq!(content_of(r#""\ud83d\ude00""#), json!("😀"));
}

#[test]
fn surrogates_and_nuls_are_replaced_inside_arguments_too() {
    let call = r#"{"type":"tool_call","id":"a","name":"x","arguments":{"k\u0000":"\udc00!"}}"#;
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[], format!("{call}\n"));
    let text = fs::read_to_string(run.session().file()).unwrap();
    let line = text.lines().find(|line| line.contains("tool_use")).unwrap();
    let record: Value = serde_json::from_str(line).unwrap();
    assert_eq!(record["message"]["content"][0]["input"], json!({"k\u{fffd}": "\u{fffd}!"}));
}

#[test]
fn an_escaped_backslash_before_a_u_is_no_escape() {
    assert_eq!(content_of(r#""\\ud83d \\u0000""#), json!(r"\ud83d \u0000"));
}

#[test]
fn invalid_bytes_are_replaced_one_per_maximal_sequence() {
    let (run, content) = result_of(b"\"a\xf0\x9f\x98b\xff\xfec\xc3\"");
    assert_eq!(content, json!("a\u{fffd}b\u{fffd}\u{fffd}c\u{fffd}"));
    assert_eq!(run.code(), Some(0));
}

#[test]
fn invalid_bytes_are_echoed_repaired() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[], b"{\"type\":\"user\",\"text\":\"\xffx\"}\n");
    assert_eq!(run.echo(), "{\"type\":\"user\",\"text\":\"\u{fffd}x\"}\n");
}

#[test]
fn line_separators_are_escaped_in_the_transcript_and_keep_their_meaning() {
    let text = "a\u{85}b\u{2028}c\u{2029}d";
    let (run, content) = result_of(serde_json::to_string(text).unwrap().as_bytes());
    // The schema refuses a transcript in which one of them stands raw.
    assert_eq!(content, json!(text));
    assert_eq!(run.stderr, "", "an escape is no repair");
}

#[test]
fn line_separators_are_echoed_as_they_came() {
    let line = "{\"type\":\"user\",\"text\":\"a\u{2028}b\"}\n";
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run(&[], line).echo(), line);
}

#[test]
fn line_separators_are_escaped_inside_arguments_too() {
    let call = "{\"type\":\"tool_call\",\"id\":\"a\",\"name\":\"x\",\"arguments\":{\"k\":\"\u{2028}\"}}";
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[], format!("{call}\n"));
    assert!(run.transcript().text.contains(r#""input":{"k":"\u2028"}"#));
}

#[test]
fn a_repair_is_reported_once_per_kind_with_a_count_at_the_end() {
    let line = "{\"type\":\"user\",\"text\":\"secret\\u0000\"}\n";
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[], line.repeat(7));
    let reports = run.reports();
    assert_eq!(run.code(), Some(0), "a repair never changes the status");
    assert!((1..=2).contains(&reports.len()), "{reports:?}");
    assert!(reports.last().unwrap().contains('7'), "{reports:?}");
    assert!(!run.stderr.contains("secret"), "{reports:?}");
}

#[test]
fn the_error_flag_of_a_result_is_kept() {
    let input = events("U(go) C(a)") + "{\"type\":\"tool_result\",\"id\":\"a\",\"content\":\"no\",\"is_error\":true}\n";
    assert_eq!(outline_of(&input)[2], "error a no");
}

#[test]
fn the_model_of_an_event_wins_over_the_option() {
    let input = "{\"type\":\"assistant\",\"text\":\"x\",\"model\":\"own\"}\n{\"type\":\"assistant\",\"text\":\"y\"}\n";
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["--model", "given"], input);
    assert_eq!(models(&run), ["own", "given"]);
}

#[test]
fn the_model_is_the_agents_name_when_nothing_is_said() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["--agent-name", "nightly"], events("A(x) C(a)"));
    assert_eq!(models(&run), ["nightly", "nightly"]);
}

fn models(run: &Run) -> Vec<String> {
    let transcript = run.transcript();
    transcript.assistants().map(|assistant| assistant.message.model.clone()).collect()
}

fn content_of(content: &str) -> Value {
    let (run, content) = result_of(content.as_bytes());
    assert_eq!(run.code(), Some(0), "{}", run.stderr);
    content
}

/// The content in the transcript of a result with this content on the stream.
fn result_of(content: &[u8]) -> (Run, Value) {
    let mut input = events("U(go) C(a)").into_bytes();
    input.extend_from_slice(b"{\"type\":\"tool_result\",\"id\":\"a\",\"content\":");
    input.extend_from_slice(content);
    input.extend_from_slice(b"}\n");
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[], input);
    let text = run.transcript().text;
    let line = text.lines().find(|line| line.contains("\"tool_result\"")).unwrap();
    let mut record: Value = serde_json::from_str(line).unwrap();
    let content = record["message"]["content"][0]["content"].take();
    (run, content)
}

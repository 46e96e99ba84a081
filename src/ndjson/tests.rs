//! Each row of the table of odd values, as a test.

use super::*;

fn parsed(line: &str) -> Parsed<'_> {
    parse(line, &mut Tally::default()).unwrap()
}

fn body(line: &str) -> Body<'_> {
    match parsed(line) {
        Parsed::Event(event) => event.body,
        other => panic!("{other:?}"),
    }
}

fn oddities(line: &str) -> Vec<Oddity> {
    let mut tally = Tally::default();
    parse(line, &mut tally).unwrap();
    tally.take_fresh().collect()
}

fn error(line: &str) -> LineError {
    parse(line, &mut Tally::default()).unwrap_err()
}

fn arguments(json: &str) -> String {
    match body(&format!(r#"{{"type":"tool_call","name":"Bash","arguments":{json}}}"#)) {
        Body::ToolCall { arguments, .. } => arguments.as_json().to_owned(),
        other => panic!("{other:?}"),
    }
}

fn content(json: &str) -> String {
    let text = |text: &JsonText<'_>| format!("text {}", text.as_json());
    match body(&format!(r#"{{"type":"tool_result","content":{json}}}"#)) {
        Body::ToolResult { content: crate::event::Content::Text(whole), .. } => text(&whole),
        Body::ToolResult { content: crate::event::Content::Blocks(blocks), .. } => {
            let shown = blocks.iter().map(|block| match block {
                crate::event::Block::Text(part) => text(part),
                crate::event::Block::Image { media_type, data } => {
                    format!("image {} {}", media_type.as_json(), data.as_json())
                }
                crate::event::Block::ImageUrl(url) => format!("url {}", url.as_json()),
            });
            shown.collect::<Vec<_>>().join("; ")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn arguments_that_are_an_object_keep_their_tokens() {
    let object = r#"{"id":738529527931269425,"x":1e400,"y":-0.0,"b":1,"a":2,"a":3}"#;
    assert_eq!(arguments(object), object);
    assert_eq!(arguments(r#"{ "a" : "\u00e9" }"#), r#"{ "a" : "\u00e9" }"#);
}

#[test]
fn arguments_that_are_no_object_become_one() {
    assert_eq!(arguments(r#""{\"command\":\"ls\"}""#), r#"{"command":"ls"}"#);
    assert_eq!(arguments(r#""{\n \"a\": 1\n}""#), r#"{"a":1}"#);
    assert_eq!(arguments("[1]"), r#"{"value":[1]}"#);
    assert_eq!(arguments("7"), r#"{"value":7}"#);
    assert_eq!(arguments(r#""ls -l""#), r#"{"value":"ls -l"}"#);
    assert_eq!(arguments(r#""{broken""#), r#"{"value":"{broken"}"#);
    assert_eq!(arguments("null"), "{}");
    assert_eq!(arguments(r#"" \n""#), "{}");
}

#[test]
fn characters_are_mended_in_arguments_given_as_text_too() {
    assert_eq!(arguments(r#""{\"a\":\"\\ud83d\"}""#), r#"{"a":"\ufffd"}"#);
    assert_eq!(arguments(r#"{"a\u0000":1}"#), r#"{"a\ufffd":1}"#);
}

#[test]
fn characters_are_mended_in_inner_keys_and_values_after_others() {
    let inner = "{\"a\":{\"k\u{2028}\":1},\"b\":\"plain\"}";
    assert_eq!(arguments(inner), "{\"a\":{\"k\\u2028\":1},\"b\":\"plain\"}");
    assert_eq!(arguments(r#"{"a":["\u0000",{"b":"plain"}],"c":1}"#), r#"{"a":["\ufffd",{"b":"plain"}],"c":1}"#);
    assert_eq!(arguments(r#"{"a":"\ud83d","b":"plain"}"#), r#"{"a":"\ufffd","b":"plain"}"#);
}

#[test]
fn arguments_nested_deeper_than_128_become_text() {
    let lists = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(arguments(&lists), format!("{{\"value\":\"{lists}\"}}"));
    let objects = format!("{}1{}", "{\"a\":".repeat(129), "}".repeat(129));
    assert!(arguments(&objects).starts_with("{\"value\":\"{\\\"a\\\":"));
    let allowed = format!("{}1{}", "{\"a\":".repeat(128), "}".repeat(128));
    assert_eq!(arguments(&allowed), allowed);
}

#[test]
fn content_becomes_text_or_blocks() {
    assert_eq!(content(r#""plain""#), r#"text "plain""#);
    assert_eq!(content("null"), r#"text """#);
    assert_eq!(content("[]"), r#"text """#);
    assert_eq!(content(r#"[{"type":"text","text":"","annotations":{}}]"#), r#"text """#);
    assert_eq!(content(r#"{"a": 1}"#), r#"text "{\"a\":1}""#);
    assert_eq!(content("[1, 2]"), r#"text "[1,2]""#);
    assert_eq!(content(r#"[{"type":"text","text":"a","x":1},{"type":"text","text":"b"}]"#), r#"text "a"; text "b""#);
}

#[test]
fn images_take_the_form_of_the_api() {
    let image = r#"image "image/png" "aGk=""#;
    assert_eq!(content(r#"[{"type":"image","data":"aGk=","mimeType":"image/png"}]"#), image);
    let source = r#"{"type":"base64","media_type":"image/png","data":"aGk="}"#;
    assert_eq!(content(&format!(r#"[{{"type":"image","source":{source}}}]"#)), image);
    let url = r#"[{"type":"image","source":{"type":"url","url":"https://example.org/a.png"}}]"#;
    assert_eq!(content(url), r#"url "https://example.org/a.png""#);
}

#[test]
fn of_a_field_given_twice_in_a_block_the_last_counts() {
    assert_eq!(content(r#"[{"type":"text","text":"a","text":"b"}]"#), r#"text "b""#);
    let image = r#"[{"type":"image","source":{"type":"url","type":"base64","media_type":"image/png","data":"aGk="}}]"#;
    assert_eq!(content(image), r#"image "image/png" "aGk=""#);
}

#[test]
fn a_block_that_no_api_takes_becomes_a_text_with_type_and_size() {
    let audio = r#"{"type":"audio","data":"aGk="}"#;
    assert_eq!(
        content(&format!("[{audio}]")),
        format!("text \"[audio block of {} bytes, not recorded]\"", audio.len())
    );
    for image in [
        r#"{"type":"image","data":"no!","mimeType":"image/png"}"#,
        r#"{"type":"image","data":"aGk=","mimeType":"image/tiff"}"#,
    ] {
        assert!(content(&format!("[{image}]")).starts_with("text \"[image block of "), "{image}");
    }
}

#[test]
fn tool_names_are_mended() {
    let name = |json: &str| match body(&format!(r#"{{"type":"tool_call","name":{json}}}"#)) {
        Body::ToolCall { name, .. } => name.into_owned(),
        other => panic!("{other:?}"),
    };
    assert_eq!(name(r#""functions.read é""#), "functions_read__");
    assert_eq!(name(r#""""#), "_");
    assert_eq!(name(&format!("\"{}\"", "x".repeat(200))), "x".repeat(128));
}

#[test]
fn a_message_without_a_visible_character_is_no_event() {
    for line in [r#"{"type":"assistant","text":" \n"}"#, r#"{"type":"user","text":"\u200b"}"#] {
        assert_eq!(parsed(line), Parsed::BlankText);
        assert_eq!(oddities(line), [Oddity::BlankText]);
    }
}

#[test]
fn blank_lines_and_session_lines_are_ignored() {
    for line in ["", " \t", r#"{"work_name":"session","result":{}}"#] {
        assert_eq!(parsed(line), Parsed::Ignored);
    }
}

#[test]
fn optional_fields_of_the_wrong_type_are_ignored_and_counted() {
    let line = r#"{"type":"tool_result","id":7,"is_error":"yes","timestamp":null}"#;
    let Body::ToolResult { id, is_error, .. } = body(line) else { panic!() };
    assert_eq!((id, is_error), (None, false));
    assert_eq!(oddities(line), [Oddity::FieldType]);
}

#[test]
fn a_rejected_line_says_where_and_why_and_quotes_nothing() {
    assert_eq!(error("nope"), LineError { column: 1, reason: "not a JSON object".into() });
    assert_eq!(error(" [1]").column, 2);
    assert_eq!(error(r#"{"type":"user"}"#).reason, "text is missing");
    assert_eq!(error(r#"{"type":"user","text":7}"#), LineError { column: 23, reason: "text is not a string".into() });
    assert_eq!(error(r#"{"text":"x"}"#).reason, "type is missing");
    assert!(error(r#"{"type":"secret"}"#).reason.starts_with("unknown type: not one of user, "));
    assert!(!error(r#"{"type":"secret"}"#).reason.contains("secret"));
    assert_eq!(error(r#"{"type":"user",}"#).reason, "not valid JSON: trailing comma");
    assert_eq!(error(r#"{"type":"monitor_event","description":"d"}"#).reason, "event or status is missing");
}

#[test]
fn unknown_fields_are_ignored_and_the_last_of_two_counts() {
    let Body::User { text } = body(r#"{"x":[{"type":1}],"type":"user","text":"a","text":"b"}"#) else { panic!() };
    assert_eq!(text.as_json(), "\"b\"");
}

#[test]
fn a_monitor_note_is_usual_absent_or_its_text() {
    let expect_note = |field: &str, expected: Note<'_>| {
        let line = format!(r#"{{"type":"monitor_event","description":"d","event":"e"{field}}}"#);
        let Body::MonitorEvent { note, .. } = body(&line) else { panic!("{line}") };
        assert_eq!(note, expected, "{line}");
    };
    expect_note("", Note::Usual);
    expect_note(r#","note":null"#, Note::None);
    expect_note(r#","note":"do""#, Note::Text("do".into()));
    expect_note(r#","note":7"#, Note::Usual);
}

#[test]
fn a_monitor_event_with_a_status_needs_no_event() {
    let line = r#"{"type":"monitor_event","description":"d","status":"completed"}"#;
    assert!(matches!(body(line), Body::MonitorEvent { event: None, status: Some(_), .. }));
}

#[test]
fn timestamps_are_read_with_their_zone() {
    let time = |stamp: &str| match parse(
        &format!(r#"{{"type":"user","text":"x","timestamp":"{stamp}"}}"#),
        &mut Tally::default(),
    ) {
        Ok(Parsed::Event(event)) => event.time,
        other => panic!("{other:?}"),
    };
    assert_eq!(time("1970-01-01T01:00:00.5+01:00"), Some(Time(500)));
    for unreadable in ["2026-01-01T00:00:00", "yesterday", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59-00:01"] {
        assert_eq!(time(unreadable), None);
    }
}

#[test]
fn bytes_that_are_not_utf8_become_one_replacement_per_maximal_sequence() {
    let mut tally = Tally::default();
    assert_eq!(decode_utf8(b"a\xf0\x9f\x98b\xd0c\xff\xfe", &mut tally), "a\u{fffd}b\u{fffd}c\u{fffd}\u{fffd}");
    assert_eq!(tally.take_fresh().collect::<Vec<_>>(), [Oddity::InvalidUtf8]);
}

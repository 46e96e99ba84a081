//! What a record tells a reader besides its parts: how much a call of the model took, what a notice says. Only who shows
//! a conversation asks for it.

use std::borrow::Cow;

use crate::conversation::record::{Told, Usage};
use crate::ndjson::{Object, Token};
use crate::report::Tally;

/// The fields of a tool's input that tell best what the call is about, the best first.
const TELLING: [&str; 11] = [
    "command",
    "file_path",
    "notebook_path",
    "pattern",
    "url",
    "query",
    "skill",
    "description",
    "prompt",
    "path",
    "question",
];

/// Reads a line of a transcript once more.
pub(in super::super) fn told(line: &str) -> Told<'_> {
    let Ok(record) = Object::read(line) else { return Told::default() };
    match word(&record, "type").as_deref() {
        Some("assistant") => {
            let usage = record.object("message").object("usage");
            Told { usage: (!usage.is_empty()).then(|| tokens(&usage)), ..Told::default() }
        }
        Some("attachment") => attachment(&record.object("attachment")),
        Some("system") => system(&record),
        _ => Told::default(),
    }
}

/// Reads a line of the journal of a group of children once more.
pub(in super::super) fn told_by_journal(line: &str) -> Told<'_> {
    let Ok(record) = Object::read(line) else { return Told::default() };
    Told { text: record.value("result").map(words), ..Told::default() }
}

/// The part of a tool's input that tells a person what the call does.
pub(in super::super) fn glance(input: Token<'_>) -> Option<Token<'_>> {
    let object = Object::of(input);
    TELLING.iter().find_map(|name| object.value(name)).filter(|value| value.is_string())
}

fn tokens(usage: &Object<'_>) -> Usage {
    let count = |name: &str| usage.value(name).and_then(|count| count.json().parse().ok()).unwrap_or_default();
    Usage {
        input: count("input_tokens"),
        output: count("output_tokens"),
        cache_read: count("cache_read_input_tokens"),
        cache_write: count("cache_creation_input_tokens"),
    }
}

fn attachment<'a>(attachment: &Object<'a>) -> Told<'a> {
    let text = ["content", "text", "prompt"].iter().find_map(|name| attachment.value(name));
    Told { label: word(attachment, "type"), text: text.map(words), ..Told::default() }
}

fn system<'a>(record: &Object<'a>) -> Told<'a> {
    let error = record.object("error");
    let inner = error.object("error");
    let message = inner.value("message").or_else(|| error.value("message"));
    let text = record.value("content").or(message).or_else(|| record.value("error"));
    let duration = record.value("durationMs").and_then(|duration| duration.json().parse().ok());
    Told { label: word(record, "subtype"), text: text.map(words), duration, ..Told::default() }
}

fn word<'a>(object: &Object<'a>, name: &str) -> Option<Cow<'a, str>> {
    super::word(object.value(name))
}

/// A text, or the JSON of anything else.
fn words(value: Token<'_>) -> Cow<'_, str> {
    if value.is_string() { value.string(&mut Tally::default()) } else { Cow::Borrowed(value.json()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_of_the_model_tells_its_tokens() {
        let line = r#"{"type":"assistant","message":{"usage":{"input_tokens":7,"output_tokens":5,"cache_read_input_tokens":"x","cache_creation_input_tokens":2}}}"#;
        let usage = Usage { input: 7, output: 5, cache_read: 0, cache_write: 2 };
        assert_eq!(told(line).usage, Some(usage));
        assert_eq!(told(r#"{"type":"assistant","message":{}}"#).usage, None);
    }

    #[test]
    fn words_that_stand_in_no_part_are_found() {
        for (line, label, text) in [
            (r#"{"type":"system","subtype":"informational","content":"a"}"#, "informational", Some("a")),
            (r#"{"type":"system","subtype":"api_error","error":{"error":{"message":"b"}}}"#, "api_error", Some("b")),
            (r#"{"type":"system","subtype":"x"}"#, "x", None),
            (r#"{"type":"attachment","attachment":{"type":"hook","content":["c"]}}"#, "hook", Some(r#"["c"]"#)),
        ] {
            let told = told(line);
            assert_eq!((told.label.as_deref(), told.text.as_deref()), (Some(label), text), "{line}");
        }
        let line = r#"{"type":"system","subtype":"turn_duration","durationMs":1500}"#;
        assert_eq!(told(line).duration, Some(1500));
        assert_eq!(told_by_journal(r#"{"agentId":"a","result":"done"}"#).text.as_deref(), Some("done"));
        assert_eq!(told("[]"), Told::default());
    }

    #[test]
    fn the_telling_part_of_an_input_is_a_string() {
        let input = r#"{"timeout":5,"description":"look","command":"ls"}"#;
        let glance = |input: &str| {
            let object = format!("{{\"input\":{input}}}");
            let object = Object::read(&object).unwrap();
            super::glance(object.value("input").unwrap()).map(|token| token.json().to_owned())
        };
        assert_eq!(glance(input).as_deref(), Some("\"ls\""));
        assert_eq!(glance(r#"{"command":["ls"]}"#), None);
        assert_eq!(glance("7"), None);
    }
}

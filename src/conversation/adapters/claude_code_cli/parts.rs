//! The elements of a message's content.

use super::envelope::{Field, word};
use crate::conversation::record::Part;
use crate::ndjson::Token;
use crate::report::Tally;

/// The parts of a content: one for a string, one for each block of a list. None is passed over, since parts are counted.
pub(super) fn parts(content: Field<'_>) -> Vec<Part<'_>> {
    match content {
        Some(text) if text.is_string() => vec![Part::Text(text)],
        Some(list) => list.values(part),
        None => Vec::new(),
    }
}

fn part(block: Token<'_>) -> Part<'_> {
    let (mut kind, mut text, mut id, mut name, mut input) = (None, None, None, None, None);
    let (mut of, mut failed, mut content) = (None, None, None);
    block.each_field(|field, value| match field {
        "type" => kind = value,
        "text" => text = value,
        "id" => id = value,
        "name" => name = value,
        "input" => input = value,
        "tool_use_id" => of = value,
        "is_error" => failed = value,
        "content" => content = value,
        _ => {}
    });
    match word(kind).as_deref() {
        Some("text") | None => text.filter(|text| text.is_string()).map_or(Part::Other, Part::Text),
        Some("thinking" | "redacted_thinking") => Part::Reasoning,
        Some("tool_use" | "server_tool_use") => Part::Call { id, name, input },
        Some("tool_result") => result(of, failed, content),
        Some(_) => Part::Other,
    }
}

fn result<'a>(of: Field<'a>, failed: Field<'a>, content: Field<'a>) -> Part<'a> {
    Part::Result { of, failed: failed.map(|value| value.json() == "true"), content }
}

/// A tool's answer that stands beside a record whole; nothing where there is none.
pub(super) fn whole_result(value: Token<'_>) -> Option<Part<'_>> {
    let (mut is_there, mut of, mut failed, mut content) = (false, None, None, None);
    value.each_field(|name, value| {
        is_there = true;
        match name {
            "id" => of = value,
            "is_error" => failed = value,
            "content" => content = value,
            _ => {}
        }
    });
    is_there.then(|| result(of, failed, content))
}

/// The words of the parts, on lines of their own.
pub(super) fn text(parts: &[Part<'_>]) -> String {
    let words = parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.string(&mut Tally::default())),
        _ => None,
    });
    words.collect::<Vec<_>>().join("\n")
}

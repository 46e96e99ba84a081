//! The elements of a message's content.

use crate::conversation::record::Part;
use crate::ndjson::{Object, Token};
use crate::report::Tally;

/// The parts in a field: one for a string, one for each block of a list. None is passed over, since parts are counted.
pub(super) fn parts<'a>(object: &Object<'a>, name: &str) -> Vec<Part<'a>> {
    match object.value(name) {
        Some(text) if text.is_string() => vec![Part::Text(text)],
        _ => object.list(name).into_iter().map(part).collect(),
    }
}

fn part(value: Token<'_>) -> Part<'_> {
    let block = Object::of(value);
    let kind = block.string("type", &mut Tally::default());
    match kind.as_deref() {
        Some("text") | None => block.value("text").filter(|text| text.is_string()).map_or(Part::Other, Part::Text),
        Some("thinking" | "redacted_thinking") => {
            Part::Reasoning(block.value("thinking").filter(|text| text.is_string()))
        }
        Some("tool_use" | "server_tool_use") => {
            Part::Call { id: block.value("id"), name: block.value("name"), input: block.value("input") }
        }
        Some("tool_result") => result(&block, "tool_use_id"),
        Some(_) => Part::Other,
    }
}

/// A tool's answer; `id` is the field that names the call.
pub(super) fn result<'a>(block: &Object<'a>, id: &str) -> Part<'a> {
    let failed = block.value("is_error").map(|value| value.json() == "true");
    Part::Result { of: block.value(id), failed, content: block.value("content") }
}

/// The words of the parts, on lines of their own.
pub(super) fn text(parts: &[Part<'_>]) -> String {
    let words = parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.string(&mut Tally::default())),
        _ => None,
    });
    words.collect::<Vec<_>>().join("\n")
}

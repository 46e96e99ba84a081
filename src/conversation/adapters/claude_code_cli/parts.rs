//! The elements of a message's content.

use super::envelope::{Field, field, word};
use crate::conversation::record::Part;
use crate::ndjson::Token;
use crate::report::Tally;

/// The fields of an element, until it ends.
#[derive(Debug, Default)]
pub(super) struct Block<'a> {
    kind: Field<'a>,
    text: Field<'a>,
    thinking: Field<'a>,
    id: Field<'a>,
    name: Field<'a>,
    input: Field<'a>,
    of: Field<'a>,
    failed: Field<'a>,
    content: Field<'a>,
    origin: Field<'a>,
}

impl<'a> Block<'a> {
    pub(super) fn take(&mut self, name: &str, value: Token<'a>) {
        let own = match name {
            "type" => &mut self.kind,
            "text" => &mut self.text,
            "thinking" => &mut self.thinking,
            "id" => &mut self.id,
            "name" => &mut self.name,
            "input" => &mut self.input,
            "tool_use_id" => &mut self.of,
            "is_error" => &mut self.failed,
            "content" => &mut self.content,
            "kind" => &mut self.origin,
            _ => return,
        };
        *own = field(value);
    }

    /// What an object that tells where something comes from says.
    pub(super) fn take_origin(&mut self) -> Field<'a> {
        std::mem::take(self).origin
    }

    /// What the element is. None is passed over, since parts are counted.
    pub(super) fn part(self) -> Part<'a> {
        match word(self.kind).as_deref() {
            Some("text") | None => self.text.filter(|text| text.is_string()).map_or(Part::Other, Part::Text),
            Some("thinking" | "redacted_thinking") => Part::Reasoning(self.thinking.filter(|text| text.is_string())),
            Some("tool_use" | "server_tool_use") => Part::Call { id: self.id, name: self.name, input: self.input },
            Some("tool_result") => Self::result(self.of, self.failed, self.content),
            Some(_) => Part::Other,
        }
    }

    /// A tool's answer.
    pub(super) fn result(of: Field<'a>, failed: Field<'a>, content: Field<'a>) -> Part<'a> {
        Part::Result { of, failed: failed.map(|value| value.json() == "true"), content }
    }
}

/// The words of the parts, on lines of their own.
pub(super) fn text(parts: &[Part<'_>]) -> String {
    let words = parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.string(&mut Tally::default())),
        _ => None,
    });
    words.collect::<Vec<_>>().join("\n")
}

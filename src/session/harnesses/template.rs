//! A kind of record as its constant parts, made once, so that writing one only copies. Knows no kind and no event.

use std::io;

use serde::{Serialize, Serializer};

use crate::lines::encode_line;

/// A value that each record of a kind has for itself. Made by `slots!`.
pub(super) trait Slot: Copy + 'static {
    /// All slots of the format.
    const ALL: &'static [Self];
}

/// How a slot stands in a record: two lists around a number as a string. Inside a constant string these quotes would
/// be escaped, and after its end no digit can stand, so none can look like it.
const SLOT_BEGINS: &str = "[[\"";
const SLOT_ENDS: &str = "\"]]";

/// Writes a slot's place among all into the record that becomes a template.
pub(super) fn serialize_slot<S: Serializer>(place: usize, serializer: S) -> Result<S::Ok, S::Error> {
    [[place.to_string()]].serialize(serializer)
}

/// Defines the slots of a format.
macro_rules! slots {
    ($($(#[$meta:meta])* $name:ident,)*) => {
        /// A value that each record of a kind has for itself.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Slot {
            $($(#[$meta])* $name,)*
        }

        impl $crate::session::harnesses::template::Slot for Slot {
            const ALL: &'static [Self] = &[$(Self::$name),*];
        }

        impl serde::Serialize for Slot {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::session::harnesses::template::serialize_slot(*self as usize, serializer)
            }
        }
    };
}
pub(super) use slots;

/// Finds the first slot in a record's JSON: what stands before it, the slot, what stands after it.
fn split_at_first_slot<S: Slot>(json: &str) -> Option<(&str, S, &str)> {
    json.match_indices(SLOT_BEGINS).find_map(|(at, begin)| {
        let (place, after) = json.get(at + begin.len()..)?.split_once(SLOT_ENDS)?;
        Some((json.get(..at)?, *S::ALL.get(place.parse::<usize>().ok()?)?, after))
    })
}

/// What goes into a slot.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value<'a> {
    /// JSON, copied as it is.
    Json(&'a str),
    /// A string of characters that JSON never escapes; it gets its quotes here.
    Plain(&'a str),
    /// A uuid as a JSON string.
    Id(&'a [u8; 38]),
}

/// For a gap that a kind of record does not have.
pub(super) const NOTHING: Value<'static> = Value::Json("null");

/// Returns the JSON of a truth value.
pub(super) fn json_bool(value: bool) -> Value<'static> {
    Value::Json(if value { "true" } else { "false" })
}

/// A record with gaps.
#[derive(Debug)]
pub(super) struct Template<S> {
    /// What stands before each gap.
    parts: Vec<(Box<[u8]>, S)>,
    tail: Box<[u8]>,
}

impl<S: Slot> Template<S> {
    /// Makes the template of a kind of record.
    ///
    /// # Errors
    /// When the record cannot be written as JSON.
    pub(super) fn of(record: &impl Serialize) -> io::Result<Self> {
        let mut line = Vec::new();
        encode_line(record, &mut line)?;
        let line = String::from_utf8(line).map_err(io::Error::other)?;
        let mut parts = Vec::new();
        let mut rest = line.as_str();
        while let Some((constant, slot, after)) = split_at_first_slot(rest) {
            parts.push((constant.as_bytes().into(), slot));
            rest = after;
        }
        Ok(Self { parts, tail: rest.as_bytes().into() })
    }

    /// Appends a record to `out`, each gap filled with its value.
    pub(super) fn fill<'v>(&self, out: &mut Vec<u8>, value: impl Fn(S) -> Value<'v>) {
        for (constant, slot) in &self.parts {
            out.extend_from_slice(constant);
            match value(*slot) {
                Value::Json(json) => out.extend_from_slice(json.as_bytes()),
                Value::Plain(plain) => {
                    out.push(b'"');
                    out.extend_from_slice(plain.as_bytes());
                    out.push(b'"');
                }
                Value::Id(id) => out.extend_from_slice(id),
            }
        }
        out.extend_from_slice(&self.tail);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    slots! {
        Text,
        Id,
    }

    #[test]
    fn constant_text_is_never_taken_for_a_slot() {
        let json = serde_json::json!({"a": "[[", "b": "\"]]", "c": "[[\"1\"]]", "d": Slot::Id, "e": 1}).to_string();
        let (before, slot, after) = split_at_first_slot::<Slot>(&json).unwrap();
        assert_eq!(
            (before, slot, after),
            (json.split("[[\"").take(2).collect::<Vec<_>>().join("[[\"").as_str(), Slot::Id, ",\"e\":1}")
        );
        assert!(split_at_first_slot::<Slot>(after).is_none());
    }

    #[test]
    fn every_gap_is_filled() {
        let record = [Slot::Text, Slot::Id, Slot::Text];
        let mut line = Vec::new();
        Template::of(&record).unwrap().fill(&mut line, |slot| match slot {
            Slot::Text => Value::Json("1e400"),
            Slot::Id => Value::Plain("filled"),
        });
        assert_eq!(line, b"[1e400,\"filled\",1e400]\n");
    }
}

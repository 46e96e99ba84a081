//! Each kind of record as its constant parts, made once, so that writing one only copies. Knows no event.

use std::io;

use serde::Serialize;

use super::record::{self, Prompted, Session, Slot, Source};
use super::record_id::RecordId;
use crate::lines::encode_line;

/// What goes into a slot.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value<'a> {
    /// JSON, copied as it is.
    Json(&'a str),
    /// A string of characters that JSON never escapes; it gets its quotes here.
    Plain(&'a str),
    /// An id.
    Id(&'a RecordId),
}

/// For a gap that a kind of record does not have.
pub(super) const NOTHING: Value<'static> = Value::Json("null");

/// Returns the JSON of a truth value.
pub(super) fn json_bool(value: bool) -> Value<'static> {
    Value::Json(if value { "true" } else { "false" })
}

/// A record with gaps.
#[derive(Debug)]
pub(super) struct Template {
    /// What stands before each gap.
    parts: Vec<(Box<[u8]>, Slot)>,
    tail: Box<[u8]>,
}

impl Template {
    fn of(record: &impl Serialize) -> io::Result<Self> {
        let mut line = Vec::new();
        encode_line(record, &mut line)?;
        let line = String::from_utf8(line).map_err(io::Error::other)?;
        let mut parts = Vec::new();
        let mut rest = line.as_str();
        while let Some((constant, slot, after)) = Slot::split_at_first(rest) {
            parts.push((constant.as_bytes().into(), slot));
            rest = after;
        }
        Ok(Self { parts, tail: rest.as_bytes().into() })
    }

    /// Appends a record to `out`, each gap filled with its value.
    pub(super) fn fill<'v>(&self, out: &mut Vec<u8>, value: impl Fn(Slot) -> Value<'v>) {
        for (constant, slot) in &self.parts {
            out.extend_from_slice(constant);
            match value(*slot) {
                Value::Json(json) => out.extend_from_slice(json.as_bytes()),
                Value::Plain(plain) => {
                    out.push(b'"');
                    out.extend_from_slice(plain.as_bytes());
                    out.push(b'"');
                }
                Value::Id(id) => out.extend_from_slice(id.as_json()),
            }
        }
        out.extend_from_slice(&self.tail);
    }
}

/// All kinds of records that have gaps.
#[derive(Debug)]
pub(super) struct Templates {
    pub(super) user: Template,
    pub(super) opening: Template,
    pub(super) assistant: Template,
    pub(super) tool_use: Template,
    tool_result: Template,
    prompted_result: Template,
    restated_result: Template,
    prompted_restated_result: Template,
    closing_result: Template,
    prompted_closing_result: Template,
    pub(super) enqueue: Template,
    pub(super) remove: Template,
    pub(super) queued_prompt: Template,
    pub(super) notification: Template,
    pub(super) loose_result: Template,
}

impl Templates {
    /// Makes the templates of a session.
    ///
    /// # Errors
    /// When a record cannot be written as JSON.
    pub(super) fn new(session: &Session<'_>) -> io::Result<Self> {
        let result = |prompted, source| Template::of(&record::tool_result(session, prompted, source));
        Ok(Self {
            user: Template::of(&record::user(session))?,
            opening: Template::of(&record::opening(session))?,
            assistant: Template::of(&record::assistant(session))?,
            tool_use: Template::of(&record::tool_use(session))?,
            tool_result: result(Prompted::No, Source::Event)?,
            prompted_result: result(Prompted::Yes, Source::Event)?,
            restated_result: result(Prompted::No, Source::Restated)?,
            prompted_restated_result: result(Prompted::Yes, Source::Restated)?,
            closing_result: result(Prompted::No, Source::Synthetic)?,
            prompted_closing_result: result(Prompted::Yes, Source::Synthetic)?,
            enqueue: Template::of(&record::enqueue(session))?,
            remove: Template::of(&record::remove(session))?,
            queued_prompt: Template::of(&record::queued_prompt(session))?,
            notification: Template::of(&record::notification(session))?,
            loose_result: Template::of(&record::loose_result(session))?,
        })
    }

    /// The template of a tool's answer.
    pub(super) fn tool_result(&self, prompted: Prompted, source: Source) -> &Template {
        match (prompted, source) {
            (Prompted::No, Source::Event) => &self.tool_result,
            (Prompted::Yes, Source::Event) => &self.prompted_result,
            (Prompted::No, Source::Restated) => &self.restated_result,
            (Prompted::Yes, Source::Restated) => &self.prompted_restated_result,
            (Prompted::No, Source::Synthetic) => &self.closing_result,
            (Prompted::Yes, Source::Synthetic) => &self.prompted_closing_result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_looks_like_a_gap_stays_what_it_is() {
        let cwd = "/srv/[[\"slot\",\"1\"]] \u{1a}";
        let session = Session { id: "s", cwd, git_branch: None };
        let template = Template::of(&record::user(&session)).unwrap();
        let mut line = Vec::new();
        template.fill(&mut line, |_| Value::Plain("filled"));
        let record: serde_json::Value = serde_json::from_slice(&line).unwrap();
        assert_eq!(record["cwd"], cwd);
        assert_eq!(record["uuid"], "filled");
        assert_eq!(record["message"]["content"], "filled");
        assert!(line.ends_with(b"}\n"));
    }

    #[test]
    fn every_gap_of_every_kind_is_filled() {
        let templates = Templates::new(&Session { id: "s", cwd: "/", git_branch: Some("main") }).unwrap();
        for template in [&templates.loose_result, &templates.tool_use, &templates.prompted_closing_result] {
            let mut line = Vec::new();
            template.fill(&mut line, |_| Value::Json("null"));
            assert!(!String::from_utf8(line).unwrap().contains("slot"));
        }
    }
}

//! Each kind of record of this format as a template. Knows no event.

use std::io;

use super::record::{self, Prompted, Session, Slot, Source};
use crate::session::harnesses::template;
pub(super) use crate::session::harnesses::template::{NOTHING, Value, json_bool};

/// A record with gaps.
pub(super) type Template = template::Template<Slot>;

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
    fn every_gap_of_every_kind_is_filled() {
        let templates = Templates::new(&Session { id: "s", cwd: "/", git_branch: Some("main") }).unwrap();
        for template in [&templates.loose_result, &templates.tool_use, &templates.prompted_closing_result] {
            let mut line = Vec::new();
            template.fill(&mut line, |_| Value::Json("null"));
            assert!(!String::from_utf8(line).unwrap().contains("slot"));
        }
    }
}

//! Each kind of line of this format as a template. Knows no event.

use std::io;

use super::record::{self, Role, Slot, Source};
use crate::session::harnesses::template;

/// A line with gaps.
pub(super) type Template = template::Template<Slot>;

/// All kinds of lines that have gaps.
#[derive(Debug)]
pub(super) struct Templates {
    pub(super) user_shown: Template,
    pub(super) user: Template,
    pub(super) assistant_shown: Template,
    pub(super) assistant: Template,
    pub(super) notification: Template,
    pub(super) loose_result: Template,
    pub(super) call: Template,
    pub(super) output: Template,
    pub(super) failed_output: Template,
    pub(super) closing_output: Template,
}

impl Templates {
    /// Makes the templates.
    ///
    /// # Errors
    /// When a line cannot be written as JSON.
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            user_shown: Template::of(&record::shown(Role::User))?,
            user: Template::of(&record::message(Role::User))?,
            assistant_shown: Template::of(&record::shown(Role::Assistant))?,
            assistant: Template::of(&record::message(Role::Assistant))?,
            notification: Template::of(&record::message(Role::Developer))?,
            loose_result: Template::of(&record::with_whole_result(record::message(Role::Developer)))?,
            call: Template::of(&record::call())?,
            output: Template::of(&record::output(Source::Event))?,
            failed_output: Template::of(&record::with_whole_result(record::output(Source::Event)))?,
            closing_output: Template::of(&record::output(Source::Synthetic))?,
        })
    }
}

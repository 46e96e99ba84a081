//! The chain of records in a transcript: each names the one before it. Knows records and the file, no event.

use std::io;

use super::foreign;
use super::record::Slot;
use super::record_id::RecordId;
use super::templates::{NOTHING, Template, Templates, Value};
use crate::session::clock::Timestamp;
use crate::session::harnesses::transcript::Transcript;
use crate::session::stamp::Stamp;

/// What another program's appending means for us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Foreign {
    /// It added nothing to the chain.
    StateOnly,
    /// It added a branch, from which we go on; so many of our events are not in it.
    Branch { events_off: u64 },
}

/// A chain of records, and the file that they go to.
pub(super) struct Chain {
    pub(super) transcript: Transcript,
    stamp: Box<dyn Stamp>,
    templates: Templates,
    /// The last record of the chain.
    parent: Option<RecordId>,
}

impl Chain {
    pub(super) fn new(transcript: Transcript, templates: Templates, stamp: Box<dyn Stamp>) -> Self {
        Self { transcript, stamp, templates, parent: None }
    }

    pub(super) fn fresh_id(&mut self) -> RecordId {
        self.stamp.uuid().into()
    }

    /// Writes a record of the chain; `value` fills the gaps that are its own.
    pub(super) fn write<'v>(
        &mut self,
        kind: impl FnOnce(&Templates) -> &Template,
        at: &Timestamp,
        value: impl Fn(Slot) -> Value<'v>,
    ) {
        let uuid = self.fresh_id();
        let parent = self.parent.as_ref().map_or(NOTHING, |id| Value::Id(id.as_json()));
        kind(&self.templates).fill(self.transcript.buffer(), |slot| match slot {
            Slot::Parent => parent,
            Slot::Uuid => Value::Id(uuid.as_json()),
            Slot::Timestamp => Value::Json(at.as_json()),
            other => value(other),
        });
        self.parent = Some(uuid);
    }

    /// Writes a record beside the chain.
    pub(super) fn write_beside<'v>(
        &mut self,
        kind: impl FnOnce(&Templates) -> &Template,
        at: &Timestamp,
        value: impl Fn(Slot) -> Value<'v>,
    ) {
        kind(&self.templates).fill(self.transcript.buffer(), |slot| match slot {
            Slot::Timestamp => Value::Json(at.as_json()),
            other => value(other),
        });
    }

    /// Goes on from the last record of the chain that another program appended in this range of the file.
    pub(super) fn follow(&mut self, range: (u64, u64)) -> io::Result<Foreign> {
        let file = self.transcript.file();
        let Some(branch) = foreign::read(file, range)? else { return Ok(Foreign::StateOnly) };
        let events_off =
            if branch.parent == self.parent { 0 } else { foreign::events_after(file, branch.parent, range.0)? };
        self.parent = Some(branch.last);
        Ok(Foreign::Branch { events_off })
    }
}

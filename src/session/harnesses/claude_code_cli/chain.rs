//! The chain of records in a transcript: each names the one before it. Knows records and the file, no event.

use std::io;

use super::foreign;
use super::record::Slot;
use super::record_id::RecordId;
use super::template::{NOTHING, Template, Templates, Value};
use crate::session::append_file::AppendFile;
use crate::session::clock::Timestamp;
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
    pub(super) file: AppendFile,
    stamp: Box<dyn Stamp>,
    templates: Templates,
    /// The last record of the chain.
    parent: Option<RecordId>,
}

impl Chain {
    pub(super) fn new(file: AppendFile, templates: Templates, stamp: Box<dyn Stamp>) -> Self {
        Self { file, stamp, templates, parent: None }
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
        let parent = self.parent.as_ref().map_or(NOTHING, Value::Id);
        kind(&self.templates).fill(self.file.buffer(), |slot| match slot {
            Slot::Parent => parent,
            Slot::Uuid => Value::Id(&uuid),
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
        kind(&self.templates).fill(self.file.buffer(), |slot| match slot {
            Slot::Timestamp => Value::Json(at.as_json()),
            other => value(other),
        });
    }

    /// Looks for what another program appended, and goes on from the last record of its chain.
    pub(super) fn follow_foreign(&mut self) -> io::Result<Option<Foreign>> {
        let Some(range) = self.file.take_foreign()? else { return Ok(None) };
        let appended = foreign::read(&self.file, range)?;
        if appended.lacks_line_feed {
            self.file.buffer().push(b'\n');
        }
        let Some(branch) = appended.chain else { return Ok(Some(Foreign::StateOnly)) };
        let events_off =
            if branch.parent == self.parent { 0 } else { foreign::events_after(&self.file, branch.parent, range.0)? };
        self.parent = Some(branch.last);
        Ok(Some(Foreign::Branch { events_off }))
    }
}

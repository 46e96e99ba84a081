//! What a record is and which ids it has, without what it says. Knows no source.

use super::entity::Place;
use super::ids::Id;
use super::record::{Producer, Role, Trigger};
use crate::event::Time;

/// What a record is, without what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Input,
    Agent,
    Synthetic,
    Results,
    Notification,
    Injection,
    Reset,
    ResetSummary,
    Error,
    TurnDuration,
    Command,
    Notice,
    /// It makes no node.
    Other,
}

/// A record. Some 70 bytes, and its ids.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// Its source, once that is known.
    pub(super) seq: u32,
    pub(super) row: u32,
    pub(super) id: Id,
    pub(super) parent: Id,
    pub(super) call: Id,
    pub(super) run: Id,
    pub(super) tool: Id,
    pub(super) child: Id,
    pub(super) batch: Id,
    pub(super) continues: Id,
    pub(super) started_by: Id,
    /// Where its parts begin.
    pub(super) first_part: u32,
    pub(super) time: Option<Time>,
    pub(super) step: Step,
    pub(super) producer: Producer,
    pub(super) trigger: Option<Trigger>,
    pub(super) is_finished: bool,
    pub(super) is_launch: bool,
    pub(super) is_child_result: bool,
}

impl Entry {
    pub(super) fn place(&self) -> Place {
        Place { seq: self.seq, row: self.row, block: None }
    }

    /// The same with other numbers for its ids.
    pub(super) fn renamed(self, new: impl Fn(Id) -> Id) -> Self {
        Self {
            id: new(self.id),
            parent: new(self.parent),
            call: new(self.call),
            run: new(self.run),
            tool: new(self.tool),
            child: new(self.child),
            batch: new(self.batch),
            continues: new(self.continues),
            started_by: new(self.started_by),
            ..self
        }
    }
}

/// One part of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    Text,
    Reasoning,
    Call { id: Id, name: Id },
    Result { of: Id },
    Other,
}

impl Block {
    /// The same with other numbers for its ids.
    pub(super) fn renamed(self, new: impl Fn(Id) -> Id) -> Self {
        match self {
            Self::Call { id, name } => Self::Call { id: new(id), name: new(name) },
            Self::Result { of } => Self::Result { of: new(of) },
            Self::Text | Self::Reasoning | Self::Other => self,
        }
    }
}

/// The earliest and the latest of some times.
pub(super) type Times = Option<(Time, Time)>;

/// Those of both.
pub(super) fn joined(one: Times, other: Times) -> Times {
    match (one, other) {
        (Some((first, last)), Some((from, through))) => Some((first.min(from), last.max(through))),
        (times, None) | (None, times) => times,
    }
}

impl From<&Role<'_>> for Step {
    fn from(role: &Role<'_>) -> Self {
        match role {
            Role::Input => Self::Input,
            Role::Agent => Self::Agent,
            Role::Synthetic => Self::Synthetic,
            Role::Results | Role::LooseResult => Self::Results,
            Role::Notification(_) | Role::ChildNotification(_) => Self::Notification,
            Role::Injection => Self::Injection,
            Role::Reset => Self::Reset,
            Role::ResetSummary => Self::ResetSummary,
            Role::Error => Self::Error,
            Role::TurnDuration => Self::TurnDuration,
            Role::Command => Self::Command,
            Role::Notice => Self::Notice,
            Role::Queue | Role::State | Role::StandIn | Role::Unknown => Self::Other,
        }
    }
}

//! The calls of tools so far, and what is known of their results. Knows no record.

use std::collections::{BTreeMap, HashMap};

/// The calls of a transcript, by the hashes of their ids.
#[derive(Debug, Default)]
pub(super) struct Calls(HashMap<u64, Call>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    Open(Open),
    Answered,
}

/// A call without a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Open {
    /// Where it was made.
    pub(super) line: u64,
    /// Whether a record stands in for its result.
    pub(super) is_closed: bool,
}

/// What a result is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answers {
    Call,
    AnsweredCall,
    Nothing,
}

impl Calls {
    /// Takes in a call; tells whether its id is new.
    pub(super) fn call(&mut self, id: u64, line: u64) -> bool {
        self.0.insert(id, Call::Open(Open { line, is_closed: false })).is_none()
    }

    /// Takes in a result, or what stands in for one.
    pub(super) fn result(&mut self, id: u64, is_stand_in: bool) -> Answers {
        match self.0.get_mut(&id) {
            None => return Answers::Nothing,
            Some(Call::Answered) => return Answers::AnsweredCall,
            Some(Call::Open(open)) if is_stand_in => open.is_closed = true,
            Some(call) => *call = Call::Answered,
        }
        Answers::Call
    }

    /// The calls that have no result, and how many of each are alike.
    pub(super) fn open(&self) -> BTreeMap<Open, u64> {
        let mut counts = BTreeMap::new();
        for call in self.0.values() {
            if let Call::Open(open) = call {
                *counts.entry(*open).or_default() += 1;
            }
        }
        counts
    }
}

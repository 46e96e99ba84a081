//! The turn rule: which records belong to one message of the agent, and what is open in it. Pure state.
//!
//! The program takes records that share a message id as one message, whatever stands between them in the file. A
//! call whose result comes after the message ended is lost on resume, and so is everything that splits one.

use super::super::OpenCalls;

/// Which message of the agent a record belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    /// The one that is open.
    Current,
    /// One that begins here.
    New,
}

/// Where a person's message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prompt {
    /// Among the messages.
    Plain,
    /// Into the queue, as when a person types while a tool runs.
    Queued,
}

/// The state of the agent's turn.
#[derive(Debug, Default)]
pub(super) struct Turn {
    open: OpenCalls,
    /// Whether a person's message was queued and no message of the agent has begun since.
    is_waiting: bool,
}

impl Turn {
    /// Takes in a call of a tool.
    pub(super) fn call(&mut self, number: u64, id: &str) -> Group {
        let group = if self.open.is_empty() { self.begin() } else { Group::Current };
        self.open.insert(number, id.into());
        group
    }

    /// Takes in the agent's words; returns their group and the calls that must be closed first, oldest first.
    pub(super) fn assistant(&mut self) -> (Group, OpenCalls) {
        if self.open.is_empty() || self.is_waiting {
            // With a person's message waiting, the agent has moved on: the open calls get no result any more.
            (self.begin(), std::mem::take(&mut self.open))
        } else {
            (Group::Current, OpenCalls::new())
        }
    }

    fn begin(&mut self) -> Group {
        self.is_waiting = false;
        Group::New
    }

    /// Takes in a person's message.
    pub(super) fn user(&mut self) -> Prompt {
        if self.open.is_empty() && !self.is_waiting {
            return Prompt::Plain;
        }
        self.is_waiting = true;
        Prompt::Queued
    }

    /// Takes in a result; tells whether its call was open.
    pub(super) fn result(&mut self, number: u64) -> bool {
        self.open.remove(&number).is_some()
    }

    /// Ends the turn, since the input ended or another program went on; returns the calls that were open.
    pub(super) fn end(&mut self) -> OpenCalls {
        std::mem::take(self).open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(calls: &OpenCalls) -> Vec<u64> {
        calls.keys().copied().collect()
    }

    #[test]
    fn calls_share_a_message_as_long_as_one_is_open() {
        let mut turn = Turn::default();
        assert_eq!(turn.call(0, "a"), Group::New);
        assert_eq!(turn.call(1, "b"), Group::Current);
        assert!(turn.result(0));
        assert_eq!(turn.call(2, "c"), Group::Current);
        assert!(turn.result(2));
        assert!(turn.result(1));
        assert_eq!(turn.call(3, "d"), Group::New);
    }

    #[test]
    fn words_beside_an_open_call_belong_to_its_message() {
        let mut turn = Turn::default();
        turn.call(0, "a");
        assert_eq!(turn.assistant(), (Group::Current, OpenCalls::new()));
        turn.result(0);
        assert_eq!(turn.assistant().0, Group::New);
    }

    #[test]
    fn a_person_is_queued_while_a_call_is_open_or_a_message_waits() {
        let mut turn = Turn::default();
        assert_eq!(turn.user(), Prompt::Plain);
        turn.call(0, "a");
        assert_eq!(turn.user(), Prompt::Queued);
        turn.result(0);
        assert_eq!(turn.user(), Prompt::Queued);
        turn.assistant();
        assert_eq!(turn.user(), Prompt::Plain);
    }

    #[test]
    fn words_after_a_queued_message_close_the_open_calls_in_order() {
        let mut turn = Turn::default();
        for number in [0, 1, 2] {
            turn.call(number, "id");
        }
        turn.result(1);
        turn.user();
        let (group, closed) = turn.assistant();
        assert_eq!((group, numbers(&closed)), (Group::New, vec![0, 2]));
        assert!(!turn.result(0));
        assert_eq!(turn.user(), Prompt::Plain);
    }

    #[test]
    fn a_call_beside_an_open_one_leaves_the_message_waiting() {
        let mut turn = Turn::default();
        turn.call(0, "a");
        turn.user();
        assert_eq!(turn.call(1, "b"), Group::Current);
        assert_eq!(numbers(&turn.assistant().1), [0, 1]);
    }

    #[test]
    fn a_call_after_all_results_ends_the_waiting() {
        let mut turn = Turn::default();
        turn.call(0, "a");
        turn.user();
        turn.result(0);
        assert_eq!(turn.call(1, "b"), Group::New);
        assert_eq!(turn.assistant(), (Group::Current, OpenCalls::new()));
    }

    #[test]
    fn the_end_closes_everything_and_nothing_waits() {
        let mut turn = Turn::default();
        turn.call(7, "a");
        turn.user();
        assert_eq!(numbers(&turn.end()), [7]);
        assert_eq!(turn.user(), Prompt::Plain);
    }
}

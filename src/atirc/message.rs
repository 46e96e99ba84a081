//! What the wires have in common: a line read, and a message as plain data. Knows no wire and no event.

use std::borrow::Cow;

use crate::event::Time;

/// What a line of the feed says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reading<'a> {
    /// What it is to the agent.
    pub(super) traffic: Traffic<'a>,
    /// Where in the feed it stands, if it says so.
    pub(super) place: Option<Place<'a>>,
}

impl Reading<'_> {
    /// A line that is nothing to the agent.
    pub(super) const NOTHING: Reading<'static> = Reading { traffic: Traffic::Nothing, place: None };
}

/// What a line is to the agent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Traffic<'a> {
    /// A message of a channel, perhaps the agent's own.
    Message(Message<'a>),
    /// What the agent says, in its own stream.
    Speech(Cow<'a, str>),
    /// An event line, which needs no change.
    Event,
    /// Nothing: what a server says beside the messages.
    Nothing,
}

/// From where a feed can be read on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place<'a> {
    /// The feed's own word for it.
    Cursor(Cow<'a, str>),
    /// A time, for feeds without cursors.
    Time(Cow<'a, str>),
}

/// A message of a channel.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message<'a> {
    /// What tells it from every other message of its channel.
    pub(super) id: Option<Cow<'a, str>>,
    /// The channel's name, on wires whose messages have one.
    pub(super) channel: Option<Cow<'a, str>>,
    /// Who wrote it.
    pub(super) sender: Cow<'a, str>,
    /// What was written.
    pub(super) text: Cow<'a, str>,
    /// When the server had it.
    pub(super) time: Option<Time>,
    /// How the names in it are compared.
    pub(super) names: Names,
}

/// How names are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    /// Each character counts.
    Exact,
    /// By the case mapping `rfc1459`, in which `{}|^` are the small letters of `[]\~`.
    Rfc1459,
}

impl Names {
    /// Returns the form that all spellings of a name share.
    #[must_use]
    pub(super) fn fold(self, name: &str) -> Cow<'_, str> {
        match self {
            Self::Exact => Cow::Borrowed(name),
            Self::Rfc1459 => Cow::Owned(name.chars().map(small).collect()),
        }
    }

    /// Tells whether a name is one of a list.
    #[must_use]
    pub(super) fn are_among(self, name: &str, list: &[String]) -> bool {
        let name = self.fold(name);
        list.iter().any(|other| self.fold(other) == name)
    }
}

fn small(character: char) -> char {
    match character {
        '[' => '{',
        ']' => '}',
        '\\' => '|',
        '~' => '^',
        other => other.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn irc_has_four_letters_more_than_ascii() {
        assert_eq!(Names::Rfc1459.fold("Bob[]\\~É"), "bob{}|^É");
        assert!(Names::Rfc1459.are_among("bob^", &["x".to_owned(), "BOB~".to_owned()]));
    }

    #[test]
    fn elsewhere_each_character_counts() {
        assert!(!Names::Exact.are_among("did:plc:a", &["did:plc:A".to_owned()]));
    }
}

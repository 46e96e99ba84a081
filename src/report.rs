//! What is said of odd input: each kind once, when it is first seen, and its count at the end. Never any content.
//! And how an error of the system is said.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;
use std::io;

/// More names than this are counted without being told apart, so that memory stays bounded.
const NAMES_REMEMBERED: usize = 1000;

/// A kind of odd input. None of them changes the exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oddity {
    /// Bytes that are not UTF-8 became U+FFFD.
    InvalidUtf8,
    /// U+0000 became U+FFFD.
    NullCharacter,
    /// An unpaired UTF-16 surrogate became U+FFFD.
    UnpairedSurrogate,
    /// A text without a visible character made no record.
    BlankText,
    /// An optional field of the wrong type was ignored.
    FieldType,
    /// Arguments given as text were read as the object that the text holds.
    ArgumentsAsText,
    /// Arguments that are no object were put into one.
    ArgumentsWrapped,
    /// Content that is neither text nor a list of blocks became one text.
    ContentAsText,
    /// A block that a transcript cannot hold became a short text.
    BlockAsText,
    /// A character outside the allowed ones, or a length, was mended in a tool's name.
    ToolName,
    /// A call's id was outside `[A-Za-z0-9_-]{1,64}`.
    CallId,
    /// A call had no id.
    NoCallId,
    /// A call's id had been used by an earlier call.
    CallIdUsed,
    /// A result answers no call of this session.
    UnknownCall,
    /// A result answers a call that had its result already.
    AnsweredCall,
    /// A time was unreadable or without a zone.
    UnreadableTime,
    /// A time was more than five minutes ahead of the clock.
    FutureTime,
}

impl Oddity {
    const ALL: [Self; 17] = [
        Self::InvalidUtf8,
        Self::NullCharacter,
        Self::UnpairedSurrogate,
        Self::BlankText,
        Self::FieldType,
        Self::ArgumentsAsText,
        Self::ArgumentsWrapped,
        Self::ContentAsText,
        Self::BlockAsText,
        Self::ToolName,
        Self::CallId,
        Self::NoCallId,
        Self::CallIdUsed,
        Self::UnknownCall,
        Self::AnsweredCall,
        Self::UnreadableTime,
        Self::FutureTime,
    ];
}

impl fmt::Display for Oddity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::InvalidUtf8 => "bytes that are not UTF-8: replaced by U+FFFD",
            Self::NullCharacter => "null character: replaced by U+FFFD",
            Self::UnpairedSurrogate => "unpaired surrogate: replaced by U+FFFD",
            Self::BlankText => "text without a visible character: not recorded",
            Self::FieldType => "optional field of the wrong type: ignored",
            Self::ArgumentsAsText => "arguments given as text: read as the object in it",
            Self::ArgumentsWrapped => "arguments that are no object: recorded under the key value",
            Self::ContentAsText => "content that is no text and no list of blocks: recorded as JSON text",
            Self::BlockAsText => "content block that a transcript cannot hold: replaced by a text naming its type",
            Self::ToolName => "tool name outside [A-Za-z0-9_-]{1,128}: mended",
            Self::CallId => "tool call id outside [A-Za-z0-9_-]{1,64}: replaced by a fresh one",
            Self::NoCallId => "tool call without an id: given a fresh one",
            Self::CallIdUsed => "tool call id used before: replaced by a fresh one",
            Self::UnknownCall => "result of an unknown tool call: made a notification",
            Self::AnsweredCall => "another result of an answered tool call: made a notification",
            Self::UnreadableTime => "time unreadable or without a zone: not used",
            Self::FutureTime => "time more than five minutes ahead: not used",
        })
    }
}

/// Counts the odd values of a stream and remembers which are to be reported.
#[derive(Debug, Default)]
pub struct Tally {
    counts: [u64; Oddity::ALL.len()],
    fresh: Vec<Oddity>,
    /// The mended names by their hash, since a name may be as long as a line. Nothing until there is one: many a tally
    /// lives as long as one value.
    names: Option<(RandomState, HashSet<u64>)>,
}

impl Tally {
    /// Counts one.
    pub fn count(&mut self, oddity: Oddity) {
        if let Some(count) = self.counts.get_mut(oddity as usize) {
            *count += 1;
            if *count == 1 {
                self.fresh.push(oddity);
            }
        }
    }

    /// Counts one mended tool name, which is to be reported once for each name.
    pub fn count_name(&mut self, name: &str) {
        self.count(Oddity::ToolName);
        let is_first = self.counts.get(Oddity::ToolName as usize) == Some(&1);
        let (hasher, names) = self.names.get_or_insert_default();
        if names.len() < NAMES_REMEMBERED && names.insert(hasher.hash_one(name)) && !is_first {
            self.fresh.push(Oddity::ToolName);
        }
    }

    /// Tells whether one was seen.
    #[must_use]
    pub fn has(&self, oddity: Oddity) -> bool {
        self.counts.get(oddity as usize).is_some_and(|count| *count > 0)
    }

    /// Takes what was seen for the first time since the last call.
    pub fn take_fresh(&mut self) -> impl Iterator<Item = Oddity> + '_ {
        self.fresh.drain(..)
    }

    /// Returns each kind that was seen more than once, with its count.
    pub fn repeated(&self) -> impl Iterator<Item = (Oddity, u64)> + '_ {
        Oddity::ALL.into_iter().zip(self.counts).filter(|(_, count)| *count > 1)
    }
}

/// An error in plain words, without the number that the system's messages end in.
#[must_use]
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or_default();
    let mut characters = words.chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_stands_at_its_own_place() {
        for (place, oddity) in Oddity::ALL.into_iter().enumerate() {
            assert_eq!(oddity as usize, place);
        }
    }

    #[test]
    fn a_kind_is_fresh_once_and_counted_always() {
        let mut tally = Tally::default();
        tally.count(Oddity::NullCharacter);
        tally.count(Oddity::NullCharacter);
        tally.count(Oddity::CallId);
        assert_eq!(tally.take_fresh().collect::<Vec<_>>(), [Oddity::NullCharacter, Oddity::CallId]);
        assert_eq!(tally.take_fresh().count(), 0);
        assert_eq!(tally.repeated().collect::<Vec<_>>(), [(Oddity::NullCharacter, 2)]);
    }

    #[test]
    fn each_mended_name_is_fresh_once() {
        let mut tally = Tally::default();
        for name in ["a b", "a b", "c d"] {
            tally.count_name(name);
        }
        assert_eq!(tally.take_fresh().count(), 2);
        assert_eq!(tally.repeated().collect::<Vec<_>>(), [(Oddity::ToolName, 3)]);
    }
}

//! Which form a line has, told for each line by itself. Knows no form from within.

use super::irc::{self, Irc};
use super::message::{Reading, Traffic};
use super::{jetstream, messages, own};
use crate::ndjson::{self, EVENT_TYPES, LineError, Object, Parsed};
use crate::report::Tally;

/// The form of the feed's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Each line is of any of the forms, or an event, or a line of asyncai's own.
    Auto,
    /// Our own form.
    Messages,
    /// Jetstream, v1 or v2.
    Jetstream,
    /// A server of IRC.
    Irc,
}

impl Wire {
    /// All forms, the usual one first.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Messages, Self::Jetstream, Self::Irc];

    /// Returns the form's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Messages => "messages",
            Self::Jetstream => "jetstream",
            Self::Irc => "irc",
        }
    }

    /// Returns the form with a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|wire| wire.name() == name)
    }
}

/// What reads the lines of a feed.
#[derive(Debug)]
pub(super) struct Reader<'o> {
    wire: Wire,
    collections: &'o [String],
    irc: Irc,
}

impl<'o> Reader<'o> {
    /// Reads lines of this form; of Jetstream these collections only, or all where none is named.
    #[must_use]
    pub(super) fn new(wire: Wire, collections: &'o [String]) -> Self {
        Self { wire, collections, irc: Irc::default() }
    }

    /// Tells whether a line is to be read as JSON, which is text.
    #[must_use]
    pub(super) fn is_json(&self, line: &[u8]) -> bool {
        match self.wire {
            Wire::Auto => line.trim_ascii_start().starts_with(b"{"),
            Wire::Messages | Wire::Jetstream => true,
            Wire::Irc => false,
        }
    }

    /// Reads a line that is no JSON.
    ///
    /// # Errors
    /// When it has no known form.
    pub(super) fn read_bytes<'a>(&mut self, line: &'a [u8], tally: &mut Tally) -> Result<Reading<'a>, LineError> {
        if self.wire == Wire::Auto && !irc::is_meant(line) {
            return Err(unknown_form());
        }
        self.irc.read(line, tally)
    }

    /// Reads a line of JSON.
    ///
    /// # Errors
    /// When it has no known form, or lacks what its form requires.
    pub(super) fn read_json<'a>(&self, line: &'a str, tally: &mut Tally) -> Result<Reading<'a>, LineError> {
        let object = Object::read(line)?;
        match self.wire {
            Wire::Messages => messages::read(&object, tally),
            Wire::Jetstream if jetstream::is_meant(&object) => jetstream::read(&object, self.collections, tally),
            Wire::Jetstream | Wire::Irc => Err(unknown_form()),
            Wire::Auto => self.read_any(line, &object, tally),
        }
    }

    /// A message comes before an event: taking one for the other must not make a stranger's words those of the
    /// agent's user.
    fn read_any<'a>(&self, line: &'a str, object: &Object<'a>, tally: &mut Tally) -> Result<Reading<'a>, LineError> {
        if messages::is_meant(object) {
            messages::read(object, tally)
        } else if jetstream::is_meant(object) {
            jetstream::read(object, self.collections, tally)
        } else if own::is_meant(object) {
            own::read(object, tally)
        } else if EVENT_TYPES.iter().any(|kind| object.is("type", kind)) {
            // Whoever reads the output reports what is odd in it.
            match ndjson::parse(line, &mut Tally::default())? {
                Parsed::Event(_) | Parsed::BlankText => Ok(Reading { traffic: Traffic::Event, place: None }),
                Parsed::Ignored => Ok(Reading::NOTHING),
            }
        } else {
            Err(unknown_form())
        }
    }
}

fn unknown_form() -> LineError {
    LineError { column: 1, reason: "of no known form".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traffic(wire: Wire, line: &str) -> Result<Traffic<'_>, LineError> {
        let mut reader = Reader::new(wire, &[]);
        let tally = &mut Tally::default();
        let reading = if reader.is_json(line.as_bytes()) {
            reader.read_json(line, tally)
        } else {
            reader.read_bytes(line.as_bytes(), tally)
        };
        reading.map(|reading| reading.traffic)
    }

    const MESSAGE: &str = r#"{"type":"user","channel":"c","sender":"s","text":"t"}"#;
    const JETSTREAM: &str = concat!(
        r#"{"did":"did:plc:a","kind":"commit","#,
        r#""commit":{"operation":"create","collection":"c","rkey":"k","record":{"text":"t"}}}"#
    );
    const IRC: &str = ":bob PRIVMSG #c :hi";
    const EVENT: &str = r#"{"type":"user","text":"t"}"#;
    const OWN: &str = r#"{"work_name":"w","result":1}"#;

    #[test]
    fn names_are_told_from_each_other() {
        for wire in Wire::ALL {
            assert_eq!(Wire::from_name(wire.name()), Some(wire));
        }
    }

    #[test]
    fn each_line_tells_its_form() {
        for line in [MESSAGE, JETSTREAM, IRC] {
            assert!(matches!(traffic(Wire::Auto, line), Ok(Traffic::Message(_))), "{line}");
        }
        assert_eq!(traffic(Wire::Auto, EVENT), Ok(Traffic::Event));
        assert_eq!(traffic(Wire::Auto, OWN), Ok(Traffic::Nothing));
    }

    #[test]
    fn a_named_form_is_the_only_one() {
        for (wire, own) in [(Wire::Messages, MESSAGE), (Wire::Jetstream, JETSTREAM), (Wire::Irc, IRC)] {
            for line in [MESSAGE, JETSTREAM, IRC, EVENT, OWN] {
                assert_eq!(traffic(wire, line).is_ok(), line == own, "{wire:?} {line}");
            }
        }
    }

    #[test]
    fn an_event_that_would_be_rejected_is_an_error() {
        assert!(traffic(Wire::Auto, r#"{"type":"tool_call"}"#).is_err());
        assert!(traffic(Wire::Auto, r#"{"type":"other"}"#).is_err());
    }
}

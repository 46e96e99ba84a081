//! The wire `messages`: our own form, a JSON object for each message. Knows no channel that is wanted.

use super::message::{Message, Names, Place, Reading, Traffic};
use crate::ndjson::{LineError, Object, read_time};
use crate::report::Tally;

/// Tells whether an object is meant to be a message.
///
/// An event has no sender and no channel, so a message may have a `type` of its own without being taken for the
/// words of a person.
#[must_use]
pub(super) fn is_meant(object: &Object<'_>) -> bool {
    object.has("channel") && object.has("sender")
}

/// Reads one message.
///
/// # Errors
/// When a required field is missing or no string.
pub(super) fn read<'a>(object: &Object<'a>, tally: &mut Tally) -> Result<Reading<'a>, LineError> {
    let channel = object.required_string("channel", tally)?;
    let sender = object.required_string("sender", tally)?;
    let text = object.required_string("text", tally)?;
    let id = object.word("id", tally).filter(|id| !id.is_empty());
    let time = object.string("time", tally);
    let cursor = object.word("cursor", tally);
    let read = time.as_ref().and_then(|time| read_time(time, tally));
    // A time that cannot be read is no place to read on from.
    let place = cursor.map(Place::Cursor).or_else(|| time.filter(|_| read.is_some()).map(Place::Time));
    let message = Message { id, channel: Some(channel), sender, text, time: read, names: Names::Exact };
    Ok(Reading { traffic: Traffic::Message(message), place })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Time;

    fn read_line(line: &str) -> Result<Reading<'_>, LineError> {
        read(&Object::read(line).unwrap(), &mut Tally::default())
    }

    #[test]
    fn a_message_has_its_fields() {
        let line = concat!(
            r##"{"id":7,"channel":"#c","sender":"bob","text":"a\ud83d","##,
            r#""time":"1970-01-01T01:00:00.5+01:00","cursor":12,"more":[]}"#
        );
        let reading = read_line(line).unwrap();
        let message = Message {
            id: Some("7".into()),
            channel: Some("#c".into()),
            sender: "bob".into(),
            text: "a\u{fffd}".into(),
            time: Some(Time(500)),
            names: Names::Exact,
        };
        assert_eq!(reading.traffic, Traffic::Message(message));
        assert_eq!(reading.place, Some(Place::Cursor("12".into())));
    }

    #[test]
    fn a_message_without_a_cursor_stands_at_its_time() {
        let reading = read_line(r#"{"channel":"c","sender":"s","text":"t","time":"2026-10-19T16:40:51Z"}"#).unwrap();
        assert_eq!(reading.place, Some(Place::Time("2026-10-19T16:40:51Z".into())));
    }

    #[test]
    fn what_is_missing_is_said() {
        let error = read_line(r#"{"channel":"c","sender":"s"}"#).unwrap_err();
        assert_eq!(error.to_string(), "column 1: text is missing");
        let error = read_line(r#"{"channel":"c","sender":7,"text":"t"}"#).unwrap_err();
        assert_eq!(error.to_string(), "column 25: sender is not a string");
    }
}

//! The wires of Jetstream, the JSON stream of an AT Protocol network: v1 and v2. Knows no channel that is wanted.

use std::borrow::Cow;

use chrono::DateTime;

use super::message::{Message, Names, Place, Reading, Traffic};
use crate::event::Time;
use crate::ndjson::{LineError, Object, read_time};
use crate::report::Tally;

/// The fields in which the records of chat collections have their text.
const TEXT: [&str; 3] = ["text", "content", "body"];

/// The fields in which they have their channel.
const CHANNEL: [&str; 2] = ["channel", "room"];

/// Tells whether an object is meant to be a frame of one of the two versions.
#[must_use]
pub(super) fn is_meant(object: &Object<'_>) -> bool {
    (object.has("did") && object.has("kind")) || object.has("payload") || object.is("$type", "error")
}

/// Reads one frame. Whatever creates no record with a text is nothing: edits, deletions, accounts, likes. With
/// `collections`, so is whatever belongs to another one.
///
/// # Errors
/// When the frame of a new record does not say whose and which it is.
pub(super) fn read<'a>(
    object: &Object<'a>,
    collections: &[String],
    tally: &mut Tally,
) -> Result<Reading<'a>, LineError> {
    let frame = if object.has("payload") { v2(object, tally) } else { v1(object, tally) };
    let traffic = match &frame.commit {
        Some(commit) => message(commit, &frame, collections, tally)?,
        None => Traffic::Nothing,
    };
    Ok(Reading { traffic, place: frame.place })
}

/// What the two versions have in common.
struct Frame<'a> {
    /// The object with the author.
    head: Object<'a>,
    /// The object that tells what was done to which record, if that is what the frame is about.
    commit: Option<Object<'a>>,
    /// When the server saw it: the author's own time, in the record, can be anything.
    time: Option<Time>,
    place: Option<Place<'a>>,
}

fn v1<'a>(object: &Object<'a>, tally: &mut Tally) -> Frame<'a> {
    // Also the cursor: every server takes it, while the newer number belongs to one server.
    let micros = object.word("time_us", tally);
    let time = micros.as_ref().and_then(|micros| DateTime::from_timestamp_micros(micros.parse().ok()?));
    Frame {
        head: object.clone(),
        commit: object.is("kind", "commit").then(|| object.object("commit")),
        time: time.map(|time| Time(time.timestamp_millis())),
        place: micros.map(Place::Cursor),
    }
}

fn v2<'a>(object: &Object<'a>, tally: &mut Tally) -> Frame<'a> {
    let payload = object.object("payload");
    let kind = payload.string("$type", tally);
    let time = payload.string("time", tally);
    Frame {
        commit: kind.is_some_and(|kind| kind.ends_with("#commit")).then(|| payload.clone()),
        time: time.and_then(|time| read_time(&time, tally)),
        place: payload.word("seq", tally).map(Place::Cursor),
        head: payload,
    }
}

fn message<'a>(
    commit: &Object<'a>,
    frame: &Frame<'a>,
    collections: &[String],
    tally: &mut Tally,
) -> Result<Traffic<'a>, LineError> {
    if !commit.is("operation", "create") {
        return Ok(Traffic::Nothing);
    }
    let did = frame.head.required_string("did", tally)?;
    let collection = commit.required_string("collection", tally)?;
    let key = commit.required_string("rkey", tally)?;
    if !collections.is_empty() && !collections.iter().any(|wanted| *wanted == collection) {
        return Ok(Traffic::Nothing);
    }
    let record = commit.object("record");
    let Some(text) = first(&record, &TEXT, tally) else { return Ok(Traffic::Nothing) };
    Ok(Traffic::Message(Message {
        id: Some(Cow::Owned(format!("{did}/{collection}/{key}"))),
        channel: first(&record, &CHANNEL, tally),
        sender: did,
        text,
        time: frame.time,
        names: Names::Exact,
    }))
}

/// The first of some fields that is a string.
fn first<'a>(record: &Object<'a>, names: &[&str], tally: &mut Tally) -> Option<Cow<'a, str>> {
    let name = names.iter().find(|name| record.has_string(name))?;
    record.string(name, tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_line(line: &str) -> Reading<'_> {
        read(&Object::read(line).unwrap(), &[], &mut Tally::default()).unwrap()
    }

    fn v1_line(operation: &str, record: &str) -> String {
        format!(
            concat!(
                r#"{{"did":"did:plc:a","time_us":1780000000000001,"kind":"commit","#,
                r#""commit":{{"rev":"3","operation":"{}","collection":"a.chat.message","rkey":"3k"{}}}}}"#
            ),
            operation, record
        )
    }

    fn v2_line(kind: &str, operation: &str) -> String {
        format!(
            concat!(
                r##"{{"$type":"message","payload":{{"$type":"a.b.subscribeEvents#{}","seq":12,"did":"did:plc:a","##,
                r#""time":"2026-10-19T16:40:51.000001Z","operation":"{}","#,
                r#""collection":"a.chat.message","rkey":"3k","record":{{"text":"hi"}}}}}}"#
            ),
            kind, operation
        )
    }

    fn expected(channel: Option<&'static str>, time: i64) -> Traffic<'static> {
        Traffic::Message(Message {
            id: Some("did:plc:a/a.chat.message/3k".into()),
            channel: channel.map(Cow::Borrowed),
            sender: "did:plc:a".into(),
            text: "hi".into(),
            time: Some(Time(time)),
            names: Names::Exact,
        })
    }

    #[test]
    fn a_new_record_of_v1_is_a_message_at_the_time_of_the_server() {
        let line = v1_line("create", r#","record":{"text":"hi","createdAt":"1999-01-01T00:00:00Z"}"#);
        let reading = read_line(&line);
        assert_eq!(reading.traffic, expected(None, 1_780_000_000_000));
        assert_eq!(reading.place, Some(Place::Cursor("1780000000000001".into())));
    }

    #[test]
    fn a_new_record_of_v2_is_a_message_too() {
        let line = v2_line("commit", "create");
        let reading = read_line(&line);
        assert_eq!(reading.traffic, expected(None, 1_792_428_051_000));
        assert_eq!(reading.place, Some(Place::Cursor("12".into())));
    }

    #[test]
    fn text_and_channel_go_by_several_names() {
        for record in [
            r#","record":{"text":"hi","channel":"at://c"}"#,
            r#","record":{"content":"hi","room":"at://c"}"#,
            r#","record":{"text":7,"body":"hi","channel":null,"room":"at://c"}"#,
        ] {
            let line = v1_line("create", record);
            assert_eq!(read_line(&line).traffic, expected(Some("at://c"), 1_780_000_000_000));
        }
    }

    #[test]
    fn whatever_creates_no_text_is_nothing_but_has_its_place() {
        for line in [
            v1_line("update", r#","record":{"text":"hi"}"#),
            v1_line("delete", ""),
            v1_line("create", r#","record":{"subject":"at://x"}"#),
            v1_line("create", r#","record":{"body":{"mimeType":"text/plain"}}"#),
            v1_line("create", "").replace("commit\",", "identity\","),
            v2_line("commit", "update"),
            v2_line("identity", "create"),
        ] {
            let reading = read_line(&line);
            assert_eq!(reading.traffic, Traffic::Nothing, "{line}");
            assert!(reading.place.is_some(), "{line}");
        }
        assert_eq!(read_line(r#"{"$type":"error","error":"ConsumerTooSlow"}"#), Reading::NOTHING);
    }

    #[test]
    fn a_new_record_without_its_author_is_an_error() {
        let line = v1_line("create", r#","record":{"text":"hi"}"#).replace("\"did\":", "\"who\":");
        let object = Object::read(&line).unwrap();
        assert!(read(&object, &[], &mut Tally::default()).is_err());
    }

    #[test]
    fn other_collections_than_the_named_ones_are_nothing() {
        let line = v1_line("create", r#","record":{"text":"hi"}"#);
        let object = Object::read(&line).unwrap();
        let reading = |collection: &str| read(&object, &[collection.to_owned()], &mut Tally::default()).unwrap();
        assert_eq!(reading("a.chat").traffic, Traffic::Nothing);
        assert_eq!(reading("a.chat.message").traffic, expected(None, 1_780_000_000_000));
    }
}

//! The wire form of the event stream, both ways. Knows no session and no transcript.

mod content;
mod encode;
mod fields;
mod json;
mod object;
mod scan;
mod template;
mod walk;

use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;

use bstr::ByteSlice;
use chrono::DateTime;

pub use self::encode::{encode, rfc3339};
use self::fields::{Field, Fields};
pub use self::json::Token;
pub use self::object::Object;
pub use self::template::MonitorTemplate;
pub use self::walk::{Step, Taking, walk};
use crate::event::{Arguments, Body, Content, Event, JsonText, Note, Time, is_visible};
use crate::report::{Oddity, Tally};

/// The kinds of event that a line may have as its `type`.
pub const EVENT_TYPES: [&str; 5] = ["user", "assistant", "tool_call", "tool_result", "monitor_event"];

/// The longest tool name that model APIs take, in characters.
const NAME_LIMIT: usize = 128;

/// The years 1 to 9999, in milliseconds: times outside are none of conversations, and their text form has a sign.
const TIMES: RangeInclusive<i64> = -62_135_596_800_000..=253_402_300_799_999;

/// What an accepted line is.
#[derive(Debug, PartialEq, Eq)]
pub enum Parsed<'a> {
    /// An event.
    Event(Event<'a>),
    /// A message without a visible character: echoed, but never recorded.
    BlankText,
    /// A blank line or a session line: passed over in silence.
    Ignored,
}

/// Why a line was rejected. Never holds any of its content.
#[derive(Debug, PartialEq, Eq)]
pub struct LineError {
    /// Where in the line, in bytes from 1.
    pub column: usize,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for LineError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "column {}: {}", self.column, self.reason)
    }
}

/// Turns the bytes of a line into text; each maximal invalid sequence becomes one U+FFFD.
pub fn decode_utf8<'a>(line: &'a [u8], tally: &mut Tally) -> Cow<'a, str> {
    // The check of std is the faster one; bstr knows where the maximal sequences end.
    if let Ok(text) = std::str::from_utf8(line) {
        return Cow::Borrowed(text);
    }
    tally.count(Oddity::InvalidUtf8);
    line.to_str_lossy()
}

/// Reads one line. Odd values are mended, and counted in `tally`.
///
/// # Errors
/// When the line is no JSON object, has an unknown `type`, or lacks a required field.
pub fn parse<'a>(line: &'a str, tally: &mut Tally) -> Result<Parsed<'a>, LineError> {
    let start = line.trim_ascii_start();
    if start.is_empty() {
        return Ok(Parsed::Ignored);
    }
    if !start.starts_with('{') {
        return Err(LineError { column: 1 + line.len() - start.len(), reason: "not a JSON object".to_owned() });
    }
    let mut fields = Fields::of(line);
    fields.read()?;
    if fields.is_session_line() {
        return Ok(Parsed::Ignored);
    }
    let kind = fields.required(fields.kind, "type")?.keyword();
    let body = match &*kind {
        "user" => Body::User { text: fields.required(fields.text, "text")?.text(tally) },
        "assistant" => {
            Body::Assistant { text: fields.required(fields.text, "text")?.text(tally), model: model(&fields, tally) }
        }
        "tool_call" => Body::ToolCall {
            name: name(&fields, tally)?,
            id: id(&fields, tally),
            arguments: content::arguments(fields.arguments, tally),
            model: model(&fields, tally),
        },
        "tool_result" => Body::ToolResult {
            id: id(&fields, tally),
            content: content::content(fields.content, tally),
            is_error: fields.is_error.optional_bool(tally),
        },
        "monitor_event" => monitor_event(&fields, tally)?,
        _ => return Err(fields.error(fields.kind, unknown_type())),
    };
    let time = time(&fields, tally);
    if let Body::User { text } | Body::Assistant { text, .. } = &body
        && !text.is_visible()
    {
        tally.count(Oddity::BlankText);
        return Ok(Parsed::BlankText);
    }
    Ok(Parsed::Event(Event { time, body }))
}

fn unknown_type() -> String {
    format!("unknown type: not one of {}", EVENT_TYPES.join(", "))
}

fn id<'a>(fields: &Fields<'a>, tally: &mut Tally) -> Option<Cow<'a, str>> {
    fields.id.optional_id(tally).filter(|id| !id.is_empty())
}

fn model<'a>(fields: &Fields<'a>, tally: &mut Tally) -> Option<JsonText<'a>> {
    fields.model.optional_text(tally).filter(JsonText::is_visible)
}

fn name<'a>(fields: &Fields<'a>, tally: &mut Tally) -> Result<Cow<'a, str>, LineError> {
    Ok(tool_name(fields.required(fields.name, "name")?.string(tally), tally))
}

/// Makes a name that a model API takes for a tool's.
pub fn tool_name<'a>(name: Cow<'a, str>, tally: &mut Tally) -> Cow<'a, str> {
    let is_allowed = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    if !name.is_empty() && name.len() <= NAME_LIMIT && name.chars().all(is_allowed) {
        return name;
    }
    tally.count_name(&name);
    if name.is_empty() {
        return Cow::Borrowed("_");
    }
    let mended = name.chars().take(NAME_LIMIT).map(|character| if is_allowed(character) { character } else { '_' });
    Cow::Owned(mended.collect())
}

/// Makes the object that the arguments of a call must be, of whatever stands in their place.
pub fn arguments<'a>(value: Option<Token<'a>>, tally: &mut Tally) -> Arguments<'a> {
    content::arguments(Field::of(value), tally)
}

/// Makes a text, or a list of blocks, of whatever stands for a tool's answer.
pub fn content<'a>(value: Option<Token<'a>>, tally: &mut Tally) -> Content<'a> {
    content::content(Field::of(value), tally)
}

fn monitor_event<'a>(fields: &Fields<'a>, tally: &mut Tally) -> Result<Body<'a>, LineError> {
    let status = fields.status.optional_string(tally);
    let event = match status {
        None if fields.event.is_absent() => {
            return Err(fields.error(fields.event, "event or status is missing".to_owned()));
        }
        None => Some(fields.required(fields.event, "event")?.string(tally)),
        Some(_) => fields.event.optional_string(tally),
    };
    let note = match fields.note.optional_string(tally) {
        Some(note) if note.chars().any(is_visible) => Note::Text(note),
        Some(_) => Note::None,
        None if fields.note.is_null() => Note::None,
        None => Note::Usual,
    };
    Ok(Body::MonitorEvent {
        description: fields.required(fields.description, "description")?.string(tally),
        event,
        status,
        task_id: fields.task_id.optional_string(tally).filter(|id| !id.is_empty()),
        note,
    })
}

fn time(fields: &Fields<'_>, tally: &mut Tally) -> Option<Time> {
    let text = fields.timestamp.optional_string(tally)?;
    read_time(&text, tally)
}

/// Reads a time in the form of RFC 3339 with a zone; one that is unreadable counts as none.
pub fn read_time(text: &str, tally: &mut Tally) -> Option<Time> {
    let read = DateTime::parse_from_rfc3339(text).ok().map(|time| time.timestamp_millis());
    let time = read.filter(|read| TIMES.contains(read)).map(Time);
    if time.is_none() {
        tally.count(Oddity::UnreadableTime);
    }
    time
}

#[cfg(test)]
mod tests;

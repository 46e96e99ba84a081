//! The other way: an event as one line of the event stream.

use std::io;

use chrono::{DateTime, SecondsFormat};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::event::{Body, Event, JsonText, Note, Time};
use crate::lines::encode_line;

/// A line as it is written: required fields always, optional ones where the event has them.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    body: Wire<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<String>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Wire<'a> {
    User {
        text: &'a JsonText<'a>,
    },
    Assistant {
        text: &'a JsonText<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<&'a JsonText<'a>>,
    },
    ToolCall {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a str>,
        name: &'a str,
        arguments: &'a RawValue,
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<&'a JsonText<'a>>,
    },
    ToolResult {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a str>,
        content: Box<RawValue>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
    MonitorEvent {
        description: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        event: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        task_id: Option<&'a str>,
        #[serde(skip_serializing_if = "is_usual", serialize_with = "text_or_null")]
        note: &'a Note<'a>,
    },
}

/// Appends an event to `out` as one line with its line feed.
///
/// # Errors
/// When it cannot be written as one line of JSON; `out` is then as it was.
pub fn encode(event: &Event<'_>, out: &mut Vec<u8>) -> io::Result<()> {
    let body = match &event.body {
        Body::User { text } => Wire::User { text },
        Body::Assistant { text, model } => Wire::Assistant { text, model: model.as_ref() },
        Body::ToolCall { id, name, arguments, model } => Wire::ToolCall {
            id: id.as_deref(),
            name,
            arguments: serde_json::from_str(arguments.as_json())?,
            model: model.as_ref(),
        },
        Body::ToolResult { id, content, is_error } => Wire::ToolResult {
            id: id.as_deref(),
            content: RawValue::from_string(content.to_json().into_owned())?,
            is_error: *is_error,
        },
        Body::MonitorEvent { description, event, status, task_id, note } => Wire::MonitorEvent {
            description,
            event: event.as_deref(),
            status: status.as_deref(),
            task_id: task_id.as_deref(),
            note,
        },
    };
    encode_line(&Line { body, timestamp: event.time.map(rfc3339) }, out)
}

fn is_usual(note: &Note<'_>) -> bool {
    matches!(note, Note::Usual)
}

fn text_or_null<S: Serializer>(note: &Note<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    match note {
        Note::Text(text) => serializer.serialize_str(text),
        Note::Usual | Note::None => serializer.serialize_none(),
    }
}

/// Writes a time in the form of RFC 3339, in UTC and with milliseconds.
#[must_use]
pub fn rfc3339(time: Time) -> String {
    DateTime::from_timestamp_millis(time.0).unwrap_or_default().to_rfc3339_opts(SecondsFormat::Millis, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ndjson::{Parsed, parse};
    use crate::report::Tally;

    #[test]
    fn each_kind_of_event_is_read_back_as_it_was() {
        for line in [
            r#"{"type":"user","text":"a \u2028 \"b\"","timestamp":"2026-10-19T16:40:51.620Z"}"#,
            r#"{"type":"assistant","text":"é","model":"m"}"#,
            r#"{"type":"tool_call","id":"a.b","name":"Bash","arguments":{"x":1e400,"a":2,"a":3}}"#,
            r#"{"type":"tool_result","id":"a.b","content":[{"type":"text","text":"t"}],"is_error":true}"#,
            r#"{"type":"monitor_event","description":"d","event":"e"}"#,
            r#"{"type":"monitor_event","description":"d","event":"e","task_id":"t","note":null}"#,
            r#"{"type":"monitor_event","description":"d","status":"failed","note":"n"}"#,
        ] {
            let Ok(Parsed::Event(event)) = parse(line, &mut Tally::default()) else { panic!("{line}") };
            let mut written = Vec::new();
            encode(&event, &mut written).unwrap();
            assert_eq!(String::from_utf8(written).unwrap(), format!("{line}\n"));
        }
    }
}

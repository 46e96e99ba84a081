//! The monitor itself as events: the tool call that began it, and how it ended.

use std::borrow::Cow;
use std::io;
use std::time::Duration;

use serde::Serialize;

use super::{Ending, Label};
use crate::event::{Arguments, Body, Content, Event, JsonText};
use crate::ndjson::encode;

/// The name of Claude Code's own tool.
const TOOL: &str = "Monitor";

#[derive(Serialize)]
struct Input<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<&'a str>,
    description: &'a str,
    /// 0 is no limit.
    timeout_ms: u128,
}

/// Appends the call of the tool and its answer.
///
/// # Errors
/// When they cannot be written as JSON.
pub(super) fn begin(
    command: Option<&str>,
    label: &Label,
    timeout: Option<Duration>,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let timeout_ms = timeout.unwrap_or_default().as_millis();
    let input = serde_json::to_string(&Input { command, description: &label.description, timeout_ms })?;
    let id: Cow<'_, str> = Cow::Owned(format!("monitor_{}", label.task_id));
    let call = Body::ToolCall {
        id: Some(id.clone()),
        name: Cow::Borrowed(TOOL),
        arguments: Arguments::from_encoded(Cow::Owned(input)),
        model: None,
    };
    let answer = format!("Monitor started: task {}. Its events come as notifications.", label.task_id);
    let result = Body::ToolResult { id: Some(id), content: Content::Text(JsonText::new(&answer)), is_error: false };
    for body in [call, result] {
        encode(&Event { time: None, body }, out)?;
    }
    Ok(())
}

/// Appends the event of the end.
pub(super) fn end(ending: Ending, label: &Label, out: &mut Vec<u8>) {
    let status = match ending {
        Ending::Status(0) => "completed",
        Ending::Status(status) if status < 128 => "failed",
        Ending::CannotRun => "failed",
        Ending::Status(_) | Ending::TimedOut | Ending::Flooded | Ending::Ended => "killed",
    };
    let body = Body::MonitorEvent {
        description: Cow::Borrowed(&label.description),
        event: None,
        status: Some(Cow::Borrowed(status)),
        task_id: Some(Cow::Borrowed(&label.task_id)),
        note: label.note.clone(),
    };
    // It was possible for the call with the same texts.
    let _ = encode(&Event { time: None, body }, out);
}

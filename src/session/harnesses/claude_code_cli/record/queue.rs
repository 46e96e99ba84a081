//! The records of the program's queue, and the attachments by which the agent gets what was in it.

use serde::Serialize;

use super::{Origin, Session, Slot};
use crate::session::harnesses::marks::{WholeResult, WithWholeResult};

/// An entry or an exit of the program's queue. No chain record.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct QueueOperation<'a> {
    r#type: &'static str,
    operation: &'static str,
    timestamp: Slot,
    session_id: &'a str,
    content: Slot,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command_uuid: Option<Slot>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delivery_id: Option<Slot>,
}

/// Something comes into the queue.
pub(in super::super) fn enqueue(session: &Session<'_>) -> impl Serialize {
    QueueOperation {
        r#type: "queue-operation",
        operation: "enqueue",
        timestamp: Slot::Timestamp,
        session_id: session.id,
        content: Slot::Content,
        reason: None,
        command_uuid: None,
        delivery_id: None,
    }
}

/// The model got it.
pub(in super::super) fn remove(session: &Session<'_>) -> impl Serialize {
    QueueOperation {
        r#type: "queue-operation",
        operation: "remove",
        timestamp: Slot::Timestamp,
        session_id: session.id,
        content: Slot::Content,
        reason: Some("absorbed_mid_turn"),
        command_uuid: Some(Slot::Source),
        delivery_id: Some(Slot::Delivery),
    }
}

#[derive(Serialize)]
struct AttachmentRecord<'a> {
    r#type: &'static str,
    attachment: QueuedCommand,
    #[serde(flatten)]
    rendered: Option<RenderedTwice>,
    session_id: &'a str,
}

#[derive(Serialize)]
struct QueuedCommand {
    r#type: &'static str,
    prompt: Slot,
    source_uuid: Slot,
    delivery_id: Slot,
    #[serde(rename = "commandMode")]
    command_mode: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<Origin>,
    timestamp: Slot,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RenderedTwice {
    rendered: [Rendered; 1],
    rendered_in_human_turn: [Rendered; 1],
    rendered_role: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rendered {
    content: Slot,
    rendered_role: &'static str,
}

/// A person's message that came while the agent was at work.
pub(in super::super) fn queued_prompt(session: &Session<'_>) -> impl Serialize {
    session.chain(AttachmentRecord {
        r#type: "attachment",
        attachment: queued_command("prompt", None),
        rendered: None,
        session_id: session.id,
    })
}

/// A monitor event.
pub(in super::super) fn notification(session: &Session<'_>) -> impl Serialize {
    session.chain(notification_attachment(session.id))
}

/// A result without a place among the messages; `Input` is its content as an API has it.
pub(in super::super) fn loose_result(session: &Session<'_>) -> impl Serialize {
    let whole = WholeResult { id: Slot::CallId, content: Slot::Input, is_error: Slot::IsError };
    session.chain(WithWholeResult { record: notification_attachment(session.id), whole: Some(whole) })
}

fn notification_attachment(session_id: &str) -> AttachmentRecord<'_> {
    let rendered = |content| [Rendered { content, rendered_role: "system" }];
    AttachmentRecord {
        r#type: "attachment",
        attachment: queued_command(
            "task-notification",
            Some(Origin { kind: "task-notification", producer: Some("session-task") }),
        ),
        rendered: Some(RenderedTwice {
            rendered: rendered(Slot::Reminder),
            rendered_in_human_turn: rendered(Slot::SameTurnReminder),
            rendered_role: "system",
        }),
        session_id,
    }
}

fn queued_command(command_mode: &'static str, origin: Option<Origin>) -> QueuedCommand {
    QueuedCommand {
        r#type: "queued_command",
        prompt: Slot::Content,
        source_uuid: Slot::Source,
        delivery_id: Slot::Delivery,
        command_mode,
        origin,
        timestamp: Slot::Timestamp,
    }
}

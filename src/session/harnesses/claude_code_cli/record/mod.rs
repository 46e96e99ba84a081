//! The records of a transcript, as the program writes them. Write-only; they match version 2.1.316.
//!
//! Every value that differs from record to record is a [`Slot`], so that `templates` can turn each kind of record
//! into its constant parts once, at the start.

mod queue;

use serde::Serialize;

pub(super) use self::queue::{enqueue, loose_result, notification, queued_prompt, remove};
use crate::session::harnesses::marks::{WholeResult, WithWholeResult};
use crate::session::harnesses::template::slots;

/// The version whose record shapes these are.
const VERSION: &str = "2.1.316";

slots! {
    /// The uuid of the chain record before this one, or null.
    Parent,
    Uuid,
    Timestamp,
    /// A text, a tool's answer, or what was queued.
    Content,
    MessageId,
    Model,
    StopReason,
    CallId,
    ToolName,
    Input,
    IsError,
    PromptId,
    /// The id under which something was queued.
    Source,
    /// The id under which it was handed over.
    Delivery,
    Reminder,
    SameTurnReminder,
}

/// What all chain records of a session share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Session<'a> {
    pub(super) id: &'a str,
    pub(super) cwd: &'a str,
    pub(super) git_branch: Option<&'a str>,
}

/// A record that names the one before it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Chain<'a, B> {
    parent_uuid: Slot,
    is_sidechain: bool,
    #[serde(flatten)]
    body: B,
    uuid: Slot,
    timestamp: Slot,
    user_type: &'static str,
    entrypoint: &'static str,
    cwd: &'a str,
    session_id: &'a str,
    version: &'static str,
    git_branch: Option<&'a str>,
}

impl<'a> Session<'a> {
    fn chain<B: Serialize>(&self, body: B) -> impl Serialize + use<'a, B> {
        Chain {
            parent_uuid: Slot::Parent,
            is_sidechain: false,
            body,
            uuid: Slot::Uuid,
            timestamp: Slot::Timestamp,
            user_type: "external",
            // The list of sessions hides every other value.
            entrypoint: "cli",
            cwd: self.cwd,
            session_id: self.id,
            version: VERSION,
            git_branch: self.git_branch,
        }
    }
}

#[derive(Serialize)]
struct MessageRecord<B> {
    r#type: &'static str,
    message: B,
    #[serde(flatten)]
    marks: Marks,
}

/// What tells a person's prompt, and what stands for no event, from the other records.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct Marks {
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_id: Option<Slot>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<Origin>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_meta: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    asyncai_synthetic: Option<bool>,
}

#[derive(Serialize)]
struct Origin {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    producer: Option<&'static str>,
}

#[derive(Serialize)]
struct UserMessage<C> {
    role: &'static str,
    content: C,
}

#[derive(Serialize)]
struct AssistantMessage<C> {
    id: Slot,
    r#type: &'static str,
    role: &'static str,
    model: Slot,
    content: [C; 1],
    stop_reason: Slot,
    stop_sequence: Option<&'static str>,
    usage: Usage,
}

#[derive(Serialize)]
struct Usage {
    input_tokens: u64,
    output_tokens: u64,
}

#[derive(Serialize)]
struct Text {
    r#type: &'static str,
    text: Slot,
}

#[derive(Serialize)]
struct ToolUse {
    r#type: &'static str,
    id: Slot,
    name: Slot,
    input: Slot,
}

#[derive(Serialize)]
struct ToolResult {
    r#type: &'static str,
    tool_use_id: Slot,
    content: Slot,
    is_error: Slot,
}

/// A person's prompt.
pub(super) fn user(session: &Session<'_>) -> impl Serialize {
    let origin = Origin { kind: "human", producer: None };
    session.chain(MessageRecord {
        r#type: "user",
        message: UserMessage { role: "user", content: Slot::Content },
        marks: Marks { prompt_id: Some(Slot::PromptId), origin: Some(origin), ..Marks::default() },
    })
}

/// What stands before an assistant that nobody asked: an API wants the user's message first.
pub(super) fn opening(session: &Session<'_>) -> impl Serialize {
    session.chain(MessageRecord {
        r#type: "user",
        message: UserMessage { role: "user", content: Slot::Content },
        marks: Marks { is_meta: Some(true), asyncai_synthetic: Some(true), ..Marks::default() },
    })
}

/// The agent's words.
pub(super) fn assistant(session: &Session<'_>) -> impl Serialize {
    session.chain(assistant_message(Text { r#type: "text", text: Slot::Content }))
}

/// The agent's call of a tool.
pub(super) fn tool_use(session: &Session<'_>) -> impl Serialize {
    let block = ToolUse { r#type: "tool_use", id: Slot::CallId, name: Slot::ToolName, input: Slot::Input };
    session.chain(assistant_message(block))
}

fn assistant_message<C>(block: C) -> MessageRecord<AssistantMessage<C>> {
    MessageRecord {
        r#type: "assistant",
        message: AssistantMessage {
            id: Slot::MessageId,
            r#type: "message",
            role: "assistant",
            model: Slot::Model,
            content: [block],
            stop_reason: Slot::StopReason,
            stop_sequence: None,
            usage: Usage { input_tokens: 0, output_tokens: 0 },
        },
        marks: Marks::default(),
    }
}

/// Whether there was a prompt before a record that belongs to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prompted {
    Yes,
    No,
}

/// What a tool's answer in a record stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// An event of the input.
    Event,
    /// An event that the record cannot hold as it is, so that the whole of it stands beside.
    Restated,
    /// No event.
    Synthetic,
}

/// A tool's answer.
pub(super) fn tool_result(session: &Session<'_>, prompted: Prompted, source: Source) -> impl Serialize {
    let block = ToolResult {
        r#type: "tool_result",
        tool_use_id: Slot::CallId,
        content: Slot::Content,
        is_error: Slot::IsError,
    };
    let record = MessageRecord {
        r#type: "user",
        message: UserMessage { role: "user", content: [block] },
        marks: Marks {
            prompt_id: (prompted == Prompted::Yes).then_some(Slot::PromptId),
            asyncai_synthetic: (source == Source::Synthetic).then_some(true),
            ..Marks::default()
        },
    };
    let whole = WholeResult { id: Slot::CallId, content: Slot::Input, is_error: true };
    session.chain(WithWholeResult { record, whole: (source == Source::Restated).then_some(whole) })
}

/// The title that stands in the list of sessions. No chain record.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub(super) enum Title<'a> {
    /// One made of the first event.
    AiTitle { ai_title: &'a str, session_id: &'a str, asyncai_synthetic: bool },
    /// The user's own.
    CustomTitle { custom_title: &'a str, session_id: &'a str, asyncai_synthetic: bool },
}

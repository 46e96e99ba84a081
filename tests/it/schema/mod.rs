//! A transcript read back by types of its own, and the rules that every whole file keeps.

mod check;
mod notice;
mod outline;
mod shapes;

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;

pub(crate) use check::is_word;
pub(crate) use notice::Notice;
pub(crate) use shapes::{
    AiTitle, Assistant, AssistantBlock, Content, CustomTitle, Enqueue, Link, LooseResult, Millis, Notification,
    Preface, Prompt, QueuedPrompt, Remove, ResultPart, StopReason, ToolResult, Uuid4, exact, only_true,
};

pub(crate) enum Record {
    Prompt(Prompt),
    Preface(Preface),
    Assistant(Assistant),
    ToolResult(ToolResult),
    QueuedPrompt(QueuedPrompt),
    Notification(Notification),
    Enqueue(Enqueue),
    Remove(Remove),
    AiTitle(AiTitle),
    CustomTitle(CustomTitle),
}

/// As much of a line as tells which shape it must have.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head<'a> {
    r#type: String,
    operation: Option<String>,
    is_meta: Option<bool>,
    #[serde(borrow)]
    message: Option<HeadMessage<'a>>,
    attachment: Option<HeadAttachment>,
}

#[derive(Deserialize)]
struct HeadMessage<'a> {
    #[serde(borrow)]
    content: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HeadAttachment {
    command_mode: String,
}

impl Record {
    /// Two steps: which shape, then that shape and no other, from the text so that a doubled key shows.
    pub(crate) fn parse(line: &str) -> Self {
        let head: Head = exact(line);
        let blocks = head.message.is_some_and(|message| message.content.get().starts_with('['));
        let mode = head.attachment.map(|attachment| attachment.command_mode);
        match (head.r#type.as_str(), head.operation.as_deref()) {
            ("user", None) if head.is_meta.is_some() => Self::Preface(exact(line)),
            ("user", None) if blocks => Self::ToolResult(exact(line)),
            ("user", None) => Self::Prompt(exact(line)),
            ("assistant", None) => Self::Assistant(exact(line)),
            ("attachment", None) if mode.as_deref() == Some("prompt") => Self::QueuedPrompt(exact(line)),
            ("attachment", None) => Self::Notification(exact(line)),
            ("queue-operation", Some("enqueue")) => Self::Enqueue(exact(line)),
            ("queue-operation", Some("remove")) => Self::Remove(exact(line)),
            ("ai-title", None) => Self::AiTitle(exact(line)),
            ("custom-title", None) => Self::CustomTitle(exact(line)),
            _ => panic!("a record of no known kind: {line}"),
        }
    }

    /// The chain fields; queue and title records stand outside the chain.
    pub(crate) fn link(&self) -> Option<Link<'_>> {
        match self {
            Self::Prompt(record) => Some(record.link()),
            Self::Preface(record) => Some(record.link()),
            Self::Assistant(record) => Some(record.link()),
            Self::ToolResult(record) => Some(record.link()),
            Self::QueuedPrompt(record) => Some(record.link()),
            Self::Notification(record) => Some(record.link()),
            Self::Enqueue(_) | Self::Remove(_) | Self::AiTitle(_) | Self::CustomTitle(_) => None,
        }
    }
}

fn exact<'a, T: Deserialize<'a>>(line: &'a str) -> T {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}\nin the record: {line}"))
}

/// A whole file that kept every rule.
pub(crate) struct Transcript {
    pub(crate) text: String,
    pub(crate) records: Vec<Record>,
}

impl Transcript {
    pub(crate) fn read(path: &Path) -> Self {
        let bytes = fs::read(path).expect("the session file is there");
        let text = String::from_utf8(bytes).expect("a transcript is UTF-8");
        Self::of(text, path.file_stem().unwrap().to_str().unwrap())
    }

    /// Holds a text against the shapes and the rules; panics with the first that it breaks.
    pub(crate) fn of(text: String, session: &str) -> Self {
        let records: Vec<Record> = lines(&text).map(Record::parse).collect();
        check::all(&records, session, text.len());
        Self { text, records }
    }

    /// The records as one short line each; the three of a queued message count as one.
    pub(crate) fn outline(&self) -> Vec<String> {
        outline::outline(&self.records)
    }

    pub(crate) fn notices(&self) -> Vec<Notice> {
        self.notifications().map(Notice::of).collect()
    }

    pub(crate) fn notifications(&self) -> impl Iterator<Item = &Notification> {
        self.records.iter().filter_map(|record| match record {
            Record::Notification(notification) => Some(notification),
            _ => None,
        })
    }

    pub(crate) fn results(&self) -> impl Iterator<Item = &ToolResult> {
        self.records.iter().filter_map(|record| match record {
            Record::ToolResult(result) => Some(result),
            _ => None,
        })
    }

    pub(crate) fn assistants(&self) -> impl Iterator<Item = &Assistant> {
        self.records.iter().filter_map(|record| match record {
            Record::Assistant(assistant) => Some(assistant),
            _ => None,
        })
    }

    /// Id and name of each call, in order.
    pub(crate) fn calls(&self) -> Vec<(&str, &str)> {
        self.assistants()
            .filter_map(|assistant| match &assistant.message.content[0] {
                AssistantBlock::ToolUse { id, name, .. } => Some((id.as_str(), name.as_str())),
                AssistantBlock::Text { .. } => None,
            })
            .collect()
    }
}

/// The lines of a transcript, after a look at what no line of any reader may hold.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    assert!(text.is_empty() || text.ends_with('\n'), "a torn last line");
    // One search per character: each is fast even without optimization, one for all is not.
    for odd in ["\r", "\0", "\u{85}", "\u{2028}", "\u{2029}"] {
        assert!(!text.contains(odd), "{odd:?}, at which some readers cut lines");
    }
    text.split_terminator('\n')
}

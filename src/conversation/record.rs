//! What one line of a source says, as plain data. Knows no program's words and no file.

use std::borrow::Cow;

use crate::event::Time;
use crate::ndjson::Token;
use crate::notification::Notification;

/// One record of a conversation. What it says in words is not decoded until somebody asks.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says one thing, and any of them may hold")]
pub struct Record<'a> {
    /// Its own id.
    pub id: Option<Cow<'a, str>>,
    /// The id of the record that it goes on from.
    pub parent: Option<Cow<'a, str>>,
    /// Who it comes from.
    pub producer: Producer,
    /// What it is in the conversation.
    pub role: Role<'a>,
    /// Whether it belongs to a side of the conversation that has a stream of its own.
    pub is_side: bool,
    /// When it happened.
    pub time: Option<Time>,
    /// The call of the model that it is a piece of.
    pub call: Option<Cow<'a, str>>,
    /// The run of the agent that it belongs to.
    pub run: Option<Cow<'a, str>>,
    /// What began that run.
    pub trigger: Option<Trigger>,
    /// The record that a new context goes on from.
    pub continues: Option<Cow<'a, str>>,
    /// The call of a tool that it is about, said beside its content.
    pub tool: Option<Cow<'a, str>>,
    /// The stream of a child that it names.
    pub child: Option<Cow<'a, str>>,
    /// The group of children that it names.
    pub batch: Option<Cow<'a, str>>,
    /// The stream that started the child.
    pub started_by: Option<Cow<'a, str>>,
    /// A name that the program gave to what the record is about.
    pub label: Option<Cow<'a, str>>,
    /// The session that it says it belongs to.
    pub session: Option<Cow<'a, str>>,
    /// Whether the model's call is said to have ended.
    pub is_finished: bool,
    /// Whether it says only that a child has begun.
    pub is_launch: bool,
    /// Whether it holds what a child returned.
    pub is_child_result: bool,
    /// The model that wrote it.
    pub model: Option<Token<'a>>,
    /// What it consists of, one part for each element of its content.
    pub parts: Vec<Part<'a>>,
}

/// Who a record comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Producer {
    /// The agent.
    Agent,
    /// The other side: persons, and tools with their results.
    External,
    /// The program around them.
    #[default]
    Runtime,
}

/// What began a run of the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trigger {
    /// Something from outside, usually a person.
    External,
    /// A notification.
    Notification,
    /// Something else was said.
    Unknown,
}

/// What a record is in the conversation. Its type alone does not say: a result of a tool comes as a user's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Role<'a> {
    /// Input from outside, usually a person's.
    Input,
    /// What the agent wrote: a piece of one answer of its model.
    Agent,
    /// What the program wrote in the agent's place, such as a lost connection.
    Synthetic,
    /// What tools answered.
    Results,
    /// What a tool answered too late for a place among the messages, or without a call.
    LooseResult,
    /// The program tells the agent of something that runs beside it.
    Notification(Box<Notification<'a>>),
    /// The same, of a child: another agent.
    ChildNotification(Box<Notification<'a>>),
    /// What the program put into the context.
    Injection,
    /// The context begins anew.
    Reset,
    /// What the new context is told of the old one.
    ResetSummary,
    /// The model's side reports an error.
    Error,
    /// How long a turn took.
    TurnDuration,
    /// A command that was run in the conversation.
    Command,
    /// Anything else that the program says of the session.
    Notice,
    /// The books of the program's queue; what was in it has a record of its own.
    Queue,
    /// Titles, modes and the like, which belong to no point of the conversation.
    State,
    /// It stands for nothing that happened, and is there for the sake of a model alone.
    StandIn,
    /// A record of a kind that is not known.
    #[default]
    Unknown,
}

/// One element of a record's content.
#[derive(Debug, Clone, Copy)]
pub enum Part<'a> {
    /// Words.
    Text(Token<'a>),
    /// What the model thought, where the program kept it.
    Reasoning(Option<Token<'a>>),
    /// A call of a tool.
    Call {
        /// The call's id.
        id: Option<Token<'a>>,
        /// The tool's name.
        name: Option<Token<'a>>,
        /// What the tool is given.
        input: Option<Token<'a>>,
    },
    /// What a tool answered.
    Result {
        /// The call's id.
        of: Option<Token<'a>>,
        /// Whether the tool failed; saying nothing is not success.
        failed: Option<bool>,
        /// The answer.
        content: Option<Token<'a>>,
    },
    /// Anything else.
    Other,
}

/// The bytes of a source that a record stands in, without the line's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// How many bytes are before it.
    pub offset: u64,
    /// How many bytes it has.
    pub length: u64,
}

/// A record as it is read, for who wants more of it than its ids.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// The source, from 1.
    pub seq: u32,
    /// Its line, from 1.
    pub row: u32,
    /// Where the line stands.
    pub span: Span,
    /// What the record says.
    pub record: &'a Record<'a>,
    /// The line itself.
    pub line: &'a str,
}

/// What a record tells a reader besides its parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told<'a> {
    /// The program's word for what it is.
    pub label: Option<Cow<'a, str>>,
    /// Its words, where they stand in no part.
    pub text: Option<Cow<'a, str>>,
    /// What the model's call took.
    pub usage: Option<Usage>,
    /// How long something took, in milliseconds.
    pub duration: Option<u64>,
}

/// How many tokens a call of the model took, as its provider counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// What the model read anew.
    pub input: u64,
    /// What it wrote.
    pub output: u64,
    /// What it read from the provider's cache.
    pub cache_read: u64,
    /// What was put into that cache.
    pub cache_write: u64,
}

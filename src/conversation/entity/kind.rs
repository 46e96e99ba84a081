//! The kinds of nodes, each with what is known of such a node. Knows no id.

use super::{Place, Text};
use crate::conversation::record::Trigger;

/// What makes a segment final, in the order of their names.
pub const GATES: [&str; 4] =
    ["activity_boundary", "conversation_identity", "lateness_watermark", "no_crossing_open_operation"];

/// The names of the gates that are not passed.
pub fn unmet(gates: [bool; GATES.len()]) -> impl Iterator<Item = &'static str> {
    GATES.into_iter().zip(gates).filter(|(_, is_met)| !is_met).map(|(gate, _)| gate)
}

/// The names of all kinds of nodes.
pub const KINDS: [&str; 23] = [
    "session",
    "stream",
    "epoch",
    "talk",
    "run",
    "segment",
    "message.external",
    "message.assistant",
    "message.synthetic",
    "context.injection",
    "llm.call",
    "thinking",
    "tool",
    "agent.call",
    "agent.launch_ack",
    "agent.output",
    "runtime.notification",
    "epoch.boundary",
    "epoch.summary",
    "error.api",
    "control.command",
    "control.notice",
    "turn.duration",
];

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// All of it.
    Session {
        /// The conversation's id.
        conversation: Text,
        /// What the session is called.
        title: Option<Text>,
        /// The earliest and the latest time in it.
        times: Option<(Text, Text)>,
    },
    /// The records of the main agent, or those of a child.
    Stream {
        /// Whether it is a child's.
        is_child: bool,
        /// How many records its sources have.
        records: u32,
        /// What the child is called.
        label: Option<Text>,
    },
    /// A context, up to a reset.
    Epoch {
        /// Whether it begins with a reset.
        is_reset: bool,
        /// The record that it goes on from, by its id in the source.
        continues: Option<Text>,
        /// How many records it has.
        records: u32,
    },
    /// What the model is told of the context before.
    EpochSummary,
    /// The record of a reset.
    EpochBoundary,
    /// What begins with something from outside.
    Talk {
        /// How many runs it has.
        runs: u32,
        /// What began it, if that was said.
        trigger: Option<Trigger>,
    },
    /// The agent's work from one trigger on.
    Run {
        /// What began it, if that was said.
        trigger: Option<Trigger>,
    },
    /// Talks that follow each other closely.
    Segment {
        /// How many talks of the main stream it has.
        talks: u32,
        /// Whether more could follow.
        is_open: bool,
        /// Which of the [`GATES`] are passed.
        gates: [bool; GATES.len()],
    },
    /// A call of the model.
    ModelCall {
        /// How many records are pieces of it.
        pieces: u32,
        /// The last of them, when one says that the call has ended.
        usage_at: Option<Place>,
    },
    /// A call of a tool, with its result.
    Tool {
        /// The tool's name.
        name: Text,
        /// How many results there are.
        results: u32,
        /// Whether it started children.
        starts_child: bool,
        /// What the group that it started is called.
        launched: Option<Text>,
    },
    /// What a child gave back.
    Output {
        /// Whether what it returned is in a record.
        is_returned: bool,
    },
    /// The program said that a child has begun.
    LaunchAck,
    /// The program told of something that runs beside the agent.
    Notification,
    /// Input from outside.
    External,
    /// What the model said.
    Assistant,
    /// What the program said in its place.
    Synthetic,
    /// What the model thought.
    Thinking,
    /// What the program put into the context.
    Injection,
    /// The model's side reported an error.
    ApiError,
    /// How long a turn took.
    TurnDuration,
    /// A command that was run in the conversation.
    Command,
    /// Anything else that the program said.
    Notice,
}

impl NodeKind {
    /// Its name in a round.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Session { .. } => "session",
            Self::Stream { .. } => "stream",
            Self::Epoch { .. } => "epoch",
            Self::EpochSummary => "epoch.summary",
            Self::EpochBoundary => "epoch.boundary",
            Self::Talk { .. } => "talk",
            Self::Run { .. } => "run",
            Self::Segment { .. } => "segment",
            Self::ModelCall { .. } => "llm.call",
            Self::Tool { starts_child: false, .. } => "tool",
            Self::Tool { starts_child: true, .. } => "agent.call",
            Self::Output { .. } => "agent.output",
            Self::LaunchAck => "agent.launch_ack",
            Self::Notification => "runtime.notification",
            Self::External => "message.external",
            Self::Assistant => "message.assistant",
            Self::Synthetic => "message.synthetic",
            Self::Thinking => "thinking",
            Self::Injection => "context.injection",
            Self::ApiError => "error.api",
            Self::TurnDuration => "turn.duration",
            Self::Command => "control.command",
            Self::Notice => "control.notice",
        }
    }

    /// Tells whether it is something that happened, and not what contains such things.
    #[must_use]
    pub fn is_step(self) -> bool {
        !matches!(
            self,
            Self::Session { .. }
                | Self::Stream { .. }
                | Self::Epoch { .. }
                | Self::Talk { .. }
                | Self::Run { .. }
                | Self::Segment { .. }
        )
    }
}

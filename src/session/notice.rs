//! What happened to a transcript that its user should know. Plain data with its wording.

use std::fmt;

/// Something to tell the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// Another program appended to the transcript; said once.
    ForeignAppend,
    /// Another program went on from an older record: so many of our events are not in its branch.
    OffChain(u64),
    /// The disk is full; events are held in memory.
    DiskFull,
    /// What was held is written.
    DiskHasRoom,
    /// The input ended while so many tool calls had no result.
    CallsWithoutResult(u64),
    /// Nothing more will be recorded in this format, for this reason.
    Dropped(String),
    /// So many events are not in the transcript.
    Lost(u64),
}

impl fmt::Display for Notice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let events = |count: &u64| if *count == 1 { "1 event".to_owned() } else { format!("{count} events") };
        match self {
            Self::ForeignAppend => formatter
                .write_str("warn session.foreign_append: another program appends to the transcript: resume a copy, or stop the agent first"),
            Self::OffChain(count) => write!(
                formatter,
                "warn session.off_chain: the other program went on from an older record: it will not see {} of ours",
                events(count)
            ),
            Self::DiskFull => formatter.write_str("disk full: events are held in memory until there is room"),
            Self::DiskHasRoom => formatter.write_str("disk has room again: all held events are written"),
            Self::CallsWithoutResult(1) => formatter.write_str("1 tool call had no result: closed as failed"),
            Self::CallsWithoutResult(count) => write!(formatter, "{count} tool calls had no result: closed as failed"),
            Self::Dropped(reason) => write!(formatter, "cannot record: {reason}"),
            Self::Lost(count) => write!(formatter, "transcript incomplete: {} not recorded", events(count)),
        }
    }
}

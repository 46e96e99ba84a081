//! What is known of a node besides its place, by name. Knows no form of writing.

use super::kind::GATES;
use super::{Conversation, Node, NodeKind, Place, Text};
use crate::conversation::record::Trigger;

/// The value of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'a> {
    /// One of a few words.
    Word(&'static str),
    /// A text of a source.
    Text(&'a str),
    /// A number of things.
    Count(u32),
    /// Yes or no.
    Flag(bool),
    /// Where something stands.
    Place(Place),
    /// The names of the gates that are not passed.
    Unmet([bool; GATES.len()]),
}

/// Said in a record that can be read again.
const OBSERVED: Value<'static> = Value::Word("observed_replayable");

/// Said nowhere.
const UNAVAILABLE: Value<'static> = Value::Word("unavailable");

impl Conversation {
    /// Hands on the attributes of a node, sorted by name.
    pub fn attrs<'a>(&'a self, node: &Node, mut see: impl FnMut(&'static str, Value<'a>)) {
        let text = |text: Text| Value::Text(self.text(text));
        let mut see_all = |attrs: &[(&'static str, Option<Value<'a>>)]| {
            for (name, value) in attrs {
                if let Some(value) = value {
                    see(name, *value);
                }
            }
        };
        match node.kind {
            NodeKind::Session { conversation, title, times } => see_all(&[
                ("conversation", Some(text(conversation))),
                ("from_time", times.map(|(from, _)| text(from))),
                ("through_time", times.map(|(_, through)| text(through))),
                ("title", title.map(text)),
                ("title_from", title.map(|_| OBSERVED)),
            ]),
            NodeKind::Stream { is_child, records, label } => see_all(&[
                ("label", label.map(text)),
                ("records", Some(Value::Count(records))),
                ("role", Some(Value::Word(if is_child { "child" } else { "main" }))),
            ]),
            NodeKind::Epoch { is_reset, continues, records } => see_all(&[
                ("continues_from", continues.map(text)),
                ("records", Some(Value::Count(records))),
                ("reset", Some(if is_reset { OBSERVED } else { Value::Word("none") })),
            ]),
            NodeKind::Talk { runs, trigger } => {
                see_all(&[("runs", Some(Value::Count(runs))), ("trigger", Some(said(trigger)))]);
            }
            NodeKind::Run { trigger } => see_all(&[("trigger", Some(said(trigger)))]),
            NodeKind::Segment { talks, is_open, gates } => see_all(&[
                ("committable", Some(Value::Flag(gates == [true; GATES.len()]))),
                ("gates_unmet", Some(Value::Unmet(gates))),
                ("state", Some(Value::Word(if is_open { "open" } else { "candidate" }))),
                ("talks", Some(Value::Count(talks))),
            ]),
            NodeKind::ModelCall { pieces, usage_at } => see_all(&[
                ("fragments", Some(Value::Count(pieces))),
                ("stop_reason", if usage_at.is_none() { Some(UNAVAILABLE) } else { None }),
                ("usage", Some(if usage_at.is_some() { OBSERVED } else { UNAVAILABLE })),
                ("usage_at", usage_at.map(Value::Place)),
                ("usage_from", Some(Value::Word("last_fragment_in_line_order"))),
            ]),
            NodeKind::Tool { name, results, launched, .. } => {
                let called = server_and_tool(self.text(name));
                see_all(&[
                    ("launched", launched.map(text)),
                    ("mcp_server", called.map(|(server, _)| Value::Text(server))),
                    ("mcp_tool", called.map(|(_, tool)| Value::Text(tool))),
                    ("name", Some(text(name))),
                    ("result", Some(if results == 0 { UNAVAILABLE } else { Value::Word("available") })),
                    ("result_join", Some(Value::Word(join(results)))),
                    ("timing", Some(UNAVAILABLE)),
                ]);
            }
            NodeKind::Output { is_returned } => {
                see_all(&[("returned_value", Some(if is_returned { OBSERVED } else { UNAVAILABLE }))]);
            }
            NodeKind::ApiError => see_all(&[("retry_state", Some(UNAVAILABLE))]),
            NodeKind::TurnDuration => see_all(&[("measured_by", Some(OBSERVED))]),
            NodeKind::EpochSummary
            | NodeKind::EpochBoundary
            | NodeKind::LaunchAck
            | NodeKind::Notification
            | NodeKind::External
            | NodeKind::Assistant
            | NodeKind::Synthetic
            | NodeKind::Thinking
            | NodeKind::Injection
            | NodeKind::Command
            | NodeKind::Notice => {}
        }
    }
}

/// What was said to have begun something.
fn said(trigger: Option<Trigger>) -> Value<'static> {
    Value::Word(match trigger {
        Some(Trigger::External) => "external",
        Some(Trigger::Notification) => "notification",
        Some(Trigger::Unknown) | None => "unknown",
    })
}

/// How a call and so many results belong together.
fn join(results: u32) -> &'static str {
    match results {
        0 => "unresolved",
        1 => "exact_unique",
        _ => "exact_ambiguous",
    }
}

/// The server and the tool that a name of the Model Context Protocol gives, if it gives them in one way only.
fn server_and_tool(name: &str) -> Option<(&str, &str)> {
    let rest = name.strip_prefix("mcp__")?;
    let (server, tool) = rest.split_once("__")?;
    (!server.is_empty() && !tool.is_empty() && !tool.starts_with('_') && !tool.contains("__")).then_some((server, tool))
}

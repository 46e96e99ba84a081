//! Stages 3 and 4, and every other step: calls of the model, what it said and thought, tools, what came from outside.

use std::collections::BTreeMap;

use super::{Assembly, Tool};
use crate::conversation::entity::{Node, Place, Value, escape, id};
use crate::conversation::ids::Id;
use crate::conversation::index::{Block, Entry, Step};

/// A call of the model.
struct Call {
    first: u32,
    last: u32,
    pieces: u64,
    is_finished: bool,
}

impl Assembly<'_> {
    pub(super) fn steps(&mut self) {
        self.calls();
        for number in std::mem::take(&mut self.canonical) {
            let Some(entry) = self.entry(number) else { continue };
            match entry.step {
                Step::Agent | Step::Synthetic => self.agent(number, entry),
                Step::Results => self.results(number),
                Step::Input => self.step(number, "input", "message.external", Vec::new()),
                Step::Injection => self.step(number, "inject", "context.injection", Vec::new()),
                Step::Error => {
                    self.step(number, "error", "error.api", vec![("retry_state", Value::Word("unavailable"))]);
                }
                Step::TurnDuration => {
                    let measured = vec![("measured_by", Value::Word("observed_replayable"))];
                    self.step(number, "turn", "turn.duration", measured);
                }
                Step::Command => self.step(number, "command", "control.command", Vec::new()),
                Step::Notice => self.step(number, "notice", "control.notice", Vec::new()),
                // These are made where the context and the children are.
                Step::Notification | Step::Reset | Step::ResetSummary | Step::Other => {}
            }
            self.canonical.push(number);
        }
        self.tool_nodes();
    }

    /// Adds a step that stands where its record does.
    pub(super) fn step(&mut self, number: u32, prefix: &str, kind: &'static str, attrs: Vec<(&'static str, Value)>) {
        let Some(entry) = self.entry(number) else { return };
        let id = at(prefix, entry);
        let (parent, stream) = (self.container(number), self.stream_of(entry));
        self.add(Node { id, kind, parent, stream, places: vec![entry.place()], attrs });
    }

    fn calls(&mut self) {
        let mut calls: BTreeMap<Id, Call> = BTreeMap::new();
        for number in &self.canonical {
            let Some(entry) = self.entry(*number) else { continue };
            if !matches!(entry.step, Step::Agent | Step::Synthetic) || !entry.call.is_some() {
                continue;
            }
            let new = Call { first: *number, last: *number, pieces: 0, is_finished: false };
            let call = calls.entry(entry.call).or_insert(new);
            call.last = *number;
            call.pieces += 1;
            call.is_finished |= entry.is_finished;
        }
        for (call_id, call) in calls {
            let (Some(first), Some(last)) = (self.entry(call.first), self.entry(call.last)) else { continue };
            let mut attrs = vec![
                ("fragments", Value::Count(call.pieces)),
                ("usage_from", Value::Word("last_fragment_in_line_order")),
            ];
            if call.is_finished {
                attrs.push(("usage", Value::Word("observed_replayable")));
                attrs.push(("usage_at", Value::Place(last.place())));
            } else {
                attrs.push(("usage", Value::Word("unavailable")));
                attrs.push(("stop_reason", Value::Word("unavailable")));
            }
            let id = id("call", &[&escape(self.text(call_id))]);
            let (parent, stream) = (self.container(call.first), self.stream_of(first));
            self.add(Node { id, kind: "llm.call", parent, stream, places: vec![first.place()], attrs });
        }
    }

    /// What contains the parts of a record of the agent: the model's call, if it says which.
    fn call_or_container(&self, number: u32, entry: &Entry) -> Option<String> {
        if entry.call.is_some() && matches!(entry.step, Step::Agent | Step::Synthetic) {
            return Some(id("call", &[&escape(self.text(entry.call))]));
        }
        self.container(number)
    }

    fn agent(&mut self, number: u32, entry: &Entry) {
        let said = if entry.step == Step::Synthetic { "message.synthetic" } else { "message.assistant" };
        for (block, part) in (0_u32..).zip(self.index.blocks(number as usize)) {
            let (prefix, kind) = match part {
                Block::Text => ("msg", said),
                Block::Reasoning => ("think", "thinking"),
                Block::Call { id, .. } => {
                    let new = || Tool { call: None, result: None, results: 0, node: None };
                    if id.is_some() {
                        self.tools.entry(*id).or_insert_with(new).call.get_or_insert((number, block));
                    }
                    continue;
                }
                Block::Result { .. } | Block::Other => continue,
            };
            let id = format!("{}:{block}", at(prefix, entry));
            let (parent, stream) = (self.call_or_container(number, entry), self.stream_of(entry));
            let places = vec![Place { block: Some(block), ..entry.place() }];
            self.add(Node { id, kind, parent, stream, places, attrs: Vec::new() });
        }
    }

    fn results(&mut self, number: u32) {
        for (block, part) in (0_u32..).zip(self.index.blocks(number as usize)) {
            if let Block::Result { of } = part
                && of.is_some()
            {
                let new = || Tool { call: None, result: None, results: 0, node: None };
                let tool = self.tools.entry(*of).or_insert_with(new);
                tool.result.get_or_insert((number, block));
                tool.results += 1;
            }
        }
    }

    fn tool_nodes(&mut self) {
        let mut tools = std::mem::take(&mut self.tools);
        for (tool_id, tool) in &mut tools {
            let text = self.text(*tool_id);
            let Some((number, block)) = tool.call else {
                self.miss("tool_use", text, "a result answers a call that is not there");
                continue;
            };
            let Some(entry) = self.entry(number) else { continue };
            let join = match tool.results {
                0 => "unresolved",
                1 => "exact_unique",
                _ => "exact_ambiguous",
            };
            let mut places = vec![Place { block: Some(block), ..entry.place() }];
            if let Some((number, block)) = tool.result
                && tool.results == 1
                && let Some(entry) = self.entry(number)
            {
                places.push(Place { block: Some(block), ..entry.place() });
            }
            if tool.results != 1 {
                let none = "a call has no result";
                let reason = if tool.results == 0 { none } else { "a call has several results" };
                self.miss("tool_result", text, reason);
            }
            let name = match self.index.blocks(number as usize).get(block as usize) {
                Some(Block::Call { name, .. }) => self.text(*name),
                _ => "",
            };
            let result = if tool.results == 0 { "unavailable" } else { "available" };
            let mut attrs = vec![
                ("name", Value::Text(name.to_owned())),
                ("result", Value::Word(result)),
                ("result_join", Value::Word(join)),
                ("timing", Value::Word("unavailable")),
            ];
            if let Some((server, tool)) = server_and_tool(name) {
                attrs.push(("mcp_server", Value::Text(server.to_owned())));
                attrs.push(("mcp_tool", Value::Text(tool.to_owned())));
            }
            let id = id("tool", &[&escape(text)]);
            let (parent, stream) = (self.call_or_container(number, entry), self.stream_of(entry));
            tool.node = Some(self.add(Node { id, kind: "tool", parent, stream, places, attrs }));
        }
        self.tools = tools;
    }
}

/// The id of a step that stands where its record does.
pub(super) fn at(prefix: &str, entry: &Entry) -> String {
    format!("{prefix}/{}/{}", entry.seq, entry.row)
}

/// The server and the tool that a name of the Model Context Protocol gives, if it gives them in one way only.
fn server_and_tool(name: &str) -> Option<(&str, &str)> {
    let rest = name.strip_prefix("mcp__")?;
    let (server, tool) = rest.split_once("__")?;
    (!server.is_empty() && !tool.is_empty() && !tool.starts_with('_') && !tool.contains("__")).then_some((server, tool))
}

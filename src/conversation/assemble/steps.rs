//! Stages 3 and 4, and every other step: calls of the model, what it said and thought, tools, what came from outside.

use std::collections::HashMap;

use super::naming::Named;
use super::{Assembly, Inside, Part, Tool};
use crate::conversation::entity::{NodeKind, Place, Text};
use crate::conversation::entry::{Block, Entry, Step};
use crate::conversation::ids::Id;

/// A part that calls a tool, or that is a result of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Use {
    tool: Id,
    is_result: bool,
    part: Part,
}

impl Assembly<'_> {
    pub(super) fn steps(&mut self) {
        let holders = self.calls();
        let mut uses = Vec::new();
        for number in std::mem::take(&mut self.canonical) {
            let Some(entry) = self.entry(number) else { continue };
            match entry.step {
                Step::Agent | Step::Synthetic => self.agent(number, entry, &holders, &mut uses),
                Step::Results => self.results(number, &mut uses),
                Step::Input => self.step(number, entry, "input", NodeKind::External),
                Step::Injection => self.step(number, entry, "inject", NodeKind::Injection),
                Step::Error => self.step(number, entry, "error", NodeKind::ApiError),
                Step::TurnDuration => self.step(number, entry, "turn", NodeKind::TurnDuration),
                Step::Command => self.step(number, entry, "command", NodeKind::Command),
                Step::Notice => self.step(number, entry, "notice", NodeKind::Notice),
                // These are made where the context and the children are.
                Step::Notification | Step::Reset | Step::ResetSummary | Step::Other => {}
            }
            self.canonical.push(number);
        }
        self.tools(uses, &holders);
    }

    /// Adds a step that stands where its record does.
    pub(super) fn step(&mut self, number: u32, entry: &Entry, prefix: &str, kind: NodeKind) {
        let id = self.id_at(prefix, entry);
        self.add(id, kind, self.inside(number, entry), &[entry.place()]);
    }

    /// Adds the calls of the model. Returns for each entry what contains its parts: the call, if the record says which,
    /// else what contains the record.
    fn calls(&mut self) -> Vec<Option<Text>> {
        let mut holders = self.containers.clone();
        let is_piece = |entry: &Entry| matches!(entry.step, Step::Agent | Step::Synthetic) && entry.call.is_some();
        let pieces = self.counting().filter(|(_, entry)| is_piece(entry));
        let mut pieces: Vec<(Id, u32)> = pieces.map(|(number, entry)| (entry.call, number)).collect();
        pieces.sort_unstable();
        for call in pieces.chunk_by(|(one, _), (other, _)| one == other) {
            let (Some((call_id, first)), Some((_, last))) = (call.first(), call.last()) else { continue };
            let (Some(entry), Some(last)) = (self.entry(*first), self.entry(*last)) else { continue };
            let is_finished = call.iter().any(|(_, piece)| self.entry(*piece).is_some_and(|entry| entry.is_finished));
            let usage_at = is_finished.then(|| last.place());
            let kind = NodeKind::ModelCall { pieces: u32::try_from(call.len()).unwrap_or(u32::MAX), usage_at };
            let id = self.id("call", &[Named::Source(*call_id)]);
            self.add(id, kind, self.inside(*first, entry), &[entry.place()]);
            for (_, piece) in call {
                if let Some(holder) = holders.get_mut(*piece as usize) {
                    *holder = Some(id);
                }
            }
        }
        holders
    }

    fn agent(&mut self, number: u32, entry: &Entry, holders: &[Option<Text>], uses: &mut Vec<Use>) {
        let said = if entry.step == Step::Synthetic { NodeKind::Synthetic } else { NodeKind::Assistant };
        for (block, part) in (0_u32..).zip(self.index.blocks(number as usize)) {
            let (prefix, kind) = match part {
                Block::Text => ("msg", said),
                Block::Reasoning => ("think", NodeKind::Thinking),
                Block::Call { id, .. } => {
                    uses.push(Use { tool: *id, is_result: false, part: Part { entry: number, block } });
                    continue;
                }
                Block::Result { .. } | Block::Other => continue,
            };
            let id = self.id_of_block(prefix, entry, block);
            let place = Place { block: Some(block), ..entry.place() };
            let inside = Inside { parent: holder(holders, number), stream: self.stream_of(entry) };
            self.add(id, kind, inside, &[place]);
        }
    }

    fn results(&mut self, number: u32, uses: &mut Vec<Use>) {
        for (block, part) in (0_u32..).zip(self.index.blocks(number as usize)) {
            if let Block::Result { of } = part {
                uses.push(Use { tool: *of, is_result: true, part: Part { entry: number, block } });
            }
        }
    }

    fn tools(&mut self, mut uses: Vec<Use>, holders: &[Option<Text>]) {
        uses.retain(|said| said.tool.is_some());
        // Calls first, and each in the order of the records.
        uses.sort_unstable();
        let mut names = HashMap::new();
        for of_one in uses.chunk_by(|one, other| one.tool == other.tool) {
            let (calls, results) = of_one.split_at(of_one.partition_point(|said| !said.is_result));
            let mut tool = Tool {
                id: of_one.first().map(|said| said.tool).unwrap_or_default(),
                call: calls.first().map(|said| said.part),
                result: results.first().map(|said| said.part),
                results: u32::try_from(results.len()).unwrap_or(u32::MAX),
                node: None,
            };
            tool.node = self.tool_node(&tool, holders, &mut names);
            self.tools.push(tool);
        }
    }

    /// Adds the node of a call and its result. The texts of tools' names are made once.
    fn tool_node(&mut self, tool: &Tool, holders: &[Option<Text>], names: &mut HashMap<Id, Text>) -> Option<usize> {
        let text = self.text(tool.id);
        let Some(call) = tool.call else {
            self.miss("tool_use", &text, "a result answers a call that is not there");
            return None;
        };
        match tool.results {
            0 => self.miss("tool_result", &text, "a call has no result"),
            1 => {}
            _ => self.miss("tool_result", &text, "a call has several results"),
        }
        let entry = self.entry(call.entry)?;
        let name = match self.index.blocks(call.entry as usize).get(call.block as usize) {
            Some(Block::Call { name, .. }) => *name,
            _ => Id::NONE,
        };
        let name = *names.entry(name).or_insert_with(|| self.made.texts.add(&self.index.ids.text(name)));
        let kind = NodeKind::Tool { name, results: tool.results, starts_child: false, launched: None };
        let result = tool.result.filter(|_| tool.results == 1);
        let (call_at, result_at) = (self.place(call)?, result.and_then(|part| self.place(part)));
        let id = self.id("tool", &[Named::Source(tool.id)]);
        let inside = Inside { parent: holder(holders, call.entry), stream: self.stream_of(entry) };
        Some(match result_at {
            Some(result_at) => self.add(id, kind, inside, &[call_at, result_at]),
            None => self.add(id, kind, inside, &[call_at]),
        })
    }
}

fn holder(holders: &[Option<Text>], number: u32) -> Option<Text> {
    holders.get(number as usize).copied().flatten()
}

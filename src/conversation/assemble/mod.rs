//! From records to a conversation, in eight stages. Knows ids and places, never texts, and no program's words.
//!
//! 1. Of records with one id the first counts.
//! 2. Records are in the stream of their source.
//! 3. Pieces with one call id are one call of the model.
//! 4. A call of a tool and its result are one node.
//! 5. Children belong to the calls that started them.
//! 6. A context ends where a record says so.
//! 7. A talk begins with what came from outside.
//! 8. Talks with at most ten minutes between them are one segment.

mod children;
mod segments;
mod steps;
mod streams;

use std::collections::{BTreeMap, HashMap};

use super::entity::{Conversation, Node, Place, Quality, Relation, Unresolved, Value, escape, id};
use super::ids::Id;
use super::index::{Entry, Index};
use crate::event::Time;

/// What is supplied from outside and never guessed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Names {
    /// The conversation's id.
    pub(super) conversation: String,
    /// Whether somebody gave it, or it is the session's for want of another.
    pub(super) is_given: bool,
    /// The session's id.
    pub(super) session: String,
}

/// Puts a session together.
pub(super) fn assemble(index: &Index, names: &Names) -> Conversation {
    let mut assembly = Assembly::new(index, names);
    assembly.leave_copies_out();
    assembly.session();
    assembly.streams();
    assembly.steps();
    assembly.children();
    assembly.segments();
    assembly.finish()
}

/// A talk, with what segments are made of.
#[derive(Debug)]
struct Talk {
    node: usize,
    /// What contains its records that are in no run.
    container: u32,
    is_main: bool,
    first_place: Place,
    /// The times of the records that belong to a run of it.
    times: Option<(Time, Time)>,
    runs: u64,
}

/// A call of a tool.
#[derive(Debug)]
struct Tool {
    call: Option<(u32, u32)>,
    /// The first result, and how many there are.
    result: Option<(u32, u32)>,
    results: u64,
    node: Option<usize>,
}

struct Assembly<'a> {
    index: &'a Index,
    names: &'a Names,
    /// The entries that count, by number.
    canonical: Vec<u32>,
    /// For each id of a record the number of its entry, from 1.
    by_id: Vec<u32>,
    /// For each entry the number of what contains it, from 1.
    containers: Vec<u32>,
    container_ids: Vec<String>,
    talks: Vec<Talk>,
    /// For each container the talk that it belongs to.
    talk_of_container: Vec<Option<usize>>,
    tools: BTreeMap<Id, Tool>,
    /// The streams that have a source, by name.
    stream_ids: HashMap<Id, String>,
    session_id: String,
    nodes: Vec<Node>,
    relations: BTreeMap<String, Relation>,
    unresolved: BTreeMap<String, Unresolved>,
}

impl<'a> Assembly<'a> {
    fn new(index: &'a Index, names: &'a Names) -> Self {
        Self {
            index,
            names,
            canonical: Vec::with_capacity(index.entries.len()),
            by_id: vec![0; index.ids.count()],
            containers: vec![0; index.entries.len()],
            container_ids: Vec::new(),
            talks: Vec::new(),
            talk_of_container: Vec::new(),
            tools: BTreeMap::new(),
            stream_ids: HashMap::new(),
            session_id: id("session", &[&escape(&names.session)]),
            nodes: Vec::new(),
            relations: BTreeMap::new(),
            unresolved: BTreeMap::new(),
        }
    }

    fn leave_copies_out(&mut self) {
        for (number, entry) in (0_u32..).zip(&self.index.entries) {
            match self.by_id.get_mut(entry.id.place()) {
                Some(first) if entry.id.is_some() && *first != 0 => continue,
                Some(first) if entry.id.is_some() => *first = number + 1,
                _ => {}
            }
            self.canonical.push(number);
        }
    }

    fn entry(&self, number: u32) -> Option<&'a Entry> {
        self.index.entries.get(number as usize)
    }

    /// The entry that a record's id names.
    fn entry_of(&self, id: Id) -> Option<u32> {
        self.by_id.get(id.place())?.checked_sub(1)
    }

    fn text(&self, id: Id) -> &'a str {
        self.index.ids.text(id)
    }

    fn stream_of(&self, entry: &Entry) -> Option<String> {
        self.stream_ids.get(&self.index.source(entry)?.stream).cloned()
    }

    fn container(&self, number: u32) -> Option<String> {
        let place = (*self.containers.get(number as usize)?).checked_sub(1)?;
        self.container_ids.get(place as usize).cloned()
    }

    fn add(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn set(&mut self, node: usize, name: &'static str, value: Value) {
        if let Some(node) = self.nodes.get_mut(node) {
            match node.attrs.iter_mut().find(|(own, _)| *own == name) {
                Some((_, own)) => *own = value,
                None => node.attrs.push((name, value)),
            }
        }
    }

    fn relate(
        &mut self,
        kind: &'static str,
        (from, to): (&str, &str),
        (quality, via): (Quality, Option<&'static str>),
        evidence: &[Place],
    ) {
        let id = id("rel", &[kind, &escape(from), &escape(to)]);
        let new = Relation { id, kind, from: from.to_owned(), to: to.to_owned(), quality, via, evidence: Vec::new() };
        let relation = self.relations.entry(new.id.clone()).or_insert(new);
        if quality > relation.quality {
            relation.quality = quality;
            relation.via = via;
        }
        relation.evidence.extend_from_slice(evidence);
    }

    fn miss(&mut self, kind: &'static str, missing: &str, reason: &'static str) {
        let id = id("unres", &[kind, &escape(missing)]);
        let new = Unresolved { id: id.clone(), kind, missing: missing.to_owned(), reason };
        self.unresolved.entry(id).or_insert(new);
    }

    fn finish(mut self) -> Conversation {
        for node in &mut self.nodes {
            node.attrs.sort_by_key(|(name, _)| *name);
        }
        self.nodes.sort_unstable_by(|one, other| one.id.cmp(&other.id));
        // An id that two things of a damaged session would share belongs to the first.
        self.nodes.dedup_by(|later, first| later.id == first.id);
        for relation in self.relations.values_mut() {
            relation.evidence.sort_unstable();
            relation.evidence.dedup();
        }
        Conversation {
            nodes: self.nodes,
            relations: self.relations.into_values().collect(),
            unresolved: self.unresolved.into_values().collect(),
        }
    }
}

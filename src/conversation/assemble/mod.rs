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
mod finish;
mod naming;
mod order;
mod segments;
mod steps;
mod streams;

use std::borrow::Cow;
use std::collections::BTreeMap;

pub(super) use self::finish::in_order;
use self::naming::Named;
use super::entity::{Conversation, Node, NodeKind, Place, Quality, Relation, Text, Unresolved, escape, id};
use super::entry::{Entry, Times};
use super::ids::Id;
use super::index::Index;

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

/// Puts a session together. What comes out is in no order yet: [`in_order`] needs no index any more.
pub(super) fn assemble(index: &Index, names: &Names) -> Assembled {
    let mut assembly = Assembly::new(index, names);
    assembly.leave_copies_out();
    assembly.session();
    assembly.streams();
    assembly.steps();
    assembly.children();
    assembly.segments();
    Assembled { nodes: assembly.nodes, rest: assembly.made }
}

/// What has come out, in no order.
pub(super) struct Assembled {
    nodes: Vec<Node>,
    rest: Conversation,
}

/// A talk, with what segments are made of.
#[derive(Debug)]
struct Talk {
    id: Text,
    node: usize,
    is_main: bool,
    first_place: Place,
    /// The times of the records that belong to a run of it.
    times: Times,
}

/// A call of a tool.
#[derive(Debug)]
struct Tool {
    id: Id,
    call: Option<Part>,
    /// The first result, and how many there are.
    result: Option<Part>,
    results: u32,
    node: Option<usize>,
}

/// A part of a record: the number of its entry, and its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    entry: u32,
    block: u32,
}

/// The nodes that one is in.
#[derive(Debug, Clone, Copy)]
struct Inside {
    parent: Option<Text>,
    stream: Option<Text>,
}

struct Assembly<'a> {
    index: &'a Index,
    names: &'a Names,
    /// The entries that count, by number.
    canonical: Vec<u32>,
    /// For each id of a record the number of its entry, from 1.
    by_id: Vec<u32>,
    /// For each entry what contains it.
    containers: Vec<Option<Text>>,
    talks: Vec<Talk>,
    /// Sorted by id.
    tools: Vec<Tool>,
    /// The streams that have a source, by name.
    stream_ids: BTreeMap<Id, Text>,
    session: Text,
    /// What has come out so far, in no order.
    nodes: Vec<Node>,
    made: Conversation,
}

impl<'a> Assembly<'a> {
    fn new(index: &'a Index, names: &'a Names) -> Self {
        let mut made = Conversation::default();
        Self {
            index,
            names,
            canonical: Vec::with_capacity(index.entries.len()),
            by_id: vec![0; index.ids.end()],
            containers: vec![None; index.entries.len()],
            talks: Vec::new(),
            tools: Vec::new(),
            stream_ids: BTreeMap::new(),
            nodes: Vec::new(),
            session: made.texts.add(&id("session", &[&escape(&names.session)])),
            made,
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

    /// The entries that count, with their numbers.
    fn counting(&self) -> impl Iterator<Item = (u32, &'a Entry)> {
        let entries = &self.index.entries;
        self.canonical.iter().filter_map(|number| Some((*number, entries.get(*number as usize)?)))
    }

    fn entry(&self, number: u32) -> Option<&'a Entry> {
        self.index.entries.get(number as usize)
    }

    /// The entry that a record's id names.
    fn entry_of(&self, id: Id) -> Option<u32> {
        self.by_id.get(id.place())?.checked_sub(1)
    }

    fn text(&self, id: Id) -> Cow<'a, str> {
        self.index.ids.text(id)
    }

    fn place(&self, part: Part) -> Option<Place> {
        self.entry(part.entry).map(|entry| Place { block: Some(part.block), ..entry.place() })
    }

    /// What the node of a record is in.
    fn inside(&self, number: u32, entry: &Entry) -> Inside {
        Inside { parent: self.container(number), stream: self.stream_of(entry) }
    }

    fn stream_of(&self, entry: &Entry) -> Option<Text> {
        self.stream_ids.get(&self.index.source(entry)?.stream).copied()
    }

    fn container(&self, number: u32) -> Option<Text> {
        self.containers.get(number as usize).copied().flatten()
    }

    /// The call of a tool that an id names.
    fn tool(&self, id: Id) -> Option<&Tool> {
        let place = self.tools.binary_search_by_key(&id, |tool| tool.id).ok()?;
        self.tools.get(place)
    }

    /// Adds a node; returns its number.
    fn add(&mut self, id: Text, kind: NodeKind, inside: Inside, places: &[Place]) -> usize {
        let places = self.made.list(places);
        self.nodes.push(Node { id, kind, parent: inside.parent, stream: inside.stream, places });
        self.nodes.len() - 1
    }

    fn kind_mut(&mut self, node: usize) -> Option<&mut NodeKind> {
        self.nodes.get_mut(node).map(|node| &mut node.kind)
    }

    fn relate(
        &mut self,
        kind: &'static str,
        (from, to): (Text, Text),
        (quality, via): (Quality, Option<&'static str>),
        evidence: Option<Place>,
    ) {
        let id = self.id("rel", &[Named::Word(kind), Named::Of(from), Named::Of(to)]);
        let evidence = self.made.list(evidence.as_slice());
        self.made.relations.push(Relation { id, kind, from, to, quality, via, evidence });
    }

    fn miss(&mut self, kind: &'static str, missing: &str, reason: &'static str) {
        let id = self.id("unres", &[Named::Word(kind), Named::Said(missing)]);
        let missing = self.made.texts.add(missing);
        self.made.unresolved.push(Unresolved { id, kind, missing, reason });
    }
}

//! Stage 5: the streams of children, and what they have to do with the calls that started them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::naming::Named;
use super::streams::MAIN;
use super::{Assembly, Inside};
use crate::conversation::adapters::Kind;
use crate::conversation::entity::{NodeKind, Place, Quality, Text};
use crate::conversation::entry::{Block, Entry, Step};
use crate::conversation::ids::Id;
use crate::conversation::record::Producer;

/// What says that a child was started.
#[derive(Debug, Clone, Copy)]
struct Edge {
    child: Id,
    tool: Id,
    batch: Id,
    parent: Id,
    quality: Quality,
    via: &'static str,
    place: Place,
}

const BY_RESULT: &str = "parent tool result";

impl Assembly<'_> {
    pub(super) fn children(&mut self) {
        let telling = self.telling();
        let edges = self.edges(&telling);
        let spawned = self.spawn(&edges);
        let reported = self.notifications(&telling, &edges);
        self.launches(&telling);
        self.outputs(&telling, &spawned, &reported);
        self.launched_groups(&telling);
        let known: HashSet<Id> = edges.iter().map(|edge| edge.child).collect();
        let streams: Vec<Id> = self.stream_ids.keys().filter(|stream| !known.contains(stream)).copied().collect();
        for stream in streams {
            let name = self.text(stream);
            if name != MAIN {
                self.miss("spawn_of_child", &name, "a child is there, and nothing that started it");
            }
        }
    }

    fn kind_of(&self, entry: &Entry) -> Option<Kind> {
        self.index.source(entry).map(|source| source.kind)
    }

    fn first_result(&self, number: u32) -> Id {
        let mut results = self.index.blocks(number as usize).iter().filter_map(|block| match block {
            Block::Result { of } => Some(*of),
            _ => None,
        });
        results.next().unwrap_or_default()
    }

    /// The entries that count and tell something of children, which are few, with their numbers.
    fn telling(&self) -> Vec<(u32, Entry)> {
        let is_telling = |entry: &Entry| {
            let names_one = entry.child.is_some() || entry.batch.is_some();
            names_one || entry.is_launch || entry.is_child_result || entry.step == Step::Notification
        };
        self.counting().filter(|(_, entry)| is_telling(entry)).map(|(number, entry)| (number, *entry)).collect()
    }

    fn edges(&self, telling: &[(u32, Entry)]) -> Vec<Edge> {
        let mut batches: HashMap<Id, Id> = HashMap::new();
        for (number, entry) in telling.iter().filter(|(_, entry)| entry.batch.is_some()) {
            let tool = self.first_result(*number);
            if tool.is_some() && self.kind_of(entry) == Some(Kind::Transcript) {
                batches.entry(entry.batch).or_insert(tool);
            }
        }
        let mut seen = BTreeSet::new();
        let mut edges = Vec::new();
        for (number, entry) in telling.iter().filter(|(_, entry)| entry.child.is_some()) {
            let new = Edge {
                child: entry.child,
                tool: Id::NONE,
                batch: Id::NONE,
                parent: Id::NONE,
                quality: Quality::ExactUnique,
                via: BY_RESULT,
                place: entry.place(),
            };
            let edge = match (self.kind_of(entry), entry.step) {
                (Some(Kind::Journal), _) => Edge {
                    tool: batches.get(&entry.batch).copied().unwrap_or_default(),
                    batch: entry.batch,
                    quality: Quality::StrongInference,
                    via: "run journal",
                    ..new
                },
                (Some(Kind::Sidecar), _) => {
                    Edge { tool: entry.tool, parent: entry.started_by, via: "child sidecar", ..new }
                }
                (_, Step::Notification) => Edge { tool: entry.tool, via: "completion notification", ..new },
                _ => {
                    let tool = if entry.tool.is_some() { entry.tool } else { self.first_result(*number) };
                    Edge { tool, batch: entry.batch, ..new }
                }
            };
            let says_something = edge.tool.is_some() || edge.batch.is_some() || edge.parent.is_some();
            // The same said by another kind of record can be said better.
            if says_something && seen.insert((edge.tool, edge.batch, edge.parent, edge.child, edge.via)) {
                edges.push(edge);
            }
        }
        edges
    }

    /// Relates calls to the children that they started; returns which calls started each child.
    fn spawn(&mut self, edges: &[Edge]) -> BTreeMap<Id, Vec<Edge>> {
        let mut spawned: BTreeMap<Id, Vec<Edge>> = BTreeMap::new();
        for edge in edges {
            let Some(stream) = self.stream_ids.get(&edge.child).copied() else {
                self.miss("child_stream", &self.text(edge.child), "a child is named, and its records are not there");
                continue;
            };
            let Some(node) = self.tool(edge.tool).and_then(|tool| tool.node) else {
                let missing = if edge.tool.is_some() { edge.tool } else { edge.batch };
                if missing.is_some() {
                    self.miss("spawn_call", &self.text(missing), "a child was started by a call that is not there");
                }
                continue;
            };
            if let Some(NodeKind::Tool { starts_child, .. }) = self.kind_mut(node) {
                *starts_child = true;
            }
            if let Some(from) = self.nodes.get(node).map(|node| node.id) {
                self.relate("starts", (from, stream), (edge.quality, Some(edge.via)), Some(edge.place));
            }
            spawned.entry(edge.child).or_default().push(*edge);
        }
        spawned
    }

    /// Adds the notifications; returns the children that one is about.
    fn notifications(&mut self, telling: &[(u32, Entry)], edges: &[Edge]) -> BTreeSet<Id> {
        let mut reported = BTreeSet::new();
        let mut of_call: HashMap<Id, Vec<Id>> = HashMap::new();
        for edge in edges.iter().filter(|edge| edge.tool.is_some()) {
            of_call.entry(edge.tool).or_default().push(edge.child);
        }
        for (number, entry) in telling.iter().filter(|(_, entry)| entry.step == Step::Notification) {
            let from = self.id_at("notify", entry);
            self.add(from, NodeKind::Notification, self.inside(*number, entry), &[entry.place()]);
            let named: Vec<(Id, Quality)> = if entry.child.is_some() {
                vec![(entry.child, Quality::ExactUnique)]
            } else {
                let children = of_call.get(&entry.tool).into_iter().flatten();
                children.map(|child| (*child, Quality::StrongInference)).collect()
            };
            for (child, quality) in named {
                let is_first = reported.insert(child);
                match self.stream_ids.get(&child).copied() {
                    Some(stream) => self.relate("reports", (from, stream), (quality, None), Some(entry.place())),
                    None if !is_first => {}
                    None => self.miss(
                        "notified_child",
                        &self.text(child),
                        "a notification is about a child whose records are not there",
                    ),
                }
            }
        }
        reported
    }

    fn launches(&mut self, telling: &[(u32, Entry)]) {
        for (number, entry) in telling.iter().filter(|(_, entry)| entry.is_launch) {
            self.step(*number, entry, "ack", NodeKind::LaunchAck);
        }
    }

    /// Adds what each child gave back.
    fn outputs(&mut self, telling: &[(u32, Entry)], spawned: &BTreeMap<Id, Vec<Edge>>, reported: &BTreeSet<Id>) {
        let mut last: BTreeMap<Id, Place> = BTreeMap::new();
        // The first source is the main stream, which is no child's.
        for (_, entry) in self.counting().filter(|(_, entry)| entry.seq > 1 && entry.step == Step::Agent) {
            let source = self.index.source(entry).filter(|_| entry.producer == Producer::Agent);
            last.extend(source.map(|source| (source.stream, entry.place())));
        }
        let mut returned: BTreeMap<Id, Place> = BTreeMap::new();
        for (_, entry) in telling.iter().filter(|(_, entry)| entry.is_child_result) {
            if self.kind_of(entry) == Some(Kind::Journal) {
                returned.entry(entry.child).or_insert(entry.place());
            }
        }
        for (stream, stream_id) in self.stream_ids.clone() {
            let name = self.text(stream);
            if name == MAIN {
                continue;
            }
            let own_result =
                spawned.get(&stream).and_then(|edges| self.own_result(edges)).filter(|_| !reported.contains(&stream));
            let is_returned = returned.contains_key(&stream) || own_result.is_some();
            let places: Vec<Place> = last.get(&stream).into_iter().chain(returned.get(&stream)).copied().collect();
            let output = self.id("output", &[Named::Source(stream)]);
            let inside = Inside { parent: Some(stream_id), stream: Some(stream_id) };
            self.add(output, NodeKind::Output { is_returned }, inside, &places);
            self.relate("ends_with", (stream_id, output), (Quality::ExactUnique, None), places.first().copied());
            if let Some((call, place)) = own_result {
                self.relate("result_of", (output, call), (Quality::ExactUnique, Some(BY_RESULT)), Some(place));
            }
        }
    }

    /// The one call that started a child itself and whose result is the child's.
    fn own_result(&self, edges: &[Edge]) -> Option<(Text, Place)> {
        let calls: BTreeSet<Id> = edges.iter().map(|edge| edge.tool).collect();
        let edge = edges.iter().find(|edge| edge.via == BY_RESULT && !edge.batch.is_some())?;
        let tool = self.tool(edge.tool).filter(|tool| calls.len() == 1 && tool.results == 1)?;
        let result = tool.result?;
        let is_launch = self.entry(result.entry)?.is_launch;
        let call = self.nodes.get(tool.node?)?.id;
        self.place(result).filter(|_| !is_launch).map(|place| (call, place))
    }

    /// Says of calls that started a group what the group is called, and where more of it is told.
    fn launched_groups(&mut self, telling: &[(u32, Entry)]) {
        let mut manifests: HashMap<Id, &Entry> = HashMap::new();
        let of_groups = || telling.iter().filter(|(_, entry)| entry.batch.is_some());
        for (_, entry) in of_groups().filter(|(_, entry)| self.kind_of(entry) == Some(Kind::Manifest)) {
            manifests.entry(entry.batch).or_insert(entry);
        }
        for (number, entry) in of_groups() {
            let Some(node) = self.tool(self.first_result(*number)).and_then(|tool| tool.node) else { continue };
            let Some(manifest) = manifests.get(&entry.batch) else { continue };
            if let Some(label) = self.index.source(manifest).and_then(|source| source.label.as_deref()) {
                let label = self.made.texts.add(label);
                if let Some(NodeKind::Tool { launched, .. }) = self.kind_mut(node) {
                    *launched = Some(label);
                }
            }
            let places = self.nodes.get(node).map(|node| node.places);
            if let Some(places) = places.filter(|places| !self.made.places(places).contains(&manifest.place())) {
                let places = self.made.longer(places, manifest.place());
                self.nodes.get_mut(node).into_iter().for_each(|node| node.places = places);
            }
        }
    }
}

//! Stages 2, 6 and 7: streams, the contexts in them, talks and their runs, and what contains each record.

use std::collections::{BTreeMap, HashMap};

use super::{Assembly, Talk};
use crate::conversation::adapters::Kind;
use crate::conversation::entity::{Node, Quality, Value, escape, id};
use crate::conversation::ids::Id;
use crate::conversation::index::{Entry, Step};
use crate::conversation::record::Trigger;
use crate::event::Time;
use crate::ndjson::rfc3339;

/// So many records back a record's run is looked for.
const HOPS: u32 = 64;

/// The name of the stream that is not a child's.
pub(super) const MAIN: &str = "main";

/// A stream as it is walked.
struct Walk {
    stream: Id,
    is_main: bool,
    id: String,
    epoch: Option<Epoch>,
    /// The talk that is open.
    talk: Option<usize>,
    /// The container of each run.
    runs: HashMap<Id, u32>,
    /// What began each run, as far as a record of it says so.
    triggers: HashMap<Id, Option<Trigger>>,
}

struct Epoch {
    node: usize,
    container: u32,
    records: u64,
}

impl Assembly<'_> {
    pub(super) fn session(&mut self) {
        let mut attrs = vec![("conversation", Value::Text(self.names.conversation.clone()))];
        if let Some(title) = &self.index.title {
            attrs.push(("title", Value::Text(title.clone())));
            attrs.push(("title_from", Value::Word("observed_replayable")));
        }
        let times = self.index.entries.iter().filter_map(|entry| entry.time);
        if let (Some(from), Some(through)) = (times.clone().min(), times.max()) {
            attrs.push(("from_time", Value::Text(rfc3339(from))));
            attrs.push(("through_time", Value::Text(rfc3339(through))));
        }
        let id = self.session_id.clone();
        self.add(Node { id, kind: "session", parent: None, stream: None, places: Vec::new(), attrs });
    }

    pub(super) fn streams(&mut self) {
        let mut entries: BTreeMap<&str, (Id, Vec<u32>)> = BTreeMap::new();
        for number in self.canonical.clone() {
            let Some(source) = self.entry(number).and_then(|entry| self.index.source(entry)) else { continue };
            if source.stream.is_some() {
                let stream = entries.entry(self.text(source.stream)).or_insert((source.stream, Vec::new()));
                stream.1.push(number);
            }
        }
        let runs = self.runs();
        for (name, (stream, numbers)) in entries {
            self.stream(name, stream, &numbers);
            self.walk(name, stream, &numbers, &runs);
        }
    }

    fn stream(&mut self, name: &str, stream: Id, numbers: &[u32]) {
        let is_in = |entry: &&Entry| self.index.source(entry).is_some_and(|source| source.stream == stream);
        let records = self.index.entries.iter().filter(is_in).count();
        let role = if name == MAIN { "main" } else { "child" };
        let mut attrs = vec![("role", Value::Word(role)), ("records", Value::Count(records as u64))];
        let mut sidecars =
            self.index.sources.iter().filter(|source| source.kind == Kind::Sidecar && source.stream == stream);
        if let Some(label) = sidecars.find_map(|source| source.label.as_ref()) {
            attrs.push(("label", Value::Text(label.clone())));
        }
        let id = id("stream", &[&escape(name)]);
        let places = numbers.first().and_then(|number| self.entry(*number)).map(Entry::place);
        self.stream_ids.insert(stream, id.clone());
        let parent = Some(self.session_id.clone());
        self.add(Node { id, kind: "stream", parent, stream: None, places: places.into_iter().collect(), attrs });
    }

    /// The run of each entry: its own, or that of the nearest record that it goes on from.
    fn runs(&self) -> Vec<Id> {
        // With the number of steps to where the run is said, so that no way is gone twice.
        let mut runs: Vec<(Id, u32)> = vec![(Id::NONE, 0); self.index.entries.len()];
        for (number, entry) in (0_u32..).zip(&self.index.entries) {
            let found = if entry.run.is_some() {
                (entry.run, 0)
            } else {
                match self.entry_of(entry.parent) {
                    Some(parent) if parent < number => {
                        let (run, hops) = runs.get(parent as usize).copied().unwrap_or_default();
                        if hops < HOPS { (run, hops + 1) } else { (Id::NONE, 0) }
                    }
                    Some(parent) => self.run_ahead(parent),
                    None => (Id::NONE, 0),
                }
            };
            if let Some(slot) = runs.get_mut(number as usize) {
                *slot = found;
            }
        }
        runs.into_iter().map(|(run, _)| run).collect()
    }

    /// The same for a parent that stands further down.
    fn run_ahead(&self, mut number: u32) -> (Id, u32) {
        for hops in 1..=HOPS {
            let Some(entry) = self.entry(number) else { break };
            if entry.run.is_some() {
                return (entry.run, hops);
            }
            let Some(parent) = self.entry_of(entry.parent) else { break };
            number = parent;
        }
        (Id::NONE, 0)
    }

    fn walk(&mut self, name: &str, stream: Id, numbers: &[u32], runs: &[Id]) {
        let stream_id = id("stream", &[&escape(name)]);
        let mut triggers: HashMap<Id, Option<Trigger>> = HashMap::new();
        for entry in numbers.iter().filter_map(|number| self.entry(*number)).filter(|entry| entry.run.is_some()) {
            let trigger = triggers.entry(entry.run).or_default();
            // What came from outside counts most, since a talk begins with it.
            *trigger = match (*trigger, entry.trigger) {
                (None, said) | (said, None) => said,
                (Some(one), Some(other)) => Some(one.min(other)),
            };
        }
        let is_main = name == MAIN;
        let mut walk = Walk { stream, is_main, id: stream_id, epoch: None, talk: None, runs: HashMap::new(), triggers };
        for number in numbers {
            let Some(entry) = self.entry(*number) else { continue };
            self.epoch(&mut walk, name, *number, entry);
            if !is_main && walk.talk.is_none() {
                let talk = id("talk", &[&escape(name)]);
                self.open_talk(&mut walk, talk, entry, None);
            }
            let run = runs.get(*number as usize).copied().unwrap_or_default();
            let container = self.run_container(&mut walk, name, run, entry);
            if let Some(slot) = self.containers.get_mut(*number as usize) {
                *slot = container;
            }
        }
        if let Some(epoch) = walk.epoch {
            self.set(epoch.node, "records", Value::Count(epoch.records));
        }
    }

    /// Opens a context where none is, and a new one at a reset.
    fn epoch(&mut self, walk: &mut Walk, name: &str, number: u32, entry: &Entry) {
        let is_reset = entry.step == Step::Reset;
        if let Some(epoch) = &mut walk.epoch
            && !is_reset
        {
            epoch.records += 1;
        } else {
            let last = match (is_reset, self.text(entry.id)) {
                (false, _) => "0".to_owned(),
                (true, "") => format!("at_{}_{}", entry.seq, entry.row),
                (true, boundary) => escape(boundary),
            };
            let epoch_id = id("epoch", &[&escape(name), &last]);
            let reset = if is_reset { "observed_replayable" } else { "none" };
            let mut attrs = vec![("reset", Value::Word(reset))];
            if is_reset && entry.continues.is_some() {
                attrs.push(("continues_from", Value::Text(self.text(entry.continues).to_owned())));
                if self.entry_of(entry.continues).is_none() {
                    self.miss(
                        "epoch_continuation",
                        self.text(entry.continues),
                        "a reset goes on from a record that is not there",
                    );
                }
            }
            let stream = Some(walk.id.clone());
            let node = self.add(Node {
                id: epoch_id.clone(),
                kind: "epoch",
                parent: stream.clone(),
                stream,
                places: vec![entry.place()],
                attrs,
            });
            if let Some(old) = walk.epoch.take() {
                self.set(old.node, "records", Value::Count(old.records));
                if let Some(old) = self.nodes.get(old.node).map(|node| node.id.clone()) {
                    self.relate("follows", (&epoch_id, &old), (Quality::ExactUnique, None), &[entry.place()]);
                }
            }
            let container = self.add_container(epoch_id, None);
            walk.epoch = Some(Epoch { node, container, records: 1 });
        }
        self.reset_steps(walk, number, entry);
    }

    /// A reset and what the new context is told of the old one are in the context, not in a talk.
    fn reset_steps(&mut self, walk: &Walk, number: u32, entry: &Entry) {
        let (prefix, kind) = match entry.step {
            Step::Reset => ("boundary", "epoch.boundary"),
            Step::ResetSummary => ("summary", "epoch.summary"),
            _ => return,
        };
        let parent = walk.epoch.as_ref().and_then(|epoch| self.nodes.get(epoch.node)).map(|node| node.id.clone());
        let at = |entry: &Entry| [entry.seq.to_string(), entry.row.to_string()];
        let [seq, row] = at(entry);
        let own = id(prefix, &[&seq, &row]);
        if entry.step == Step::ResetSummary
            && let Some(boundary) = self.entry_of(entry.parent).filter(|parent| *parent != number)
            && let Some(boundary) = self.entry(boundary).filter(|entry| entry.step == Step::Reset)
        {
            let [seq, row] = at(boundary);
            let to = id("boundary", &[&seq, &row]);
            self.relate("summarizes", (&own, &to), (Quality::ExactUnique, None), &[entry.place()]);
        }
        let stream = Some(walk.id.clone());
        self.add(Node { id: own, kind, parent, stream, places: vec![entry.place()], attrs: Vec::new() });
    }

    fn add_container(&mut self, id: String, talk: Option<usize>) -> u32 {
        self.container_ids.push(id);
        self.talk_of_container.push(talk);
        u32::try_from(self.container_ids.len()).unwrap_or_default()
    }

    fn open_talk(&mut self, walk: &mut Walk, talk_id: String, entry: &Entry, trigger: Option<Trigger>) {
        let parent = walk.epoch.as_ref().and_then(|epoch| self.nodes.get(epoch.node)).map(|node| node.id.clone());
        let attrs = vec![("runs", Value::Count(0)), ("trigger", word(trigger))];
        let container = self.add_container(talk_id.clone(), None);
        let node = self.add(Node {
            id: talk_id,
            kind: "talk",
            parent,
            stream: Some(walk.id.clone()),
            places: vec![entry.place()],
            attrs,
        });
        walk.talk = Some(self.talks.len());
        self.talks.push(Talk {
            node,
            container,
            is_main: walk.is_main,
            first_place: entry.place(),
            times: None,
            runs: 0,
        });
    }

    /// What contains a record: its run, else the open talk, else the context. Opens talks and runs on the way.
    fn run_container(&mut self, walk: &mut Walk, name: &str, run: Id, entry: &Entry) -> u32 {
        if !run.is_some() {
            let epoch = walk.epoch.as_ref().map_or(0, |epoch| epoch.container);
            return walk.talk.and_then(|talk| self.talks.get(talk)).map_or(epoch, |talk| talk.container);
        }
        let container = match walk.runs.get(&run) {
            Some(container) => *container,
            None => self.open_run(walk, name, run, entry),
        };
        let talk = (container as usize).checked_sub(1).and_then(|place| self.talk_of_container.get(place).copied());
        if let Some(talk) = talk.flatten().and_then(|talk| self.talks.get_mut(talk))
            && let Some(time) = entry.time
        {
            let (first, last) = talk.times.unwrap_or((time, time));
            talk.times = Some((first.min(time), last.max(time)));
        }
        container
    }

    fn open_run(&mut self, walk: &mut Walk, name: &str, run: Id, entry: &Entry) -> u32 {
        let trigger = walk.triggers.get(&run).copied().flatten();
        let begins = matches!(trigger, None | Some(Trigger::External));
        if walk.is_main && (walk.talk.is_none() || begins) {
            let talk = id("talk", &[&escape(name), &escape(self.text(run))]);
            self.open_talk(walk, talk, entry, trigger);
        }
        let Some(talk) = walk.talk else { return 0 };
        let Some((node, runs)) = self.talks.get_mut(talk).map(|talk| {
            talk.runs += 1;
            (talk.node, talk.runs)
        }) else {
            return 0;
        };
        self.set(node, "runs", Value::Count(runs));
        if runs == 1 {
            self.set(node, "trigger", word(trigger));
        }
        let talk_id = self.nodes.get(node).map(|node| node.id.clone()).unwrap_or_default();
        let run_id = id("run", &[&escape(&talk_id), &escape(self.text(run))]);
        self.add(Node {
            id: run_id.clone(),
            kind: "run",
            parent: Some(talk_id),
            stream: self.stream_ids.get(&walk.stream).cloned(),
            places: vec![entry.place()],
            attrs: vec![("trigger", word(trigger))],
        });
        let container = self.add_container(run_id, Some(talk));
        walk.runs.insert(run, container);
        container
    }
}

/// What was said to have begun something.
fn word(trigger: Option<Trigger>) -> Value {
    Value::Word(match trigger {
        Some(Trigger::External) => "external",
        Some(Trigger::Notification) => "notification",
        Some(Trigger::Unknown) | None => "unknown",
    })
}

/// The first and the last of two spans of time together.
pub(super) fn joined(one: Option<(Time, Time)>, other: Option<(Time, Time)>) -> Option<(Time, Time)> {
    match (one, other) {
        (Some((first, last)), Some((from, through))) => Some((first.min(from), last.max(through))),
        (times, None) | (None, times) => times,
    }
}

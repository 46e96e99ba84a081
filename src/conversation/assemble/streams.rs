//! Stages 2, 6 and 7: streams, the contexts in them, talks and their runs, and what contains each record.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::naming::{Named, at};
use super::{Assembly, Inside, Talk};
use crate::conversation::adapters::Kind;
use crate::conversation::entity::{NodeKind, Quality, Text};
use crate::conversation::entry::{Entry, Step, joined};
use crate::conversation::ids::Id;
use crate::conversation::record::Trigger;
use crate::ndjson::rfc3339;

/// So many records back a record's run is looked for.
const HOPS: u32 = 64;

/// The name of the stream that is not a child's.
pub(super) const MAIN: &str = "main";

/// A stream as it is walked.
struct Walk<'a> {
    name: &'a str,
    is_main: bool,
    id: Text,
    epoch: Option<Epoch>,
    /// The talk that is open.
    talk: Option<usize>,
    /// Sorted by id.
    runs: Vec<Run>,
    /// The place of the run that the last record is in, which is nearly always that of the next.
    last_run: usize,
}

/// A run of a stream.
#[derive(Debug, Clone, Copy)]
struct Run {
    id: Id,
    /// What began it, as far as a record of it says so.
    trigger: Option<Trigger>,
    /// What it is in the conversation, with its talk, once it is open.
    open: Option<(Text, usize)>,
}

/// A context as it is walked.
#[derive(Debug, Clone, Copy)]
struct Epoch {
    node: usize,
    id: Text,
}

impl Walk<'_> {
    fn inside(&self, parent: Option<Text>) -> Inside {
        Inside { parent, stream: Some(self.id) }
    }

    /// The place of a run: nearly always that of the last record, or the next one.
    fn place_of(&self, run: Id) -> Option<usize> {
        let is_it = |place: &usize| self.runs.get(*place).is_some_and(|known| known.id == run);
        let near = [self.last_run, self.last_run + 1].into_iter().find(is_it);
        near.or_else(|| self.runs.binary_search_by_key(&run, |known| known.id).ok())
    }
}

impl<'a> Assembly<'a> {
    pub(super) fn session(&mut self) {
        let (index, names) = (self.index, self.names);
        let mut text = |text: &str| self.made.texts.add(text);
        let kind = NodeKind::Session {
            conversation: text(&names.conversation),
            title: index.title.as_deref().map(&mut text),
            times: index.times.map(|(from, through)| (text(&rfc3339(from)), text(&rfc3339(through)))),
        };
        self.add(self.session, kind, Inside { parent: None, stream: None }, &[]);
    }

    pub(super) fn streams(&mut self) {
        let mut entries: BTreeMap<Id, Vec<u32>> = BTreeMap::new();
        let seq = |number: &u32| self.entry(*number).map(|entry| entry.seq);
        for numbers in self.canonical.chunk_by(|one, other| seq(one) == seq(other)) {
            let source = numbers.first().and_then(|number| self.index.source(self.entry(*number)?));
            if let Some(source) = source.filter(|source| source.stream.is_some()) {
                entries.entry(source.stream).or_default().extend_from_slice(numbers);
            }
        }
        let by_name: BTreeMap<Cow<'_, str>, _> =
            entries.into_iter().map(|(stream, numbers)| (self.text(stream), (stream, numbers))).collect();
        let runs = self.runs();
        let (records, labels) = (self.records(), self.labels());
        for (name, (stream, numbers)) in by_name {
            let told = (records.get(&stream).copied().unwrap_or_default(), labels.get(&stream).copied());
            let id = self.stream(&name, stream, &numbers, told);
            self.walk(&name, id, &numbers, &runs);
        }
    }

    /// How many records the sources of each stream have.
    fn records(&self) -> HashMap<Id, u32> {
        let mut records = HashMap::new();
        for source in &self.index.sources {
            let count: &mut u32 = records.entry(source.stream).or_default();
            *count = count.saturating_add(source.records);
        }
        records
    }

    /// What each child is called.
    fn labels(&self) -> HashMap<Id, &'a str> {
        let sidecars = self.index.sources.iter().filter(|source| source.kind == Kind::Sidecar).rev();
        sidecars.filter_map(|source| Some((source.stream, source.label.as_deref()?))).collect()
    }

    fn stream(&mut self, name: &str, stream: Id, numbers: &[u32], (records, label): (u32, Option<&str>)) -> Text {
        let kind =
            NodeKind::Stream { is_child: name != MAIN, records, label: label.map(|label| self.made.texts.add(label)) };
        let id = self.id("stream", &[Named::Source(stream)]);
        self.stream_ids.insert(stream, id);
        let place = numbers.first().and_then(|number| self.entry(*number)).map(Entry::place);
        self.add(id, kind, Inside { parent: Some(self.session), stream: None }, place.as_slice());
        id
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

    fn walk(&mut self, name: &str, id: Text, numbers: &[u32], runs: &[Id]) {
        let is_main = name == MAIN;
        let own_runs = self.runs_of(numbers, runs);
        let mut walk = Walk { name, is_main, id, epoch: None, talk: None, runs: own_runs, last_run: 0 };
        for number in numbers {
            let Some(entry) = self.entry(*number) else { continue };
            self.epoch(&mut walk, entry);
            self.reset_steps(&walk, *number, entry);
            if !is_main && walk.talk.is_none() {
                let talk = self.id("talk", &[Named::Said(name)]);
                self.open_talk(&mut walk, talk, entry, None);
            }
            let run = runs.get(*number as usize).copied().unwrap_or_default();
            let container = self.run_container(&mut walk, run, entry);
            if let Some(slot) = self.containers.get_mut(*number as usize) {
                *slot = container;
            }
        }
    }

    /// The runs that records of a stream are in.
    fn runs_of(&self, numbers: &[u32], runs: &[Id]) -> Vec<Run> {
        let of_record = |number: &u32| {
            let run = runs.get(*number as usize).copied().unwrap_or_default();
            let own = self.entry(*number).filter(|entry| entry.run.is_some());
            (run, own.and_then(|entry| entry.trigger))
        };
        let mut said: Vec<(Id, Option<Trigger>)> = numbers.iter().map(of_record).collect();
        // Nearly always they are in this order, since ids are numbered as they are met.
        said.sort_unstable_by_key(|(run, _)| *run);
        let of_one = said.chunk_by(|(one, _), (other, _)| one == other);
        let run = |of_one: &[(Id, Option<Trigger>)]| {
            let trigger = of_one.iter().fold(None, |so_far, (_, trigger)| first(so_far, *trigger));
            of_one.first().map(|(id, _)| Run { id: *id, trigger, open: None })
        };
        of_one.filter_map(run).collect()
    }

    /// Opens a context where none is, and a new one at a reset.
    fn epoch(&mut self, walk: &mut Walk<'_>, entry: &Entry) {
        let is_reset = entry.step == Step::Reset;
        if let Some(epoch) = walk.epoch.filter(|_| !is_reset) {
            if let Some(NodeKind::Epoch { records, .. }) = self.kind_mut(epoch.node) {
                *records += 1;
            }
            return;
        }
        let at = at(entry.place());
        let last = match (is_reset, entry.id) {
            (false, _) => Named::Word("0"),
            (true, Id::NONE) => Named::Word(&at),
            (true, boundary) => Named::Source(boundary),
        };
        let continues = self.text(entry.continues);
        let is_said = is_reset && entry.continues.is_some();
        if is_said && self.entry_of(entry.continues).is_none() {
            self.miss("epoch_continuation", &continues, "a reset goes on from a record that is not there");
        }
        let continues = is_said.then(|| self.made.texts.add(&continues));
        let id = self.id("epoch", &[Named::Said(walk.name), last]);
        let kind = NodeKind::Epoch { is_reset, continues, records: 1 };
        let node = self.add(id, kind, walk.inside(Some(walk.id)), &[entry.place()]);
        if let Some(old) = walk.epoch.replace(Epoch { node, id }) {
            self.relate("follows", (id, old.id), (Quality::ExactUnique, None), Some(entry.place()));
        }
    }

    /// A reset and what the new context is told of the old one are in the context, not in a talk.
    fn reset_steps(&mut self, walk: &Walk<'_>, number: u32, entry: &Entry) {
        let (prefix, kind) = match entry.step {
            Step::Reset => ("boundary", NodeKind::EpochBoundary),
            Step::ResetSummary => ("summary", NodeKind::EpochSummary),
            _ => return,
        };
        let id = self.id_at(prefix, entry);
        if entry.step == Step::ResetSummary
            && let Some(boundary) = self.entry_of(entry.parent).filter(|parent| *parent != number)
            && let Some(boundary) = self.entry(boundary).filter(|entry| entry.step == Step::Reset)
        {
            let to = self.id_at("boundary", boundary);
            self.relate("summarizes", (id, to), (Quality::ExactUnique, None), Some(entry.place()));
        }
        self.add(id, kind, walk.inside(walk.epoch.map(|epoch| epoch.id)), &[entry.place()]);
    }

    fn open_talk(&mut self, walk: &mut Walk<'_>, id: Text, entry: &Entry, trigger: Option<Trigger>) {
        let kind = NodeKind::Talk { runs: 0, trigger };
        let node = self.add(id, kind, walk.inside(walk.epoch.map(|epoch| epoch.id)), &[entry.place()]);
        walk.talk = Some(self.talks.len());
        self.talks.push(Talk { id, node, is_main: walk.is_main, first_place: entry.place(), times: None });
    }

    /// What contains a record: its run, else the open talk, else the context. Opens talks and runs on the way.
    fn run_container(&mut self, walk: &mut Walk<'_>, run: Id, entry: &Entry) -> Option<Text> {
        if !run.is_some() {
            let talk = walk.talk.and_then(|talk| self.talks.get(talk)).map(|talk| talk.id);
            return talk.or_else(|| walk.epoch.map(|epoch| epoch.id));
        }
        walk.last_run = walk.place_of(run)?;
        let known = walk.runs.get(walk.last_run).and_then(|run| run.open);
        let (id, talk) = known.or_else(|| self.open_run(walk, entry))?;
        if let Some(talk) = self.talks.get_mut(talk)
            && let Some(time) = entry.time
        {
            talk.times = joined(talk.times, Some((time, time)));
        }
        Some(id)
    }

    /// Opens the run of the last record.
    fn open_run(&mut self, walk: &mut Walk<'_>, entry: &Entry) -> Option<(Text, usize)> {
        let Run { id: run, trigger, .. } = *walk.runs.get(walk.last_run)?;
        let begins = matches!(trigger, None | Some(Trigger::External));
        if walk.is_main && (walk.talk.is_none() || begins) {
            let talk = self.id("talk", &[Named::Said(walk.name), Named::Source(run)]);
            self.open_talk(walk, talk, entry, trigger);
        }
        let number = walk.talk?;
        let talk = self.talks.get(number)?;
        let (talk, node) = (talk.id, talk.node);
        if let Some(NodeKind::Talk { runs, trigger: of_talk }) = self.kind_mut(node) {
            *runs += 1;
            if *runs == 1 {
                *of_talk = trigger;
            }
        }
        let id = self.id("run", &[Named::Of(talk), Named::Source(run)]);
        self.add(id, NodeKind::Run { trigger }, walk.inside(Some(talk)), &[entry.place()]);
        let open = Some((id, number));
        walk.runs.get_mut(walk.last_run)?.open = open;
        open
    }
}

/// Of what two records say of the beginning of a run that which counts: what came from outside most, since a talk begins
/// with it.
fn first(one: Option<Trigger>, other: Option<Trigger>) -> Option<Trigger> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (said, None) | (None, said) => said,
    }
}

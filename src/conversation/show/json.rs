//! A conversation as one JSON document: the tree as a list in its order, which needs no depth of its reader. Knows no
//! file and no program's words.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::{Serialize, Serializer};

use super::data::{self, FORMAT, ItemData, PlaceData, UsageData};
use super::figures::sum;
use super::item::View;
use super::{Session, Terms};
use crate::conversation::adapters::Kind;
use crate::conversation::entity::{KINDS, Unresolved};
use crate::conversation::record::Usage;

/// Writes a session as data.
///
/// # Errors
/// When the output cannot be written.
pub fn write(session: Session<'_>, terms: Terms, output: &mut impl Write) -> io::Result<()> {
    let view = View::of(session);
    data::write(&Document::of(&view, terms), output)
}

/// The order of the fields is that of the keys.
#[derive(Serialize)]
struct Document<'v, 'a> {
    format: &'static str,
    conversation: &'a str,
    session: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_time: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    through_time: Option<&'a str>,
    counts: Counts,
    tokens: UsageData,
    sources: Vec<SourceData<'a>>,
    items: Items<'v, 'a>,
    relations: Relations<'v, 'a>,
    unresolved: Vec<UnresolvedData<'a>>,
}

impl<'v, 'a> Document<'v, 'a> {
    fn of(view: &'v View<'a>, terms: Terms) -> Self {
        let Session { sources, structure, .. } = view.session;
        let head = &structure.head;
        let usages = (0..view.links.count()).filter_map(|number| view.usage(number));
        Self {
            format: FORMAT,
            conversation: &head.conversation,
            session: &head.session,
            title: head.title.as_deref(),
            from_time: head.times.as_ref().map(|(from, _)| from.as_str()),
            through_time: head.times.as_ref().map(|(_, through)| through.as_str()),
            counts: Counts::of(view),
            tokens: usages.fold(Usage::default(), sum).into(),
            sources: (1..)
                .zip(sources)
                .zip(&head.digests)
                .map(|((seq, source), digest)| SourceData { seq, file: &source.name, kind: name(source.kind), digest })
                .collect(),
            items: Items { view, terms },
            relations: Relations(view),
            unresolved: structure
                .conversation
                .unresolved
                .iter()
                .map(|missing| UnresolvedData::of(view, missing))
                .collect(),
        }
    }
}

/// How many nodes there are of each kind, in the order of the kinds.
struct Counts(BTreeMap<&'static str, usize>);

impl Counts {
    fn of(view: &View<'_>) -> Self {
        let mut counts = BTreeMap::new();
        for node in view.session.structure.conversation.nodes.iter() {
            *counts.entry(node.kind.name()).or_default() += 1;
        }
        Self(counts)
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(KINDS.iter().filter_map(|kind| Some((kind, self.0.get(kind)?))))
    }
}

#[derive(Serialize)]
struct SourceData<'a> {
    seq: u32,
    file: &'a str,
    kind: &'static str,
    digest: &'a str,
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Transcript => "transcript",
        Kind::Sidecar => "sidecar",
        Kind::Journal => "journal",
        Kind::Manifest => "manifest",
        Kind::Script => "script",
    }
}

struct Items<'v, 'a> {
    view: &'v View<'a>,
    terms: Terms,
}

impl Serialize for Items<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.view.items().map(|(spot, item)| ItemData::of(self.view, self.terms, spot, &item)))
    }
}

struct Relations<'v, 'a>(&'v View<'a>);

impl Serialize for Relations<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let count = self.0.session.structure.conversation.relations.len();
        serializer.collect_seq((0..count).filter_map(|relation| RelationData::of(self.0, relation)))
    }
}

/// That two nodes have to do with each other.
#[derive(Serialize)]
pub(super) struct RelationData<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    from: &'a str,
    to: &'a str,
    quality: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<&'static str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    evidence: Vec<PlaceData<'a>>,
}

impl<'a> RelationData<'a> {
    pub(super) fn of(view: &View<'a>, relation: usize) -> Option<Self> {
        let (from, to) = view.links.end_ids(relation);
        let id = view.links.relation_id(relation);
        let evidence = PlaceData::all(view.session, view.links.evidence(relation));
        let relation = view.links.relation(relation)?;
        Some(Self { id, kind: relation.kind, from, to, quality: relation.quality.name(), via: relation.via, evidence })
    }
}

/// What is spoken of and not there.
#[derive(Serialize)]
pub(super) struct UnresolvedData<'a> {
    id: &'a str,
    kind: &'static str,
    missing: &'a str,
    reason: &'static str,
}

impl<'a> UnresolvedData<'a> {
    pub(super) fn of(view: &View<'a>, missing: &Unresolved) -> Self {
        let (id, missing_id) = (view.links.text(missing.id), view.links.text(missing.missing));
        Self { id, kind: missing.kind, missing: missing_id, reason: missing.reason }
    }
}

//! One thing of a conversation, found by its id: that of an entity, or one that stands in the transcript itself.

use std::fmt;

use super::Session;
use super::gather::Excerpt;
use super::item::View;
use super::links::Number;
use crate::conversation::entity::{Place, Unresolved, escape, id};

/// What an id names.
#[derive(Debug)]
pub struct One<'a> {
    pub(super) view: View<'a>,
    pub(super) what: What<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What<'a> {
    Node(Number),
    Relation(usize),
    Unresolved(&'a Unresolved),
}

/// Why an id names nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotFound {
    /// Nothing has it.
    Nowhere,
    /// Several things do.
    Several,
    /// The record at this line has it, and is no part of the conversation.
    Aside(u32),
}

impl fmt::Display for NotFound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nowhere => formatter.write_str("nothing has this id; show --json lists all ids"),
            Self::Several => formatter.write_str("several things have this id; show --json lists the ids of each"),
            Self::Aside(line) => write!(formatter, "the record at line {line} has this id and is no part of the tree"),
        }
    }
}

/// The kinds of nodes whose last part of the id is their own in the source.
const NAMED: [&str; 6] = ["tool", "agent.call", "llm.call", "stream", "session", "run"];

/// The kinds of nodes that begin where a record stands, and are more than the record.
const AROUND: [&str; 7] = ["session", "stream", "epoch", "talk", "run", "segment", "llm.call"];

/// Finds what an id names. The session was read with an eye on the same id.
///
/// # Errors
/// When it names nothing, or several things.
pub fn find<'a>(session: Session<'a>, id: &str) -> Result<One<'a>, NotFound> {
    let view = View::of(session);
    let unresolved = &session.structure.conversation.unresolved;
    let what = if let Some(node) = view.links.find(id) {
        What::Node(node)
    } else if let Some(relation) = view.links.find_relation(id) {
        What::Relation(relation)
    } else if let Some(missing) = unresolved.iter().find(|missing| view.links.text(missing.id) == id) {
        What::Unresolved(missing)
    } else {
        by_own_id(&view, id)?
    };
    Ok(One { view, what })
}

/// What has an id in the transcript: a call of a tool or of the model, a stream, a run, a record; or what is missing.
fn by_own_id<'a>(view: &View<'a>, id: &str) -> Result<What<'a>, NotFound> {
    let end = format!("/{}", escape(id));
    let nodes = 0..view.links.count();
    let named = nodes.filter(|node| view.links.id(*node).ends_with(&end) && NAMED.contains(&view.links.kind(*node)));
    if let Some(node) = only(named)? {
        return Ok(What::Node(node));
    }
    let record = view.session.gathered.mentions.iter().find(|mention| mention.is_own).map(|mention| mention.place);
    if let Some(record) = record {
        let at: Vec<Number> = (0..view.links.count()).filter(|node| stands_at(view, *node, record)).collect();
        let is_around = |node: &Number| AROUND.contains(&view.links.kind(*node));
        let own = only(at.iter().copied().filter(|node| !is_around(node)))?;
        let node = if own.is_some() { own } else { only(at.iter().copied())? };
        if let Some(node) = node {
            return Ok(What::Node(node));
        }
    }
    let unresolved = &view.session.structure.conversation.unresolved;
    let missing = unresolved.iter().filter(|missing| view.links.text(missing.missing) == id);
    only(missing)?.map(What::Unresolved).ok_or(match record {
        Some(place) => NotFound::Aside(place.row),
        None => NotFound::Nowhere,
    })
}

fn stands_at(view: &View<'_>, node: Number, record: Place) -> bool {
    view.links.places(node).iter().any(|place| (place.seq, place.row) == (record.seq, record.row))
}

/// The only one there is, if there is one.
fn only<T>(mut found: impl Iterator<Item = T>) -> Result<Option<T>, NotFound> {
    let first = found.next();
    if found.next().is_some() { Err(NotFound::Several) } else { Ok(first) }
}

/// The id that a transcript has for what is looked for: that of an unresolved entity stands in its own.
pub(super) fn id_in_source(id: &str) -> String {
    match id.strip_prefix("unres/").and_then(|rest| rest.split_once('/')) {
        Some((_, missing)) => unescape(missing),
        None => id.to_owned(),
    }
}

/// Takes back what the escape of a part did.
fn unescape(part: &str) -> String {
    part.replace("%5F", "_").replace("%2F", "/").replace("%25", "%")
}

impl<'a> One<'a> {
    /// Where what is said of it stands. Of what is missing, this is wherever it is spoken of.
    pub(super) fn evidence(&self) -> Vec<Place> {
        match self.what {
            What::Node(node) => self.view.links.places(node).to_vec(),
            What::Relation(relation) => self.view.links.evidence(relation).to_vec(),
            What::Unresolved(missing) => {
                let mentions = &self.view.session.gathered.mentions;
                let spoken: Vec<Place> = mentions.iter().map(|mention| mention.place).collect();
                // A child that nothing speaks of has records all the same.
                let stream = self.view.links.find(&id("stream", &[&escape(self.view.links.text(missing.missing))]));
                let own = stream.map(|stream| self.view.links.places(stream).to_vec());
                if spoken.is_empty() { own.unwrap_or_default() } else { spoken }
            }
        }
    }

    /// The texts at a place: of the part that it names, or of all parts of the record.
    pub(super) fn texts(&self, place: Place) -> impl Iterator<Item = Excerpt<'a>> {
        let texts = self.view.session.gathered.excerpts(place);
        texts.filter(move |(block, _)| place.block.is_none() || *block == place.block).map(|(_, text)| text)
    }

    /// The nodes that stand in it.
    pub(super) fn inner(&self, node: Number) -> impl Iterator<Item = &'a str> {
        let links = &self.view.links;
        (0..links.count()).filter(move |inner| links.parent(*inner) == Some(node)).map(|inner| links.id(inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escaped_part_comes_back() {
        for part in ["a_b/c%d", "%5F", "%255F", "plain"] {
            assert_eq!(unescape(&escape(part)), part);
        }
        assert_eq!(id_in_source("unres/tool_use/toolu%5F1"), "toolu_1");
        assert_eq!(id_in_source("toolu_1"), "toolu_1");
    }
}

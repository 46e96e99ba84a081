//! The order in which a conversation is told, and how deep each thing stands: children below the calls that started
//! them. Knows no text.

use std::collections::HashMap;

use super::links::{Links, Number};
use crate::conversation::entity::Place;

/// One line of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) node: Number,
    /// How many nodes it stands in.
    pub(super) depth: u32,
    /// The node that it stands in.
    pub(super) above: Option<Number>,
    /// Which one of its kind it is in its stream, from 1: talks and epochs are counted.
    pub(super) ordinal: u32,
    /// A stream that is told elsewhere.
    pub(super) is_again: bool,
}

/// The nodes of a conversation, each after the one that it stands in.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) spots: Vec<Spot>,
    /// What each talk opens with.
    pub(super) openings: HashMap<Number, Number>,
}

impl Tree {
    pub(super) fn of(links: &Links<'_>) -> Self {
        let mut walk = Walk {
            links,
            children: children(links),
            seen: vec![false; links.count()],
            ordinals: HashMap::new(),
            spots: Vec::with_capacity(links.count()),
        };
        walk.session();
        Self { spots: walk.spots, openings: openings(links) }
    }
}

/// Where siblings stand among each other.
type Key = (u8, Option<Place>, Number);

fn key(links: &Links<'_>, number: Number) -> Key {
    let first = links.places(number).first().copied();
    let rank = match links.kind(number) {
        "stream" if links.word(number, "role") == Some("main") => 0,
        // What a child returned stands at its end.
        "agent.output" => 2,
        "segment" => 3,
        _ => 1,
    };
    (rank, first, number)
}

/// What stands in each node, in order; the number of all nodes stands for nowhere.
fn children(links: &Links<'_>) -> Vec<(Number, Key)> {
    let nowhere = links.count();
    let mut list = Vec::with_capacity(nowhere);
    for number in 0..nowhere {
        let is_started = links.kind(number) == "stream" && started(links, number);
        // What has lost its place still belongs to its stream.
        let above = links.parent(number).or_else(|| links.stream(number)).filter(|_| !is_started);
        list.push((above.unwrap_or(nowhere), key(links, number)));
        list.extend(links.targets(number, "starts").map(|stream| (number, key(links, stream))));
    }
    list.sort_unstable();
    list
}

fn started(links: &Links<'_>, stream: Number) -> bool {
    links.to(stream).any(|(relation, _)| links.relation(relation).is_some_and(|relation| relation.kind == "starts"))
}

struct Walk<'l, 'a> {
    links: &'l Links<'a>,
    children: Vec<(Number, Key)>,
    seen: Vec<bool>,
    /// How many of a kind were told in each stream.
    ordinals: HashMap<(Option<Number>, &'static str), u32>,
    spots: Vec<Spot>,
}

impl Walk<'_, '_> {
    fn session(&mut self) {
        let session = (0..self.links.count()).find(|number| self.links.kind(*number) == "session");
        if let Some(session) = session {
            self.tell(session, 0, None);
        }
        // Streams that start each other hang on nothing.
        let streams: Vec<Number> = (0..self.links.count()).filter(|one| self.links.kind(*one) == "stream").collect();
        let rest: Vec<Number> = (0..self.links.count()).collect();
        for number in streams.into_iter().chain(rest) {
            if self.seen.get(number) == Some(&false) {
                self.tell(number, 1, session);
            }
        }
    }

    /// Tells a node and all in it, without a call for each level: sessions may be nested deeply.
    fn tell(&mut self, root: Number, depth: u32, above: Option<Number>) {
        let mut waiting = vec![(root, depth, above)];
        while let Some((node, depth, above)) = waiting.pop() {
            let Some(seen) = self.seen.get_mut(node) else { continue };
            let is_again = std::mem::replace(seen, true);
            let kind = self.links.kind(node);
            let mut ordinal = 0;
            if !is_again && matches!(kind, "talk" | "epoch") {
                let count = self.ordinals.entry((self.links.stream(node), kind)).or_default();
                *count += 1;
                ordinal = *count;
            }
            self.spots.push(Spot { node, depth, above, ordinal, is_again });
            if !is_again {
                let from = self.children.partition_point(|(above, _)| *above < node);
                let own = self.children.iter().skip(from).take_while(|(above, _)| *above == node);
                let first = waiting.len();
                waiting.extend(own.map(|(_, (.., child))| (*child, depth + 1, Some(node))));
                if let Some(new) = waiting.get_mut(first..) {
                    new.reverse();
                }
            }
        }
    }
}

/// For each talk the first that came from outside in it, or else the first that was put into the context.
fn openings(links: &Links<'_>) -> HashMap<Number, Number> {
    let mut openings: HashMap<Number, (u8, Key)> = HashMap::new();
    for number in 0..links.count() {
        let rank = match links.kind(number) {
            "message.external" => 0,
            "context.injection" => 1,
            _ => continue,
        };
        let inner = links.parent(number);
        let talk = inner.filter(|inner| links.kind(*inner) == "talk").or_else(|| links.parent(inner?));
        if let Some(talk) = talk.filter(|talk| links.kind(*talk) == "talk") {
            let new = (rank, key(links, number));
            let first = openings.entry(talk).or_insert(new);
            *first = (*first).min(new);
        }
    }
    openings.into_iter().map(|(talk, (_, (.., number)))| (talk, number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::entity::{Conversation, Node, NodeKind, Places, Quality, Relation, Sorted, Texts, id};

    /// The id of a node, its kind, and the id of what contains it.
    type Made = (String, &'static str, Option<String>);

    fn node(id: &str, kind: &'static str, parent: Option<&str>) -> Made {
        (id.to_owned(), kind, parent.map(str::to_owned))
    }

    fn starts(from: &str, to: &str) -> (String, String) {
        (from.to_owned(), to.to_owned())
    }

    fn kind(name: &str, texts: &mut Texts) -> NodeKind {
        let text = texts.add("x");
        match name {
            "session" => NodeKind::Session { conversation: text, title: None, times: None },
            "stream" => NodeKind::Stream { is_child: true, records: 1, label: None },
            "agent.call" => NodeKind::Tool { name: text, results: 1, starts_child: true, launched: None },
            _ => NodeKind::Assistant,
        }
    }

    fn told(mut nodes: Vec<Made>, mut relations: Vec<(String, String)>) -> Vec<(u32, String, bool)> {
        nodes.sort();
        let id = |(from, to): &(String, String)| id("rel", &["starts", from, to]);
        relations.sort_by_key(id);
        let mut conversation = Conversation::default();
        let places = Places::One(Place { seq: 1, row: 1, block: None });
        let texts = &mut conversation.texts;
        let made = nodes.iter().map(|(id, name, parent)| {
            let (id, parent) = (texts.add(id), parent.as_ref().map(|parent| texts.add(parent)));
            Node { id, kind: kind(name, texts), parent, stream: None, places }
        });
        let made: Vec<Node> = made.collect();
        conversation.nodes = Sorted::new(made, (0..).take(nodes.len()).collect());
        for ends in relations {
            conversation.relations.push(Relation {
                id: texts.add(&id(&ends)),
                kind: "starts",
                from: texts.add(&ends.0),
                to: texts.add(&ends.1),
                quality: Quality::ExactUnique,
                via: None,
                evidence: places,
            });
        }
        let links = Links::of(&conversation);
        let spots = Tree::of(&links).spots;
        spots.iter().map(|spot| (spot.depth, links.id(spot.node).to_owned(), spot.is_again)).collect()
    }

    #[test]
    fn a_child_stands_below_the_call_that_started_it_and_once() {
        let nodes = vec![
            node("session/s", "session", None),
            node("stream/main", "stream", Some("session/s")),
            node("tool/1", "agent.call", Some("stream/main")),
            node("tool/2", "agent.call", Some("stream/main")),
            node("stream/a", "stream", Some("session/s")),
            node("msg", "message.assistant", Some("stream/a")),
        ];
        let relations = vec![starts("tool/1", "stream/a"), starts("tool/2", "stream/a")];
        let expected = [
            (0, "session/s", false),
            (1, "stream/main", false),
            (2, "tool/1", false),
            (3, "stream/a", false),
            (4, "msg", false),
            (2, "tool/2", false),
            (3, "stream/a", true),
        ];
        assert_eq!(told(nodes, relations), expected.map(|(depth, id, again)| (depth, id.to_owned(), again)));
    }

    #[test]
    fn streams_that_start_each_other_are_told_once_each() {
        let nodes = vec![
            node("session/s", "session", None),
            node("stream/a", "stream", Some("session/s")),
            node("stream/b", "stream", Some("session/s")),
            node("tool/a", "agent.call", Some("stream/a")),
            node("tool/b", "agent.call", Some("stream/b")),
        ];
        let relations = vec![starts("tool/a", "stream/b"), starts("tool/b", "stream/a")];
        let told = told(nodes, relations);
        let ids: Vec<&str> = told.iter().filter(|(.., again)| !again).map(|(_, id, _)| id.as_str()).collect();
        assert_eq!(ids, ["session/s", "stream/a", "tool/a", "stream/b", "tool/b"]);
        assert_eq!(told.last(), Some(&(5, "stream/a".to_owned(), true)));
    }

    #[test]
    fn children_may_be_nested_a_hundred_thousand_deep() {
        let mut nodes = vec![node("session/s", "session", None)];
        let mut relations = Vec::new();
        for number in 0..100_000 {
            let (stream, tool) = (format!("stream/{number}"), format!("tool/{number}"));
            nodes.push(node(&stream, "stream", Some("session/s")));
            nodes.push(node(&tool, "agent.call", Some(&stream)));
            if number > 0 {
                relations.push(starts(&format!("tool/{}", number - 1), &stream));
            }
        }
        let told = told(nodes, relations);
        assert_eq!(told.last(), Some(&(200_000, "tool/99999".to_owned(), false)));
    }

    #[test]
    fn what_has_lost_its_place_is_told_all_the_same() {
        let nodes = vec![node("session/s", "session", None), node("msg/1/1", "message.assistant", Some("call/gone"))];
        assert_eq!(told(nodes, Vec::new()).len(), 2);
    }
}

//! Which node is in which, by number instead of by id. The one place that reads how entities name each other.

use std::collections::{HashMap, HashSet};

use crate::conversation::entity::{Conversation, Node, NodeKind, Place, Relation, Text, Value};

/// The number of a node among those of its conversation.
pub(super) type Number = usize;

/// The two ends of a relation.
type Ends = (Option<Number>, Option<Number>);

/// A conversation whose nodes are found by number.
#[derive(Debug)]
pub(super) struct Links<'a> {
    pub(super) conversation: &'a Conversation,
    /// For each node what contains it.
    parents: Vec<Option<Number>>,
    /// For each node its stream.
    streams: Vec<Option<Number>>,
    /// The ends of each relation.
    ends: Vec<Ends>,
    /// The relations of a node, from it and to it, sorted by node.
    outgoing: Vec<(Number, usize)>,
    incoming: Vec<(Number, usize)>,
    /// Where the program says that a child has begun.
    launches: HashSet<Place>,
}

impl<'a> Links<'a> {
    pub(super) fn of(conversation: &'a Conversation) -> Self {
        let nodes = &conversation.nodes;
        let numbers: HashMap<Text, Number> = nodes.iter().enumerate().map(|(number, node)| (node.id, number)).collect();
        // An id that was made twice has two numbers.
        let find = |text: Text| numbers.get(&text).copied().or_else(|| find(conversation, conversation.text(text)));
        let ends: Vec<Ends> =
            conversation.relations.iter().map(|relation| (find(relation.from), find(relation.to))).collect();
        let sorted = |end: fn(&Ends) -> Option<Number>| {
            let numbered = ends.iter().enumerate();
            let mut list: Vec<_> =
                numbered.filter_map(|(relation, ends)| end(ends).map(|node| (node, relation))).collect();
            list.sort_unstable();
            list
        };
        let launches = nodes.iter().filter(|node| node.kind == NodeKind::LaunchAck);
        Self {
            conversation,
            parents: nodes.iter().map(|node| node.parent.and_then(find)).collect(),
            streams: nodes.iter().map(|node| node.stream.and_then(find)).collect(),
            outgoing: sorted(|(from, _)| *from),
            incoming: sorted(|(_, to)| *to),
            ends,
            launches: launches.flat_map(|node| conversation.places(&node.places)).copied().collect(),
        }
    }

    pub(super) fn count(&self) -> usize {
        self.conversation.nodes.len()
    }

    fn node(&self, number: Number) -> Option<&'a Node> {
        self.conversation.nodes.get(number)
    }

    pub(super) fn text(&self, text: Text) -> &'a str {
        self.conversation.text(text)
    }

    pub(super) fn id(&self, number: Number) -> &'a str {
        self.node(number).map_or("", |node| self.text(node.id))
    }

    pub(super) fn kind(&self, number: Number) -> &'static str {
        self.node(number).map_or("", |node| node.kind.name())
    }

    /// Where a node stands.
    pub(super) fn places(&self, number: Number) -> &'a [Place] {
        self.node(number).map_or(&[], |node| self.conversation.places(&node.places))
    }

    /// The node that has an id.
    pub(super) fn find(&self, id: &str) -> Option<Number> {
        find(self.conversation, id)
    }

    /// Tells whether a record says only that a child has begun.
    pub(super) fn is_launch(&self, place: Place) -> bool {
        self.launches.contains(&Place { block: None, ..place })
    }

    pub(super) fn relation(&self, relation: usize) -> Option<&'a Relation> {
        self.conversation.relations.get(relation)
    }

    /// The relation that has an id.
    pub(super) fn find_relation(&self, id: &str) -> Option<usize> {
        self.conversation
            .relations
            .binary_search_by(|relation| self.conversation.texts.bytes(relation.id).cmp(id.as_bytes()))
            .ok()
    }

    pub(super) fn relation_id(&self, relation: usize) -> &'a str {
        self.relation(relation).map_or("", |relation| self.text(relation.id))
    }

    /// Where a relation is said.
    pub(super) fn evidence(&self, relation: usize) -> &'a [Place] {
        self.relation(relation).map_or(&[], |relation| self.conversation.places(&relation.evidence))
    }

    /// The ids of the ends of a relation.
    pub(super) fn end_ids(&self, relation: usize) -> (&'a str, &'a str) {
        self.relation(relation).map_or(("", ""), |relation| (self.text(relation.from), self.text(relation.to)))
    }

    pub(super) fn parent(&self, number: Number) -> Option<Number> {
        self.parents.get(number).copied().flatten()
    }

    pub(super) fn stream(&self, number: Number) -> Option<Number> {
        self.streams.get(number).copied().flatten()
    }

    /// The relations from a node, each with its other end.
    pub(super) fn from(&self, number: Number) -> impl Iterator<Item = (usize, Option<Number>)> {
        of_node(&self.outgoing, number).map(|relation| (relation, self.ends.get(relation).and_then(|(_, to)| *to)))
    }

    /// The relations to a node, each with its other end.
    pub(super) fn to(&self, number: Number) -> impl Iterator<Item = (usize, Option<Number>)> {
        of_node(&self.incoming, number).map(|relation| (relation, self.ends.get(relation).and_then(|(from, _)| *from)))
    }

    /// The nodes that a node has relations of one kind to.
    pub(super) fn targets(&self, number: Number, kind: &str) -> impl Iterator<Item = Number> {
        self.from(number)
            .filter(move |(relation, _)| self.relation(*relation).is_some_and(|relation| relation.kind == kind))
            .filter_map(|(_, other)| other)
    }

    /// The attributes of a node, sorted by name.
    pub(super) fn attrs(&self, number: Number) -> Vec<(&'static str, Value<'a>)> {
        let mut attrs = Vec::new();
        if let Some(node) = self.node(number) {
            self.conversation.attrs(node, |name, value| attrs.push((name, value)));
        }
        attrs
    }

    /// The value of an attribute of a node.
    pub(super) fn attr(&self, number: Number, name: &str) -> Option<Value<'a>> {
        let mut found = None;
        self.conversation.attrs(self.node(number)?, |own, value| {
            if own == name {
                found = Some(value);
            }
        });
        found
    }

    /// The same, where it is words.
    pub(super) fn word(&self, number: Number, name: &str) -> Option<&'a str> {
        match self.attr(number, name)? {
            Value::Word(word) => Some(word),
            Value::Text(text) => Some(text),
            Value::Count(_) | Value::Flag(_) | Value::Place(_) | Value::Unmet(_) => None,
        }
    }
}

fn find(conversation: &Conversation, id: &str) -> Option<Number> {
    conversation.nodes.find(|node| conversation.texts.bytes(node.id).cmp(id.as_bytes()))
}

fn of_node(list: &[(Number, usize)], number: Number) -> impl Iterator<Item = usize> {
    let from = list.partition_point(|(node, _)| *node < number);
    list.iter().skip(from).take_while(move |(node, _)| *node == number).map(|(_, relation)| *relation)
}

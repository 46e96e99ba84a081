//! What has come out of the stages, put in order. Knows no stage.

use super::order::sorted;
use crate::conversation::entity::{Conversation, Relation, Text, Texts};

/// Sorts each group by id, and makes one of what has the same.
pub(in super::super) fn in_order(mut made: Conversation) -> Conversation {
    let texts = std::mem::take(&mut made.texts);
    made.nodes = by_id(&made.nodes, &texts, |node| node.id);
    // An id that two things of a damaged session would share belongs to the first.
    made.nodes.dedup_by(|later, first| is_same(&texts, later.id, first.id));
    made.unresolved = by_id(&made.unresolved, &texts, |missing| missing.id);
    made.unresolved.dedup_by(|later, first| is_same(&texts, later.id, first.id));
    let said = by_id(&made.relations, &texts, |relation| relation.id);
    made.relations.clear();
    for same in said.chunk_by(|one, other| is_same(&texts, one.id, other.id)) {
        let relation = together(same, &mut made);
        made.relations.extend(relation);
    }
    made.texts = texts;
    made
}

fn by_id<T: Copy + Sync>(things: &[T], texts: &Texts, id: impl Fn(&T) -> Text + Sync) -> Vec<T> {
    let bytes = |number: u32| things.get(number as usize).map(|thing| texts.bytes(id(thing))).unwrap_or_default();
    let order = sorted(things.len(), bytes).into_iter();
    let mut sorted = Vec::with_capacity(things.len());
    sorted.extend(order.filter_map(|number| things.get(number as usize)));
    sorted
}

fn is_same(texts: &Texts, one: Text, other: Text) -> bool {
    texts.bytes(one) == texts.bytes(other)
}

/// What was said of a relation several times, as one: the surest counts, and all of it is evidence.
fn together(same: &[Relation], made: &mut Conversation) -> Option<Relation> {
    let (first, others) = same.split_first()?;
    let mut relation = *first;
    if others.is_empty() {
        return Some(relation);
    }
    for other in others {
        if other.quality > relation.quality {
            (relation.quality, relation.via) = (other.quality, other.via);
        }
    }
    let mut evidence: Vec<_> = same.iter().flat_map(|relation| made.places(&relation.evidence)).copied().collect();
    evidence.sort_unstable();
    evidence.dedup();
    relation.evidence = made.list(&evidence);
    Some(relation)
}

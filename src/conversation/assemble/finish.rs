//! What has come out of the stages, put in order. Knows no stage.

use super::Assembled;
use super::order::{Key, sorted};
use crate::conversation::entity::{Conversation, Relation, Sorted, Text, Texts};

/// Sorts each group by id, and makes one of what has the same.
pub(in super::super) fn in_order(assembled: Assembled) -> Conversation {
    let Assembled { nodes, rest: mut made } = assembled;
    let order = by_id(&nodes, &made.texts, |node| node.id);
    // An id that two things of a damaged session would share belongs to the first.
    made.nodes = Sorted::new(nodes, firsts(&order).collect());
    let order = by_id(&made.unresolved, &made.texts, |missing| missing.id);
    made.unresolved = firsts(&order).filter_map(|number| made.unresolved.get(number as usize)).copied().collect();
    let order = by_id(&made.relations, &made.texts, |relation| relation.id);
    let said = std::mem::take(&mut made.relations);
    for same in order.chunk_by(|_, later| later.is_again) {
        let same: Vec<Relation> = same.iter().filter_map(|key| said.get(key.number as usize)).copied().collect();
        let relation = together(&same, &mut made);
        made.relations.extend(relation);
    }
    made
}

fn by_id<T: Sync>(things: &[T], texts: &Texts, id: impl Fn(&T) -> Text + Sync) -> Vec<Key> {
    let bytes = |number: u32| things.get(number as usize).map(|thing| texts.bytes(id(thing))).unwrap_or_default();
    sorted(things.len(), bytes)
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

/// The numbers of those that are not the same as one before.
fn firsts(order: &[Key]) -> impl Iterator<Item = u32> {
    order.iter().filter(|key| !key.is_again).map(|key| key.number)
}

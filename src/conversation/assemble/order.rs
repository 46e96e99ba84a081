//! The order of ids: that of their bytes. Knows not what has them.

use std::convert::Infallible;

use crate::conversation::workers::in_order;

/// So many ids are compared as they are.
const FEW: usize = 16;

/// Fewer ids than this are not worth the way to another thread.
const MANY: usize = 4096;

/// An id to be sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    /// Eight bytes of it, the first as the highest, with zeros behind its end.
    bytes: u64,
    /// Which one it is.
    pub(super) number: u32,
    /// Whether the one before is equal, once they are sorted.
    pub(super) is_again: bool,
}

/// Returns the numbers of ids, from 0, in the order of the ids; of equal ids the first stays the first.
///
/// Ids of one kind begin alike, and each comparison would look into memory at two places far apart. So what all share
/// is passed over, and the eight bytes behind it stand for the id; only where they are equal is more of it looked at.
pub(super) fn sorted<'a>(count: usize, id: impl Fn(u32) -> &'a [u8] + Sync) -> Vec<Key> {
    let numbers = 0..u32::try_from(count).unwrap_or(u32::MAX);
    let mut keys: Vec<Key> = numbers.map(|number| Key { bytes: 0, number, is_again: false }).collect();
    let depth = next_bytes(&mut keys, 0, &id);
    // These are few, one for each kind: a stable sort is quicker where many are equal.
    keys.sort_by_key(|key| key.bytes);
    let (many, few): (Vec<_>, Vec<_>) = alike(&mut keys).partition(|group| group.len() >= MANY);
    let mut many = many.into_iter();
    let Ok(()) = in_order(|| Ok::<_, Infallible>(many.next()), |group| sort(group, depth, &id), |()| Ok(()));
    for group in few {
        sort(group, depth, &id);
    }
    keys
}

/// Sorts ids that are equal up to `depth`.
fn sort<'a>(keys: &mut [Key], depth: usize, id: &impl Fn(u32) -> &'a [u8]) {
    let mut groups = vec![(keys, depth)];
    while let Some((group, depth)) = groups.pop() {
        let count = group.len();
        if count <= FEW {
            sort_whole(group, id);
            continue;
        }
        let depth = next_bytes(group, depth, id);
        group.sort_unstable();
        for same in alike(group) {
            if same.len() == count {
                // Behind what they share there is nothing, or zeros, which are no part of any known id.
                sort_whole(same, id);
            } else {
                groups.push((same, depth));
            }
        }
    }
}

/// Sorts ids by all of their bytes.
fn sort_whole<'a>(keys: &mut [Key], id: &impl Fn(u32) -> &'a [u8]) {
    keys.sort_unstable_by_key(|key| (id(key.number), key.number));
    let mut before = None;
    for key in keys {
        let own = Some(id(key.number));
        key.is_again = before == own;
        before = own;
    }
}

/// Gives each key the eight bytes behind what all share from `depth` on; returns where these bytes begin.
fn next_bytes<'a>(keys: &mut [Key], depth: usize, id: &impl Fn(u32) -> &'a [u8]) -> usize {
    let depth = depth + shared(keys, depth, id);
    for key in keys.iter_mut() {
        key.bytes = eight(id(key.number), depth);
    }
    depth
}

/// The groups of keys whose bytes are equal, but for those of one alone.
fn alike(keys: &mut [Key]) -> impl Iterator<Item = &mut [Key]> {
    keys.chunk_by_mut(|one, other| one.bytes == other.bytes).filter(|group| group.len() > 1)
}

/// How many bytes from `depth` on all ids of a group have in common.
fn shared<'a>(group: &[Key], depth: usize, id: &impl Fn(u32) -> &'a [u8]) -> usize {
    let rest = |key: &Key| id(key.number).get(depth..).unwrap_or_default();
    let first = group.first().map(rest).unwrap_or_default();
    let mut length = first.len();
    for key in group {
        if length == 0 {
            break;
        }
        let pairs = first.iter().zip(rest(key)).take(length);
        length = pairs.take_while(|(one, other)| one == other).count();
    }
    length
}

/// The next eight bytes, but none behind a slash: so ids are kept apart by their kinds at first, and those of one kind
/// stay together in the order in which they were made, in which they also stand in memory.
fn eight(id: &[u8], depth: usize) -> u64 {
    let rest = id.get(depth..).unwrap_or_default();
    let next = rest.get(..8).unwrap_or(rest);
    let part = next.split_inclusive(|byte| *byte == b'/').next().unwrap_or_default();
    let mut bytes = [0; 8];
    for (own, byte) in bytes.iter_mut().zip(part) {
        *own = *byte;
    }
    u64::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_sorted_by_their_bytes_and_equal_ones_stay_in_their_order() {
        let mut ids: Vec<String> = (0..2000_u32).map(|number| format!("msg/1/{}:0", number * 7919 % 1500)).collect();
        ids.extend((0..500).map(|length| "x".repeat(length * 31 % 100)));
        ids.extend((0..100).map(|length| "\0".repeat(length % 30)));
        ids.extend((0..100).map(|number| format!("run/talk%2F{number:040}/é")));
        let mut expected: Vec<u32> = (0..2700).collect();
        expected.sort_by_key(|number| ids[*number as usize].as_bytes());
        let found = sorted(ids.len(), |number| ids[number as usize].as_bytes());
        assert_eq!(found.iter().map(|key| key.number).collect::<Vec<_>>(), expected);
        let id = |key: &Key| &ids[key.number as usize];
        assert!(!found[0].is_again);
        assert!(found.windows(2).all(|pair| pair[1].is_again == (id(&pair[0]) == id(&pair[1]))));
    }
}

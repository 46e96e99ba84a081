//! The order of ids: that of their bytes. Knows not what has them.

/// So many ids are compared as they are.
const FEW: usize = 16;

/// An id to be sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// Eight bytes of it, the first as the highest, with zeros behind its end.
    bytes: u64,
    /// Which one it is.
    number: u32,
}

/// Returns the numbers of ids, from 0, in the order of the ids; of equal ids the first stays the first.
///
/// Ids of one kind begin alike, and each comparison would look into memory at two places far apart. So what all share
/// is passed over, and the eight bytes behind it stand for the id; only where they are equal is more of it looked at.
pub(super) fn sorted<'a>(count: usize, id: impl Fn(u32) -> &'a [u8]) -> Vec<u32> {
    let numbers = 0..u32::try_from(count).unwrap_or(u32::MAX);
    let mut keys: Vec<Key> = numbers.map(|number| Key { bytes: 0, number }).collect();
    let mut alike = vec![(0..keys.len(), 0)];
    while let Some((range, depth)) = alike.pop() {
        let Some(group) = keys.get_mut(range.clone()) else { continue };
        if group.len() <= FEW {
            group.sort_unstable_by_key(|key| (id(key.number), key.number));
            continue;
        }
        let depth = depth + shared(group, depth, &id);
        for key in group.iter_mut() {
            key.bytes = eight(id(key.number), depth);
        }
        group.sort_unstable();
        let mut start = range.start;
        for same in group.chunk_by_mut(|one, other| one.bytes == other.bytes) {
            let end = start + same.len();
            if same.len() == range.len() {
                // Behind what they share there is nothing, or zeros, which are no part of any known id.
                same.sort_unstable_by_key(|key| (id(key.number), key.number));
            } else if same.len() > 1 {
                alike.push((start..end, depth));
            }
            start = end;
        }
    }
    keys.into_iter().map(|key| key.number).collect()
}

/// How many bytes from `depth` on all ids of a group have in common.
fn shared<'a>(group: &[Key], depth: usize, id: &impl Fn(u32) -> &'a [u8]) -> usize {
    let rest = |key: &Key| id(key.number).get(depth..).unwrap_or_default();
    let first = group.first().map(rest).unwrap_or_default();
    group.iter().fold(first.len(), |length, key| {
        let pairs = first.iter().zip(rest(key)).take(length);
        pairs.take_while(|(one, other)| one == other).count()
    })
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
        assert_eq!(sorted(ids.len(), |number| ids[number as usize].as_bytes()), expected);
    }
}

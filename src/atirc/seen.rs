//! Which messages were there before, in bounded memory. Knows no message.

use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasher, Hash, RandomState};

/// How many messages are remembered.
pub(super) const REMEMBERED: usize = 65_536;

/// The newest ids, as hashes with a random key: an id can be as long as a line. That a new id meets the hash of
/// a remembered one is less likely than 1 in 10^14, and nobody can bring it about.
#[derive(Debug, Default)]
pub(super) struct Seen {
    key: RandomState,
    hashes: HashSet<u64>,
    order: VecDeque<u64>,
}

impl Seen {
    /// Remembers an id; tells whether it was not there before.
    pub(super) fn is_new(&mut self, id: &impl Hash) -> bool {
        let hash = self.key.hash_one(id);
        if !self.hashes.insert(hash) {
            return false;
        }
        self.order.push_back(hash);
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.hashes.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_new_once() {
        let mut seen = Seen::default();
        assert!(seen.is_new(&("#a", "1")));
        assert!(seen.is_new(&("#b", "1")));
        assert!(!seen.is_new(&("#a", "1")));
    }

    #[test]
    fn only_the_newest_are_remembered() {
        let mut seen = Seen::default();
        for id in 0..=REMEMBERED {
            assert!(seen.is_new(&id));
        }
        assert_eq!(seen.hashes.len(), REMEMBERED);
        assert!(!seen.is_new(&1_usize));
        assert!(seen.is_new(&0_usize));
    }
}

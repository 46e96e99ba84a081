//! Which id each tool call has in the session, and which call a result answers. Knows no transcript format.

use std::borrow::Cow;
use std::collections::hash_map::RandomState;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};

use uuid::Uuid;

use crate::event::Answers;
use crate::report::{Oddity, Tally};

/// The longest id that model APIs take, in characters.
const ID_LIMIT: usize = 64;

/// The calls of a session.
///
/// Ids are remembered by their hash under a random key, so that a call costs at most 32 bytes however long its
/// id is; a call without a result yet costs some 30 more, one whose id was replaced some 60.
#[derive(Debug)]
pub struct Calls {
    hasher: RandomState,
    /// The ids that calls have in the session.
    used: HashSet<u64, BuildHasherDefault<AsItIs>>,
    /// The calls without a result: the id as it came, and the call; the oldest call of an id comes first.
    unanswered: BTreeSet<(u64, Call)>,
    /// The ids that came and were replaced, with the last call that got another id for it.
    replaced: HashMap<u64, u64>,
    /// What the fresh ids of this session begin with.
    prefix: String,
    next: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Call {
    number: u64,
    is_replaced: bool,
}

impl Calls {
    /// Begins a session; `seed` tells its fresh ids from those of other sessions.
    #[must_use]
    pub fn new(seed: Uuid) -> Self {
        let seed = seed.simple().to_string();
        Self {
            hasher: RandomState::new(),
            used: HashSet::default(),
            unanswered: BTreeSet::new(),
            replaced: HashMap::new(),
            prefix: format!("call_{}", seed.get(..12).unwrap_or_default()),
            next: 0,
        }
    }

    /// Takes in a call; returns its number and its id in the session.
    pub fn call<'a>(&mut self, came: Option<&'a str>, tally: &mut Tally) -> (u64, Cow<'a, str>) {
        let number = self.next;
        self.next += 1;
        let key = self.key(came);
        let id = match came {
            // An id that looks like a fresh one could meet one.
            Some(came) if is_well_formed(came) && !came.starts_with(&self.prefix) => {
                if self.used.insert(key) {
                    self.unanswered.insert((key, Call { number, is_replaced: false }));
                    return (number, Cow::Borrowed(came));
                }
                tally.count(Oddity::CallIdUsed);
                self.fresh_id(number)
            }
            Some(_) => {
                tally.count(Oddity::CallId);
                self.fresh_id(number)
            }
            None => {
                tally.count(Oddity::NoCallId);
                self.fresh_id(number)
            }
        };
        self.used.insert(self.key(Some(&id)));
        self.replaced.insert(key, number);
        self.unanswered.insert((key, Call { number, is_replaced: true }));
        (number, Cow::Owned(id))
    }

    /// Takes in a result; returns which call it answers, and that call's id in the session.
    pub fn result<'a>(&mut self, came: Option<&'a str>, tally: &mut Tally) -> (Answers, Cow<'a, str>) {
        let key = self.key(came);
        let as_it_came = Cow::Borrowed(came.unwrap_or_default());
        let oldest = (key, Call { number: 0, is_replaced: false });
        if let Some(&(found, call)) = self.unanswered.range(oldest..).next()
            && found == key
        {
            self.unanswered.remove(&(found, call));
            let id = if call.is_replaced { Cow::Owned(self.fresh_id(call.number)) } else { as_it_came };
            return (Answers::Call(call.number), id);
        }
        let replaced = self.replaced.get(&key).copied();
        if replaced.is_none() && !self.used.contains(&key) {
            tally.count(Oddity::UnknownCall);
            return (Answers::UnknownCall, as_it_came);
        }
        tally.count(Oddity::AnsweredCall);
        (Answers::AnsweredCall, replaced.map_or(as_it_came, |number| Cow::Owned(self.fresh_id(number))))
    }

    /// What an id, or that there is none, is remembered by.
    fn key(&self, came: Option<&str>) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        match came {
            Some(id) => hasher.write(id.as_bytes()),
            // No string has this byte.
            None => hasher.write_u8(0xff),
        }
        hasher.finish()
    }

    /// The id that stands for the one with which this call came.
    fn fresh_id(&self, number: u64) -> String {
        format!("{}_{number}", self.prefix)
    }
}

/// Takes a number that is a hash already as its own hash.
#[derive(Debug, Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        // Numbers come by the method below; this one only has to be there.
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

fn is_well_formed(id: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    !id.is_empty() && id.len() <= ID_LIMIT && id.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls() -> Calls {
        Calls::new(Uuid::from_u128(0x1234 << 112))
    }

    #[test]
    fn a_well_formed_id_stays() {
        let (mut calls, mut tally) = (calls(), Tally::default());
        assert_eq!(calls.call(Some("toolu_1-a"), &mut tally), (0, "toolu_1-a".into()));
        assert_eq!(calls.result(Some("toolu_1-a"), &mut tally), (Answers::Call(0), "toolu_1-a".into()));
        assert_eq!(tally.take_fresh().count(), 0);
    }

    #[test]
    fn ill_formed_absent_and_used_ids_become_fresh_ones_and_results_follow() {
        let (mut calls, mut tally) = (calls(), Tally::default());
        let long = "x".repeat(65);
        let came =
            [Some("functions.read:37"), Some("a.b"), Some("a:b"), None, None, Some(&*long), Some("c"), Some("c")];
        let given: Vec<_> = came.iter().map(|id| calls.call(*id, &mut tally)).collect();
        let distinct: HashSet<_> = given.iter().map(|(_, id)| id).collect();
        assert_eq!(distinct.len(), came.len());
        assert!(given.iter().all(|(_, id)| is_well_formed(id)));
        for (id, (number, expected)) in came.iter().zip(&given) {
            assert_eq!(calls.result(*id, &mut tally), (Answers::Call(*number), expected.clone()));
        }
        assert_eq!(tally.take_fresh().collect::<Vec<_>>(), [Oddity::CallId, Oddity::NoCallId, Oddity::CallIdUsed]);
    }

    #[test]
    fn a_result_answers_the_oldest_unanswered_call_of_its_id() {
        let (mut calls, mut tally) = (calls(), Tally::default());
        let (first, _) = calls.call(Some("d"), &mut tally);
        let (second, fresh) = calls.call(Some("d"), &mut tally);
        assert_eq!(calls.result(Some("d"), &mut tally), (Answers::Call(first), "d".into()));
        assert_eq!(calls.result(Some("d"), &mut tally), (Answers::Call(second), fresh.clone()));
        assert_eq!(calls.result(Some("d"), &mut tally), (Answers::AnsweredCall, fresh));
    }

    #[test]
    fn a_result_without_its_call_says_so() {
        let (mut calls, mut tally) = (calls(), Tally::default());
        assert_eq!(calls.result(Some("ghost"), &mut tally), (Answers::UnknownCall, "ghost".into()));
        assert_eq!(calls.result(None, &mut tally), (Answers::UnknownCall, "".into()));
        calls.call(Some("a"), &mut tally);
        calls.result(Some("a"), &mut tally);
        assert_eq!(calls.result(Some("a"), &mut tally), (Answers::AnsweredCall, "a".into()));
        assert_eq!(tally.take_fresh().collect::<Vec<_>>(), [Oddity::UnknownCall, Oddity::AnsweredCall]);
    }

    #[test]
    fn an_agent_that_sends_ids_like_our_fresh_ones_gets_others() {
        let (mut calls, mut tally) = (calls(), Tally::default());
        let (_, first) = calls.call(None, &mut tally);
        let next = first.replace("_0", "_2");
        let given = [Some(&*first), Some(&*next)].map(|id| calls.call(id, &mut tally).1.into_owned());
        let distinct: HashSet<_> = given.iter().map(String::as_str).chain([&*first]).collect();
        assert_eq!(distinct.len(), 3);
    }
}

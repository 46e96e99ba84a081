//! Ids as small numbers: each is held once.

use std::borrow::Cow;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use uuid::Uuid;

/// An id of a source; none has the number 0.
///
/// UUIDs have even numbers, other texts odd ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct Id(u32);

impl Id {
    /// Stands for no id.
    pub(super) const NONE: Self = Self(0);

    pub(super) fn is_some(self) -> bool {
        self.0 != 0
    }

    pub(super) fn place(self) -> usize {
        self.0 as usize
    }

    pub(super) fn is_uuid(self) -> bool {
        self.0.is_multiple_of(2)
    }

    // There is no memory for more ids than a number can count.
    fn of_uuid(place: usize) -> Self {
        Self(u32::try_from(2 * place).unwrap_or_default())
    }

    fn of_text(place: usize) -> Self {
        Self(u32::try_from(2 * place + 1).unwrap_or_default())
    }
}

/// Returns the UUID that a text is, if it is written as every program writes one: nearly all ids are, and 16 bytes say
/// what 36 characters do.
fn uuid_of(text: &str) -> Option<Uuid> {
    let bytes = <&[u8; 36]>::try_from(text.as_bytes()).ok()?;
    // To the end and without a way out, so that the processor takes many bytes at once.
    let has_capital = bytes.iter().fold(false, |found, byte| found | byte.is_ascii_uppercase());
    Uuid::try_parse_ascii(bytes).ok().filter(|_| !has_capital)
}

/// All ids of a session. A UUID costs its 16 bytes, another one its text and 8, and each some 16 in the table.
#[derive(Debug)]
pub(super) struct Ids {
    /// The first stands for no id.
    uuids: Vec<Uuid>,
    texts: String,
    /// Where each text ends.
    ends: Vec<usize>,
    /// The hashes of ids with their numbers, each at the place that its hash gives or the next free one, where the number
    /// is 0; a power of two of places. Another id is seen by its hash alone, and the table grows from its start to its end.
    table: Vec<(u32, u32)>,
    hasher: RandomState,
    /// What the hash of a UUID is made with. Nobody who writes a transcript knows it.
    seeds: [u64; 2],
}

impl Default for Ids {
    fn default() -> Self {
        let hasher = RandomState::new();
        let seeds = [hasher.hash_one(0), hasher.hash_one(1)];
        let table = vec![(0, 0); 2048];
        Self { uuids: vec![Uuid::nil()], texts: String::new(), ends: Vec::new(), table, hasher, seeds }
    }
}

impl Ids {
    /// Returns the number of a text; nothing and the empty text have none.
    pub(super) fn put(&mut self, text: Option<&str>) -> Id {
        let Some(text) = text.filter(|text| !text.is_empty()) else { return Id::NONE };
        match uuid_of(text) {
            Some(uuid) => self.put_uuid(uuid),
            None => self.put_text(text),
        }
    }

    /// Takes in all ids of others; returns their numbers here.
    pub(super) fn take_in(&mut self, others: &Self) -> Numbers {
        let uuids = others.uuids.get(1..).unwrap_or_default();
        // A first look at each place: without any work in between the processor fetches many of them at once.
        let seen = uuids.iter().filter_map(|uuid| self.table.get(self.place(self.hash(*uuid))));
        std::hint::black_box(seen.fold(0, |all, (hash, _)| all | hash));
        let mut numbers = Numbers { uuids: vec![Id::NONE], texts: Vec::new() };
        numbers.uuids.extend(uuids.iter().map(|uuid| self.put_uuid(*uuid)));
        numbers.texts.extend((0..others.ends.len()).map(|number| self.put_text(others.text_at(number))));
        numbers
    }

    fn put_uuid(&mut self, uuid: Uuid) -> Id {
        let hash = self.hash(uuid);
        let place = match self.find(hash, |id| id.is_uuid() && self.uuid_at(id.place() / 2) == uuid) {
            Ok(id) => return id,
            Err(free) => free,
        };
        self.uuids.push(uuid);
        self.set(place, hash, Id::of_uuid(self.uuids.len() - 1))
    }

    fn put_text(&mut self, text: &str) -> Id {
        let hash = half(self.hasher.hash_one(text));
        let place = match self.find(hash, |id| !id.is_uuid() && self.text_at(id.place() / 2) == text) {
            Ok(id) => return id,
            Err(free) => free,
        };
        self.texts.push_str(text);
        self.ends.push(self.texts.len());
        self.set(place, hash, Id::of_text(self.ends.len() - 1))
    }

    /// Returns the text of a number.
    pub(super) fn text(&self, id: Id) -> Cow<'_, str> {
        match id {
            Id::NONE => Cow::Borrowed(""),
            uuid if uuid.is_uuid() => Cow::Owned(self.uuid_at(uuid.place() / 2).hyphenated().to_string()),
            text => Cow::Borrowed(self.text_at(text.place() / 2)),
        }
    }

    /// Hands on the text of a number, which is quicker than returning it.
    pub(super) fn read<R>(&self, id: Id, take: impl FnOnce(&str) -> R) -> R {
        match id {
            Id::NONE => take(""),
            uuid if uuid.is_uuid() => {
                take(self.uuid_at(uuid.place() / 2).hyphenated().encode_lower(&mut Uuid::encode_buffer()))
            }
            text => take(self.text_at(text.place() / 2)),
        }
    }

    /// What all numbers are below.
    pub(super) fn end(&self) -> usize {
        2 * self.uuids.len().max(self.ends.len()) + 1
    }

    fn uuid_at(&self, place: usize) -> Uuid {
        self.uuids.get(place).copied().unwrap_or_default()
    }

    fn text_at(&self, place: usize) -> &str {
        let end = self.ends.get(place).copied().unwrap_or_default();
        let start = place.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default();
        self.texts.get(start..end).unwrap_or_default()
    }

    fn hash(&self, uuid: Uuid) -> u32 {
        // All bits of each half, with what nobody knows, by all bits of the other.
        let ((first, second), [one, other]) = (uuid.as_u64_pair(), self.seeds);
        let product = u128::from(first ^ one) * u128::from(second ^ other);
        let (high, low) = Uuid::from_u128(product).as_u64_pair();
        half(high ^ low)
    }

    /// The place of a hash if it is free.
    fn place(&self, hash: u32) -> usize {
        hash as usize & (self.table.len() - 1)
    }

    /// The id of this hash that is the one, or else the free place for it.
    fn find(&self, hash: u32, is_it: impl Fn(Id) -> bool) -> Result<Id, usize> {
        let mut place = self.place(hash);
        while let Some((own, number @ 1..)) = self.table.get(place).copied() {
            if own == hash && is_it(Id(number)) {
                return Ok(Id(number));
            }
            place = (place + 1) & (self.table.len() - 1);
        }
        Err(place)
    }

    fn set(&mut self, place: usize, hash: u32, id: Id) -> Id {
        if let Some(free) = self.table.get_mut(place) {
            *free = (hash, id.0);
        }
        if (self.uuids.len() + self.ends.len()) * 4 > self.table.len() * 3 {
            self.grow();
        }
        id
    }

    fn grow(&mut self) {
        let places = self.table.len() * 2;
        let old = std::mem::replace(&mut self.table, vec![(0, 0); places]);
        for (hash, number) in old.into_iter().filter(|(_, number)| *number != 0) {
            if let Err(place) = self.find(hash, |_| false)
                && let Some(free) = self.table.get_mut(place)
            {
                *free = (hash, number);
            }
        }
    }
}

/// The upper half of a hash: each of its bits depends on all of what was hashed.
fn half(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// The numbers that ids have elsewhere.
#[derive(Debug)]
pub(super) struct Numbers {
    uuids: Vec<Id>,
    texts: Vec<Id>,
}

impl Numbers {
    /// The number there of an id with a number here.
    pub(super) fn own(&self, id: Id) -> Id {
        let numbers = if id.is_uuid() { &self.uuids } else { &self.texts };
        numbers.get(id.place() / 2).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_has_one_number_and_comes_back() {
        let mut ids = Ids::default();
        let mut texts: Vec<String> = (0..1000).map(|number| format!("id-{number}")).collect();
        texts.extend((0..1000).map(|number| format!("00000000-0000-4000-8000-{number:012x}")));
        texts.extend(
            ["00000000-0000-0000-0000-000000000000", "ABCDEF00-0000-4000-8000-000000000000"].map(str::to_owned),
        );
        let first: Vec<Id> = texts.iter().map(|text| ids.put(Some(text))).collect();
        let second: Vec<Id> = texts.iter().map(|text| ids.put(Some(text))).collect();
        assert_eq!(first, second);
        assert!(texts.iter().zip(&first).all(|(text, id)| ids.text(*id) == *text));
        assert!(first.iter().all(|id| id.is_some() && id.place() < ids.end()));
        assert_eq!((ids.put(None), ids.put(Some(""))), (Id::NONE, Id::NONE));
        assert_eq!(ids.text(Id::NONE), "");
    }
}

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
}

/// What an id is held as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form<'a> {
    /// Nearly all ids are UUIDs, and 16 bytes say what 36 characters do.
    Uuid(Uuid),
    Text(&'a str),
}

impl<'a> Form<'a> {
    fn of(text: &'a str) -> Self {
        let is_usual = text.len() == 36 && !text.bytes().any(|byte| byte.is_ascii_uppercase());
        match Uuid::try_parse(text) {
            Ok(uuid) if is_usual => Self::Uuid(uuid),
            _ => Self::Text(text),
        }
    }
}

/// A place of the table: an id, and the hash that it has.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    hash: u32,
    id: Id,
}

/// All ids of a session. A UUID costs its 16 bytes, another one its text and 8, and each up to 16 in the table.
#[derive(Debug)]
pub(super) struct Ids {
    /// The first stands for no id.
    uuids: Vec<Uuid>,
    texts: Vec<u8>,
    /// Where each text ends.
    ends: Vec<usize>,
    /// The ids, each at the place that its hash gives or the next free one; a power of two of them. The hash in it
    /// spares a look at the id itself, which is far away.
    table: Vec<Slot>,
    hasher: RandomState,
    /// What the hash of a UUID is made with. Nobody who writes a transcript knows it.
    seeds: [u64; 2],
}

impl Default for Ids {
    fn default() -> Self {
        let hasher = RandomState::new();
        let seeds = [hasher.hash_one(0), hasher.hash_one(1)];
        let table = vec![Slot::default(); 64];
        Self { uuids: vec![Uuid::nil()], texts: Vec::new(), ends: Vec::new(), table, hasher, seeds }
    }
}

impl Ids {
    /// Returns the number of a text; nothing and the empty text have none.
    pub(super) fn put(&mut self, text: Option<&str>) -> Id {
        let Some(text) = text.filter(|text| !text.is_empty()) else { return Id::NONE };
        let form = Form::of(text);
        let hash = self.hash(form);
        let mask = self.table.len() - 1;
        let mut place = hash as usize & mask;
        while let Some(slot) = self.table.get(place).filter(|slot| slot.id.is_some()) {
            if slot.hash == hash && self.form(slot.id) == form {
                return slot.id;
            }
            place = (place + 1) & mask;
        }
        let id = self.add(form);
        if let Some(slot) = self.table.get_mut(place) {
            *slot = Slot { hash, id };
        }
        if (self.uuids.len() + self.ends.len()) * 2 > self.table.len() {
            self.grow();
        }
        id
    }

    /// Returns the text of a number.
    pub(super) fn text(&self, id: Id) -> Cow<'_, str> {
        match self.form(id) {
            _ if !id.is_some() => Cow::Borrowed(""),
            Form::Uuid(uuid) => Cow::Owned(uuid.hyphenated().to_string()),
            Form::Text(text) => Cow::Borrowed(text),
        }
    }

    /// What all numbers are below.
    pub(super) fn end(&self) -> usize {
        2 * self.uuids.len().max(self.ends.len()) + 1
    }

    fn form(&self, id: Id) -> Form<'_> {
        let place = id.place() / 2;
        if id.0.is_multiple_of(2) {
            return Form::Uuid(self.uuids.get(place).copied().unwrap_or_default());
        }
        let end = self.ends.get(place).copied().unwrap_or_default();
        let start = place.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default();
        Form::Text(self.texts.get(start..end).and_then(|text| str::from_utf8(text).ok()).unwrap_or_default())
    }
    fn add(&mut self, form: Form<'_>) -> Id {
        let number = match form {
            Form::Uuid(uuid) => {
                self.uuids.push(uuid);
                2 * (self.uuids.len() - 1)
            }
            Form::Text(text) => {
                self.texts.extend_from_slice(text.as_bytes());
                self.ends.push(self.texts.len());
                2 * self.ends.len() - 1
            }
        };
        // There is no memory for more ids than a number can count.
        Id(u32::try_from(number).unwrap_or_default())
    }

    fn hash(&self, form: Form<'_>) -> u32 {
        let hash = match form {
            Form::Uuid(uuid) => {
                // All bits of each half, with what nobody knows, by all bits of the other.
                let ((first, second), [one, other]) = (uuid.as_u64_pair(), self.seeds);
                let product = u128::from(first ^ one) * u128::from(second ^ other);
                let (high, low) = Uuid::from_u128(product).as_u64_pair();
                high ^ low
            }
            Form::Text(text) => self.hasher.hash_one(text),
        };
        (hash >> 32) as u32
    }

    fn grow(&mut self) {
        let mask = self.table.len() * 2 - 1;
        let old = std::mem::replace(&mut self.table, vec![Slot::default(); mask + 1]);
        for slot in old.into_iter().filter(|slot| slot.id.is_some()) {
            let mut place = slot.hash as usize & mask;
            while self.table.get(place).is_some_and(|taken| taken.id.is_some()) {
                place = (place + 1) & mask;
            }
            if let Some(free) = self.table.get_mut(place) {
                *free = slot;
            }
        }
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

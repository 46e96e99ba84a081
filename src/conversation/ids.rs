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

/// What an id is held as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form<'a> {
    /// Nearly all ids are UUIDs, and 16 bytes say what 36 characters do.
    Uuid(Uuid),
    Text(&'a str),
}

impl<'a> Form<'a> {
    fn of(text: &'a str) -> Self {
        let Ok(bytes) = <&[u8; 36]>::try_from(text.as_bytes()) else { return Self::Text(text) };
        // To the end and without a way out, so that the processor takes many bytes at once.
        let has_capital = bytes.iter().fold(false, |found, byte| found | byte.is_ascii_uppercase());
        match Uuid::try_parse_ascii(bytes) {
            Ok(uuid) if !has_capital => Self::Uuid(uuid),
            _ => Self::Text(text),
        }
    }
}

/// All ids of a session. A UUID costs its 16 bytes, another one its text and 8, and each some 10 in the table.
#[derive(Debug)]
pub(super) struct Ids {
    /// The first stands for no id.
    uuids: Vec<Uuid>,
    texts: String,
    /// Where each text ends.
    ends: Vec<usize>,
    /// The ids, each at the place that its hash gives or the next free one; a power of two of places.
    table: Vec<Id>,
    /// For each place seven more bits of the hash of what is there, or 0. The processor's cache holds this part of the
    /// table of millions of ids; that a new id is in none of its places is seen here alone.
    tags: Vec<u8>,
    hasher: RandomState,
    /// What the hash of a UUID is made with. Nobody who writes a transcript knows it.
    seeds: [u64; 2],
}

impl Default for Ids {
    fn default() -> Self {
        let hasher = RandomState::new();
        let seeds = [hasher.hash_one(0), hasher.hash_one(1)];
        let (table, tags) = (vec![Id::NONE; 64], vec![0; 64]);
        Self { uuids: vec![Uuid::nil()], texts: String::new(), ends: Vec::new(), table, tags, hasher, seeds }
    }
}

impl Ids {
    /// Returns the number of a text; nothing and the empty text have none.
    pub(super) fn put(&mut self, text: Option<&str>) -> Id {
        let Some(text) = text.filter(|text| !text.is_empty()) else { return Id::NONE };
        self.put_form(Form::of(text))
    }

    /// Takes in all ids of others; returns their numbers here.
    pub(super) fn take_in(&mut self, others: &Self) -> Numbers {
        // A first look at each place: without any work in between the processor fetches many of them at once.
        let seen = others.all().map(|id| self.tags.get(self.start(others.form(id)).0).copied().unwrap_or_default());
        std::hint::black_box(seen.fold(0, |all, tag| all | tag));
        let mut numbers = Numbers { uuids: vec![Id::NONE], texts: Vec::new() };
        numbers.uuids.extend((1..others.uuids.len()).map(|place| self.put_form(others.form(Id::of_uuid(place)))));
        numbers.texts.extend((0..others.ends.len()).map(|place| self.put_form(others.form(Id::of_text(place)))));
        numbers
    }

    fn put_form(&mut self, form: Form<'_>) -> Id {
        let (mut place, tag) = self.start(form);
        while let Some(other @ 1..) = self.tags.get(place).copied() {
            let id = self.table.get(place).copied().filter(|_| other == tag);
            if let Some(id) = id.filter(|id| self.form(*id) == form) {
                return id;
            }
            place = self.next(place);
        }
        let id = self.add(form);
        self.set(place, tag, id);
        if (self.uuids.len() + self.ends.len()) * 4 > self.tags.len() * 3 {
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

    /// Hands on the text of a number, which is quicker than returning it.
    pub(super) fn read<R>(&self, id: Id, take: impl FnOnce(&str) -> R) -> R {
        match self.form(id) {
            _ if !id.is_some() => take(""),
            Form::Uuid(uuid) => take(uuid.hyphenated().encode_lower(&mut Uuid::encode_buffer())),
            Form::Text(text) => take(text),
        }
    }

    /// What all numbers are below.
    pub(super) fn end(&self) -> usize {
        2 * self.uuids.len().max(self.ends.len()) + 1
    }

    fn form(&self, id: Id) -> Form<'_> {
        let place = id.place() / 2;
        if id.is_uuid() {
            return Form::Uuid(self.uuids.get(place).copied().unwrap_or_default());
        }
        let end = self.ends.get(place).copied().unwrap_or_default();
        let start = place.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default();
        Form::Text(self.texts.get(start..end).unwrap_or_default())
    }
    fn add(&mut self, form: Form<'_>) -> Id {
        match form {
            Form::Uuid(uuid) => {
                self.uuids.push(uuid);
                Id::of_uuid(self.uuids.len() - 1)
            }
            Form::Text(text) => {
                self.texts.push_str(text);
                self.ends.push(self.texts.len());
                Id::of_text(self.ends.len() - 1)
            }
        }
    }

    /// Where an id is in the table if that place is free, and its tag.
    fn start(&self, form: Form<'_>) -> (usize, u8) {
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
        let place = usize::try_from(hash & (self.tags.len() as u64 - 1)).unwrap_or_default();
        (place, (hash >> 57) as u8 | 0x80)
    }

    fn next(&self, place: usize) -> usize {
        (place + 1) & (self.tags.len() - 1)
    }

    fn set(&mut self, place: usize, own_tag: u8, own_id: Id) {
        if let (Some(tag), Some(id)) = (self.tags.get_mut(place), self.table.get_mut(place)) {
            (*tag, *id) = (own_tag, own_id);
        }
    }

    fn all(&self) -> impl Iterator<Item = Id> + use<> {
        let uuids = (1..self.uuids.len()).map(Id::of_uuid);
        let texts = (0..self.ends.len()).map(Id::of_text);
        uuids.chain(texts)
    }

    fn grow(&mut self) {
        let places = self.tags.len() * 2;
        (self.table, self.tags) = (vec![Id::NONE; places], vec![0; places]);
        for id in self.all() {
            let (mut place, tag) = self.start(self.form(id));
            while self.tags.get(place).is_some_and(|tag| *tag != 0) {
                place = self.next(place);
            }
            self.set(place, tag, id);
        }
    }
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

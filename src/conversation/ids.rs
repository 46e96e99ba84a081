//! Ids as small numbers: each text is held once.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

/// An id of a source; none has the number 0.
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

/// All ids of a session. One costs its text and some 16 bytes; a map of std would cost three times as much.
#[derive(Debug)]
pub(super) struct Ids {
    texts: Vec<u8>,
    /// Where the text of each id ends; the first is the empty one of no id.
    ends: Vec<usize>,
    /// The numbers, each at the place that its text's hash gives or the next free one; a power of two of them.
    table: Vec<u32>,
    hasher: RandomState,
}

impl Default for Ids {
    fn default() -> Self {
        Self { texts: Vec::new(), ends: vec![0], table: vec![0; 64], hasher: RandomState::new() }
    }
}

impl Ids {
    /// Returns the number of a text; nothing and the empty text have none.
    pub(super) fn put(&mut self, text: Option<&str>) -> Id {
        let Some(text) = text.filter(|text| !text.is_empty()) else { return Id::NONE };
        let place = self.place(text);
        match self.table.get(place) {
            Some(0) => {}
            Some(found) => return Id(*found),
            None => return Id::NONE,
        }
        let Ok(number) = u32::try_from(self.ends.len()) else { return Id::NONE };
        self.texts.extend_from_slice(text.as_bytes());
        self.ends.push(self.texts.len());
        if let Some(slot) = self.table.get_mut(place) {
            *slot = number;
        }
        if self.ends.len() * 2 > self.table.len() {
            self.grow();
        }
        Id(number)
    }

    /// Returns the text of a number.
    pub(super) fn text(&self, id: Id) -> &str {
        std::str::from_utf8(self.bytes(id)).unwrap_or_default()
    }

    fn bytes(&self, id: Id) -> &[u8] {
        let end = self.ends.get(id.place()).copied().unwrap_or_default();
        let start = id.place().checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default();
        self.texts.get(start..end).unwrap_or_default()
    }

    /// How many numbers there are, that of no id included.
    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    /// Where a text is in the table, or would be.
    fn place(&self, text: &str) -> usize {
        let mask = self.table.len() - 1;
        let mut place = usize::try_from(self.hasher.hash_one(text) & mask as u64).unwrap_or_default();
        while let Some(number @ 1..) = self.table.get(place).copied() {
            if self.bytes(Id(number)) == text.as_bytes() {
                break;
            }
            place = (place + 1) & mask;
        }
        place
    }

    fn grow(&mut self) {
        self.table = vec![0; self.table.len() * 2];
        for number in 1..u32::try_from(self.ends.len()).unwrap_or_default() {
            let place = self.place(self.text(Id(number)));
            if let Some(slot) = self.table.get_mut(place) {
                *slot = number;
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
        let texts: Vec<String> = (0..1000).map(|number| format!("id-{number}")).collect();
        let first: Vec<Id> = texts.iter().map(|text| ids.put(Some(text))).collect();
        let second: Vec<Id> = texts.iter().map(|text| ids.put(Some(text))).collect();
        assert_eq!(first, second);
        assert!(texts.iter().zip(&first).all(|(text, id)| ids.text(*id) == text));
        assert_eq!((ids.put(None), ids.put(Some(""))), (Id::NONE, Id::NONE));
        assert_eq!(ids.text(Id::NONE), "");
    }
}

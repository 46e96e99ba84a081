//! Texts one behind the other in one piece of memory, each known by where it begins. Knows not what they say.

use std::num::NonZeroU32;

/// Texts begin at multiples of this, so that a number of four bytes reaches 32 GiB of them.
const UNIT: usize = 8;

/// How many bytes before a text hold its length.
const LENGTH: usize = 4;

/// A text, by its number. Different texts have different numbers; one that was added twice has two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Text(NonZeroU32);

/// Texts that are made once and never change.
///
/// The length stands before each: where texts are looked up in no order, which is nearly always, a list of their ends
/// would be a second look into memory far away.
#[derive(Debug, Clone, Default)]
pub struct Texts {
    bytes: Vec<u8>,
    /// The text that is being made.
    new: String,
}

impl Texts {
    /// Adds a text.
    pub fn add(&mut self, text: &str) -> Text {
        self.make(|new, _| new.push_str(text))
    }

    /// Adds the text that `write` appends, which may be made of others.
    pub fn make(&mut self, write: impl FnOnce(&mut String, &Self)) -> Text {
        let mut new = std::mem::take(&mut self.new);
        write(&mut new, self);
        // Behind what a number reaches there is only the empty text.
        let number = u32::try_from(self.bytes.len() / UNIT + 1).unwrap_or(u32::MAX);
        let length = u32::try_from(new.len()).unwrap_or_default();
        self.bytes.extend_from_slice(&length.to_le_bytes());
        self.bytes.extend_from_slice(new.as_bytes());
        self.bytes.resize(self.bytes.len().next_multiple_of(UNIT), 0);
        new.clear();
        self.new = new;
        Text(NonZeroU32::new(number).unwrap_or(NonZeroU32::MAX))
    }

    /// Returns a text.
    #[must_use]
    pub fn get(&self, text: Text) -> &str {
        std::str::from_utf8(self.bytes(text)).unwrap_or_default()
    }

    /// Returns the bytes of a text, which are UTF-8.
    #[must_use]
    pub fn bytes(&self, text: Text) -> &[u8] {
        let from = self.bytes.get((text.0.get() as usize - 1) * UNIT..).unwrap_or_default();
        let Some((length, from)) = from.split_first_chunk::<LENGTH>() else { return &[] };
        from.get(..u32::from_le_bytes(*length) as usize).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_comes_back() {
        let mut texts = Texts::default();
        let numbers = ["a", "", "é and more than eight bytes", "a"].map(|text| texts.add(text));
        assert_eq!(numbers.map(|number| texts.get(number)), ["a", "", "é and more than eight bytes", "a"]);
    }
}

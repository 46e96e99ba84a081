//! Whose words are shown.

use std::borrow::Cow;

use crate::conversation::adapters::native_word;

/// Whose words are shown for what a conversation has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Terms {
    /// Those of the model.
    #[default]
    Unified,
    /// Those of the program that left the transcript, where it has one.
    Native,
    /// Both.
    Both,
}

impl Terms {
    /// The names of the choices.
    pub const NAMES: [&str; 3] = ["unified", "native", "both"];

    /// The choice of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "unified" => Self::Unified,
            "native" => Self::Native,
            "both" => Self::Both,
            _ => return None,
        })
    }

    /// The word for a thing.
    #[must_use]
    pub fn word(self, word: &str) -> Cow<'_, str> {
        match (self, native_word(word)) {
            (Self::Unified, _) | (_, None) => Cow::Borrowed(word),
            (Self::Native, Some(native)) => Cow::Borrowed(native),
            (Self::Both, Some(native)) => Cow::Owned(format!("{word} ({native})")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_choice() {
        assert!(Terms::NAMES.iter().all(|name| Terms::from_name(name).is_some()));
        assert_eq!(Terms::from_name("none"), None);
    }

    #[test]
    fn the_word_of_the_model_stays_where_the_program_has_none() {
        assert_eq!(Terms::Native.word("talk"), "talk");
        assert_eq!(Terms::Both.word("talk"), "talk");
        assert_ne!(Terms::Native.word("run"), "run");
        assert_eq!(Terms::Both.word("run"), format!("run ({})", Terms::Native.word("run")));
        assert_eq!(Terms::Unified.word("run"), "run");
    }
}

//! Words in the form that a POSIX shell reads back unchanged.

use std::borrow::Cow;

/// Quotes a word where it needs it.
#[must_use]
pub fn quote(word: &str) -> Cow<'_, str> {
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || b"%+,-./:=@_".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_safe) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', "'\\''")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_stay_and_others_are_quoted() {
        assert_eq!(quote("/srv/a_b-c.d"), "/srv/a_b-c.d");
        assert_eq!(quote(""), "''");
        assert_eq!(quote("#ops"), "'#ops'");
        assert_eq!(quote("it's $HOME"), "'it'\\''s $HOME'");
    }
}

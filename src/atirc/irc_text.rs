//! The text of an IRC message: its encoding, its formatting codes, its wrapper. Knows no line.

use std::borrow::Cow;

use bstr::ByteSlice;

/// What stands around a text that is none, or not only.
const WRAPPER: char = '\u{1}';

/// Returns the text that people read; `None` when the message is not for people.
#[must_use]
pub(super) fn plain(text: &[u8]) -> Option<Cow<'_, str>> {
    let text = decode(text);
    let text = match text.strip_prefix(WRAPPER) {
        None => text,
        Some(wrapped) => {
            let wrapped = wrapped.strip_suffix(WRAPPER).unwrap_or(wrapped);
            let (kind, text) = wrapped.split_once(' ').unwrap_or((wrapped, ""));
            if !kind.eq_ignore_ascii_case("ACTION") {
                return None;
            }
            Cow::Owned(text.to_owned())
        }
    };
    Some(if text.contains(is_code) { Cow::Owned(without_codes(&text)) } else { text })
}

/// Decodes UTF-8; what is none counts as Windows-1252, which the senders of such text use.
#[must_use]
pub(super) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        // A server cuts long lines at a byte: a text that is UTF-8 up to the cut is no Windows-1252.
        Err(error) if error.error_len().is_none() && !is_ascii(bytes, error.valid_up_to()) => bytes.to_str_lossy(),
        Err(_) => Cow::Owned(bytes.iter().map(|byte| windows_1252(*byte)).collect()),
    }
}

fn is_ascii(bytes: &[u8], up_to: usize) -> bool {
    bytes.get(..up_to).unwrap_or_default().is_ascii()
}

fn windows_1252(byte: u8) -> char {
    /// The characters from 0x80 to 0x9f; five of them are not defined.
    const UPPER: [char; 32] = [
        '€', '\u{fffd}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{fffd}', 'Ž', '\u{fffd}',
        '\u{fffd}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{fffd}', 'ž', 'Ÿ',
    ];
    match usize::from(byte).checked_sub(0x80).and_then(|place| UPPER.get(place)) {
        Some(character) => *character,
        None => char::from(byte),
    }
}

/// Bold, colours, reset, monospace, reverse, italics, strike, underline; and NUL, which no model API takes.
fn is_code(character: char) -> bool {
    matches!(
        character,
        '\0' | '\u{2}' | '\u{3}' | '\u{4}' | '\u{f}' | '\u{11}' | '\u{16}' | '\u{1d}' | '\u{1e}' | '\u{1f}'
    )
}

fn without_codes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = rest.find(is_code) {
        let (before, code) = rest.split_at(place);
        plain.push_str(before);
        let mut characters = code.chars();
        let length = match characters.next() {
            Some('\u{3}') => colours(characters.as_str(), 1, 2, u8::is_ascii_digit),
            Some('\u{4}') => colours(characters.as_str(), 6, 6, u8::is_ascii_hexdigit),
            Some('\0') => {
                plain.push(char::REPLACEMENT_CHARACTER);
                0
            }
            _ => 0,
        };
        rest = characters.as_str().get(length..).unwrap_or_default();
    }
    plain.push_str(rest);
    plain
}

/// How many bytes the colour after a code takes, or the two colours with a comma between them.
fn colours(text: &str, least: usize, most: usize, is_digit: impl Fn(&u8) -> bool) -> usize {
    let digits = |text: &str| {
        let count = text.bytes().take(most).take_while(&is_digit).count();
        if count < least { 0 } else { count }
    };
    let first = digits(text);
    let second = text.get(first..).and_then(|rest| rest.strip_prefix(',')).map_or(0, digits);
    if first > 0 && second > 0 { first + 1 + second } else { first }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain_text(text: &str) -> Option<String> {
        plain(text.as_bytes()).map(Cow::into_owned)
    }

    // C5
    #[test]
    fn an_action_loses_its_wrapper_and_other_wrapped_texts_are_none() {
        assert_eq!(plain_text("\u{1}ACTION waves\u{1}").as_deref(), Some("waves"));
        assert_eq!(plain_text("\u{1}ACTION waves").as_deref(), Some("waves"));
        assert_eq!(plain_text("\u{1}ACTION\u{1}").as_deref(), Some(""));
        assert_eq!(plain_text("\u{1}VERSION\u{1}"), None);
        assert_eq!(plain_text("\u{1}"), None);
    }

    // C5
    #[test]
    fn formatting_codes_are_removed_with_their_colours_only() {
        for (text, expected) in [
            ("\u{3}04,01red\u{3} 12", "red 12"),
            ("\u{3}4red \u{3}123", "red 3"),
            ("\u{3}4,x\u{3},1", ",x,1"),
            ("\u{4}FF00aared\u{4}FF00aa,00FF00x\u{4}FFx", "redxFFx"),
            ("\u{2}b\u{1d}i\u{1f}u\u{1e}s\u{11}m\u{16}r\u{f}", "biusmr"),
            ("\u{1}ACTION \u{2}waves\u{2}\u{1}", "waves"),
            ("\u{3}4é\u{3}", "é"),
            ("a\0b", "a\u{fffd}b"),
            ("tab\t", "tab\t"),
        ] {
            assert_eq!(plain_text(text).as_deref(), Some(expected), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_utf8_is_windows_1252() {
        assert_eq!(decode("é €".as_bytes()), "é €");
        assert_eq!(decode(b"caf\xe9"), "café");
        assert_eq!(decode(b"\x80 \x93q\x94 \x9f\xff \x81"), "€ “q” Ÿÿ \u{fffd}");
    }

    #[test]
    fn utf8_that_was_cut_at_its_end_stays_utf8() {
        let text = "日本".as_bytes();
        assert_eq!(decode(&text[..4]), "日\u{fffd}");
    }
}

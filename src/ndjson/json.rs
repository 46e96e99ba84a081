//! JSON as text: what a transcript cannot hold is mended, everything else keeps its tokens. Knows no event.

use std::borrow::Cow;

use bstr::ByteSlice;
use memchr::{memchr, memchr2, memchr3, memmem};
use serde::de::IgnoredAny;

use crate::event::JsonText;
use crate::lines::has_line_separator;
use crate::report::{Oddity, Tally};

/// One value of a line: well-formed JSON without space around it, and what is known of the strings in it.
#[derive(Debug, Clone, Copy)]
pub struct Token<'a> {
    json: &'a str,
    traits: Traits,
}

/// What the strings of a value may have in them, a bit each: they are handed on with every value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Traits(u8);

impl Traits {
    /// A backslash.
    pub(super) const ESCAPE: Self = Self(1);

    /// A `\u`.
    pub(super) const UNICODE_ESCAPE: Self = Self(2);

    /// A character beyond ASCII.
    pub(super) const NON_ASCII: Self = Self(4);

    /// Takes in what other strings have.
    pub(super) fn add(&mut self, others: Self) {
        self.0 |= others.0;
    }

    /// Tells whether there may be one of these.
    pub(super) fn has(self, one: Self) -> bool {
        self.0 & one.0 != 0
    }
}

impl<'a> Token<'a> {
    /// A value of whose strings everything is known.
    pub(super) fn with_traits(json: &'a str, traits: Traits) -> Self {
        Self { json, traits }
    }

    /// A value of whose strings nothing is known.
    pub(super) fn new(json: &'a str) -> Self {
        Self { json, traits: Traits(u8::MAX) }
    }

    /// Returns the JSON as it came.
    #[must_use]
    pub fn json(self) -> &'a str {
        self.json
    }

    /// Tells whether it is a string.
    #[must_use]
    pub fn is_string(self) -> bool {
        self.json.starts_with('"')
    }

    /// Takes a JSON string as a text, mended.
    pub fn text(self, tally: &mut Tally) -> JsonText<'a> {
        JsonText::from_encoded(self.mend(tally))
    }

    /// Takes a JSON string as a plain string, mended.
    pub fn string(self, tally: &mut Tally) -> Cow<'a, str> {
        match self.mend(tally) {
            Cow::Borrowed(json) if !self.traits.has(Traits::ESCAPE) || memchr(b'\\', json.as_bytes()).is_none() => {
                Cow::Borrowed(json.get(1..json.len() - 1).unwrap_or_default())
            }
            mended => Cow::Owned(JsonText::from_encoded(mended).decode().into_owned()),
        }
    }

    /// Takes a JSON string as an id. Mending would make different ids the same, so one that needs it stays in JSON.
    #[must_use]
    pub fn id(self) -> Cow<'a, str> {
        if self.traits == Traits::default() {
            return Cow::Borrowed(self.json.get(1..self.json.len() - 1).unwrap_or_default());
        }
        let mut mended = Tally::default();
        let plain = self.string(&mut mended);
        if mended.take_fresh().next().is_some() { Cow::Borrowed(self.json) } else { plain }
    }

    /// Takes a JSON string as a plain string to compare with others, not mended.
    pub(super) fn keyword(self) -> Cow<'a, str> {
        let inner = self.json.get(1..self.json.len() - 1).unwrap_or_default();
        if self.traits.has(Traits::ESCAPE) {
            serde_json::from_str(self.json).map_or(Cow::Borrowed(inner), Cow::Owned)
        } else {
            Cow::Borrowed(inner)
        }
    }

    /// Replaces the escapes of U+0000 and of unpaired surrogates by that of U+FFFD, and the raw characters at which
    /// some readers cut lines by their escapes. Everything else stays as it came.
    pub(super) fn mend(self, tally: &mut Tally) -> Cow<'a, str> {
        let has_odd_escape =
            self.traits.has(Traits::UNICODE_ESCAPE) && memmem::find(self.json.as_bytes(), b"\\u").is_some();
        if has_odd_escape || (self.traits.has(Traits::NON_ASCII) && has_line_separator(self.json.as_bytes())) {
            Cow::Owned(mended(self.json, tally))
        } else {
            Cow::Borrowed(self.json)
        }
    }
}

fn mended(json: &str, tally: &mut Tally) -> String {
    let mut mended = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = memchr3(b'\\', 0xc2, 0xe2, rest.as_bytes()) {
        let (plain, odd) = rest.split_at(at);
        mended.push_str(plain);
        let taken = if odd.starts_with('\\') { escape(odd, &mut mended, tally) } else { separator(odd, &mut mended) };
        rest = odd.get(taken..).unwrap_or_default();
    }
    mended.push_str(rest);
    mended
}

/// Copies one escape, mended; returns how many bytes it took.
fn escape(odd: &str, mended: &mut String, tally: &mut Tally) -> usize {
    const REPLACEMENT: &str = "\\ufffd";
    let taken = match code_unit(odd) {
        None => 2,
        Some(0) => {
            tally.count(Oddity::NullCharacter);
            mended.push_str(REPLACEMENT);
            return 6;
        }
        Some(0xd800..=0xdbff) if matches!(odd.get(6..).and_then(code_unit), Some(0xdc00..=0xdfff)) => 12,
        Some(0xd800..=0xdfff) => {
            tally.count(Oddity::UnpairedSurrogate);
            mended.push_str(REPLACEMENT);
            return 6;
        }
        Some(_) => 6,
    };
    mended.push_str(odd.get(..taken).unwrap_or_default());
    taken
}

/// The UTF-16 code unit that a `\u` escape at the start of the text stands for.
fn code_unit(odd: &str) -> Option<u16> {
    u16::from_str_radix(odd.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

/// Copies one character that is not ASCII; returns how many bytes it took.
fn separator(odd: &str, mended: &mut String) -> usize {
    let Some(character) = odd.chars().next() else { return 0 };
    match character {
        '\u{85}' => mended.push_str("\\u0085"),
        '\u{2028}' => mended.push_str("\\u2028"),
        '\u{2029}' => mended.push_str("\\u2029"),
        other => mended.push(other),
    }
    character.len_utf8()
}

/// Tells whether the text is one JSON value.
pub(super) fn is_valid(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Puts well-formed JSON on one line: when a line break stands between tokens, all space there is left out.
pub(super) fn on_one_line(json: Cow<'_, str>) -> Cow<'_, str> {
    if memchr2(b'\n', b'\r', json.as_bytes()).is_some() { Cow::Owned(compact(&json)) } else { json }
}

/// Leaves out the space between the tokens of well-formed JSON.
pub(super) fn compact(json: &str) -> String {
    let mut compact = String::with_capacity(json.len());
    each_part(json, |part, is_string| {
        if is_string {
            compact.push_str(part);
        } else {
            compact.extend(part.split_ascii_whitespace());
        }
    });
    compact
}

/// Tells whether lists and objects stand in each other more than `limit` deep in well-formed JSON.
pub(super) fn is_deeper_than(limit: usize, json: &str) -> bool {
    // Each level takes two bytes, so that nearly all values need no look at all.
    if json.len() <= 2 * limit {
        return false;
    }
    let (mut depth, mut deepest) = (0_usize, 0);
    each_part(json, |part, is_string| {
        if !is_string {
            for byte in part.bytes() {
                match byte {
                    b'[' | b'{' => depth += 1,
                    b']' | b'}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                deepest = deepest.max(depth);
            }
        }
    });
    deepest > limit
}

/// Cuts well-formed JSON into its strings and what stands between them.
fn each_part(json: &str, mut see: impl FnMut(&str, bool)) {
    let mut rest = json;
    while let Some(quote) = memchr(b'"', rest.as_bytes()) {
        let (between, from_quote) = rest.split_at(quote);
        see(between, false);
        let (string, after) = from_quote.split_at(string_length(from_quote.as_bytes()));
        see(string, true);
        rest = after;
    }
    see(rest, false);
}

/// The length of the JSON string at the start of the bytes, quotes included.
fn string_length(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(offset) = bytes.get(at..).and_then(|rest| rest.find_byteset(b"\"\\")) {
        at += offset;
        match bytes.get(at) {
            Some(b'"') => return at + 1,
            _ => at += 2,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mended(json: &str) -> String {
        Token::new(json).mend(&mut Tally::default()).into_owned()
    }

    #[test]
    fn null_and_unpaired_surrogate_escapes_become_the_replacement_character() {
        assert_eq!(mended(r#""a\u0000b""#), r#""a\ufffdb""#);
        assert_eq!(mended(r#""bad \ud83d tail""#), r#""bad \ufffd tail""#);
        assert_eq!(mended(r#""\ude00\ud83d\ud83d\ude00""#), r#""\ufffd\ufffd\ud83d\ude00""#);
        assert_eq!(mended(r#"{"k\uD800":["\uDFFF"]}"#), r#"{"k\ufffd":["\ufffd"]}"#);
    }

    #[test]
    fn an_escaped_backslash_before_u_is_no_escape() {
        assert_eq!(mended(r#""\\u0000 \\\u0000""#), r#""\\u0000 \\\ufffd""#);
    }

    #[test]
    fn line_separators_become_escapes_and_their_neighbours_stay() {
        assert_eq!(mended("\"\u{85}\u{2028}\u{2029}é\u{2026}\u{a9}\""), "\"\\u0085\\u2028\\u2029é\u{2026}\u{a9}\"");
    }

    #[test]
    fn what_needs_no_mending_is_not_copied() {
        assert!(matches!(Token::new(r#""é — \n \" 😀""#).mend(&mut Tally::default()), Cow::Borrowed(_)));
    }

    #[test]
    fn compact_json_keeps_the_space_inside_strings() {
        assert_eq!(compact("{ \"a b\" : [ 1 ,\t\"c \\\" d\" ] }\r\n"), "{\"a b\":[1,\"c \\\" d\"]}");
    }

    #[test]
    fn depth_counts_brackets_outside_strings() {
        let deep = format!("{}{}", "[".repeat(129), "]".repeat(129));
        assert!(is_deeper_than(128, &deep));
        let allowed = format!("{}{}", "[".repeat(128), " ]".repeat(128));
        assert!(!is_deeper_than(128, &allowed));
        let text = format!("[\"{}\"]", "[".repeat(500));
        assert!(!is_deeper_than(128, &text));
    }
}

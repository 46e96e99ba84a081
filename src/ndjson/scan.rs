//! The quick way through a plain line. It takes only what is surely JSON; of every other line the library judges.

use super::json::{Token, Traits};

/// Deeper values are left to the library, which does not recurse.
const DEPTH_LIMIT: usize = 32;

/// Calls `see` with each key and value of a line that is one object; false when the line is not plain, and then what
/// was seen counts for nothing.
///
/// A plain line has no space but blanks, no key with an escape, and no deep value.
pub(super) fn scan<'a>(line: &'a str, see: impl FnMut(&'a str, Token<'a>)) -> bool {
    Scanner { line, at: 0, traits: Traits::default() }.line(see).is_some()
}

/// Calls `see` with each value of a list; false when it is not plain, and then what was seen counts for nothing.
pub(super) fn scan_list<'a>(json: &'a str, mut see: impl FnMut(Token<'a>)) -> bool {
    let mut scanner = Scanner { line: json, at: 0, traits: Traits::default() };
    scanner.list(DEPTH_LIMIT, &mut see).is_some() && scanner.at == json.len()
}

struct Scanner<'a> {
    line: &'a str,
    at: usize,
    /// What the strings of the member at hand have in them.
    traits: Traits,
}

impl<'a> Scanner<'a> {
    fn line(&mut self, mut see: impl FnMut(&'a str, Token<'a>)) -> Option<()> {
        self.members(DEPTH_LIMIT, &mut see)?;
        self.blanks();
        (self.at == self.line.len()).then_some(())
    }

    fn peek(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while self.peek() == Some(b' ') {
            self.at += 1;
        }
    }

    /// Steps over one byte, after any blanks.
    fn take(&mut self, byte: u8) -> Option<()> {
        self.blanks();
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// Steps over an object, and shows its members.
    fn members(&mut self, depth: usize, see: &mut impl FnMut(&'a str, Token<'a>)) -> Option<()> {
        self.take(b'{')?;
        self.blanks();
        if self.take(b'}').is_some() {
            return Some(());
        }
        loop {
            self.blanks();
            let others = std::mem::take(&mut self.traits);
            let key = self.key()?;
            self.take(b':')?;
            self.blanks();
            let value_at = self.at;
            self.value(depth)?;
            see(key, Token::with_traits(self.line.get(value_at..self.at)?, self.traits));
            self.traits.add(others);
            self.blanks();
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => {
                    self.at += 1;
                    return Some(());
                }
                _ => return None,
            }
        }
    }

    /// Steps over a key and returns it; one with an escape is not plain.
    fn key(&mut self) -> Option<&'a str> {
        let from = self.at + 1;
        self.string()?;
        if self.traits.escape { None } else { self.line.get(from..self.at - 1) }
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        match self.peek()? {
            b'"' => self.string(),
            b'{' => self.members(depth.checked_sub(1)?, &mut |_, _| {}),
            b'[' => self.list(depth.checked_sub(1)?, &mut |_| {}),
            b't' => self.literal("true"),
            b'f' => self.literal("false"),
            b'n' => self.literal("null"),
            _ => self.number(),
        }
    }

    /// Steps over a list, and shows its values.
    fn list(&mut self, depth: usize, see: &mut impl FnMut(Token<'a>)) -> Option<()> {
        self.take(b'[')?;
        if self.take(b']').is_some() {
            return Some(());
        }
        loop {
            self.blanks();
            let others = std::mem::take(&mut self.traits);
            let value_at = self.at;
            self.value(depth)?;
            see(Token::with_traits(self.line.get(value_at..self.at)?, self.traits));
            self.traits.add(others);
            self.blanks();
            match self.peek()? {
                b',' => self.at += 1,
                b']' => {
                    self.at += 1;
                    return Some(());
                }
                _ => return None,
            }
        }
    }

    fn literal(&mut self, literal: &str) -> Option<()> {
        self.line.get(self.at..)?.starts_with(literal).then(|| self.at += literal.len())
    }

    fn number(&mut self) -> Option<()> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek()? {
            b'0' => self.at += 1,
            _ => self.digits()?,
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(())
    }

    /// Steps over at least one digit.
    fn digits(&mut self) -> Option<()> {
        let from = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        (self.at > from).then_some(())
    }

    /// Steps over a string with its quotes, eight bytes at a time where they stand for themselves.
    fn string(&mut self) -> Option<()> {
        let bytes = self.line.as_bytes();
        if self.peek()? != b'"' {
            return None;
        }
        let mut at = self.at + 1;
        let mut seen = 0;
        loop {
            while let Some(word) = bytes.get(at..)?.first_chunk() {
                let word = u64::from_le_bytes(*word);
                let special = special_bytes(word);
                if special != 0 {
                    let before = special.trailing_zeros() / 8;
                    seen |= word & !(u64::MAX << (before * 8));
                    at += before as usize;
                    break;
                }
                seen |= word;
                at += 8;
            }
            match *bytes.get(at)? {
                b'"' => break,
                b'\\' => at += self.escape(bytes.get(at + 1..)?)?,
                // JSON wants control characters escaped.
                0..b' ' => return None,
                // Fewer than eight bytes are left of the line.
                other => {
                    seen |= u64::from(other);
                    at += 1;
                }
            }
        }
        self.traits.non_ascii |= seen & HIGH_BITS != 0;
        self.at = at + 1;
        Some(())
    }

    /// Returns the length of the escape whose backslash stands before these bytes.
    fn escape(&mut self, bytes: &[u8]) -> Option<usize> {
        self.traits.escape = true;
        match bytes {
            [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => Some(2),
            [b'u', a, b, c, d, ..] if [a, b, c, d].into_iter().all(u8::is_ascii_hexdigit) => {
                self.traits.unicode_escape = true;
                Some(6)
            }
            _ => None,
        }
    }
}

const LOW_BITS: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// Marks the quotes, backslashes and control characters among eight bytes by their high bits. Only the lowest mark is
/// sure to be right: a borrow may set others above it.
fn special_bytes(word: u64) -> u64 {
    let all = |byte: u8| LOW_BITS * u64::from(byte);
    let is_below = |word: u64, byte: u8| word.wrapping_sub(all(byte)) & !word;
    (is_below(word ^ all(b'"'), 1) | is_below(word ^ all(b'\\'), 1) | is_below(word, b' ')) & HIGH_BITS
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use serde_json::value::RawValue;

    use super::*;

    fn members(line: &str) -> Option<Vec<(String, String)>> {
        let mut members = Vec::new();
        scan(line, |key, value| members.push((key.to_owned(), value.json().to_owned()))).then_some(members)
    }

    const PLAIN: &[&str] = &[
        r#"{"type":"user","text":"a \"b\" \\ \n \u00e9 é 😀"}"#,
        r#" { "a" : [ 1 , -0.5e+3 , { "b" : [] } , {} ] , "c" : true , "d" : null , "e" : false , "f" : "" } "#,
        r#"{"a":0,"b":10.25,"c":1e400,"d":738529527931269425}"#,
        "{}",
    ];

    #[test]
    fn a_plain_line_gives_its_members_as_they_stand() {
        let members = members(PLAIN[1]).unwrap();
        assert_eq!(members[0], ("a".to_owned(), r#"[ 1 , -0.5e+3 , { "b" : [] } , {} ]"#.to_owned()));
        assert_eq!(members[4], ("f".to_owned(), "\"\"".to_owned()));
        assert_eq!(members.len(), 5);
    }

    #[test]
    fn a_plain_list_gives_its_values_as_they_stand() {
        let mut values = Vec::new();
        assert!(scan_list(r#"[ 1 , "a\n",{"b":[2]} ,[]]"#, |value| values.push(value.json())));
        assert_eq!(values, ["1", r#""a\n""#, r#"{"b":[2]}"#, "[]"]);
        assert!(["[1,]", "[1] ", "[", "{}", "[\u{1}]"].iter().all(|odd| !scan_list(odd, |_| {})));
    }

    #[test]
    fn plain_lines_are_taken() {
        for line in PLAIN {
            assert!(members(line).is_some(), "{line}");
        }
    }

    #[test]
    fn whatever_is_taken_is_json_with_the_same_members() {
        let mut taken = 0;
        for line in PLAIN {
            for at in (0..line.len()).filter(|at| line.is_char_boundary(*at)) {
                for insert in
                    ["", "\"", "\\", "{", "}", "[", "]", ",", ":", "0", "-", ".", "e", "u", " ", "\t", "x", "\u{1}"]
                {
                    let rest = &line[at..];
                    let skipped = rest.chars().next().map_or(0, char::len_utf8);
                    for mutant in [
                        format!("{}{insert}{rest}", &line[..at]),
                        format!("{}{insert}{}", &line[..at], &rest[skipped..]),
                    ] {
                        let Some(members) = members(&mutant) else { continue };
                        taken += 1;
                        let object = serde_json::from_str::<BTreeMap<String, &RawValue>>(&mutant).expect(&mutant);
                        let keys: BTreeSet<_> = members.iter().map(|(key, _)| key).collect();
                        assert_eq!(keys, object.keys().collect(), "{mutant}");
                    }
                }
            }
        }
        assert!(taken > 100, "{taken}");
    }

    #[test]
    fn deep_values_are_left_to_the_library() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(members(&deep).is_none());
    }
}

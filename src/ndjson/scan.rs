//! The quick way through a plain line. It takes only what is surely JSON; of every other line the library judges.

use super::json::{Token, Traits};
use super::walk::{Step, Taking};

/// Deeper values are left to the library, which does not recurse.
const DEPTH_LIMIT: usize = 32;

/// Calls `see` with each key and value of a line that is one object; false when the line is not plain, and then what
/// was seen counts for nothing.
///
/// A plain line has no space but blanks, no key with an escape, and no deep value.
pub(super) fn scan<'a>(line: &'a str, mut see: impl FnMut(&'a str, Token<'a>)) -> bool {
    Scanner::whole(line, |scanner| {
        scanner.members(&mut |scanner, key| {
            let value = scanner.token(DEPTH_LIMIT)?;
            see(key, value);
            Some(())
        })
    })
}

/// Calls `see` with each value of a list; false when it is not plain, and then what was seen counts for nothing.
pub(super) fn scan_list<'a>(json: &'a str, mut see: impl FnMut(Token<'a>)) -> bool {
    Scanner::whole(json, |scanner| {
        scanner.items(&mut |scanner| {
            let value = scanner.token(DEPTH_LIMIT)?;
            see(value);
            Some(())
        })
    })
}

/// Reads a line that is one object; false when it is not plain, and then what was taken counts for nothing.
pub(super) fn scan_deep<'a, T: Taking<'a>>(line: &'a str, taken: &mut T) -> bool {
    Scanner::whole(line, |scanner| {
        scanner.members(&mut |scanner, key| scanner.walk(taken, T::OUTSIDE, Step::Key(key), DEPTH_LIMIT))
    })
}

struct Scanner<'a> {
    line: &'a str,
    at: usize,
    /// What the strings of the value at hand have in them.
    traits: Traits,
}

impl<'a> Scanner<'a> {
    /// Tells whether there is nothing besides what `step_over` steps over.
    fn whole(line: &'a str, step_over: impl FnOnce(&mut Self) -> Option<()>) -> bool {
        let mut scanner = Self { line, at: 0, traits: Traits::default() };
        let is_plain = step_over(&mut scanner).is_some();
        scanner.blanks();
        is_plain && scanner.at == line.len()
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

    /// Steps over an object; `value` steps over the value of each key.
    fn members(&mut self, value: &mut impl FnMut(&mut Self, &'a str) -> Option<()>) -> Option<()> {
        self.take(b'{')?;
        if self.take(b'}').is_some() {
            return Some(());
        }
        loop {
            self.blanks();
            let key = self.key()?;
            self.take(b':')?;
            self.blanks();
            value(self, key)?;
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

    /// Steps over a list; `value` steps over each of its values.
    fn items(&mut self, value: &mut impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.take(b'[')?;
        if self.take(b']').is_some() {
            return Some(());
        }
        loop {
            self.blanks();
            value(self)?;
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

    /// Steps over a key and returns it; one with an escape is not plain.
    fn key(&mut self) -> Option<&'a str> {
        let others = std::mem::take(&mut self.traits);
        let from = self.at + 1;
        self.string()?;
        let has_escape = self.traits.has(Traits::ESCAPE);
        self.traits.add(others);
        if has_escape { None } else { self.line.get(from..self.at - 1) }
    }

    /// Steps over a value and returns it.
    fn token(&mut self, depth: usize) -> Option<Token<'a>> {
        self.measured(|scanner| scanner.value(depth))
    }

    /// Returns the value that `step_over` steps over.
    fn measured(&mut self, step_over: impl FnOnce(&mut Self) -> Option<()>) -> Option<Token<'a>> {
        let others = std::mem::take(&mut self.traits);
        let from = self.at;
        step_over(self)?;
        let value = Token::with_traits(self.line.get(from..self.at)?, self.traits);
        self.traits.add(others);
        Some(value)
    }

    /// Steps over a value, and takes in what is in it and then itself.
    fn walk<T: Taking<'a>>(&mut self, taken: &mut T, room: T::Room, step: Step<'a>, depth: usize) -> Option<()> {
        let first = self.peek()?;
        let inside = if matches!(first, b'{' | b'[') { taken.enter(room, step) } else { None };
        let value = match inside {
            Some(inside) => {
                let depth = depth.checked_sub(1)?;
                self.measured(|scanner| match first {
                    b'{' => scanner.members(&mut |scanner, key| scanner.walk(taken, inside, Step::Key(key), depth)),
                    _ => scanner.items(&mut |scanner| scanner.walk(taken, inside, Step::Item, depth)),
                })?
            }
            None => self.token(depth)?,
        };
        taken.take(room, step, value);
        Some(())
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        match self.peek()? {
            b'"' => self.string(),
            b'{' => {
                let depth = depth.checked_sub(1)?;
                self.members(&mut |scanner, _| scanner.value(depth))
            }
            b'[' => {
                let depth = depth.checked_sub(1)?;
                self.items(&mut |scanner| scanner.value(depth))
            }
            b't' => self.literal("true"),
            b'f' => self.literal("false"),
            b'n' => self.literal("null"),
            _ => self.number(),
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
        let (b'"', mut rest) = self.line.as_bytes().get(self.at..)?.split_first()? else { return None };
        let mut seen = 0;
        loop {
            while let Some((word, behind)) = rest.split_first_chunk() {
                let word = u64::from_le_bytes(*word);
                let special = special_bytes(word);
                if special != 0 {
                    let before = special.trailing_zeros() / 8;
                    seen |= word & !(u64::MAX << (before * 8));
                    rest = rest.get(before as usize..)?;
                    break;
                }
                seen |= word;
                rest = behind;
            }
            let (first, behind) = rest.split_first()?;
            match first {
                b'"' => {
                    self.at = self.line.len() - behind.len();
                    break;
                }
                b'\\' => rest = behind.get(self.escape(behind)?..)?,
                // JSON wants control characters escaped.
                0..b' ' => return None,
                // Fewer than eight bytes are left of the line.
                other => {
                    seen |= u64::from(*other);
                    rest = behind;
                }
            }
        }
        if seen & HIGH_BITS != 0 {
            self.traits.add(Traits::NON_ASCII);
        }
        Some(())
    }

    /// Returns the length of an escape without its backslash, which stands before these bytes.
    fn escape(&mut self, bytes: &[u8]) -> Option<usize> {
        self.traits.add(Traits::ESCAPE);
        match bytes {
            [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => Some(1),
            [b'u', a, b, c, d, ..] if [a, b, c, d].into_iter().all(u8::is_ascii_hexdigit) => {
                self.traits.add(Traits::UNICODE_ESCAPE);
                Some(5)
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
    // With its second bit changed a quote stands right behind the control characters, which stay among themselves.
    (is_below(word ^ all(2), b'"' - 1) | is_below(word ^ all(b'\\'), 1)) & HIGH_BITS
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
        assert!(["[1,]", "[1] x", "[", "{}", "[\u{1}]"].iter().all(|odd| !scan_list(odd, |_| {})));
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

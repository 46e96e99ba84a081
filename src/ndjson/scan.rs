//! The quick way through a plain line. It takes only what is surely JSON; of every other line the library judges.
//!
//! Measured on a million events: the library's way took a third of the time that the program does not spend in the
//! kernel, this one a tenth.

/// Deeper values are left to the library, which does not recurse.
const DEPTH_LIMIT: usize = 32;

/// Calls `see` with each key and value of a line that is one object; false when the line is not plain, and then what
/// was seen counts for nothing.
///
/// A plain line has no control character, no space but blanks, no key with an escape, and no deep value.
pub(super) fn scan<'a>(line: &'a str, mut see: impl FnMut(&'a str, &'a str)) -> bool {
    let has_control = line.bytes().fold(false, |found, byte| found | (byte < b' '));
    !has_control && Scanner { line, at: 0 }.object(&mut see).is_some()
}

struct Scanner<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn object(&mut self, see: &mut impl FnMut(&'a str, &'a str)) -> Option<()> {
        self.members(DEPTH_LIMIT, see)?;
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
    fn members(&mut self, depth: usize, see: &mut impl FnMut(&'a str, &'a str)) -> Option<()> {
        self.take(b'{')?;
        self.blanks();
        if self.take(b'}').is_some() {
            return Some(());
        }
        loop {
            self.blanks();
            let key_at = self.at;
            self.string()?;
            let key = self.line.get(key_at + 1..self.at - 1)?;
            if key.as_bytes().contains(&b'\\') {
                return None;
            }
            self.take(b':')?;
            self.blanks();
            let value_at = self.at;
            self.value(depth)?;
            see(key, self.line.get(value_at..self.at)?);
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

    fn value(&mut self, depth: usize) -> Option<()> {
        match self.peek()? {
            b'"' => self.string(),
            b'{' => self.members(depth.checked_sub(1)?, &mut |_, _| {}),
            b'[' => self.list(depth.checked_sub(1)?),
            b't' => self.literal("true"),
            b'f' => self.literal("false"),
            b'n' => self.literal("null"),
            _ => self.number(),
        }
    }

    fn list(&mut self, depth: usize) -> Option<()> {
        self.take(b'[')?;
        if self.take(b']').is_some() {
            return Some(());
        }
        loop {
            self.blanks();
            self.value(depth)?;
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

    /// Steps over a string with its quotes.
    fn string(&mut self) -> Option<()> {
        if self.peek()? != b'"' {
            return None;
        }
        self.at += 1;
        loop {
            self.at += memchr::memchr2(b'"', b'\\', self.line.as_bytes().get(self.at..)?)?;
            if self.peek()? == b'"' {
                self.at += 1;
                return Some(());
            }
            self.at += match self.line.as_bytes().get(self.at + 1)? {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 2,
                b'u' if self.line.as_bytes().get(self.at + 2..self.at + 6)?.iter().all(u8::is_ascii_hexdigit) => 6,
                _ => return None,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use serde::de::IgnoredAny;

    use super::*;

    fn members(line: &str) -> Option<Vec<(String, String)>> {
        let mut members = Vec::new();
        scan(line, |key, value| members.push((key.to_owned(), value.to_owned()))).then_some(members)
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
                        let object = serde_json::from_str::<BTreeMap<String, IgnoredAny>>(&mutant).expect(&mutant);
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

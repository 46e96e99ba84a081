//! Lines of bytes in, one encoded line out. Knows no event and no session.

use std::io::{self, Read, Write};

use memchr::{memchr, memchr2_iter, memrchr};
use serde::Serialize;

/// How much one read asks for; also what a batch of lines that share one write is made of. The kernel is quicker with
/// few large writes: each begins and ends within a page, and around that with small groups of pages.
const READ_SIZE: usize = 256 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The bytes of a line that do not count as its own: a byte-order mark and a CR.
const NOT_COUNTED: usize = BYTE_ORDER_MARK.len() + 1;

/// One line of input.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A line without its LF or CR LF, and without a byte-order mark at the very start of the input.
    Whole(&'a [u8]),
    /// A line over the limit: as many of its first bytes as the limit allows. The rest is skipped.
    TooLong(&'a [u8]),
}

/// Where a line stands in the buffer.
#[derive(Debug, Clone, Copy)]
enum Found {
    /// From and to, without its line feed.
    Whole(usize, usize),
    /// From here on; its end has not been read.
    TooLong(usize),
}

/// Cuts a stream of bytes into lines of limited length, with one buffer and no copy.
#[derive(Debug)]
pub struct LineReader<R> {
    source: R,
    buffer: Vec<u8>,
    /// Where the unread part of the buffer begins.
    start: usize,
    /// Up to where that part is known to hold no line feed.
    searched: usize,
    /// Where it ends.
    end: usize,
    /// How many bytes of the source stood before the buffer.
    passed: u64,
    /// The longest line that is taken, in bytes.
    limit: usize,
    /// The number of the line last returned, from 1.
    number: u64,
    /// Whether the bytes up to the next line feed belong to a line that was too long.
    skipping: bool,
}

impl<R: Read> LineReader<R> {
    /// Reads lines of at most `limit` bytes, line end not counted.
    pub fn new(source: R, limit: usize) -> Self {
        let buffer = vec![0; READ_SIZE];
        Self { source, buffer, start: 0, searched: 0, end: 0, passed: 0, limit, number: 0, skipping: false }
    }

    /// Returns the number of the line last returned, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Tells whether a line waits in the buffer, so that the next call of `next_line` does not read.
    pub fn has_line(&mut self) -> bool {
        self.find_line_feed().is_some()
    }

    /// Returns what is read from.
    pub fn source(&self) -> &R {
        &self.source
    }

    /// Returns the next line, or `None` at the end of the input. A last line may lack its line feed.
    ///
    /// # Errors
    /// Passes on what the source reports, except interruptions, and fails when there is no memory for a line. A part
    /// line read until then is dropped.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        Ok(self.next_line_at()?.map(|(_, line)| line))
    }

    /// Returns the next line like [`next_line`](Self::next_line), with the number of bytes before it in the input.
    ///
    /// # Errors
    /// The same.
    pub fn next_line_at(&mut self) -> io::Result<Option<(u64, Line<'_>)>> {
        loop {
            if let Some(found) = self.find() {
                return Ok(Some(self.line(found)));
            }
            if self.read_more()? == 0 {
                return Ok(self.rest().map(|found| self.line(found)));
            }
        }
    }

    /// Returns the next line if that takes no reading.
    pub fn waiting_line(&mut self) -> Option<Line<'_>> {
        let found = self.find()?;
        Some(self.line(found).1)
    }

    /// Returns what stands behind the last line feed, once there is no more to read.
    pub fn last_line(&mut self) -> Option<Line<'_>> {
        let rest = self.rest()?;
        Some(self.line(rest).1)
    }

    fn rest(&mut self) -> Option<Found> {
        let from = self.start;
        self.start = self.end;
        self.searched = self.end;
        (from < self.end && !self.skipping).then_some(Found::Whole(from, self.end))
    }

    fn find(&mut self) -> Option<Found> {
        if let Some(line_feed) = self.find_line_feed() {
            let from = self.start;
            self.start = line_feed + 1;
            self.searched = self.start;
            return Some(Found::Whole(from, line_feed));
        }
        if !self.skipping && self.end - self.start > self.limit.saturating_add(NOT_COUNTED) {
            self.skipping = true;
            return Some(Found::TooLong(self.start));
        }
        None
    }

    /// Where the next line ends; drops the rest of a line that was too long on the way.
    fn find_line_feed(&mut self) -> Option<usize> {
        loop {
            let unsearched = self.buffer.get(self.searched..self.end).unwrap_or_default();
            let Some(offset) = memchr(b'\n', unsearched) else {
                self.searched = self.end;
                if self.skipping {
                    self.start = self.end;
                }
                return None;
            };
            let line_feed = self.searched + offset;
            if !self.skipping {
                self.searched = line_feed;
                return Some(line_feed);
            }
            self.skipping = false;
            self.start = line_feed + 1;
            self.searched = self.start;
        }
    }

    /// A line that was found, and where it begins in the input.
    fn line(&mut self, found: Found) -> (u64, Line<'_>) {
        self.number += 1;
        let (from, to) = match found {
            Found::Whole(from, to) => (from, to),
            Found::TooLong(from) => (from, self.end),
        };
        let (mark, bytes) = own_bytes(self.buffer.get(from..to).unwrap_or_default(), self.number == 1);
        let line = match bytes.get(..self.limit) {
            Some(first) if first.len() < bytes.len() => Line::TooLong(first),
            _ => Line::Whole(bytes),
        };
        (self.passed + (from + mark) as u64, line)
    }

    /// Reads once, which waits if nothing has come; returns how many bytes came, 0 at the end of the input.
    ///
    /// # Errors
    /// Passes on what the source reports, except interruptions. What was read before stays.
    pub fn read_more(&mut self) -> io::Result<usize> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.searched -= self.start;
            self.passed += self.start as u64;
            self.start = 0;
        }
        if self.buffer.len() - self.end < READ_SIZE / 2 {
            // A line longer than the buffer: doubling keeps the copying linear in its length. Where memory ends, it
            // is an error of this read and not the end of the program.
            self.buffer.try_reserve_exact(self.buffer.len())?;
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        loop {
            match self.source.read(self.buffer.get_mut(self.end..).unwrap_or_default()) {
                Ok(count) => {
                    self.end += count;
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// What a line that was cut at its line feed has of its own, with the length of the byte-order mark before that, which
/// is none of it in the first line of an input.
#[must_use]
pub fn own_bytes(line: &[u8], is_first: bool) -> (usize, &[u8]) {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    match line.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_first) {
        Some(rest) => (BYTE_ORDER_MARK.len(), rest),
        None => (0, line),
    }
}

/// What a pipe that is ready takes without waiting and, of programs that share it, without mixing, in bytes.
const PIPE_ROOM: usize = 4096;

/// The first lines of `bytes` that a pipe takes at once; of a line that is longer than that, as much as it takes.
#[must_use]
pub fn for_pipe(bytes: &[u8]) -> &[u8] {
    let Some(room) = bytes.get(..PIPE_ROOM) else { return bytes };
    memrchr(b'\n', room).and_then(|last| room.get(..=last)).unwrap_or(room)
}

/// Appends a value to `out` as one line of JSON with its line feed, for every reader's idea of a line.
///
/// # Errors
/// When the value cannot be written as JSON, or would take more than one line (raw JSON from a caller can).
/// `out` is then as it was.
pub fn encode_line(value: &impl Serialize, out: &mut Vec<u8>) -> io::Result<()> {
    let line = escape_line_separators(serde_json::to_string(value)?);
    if memchr(b'\n', line.as_bytes()).is_some() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a record would take more than one line"));
    }
    out.write_all(line.as_bytes())?;
    out.write_all(b"\n")
}

/// Tells whether a text has a character at which some readers cut lines, besides the line feed.
#[must_use]
pub fn has_line_separator(json: &[u8]) -> bool {
    // Both bytes that a separator can begin with; é and most other letters begin with others.
    memchr2_iter(0xc2, 0xe2, json)
        .any(|at| matches!(json.get(at..), Some([0xc2, 0x85, ..] | [0xe2, 0x80, 0xa8 | 0xa9, ..])))
}

/// Escapes the characters in JSON at which some readers cut lines, although JSON lets them stand.
#[must_use]
pub fn escape_line_separators(json: String) -> String {
    if has_line_separator(json.as_bytes()) {
        json.replace('\u{85}', "\\u0085").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
    } else {
        json
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out its pieces one read at a time.
    struct Pieces<'a>(Vec<&'a [u8]>);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let piece = self.0.remove(0);
            buffer[..piece.len()].copy_from_slice(piece);
            Ok(piece.len())
        }
    }

    fn lines(pieces: &[&[u8]], limit: usize) -> Vec<Option<Vec<u8>>> {
        let mut reader = LineReader::new(Pieces(pieces.to_vec()), limit);
        let mut found = Vec::new();
        while let Some(line) = reader.next_line().unwrap() {
            found.push(match line {
                Line::Whole(bytes) => Some(bytes.to_vec()),
                Line::TooLong(_) => None,
            });
        }
        found
    }

    #[test]
    fn any_cut_of_the_input_gives_the_same_lines() {
        let input = b"\xef\xbb\xbfone\r\n\ntwo\nthree is far too long\r\nfour!\r\nfive";
        let expected = lines(&[input], 5);
        assert_eq!(expected.len(), 6);
        assert_eq!(expected[0].as_deref(), Some(&b"one"[..]));
        assert_eq!(expected[3], None);
        assert_eq!(expected[4].as_deref(), Some(&b"four!"[..]));
        for first in 0..input.len() {
            for second in first..input.len() {
                let pieces: Vec<&[u8]> = [&input[..first], &input[first..second], &input[second..]]
                    .into_iter()
                    .filter(|piece| !piece.is_empty())
                    .collect();
                assert_eq!(lines(&pieces, 5), expected, "cut at {first} and {second}");
            }
        }
    }

    #[test]
    fn every_line_stands_where_it_is_said_to_begin() {
        let mut input = b"\xef\xbb\xbfone\r\n\n".to_vec();
        for number in 0..50_000 {
            input.extend_from_slice(format!("line {number}\r\n").as_bytes());
        }
        input.extend_from_slice(b"last");
        let mut reader = LineReader::new(&input[..], usize::MAX);
        let mut count = 0;
        while let Some((offset, line)) = reader.next_line_at().unwrap() {
            let Line::Whole(bytes) = line else { panic!("{line:?}") };
            let from = usize::try_from(offset).unwrap();
            assert_eq!(&input[from..from + bytes.len()], bytes);
            count += 1;
        }
        assert_eq!(count, 50_003);
    }

    #[test]
    fn a_line_longer_than_the_buffer_is_one_line() {
        let long = vec![b'x'; 3 * READ_SIZE];
        let mut input = long.clone();
        input.extend_from_slice(b"\nnext");
        let mut reader = LineReader::new(&input[..], usize::MAX);
        assert_eq!(reader.next_line().unwrap(), Some(Line::Whole(&long)));
        assert_eq!(reader.next_line().unwrap(), Some(Line::Whole(b"next")));
        assert_eq!(reader.next_line().unwrap(), None);
    }

    #[test]
    fn a_line_over_the_limit_does_not_grow_the_buffer() {
        let mut input = vec![b'x'; 5 << 20];
        input.extend_from_slice(b"\nnext\n");
        let mut reader = LineReader::new(&input[..], 1000);
        assert_eq!(reader.next_line().unwrap(), Some(Line::TooLong(&[b'x'; 1000])));
        assert_eq!(reader.next_line().unwrap(), Some(Line::Whole(b"next")));
        assert_eq!(reader.number(), 2);
        assert_eq!(reader.buffer.len(), READ_SIZE);
    }

    #[test]
    fn a_part_line_is_not_a_waiting_line() {
        let mut reader = LineReader::new(Pieces(vec![b"one\ntw", b"o\n"]), 100);
        assert!(!reader.has_line());
        reader.next_line().unwrap();
        assert!(!reader.has_line());
        assert_eq!(reader.next_line().unwrap(), Some(Line::Whole(b"two")));
    }

    #[test]
    fn a_value_that_would_take_two_lines_is_refused() {
        let raw = serde_json::value::RawValue::from_string("[1,\n2]".to_owned()).unwrap();
        let mut out = b"before".to_vec();
        assert!(encode_line(&raw, &mut out).is_err());
        assert_eq!(out, b"before");
    }

    #[test]
    fn no_reader_finds_two_lines_in_an_encoded_one() {
        let mut out = Vec::new();
        encode_line(&"a\u{85}b\u{2028}c\u{2029}d\ne\u{b}f", &mut out).unwrap();
        assert_eq!(out, b"\"a\\u0085b\\u2028c\\u2029d\\ne\\u000bf\"\n");
    }

    #[test]
    fn a_pipe_gets_whole_lines_as_long_as_it_takes_one() {
        let line = [vec![b'x'; 1499], vec![b'\n']].concat();
        assert_eq!(for_pipe(&line), line);
        assert_eq!(for_pipe(&line.repeat(3)), line.repeat(2));
        let long = [vec![b'x'; PIPE_ROOM], vec![b'\n']].concat();
        assert_eq!(for_pipe(&long).len(), PIPE_ROOM);
        assert_eq!(for_pipe(&long[1..]), &long[1..]);
    }
}

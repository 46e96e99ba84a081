//! The records of a source, with one line in memory at a time. A line that cannot be read is told and passed over.

use std::io::{self, Read};

use super::adapters::{self, Source};
use super::record::{Record, Span};
use crate::lines::{Line, LineReader};
use crate::ndjson::{LineError, decode_utf8};
use crate::report::Tally;

/// What is said of records that are something else, such as another program's, or events.
pub(super) const NO_TRANSCRIPT: &str = "no transcript: no record has an id or names a session";

/// What a line of a source turned out to be. Blank lines are nothing.
#[derive(Debug)]
pub(super) enum Found<'a> {
    /// A record, and the line that it was read from.
    Record {
        /// What it says.
        record: &'a Record<'a>,
        /// Where it says so.
        line: &'a str,
        /// Where the line stands.
        span: Span,
    },
    /// A line that is no record.
    Broken(LineError),
    /// The same, where the source ends: whoever wrote it may have been cut off.
    Torn(LineError),
}

/// Reads the records of a source.
#[derive(Debug)]
pub(super) struct Records<'s, R> {
    /// What is read; nothing is a transcript.
    source: Option<&'s Source>,
    lines: LineReader<R>,
    /// The number of the line at hand.
    number: u64,
    /// A line that is no record, until it is known whether another follows.
    unread: Option<(u64, LineError)>,
}

impl<'s, R: Read> Records<'s, R> {
    /// Reads a transcript.
    pub(super) fn new(input: R) -> Self {
        // Lines may have any length.
        Self { source: None, lines: LineReader::new(input, usize::MAX), number: 0, unread: None }
    }

    /// Reads a source of any kind.
    pub(super) fn of(source: &'s Source, input: R) -> Self {
        Self { source: Some(source), ..Self::new(input) }
    }

    /// Tells whether the next call of `next` does not wait for the source.
    pub(super) fn has_line(&mut self) -> bool {
        self.lines.has_line()
    }

    /// Reads a line and hands on what was found with its number; false at the end of the source.
    pub(super) fn next(
        &mut self,
        tally: &mut Tally,
        mut take: impl FnMut(u64, Found<'_>, &mut Tally),
    ) -> io::Result<bool> {
        let (offset, bytes) = match self.lines.next_line_at()? {
            Some((offset, Line::Whole(bytes))) => (offset, bytes),
            Some((offset, Line::TooLong(_))) => (offset, &[][..]),
            None => {
                if let Some((number, error)) = self.unread.take() {
                    take(number, Found::Torn(error), tally);
                }
                return Ok(false);
            }
        };
        self.number += 1;
        if bytes.trim_ascii().is_empty() {
            return Ok(true);
        }
        if let Some((number, error)) = self.unread.take() {
            take(number, Found::Broken(error), tally);
        }
        let line = decode_utf8(bytes, tally);
        let read = match self.source {
            None => adapters::read(&line),
            Some(source) => adapters::read_source(source, &line),
        };
        match read {
            Ok(record) => {
                let span = Span { offset, length: bytes.len() as u64 };
                take(self.number, Found::Record { record: &record, line: &line, span }, tally);
            }
            Err(error) => self.unread = Some((self.number, error)),
        }
        Ok(true)
    }
}

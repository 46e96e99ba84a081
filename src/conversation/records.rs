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

/// Reads the records of a transcript as its lines come.
#[derive(Debug)]
pub(super) struct Records<R> {
    lines: LineReader<R>,
    reading: Reading<'static>,
}

impl<R: Read> Records<R> {
    pub(super) fn new(input: R) -> Self {
        // Lines may have any length.
        Self { lines: LineReader::new(input, usize::MAX), reading: Reading::default() }
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
        match self.lines.next_line_at()? {
            Some((offset, Line::Whole(bytes))) => self.reading.line(offset, bytes, tally, take),
            Some((offset, Line::TooLong(_))) => self.reading.line(offset, &[], tally, take),
            None => {
                if let Some((number, error)) = self.reading.unread.take() {
                    take(number, Found::Torn(error), tally);
                }
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// What the lines of a source turn out to be, one after the other.
#[derive(Debug, Default)]
pub(super) struct Reading<'s> {
    /// What is read; nothing is a transcript.
    source: Option<&'s Source>,
    /// How many lines there were.
    pub(super) number: u64,
    /// A line that is no record, until it is known whether another follows.
    pub(super) unread: Option<(u64, LineError)>,
}

impl<'s> Reading<'s> {
    /// Reads a source of any kind.
    pub(super) fn of(source: &'s Source) -> Self {
        Self { source: Some(source), ..Self::default() }
    }

    /// Hands on what a line was found to be, and the number of the line.
    pub(super) fn line(
        &mut self,
        offset: u64,
        bytes: &[u8],
        tally: &mut Tally,
        mut take: impl FnMut(u64, Found<'_>, &mut Tally),
    ) {
        self.number += 1;
        if bytes.trim_ascii().is_empty() {
            return;
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
    }
}

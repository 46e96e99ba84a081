//! The entries of the records in some lines of a source, read without knowing what stands before them.

use std::borrow::Cow;

use super::adapters::{Kind, Source, read_source};
use super::entry::{Block, Entry, Step, Times, joined};
use super::ids::{Id, Ids};
use super::pieces::Piece;
use super::record::{Part, Record, Seen, Span};
use super::records::{Found, Reading};
use crate::ndjson::{LineError, Token, decode_utf8};
use crate::report::Tally;

/// Entries with ids, parts and rows of their own.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) entries: Vec<Entry>,
    pub(super) blocks: Vec<Block>,
    pub(super) ids: Ids,
    /// The earliest and the latest time.
    pub(super) times: Times,
    /// What the last record that names the session calls it.
    pub(super) title: Option<String>,
    /// What the first record that names something else names.
    pub(super) label: Option<String>,
    /// The first two sessions that records name; two are one too many, whichever come after them.
    pub(super) sessions: Vec<String>,
    /// How many lines there are.
    pub(super) lines: u64,
    /// Those that cannot be read.
    pub(super) broken: Vec<(u64, LineError)>,
    /// The last one, if it cannot be read: there may be nothing behind it, and whoever wrote it was cut off.
    pub(super) unread: Option<(u64, LineError)>,
}

impl Batch {
    /// Reads the records of some lines. `see` gets each, with rows from 1 and offsets in the source, but no source.
    pub(super) fn of_lines(source: &Source, piece: &Piece, see: &mut dyn FnMut(&Seen<'_>)) -> Self {
        let mut batch = Self::default();
        let mut reading = Reading::of(source);
        let mut tally = Tally::default();
        for (at, line) in piece.lines() {
            reading.line(piece.offset + at as u64, line, &mut tally, |number, found, _| match found {
                Found::Record { record, line, span } => {
                    batch.add(number, record, source.kind);
                    see(&Seen { seq: 0, row: row(number), span, record, line });
                }
                Found::Broken(error) | Found::Torn(error) => batch.broken.push((number, error)),
            });
        }
        Self { lines: reading.number, unread: reading.unread, ..batch }
    }

    /// Reads a document, which is one record.
    pub(super) fn of_document(
        source: &Source,
        bytes: &[u8],
        see: &mut dyn FnMut(&Seen<'_>),
    ) -> Result<Self, LineError> {
        let mut batch = Self::default();
        let text = decode_utf8(bytes, &mut Tally::default());
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let record = read_source(source, text)?;
        batch.add(1, &record, source.kind);
        let span = Span { offset: 0, length: bytes.len() as u64 };
        see(&Seen { seq: 0, row: 1, span, record: &record, line: text });
        Ok(batch)
    }

    /// Tells whether any line is not blank.
    pub(super) fn has_text(&self) -> bool {
        !self.entries.is_empty() || !self.broken.is_empty() || self.unread.is_some()
    }

    fn add(&mut self, number: u64, record: &Record<'_>, kind: Kind) {
        self.learn(record, kind);
        self.times = joined(self.times, record.time.map(|time| (time, time)));
        let first_part = u32::try_from(self.blocks.len()).unwrap_or(u32::MAX);
        let ids = &mut self.ids;
        self.blocks.extend(record.parts.iter().map(|part| block(part, ids)));
        let mut put = |id: &Option<Cow<'_, str>>| ids.put(id.as_deref());
        self.entries.push(Entry {
            seq: 0,
            row: row(number),
            id: put(&record.id),
            parent: put(&record.parent),
            call: put(&record.call),
            run: put(&record.run),
            tool: put(&record.tool),
            child: put(&record.child),
            batch: put(&record.batch),
            continues: put(&record.continues),
            started_by: put(&record.started_by),
            first_part,
            time: record.time,
            step: Step::from(&record.role),
            producer: record.producer,
            trigger: record.trigger,
            is_finished: record.is_finished,
            is_launch: record.is_launch,
            is_child_result: record.is_child_result,
        });
    }

    /// Takes in what a record says of more than itself.
    fn learn(&mut self, record: &Record<'_>, kind: Kind) {
        if let Some(label) = &record.label {
            if kind == Kind::Transcript && record.id.is_none() {
                self.title = Some(label.to_string());
            } else {
                self.label.get_or_insert_with(|| label.to_string());
            }
        }
        if let Some(session) = &record.session {
            learn_session(&mut self.sessions, session);
        }
    }
}

/// Adds a session to the first two that are named.
pub(super) fn learn_session(sessions: &mut Vec<String>, session: &str) {
    if sessions.len() < 2 && !sessions.iter().any(|known| known == session) {
        sessions.push(session.to_owned());
    }
}

fn block(part: &Part<'_>, ids: &mut Ids) -> Block {
    let mut put = |token: &Option<Token<'_>>| -> Id {
        let text = token.filter(|token| token.is_string()).map(Token::id);
        ids.put(text.as_deref())
    };
    match part {
        Part::Text(_) => Block::Text,
        Part::Reasoning(_) => Block::Reasoning,
        Part::Call { id, name, .. } => Block::Call { id: put(id), name: put(name) },
        Part::Result { of, .. } => Block::Result { of: put(of) },
        Part::Other => Block::Other,
    }
}

/// The number of a line, as it is kept.
pub(super) fn row(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

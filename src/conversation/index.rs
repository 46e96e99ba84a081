//! What the records of a session are and which ids they have, without what they say. Knows no program's words.

use std::fmt::Display;
use std::io::{self, Read};

use super::adapters::{Kind, Source};
use super::batch::{Batch, learn_session, row};
use super::entry::{Block, Entry, Times, joined};
use super::ids::{Id, Ids};
use super::pieces::{Piece, Pieces};
use super::record::Seen;
use super::workers::in_order;
use crate::ndjson::LineError;

/// What is known of a source as a whole.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) kind: Kind,
    pub(super) stream: Id,
    pub(super) digest: String,
    /// How many records it has.
    pub(super) records: u32,
    /// What its first record that names something names.
    pub(super) label: Option<String>,
}

/// All records of a session.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub(super) sources: Vec<Known>,
    pub(super) entries: Vec<Entry>,
    blocks: Vec<Block>,
    pub(super) ids: Ids,
    /// The earliest and the latest time.
    pub(super) times: Times,
    /// What the session is called.
    pub(super) title: Option<String>,
    /// The sessions that records of the main stream name.
    pub(super) sessions: Vec<String>,
    /// How many lines could not be read.
    pub(super) broken: u64,
}

/// What a reading asks of who wants it, and tells them.
pub struct Reader<'r, 'o> {
    /// Opens a source.
    pub open: &'r mut dyn FnMut(&Source) -> io::Result<Box<dyn Read + 'o>>,
    /// Gets what is told of lines.
    pub say: &'r mut dyn FnMut(&dyn Display),
    /// Gets each record, for what is kept of it besides its ids. Without it several threads read.
    pub see: Option<&'r mut dyn FnMut(&Seen<'_>)>,
}

impl Index {
    /// Reads the sources of a session, in their order. An error comes with the place of the source that it is about.
    pub(super) fn read(sources: &[Source], reader: &mut Reader<'_, '_>) -> Result<Self, (usize, io::Error)> {
        let mut index = Self::default();
        for (place, source) in sources.iter().enumerate() {
            let stream = index.ids.put(source.stream.as_deref());
            index.sources.push(Known { kind: source.kind, stream, digest: String::new(), records: 0, label: None });
            let digest = index.read_source(source, reader).map_err(|error| (place, error))?;
            if let Some(read) = index.sources.last_mut() {
                read.digest = digest;
            }
        }
        Ok(index)
    }

    /// Reads a source; returns its digest.
    fn read_source(&mut self, source: &Source, reader: &mut Reader<'_, '_>) -> io::Result<String> {
        let mut pieces = Pieces::of((reader.open)(source)?);
        match source.kind {
            Kind::Transcript | Kind::Journal => self.read_lines(source, &mut pieces, reader)?,
            Kind::Sidecar | Kind::Manifest | Kind::Script => self.read_document(source, &mut pieces, reader)?,
        }
        Ok(pieces.digest())
    }

    fn read_lines(
        &mut self,
        source: &Source,
        pieces: &mut Pieces<impl Read>,
        reader: &mut Reader<'_, '_>,
    ) -> io::Result<()> {
        let mut lines = Lines::of(source, reader.say);
        if let Some(see) = &mut reader.see {
            let seq = self.seq();
            while let Some(piece) = pieces.next()? {
                let mut see = |seen: &Seen<'_>| see(&Seen { seq, row: lines.row(seen.row), ..*seen });
                let batch = Batch::of_lines(source, &piece, &mut see);
                self.take_in(batch, &mut lines);
            }
        } else {
            let work = |piece: Piece| Batch::of_lines(source, &piece, &mut |_| {});
            in_order(
                || pieces.next(),
                work,
                |batch| {
                    self.take_in(batch, &mut lines);
                    Ok(())
                },
            )?;
        }
        lines.end();
        Ok(())
    }

    fn read_document(
        &mut self,
        source: &Source,
        pieces: &mut Pieces<impl Read>,
        reader: &mut Reader<'_, '_>,
    ) -> io::Result<()> {
        let seq = self.seq();
        let bytes = pieces.rest()?;
        let mut see = |seen: &Seen<'_>| {
            if let Some(see) = &mut reader.see {
                see(&Seen { seq, ..*seen });
            }
        };
        match Batch::of_document(source, &bytes, &mut see) {
            Ok(batch) => self.take_in(batch, &mut Lines::of(source, reader.say)),
            Err(error) => {
                self.broken += 1;
                (reader.say)(&format_args!("{}: {error}", source.name));
            }
        }
        Ok(())
    }

    /// The number of the source that is being read.
    fn seq(&self) -> u32 {
        u32::try_from(self.sources.len()).unwrap_or(u32::MAX)
    }

    /// Adds the entries of the next lines of the source.
    fn take_in(&mut self, mut batch: Batch, lines: &mut Lines<'_>) {
        self.broken += lines.tell(&mut batch);
        self.title = batch.title.or(self.title.take());
        self.times = joined(self.times, batch.times);
        if let Some(source) = self.sources.last_mut() {
            source.records = source.records.saturating_add(row(batch.entries.len() as u64));
            source.label = source.label.take().or(batch.label);
        }
        if self.sources.len() == 1 {
            batch.sessions.iter().for_each(|session| learn_session(&mut self.sessions, session));
        }
        let numbers = self.ids.take_in(&batch.ids);
        let own = |id: Id| numbers.own(id);
        let first_part = u32::try_from(self.blocks.len()).unwrap_or(u32::MAX);
        self.blocks.extend(batch.blocks.iter().map(|block| block.renamed(own)));
        let seq = self.seq();
        self.entries.extend(batch.entries.iter().map(|entry| Entry {
            seq,
            row: lines.row(entry.row),
            first_part: first_part.saturating_add(entry.first_part),
            ..entry.renamed(own)
        }));
        lines.before += batch.lines;
    }

    /// The parts of an entry, from the first.
    pub(super) fn blocks(&self, number: usize) -> &[Block] {
        let start = |number: usize| self.entries.get(number).map(|entry| entry.first_part as usize);
        let from = start(number).unwrap_or(self.blocks.len());
        self.blocks.get(from..start(number + 1).unwrap_or(self.blocks.len())).unwrap_or_default()
    }

    /// What the source of an entry is.
    pub(super) fn source(&self, entry: &Entry) -> Option<&Known> {
        self.sources.get((entry.seq as usize).checked_sub(1)?)
    }
}

/// The lines of a source, as far as they were read.
struct Lines<'r> {
    name: &'r str,
    /// How many there were before those at hand.
    before: u64,
    /// The last one, if it cannot be read, until it is known whether another follows.
    unread: Option<(u64, LineError)>,
    say: &'r mut dyn FnMut(&dyn Display),
}

impl<'r> Lines<'r> {
    fn of(source: &'r Source, say: &'r mut dyn FnMut(&dyn Display)) -> Self {
        Self { name: &source.name, before: 0, unread: None, say }
    }

    /// The number in the source of one of the lines at hand.
    fn row(&self, own: u32) -> u32 {
        row(self.before + u64::from(own))
    }

    /// Tells which lines cannot be read, now that there are more; returns how many.
    fn tell(&mut self, batch: &mut Batch) -> u64 {
        let before = self.before;
        let counted = |(number, error)| (before + number, error);
        let last = if batch.has_text() { self.unread.take() } else { None };
        let mut count = 0;
        for (number, error) in last.into_iter().chain(batch.broken.drain(..).map(counted)) {
            (self.say)(&format_args!("{}: line {number}: {error}", self.name));
            count += 1;
        }
        self.unread = self.unread.take().or(batch.unread.take().map(counted));
        count
    }

    /// The end of the source.
    fn end(&mut self) {
        if let Some((number, error)) = self.unread.take() {
            (self.say)(&format_args!("{}: line {number}: torn last line, left out: {error}", self.name));
        }
    }
}

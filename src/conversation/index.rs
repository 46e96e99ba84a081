//! What the records of a session are and which ids they have, without what they say. Knows no program's words.

use std::fmt::Display;
use std::io::{self, Read};

use super::adapters::{Kind, Source, read_source};
use super::digest::Digest;
use super::entity::Place;
use super::ids::{Id, Ids};
use super::record::{Part, Producer, Record, Role, Seen, Span, Trigger};
use super::records::{Found, Records};
use crate::event::Time;
use crate::ndjson::{LineError, Token, decode_utf8};
use crate::report::Tally;

/// What a record is, without what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Input,
    Agent,
    Synthetic,
    Results,
    Notification,
    Injection,
    Reset,
    ResetSummary,
    Error,
    TurnDuration,
    Command,
    Notice,
    /// It makes no node.
    Other,
}

/// A record. Some 70 bytes, and its ids.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) seq: u32,
    pub(super) row: u32,
    pub(super) id: Id,
    pub(super) parent: Id,
    pub(super) call: Id,
    pub(super) run: Id,
    pub(super) tool: Id,
    pub(super) child: Id,
    pub(super) batch: Id,
    pub(super) continues: Id,
    pub(super) started_by: Id,
    /// Where its parts begin.
    first_part: u32,
    pub(super) time: Option<Time>,
    pub(super) step: Step,
    pub(super) producer: Producer,
    pub(super) trigger: Option<Trigger>,
    pub(super) is_finished: bool,
    pub(super) is_launch: bool,
    pub(super) is_child_result: bool,
}

impl Entry {
    pub(super) fn place(&self) -> Place {
        Place { seq: self.seq, row: self.row, block: None }
    }
}

/// One part of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    Text,
    Reasoning,
    Call { id: Id, name: Id },
    Result { of: Id },
    Other,
}

/// What is known of a source as a whole.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) kind: Kind,
    pub(super) stream: Id,
    pub(super) digest: String,
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
    /// What the session is called.
    pub(super) title: Option<String>,
    /// The sessions that records of the main stream name.
    pub(super) sessions: Vec<String>,
    /// How many lines could not be read.
    pub(super) broken: u64,
}

impl Index {
    /// Reads the sources of a session, in their order; `open` opens one, `say` gets what is told of lines, and `see`
    /// each record. An error comes with the place of the source that it is about.
    pub(super) fn read<'o>(
        sources: &[Source],
        open: &mut dyn FnMut(&Source) -> io::Result<Box<dyn Read + 'o>>,
        say: &mut dyn FnMut(&dyn Display),
        see: &mut dyn FnMut(&Seen<'_>),
    ) -> Result<Self, (usize, io::Error)> {
        let mut index = Self::default();
        for (place, source) in sources.iter().enumerate() {
            let at_it = |error| (place, error);
            let mut input = Hashing { source: open(source).map_err(at_it)?, digest: Digest::default() };
            let stream = index.ids.put(source.stream.as_deref());
            index.sources.push(Known { kind: source.kind, stream, digest: String::new(), label: None });
            let read = match source.kind {
                Kind::Transcript | Kind::Journal => index.read_lines(source, &mut input, say, see),
                Kind::Sidecar | Kind::Manifest | Kind::Script => index.read_document(source, &mut input, say, see),
            };
            read.map_err(at_it)?;
            if let Some(read) = index.sources.get_mut(place) {
                read.digest = input.digest.finish();
            }
        }
        Ok(index)
    }

    fn read_lines(
        &mut self,
        source: &Source,
        input: &mut impl Read,
        say: &mut dyn FnMut(&dyn Display),
        see: &mut dyn FnMut(&Seen<'_>),
    ) -> io::Result<()> {
        let seq = self.seq();
        let mut records = Records::of(source, input);
        let mut tally = Tally::default();
        let told =
            |error: &LineError, number: u64, what: &str| format!("{}: line {number}: {what}{error}", source.name);
        while records.next(&mut tally, |number, found, _| match found {
            Found::Record { record, line, span } => {
                self.add(number, record);
                see(&Seen { seq, row: row(number), span, record, line });
            }
            Found::Broken(error) => {
                self.broken += 1;
                say(&told(&error, number, ""));
            }
            Found::Torn(error) => say(&told(&error, number, "torn last line, left out: ")),
        })? {}
        Ok(())
    }

    fn read_document(
        &mut self,
        source: &Source,
        input: &mut impl Read,
        say: &mut dyn FnMut(&dyn Display),
        see: &mut dyn FnMut(&Seen<'_>),
    ) -> io::Result<()> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes)?;
        let text = decode_utf8(&bytes, &mut Tally::default());
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        match read_source(source, text) {
            Ok(record) => {
                self.add(1, &record);
                let span = Span { offset: 0, length: bytes.len() as u64 };
                see(&Seen { seq: self.seq(), row: 1, span, record: &record, line: text });
            }
            Err(error) => {
                self.broken += 1;
                say(&format_args!("{}: {error}", source.name));
            }
        }
        Ok(())
    }

    /// The number of the source that is being read.
    fn seq(&self) -> u32 {
        u32::try_from(self.sources.len()).unwrap_or(u32::MAX)
    }

    fn add(&mut self, number: u64, record: &Record<'_>) {
        let is_transcript = self.sources.last().is_some_and(|source| source.kind == Kind::Transcript);
        self.learn(record, is_transcript);
        let first_part = u32::try_from(self.blocks.len()).unwrap_or(u32::MAX);
        for part in &record.parts {
            let block = self.block(part);
            self.blocks.push(block);
        }
        let seq = self.seq();
        let ids = &mut self.ids;
        let mut put = |id: &Option<std::borrow::Cow<'_, str>>| ids.put(id.as_deref());
        self.entries.push(Entry {
            seq,
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
            step: step(&record.role),
            producer: record.producer,
            trigger: record.trigger,
            is_finished: record.is_finished,
            is_launch: record.is_launch,
            is_child_result: record.is_child_result,
        });
    }

    /// Takes in what a record says of more than itself.
    fn learn(&mut self, record: &Record<'_>, is_transcript: bool) {
        if let Some(label) = &record.label {
            if is_transcript && record.id.is_none() {
                self.title = Some(label.to_string());
            } else if let Some(source) = self.sources.last_mut() {
                source.label.get_or_insert_with(|| label.to_string());
            }
        }
        if let Some(session) = &record.session
            && self.sources.len() == 1
            // Two are one too many, whichever come after them.
            && self.sessions.len() < 2
            && !self.sessions.iter().any(|known| known == session)
        {
            self.sessions.push(session.to_string());
        }
    }

    fn block(&mut self, part: &Part<'_>) -> Block {
        let mut put = |token: &Option<Token<'_>>| {
            let text = token.filter(|token| token.is_string()).map(Token::id);
            self.ids.put(text.as_deref())
        };
        match part {
            Part::Text(_) => Block::Text,
            Part::Reasoning(_) => Block::Reasoning,
            Part::Call { id, name, .. } => Block::Call { id: put(id), name: put(name) },
            Part::Result { of, .. } => Block::Result { of: put(of) },
            Part::Other => Block::Other,
        }
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

fn row(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn step(role: &Role<'_>) -> Step {
    match role {
        Role::Input => Step::Input,
        Role::Agent => Step::Agent,
        Role::Synthetic => Step::Synthetic,
        Role::Results | Role::LooseResult => Step::Results,
        Role::Notification(_) | Role::ChildNotification(_) => Step::Notification,
        Role::Injection => Step::Injection,
        Role::Reset => Step::Reset,
        Role::ResetSummary => Step::ResetSummary,
        Role::Error => Step::Error,
        Role::TurnDuration => Step::TurnDuration,
        Role::Command => Step::Command,
        Role::Notice => Step::Notice,
        Role::Queue | Role::State | Role::StandIn | Role::Unknown => Step::Other,
    }
}

/// A source whose bytes are hashed as they are read.
struct Hashing<R> {
    source: R,
    digest: Digest,
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.digest.update(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}

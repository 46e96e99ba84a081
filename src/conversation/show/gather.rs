//! What is kept of each record while a session is read, besides its ids: where it stands, and the beginnings of its
//! texts. Knows no file and no entity.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::conversation::adapters::{Kind, Source, glance, told};
use crate::conversation::entity::Place;
use crate::conversation::record::{Part, Record, Role, Seen, Span, Told, Usage};
use crate::event::Time;
use crate::ndjson::{self, Token};
use crate::notification::{Notification, Summary};
use crate::report::Tally;

/// How much of the texts is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Beginnings of at most so many bytes, and of a tool's input what tells most.
    Glance(usize),
    /// Beginnings of at most so many bytes, and a tool's input from its beginning.
    Data(usize),
}

impl Keep {
    fn limit(self) -> usize {
        match self {
            Self::Glance(limit) | Self::Data(limit) => limit,
        }
    }
}

/// The beginning of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Excerpt<'a> {
    pub(super) text: &'a str,
    /// The size of the whole.
    pub(super) bytes: u64,
    pub(super) is_cut: bool,
    /// Of a tool's result, whether it says that the tool failed.
    pub(super) failed: Option<bool>,
    /// Whether it is what somebody said, and not what a tool was given.
    pub(super) is_said: bool,
}

/// What is kept of one text, by its place in the buffer of all.
#[derive(Debug, Clone, Copy)]
struct Piece {
    /// The part that it is, or nothing for the record as a whole.
    block: Option<u32>,
    from: usize,
    kept: usize,
    bytes: u64,
    is_cut: bool,
    failed: Option<bool>,
    is_said: bool,
}

/// What is kept of one record.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    row: u32,
    pub(super) span: Span,
    pub(super) time: Option<Time>,
    pub(super) usage: Option<Usage>,
    pub(super) duration: Option<u64>,
    model: u32,
    label: u32,
    /// Where its pieces begin.
    first_piece: usize,
}

/// Where an id was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) place: Place,
    /// Whether it is the record's own.
    pub(super) is_own: bool,
}

/// What is kept of a session.
#[derive(Debug)]
pub struct Gathered {
    keep: Keep,
    kinds: Vec<Kind>,
    /// For each source its records, in their order.
    sources: Vec<Vec<Kept>>,
    pieces: Vec<Piece>,
    texts: String,
    /// Names that many records share; the first is empty.
    names: Vec<String>,
    name_places: HashMap<String, u32>,
    /// The id that is looked for.
    wanted: Option<String>,
    pub(super) mentions: Vec<Mention>,
}

impl Gathered {
    /// Begins with nothing. Of an id that is `wanted` it is kept which records name it.
    #[must_use]
    pub fn new(sources: &[Source], keep: Keep, wanted: Option<&str>) -> Self {
        Self {
            keep,
            kinds: sources.iter().map(|source| source.kind).collect(),
            sources: Vec::new(),
            pieces: Vec::new(),
            texts: String::new(),
            names: vec![String::new()],
            name_places: HashMap::new(),
            wanted: wanted.map(super::one::id_in_source),
            mentions: Vec::new(),
        }
    }

    /// Takes in a record as it is read.
    pub fn see(&mut self, seen: &Seen<'_>) {
        let first_piece = self.pieces.len();
        let told = self.told(seen);
        self.note_mention(seen);
        self.pieces_of(seen.record, &told);
        let kept = Kept {
            row: seen.row,
            span: seen.span,
            time: seen.record.time,
            usage: told.usage,
            duration: told.duration,
            model: self.name(seen.record.model.map(|model| model.string(&mut Tally::default())).as_deref()),
            label: self.name(label(seen.record, &told).as_deref()),
            first_piece,
        };
        while self.sources.len() < seen.seq as usize {
            self.sources.push(Vec::new());
        }
        if let Some(records) = self.sources.last_mut() {
            records.push(kept);
        }
    }

    /// What the line of a record tells that stands in none of its parts.
    fn told<'l>(&self, seen: &Seen<'l>) -> Told<'l> {
        let kind = (seen.seq as usize).checked_sub(1).and_then(|place| self.kinds.get(place)).copied();
        let tells = match seen.record.role {
            Role::Agent
            | Role::Synthetic
            | Role::Injection
            | Role::Reset
            | Role::Error
            | Role::TurnDuration
            | Role::Command
            | Role::Notice => true,
            Role::State => seen.record.is_child_result,
            _ => false,
        };
        kind.filter(|_| tells).map(|kind| told(kind, seen.line)).unwrap_or_default()
    }

    fn note_mention(&mut self, seen: &Seen<'_>) {
        let Some(wanted) = self.wanted.as_deref() else { return };
        let record = seen.record;
        let place = Place { seq: seen.seq, row: seen.row, block: None };
        let is_wanted = |id: &Option<Cow<'_, str>>| id.as_deref() == Some(wanted);
        if is_wanted(&record.id) {
            self.mentions.push(Mention { place, is_own: true });
            return;
        }
        let ids = [&record.call, &record.run, &record.tool, &record.child, &record.batch, &record.continues];
        let is_token = |token: Option<Token<'_>>| {
            token.filter(|token| token.is_string()).is_some_and(|token| token.id() == wanted)
        };
        let in_part = (0_u32..).zip(&record.parts).find(|(_, part)| match part {
            Part::Call { id, .. } => is_token(*id),
            Part::Result { of, .. } => is_token(*of),
            Part::Text(_) | Part::Reasoning(_) | Part::Other => false,
        });
        if let Some((block, _)) = in_part {
            self.mentions.push(Mention { place: Place { block: Some(block), ..place }, is_own: false });
        } else if ids.into_iter().any(is_wanted) {
            self.mentions.push(Mention { place, is_own: false });
        }
    }

    fn pieces_of(&mut self, record: &Record<'_>, told: &Told<'_>) {
        match &record.role {
            Role::Agent | Role::Synthetic | Role::Results | Role::LooseResult => {
                for (block, part) in (0_u32..).zip(&record.parts) {
                    self.part(block, part);
                }
            }
            Role::Notification(notification) | Role::ChildNotification(notification) => {
                self.piece(None, &notification_text(notification), None);
            }
            Role::Input
            | Role::Injection
            | Role::Reset
            | Role::ResetSummary
            | Role::Error
            | Role::TurnDuration
            | Role::Command
            | Role::Notice
            | Role::State => self.whole(record, told),
            Role::Queue | Role::StandIn | Role::Unknown => {}
        }
    }

    /// The texts of a record as one, or else its words that stand in no part.
    fn whole(&mut self, record: &Record<'_>, told: &Told<'_>) {
        let texts = record.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.string(&mut Tally::default())),
            _ => None,
        });
        let texts: Vec<_> = texts.filter(|text| !text.trim().is_empty()).collect();
        let text = match texts.as_slice() {
            [] => told.text.as_deref().map(Cow::Borrowed),
            [text] => Some(Cow::Borrowed(&**text)),
            texts => Some(Cow::Owned(texts.join("\n"))),
        };
        if let Some(text) = text {
            self.piece(None, &text, None);
        }
    }

    fn part(&mut self, block: u32, part: &Part<'_>) {
        let tally = &mut Tally::default();
        match *part {
            Part::Text(text) => self.piece(Some(block), &text.string(tally), None),
            Part::Reasoning(text) => {
                if let Some(text) = text {
                    self.piece(Some(block), &text.string(tally), None);
                }
            }
            Part::Call { input, .. } => {
                let telling = input.filter(|_| matches!(self.keep, Keep::Glance(_))).and_then(glance);
                match (telling, input) {
                    (Some(telling), _) => self.piece(Some(block), &telling.string(tally), None),
                    (None, Some(input)) => self.piece(Some(block), input.json(), None),
                    (None, None) => return,
                }
                if let Some(piece) = self.pieces.last_mut() {
                    piece.is_said = false;
                }
            }
            Part::Result { failed, content, .. } => {
                let content = ndjson::content(content, tally);
                self.piece(Some(block), &content.to_text(), failed);
            }
            Part::Other => {}
        }
    }

    /// Keeps the beginning of a text.
    fn piece(&mut self, block: Option<u32>, text: &str, failed: Option<bool>) {
        let shown = match self.keep {
            Keep::Glance(_) => text.trim_start(),
            Keep::Data(_) => text,
        };
        let kept = beginning(shown, self.keep.limit());
        let from = self.texts.len();
        self.texts.push_str(kept);
        let (kept, is_cut) = (kept.len(), kept.len() < shown.len());
        self.pieces.push(Piece { block, from, kept, bytes: text.len() as u64, is_cut, failed, is_said: true });
    }

    fn name(&mut self, name: Option<&str>) -> u32 {
        let Some(name) = name.filter(|name| !name.is_empty()) else { return 0 };
        if let Some(place) = self.name_places.get(name) {
            return *place;
        }
        let Ok(place) = u32::try_from(self.names.len()) else { return 0 };
        self.names.push(name.to_owned());
        self.name_places.insert(name.to_owned(), place);
        place
    }

    /// What is kept of the record at a place.
    pub(super) fn record(&self, place: Place) -> Option<&Kept> {
        self.find(place).map(|(record, _)| record)
    }

    fn find(&self, place: Place) -> Option<(&Kept, usize)> {
        let source = (place.seq as usize).checked_sub(1)?;
        let records = self.sources.get(source)?;
        let number = records.binary_search_by_key(&place.row, |record| record.row).ok()?;
        let next = records.get(number + 1);
        let later = || self.sources.iter().skip(source + 1).find_map(|records| records.first());
        let end = next.or_else(later).map_or(self.pieces.len(), |record| record.first_piece);
        Some((records.get(number)?, end))
    }

    /// The text at a place: of the part that it names, or of the record as a whole.
    pub(super) fn excerpt(&self, place: Place) -> Option<Excerpt<'_>> {
        // They stand in the order of the parts, of which a record may have thousands.
        let pieces = self.pieces_at(place);
        let number = pieces.binary_search_by_key(&place.block, |piece| piece.block).ok()?;
        pieces.get(number).map(|piece| self.excerpt_of(piece))
    }

    /// All texts of the record at a place.
    pub(super) fn excerpts(&self, place: Place) -> impl Iterator<Item = (Option<u32>, Excerpt<'_>)> {
        self.pieces_at(place).iter().map(|piece| (piece.block, self.excerpt_of(piece)))
    }

    fn pieces_at(&self, place: Place) -> &[Piece] {
        let pieces = self.find(place).and_then(|(record, end)| self.pieces.get(record.first_piece..end));
        pieces.unwrap_or_default()
    }

    fn excerpt_of(&self, piece: &Piece) -> Excerpt<'_> {
        let text = self.texts.get(piece.from..piece.from + piece.kept).unwrap_or_default();
        Excerpt { text, bytes: piece.bytes, is_cut: piece.is_cut, failed: piece.failed, is_said: piece.is_said }
    }

    /// The model that a record names.
    pub(super) fn model(&self, record: &Kept) -> Option<&str> {
        self.names.get(record.model as usize).map(String::as_str).filter(|name| !name.is_empty())
    }

    /// What the program calls a record.
    pub(super) fn label(&self, record: &Kept) -> Option<&str> {
        self.names.get(record.label as usize).map(String::as_str).filter(|name| !name.is_empty())
    }
}

/// The longest beginning of whole characters that has at most so many bytes.
fn beginning(text: &str, limit: usize) -> &str {
    let end = (0..=limit.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or_default()).unwrap_or_default()
}

fn label<'a>(record: &'a Record<'_>, told: &'a Told<'_>) -> Option<Cow<'a, str>> {
    match &record.role {
        Role::Notification(told) | Role::ChildNotification(told) => told.status.as_deref().map(Cow::Borrowed),
        _ => told.label.as_deref().map(Cow::Borrowed),
    }
}

fn notification_text(notification: &Notification<'_>) -> String {
    let (Summary::Monitor(summary) | Summary::Other(summary)) = &notification.summary;
    match &notification.event {
        Some(event) if !event.is_empty() => format!("{summary}: {event}"),
        _ => summary.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_ends_between_characters() {
        assert_eq!(beginning("aéb", 2), "a");
        assert_eq!(beginning("aéb", 3), "aé");
        assert_eq!(beginning("aéb", 9), "aéb");
    }
}

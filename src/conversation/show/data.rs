//! What both documents share: places, texts and items as data, and how JSON is laid out. Knows no file.

use std::io::{self, BufWriter, Write};

use serde::{Serialize, Serializer};
use serde_json::ser::Formatter;

use super::gather::Excerpt;
use super::item::{Item, Outcome, View};
use super::tree::Spot;
use super::{Session, Terms};
use crate::conversation::entity::{Place, Value, unmet};
use crate::conversation::record::Usage;
use crate::ndjson::rfc3339;

/// The form of the documents.
pub(super) const FORMAT: &str = "asyncai-sessionize-show/1";

/// So much is written at once.
const BATCH: usize = 64 * 1024;

/// Where something stands.
#[derive(Debug, Serialize)]
pub(super) struct PlaceData<'a> {
    file: &'a str,
    line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    block: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<u64>,
}

impl<'a> PlaceData<'a> {
    pub(super) fn of(session: Session<'a>, place: Place) -> Self {
        let source = (place.seq as usize).checked_sub(1).and_then(|source| session.sources.get(source));
        let span = session.gathered.record(place).map(|record| record.span);
        Self {
            file: source.map_or("", |source| &source.name),
            line: place.row,
            block: place.block,
            offset: span.map(|span| span.offset),
            length: span.map(|span| span.length),
        }
    }

    pub(super) fn all(session: Session<'a>, places: &[Place]) -> Vec<Self> {
        places.iter().map(|place| Self::of(session, *place)).collect()
    }
}

/// The beginning of a text.
#[derive(Debug, Serialize)]
pub(super) struct TextData<'a> {
    text: &'a str,
    bytes: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

impl<'a> From<Excerpt<'a>> for TextData<'a> {
    fn from(excerpt: Excerpt<'a>) -> Self {
        Self { text: excerpt.text, bytes: excerpt.bytes, cut: excerpt.is_cut }
    }
}

/// How many tokens something took.
#[derive(Debug, Serialize)]
pub(super) struct UsageData {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
}

impl From<Usage> for UsageData {
    fn from(usage: Usage) -> Self {
        let Usage { input, output, cache_read, cache_write } = usage;
        Self { input, output, cache_read, cache_write }
    }
}

#[derive(Debug, Serialize)]
struct OutcomeData<'a> {
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<TextData<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
}

impl<'a> From<Outcome<'a>> for OutcomeData<'a> {
    fn from(outcome: Outcome<'a>) -> Self {
        Self { state: outcome.state.name(), text: outcome.text.map(TextData::from), duration_ms: outcome.duration }
    }
}

/// A node with all that is said of it. The order of the fields is that of the keys.
#[derive(Debug, Serialize)]
pub(super) struct ItemData<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    id: &'a str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    term: Option<String>,
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    above: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<u32>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    again: bool,
    #[serde(flatten)]
    told: Option<ToldData<'a>>,
}

#[derive(Debug, Serialize)]
struct ToldData<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<UsageData>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<TextData<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<TextData<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<OutcomeData<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
    #[serde(skip_serializing_if = "<[&str]>::is_empty")]
    reports: Vec<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty", serialize_with = "attrs")]
    attrs: Vec<(&'static str, Value<'a>)>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    places: Vec<PlaceData<'a>>,
}

impl<'a> ItemData<'a> {
    /// An item in the tree; one that is told elsewhere is named only.
    pub(super) fn of(view: &View<'a>, terms: Terms, spot: Spot, item: &Item<'a>) -> Self {
        Self {
            depth: Some(spot.depth),
            above: spot.above.map(|above| view.links.id(above)),
            number: Some(spot.ordinal).filter(|ordinal| *ordinal > 0),
            again: spot.is_again,
            told: (!spot.is_again).then(|| ToldData::of(view, item)),
            ..Self::alone(view, terms, item)
        }
    }

    /// An item by itself.
    pub(super) fn alone(view: &View<'a>, terms: Terms, item: &Item<'a>) -> Self {
        Self {
            depth: None,
            id: item.id,
            kind: item.kind,
            term: (terms != Terms::Unified).then(|| terms.word(item.kind).into_owned()),
            above: view.links.parent(item.number).map(|above| view.links.id(above)),
            stream: item.stream,
            number: None,
            again: false,
            told: Some(ToldData::of(view, item)),
        }
    }
}

impl<'a> ToldData<'a> {
    fn of(view: &View<'a>, item: &Item<'a>) -> Self {
        let text = item.text.map(TextData::from);
        let (text, input) = if item.outcome.is_some() { (None, text) } else { (text, None) };
        Self {
            time: item.time.map(rfc3339),
            name: item.name,
            label: item.label,
            model: item.model,
            tokens: item.usage.map(UsageData::from),
            text,
            input,
            result: item.outcome.map(OutcomeData::from),
            duration_ms: item.duration,
            reports: item.reports.clone(),
            attrs: view.links.attrs(item.number),
            places: PlaceData::all(view.session, view.links.places(item.number)),
        }
    }
}

fn attrs<S: Serializer>(attrs: &[(&'static str, Value<'_>)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(attrs.iter().map(|(name, value)| (name, value)))
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Word(word) => serializer.serialize_str(word),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Count(count) => serializer.serialize_u32(count),
            Self::Flag(flag) => serializer.serialize_bool(flag),
            Self::Place(Place { seq, row, block }) => {
                let parts = [("seq", Some(seq)), ("row", Some(row)), ("block", block)];
                serializer.collect_map(parts.into_iter().filter_map(|(name, part)| Some((name, part?))))
            }
            Self::Unmet(gates) => serializer.collect_seq(unmet(gates)),
        }
    }
}

/// Writes a value as one document, with a line for each of its keys and for each element of a list in it.
///
/// # Errors
/// When the output cannot be written.
pub(super) fn write(value: &impl Serialize, output: &mut impl Write) -> io::Result<()> {
    let mut output = BufWriter::with_capacity(BATCH, output);
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut output, Layout { depth: 0 }))?;
    output.write_all(b"\n")?;
    output.flush()
}

/// JSON whose two outer levels have lines of their own.
struct Layout {
    depth: usize,
}

impl Layout {
    fn element<W: ?Sized + Write>(&self, writer: &mut W, is_first: bool) -> io::Result<()> {
        if !is_first {
            writer.write_all(b",")?;
        }
        if self.depth <= 2 { writer.write_all(b"\n") } else { Ok(()) }
    }
}

impl Formatter for Layout {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        writer.write_all(b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth = self.depth.saturating_sub(1);
        writer.write_all(b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, is_first: bool) -> io::Result<()> {
        self.element(writer, is_first)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        writer.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth = self.depth.saturating_sub(1);
        writer.write_all(b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, is_first: bool) -> io::Result<()> {
        self.element(writer, is_first)
    }

    /// The characters that JSON lets stand although they steer a terminal are escaped too.
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(steers) {
            let (plain, odd) = rest.split_at(at);
            writer.write_all(plain.as_bytes())?;
            let Some(character) = odd.chars().next() else { break };
            write!(writer, "\\u{:04x}", u32::from(character))?;
            rest = odd.get(character.len_utf8()..).unwrap_or_default();
        }
        writer.write_all(rest.as_bytes())
    }
}

fn steers(character: char) -> bool {
    let is_direction =
        matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{206f}');
    character.is_control() || is_direction || matches!(character, '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_json_and_nothing_in_it_steers_a_terminal() {
        let value = serde_json::json!({"a": ["\u{1b}\u{9b}\u{7f}\u{202e}é\u{2028}", {"b": [1, {}]}], "c": {}});
        let mut bytes = Vec::new();
        write(&value, &mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
        assert!(text.contains(r#""\u001b\u009b\u007f\u202eé\u2028""#), "{text:?}");
        assert_eq!(text.lines().count(), 5);
    }
}

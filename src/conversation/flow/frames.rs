//! The frames of a conversation's entities as JSON. Knows no digest and no output.
//!
//! There are millions of them, and each says little: the names of fields and our own words are written as they stand
//! here, without a serializer, which alone took an eighth of a whole run. Texts are escaped by the library.

use std::io;
use std::ops::Range;

use crate::conversation::entity::{Conversation, Node, Place, Relation, Text, Unresolved, Value, decimal, unmet};
use crate::lines::escape_line_separators;

/// Makes the frames of some entities, each as a line; `which` counts nodes, relations and what is unresolved in a row.
pub(super) fn lines(conversation: &Conversation, which: &Range<usize>) -> io::Result<Vec<u8>> {
    let Conversation { nodes, relations, unresolved, .. } = conversation;
    let mut frames = Frames { conversation, buffer: Vec::new() };
    let own = part(which, 0, nodes.len());
    let texts = nodes.range(own.clone()).flat_map(|node| [Some(node.id), node.parent].into_iter().flatten());
    frames.make_room(own.len(), texts);
    nodes.range(own).try_for_each(|node| frames.node(node))?;
    let chosen = relations.get(part(which, nodes.len(), relations.len())).unwrap_or_default();
    frames.make_room(chosen.len(), chosen.iter().flat_map(|relation| [relation.id, relation.from, relation.to]));
    chosen.iter().try_for_each(|relation| frames.relation(relation))?;
    let chosen = unresolved.get(part(which, nodes.len() + relations.len(), unresolved.len())).unwrap_or_default();
    chosen.iter().try_for_each(|unresolved| frames.unresolved(unresolved))?;
    Ok(frames.buffer)
}

/// Which of a list of so many are meant, if so many others are counted before it.
fn part(which: &Range<usize>, before: usize, count: usize) -> Range<usize> {
    let place = |number: usize| number.saturating_sub(before).min(count);
    place(which.start)..place(which.end)
}

struct Frames<'a> {
    conversation: &'a Conversation,
    buffer: Vec<u8>,
}

/// What a frame takes besides its texts, at most in nearly all cases.
const ROOM: usize = 256;

impl Frames<'_> {
    /// Makes room for frames with these texts. This is also the first look at texts that lie far apart, wherever the
    /// processor's cache has to fetch them: without any work in between it fetches many at once.
    fn make_room(&mut self, frames: usize, texts: impl Iterator<Item = Text>) {
        let mut length = 0;
        let mut seen = None;
        for text in texts {
            let text = self.conversation.texts.bytes(text);
            length += text.len();
            seen = seen.max(text.get(text.len() / 2)).max(text.last());
        }
        std::hint::black_box(seen);
        self.buffer.reserve(frames * ROOM + length);
    }

    fn node(&mut self, node: &Node) -> io::Result<()> {
        self.begin("{\"t\":\"node\",\"id\":", node.id)?;
        self.word(",\"kind\":", node.kind.name());
        for (name, id) in [(",\"parent\":", node.parent), (",\"stream\":", node.stream)] {
            if let Some(id) = id {
                self.push(name);
                self.text(id)?;
            }
        }
        match self.conversation.places(&node.places) {
            [] => {}
            [place] => {
                self.push(",\"ref\":");
                self.place(*place);
            }
            places => {
                self.push(",\"refs\":");
                self.places(places);
            }
        }
        self.attrs(node)?;
        self.end();
        Ok(())
    }

    fn relation(&mut self, relation: &Relation) -> io::Result<()> {
        self.begin("{\"t\":\"relation\",\"id\":", relation.id)?;
        self.word(",\"type\":", relation.kind);
        for (name, end) in [(",\"from\":", relation.from), (",\"to\":", relation.to)] {
            self.push(name);
            self.text(end)?;
        }
        self.word(",\"quality\":", relation.quality.name());
        if let Some(via) = relation.via {
            self.word(",\"via\":", via);
        }
        let evidence = self.conversation.places(&relation.evidence);
        if !evidence.is_empty() {
            self.push(",\"evidence\":");
            self.places(evidence);
        }
        self.end();
        Ok(())
    }

    fn unresolved(&mut self, unresolved: &Unresolved) -> io::Result<()> {
        self.begin("{\"t\":\"unresolved\",\"id\":", unresolved.id)?;
        self.word(",\"kind\":", unresolved.kind);
        self.push(",\"ref\":");
        self.text(unresolved.missing)?;
        self.word(",\"reason\":", unresolved.reason);
        self.word(",\"state\":", "open");
        self.end();
        Ok(())
    }

    /// A frame up to its own fields; `start` goes up to the id.
    fn begin(&mut self, start: &str, id: Text) -> io::Result<()> {
        self.push(start);
        self.text(id)?;
        self.push(",\"revision\":1");
        Ok(())
    }

    fn end(&mut self) {
        self.push("}\n");
    }

    /// A field whose value is one of our own words; `start` goes up to the value.
    fn word(&mut self, start: &str, word: &'static str) {
        self.push(start);
        self.quoted(word);
    }

    fn text(&mut self, text: Text) -> io::Result<()> {
        string(&mut self.buffer, self.conversation.texts.bytes(text))
    }

    fn place(&mut self, place: Place) {
        self.push("{\"seq\":");
        self.number(place.seq);
        self.push(",\"row\":");
        self.number(place.row);
        if let Some(block) = place.block {
            self.push(",\"block\":");
            self.number(block);
        }
        self.push("}");
    }

    fn places(&mut self, places: &[Place]) {
        let mut before = "[";
        for place in places {
            self.push(before);
            self.place(*place);
            before = ",";
        }
        self.push("]");
    }

    fn attrs(&mut self, node: &Node) -> io::Result<()> {
        let mut before = ",\"attrs\":{\"";
        let mut written = Ok(());
        self.conversation.attrs(node, |name, value| {
            self.push(before);
            self.push(name);
            self.push("\":");
            before = ",\"";
            if written.is_ok() {
                written = self.value(value);
            }
        });
        if before == ",\"" {
            self.push("}");
        }
        written
    }

    fn value(&mut self, value: Value<'_>) -> io::Result<()> {
        match value {
            Value::Word(word) => self.quoted(word),
            Value::Text(text) => string(&mut self.buffer, text.as_bytes())?,
            Value::Count(count) => self.number(count),
            Value::Flag(flag) => self.push(if flag { "true" } else { "false" }),
            Value::Place(place) => self.place(place),
            Value::Unmet(gates) => {
                self.push("[");
                for (number, gate) in unmet(gates).enumerate() {
                    self.push(if number > 0 { "," } else { "" });
                    self.quoted(gate);
                }
                self.push("]");
            }
        }
        Ok(())
    }

    fn push(&mut self, text: &str) {
        self.buffer.extend_from_slice(text.as_bytes());
    }

    fn number(&mut self, number: u32) {
        self.buffer.extend_from_slice(decimal(number, &mut [0; 10]));
    }

    fn quoted(&mut self, word: &'static str) {
        self.push("\"");
        self.push(word);
        self.push("\"");
    }
}

/// Appends a text, which is UTF-8, as a JSON string.
fn string(buffer: &mut Vec<u8>, text: &[u8]) -> io::Result<()> {
    if is_plain(text) {
        buffer.push(b'"');
        buffer.extend_from_slice(text);
        buffer.push(b'"');
    } else {
        let json = serde_json::to_string(str::from_utf8(text).unwrap_or_default())?;
        buffer.extend_from_slice(escape_line_separators(json).as_bytes());
    }
    Ok(())
}

/// Tells whether a text stands for itself in JSON, as nearly all do.
fn is_plain(text: &[u8]) -> bool {
    let odd =
        |byte: u8| u8::from(byte < b' ') | u8::from(byte > b'~') | u8::from(byte == b'"') | u8::from(byte == b'\\');
    let Some(last) = text.last_chunk::<16>() else { return text.iter().all(|byte| odd(*byte) == 0) };
    // To the end and without a way out, so that the processor takes many bytes at once. The last ones are seen twice.
    let mut seen = [0; 16];
    for block in text.as_chunks().0.iter().chain([last]) {
        for (seen, byte) in seen.iter_mut().zip(block) {
            *seen |= odd(*byte);
        }
    }
    seen == [0; 16]
}

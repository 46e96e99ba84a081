//! The frames of a conversation's entities as JSON. Knows no digest and no output.
//!
//! There are millions of them, and each says little: the field names and the words are written as they stand here, which
//! takes a fraction of the time of a serializer. Texts from outside are escaped by the library.

use std::io;

use crate::conversation::entity::GATES;
use crate::conversation::entity::{Conversation, Node, Place, Relation, Text, Unresolved, Value, push_number};
use crate::lines::escape_line_separators;

/// Appends the frames of a conversation to a buffer, each as a line.
pub(super) struct Frames<'a> {
    pub(super) conversation: &'a Conversation,
    pub(super) buffer: &'a mut String,
}

impl Frames<'_> {
    pub(super) fn node(&mut self, node: &Node) -> io::Result<()> {
        self.begin("node", node.id)?;
        self.word("kind", node.kind.name());
        for (name, id) in [(",\"parent\":", node.parent), (",\"stream\":", node.stream)] {
            if let Some(id) = id {
                self.buffer.push_str(name);
                self.text(id)?;
            }
        }
        match self.conversation.places(&node.places) {
            [] => {}
            [place] => {
                self.buffer.push_str(",\"ref\":");
                self.place(*place);
            }
            places => {
                self.buffer.push_str(",\"refs\":");
                self.places(places);
            }
        }
        self.attrs(node)?;
        self.end();
        Ok(())
    }

    pub(super) fn relation(&mut self, relation: &Relation) -> io::Result<()> {
        self.begin("relation", relation.id)?;
        self.word("type", relation.kind);
        for (name, end) in [(",\"from\":", relation.from), (",\"to\":", relation.to)] {
            self.buffer.push_str(name);
            self.text(end)?;
        }
        self.word("quality", relation.quality.name());
        if let Some(via) = relation.via {
            self.word("via", via);
        }
        let evidence = self.conversation.places(&relation.evidence);
        if !evidence.is_empty() {
            self.buffer.push_str(",\"evidence\":");
            self.places(evidence);
        }
        self.end();
        Ok(())
    }

    pub(super) fn unresolved(&mut self, unresolved: &Unresolved) -> io::Result<()> {
        self.begin("unresolved", unresolved.id)?;
        self.word("kind", unresolved.kind);
        self.buffer.push_str(",\"ref\":");
        self.text(unresolved.missing)?;
        self.word("reason", unresolved.reason);
        self.word("state", "open");
        self.end();
        Ok(())
    }

    fn begin(&mut self, frame: &str, id: Text) -> io::Result<()> {
        self.buffer.push_str("{\"t\":\"");
        self.buffer.push_str(frame);
        self.buffer.push_str("\",\"id\":");
        self.text(id)?;
        self.buffer.push_str(",\"revision\":1");
        Ok(())
    }

    fn end(&mut self) {
        self.buffer.push_str("}\n");
    }

    /// A field whose value is one of our own words.
    fn word(&mut self, name: &str, word: &'static str) {
        self.buffer.push_str(",\"");
        self.buffer.push_str(name);
        self.buffer.push_str("\":\"");
        self.buffer.push_str(word);
        self.buffer.push('"');
    }

    fn text(&mut self, text: Text) -> io::Result<()> {
        string(self.buffer, self.conversation.text(text))
    }

    fn place(&mut self, place: Place) {
        self.buffer.push_str("{\"seq\":");
        push_number(self.buffer, place.seq);
        self.buffer.push_str(",\"row\":");
        push_number(self.buffer, place.row);
        if let Some(block) = place.block {
            self.buffer.push_str(",\"block\":");
            push_number(self.buffer, block);
        }
        self.buffer.push('}');
    }

    fn places(&mut self, places: &[Place]) {
        let mut before = '[';
        for place in places {
            self.buffer.push(before);
            self.place(*place);
            before = ',';
        }
        self.buffer.push(']');
    }

    fn attrs(&mut self, node: &Node) -> io::Result<()> {
        let mut before = ",\"attrs\":{\"";
        let mut written = Ok(());
        self.conversation.attrs(node, |name, value| {
            self.buffer.push_str(before);
            self.buffer.push_str(name);
            self.buffer.push_str("\":");
            before = ",\"";
            if written.is_ok() {
                written = self.value(value);
            }
        });
        if before == ",\"" {
            self.buffer.push('}');
        }
        written
    }

    fn value(&mut self, value: Value<'_>) -> io::Result<()> {
        match value {
            Value::Word(word) => self.quoted(word),
            Value::Text(text) => string(self.buffer, text)?,
            Value::Count(count) => push_number(self.buffer, count),
            Value::Flag(flag) => self.buffer.push_str(if flag { "true" } else { "false" }),
            Value::Place(place) => self.place(place),
            Value::Unmet(gates) => {
                self.buffer.push('[');
                let unmet = GATES.into_iter().zip(gates).filter(|(_, is_met)| !is_met);
                for (number, (gate, _)) in unmet.enumerate() {
                    self.buffer.push_str(if number > 0 { "," } else { "" });
                    self.quoted(gate);
                }
                self.buffer.push(']');
            }
        }
        Ok(())
    }

    fn quoted(&mut self, word: &'static str) {
        self.buffer.push('"');
        self.buffer.push_str(word);
        self.buffer.push('"');
    }
}

/// Appends a text as a JSON string. Nearly all need no escape.
fn string(buffer: &mut String, text: &str) -> io::Result<()> {
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && *byte != b'"' && *byte != b'\\';
    // Counted to the end, so that the processor takes many bytes at once.
    if text.as_bytes().iter().filter(|byte| !is_plain(byte)).count() == 0 {
        buffer.push('"');
        buffer.push_str(text);
        buffer.push('"');
    } else {
        buffer.push_str(&escape_line_separators(serde_json::to_string(text)?));
    }
    Ok(())
}

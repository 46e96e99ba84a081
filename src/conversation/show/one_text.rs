//! One thing of a conversation for people: what is known of it, what it has to do with, and where that is said.

use std::io::{self, Write};

use super::Look;
use super::figures::{grouped, lasting, tokens};
use super::item::Item;
use super::line::{Line, Style};
use super::one::{One, What};
use crate::conversation::entity::{Unresolved, Value, unmet};
use crate::conversation::record::Usage;
use crate::ndjson::rfc3339;

/// The names of facts stand in so many columns.
const NAMES: usize = 14;

/// Of what stands in a thing, no more than so much is listed.
const LISTED: usize = 100;

/// Writes one thing for people.
///
/// # Errors
/// When the output cannot be written.
pub fn write(one: &One<'_>, look: Look, output: &mut impl Write) -> io::Result<()> {
    let mut page = Page { one, look, lines: String::new() };
    match one.what {
        What::Node(node) => {
            if let Some(item) = one.view.item(node) {
                page.node(&item);
            }
            page.inner(node);
            page.relations(node);
        }
        What::Relation(relation) => page.relation(relation),
        What::Unresolved(missing) => page.missing(missing),
    }
    page.evidence();
    output.write_all(page.lines.as_bytes())?;
    output.flush()
}

struct Page<'o, 'a> {
    one: &'o One<'a>,
    look: Look,
    lines: String,
}

impl Page<'_, '_> {
    fn heading(&mut self, kind: &str, id: &str) {
        let mut line = Line::new(Look { width: usize::MAX, ..self.look });
        line.add(Style::Heading, &self.look.terms.word(kind));
        line.text(Style::Name, id, false);
        line.end(&mut self.lines);
    }

    fn fact(&mut self, name: &str, value: &str) {
        if value.is_empty() {
            return;
        }
        // Whole, so that an id can be copied.
        let mut line = Line::new(Look { width: usize::MAX, ..self.look });
        line.add(Style::Faint, &format!("  {:NAMES$}", self.look.terms.word(name)));
        line.text(Style::Plain, value, false);
        line.end(&mut self.lines);
    }

    fn node(&mut self, item: &Item<'_>) {
        self.heading(item.kind, item.id);
        let links = &self.one.view.links;
        let parent = links.parent(item.number);
        self.fact("in", parent.map_or("", |parent| links.id(parent)));
        self.fact("stream", item.stream.unwrap_or_default());
        self.fact("time", &item.time.map(rfc3339).unwrap_or_default());
        self.fact("label", item.label.unwrap_or_default());
        self.fact("model", item.model.unwrap_or_default());
        self.fact("tokens", &item.usage.filter(|usage| *usage != Usage::default()).map(tokens).unwrap_or_default());
        self.fact("duration", &item.duration.map(lasting).unwrap_or_default());
        if let Some(outcome) = &item.outcome {
            self.fact("state", outcome.state.name());
            self.fact("passed", &outcome.duration.map(lasting).unwrap_or_default());
        }
        for (name, value) in links.attrs(item.number) {
            self.fact(name, &shown(value));
        }
    }

    fn inner(&mut self, node: usize) {
        let count = self.one.inner(node).count();
        for inner in self.one.inner(node).take(LISTED) {
            self.fact("contains", inner);
        }
        if count > LISTED {
            self.fact("contains", &format!("and {} more", grouped((count - LISTED) as u64)));
        }
    }

    fn relations(&mut self, node: usize) {
        let links = &self.one.view.links;
        let outgoing = links.from(node).map(|(relation, other)| (relation, other, "to"));
        let incoming = links.to(node).map(|(relation, other)| (relation, other, "from"));
        for (relation, other, direction) in outgoing.chain(incoming) {
            let (Some(relation), Some(other)) = (links.relation(relation), other) else { continue };
            let via = relation.via.map(|via| format!(", by {via}")).unwrap_or_default();
            let quality = self.look.terms.word(relation.quality.name());
            self.fact(relation.kind, &format!("{direction} {} ({quality}{via})", links.id(other)));
        }
    }

    fn relation(&mut self, relation: usize) {
        let links = &self.one.view.links;
        let (from, to) = links.end_ids(relation);
        let id = links.relation_id(relation);
        let Some(relation) = links.relation(relation) else { return };
        self.heading(relation.kind, id);
        self.fact("from", from);
        self.fact("to", to);
        self.fact("quality", &self.look.terms.word(relation.quality.name()));
        self.fact("via", relation.via.unwrap_or_default());
    }

    fn missing(&mut self, missing: &Unresolved) {
        let links = &self.one.view.links;
        self.heading(missing.kind, links.text(missing.id));
        self.fact("missing", links.text(missing.missing));
        self.fact("reason", missing.reason);
    }

    /// Each place with its line, its bytes and its file, and the beginnings of the texts there.
    fn evidence(&mut self) {
        for place in self.one.evidence() {
            let session = self.one.view.session;
            let part = place.block.map(|block| format!(", part {block}")).unwrap_or_default();
            let span = session.gathered.record(place).map(|record| record.span);
            let bytes =
                span.map(|span| format!(", {} bytes at offset {}", span.length, span.offset)).unwrap_or_default();
            let mut line = Line::new(self.look);
            line.add(Style::Heading, "evidence");
            line.text(Style::Plain, &format!("line {}{part}{bytes}", place.row), false);
            line.end(&mut self.lines);
            let source = (place.seq as usize).checked_sub(1).and_then(|source| session.sources.get(source));
            self.fact("file", source.map_or("", |source| &source.name));
            for text in self.one.texts(place) {
                let mut line = Line::new(self.look);
                line.add(Style::Faint, &format!("  {:NAMES$}", "text"));
                line.text(Style::Plain, text.text, text.is_cut);
                line.end(&mut self.lines);
            }
        }
    }
}

fn shown(value: Value<'_>) -> String {
    match value {
        Value::Word(word) => word.to_owned(),
        Value::Text(text) => text.to_owned(),
        Value::Count(count) => count.to_string(),
        Value::Flag(true) => "yes".to_owned(),
        Value::Flag(false) => "no".to_owned(),
        Value::Place(place) => format!("source {}, line {}", place.seq, place.row),
        Value::Unmet(gates) => unmet(gates).collect::<Vec<_>>().join(", "),
    }
}

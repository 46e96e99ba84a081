//! A conversation as an indented tree, one line for each thing. Knows no file and no program's words.

use std::io::{self, Write};

use super::columns::one_line;
use super::figures::{grouped, lasting, moment, plural, span, sum, time_of_day, tokens};
use super::gather::Excerpt;
use super::item::{Item, Outcome, State, View};
use super::line::{Guides, Line, Style};
use super::rows::{Row, rows};
use super::tree::Spot;
use super::{Look, Session};
use crate::conversation::entity::Value;
use crate::conversation::record::Usage;

/// So much is written at once.
const BATCH: usize = 64 * 1024;

/// Writes a session as a tree.
///
/// # Errors
/// When the output cannot be written.
pub fn write(session: Session<'_>, look: Look, output: &mut impl Write) -> io::Result<()> {
    let view = View::of(session);
    let mut text = Text { view: &view, look, guides: Guides::default(), lines: String::new(), output };
    text.head();
    for row in rows(&view, !session.structure.conversation.unresolved.is_empty()) {
        if let Some(item) = view.item(row.spot.node) {
            text.row(&row, &item)?;
        }
    }
    text.unresolved()?;
    text.output.write_all(text.lines.as_bytes())?;
    text.output.flush()
}

struct Text<'v, 'a, W> {
    view: &'v View<'a>,
    look: Look,
    guides: Guides,
    lines: String,
    output: &'v mut W,
}

impl<W: Write> Text<'_, '_, W> {
    fn term(&self, word: &'static str) -> std::borrow::Cow<'static, str> {
        self.look.terms.word(word)
    }

    /// The session: its id and title, its time, and what there is how often.
    fn head(&mut self) {
        let head = &self.view.session.structure.head;
        let mut line = Line::new(self.look);
        line.add(Style::Heading, &self.term("session"));
        line.text(Style::Name, &head.session, false);
        line.text(Style::Plain, head.title.as_deref().unwrap_or_default(), false);
        line.end(&mut self.lines);
        let mut facts = Vec::new();
        if head.conversation != head.session {
            facts.push(format!("{} {}", self.term("conversation"), head.conversation));
        }
        facts.extend(head.times.as_ref().map(|(from, through)| span(from, through)));
        facts.push(self.counts());
        facts.push(self.tokens());
        for fact in facts.iter().filter(|fact| !fact.is_empty()) {
            let mut line = Line::new(self.look);
            line.add(Style::Faint, "│");
            line.text(Style::Faint, fact, false);
            line.end(&mut self.lines);
        }
    }

    fn counts(&self) -> String {
        let conversation = &self.view.session.structure.conversation;
        let kinds = [
            "stream",
            "talk",
            "run",
            "llm.call",
            "tool",
            "agent.call",
            "runtime.notification",
            "error.api",
            "message.synthetic",
        ];
        let counts = kinds.iter().map(|kind| {
            let count = conversation.nodes.iter().filter(|node| node.kind.name() == *kind).count();
            (count as u64, self.term(kind))
        });
        let told: Vec<String> =
            counts.filter(|(count, _)| *count > 0).map(|(count, kind)| format!("{kind} ×{}", grouped(count))).collect();
        if told.is_empty() { "no records".to_owned() } else { told.join(", ") }
    }

    /// The tokens of all calls together.
    fn tokens(&self) -> String {
        let usages = (0..self.view.links.count()).filter_map(|number| self.view.usage(number));
        let all = usages.fold(Usage::default(), sum);
        if all == Usage::default() { String::new() } else { format!("{} {}", self.term("tokens"), tokens(all)) }
    }

    fn row(&mut self, row: &Row, item: &Item<'_>) -> io::Result<()> {
        let mut line = Line::new(self.look);
        line.add(Style::Faint, &self.guides.step(row.depth, row.is_last, self.look.width / 2));
        let style = if matches!(item.kind, "stream" | "talk" | "epoch") { Style::Heading } else { Style::Kind };
        line.add(style, &self.term(item.kind));
        if row.others.is_empty() {
            self.details(&mut line, row.spot, item);
        } else {
            self.labels(&mut line, row, item);
        }
        self.end(line)
    }

    /// What the program calls each of the things that share a line.
    fn labels(&self, line: &mut Line, row: &Row, item: &Item<'_>) {
        line.word(Style::Plain, &format!("×{}", grouped(row.others.len() as u64 + 1)));
        let others = row.others.iter().filter_map(|node| self.view.item(*node)?.label);
        let labels: Vec<&str> = item.label.into_iter().chain(others).collect();
        line.text(Style::Faint, &labels.join(", "), false);
    }

    fn end(&mut self, line: Line) -> io::Result<()> {
        line.end(&mut self.lines);
        if self.lines.len() > BATCH {
            self.output.write_all(self.lines.as_bytes())?;
            self.lines.clear();
        }
        Ok(())
    }

    fn details(&self, line: &mut Line, spot: Spot, item: &Item<'_>) {
        let (text, is_cut) = part(item.text);
        match item.kind {
            "stream" => self.stream(line, spot, item),
            "epoch" => {
                line.word(Style::Name, &spot.ordinal.to_string());
                self.records(line, spot);
            }
            "talk" => {
                line.word(Style::Name, &spot.ordinal.to_string());
                line.text(Style::Faint, &item.time.map(moment).unwrap_or_default(), false);
                line.text(Style::Name, text, is_cut);
            }
            "run" => {
                line.text(Style::Plain, &self.look.terms.word(item.trigger.unwrap_or_default()), false);
                line.text(Style::Faint, &item.time.map(moment).unwrap_or_default(), false);
            }
            "llm.call" => self.model_call(line, item),
            "tool" | "agent.call" => tool(line, item),
            "thinking" if text.trim().is_empty() => line.text(Style::Faint, "not kept", false),
            "thinking" => line.text(Style::Faint, text, is_cut),
            "turn.duration" => {
                line.text(Style::Plain, &item.duration.map(lasting).unwrap_or_default(), false);
            }
            "agent.output" if self.view.links.word(spot.node, "returned_value") == Some("unavailable") => {
                // The child's last words are there all the same.
                let is_said = !text.trim().is_empty();
                line.text(Style::Faint, if is_said { "last said:" } else { "not recorded" }, false);
                line.word(Style::Plain, &one_line(text, self.look.width));
            }
            "agent.launch_ack" => {}
            "error.api" | "message.synthetic" => {
                line.text(Style::Bad, text, is_cut);
            }
            "context.injection" | "epoch.summary" => {
                line.text(Style::Faint, item.label.unwrap_or_default(), false);
                line.text(Style::Faint, text, is_cut);
            }
            "runtime.notification" => {
                line.text(Style::Faint, &item.time.map(time_of_day).unwrap_or_default(), false);
                line.text(Style::Faint, item.label.unwrap_or_default(), false);
                for stream in &item.reports {
                    line.text(Style::Faint, &format!("of {}", own_name(stream)), false);
                }
                line.text(Style::Plain, text, is_cut);
            }
            _ => {
                line.text(Style::Faint, item.label.unwrap_or_default(), false);
                line.text(Style::Plain, text, is_cut);
            }
        }
    }

    fn model_call(&self, line: &mut Line, item: &Item<'_>) {
        line.text(Style::Plain, item.model.unwrap_or_default(), false);
        // Whoever writes a transcript without knowing them leaves zeros.
        if let Some(usage) = item.usage.filter(|usage| *usage != Usage::default()) {
            line.text(Style::Faint, &tokens(usage), false);
        }
        if self.view.links.word(item.number, "usage") == Some("unavailable") {
            line.text(Style::Open, "without an end", false);
        }
    }

    fn stream(&self, line: &mut Line, spot: Spot, item: &Item<'_>) {
        line.text(Style::Name, own_name(item.id), false);
        if spot.is_again {
            return line.text(Style::Faint, "told elsewhere", false);
        }
        line.text(Style::Plain, item.name.unwrap_or_default(), false);
        self.records(line, spot);
    }

    fn records(&self, line: &mut Line, spot: Spot) {
        if let Some(Value::Count(count)) = self.view.links.attr(spot.node, "records") {
            line.text(Style::Faint, &format!("{} {}", grouped(count.into()), plural(count.into(), "record")), false);
        }
    }

    /// What is spoken of and not there.
    fn unresolved(&mut self) -> io::Result<()> {
        let missing = &self.view.session.structure.conversation.unresolved;
        if missing.is_empty() {
            return Ok(());
        }
        let mut line = Line::new(self.look);
        line.add(Style::Faint, &self.guides.step(1, true, self.look.width / 2));
        line.add(Style::Heading, "unresolved");
        line.word(Style::Name, &grouped(missing.len() as u64));
        self.end(line)?;
        for (number, missing) in (1..).zip(missing) {
            let is_last = number == self.view.session.structure.conversation.unresolved.len();
            let mut line = Line::new(self.look);
            line.add(Style::Faint, &self.guides.step(2, is_last, self.look.width / 2));
            line.add(Style::Open, &self.term(missing.kind));
            line.text(Style::Plain, missing.reason, false);
            line.add(Style::Plain, ":");
            line.word(Style::Name, &one_line(self.view.links.text(missing.missing), self.look.width));
            self.end(line)?;
        }
        Ok(())
    }
}

/// The id of a stream is its kind and its name.
fn own_name(id: &str) -> &str {
    id.split_once('/').map_or(id, |(_, name)| name)
}

fn part(text: Option<Excerpt<'_>>) -> (&str, bool) {
    text.map_or(("", false), |text| (text.text, text.is_cut))
}

fn tool(line: &mut Line, item: &Item<'_>) {
    line.text(Style::Name, item.name.unwrap_or_default(), false);
    let Some(Outcome { state, text: result, duration }) = item.outcome else { return };
    let style = match state {
        State::Ok | State::Started => Style::Good,
        State::Failed => Style::Bad,
        State::None | State::Several => Style::Open,
    };
    line.text(style, state.name(), false);
    if let Some(duration) = duration.filter(|duration| *duration >= 1000) {
        line.word(Style::Faint, &lasting(duration));
    }
    // What the program says of a start is the same each time.
    let result = result.filter(|_| state != State::Started);
    line.two(part(item.text), " → ", part(result));
}

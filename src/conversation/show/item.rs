//! One line of the tree with all that is said of it, as plain data. Knows no form.

use super::Session;
use super::gather::Excerpt;
use super::links::{Links, Number};
use super::tree::{Spot, Tree};
use crate::conversation::entity::{Place, Value};
use crate::conversation::record::Usage;
use crate::event::Time;

/// How a tool's call ended, as far as the transcript says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Ok,
    Failed,
    /// The result says that a child has begun, and nothing more.
    Started,
    None,
    Several,
}

impl State {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Started => "started",
            Self::None => "no result",
            Self::Several => "several results",
        }
    }
}

/// A tool's result.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outcome<'a> {
    pub(super) state: State,
    pub(super) text: Option<Excerpt<'a>>,
    /// From the call to the result, in milliseconds.
    pub(super) duration: Option<u64>,
}

/// A node as it is told.
#[derive(Debug, Clone)]
pub(super) struct Item<'a> {
    pub(super) number: Number,
    pub(super) kind: &'static str,
    pub(super) id: &'a str,
    pub(super) stream: Option<&'a str>,
    pub(super) time: Option<Time>,
    /// What it is called.
    pub(super) name: Option<&'a str>,
    /// What the program calls it, or how far it came.
    pub(super) label: Option<&'a str>,
    pub(super) trigger: Option<&'a str>,
    pub(super) model: Option<&'a str>,
    pub(super) usage: Option<Usage>,
    /// Its words; those of a tool are what it was given.
    pub(super) text: Option<Excerpt<'a>>,
    pub(super) outcome: Option<Outcome<'a>>,
    /// How long it took, in milliseconds, where that was measured.
    pub(super) duration: Option<u64>,
    /// The streams that it reports of.
    pub(super) reports: Vec<&'a str>,
}

/// A session with its tree.
#[derive(Debug)]
pub(super) struct View<'a> {
    pub(super) session: Session<'a>,
    pub(super) links: Links<'a>,
    pub(super) tree: Tree,
}

impl<'a> View<'a> {
    pub(super) fn of(session: Session<'a>) -> Self {
        let links = Links::of(&session.structure.conversation);
        let tree = Tree::of(&links);
        Self { session, links, tree }
    }

    /// Everything that is told, in order.
    pub(super) fn items(&self) -> impl Iterator<Item = (Spot, Item<'a>)> {
        self.tree.spots.iter().filter_map(|spot| Some((*spot, self.item(spot.node)?)))
    }

    pub(super) fn item(&self, number: Number) -> Option<Item<'a>> {
        let (links, gathered) = (&self.links, self.session.gathered);
        let kind = Some(links.kind(number)).filter(|kind| !kind.is_empty())?;
        let first = links.places(number).first().copied();
        let record = first.and_then(|place| gathered.record(place));
        let is_call = kind == "llm.call";
        let is_run = matches!(kind, "talk" | "run");
        Some(Item {
            number,
            kind,
            id: links.id(number),
            stream: links.stream(number).map(|stream| links.id(stream)),
            time: record.and_then(|record| record.time),
            name: match kind {
                "session" => links.word(number, "title"),
                "stream" => links.word(number, "label"),
                _ => links.word(number, "name"),
            },
            label: record.filter(|_| has_label(kind)).and_then(|record| gathered.label(record)),
            trigger: links.word(number, "trigger").filter(|_| is_run),
            model: record.filter(|_| is_call).and_then(|record| gathered.model(record)),
            usage: if is_call { self.usage(number) } else { None },
            text: self.text(number),
            outcome: matches!(kind, "tool" | "agent.call").then(|| self.outcome(number)),
            duration: record.filter(|_| kind == "turn.duration").and_then(|record| record.duration),
            reports: links.targets(number, "reports").map(|stream| links.id(stream)).collect(),
        })
    }

    /// What a call of the model took, as its last piece says.
    pub(super) fn usage(&self, number: Number) -> Option<Usage> {
        let Some(Value::Place(place)) = self.links.attr(number, "usage_at") else { return None };
        self.session.gathered.record(place)?.usage
    }

    fn text(&self, number: Number) -> Option<Excerpt<'a>> {
        let gathered = self.session.gathered;
        let places = self.links.places(number);
        let first = *places.first()?;
        match self.links.kind(number) {
            "session" | "stream" | "epoch" | "run" | "segment" | "llm.call" => None,
            "talk" => {
                let opening = *self.tree.openings.get(&number)?;
                gathered.excerpt(*self.links.places(opening).first()?)
            }
            "agent.output" => {
                // The last that is told is what was returned, where a journal says it.
                let told = |place: &Place| {
                    let words =
                        gathered.excerpts(*place).filter(|(_, words)| words.is_said && !words.text.trim().is_empty());
                    words.last().map(|(_, words)| words)
                };
                places.iter().rev().find_map(told)
            }
            "agent.launch_ack" => gathered.excerpts(first).next().map(|(_, words)| words),
            _ => gathered.excerpt(first),
        }
    }

    fn outcome(&self, number: Number) -> Outcome<'a> {
        let gathered = self.session.gathered;
        match self.links.word(number, "result_join") {
            Some("exact_ambiguous") => return Outcome { state: State::Several, text: None, duration: None },
            Some("exact_unique") => {}
            _ => return Outcome { state: State::None, text: None, duration: None },
        }
        let places = self.links.places(number);
        let (call, result) = (places.first(), places.get(1));
        let text = result.and_then(|place| gathered.excerpt(*place));
        let is_failed = text.is_some_and(|text| text.failed == Some(true));
        let time = |place: Option<&Place>| gathered.record(*place?)?.time;
        let duration = time(call).zip(time(result)).and_then(|(call, result)| {
            let passed = result.0.checked_sub(call.0)?;
            u64::try_from(passed).ok()
        });
        let is_launch = result.is_some_and(|result| self.links.is_launch(*result));
        let state = match (is_failed, is_launch) {
            (true, _) => State::Failed,
            (false, true) => State::Started,
            (false, false) => State::Ok,
        };
        Outcome { state, text, duration }
    }
}

/// The kinds of which the program's own word tells more.
fn has_label(kind: &str) -> bool {
    matches!(kind, "context.injection" | "runtime.notification" | "control.notice")
}

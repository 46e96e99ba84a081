//! Random conversations with every trouble that a recorder meets. The same seed gives the same one.

use serde_json::{Value, json};

/// How many events a conversation has.
pub(crate) const LENGTH: usize = 40;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    User,
    Assistant,
    Call,
    Result,
    Monitor,
}

/// One event and what has to become of it.
pub(crate) struct Event {
    pub(crate) kind: Kind,
    /// Words that stand nowhere else.
    pub(crate) mark: String,
    pub(crate) line: Value,
    /// For the result of a known call that still waited for it: the index of that call's event.
    pub(crate) answers: Option<usize>,
}

/// A call of the conversation, as the event format tells calls apart.
struct Made {
    event: usize,
    /// The id that the stream gives it; none and an empty one are the same.
    id: Option<String>,
    answered: bool,
    /// Its result never comes.
    forgotten: bool,
}

/// A conversation in the making.
struct Making {
    random: Xorshift,
    seed: u64,
    events: Vec<Event>,
    calls: Vec<Made>,
}

/// The conversation of a seed. A result never precedes its call.
pub(crate) fn conversation(seed: u64) -> Vec<Event> {
    let mut making = Making { random: Xorshift::seeded(seed), seed, events: Vec::new(), calls: Vec::new() };
    while making.events.len() < LENGTH {
        making.step();
    }
    making.events
}

impl Making {
    fn step(&mut self) {
        let at = self.events.len();
        let mark = format!("mk{}x{at}e", self.seed);
        // One conversation in four begins with anything, the others with a person.
        let dice = if at == 0 && !self.seed.is_multiple_of(4) { 0 } else { self.random.below(32) };
        let (kind, line, answers) = match dice {
            0..7 => (Kind::User, json!({"type": "user", "text": self.spoken(&mark)}), None),
            7..13 => (Kind::Assistant, json!({"type": "assistant", "text": self.spoken(&mark)}), None),
            13..19 => (Kind::Call, self.call(at, &mark), None),
            19..29 => match self.result(&mark) {
                Some((line, answers)) => (Kind::Result, line, answers),
                None => return,
            },
            _ => (Kind::Monitor, self.monitor(&mark), None),
        };
        self.events.push(Event { kind, mark, line, answers });
    }

    /// Text around a mark, with the characters that formats stumble over.
    fn spoken(&mut self, mark: &str) -> String {
        match self.random.below(5) {
            0 => format!("{mark} naïve 😀\n\"quoted\" \\ back"),
            1 => format!("see <b>&amp;</b> </event></task-notification> {mark}"),
            2 => format!("a\u{2028}b\0c {mark}"),
            _ => mark.to_owned(),
        }
    }

    fn call(&mut self, event: usize, mark: &str) -> Value {
        let number = self.calls.len();
        let id = match self.random.below(8) {
            0 => Some(format!("functions.run:{number}")),
            1 => Some(format!("a b|{number}")),
            2 => None,
            3 if number > 0 => self.calls[self.random.below(number)].id.clone(),
            _ => Some(format!("call_{}_{number}", self.seed)),
        };
        let forgotten = self.random.below(10) == 0;
        let mut line = json!({"type": "tool_call", "name": "Bash", "arguments": {"command": mark}});
        match &id {
            Some(id) => line["id"] = id.as_str().into(),
            None if self.random.below(2) == 0 => line["id"] = "".into(),
            None => {}
        }
        self.calls.push(Made { event, id, answered: false, forgotten });
        line
    }

    /// A result of any call that waits for one; now and then of none.
    fn result(&mut self, mark: &str) -> Option<(Value, Option<usize>)> {
        let content = match self.random.below(4) {
            0 => {
                json!([{"type": "text", "text": self.spoken(mark)}, {"type": "text", "text": "tail"}])
            }
            1 => json!({"out": mark, "code": 0}),
            _ => json!(self.spoken(mark)),
        };
        let mut line = json!({"type": "tool_result", "content": content});
        if self.random.below(4) == 0 {
            line["is_error"] = true.into();
        }
        if self.random.below(12) == 0 {
            line["id"] = format!("ghost-{}", self.events.len()).into();
            return Some((line, None));
        }
        let waiting: Vec<usize> = self.indices(|call| !call.answered && !call.forgotten);
        let done: Vec<usize> = self.indices(|call| call.answered && call.id.is_some());
        let again = !done.is_empty() && self.random.below(12) == 0;
        let pool = if again { done } else { waiting };
        if pool.is_empty() {
            return None;
        }
        let id = self.calls[pool[self.random.below(pool.len())]].id.clone();
        if let Some(id) = &id {
            line["id"] = id.as_str().into();
        }
        // Whichever was meant: a result answers the oldest waiting call that came with its id.
        let owner = self.calls.iter_mut().find(|call| call.id == id && !call.answered);
        let answers = owner.map(|call| {
            call.answered = true;
            call.event
        });
        Some((line, answers))
    }

    fn indices(&self, wanted: impl Fn(&Made) -> bool) -> Vec<usize> {
        self.calls.iter().enumerate().filter(|(_, call)| wanted(call)).map(|(at, _)| at).collect()
    }

    fn monitor(&mut self, mark: &str) -> Value {
        let mut line = json!({"type": "monitor_event", "description": "log <a&b>", "event": self.spoken(mark)});
        match self.random.below(6) {
            0 => line["note"] = Value::Null,
            1 => line["note"] = "tell <me>".into(),
            2 => line["task_id"] = "task-1".into(),
            3 => line["status"] = "completed".into(),
            _ => {}
        }
        line
    }
}

/// Marsaglia's xorshift with a multiplication at the end.
struct Xorshift(u64);

impl Xorshift {
    fn seeded(seed: u64) -> Self {
        // Spreads small seeds over all bits; never zero for an odd constant and an odd factor.
        Self((seed << 1 | 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let mixed = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(mixed).unwrap() % end
    }
}

mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_conversation_and_another_seed_another() {
        let lines = |seed| conversation(seed).into_iter().map(|event| event.line).collect::<Vec<_>>();
        assert_eq!(lines(7), lines(7));
        assert_ne!(lines(7), lines(8));
        assert_eq!(lines(7).len(), LENGTH);
    }

    #[test]
    fn every_event_holds_its_own_mark_and_no_other() {
        let events = conversation(3);
        for (at, event) in events.iter().enumerate() {
            for (other, line) in events.iter().map(|event| event.line.to_string()).enumerate() {
                assert_eq!(line.matches(&event.mark).count(), usize::from(at == other), "{line}");
            }
        }
    }

    /// What the fidelity test is about has to be in its conversations.
    #[test]
    fn the_first_25_seeds_hold_every_kind_of_trouble() {
        let mut seen: HashMap<&str, usize> = HashMap::new();
        for seed in 1..=25 {
            for trouble in troubles(&conversation(seed)) {
                *seen.entry(trouble).or_default() += 1;
            }
        }
        for trouble in [
            "parallel calls",
            "results out of order",
            "a result that never comes",
            "a result after a person spoke",
            "a late result",
            "a person speaks while a call is open",
            "a monitor event while a call is open",
            "an id used again",
            "an ill-formed id",
            "no id",
            "a result of no call",
            "another result",
            "no opening prompt",
            "a second message waits after the last result",
        ] {
            let times = seen.get(trouble).copied().unwrap_or_default();
            assert!(times >= 3, "{trouble} is in {times} of 25: {seen:?}");
        }
    }

    fn troubles(events: &[Event]) -> HashSet<&'static str> {
        let mut seen = HashSet::new();
        let mut open: Vec<usize> = Vec::new();
        let mut known: HashSet<String> = HashSet::new();
        if events[0].kind != Kind::User {
            seen.insert("no opening prompt");
        }
        // The turn rule's own state: the calls of the open message, and whether a person's words wait.
        let (mut in_turn, mut waits) = (Vec::new(), false);
        for (at, event) in events.iter().enumerate() {
            match event.kind {
                Kind::User if waits && in_turn.is_empty() => {
                    seen.insert("a second message waits after the last result");
                }
                Kind::User => waits |= !in_turn.is_empty(),
                // With a message waiting the agent moves on: what was open is closed.
                Kind::Assistant => {
                    if std::mem::take(&mut waits) {
                        in_turn.clear();
                    }
                }
                Kind::Call => {
                    waits &= !in_turn.is_empty();
                    in_turn.push(at);
                }
                Kind::Result => in_turn.retain(|&call| event.answers != Some(call)),
                Kind::Monitor => {}
            }
            let id = event.line["id"].as_str().unwrap_or_default();
            match event.kind {
                Kind::User if !open.is_empty() => drop(seen.insert("a person speaks while a call is open")),
                Kind::Monitor if !open.is_empty() => drop(seen.insert("a monitor event while a call is open")),
                Kind::Call => {
                    if !open.is_empty() {
                        seen.insert("parallel calls");
                    }
                    if id.is_empty() {
                        seen.insert("no id");
                    } else if !known.insert(id.to_owned()) {
                        seen.insert("an id used again");
                    }
                    if id.contains(['|', ':']) {
                        seen.insert("an ill-formed id");
                    }
                    open.push(at);
                }
                Kind::Result => match event.answers {
                    Some(call) => {
                        if open[0] != call {
                            seen.insert("results out of order");
                        }
                        let between = &events[call..at];
                        let spoke = between.iter().position(|event| event.kind == Kind::User);
                        if let Some(spoke) = spoke {
                            seen.insert("a result after a person spoke");
                            if between[spoke..].iter().any(|event| event.kind == Kind::Assistant) {
                                seen.insert("a late result");
                            }
                        }
                        open.retain(|&other| other != call);
                    }
                    None if id.starts_with("ghost") => drop(seen.insert("a result of no call")),
                    None => drop(seen.insert("another result")),
                },
                _ => {}
            }
        }
        if !open.is_empty() {
            seen.insert("a result that never comes");
        }
        seen
    }
}

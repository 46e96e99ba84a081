//! A Codex transcript read back by types of its own, and the rules that every whole file keeps.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use super::shapes::{Answer, Line, Meta, Part, Payload};
use crate::schema::{LooseResult, Notice, is_word, lines};

/// A whole file that kept every rule.
pub(crate) struct Transcript {
    pub(crate) text: String,
    lines: Vec<Line>,
}

impl Transcript {
    pub(crate) fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).expect("the session file is there, and UTF-8");
        Self::of(text, path.file_name().unwrap().to_str().unwrap())
    }

    /// Holds a text against the shapes and the rules; panics with the first that it breaks.
    pub(super) fn of(text: String, file_name: &str) -> Self {
        let lines: Vec<Line> = lines(&text).map(Line::parse).collect();
        the_session_comes_first(&lines, file_name);
        times_never_fall(&lines);
        words_are_shown_as_they_are_said(&lines);
        a_list_has_something_to_show(&lines);
        calls_and_outputs_fit(&lines);
        wholes_stand_where_lines_cannot_tell(&lines);
        Self { text, lines }
    }

    pub(super) fn meta(&self) -> &Meta {
        match &self.lines[0].payload {
            Payload::Meta(meta) => meta,
            _ => unreachable!("the rules say so"),
        }
    }

    /// The lines for the model as one short line each, and titles.
    pub(crate) fn outline(&self) -> Vec<String> {
        self.lines
            .iter()
            .filter_map(|line| {
                Some(match &line.payload {
                    Payload::UserShown(shown) if line.synthetic => format!("title {}", shown.message),
                    Payload::Meta(_) | Payload::UserShown(_) | Payload::AgentShown(_) => return None,
                    Payload::User(text) => format!("user {text}"),
                    Payload::Assistant(text) => format!("text {text}"),
                    Payload::Developer(text) => {
                        let notice = Notice::parse(text);
                        format!("notice {} = {}", notice.summary, notice.event.as_deref().unwrap_or("(none)"))
                    }
                    Payload::Call(call) => format!("call {} {}", call.call_id, call.arguments),
                    Payload::Output(output) if line.synthetic => format!("closed {}", output.call_id),
                    Payload::Output(output) => format!("output {} {}", output.call_id, short(&output.output)),
                })
            })
            .collect()
    }

    pub(super) fn call_names(&self) -> Vec<&str> {
        let calls = self.lines.iter().filter_map(|line| match &line.payload {
            Payload::Call(call) => Some(call.name.as_str()),
            _ => None,
        });
        calls.collect()
    }

    /// The results that their lines cannot hold.
    pub(super) fn wholes(&self) -> Vec<&LooseResult> {
        self.lines.iter().filter_map(|line| line.whole.as_ref()).collect()
    }
}

fn short(answer: &Answer) -> String {
    match answer {
        Answer::Text(text) => text.clone(),
        Answer::Parts(parts) => {
            let part = |part: &Part| match part {
                Part::InputText { text } => text.clone(),
                Part::InputImage { image_url } => format!("<{image_url}>"),
            };
            format!("[{}]", parts.iter().map(part).collect::<Vec<_>>().join("|"))
        }
    }
}

fn the_session_comes_first(lines: &[Line], file_name: &str) {
    let Some(Payload::Meta(meta)) = lines.first().map(|line| &line.payload) else {
        panic!("the first line is that of the session")
    };
    assert_eq!(meta.timestamp.0, lines[0].time);
    assert_eq!(meta.originator, "asyncai");
    assert_eq!(meta.cli_version, env!("CARGO_PKG_VERSION"));
    assert!(file_name.starts_with("rollout-") && file_name.ends_with(&format!("-{}.jsonl", meta.id.0)), "{file_name}");
    let metas = lines.iter().filter(|line| matches!(line.payload, Payload::Meta(_)));
    assert_eq!(metas.count(), 1, "one line for the session");
}

fn times_never_fall(lines: &[Line]) {
    // The first is the time of the start; events may be of the past.
    assert!(lines[1..].is_sorted_by(|one, next| one.time <= next.time), "a time falls");
}

/// Each message of a person or the agent, and before it the event message with the same words.
fn words_are_shown_as_they_are_said(lines: &[Line]) {
    let mut shown = None;
    for line in lines {
        let said = match &line.payload {
            Payload::User(text) => Some((true, text)),
            Payload::Assistant(text) => Some((false, text)),
            _ => None,
        };
        assert_eq!(shown.take(), said, "what is shown is what is said next");
        shown = match &line.payload {
            Payload::UserShown(shown) if !line.synthetic => Some((true, &shown.message)),
            Payload::AgentShown(shown) => Some((false, &shown.message)),
            _ => None,
        };
    }
    assert_eq!(shown, None, "shown, but not said");
}

fn a_list_has_something_to_show(lines: &[Line]) {
    let is_title = |line: &Line| line.synthetic && matches!(line.payload, Payload::UserShown(_));
    let titles = lines.iter().skip(2).filter(|line| is_title(line));
    assert_eq!(titles.count(), 0, "a title stands before all events");
    if let Some(first) = lines.get(1) {
        assert!(matches!(first.payload, Payload::UserShown(_)), "neither a title nor a prompt first");
    }
}

fn calls_and_outputs_fit(lines: &[Line]) {
    let mut open: Vec<&str> = Vec::new();
    let mut ids = HashSet::new();
    let mut is_closing = false;
    for line in lines {
        assert!(!is_closing || line.synthetic, "an event after the end");
        match &line.payload {
            Payload::Call(call) => {
                assert!(is_word(&call.call_id, 64), "call id {:?}", call.call_id);
                assert!(is_word(&call.name, 64), "tool name {:?}", call.name);
                assert!(ids.insert(&call.call_id), "a call id twice: {}", call.call_id);
                let arguments: serde_json::Result<&serde_json::value::RawValue> = serde_json::from_str(&call.arguments);
                assert!(arguments.is_ok_and(|json| json.get().starts_with('{')), "arguments: {}", call.arguments);
                open.push(&call.call_id);
            }
            Payload::Output(output) => {
                let place = open.iter().position(|open| *open == output.call_id);
                open.remove(place.unwrap_or_else(|| panic!("an output of no open call: {}", output.call_id)));
                is_closing |= line.synthetic;
            }
            _ => {}
        }
    }
    assert_eq!(open, Vec::<&str>::new(), "every call has its output at the end");
}

fn wholes_stand_where_lines_cannot_tell(lines: &[Line]) {
    for line in lines {
        let is_monitor = match &line.payload {
            Payload::Developer(text) => Notice::parse(text).summary.starts_with("Monitor"),
            Payload::Output(output) => {
                let has_failed = line.whole.as_ref().is_some_and(|whole| whole.is_error);
                assert_eq!(line.whole.is_some(), has_failed, "a good result stands for itself");
                assert!(line.whole.as_ref().is_none_or(|whole| whole.id == output.call_id));
                continue;
            }
            _ => true,
        };
        assert_eq!(line.whole.is_none(), is_monitor, "a result in a notification stands whole beside");
    }
}

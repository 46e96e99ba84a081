//! What is wrong with a transcript or a round, and what is odd in it. Knows no program's words and no file.

mod calls;

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet};
use std::fmt::{self, Display};
use std::hash::BuildHasher;
use std::io::{self, Read};

use self::calls::{Answers, Calls, Open};
use super::flow;
use super::record::{Part, Producer, Record, Role};
use super::records::{Found, NO_TRANSCRIPT, Records};
use crate::event::Time;
use crate::ndjson::{LineError, Token};
use crate::report::{Oddity, Tally};

/// What model APIs take as a tool's id, in characters.
const ID_LIMIT: usize = 64;

/// The same for its name.
const NAME_LIMIT: usize = 128;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// No reader can make up for it, or no model takes it.
    Error,
    /// It happens in good transcripts too.
    Note,
}

impl Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Error => "error",
            Self::Note => "note",
        })
    }
}

/// Something that was found. Never holds any content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The line, from 1.
    pub line: u64,
    /// How much it matters.
    pub severity: Severity,
    /// What it is.
    pub what: String,
}

/// So many bytes tell what a file is.
const START: u64 = 64;

/// Checks a transcript, or a round of a Session Flow, to its end; `tell` gets each finding.
///
/// # Errors
/// When the source cannot be read.
pub fn check(mut source: impl Read, tell: &mut dyn FnMut(&Finding)) -> io::Result<()> {
    let mut start = Vec::new();
    source.by_ref().take(START).read_to_end(&mut start)?;
    let is_round = flow::check::is_round(&start);
    let source = io::Cursor::new(start).chain(source);
    if is_round {
        let mut error =
            |line: u64, what: &str| tell(&Finding { line, severity: Severity::Error, what: what.to_owned() });
        return flow::check::check(source, &mut error);
    }
    let mut records = Records::new(source);
    let mut checker = Checker::new(tell);
    let mut tally = Tally::default();
    while records.next(&mut tally, |line, found, tally| checker.take(line, found, tally))? {
        // An encoding is wrong line by line.
        tally = Tally::default();
    }
    checker.finish();
    Ok(())
}

struct Checker<'a> {
    tell: &'a mut dyn FnMut(&Finding),
    hasher: RandomState,
    /// The ids of the records so far, with what their lines were; both by their hash.
    records: HashMap<u64, u64>,
    /// The ids of the records that others go on from.
    parents: HashSet<u64>,
    /// The calls so far and what is known of their results.
    calls: Calls,
    /// The line of the first record of an unknown kind, and how many there are.
    unknown: Option<(u64, u64)>,
    has_begun: bool,
    is_session: bool,
    /// The line of the last prompt.
    prompt: u64,
    time: Option<Time>,
    /// The line at hand.
    line: u64,
}

impl<'a> Checker<'a> {
    fn new(tell: &'a mut dyn FnMut(&Finding)) -> Self {
        Self {
            tell,
            hasher: RandomState::new(),
            records: HashMap::new(),
            parents: HashSet::new(),
            calls: Calls::default(),
            unknown: None,
            has_begun: false,
            is_session: false,
            prompt: 0,
            time: None,
            line: 0,
        }
    }

    fn error(&mut self, what: &str) {
        (self.tell)(&Finding { line: self.line, severity: Severity::Error, what: what.to_owned() });
    }

    fn note(&mut self, what: &str) {
        (self.tell)(&Finding { line: self.line, severity: Severity::Note, what: what.to_owned() });
    }

    fn take(&mut self, line: u64, found: Found<'_>, tally: &Tally) {
        self.line = line;
        if tally.has(Oddity::InvalidUtf8) {
            self.error("bytes that are not UTF-8");
        }
        let told = |error: &LineError| format!("no record: {error}");
        match found {
            Found::Record { record, line, .. } => self.record(record, line),
            Found::Broken(error) => self.error(&told(&error)),
            Found::Torn(error) => self.note(&format!("torn last line: {error}")),
        }
    }

    fn record(&mut self, record: &Record<'_>, line: &str) {
        if self.is_repeated(record, line) {
            return;
        }
        if let Some(parent) = &record.parent {
            let parent = self.hasher.hash_one(&**parent);
            if !self.records.contains_key(&parent) {
                self.error("its parent is no earlier record");
            } else if !self.parents.insert(parent) {
                self.note("fork: another record has the same parent");
            }
        }
        if let Some(time) = record.time
            && self.time.replace(time).is_some_and(|last| time < last)
        {
            self.note("earlier than the record before it");
        }
        self.is_session |= record.id.is_some() || record.session.is_some();
        self.role(record);
        for part in &record.parts {
            self.part(record, part);
        }
        if let Some(id) = &record.id {
            self.records.insert(self.hasher.hash_one(&**id), self.hasher.hash_one(line));
        }
    }

    fn is_repeated(&mut self, record: &Record<'_>, line: &str) -> bool {
        let Some(id) = &record.id else { return false };
        let Some(earlier) = self.records.get(&self.hasher.hash_one(&**id)) else { return false };
        if *earlier == self.hasher.hash_one(line) {
            self.note("repeated record");
        } else {
            self.error("another record has the same id");
        }
        true
    }

    fn role(&mut self, record: &Record<'_>) {
        match record.role {
            Role::Input if record.producer == Producer::External => self.prompt = self.line,
            Role::Unknown => {
                // A newer program may write one a turn.
                self.unknown.get_or_insert((self.line, 0)).1 += 1;
            }
            _ => {}
        }
        let is_opening = record.producer == Producer::External
            || matches!(
                record.role,
                Role::Input | Role::Notification(_) | Role::ChildNotification(_) | Role::LooseResult
            );
        if is_opening {
            self.has_begun = true;
        } else if record.producer == Producer::Agent && !std::mem::replace(&mut self.has_begun, true) {
            self.error("the agent speaks before anybody else");
        }
    }

    fn part(&mut self, record: &Record<'_>, part: &Part<'_>) {
        match *part {
            Part::Text(text) => {
                if matches!(record.role, Role::Agent | Role::Input) && !text.text(&mut Tally::default()).is_visible() {
                    self.error("a text without a visible character");
                }
                self.characters(Some(text));
            }
            Part::Call { id, name, input } => {
                self.identifier(id, ID_LIMIT, "tool call id outside [A-Za-z0-9_-]{1,64}");
                self.identifier(name, NAME_LIMIT, "tool name outside [A-Za-z0-9_-]{1,128}");
                if !input.is_some_and(|input| input.json().starts_with('{')) {
                    self.error("the input of a tool is no object");
                }
                self.characters(input);
                self.call(id);
            }
            Part::Result { of, content, .. } => {
                if record.role != Role::LooseResult {
                    self.identifier(of, ID_LIMIT, "id of a tool result outside [A-Za-z0-9_-]{1,64}");
                }
                self.characters(content);
                self.result(of, record.role == Role::StandIn);
            }
            Part::Reasoning(_) | Part::Other => {}
        }
    }

    fn call(&mut self, id: Option<Token<'_>>) {
        if !self.calls.call(self.key(id), self.line) {
            self.note("another tool call has the same id");
        }
    }

    fn result(&mut self, of: Option<Token<'_>>, is_stand_in: bool) {
        match self.calls.result(self.key(of), is_stand_in) {
            Answers::Call => {}
            Answers::AnsweredCall => self.note("another result of the same tool call"),
            Answers::Nothing => self.note("result without a tool call"),
        }
    }

    fn key(&self, id: Option<Token<'_>>) -> u64 {
        self.hasher.hash_one(id.filter(|id| id.is_string()).map(Token::id))
    }

    fn identifier(&mut self, token: Option<Token<'_>>, limit: usize, what: &str) {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let text = token.filter(|token| token.is_string()).map(Token::id);
        if !text.is_some_and(|text| (1..=limit).contains(&text.len()) && text.bytes().all(is_allowed)) {
            self.error(what);
        }
    }

    /// What no model API takes, wherever in a value it stands.
    fn characters(&mut self, value: Option<Token<'_>>) {
        let Some(value) = value else { return };
        let mut tally = Tally::default();
        value.text(&mut tally);
        if tally.has(Oddity::NullCharacter) {
            self.error("null character");
        }
        if tally.has(Oddity::UnpairedSurrogate) {
            self.error("unpaired surrogate");
        }
    }

    fn finish(&mut self) {
        if self.unknown.is_some() && !self.is_session {
            self.error(NO_TRANSCRIPT);
        }
        if let Some((line, count)) = self.unknown {
            self.line = line;
            self.note(&format!("record of an unknown kind; there are {count}"));
        }
        for (Open { line, is_closed }, count) in self.calls.open() {
            self.line = line;
            for _ in 0..count {
                match (is_closed, self.prompt > line) {
                    (true, _) => self.note("a tool call without a result, closed by a record that stands in for it"),
                    (false, true) => self.error("a tool call without a result, and a later prompt"),
                    (false, false) => self.note("open tool call at the end"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROMPT: &str = r#"{"type":"user","uuid":"p","message":{"content":"go"}}"#;

    fn findings(lines: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        let mut tell =
            |finding: &Finding| found.push(format!("{} {}: {}", finding.line, finding.severity, finding.what));
        check(lines.join("\n").as_bytes(), &mut tell).unwrap();
        found
    }

    fn agent(block: &str) -> String {
        format!(r#"{{"type":"assistant","message":{{"content":[{block}]}}}}"#)
    }

    fn call(id: &str) -> String {
        agent(&format!(r#"{{"type":"tool_use","id":"{id}","name":"Bash","input":{{}}}}"#))
    }

    fn result(id: &str) -> String {
        format!(
            r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"{id}","content":"x"}}]}}}}"#
        )
    }

    #[test]
    fn links_are_checked() {
        let child = r#"{"type":"user","uuid":"c","parentUuid":"p","message":{"content":"x"}}"#;
        let fork = r#"{"type":"user","uuid":"d","parentUuid":"p","message":{"content":"x"}}"#;
        let lost = r#"{"type":"user","uuid":"e","parentUuid":"no","message":{"content":"x"}}"#;
        let other = r#"{"type":"user","uuid":"p","message":{"content":"y"}}"#;
        assert_eq!(
            findings(&[PROMPT, child, fork, lost, PROMPT, other]),
            [
                "3 note: fork: another record has the same parent",
                "4 error: its parent is no earlier record",
                "5 note: repeated record",
                "6 error: another record has the same id",
            ]
        );
    }

    #[test]
    fn values_that_no_model_takes_are_errors() {
        let odd = [
            (r#"{"type":"tool_use","id":"a b","name":"Bash","input":{}}"#, "tool call id outside [A-Za-z0-9_-]{1,64}"),
            (r#"{"type":"tool_use","id":"a","name":"a.b","input":{}}"#, "tool name outside [A-Za-z0-9_-]{1,128}"),
            (r#"{"type":"tool_use","id":"a","name":"b","input":[]}"#, "the input of a tool is no object"),
            (r#"{"type":"tool_use","id":"a","name":"b","input":{"x":"\u0000"}}"#, "null character"),
            (r#"{"type":"text","text":" \n"}"#, "a text without a visible character"),
            (r#"{"type":"text","text":"a \ud83d"}"#, "unpaired surrogate"),
        ];
        for (block, what) in odd {
            let found = findings(&[PROMPT, &agent(block)]);
            assert_eq!(found.first(), Some(&format!("2 error: {what}")), "{found:?}");
        }
    }

    #[test]
    fn a_call_without_a_result_is_an_error_where_a_prompt_follows() {
        let next = PROMPT.replace("\"p\"", "\"q\"");
        assert_eq!(findings(&[PROMPT, &call("a")]), ["2 note: open tool call at the end"]);
        assert_eq!(
            findings(&[PROMPT, &call("a"), &next]),
            ["2 error: a tool call without a result, and a later prompt"]
        );
        assert_eq!(findings(&[PROMPT, &call("a"), &next, &result("a")]), [""; 0]);
        let closing = result("a").replacen('{', r#"{"asyncaiSynthetic":true,"#, 1);
        let closed = "2 note: a tool call without a result, closed by a record that stands in for it";
        assert_eq!(findings(&[PROMPT, &call("a"), &closing, &next]), [closed]);
        assert_eq!(findings(&[PROMPT, &call("a"), &closing, &result("a")]), [""; 0]);
    }

    #[test]
    fn results_without_a_call_and_second_results_are_notes() {
        assert_eq!(
            findings(&[PROMPT, &call("a"), &result("a"), &result("a"), &result("b")]),
            ["4 note: another result of the same tool call", "5 note: result without a tool call"]
        );
    }

    #[test]
    fn an_agent_that_nobody_asked_is_an_error_once() {
        let text = agent(r#"{"type":"text","text":"x"}"#);
        assert_eq!(findings(&[&text, &text, PROMPT]), ["1 error: the agent speaks before anybody else"]);
    }

    #[test]
    fn lines_that_are_no_records_are_errors_and_a_torn_end_is_a_note() {
        let found = findings(&["nope", PROMPT, r#"{"type":"new"}"#, r#"{"type":"new"}"#, r#"{"ty"#]);
        assert!(found[0].starts_with("1 error: no record: column 1: "), "{found:?}");
        assert!(found[1].starts_with("5 note: torn last line: "), "{found:?}");
        assert_eq!(found[2..], ["3 note: record of an unknown kind; there are 2"]);
    }

    #[test]
    fn a_time_that_falls_is_a_note() {
        let at = |second: u8| format!(r#"{{"type":"mode","timestamp":"2026-01-01T00:00:0{second}Z"}}"#);
        assert_eq!(findings(&[&at(2), &at(1), &at(1), &at(3)]), ["2 note: earlier than the record before it"]);
    }
}

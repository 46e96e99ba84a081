//! `structure`: scenarios with what must come out of them, and what our own recordings consist of.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{command, examples, random, sessionize, transcript_of};
use crate::support::{Sandbox, run};

/// A round, read back without the library.
pub(crate) struct Round {
    bytes: Vec<u8>,
    frames: Vec<Value>,
}

impl Round {
    pub(crate) fn of(path: &Path) -> Self {
        let run = run(command(&Sandbox::new(), &["structure", path.to_str().unwrap()]), "");
        assert_eq!((run.code(), run.stderr.as_str()), (Some(0), ""), "{}", path.display());
        Self::parse(run.stdout)
    }

    fn of_transcript(transcript: &str) -> Self {
        let run = sessionize(&["structure"], transcript);
        assert_eq!((run.code(), run.stderr.as_str()), (Some(0), ""));
        Self::parse(run.stdout)
    }

    fn parse(bytes: Vec<u8>) -> Self {
        let text = std::str::from_utf8(&bytes).unwrap();
        let frames = text.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
        Self { bytes, frames }
    }

    fn frames(&self, kind: &str) -> impl Iterator<Item = &Value> {
        self.frames.iter().filter(move |frame| frame["t"] == kind)
    }

    pub(crate) fn count(&self, frame: &str, field: &str) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for frame in self.frames(frame) {
            *counts.entry(frame[field].as_str().unwrap().to_owned()).or_default() += 1;
        }
        counts
    }

    fn node(&self, id: &str) -> &Value {
        self.frames("node").find(|node| node["id"] == id).unwrap_or_else(|| panic!("no {id}"))
    }

    /// How many nodes of a kind have a field of a certain value.
    fn having(&self, kind: &str, field: &str, value: &str) -> u64 {
        let found = self.frames("node").filter(|node| node["kind"] == kind && node[field] == value);
        found.count().try_into().unwrap()
    }

    fn check(&self) {
        let ids: Vec<&str> = self.frames("node").map(|node| node["id"].as_str().unwrap()).collect();
        assert!(ids.is_sorted_by(|one, other| one < other), "{ids:?}");
        for node in self.frames("node") {
            for field in ["parent", "stream"] {
                let named = node[field].as_str();
                assert!(named.is_none_or(|named| ids.contains(&named)), "{node}");
            }
        }
        for relation in self.frames("relation") {
            assert!(ids.contains(&relation["from"].as_str().unwrap()), "{relation}");
            assert!(ids.contains(&relation["to"].as_str().unwrap()), "{relation}");
        }
        let (header, commit) = (&self.frames[0], self.frames.last().unwrap());
        assert_eq!((&header["t"], &header["schema"]), (&"header".into(), &"sf/1".into()));
        assert_eq!(commit["counts"]["nodes"], ids.len());
        assert_eq!(header["unresolved"], self.frames("unresolved").count());
    }
}

pub(super) fn scenarios() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/sessionize/scenarios");
    let mut found: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    assert!(found.len() >= 14);
    found
}

pub(super) fn transcript(scenario: &Path) -> PathBuf {
    let files = fs::read_dir(scenario).unwrap().map(|entry| entry.unwrap().path());
    files.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "jsonl")).unwrap()
}

/// Holds what is expected against what there is; of an object each expected field.
fn assert_has(found: &Value, expected: &Value, what: &str) {
    match expected.as_object() {
        Some(fields) => {
            for (name, value) in fields {
                assert_has(&found[name], value, &format!("{what} {name}"));
            }
        }
        None => assert_eq!(found, expected, "{what}"),
    }
}

#[test]
fn every_scenario_has_the_structure_that_is_expected() {
    for scenario in scenarios() {
        let name = scenario.file_name().unwrap().to_str().unwrap();
        let expected: Value = serde_json::from_str(&fs::read_to_string(scenario.join("expect.json")).unwrap()).unwrap();
        let round = Round::of(&transcript(&scenario));
        round.check();
        let (kinds, relations) = (round.count("node", "kind"), round.count("relation", "type"));
        for (kind, count) in expected["kinds"].as_object().unwrap() {
            assert_eq!(kinds.get(kind), count.as_u64().as_ref(), "{name}: {kind}: {kinds:?}");
        }
        // Segments are in every scenario; who says nothing of them does not mean that there are none.
        for (kind, count) in relations.iter().filter(|_| expected.get("relations").is_some()) {
            let wanted = expected["relations"].get(kind).and_then(Value::as_u64);
            assert!(
                wanted == Some(*count) || (kind == "in_segment" && wanted.is_none()),
                "{name}: {kind}: {relations:?}"
            );
        }
        for kind in expected["relations"].as_object().into_iter().flat_map(|wanted| wanted.keys()) {
            assert!(relations.contains_key(kind), "{name}: {kind}: {relations:?}");
        }
        let unresolved = serde_json::to_value(round.count("unresolved", "kind")).unwrap();
        assert_eq!(unresolved, expected["unresolved"], "{name}");
        for (field, kind, name_of) in [("talks_on", "talk", "stream"), ("runs_in", "run", "parent")] {
            for (id, count) in expected[field].as_object().into_iter().flatten() {
                assert_eq!(Some(round.having(kind, name_of, id)), count.as_u64(), "{name}: {field} {id}");
            }
        }
        for (id, fields) in expected["nodes"].as_object().into_iter().flatten() {
            assert_has(round.node(id), fields, &format!("{name}: {id}:"));
        }
        for (kind, quality) in expected["quality"].as_object().into_iter().flatten() {
            assert!(
                round
                    .frames("relation")
                    .filter(|frame| frame["type"] == *kind)
                    .all(|frame| frame["quality"] == *quality)
            );
        }
    }
}

#[test]
fn the_same_session_gives_the_same_bytes() {
    for scenario in scenarios() {
        let path = transcript(&scenario);
        assert_eq!(Round::of(&path).bytes, Round::of(&path).bytes, "{}", path.display());
    }
}

/// How often each type of event stands in a stream.
fn types(events: &str) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for line in events.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        *counts.entry(event["type"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    counts
}

#[test]
fn a_recording_consists_of_what_was_recorded() {
    for events in examples().into_iter().chain((1..=20).map(random)) {
        let transcript = transcript_of(&events);
        let round = Round::of_transcript(&transcript);
        round.check();
        let (kinds, events) = (round.count("node", "kind"), types(&events));
        let pairs = [
            ("message.external", "user"),
            ("message.assistant", "assistant"),
            ("tool", "tool_call"),
            ("runtime.notification", "monitor_event"),
        ];
        for (kind, event) in pairs {
            assert_eq!(kinds.get(kind), events.get(event), "{kind}: {kinds:?}");
        }
        // A prompt that waited in the queue belongs to the talk that was going on.
        let prompts = transcript.lines().filter(|line| line.contains("\"origin\":{\"kind\":\"human\"}")).count();
        assert_eq!(kinds.get("talk").copied().unwrap_or_default(), prompts as u64);
    }
}

#[test]
fn the_conversation_is_named_from_outside_or_after_the_session() {
    let transcript = transcript_of(&random(1));
    let run = sessionize(&["structure", "--conversation", "c/1"], &transcript);
    let header = Round::parse(run.stdout).frames.remove(0);
    assert_eq!(header["conversation"], "c/1");
    assert_eq!(Round::of_transcript(&transcript).frames[0]["conversation"], header["session"]);
}

#[test]
fn two_sessions_at_once_are_refused() {
    let both = transcript_of(&random(1)) + &transcript_of(&random(2));
    for input in [both.as_str(), "", "{}\n"] {
        let run = sessionize(&["structure"], input);
        assert_eq!((run.code(), run.stdout.len(), run.stderr.lines().count()), (Some(2), 0, 1), "{}", run.stderr);
    }
}

/// Makes each line so long that a few of them are all that is read at once.
fn stretched(lines: &str) -> String {
    let blanks = |number: usize| " ".repeat((number * 37 % 8) * 20_000);
    lines.lines().enumerate().flat_map(|(number, line)| [line.to_owned(), blanks(number), "\n".to_owned()]).collect()
}

#[test]
fn a_session_that_is_read_in_many_pieces_has_the_same_structure() {
    for events in (1..=3).map(random) {
        let transcript = transcript_of(&events);
        let (short, long) = (Round::of_transcript(&transcript), Round::of_transcript(&stretched(&transcript)));
        long.check();
        // Header and commit say of which bytes it is.
        let entities = |round: &Round| round.frames[1..round.frames.len() - 1].to_vec();
        assert_eq!(entities(&short), entities(&long));
    }
}

#[test]
fn lines_that_cannot_be_read_have_their_numbers_in_any_piece() {
    let transcript = transcript_of(&random(1));
    let mut lines: Vec<&str> = transcript.lines().take(40).collect();
    for broken in [3, 20, 21, 37] {
        lines.insert(broken - 1, "{\"broken\":");
    }
    lines.insert(10, "");
    let text = stretched(&lines.join("\n"));
    for (command, end, last) in [
        ("structure", "", "torn last line, left out: "),
        ("structure", "\n \n{}\n", ""),
        ("show", "", "torn last line, left out: "),
    ] {
        let run = sessionize(&[command], format!("{text}{{\"torn\"{end}"));
        let before = "asyncai-sessionize: -: line";
        let mut expected = [3, 21, 22, 38].map(|number| format!("{before} {number}: column")).to_vec();
        expected.push(format!("{before} 46: {last}column"));
        let told: Vec<&str> = run.stderr.lines().collect();
        assert_eq!((told.len(), run.code()), (expected.len(), Some(1)), "{}", run.stderr);
        for (told, expected) in told.iter().zip(&expected) {
            assert!(told.starts_with(expected), "{expected} {}", run.stderr);
        }
    }
}

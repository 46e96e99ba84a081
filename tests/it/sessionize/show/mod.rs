//! `show`: what people see of the scenarios, and the same as data.

mod hostile;
mod one;
mod terminal;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::structure::{scenarios, transcript};
use super::{command, examples, sessionize, transcript_of};
use crate::drift::man_of;
use crate::golden::compare;
use crate::support::{Sandbox, run};

/// The name of a session, which its file has.
const SESSION: &str = "5e551017-0000-4000-8000-000000000000";

/// What `show` writes of a session in which every line can be read.
pub(crate) fn shown(path: &Path, args: &[&str]) -> String {
    let sandbox = Sandbox::new();
    let mut command = command(&sandbox, &["show"]);
    command.args(args).arg(path);
    let run = run(command, "");
    assert_eq!((run.code(), run.stderr.as_str()), (Some(0), ""), "{}", path.display());
    String::from_utf8(run.stdout).unwrap()
}

fn data(path: &Path, args: &[&str]) -> Value {
    let text = shown(path, &[&["--json"], args].concat());
    serde_json::from_str(&text).expect(&text)
}

/// How often a kind begins a line behind the guides.
fn lines_of(shown: &str, kind: &str) -> usize {
    let starts = |line: &&str| {
        let words = line.trim_start_matches(['│', '├', '└', ' ']);
        words.strip_prefix(kind).is_some_and(|rest| rest.starts_with(' '))
    };
    shown.lines().filter(starts).count()
}

/// Each place of the data, wherever it stands in it.
fn each_place(value: &Value, see: &mut dyn FnMut(&Value)) {
    if value.get("file").is_some() && value.get("line").is_some() {
        see(value);
    }
    match value {
        Value::Array(list) => list.iter().for_each(|value| each_place(value, see)),
        Value::Object(fields) => fields.values().for_each(|value| each_place(value, see)),
        _ => {}
    }
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap().try_into().unwrap()
}

/// Cuts the bytes of a place out of its file and compares them with its line.
fn assert_bytes(folder: &Path, place: &Value) {
    let bytes = fs::read(folder.join(place["file"].as_str().unwrap())).unwrap();
    let cut = &bytes[number(&place["offset"])..][..number(&place["length"])];
    serde_json::from_slice::<Value>(cut).unwrap();
    let line = bytes.split(|byte| *byte == b'\n').nth(number(&place["line"]) - 1).unwrap();
    assert_eq!(cut, line.strip_suffix(b"\r").unwrap_or(line), "{place}");
}

#[test]
fn every_scenario_is_shown_as_it_is_expected() {
    for scenario in scenarios() {
        compare(&scenario.join("show.txt"), Some(&shown(&transcript(&scenario), &[])));
    }
}

#[test]
fn one_scenario_is_written_as_data_as_it_is_expected() {
    let scenario = scenarios().into_iter().find(|path| path.ends_with("assembly")).unwrap();
    compare(&scenario.join("show.json"), Some(&shown(&transcript(&scenario), &["--json"])));
}

#[test]
fn the_data_has_every_entity_of_the_structure_once() {
    for scenario in scenarios() {
        let path = transcript(&scenario);
        let run = run(command(&Sandbox::new(), &["structure", path.to_str().unwrap()]), "");
        let frames: Vec<Value> =
            run.stdout.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
        let of = |kind: &str| -> Vec<String> {
            let own = frames.iter().filter(|frame| frame["t"] == kind);
            own.map(|frame| frame["id"].as_str().unwrap().to_owned()).collect()
        };
        let data = data(&path, &[]);
        let ids = |list: &str| -> Vec<String> {
            let items = data[list].as_array().unwrap().iter().filter(|item| item["again"] != true);
            let mut ids: Vec<_> = items.map(|item| item["id"].as_str().unwrap().to_owned()).collect();
            ids.sort();
            ids
        };
        assert_eq!(ids("items"), of("node"), "{}", path.display());
        assert_eq!(ids("relations"), of("relation"), "{}", path.display());
        assert_eq!(ids("unresolved"), of("unresolved"), "{}", path.display());
    }
}

#[test]
fn each_item_follows_the_one_that_it_stands_in() {
    for scenario in scenarios() {
        let data = data(&transcript(&scenario), &[]);
        let mut around: Vec<&Value> = Vec::new();
        for item in data["items"].as_array().unwrap() {
            around.truncate(number(&item["depth"]));
            assert_eq!(around.len(), number(&item["depth"]), "{item}");
            assert_eq!(around.last().map_or(&Value::Null, |outer| &outer["id"]), &item["in"], "{item}");
            around.push(item);
        }
    }
}

#[test]
fn every_place_is_the_bytes_of_its_record() {
    let mut count = 0;
    for scenario in scenarios() {
        each_place(&data(&transcript(&scenario), &[]), &mut |place| {
            // A group's manifest is a document of several lines.
            let is_document = Path::new(place["file"].as_str().unwrap()).extension().is_some_and(|end| end == "json");
            if !is_document {
                assert_bytes(&scenario, place);
                count += 1;
            }
        });
    }
    assert!(count > 200, "{count}");
}

#[test]
fn bytes_are_counted_through_marks_line_ends_and_broken_lines() {
    let line = |id: &str, text: &str| {
        format!("{{\"type\":\"user\",\"uuid\":\"{id}\",\"sessionId\":\"s\",\"message\":{{\"content\":\"{text}\"}}}}")
    };
    let long = "x".repeat(300_000);
    let text = format!("\u{feff}{}\r\n\nnope\n{}\r\n  \n{}\n", line("1", "é"), line("2", &long), line("3", "日本"));
    let sandbox = Sandbox::new();
    let path = sandbox.file("t.jsonl", &text);
    let run = run(command(&sandbox, &["show", "--json", path.to_str().unwrap()]), "");
    assert_eq!(run.code(), Some(1), "{}", run.stderr);
    let data: Value = serde_json::from_slice(&run.stdout).unwrap();
    let mut lines = BTreeSet::new();
    each_place(&data, &mut |place| {
        let cut = &text.as_bytes()[number(&place["offset"])..][..number(&place["length"])];
        let record: Value = serde_json::from_slice(cut).unwrap();
        lines.insert((number(&place["line"]), record["uuid"].as_str().unwrap().to_owned()));
    });
    let expected = [(1, "1"), (4, "2"), (6, "3")].map(|(line, id)| (line, id.to_owned()));
    assert_eq!(lines.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn a_text_in_the_data_is_cut_between_characters_and_says_so() {
    let events = |text: &str| format!("{{\"type\":\"user\",\"text\":\"{text}\"}}\n");
    let texts = [("é", 1500, 1000), ("x", 2000, 2000), ("x", 2001, 2000)];
    for (text, kept) in texts.map(|(letter, all, kept)| (letter.repeat(all), letter.repeat(kept))) {
        let run = sessionize(&["show", "--json"], transcript_of(&events(&text)));
        let data: Value = serde_json::from_slice(&run.stdout).unwrap();
        let items = data["items"].as_array().unwrap();
        let found = &items.iter().find(|item| item["kind"] == "message.external").unwrap()["text"];
        assert_eq!((found["text"].as_str(), number(&found["bytes"])), (Some(kept.as_str()), text.len()));
        assert_eq!(found["cut"] == true, kept != text);
    }
}

#[test]
fn whose_words_are_shown_changes_the_words_alone() {
    for scenario in scenarios() {
        let path = transcript(&scenario);
        let unified = shown(&path, &["--terms", "unified"]);
        assert_eq!(unified, shown(&path, &[]));
        let native = shown(&path, &["--terms", "native"]);
        let both = shown(&path, &["--terms", "both"]);
        assert_eq!(native.lines().count(), unified.lines().count());
        assert_eq!(both.lines().count(), unified.lines().count());
        assert_eq!(lines_of(&native, "promptId"), lines_of(&unified, "run"));
        assert_eq!(lines_of(&both, "run (promptId)"), lines_of(&unified, "run"));
        assert_eq!(lines_of(&native, "talk"), lines_of(&unified, "talk"));
        assert_eq!(data(&path, &["--terms", "native"])["items"][0]["term"], "sessionId");
    }
}

#[test]
fn a_recording_is_shown_with_all_that_was_recorded() {
    for events in examples() {
        let run = sessionize(&["show"], transcript_of(&events));
        let shown = String::from_utf8(run.stdout).unwrap();
        for (kind, event) in [
            ("message.external", "user"),
            ("message.assistant", "assistant"),
            ("tool", "tool_call"),
            ("runtime.notification", "monitor_event"),
        ] {
            let count = events.lines().filter(|line| line.contains(&format!("\"type\":\"{event}\""))).count();
            assert_eq!(lines_of(&shown, kind), count, "{kind}: {shown}");
        }
    }
}

#[test]
fn what_the_program_adds_in_one_go_shares_a_line() {
    let added = |number: usize| {
        let attachment = format!("{{\"type\":\"kind-{number}\",\"content\":\"text-{number}\"}}");
        format!("{{\"type\":\"attachment\",\"uuid\":\"{number}\",\"attachment\":{attachment}}}\n")
    };
    let said = "{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"u\",\"message\":{\"content\":\"said\"}}\n";
    let transcript = [added(1), added(2), said.to_owned(), added(3), added(4), added(5)].concat();
    let run = sessionize(&["show"], &transcript);
    let shown = String::from_utf8(run.stdout).unwrap();
    assert_eq!(lines_of(&shown, "context.injection"), 3, "{shown}");
    assert!(shown.contains("context.injection  kind-1  text-1\n"), "{shown}");
    assert!(shown.contains("context.injection ×3  kind-3, kind-4, kind-5\n"), "{shown}");
}

#[test]
fn the_same_session_gives_the_same_bytes() {
    for scenario in scenarios() {
        let path = transcript(&scenario);
        for args in [&[][..], &["--json"], &["--terms", "both"]] {
            assert_eq!(shown(&path, args), shown(&path, args));
        }
    }
}

#[test]
fn every_key_of_the_data_is_explained_in_the_man_page() {
    fn collect(value: &Value, keys: &mut BTreeSet<String>) {
        match value {
            Value::Array(list) => list.iter().for_each(|value| collect(value, keys)),
            Value::Object(fields) => {
                // Attributes are those of `structure`; counts have the kinds as keys.
                for (key, value) in fields {
                    keys.insert(key.clone());
                    if key != "attrs" && key != "counts" {
                        collect(value, keys);
                    }
                }
            }
            _ => {}
        }
    }
    let mut keys = BTreeSet::new();
    for scenario in scenarios() {
        collect(&data(&transcript(&scenario), &["--terms", "both"]), &mut keys);
        collect(&data(&transcript(&scenario), &["--id", "stream/main"]), &mut keys);
    }
    assert!(keys.len() > 40, "{keys:?}");
    let page = man_of("asyncai-sessionize");
    let part = page.split(".SS show\n").nth(1).unwrap().split("\n.SH").next().unwrap();
    let words: BTreeSet<&str> = part.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
    let missing: Vec<&String> = keys.iter().filter(|key| !words.contains(key.as_str())).collect();
    assert_eq!(missing, Vec::<&String>::new());
}

#[test]
fn a_message_of_twenty_thousand_tools_is_told_tool_by_tool() {
    let count = 20_000;
    let calls: Vec<Value> =
        (0..count).map(|id| json!({"type": "tool_use", "id": format!("t{id}"), "name": "Bash", "input": {}})).collect();
    let results: Vec<Value> =
        (0..count).map(|id| json!({"type": "tool_result", "tool_use_id": format!("t{id}"), "content": "x"})).collect();
    let record = |kind: &str, content: Vec<Value>| {
        json!({"type": kind, "uuid": kind, "sessionId": "s", "message": {"id": "m", "content": content}}).to_string()
    };
    let run = sessionize(&["show"], record("assistant", calls) + "\n" + &record("user", results) + "\n");
    let shown = String::from_utf8(run.stdout).unwrap();
    assert_eq!(shown.matches("tool  Bash  ok  {} → x\n").count(), count);
}

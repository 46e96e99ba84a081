//! One thing, by its id.

use serde_json::Value;

use super::super::structure::{scenarios, transcript};
use super::super::{command, sessionize, transcript_of};
use super::{SESSION, assert_bytes, data, each_place, shown};
use crate::support::{Run, Sandbox, run};

fn scenario(name: &str) -> std::path::PathBuf {
    scenarios().into_iter().find(|path| path.ends_with(name)).unwrap()
}

fn asked(scenario_name: &str, id: &str) -> Run {
    let path = transcript(&scenario(scenario_name));
    run(command(&Sandbox::new(), &["show", "--id", id, path.to_str().unwrap()]), "")
}

#[test]
fn every_entity_is_found_by_its_id_with_its_bytes() {
    let scenario = scenario("lost-records");
    let path = transcript(&scenario);
    let all = data(&path, &[]);
    for (list, key) in [("items", "node"), ("relations", "relation"), ("unresolved", "unresolved")] {
        for entity in all[list].as_array().unwrap() {
            let id = entity["id"].as_str().unwrap();
            let one = data(&path, &["--id", id]);
            assert_eq!(one[key]["id"], id);
            for field in ["kind", "type", "attrs", "text", "result", "from", "to", "reason"] {
                assert_eq!(one[key][field], entity[field], "{id} {field}");
            }
            // A session stands in no single place.
            let has_evidence = !one["evidence"].as_array().unwrap().is_empty();
            assert!(has_evidence || matches!(entity["kind"].as_str(), Some("session")), "{one}");
            each_place(&one, &mut |place| assert_bytes(&scenario, place));
            assert!(shown(&path, &["--id", id]).contains(id), "{id}");
        }
    }
}

#[test]
fn an_id_of_the_transcript_names_what_has_it() {
    for (id, expected) in [
        // A call of a tool, a call of the model, a child, a prompt, the session.
        ("t1", "tool/t1"),
        ("c1", "call/c1"),
        ("a0000000000000001", "stream/a0000000000000001"),
        ("s2-cycle", "run/talk%2Fmain%2Fs1-cycle/s2-cycle"),
        (SESSION, "session/5e551017-0000-4000-8000-000000000000"),
        // Records: of a person, of the agent with a text, of the agent with a call, of a notification.
        ("00000001-0000-4000-8000-000000000000", "input/1/1"),
        ("00000004-0000-4000-8000-000000000000", "msg/1/4:0"),
        ("00000002-0000-4000-8000-000000000000", "tool/t1"),
        ("00000009-0000-4000-8000-000000000000", "notify/1/5"),
    ] {
        let one = data(&transcript(&scenario("delegation")), &["--id", id]);
        assert_eq!(one["node"]["id"], expected, "{id}");
    }
}

#[test]
fn an_id_that_entities_have_escaped_is_found_as_it_is() {
    let events = r#"{"type":"tool_call","id":"toolu_0_1","name":"Bash","arguments":{"command":"ls"}}"#;
    let run = sessionize(&["show", "--id", "toolu_0_1"], transcript_of(&format!("{events}\n")));
    assert_eq!(run.code(), Some(0), "{}", run.stderr);
    let shown = String::from_utf8(run.stdout).unwrap();
    assert!(shown.starts_with("tool  tool/toolu%5F0%5F1\n") && shown.contains("no result"), "{shown}");
}

#[test]
fn what_is_missing_is_found_by_the_id_that_is_spoken_of() {
    let path = transcript(&scenario("lost-records"));
    let one = data(&path, &["--id", "no-call"]);
    assert_eq!(one["unresolved"]["id"], "unres/tool_use/no-call");
    assert_eq!(one["evidence"], data(&path, &["--id", "unres/tool_use/no-call"])["evidence"]);
}

#[test]
fn relations_stand_on_both_sides_with_their_evidence() {
    let shown = shown(&transcript(&scenario("delegation")), &["--id", "stream/a0000000000000001"]);
    for part in ["starts", "from tool/t1", "reports", "from notify/1/5", "ends_with", "to output/a0000000000000001"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let one = data(&transcript(&scenario("delegation")), &["--id", "t1"]);
    assert_eq!(one["relations_out"][0]["to"], "stream/a0000000000000001");
    assert_eq!(one["relations_out"][0]["evidence"][0]["line"], 3);
    assert_eq!(one["evidence"][1]["texts"][0]["text"], "started");
}

#[test]
fn an_id_that_nothing_has_ends_with_status_1_in_one_line() {
    let several = "00000003-0000-4000-8000-000000000000";
    for (id, why) in [("no-such", "nothing has this id"), (several, "several things have this id")] {
        let run = asked("delegation", id);
        assert_eq!((run.code(), run.stdout.len(), run.stderr.lines().count()), (Some(1), 0, 1), "{}", run.stderr);
        assert!(run.stderr.starts_with("asyncai-sessionize: --id: ") && run.stderr.contains(why), "{}", run.stderr);
        assert!(!run.stderr.contains(id), "{}", run.stderr);
    }
}

#[test]
fn a_record_that_is_no_part_of_the_tree_is_named_by_its_line() {
    let prompt = "{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"p\",\"message\":{\"content\":\"go\"}}\n";
    let state = "{\"type\":\"mode\",\"uuid\":\"m\"}\n";
    let run = sessionize(&["show", "--id", "m"], [prompt, state].concat());
    let told = "asyncai-sessionize: --id: the record at line 2 has this id and is no part of the tree\n";
    assert_eq!((run.code(), run.stderr.as_str()), (Some(1), told));
}

#[test]
fn an_id_is_whole_however_narrow_the_lines_are() {
    let path = transcript(&scenario("delegation"));
    let sandbox = Sandbox::new();
    let mut command = command(&sandbox, &["show", "--id", "s2-cycle", path.to_str().unwrap()]);
    command.env("COLUMNS", "20");
    let run = run(command, "");
    let shown = String::from_utf8(run.stdout).unwrap();
    assert!(shown.starts_with("run  run/talk%2Fmain%2Fs1-cycle/s2-cycle\n"), "{shown}");
}

#[test]
fn standard_input_is_enough_for_evidence() {
    let text = std::fs::read(transcript(&scenario("delegation"))).unwrap();
    let run = sessionize(&["show", "--json", "--id", "t1", "-"], &text);
    let one: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(one["evidence"][0]["file"], "-");
    let (offset, length) = (super::number(&one["evidence"][1]["offset"]), super::number(&one["evidence"][1]["length"]));
    let record: Value = serde_json::from_slice(&text[offset..offset + length]).unwrap();
    assert_eq!(record["message"]["content"][0]["tool_use_id"], "t1");
}

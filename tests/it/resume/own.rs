//! A session that the real program wrote by itself, with calls that run side by side, a monitor and a child, read by
//! `asyncai-sessionize`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::client::{Client, Resumed};
use super::endpoint::{Block, DEFAULT_ANSWER, Endpoint};
use super::place::Place;
use super::round::resumed_in;
use crate::sessionize::show::shown;
use crate::sessionize::structure::Round;
use crate::sessionize::{errors_of, events_of};

fn call(id: &str, name: &str, input: Value) -> Block {
    Block::ToolUse { id: id.into(), name: name.into(), input }
}

/// Lets the program have a session: two commands of which the first ends last, a watched one, a child.
fn session(place: &Place) -> PathBuf {
    let command = |text: &str| json!({"command": text, "description": "a command"});
    let ticks = "for n in 1 2 3; do echo tick-$n; sleep 0.2; done";
    let script = vec![
        vec![
            Block::text("both-at-once"),
            call("toolu_slow", "Bash", command("sleep 0.3; echo slow-$((1 + 1))")),
            call("toolu_quick", "Bash", command("echo quick-$((1 + 1))")),
        ],
        vec![call(
            "toolu_watch",
            "Monitor",
            json!({"command": ticks, "description": "the ticks", "timeout_ms": 60_000}),
        )],
        vec![call(
            "toolu_child",
            "Agent",
            json!({"description": "a child", "prompt": "words-for-the-child", "subagent_type": "general-purpose"}),
        )],
    ];
    let endpoint = Endpoint::start(script);
    let mut command = Client::from_environment().command(place, &endpoint);
    command.args(["--dangerously-skip-permissions", "-p", "words-of-the-person"]);
    let ran = Resumed::run(command, &endpoint);
    assert!(ran.status.success() && ran.stdout.contains(DEFAULT_ANSWER), "{ran}");
    let [transcript] = &files(&place.config().join("projects"), "jsonl", 2)[..] else {
        panic!("one transcript: {ran}")
    };
    transcript.clone()
}

/// The files with an extension at this depth below a folder.
fn files(folder: &Path, extension: &str, depth: usize) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    if depth > 1 {
        return entries.filter(|path| path.is_dir()).flat_map(|path| files(&path, extension, depth - 1)).collect();
    }
    entries.filter(|path| path.extension().is_some_and(|own| own == extension)).collect()
}

#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn what_the_program_wrote_itself_has_no_error_and_all_its_parts() {
    let place = Place::new();
    let transcript = session(&place);
    let children = files(&transcript.with_extension("").join("subagents"), "jsonl", 1);
    assert_eq!(children.len(), 1);
    for path in [&transcript, &children[0]] {
        assert_eq!(errors_of(&fs::read(path).unwrap()), Vec::<String>::new(), "{}", path.display());
    }
    let round = Round::of(&transcript);
    let (nodes, relations) = (round.count("node", "kind"), round.count("relation", "type"));
    for (kind, count) in [("message.external", 1), ("stream", 2), ("tool", 3), ("agent.call", 1), ("agent.output", 1)] {
        assert_eq!(nodes.get(kind), Some(&count), "{kind} in {nodes:?}");
    }
    assert_eq!((relations.get("starts"), relations.get("reports")), (Some(&1), Some(&1)), "{relations:?}");
    assert_eq!(round.count("unresolved", "kind").len(), 0);
}

#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn what_the_program_wrote_itself_is_shown_with_the_child_below_its_call() {
    let place = Place::new();
    let shown = shown(&session(&place), &[]);
    let lines: Vec<&str> = shown.lines().collect();
    let depth = |line: &str| line.chars().take_while(|letter| " │├└".contains(*letter)).count();
    let find = |words: &str| {
        lines.iter().position(|line| line.contains(words)).unwrap_or_else(|| panic!("no {words}: {shown}"))
    };
    let call = find("agent.call  Agent  started  a child");
    assert!(lines[call + 1].contains("stream  a") && depth(lines[call + 1]) > depth(lines[call]), "{shown}");
    for words in [
        "talk 1",
        "  words-of-the-person",
        "message.assistant  both-at-once",
        "echo slow-$((1 + 1)) → slow-2",
        "  words-for-the-child",
        "  the ticks: tick-1",
    ] {
        find(words);
    }
    assert!(!shown.contains("unresolved"), "{shown}");
}

#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn what_the_program_wrote_itself_is_resumed_from_its_events() {
    let place = Place::new();
    let transcript = session(&place);
    let request = resumed_in(&Place::new(), &events_of(&fs::read_to_string(transcript).unwrap()));
    request.assert_in_order(&["words-of-the-person", "both-at-once", "words-for-the-child"]);
    request.assert_in_order(&["tick-1", "tick-2", "tick-3"]);
    request.assert_result("echo slow-", "slow-2");
    request.assert_result("echo quick-", "quick-2");
}

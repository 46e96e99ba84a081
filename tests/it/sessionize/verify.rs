//! `verify`: no error in what is recorded, and every planted fault is found.

use super::{command, errors_of, example, examples, random, sessionize, transcript_of};
use crate::support::{Sandbox, events, run};

#[test]
fn nothing_that_is_recorded_has_an_error() {
    for input in examples() {
        assert_eq!(errors_of(transcript_of(&input).as_bytes()), Vec::<String>::new(), "{input}");
    }
    for seed in 1..=50 {
        assert_eq!(errors_of(transcript_of(&random(seed)).as_bytes()), Vec::<String>::new(), "{seed}");
    }
}

fn read(name: &str) -> String {
    std::fs::read_to_string(example(name)).unwrap()
}

#[test]
fn each_planted_fault_is_found() {
    let transcript = transcript_of(&["conversation.ndjson", "late-results.ndjson"].map(read).concat());
    let lines: Vec<&str> = transcript.lines().collect();
    let without = |what: &str| {
        let place = lines.iter().position(|line| line.contains(what)).expect(what);
        [&lines[..place], &lines[place + 1..]].concat().join("\n")
    };
    let with = |from: &str, to: &str| {
        assert!(transcript.contains(from), "{from}");
        transcript.replacen(from, to, 1)
    };
    let faults = [
        (without("\"origin\":{\"kind\":\"human\"}"), "its parent is no earlier record"),
        (
            with("\"tool_use_id\":\"call_2\"", "\"tool_use_id\":\"call_9\""),
            "a tool call without a result, and a later prompt",
        ),
        (with("\"id\":\"call_1\"", "\"id\":\"call 1\""), "tool call id outside [A-Za-z0-9_-]{1,64}"),
        (with("\"name\":\"Bash\"", "\"name\":\"\""), "tool name outside [A-Za-z0-9_-]{1,128}"),
        (with("\"input\":{", "\"input\":7,\"x\":{"), "the input of a tool is no object"),
        (with("The import test", "The \\u0000 test"), "null character"),
        (with("The import test", "The \\udc00 test"), "unpaired surrogate"),
        (with("\"type\":\"assistant\"", "\"type\":assistant"), "no record: "),
        (format!("{transcript}{}", lines[0].replace("human", "other")), "another record has the same id"),
    ];
    for (faulty, what) in faults {
        let found = errors_of(faulty.as_bytes());
        assert!(found.iter().any(|line| line.contains(what)), "{what}: {found:?}");
    }
}

#[test]
fn what_cannot_be_read_does_not_keep_the_rest_from_being_checked() {
    let sandbox = Sandbox::new();
    let good = sandbox.file("good.jsonl", transcript_of(&random(1)));
    let bad = sandbox.file("bad.jsonl", "nope\n{}\n");
    let (good, bad) = (good.to_str().unwrap(), bad.to_str().unwrap());
    let run = run(command(&sandbox, &["verify", good, "no-such-file", bad, "."]), "");
    assert_eq!(run.code(), Some(2));
    assert_eq!(run.stderr.lines().count(), 2, "{}", run.stderr);
    let stdout = String::from_utf8(run.stdout).unwrap();
    assert!(stdout.contains(&format!("{bad}:1: error: no record: column 1: ")), "{stdout}");
}

#[test]
fn a_round_is_checked_too() {
    let round = sessionize(&["structure"], transcript_of(&random(1))).stdout;
    let round = String::from_utf8(round).unwrap();
    assert_eq!(errors_of(round.as_bytes()), Vec::<String>::new());
    let found = errors_of(round.replacen("\"kind\":\"tool\"", "\"kind\":\"fool\"", 1).as_bytes());
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with(": error: the digest is not that of the lines"), "{found:?}");
}

#[test]
fn a_file_of_something_else_is_no_transcript() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["--session-format", "codex-cli", "--quiet"], events("U(go) A(done)"));
    let codex = std::fs::read_to_string(run.session().file()).unwrap();
    let told = "no transcript: no record has an id or names a session";
    let found = errors_of(codex.as_bytes());
    assert!(matches!(&found[..], [error] if error.ends_with(told)), "{found:?}");
    for other in [codex, events("U(go) A(done)")] {
        let run = sessionize(&["events"], &other);
        assert_eq!((run.code(), run.stdout.len()), (Some(1), 0), "{}", run.stderr);
        assert!(run.stderr.ends_with(&format!("{told}\n")), "{}", run.stderr);
    }
}

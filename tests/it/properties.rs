//! Properties that hold for any conversation: a small seeded generator, and what must come out.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::json;

use crate::golden::placeholders;
use crate::random::Random;
use crate::running::Running;
use crate::support::{Run, Sandbox};

/// The mark of an event: no mark is a part of another.
fn mark(number: usize) -> String {
    format!("mk{number}e")
}

/// A conversation in which each event bears its mark; results may come late, twice or for no call.
fn conversation(seed: u64, length: usize) -> String {
    let mut random = Random::new(seed);
    let mut ids: Vec<String> = Vec::new();
    let mut lines = String::new();
    for number in 0..length {
        let mark = mark(number);
        let event = match random.below(12) {
            0 | 1 => json!({"type": "user", "text": format!("{mark} né\u{2028}w")}),
            2..=4 => json!({"type": "assistant", "text": mark}),
            5..=7 => {
                let id = match random.below(3) {
                    0 => format!("functions.run:{}", random.below(3)),
                    1 => format!("a b|{number}"),
                    _ => format!("call_{number}"),
                };
                ids.push(id.clone());
                json!({"type": "tool_call", "id": id, "name": "Bash", "arguments": {"command": mark}})
            }
            8..=10 => {
                let id = match random.below(10) {
                    0 => "ghost".to_owned(),
                    _ if ids.is_empty() => "ghost".to_owned(),
                    _ => ids[random.below(ids.len())].clone(),
                };
                json!({"type": "tool_result", "id": id, "content": mark})
            }
            _ => json!({"type": "monitor_event", "description": "log <a&b>", "event": mark}),
        };
        writeln!(lines, "{event}").unwrap();
    }
    lines
}

fn recorded(input: &str) -> (Sandbox, Run) {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["--git-branch", "main"], input);
    assert_eq!(run.code(), Some(0), "{}", run.stderr);
    (sandbox, run)
}

#[test]
fn every_conversation_keeps_the_rules_of_a_transcript() {
    for seed in 0..40 {
        let (_sandbox, run) = recorded(&conversation(seed, 60));
        // The chain, the turn rule and the exact shapes are checked on reading.
        assert!(!run.transcript().records.is_empty(), "seed {seed}");
    }
}

#[test]
fn every_event_is_found_once_in_the_transcript() {
    for seed in 100..130 {
        let length = 60;
        let (_sandbox, run) = recorded(&conversation(seed, length));
        let outline = run.transcript().outline().join("\n");
        let inputs = run.transcript().text;
        for number in 0..length {
            let mark = mark(number);
            // A call's mark stands in its arguments, which the outline leaves out.
            let calls = inputs.matches(&format!("{{\"command\":\"{mark}\"}}")).count();
            let title = outline.lines().filter(|line| line.starts_with("ai-title ")).collect::<String>();
            let events = outline.matches(&mark).count() - title.matches(&mark).count();
            assert_eq!(calls + events, 1, "seed {seed}, {mark}:\n{outline}");
        }
    }
}

#[test]
fn every_event_is_found_once_and_in_order_in_a_codex_transcript() {
    for seed in 100..130 {
        let length = 60;
        let sandbox = Sandbox::new();
        let run = sandbox.run(&["--session-format", "codex-cli"], conversation(seed, length));
        assert_eq!(run.code(), Some(0), "{}", run.stderr);
        // The rules of the format are checked on reading.
        let outline = run.codex_transcript().outline();
        let lines = outline.iter().filter(|line| !line.starts_with("title ") && !line.starts_with("closed "));
        let found: Vec<usize> = lines.map(|line| number_in(line)).collect();
        assert_eq!(found, (0..length).collect::<Vec<_>>(), "seed {seed}: {outline:#?}");
    }
}

#[test]
fn calls_and_words_stay_in_their_order() {
    for seed in 200..220 {
        let input = conversation(seed, 60);
        let (_sandbox, run) = recorded(&input);
        let transcript = run.transcript();
        let outline = transcript.outline();
        let spoken = |kinds: &[&str]| -> Vec<usize> {
            let lines = outline.iter().filter(|line| kinds.iter().any(|kind| line.starts_with(kind)));
            lines.map(|line| number_in(line)).collect()
        };
        for kinds in [&["user ", "queued ", "text "][..], &["notice Monitor"]] {
            let numbers = spoken(kinds);
            assert!(numbers.is_sorted(), "seed {seed}, {kinds:?}: {numbers:?}");
        }
    }
}

fn number_in(line: &str) -> usize {
    let (_, rest) = line.split_once("mk").expect(line);
    rest.split_once('e').unwrap().0.parse().unwrap()
}

#[test]
fn every_accepted_line_is_echoed_as_it_came() {
    for seed in 300..310 {
        let input = conversation(seed, 60);
        let (_sandbox, run) = recorded(&input);
        assert_eq!(run.echo(), input, "seed {seed}");
    }
}

#[test]
fn any_chunking_of_the_input_gives_the_same_transcript() {
    for seed in 400..408 {
        let input = conversation(seed, 40);
        let (sandbox, run) = recorded(&input);
        let whole = placeholders(&sandbox, &run.transcript().text);
        let pieces = Sandbox::new();
        let mut running = Running::start(&pieces, &["--git-branch", "main"]);
        let mut random = Random::new(seed);
        let mut rest = input.as_bytes();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.len().min(1 + random.below(300)));
            running.write(piece);
            rest = after;
        }
        let ended = running.end();
        let chunked = placeholders(&pieces, &ended.transcript().text);
        assert_eq!(chunked, whole, "seed {seed}");
        assert!(ended.stdout.ends_with(&input), "seed {seed}");
    }
}

#[test]
fn the_generator_gives_every_kind_of_event() {
    let mut kinds: HashMap<String, usize> = HashMap::new();
    for line in conversation(1, 200).lines() {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        *kinds.entry(event["type"].to_string()).or_default() += 1;
    }
    assert_eq!(kinds.len(), 5, "{kinds:?}");
}

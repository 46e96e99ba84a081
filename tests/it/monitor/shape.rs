//! The options that change what events say or how many there are, and the record of the monitor itself.

use serde_json::Value;

use super::support::{events, start, texts, wait_for, watch};
use crate::support::Sandbox;

// M8
#[test]
fn strip_ansi_leaves_what_a_terminal_would_show() {
    let run = watch(&["--description", "d", "--strip-ansi"], "\x1b[31mred\x1b[0m \x1b]0;t\x07x\n10%\r100%\r\n");
    assert_eq!(texts(run.stdout), ["red x", "100%"]);
}

#[test]
fn skip_blank_passes_over_lines_with_nothing_to_see() {
    let run = watch(&["--description", "d", "--skip-blank"], "a\n\n \t\nb\n\u{200b}\n");
    assert_eq!(texts(run.stdout), ["a", "b"]);
}

#[test]
fn an_event_over_its_limit_is_cut_and_says_how_much() {
    let run = watch(&["--description", "d", "--max-event-bytes", "4"], "abcd\nabc\u{e9}d\n");
    assert_eq!(texts(&run.stdout), ["abcd", "abc [3 bytes cut]"]);
    assert_eq!(run.code(), Some(0));
}

#[test]
fn lines_that_come_together_are_one_event_with_batch_ms() {
    let mut running = start(&["--description", "d", "--batch-ms", "50"]);
    running.write("a\nb\n");
    assert_eq!(wait_for(&running, 1), ["a\nb"]);
    running.write("c\n");
    assert_eq!(wait_for(&running, 2), ["a\nb", "c"]);
}

#[test]
fn a_batch_is_written_at_the_end_of_the_input_without_waiting() {
    let run = watch(&["--description", "d", "--batch-ms", "3600000"], "a\nb");
    assert_eq!(texts(run.stdout), ["a\nb"]);
}

#[test]
fn the_throttle_tells_of_every_line_that_it_holds_back() {
    let run = watch(&["--throttle", "--monitor", "seq 1 100000"], "");
    let texts = texts(&run.stdout);
    let (told, shown): (Vec<&String>, Vec<&String>) = texts.iter().partition(|text| text.ends_with("suppressed]"));
    let shown: usize = shown.iter().map(|text| text.lines().count()).sum();
    let told: usize = told.iter().map(|text| text[1..].split(' ').next().unwrap().parse::<usize>().unwrap()).sum();
    assert_eq!(shown + told, 100_000);
    assert!(texts[0].ends_with("\n777"), "3,000 characters with their line breaks end at line 777");
    assert_eq!((run.code(), &*run.stderr), (Some(0), ""));
}

fn lifecycle(args: &[&str], input: &str) -> Vec<Value> {
    let run = watch(&[&["--lifecycle"], args].concat(), input);
    let lines: Vec<Value> =
        run.stdout.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    let recorded = Sandbox::new().run(&[], &run.stdout);
    assert_eq!((recorded.code(), &*recorded.stderr), (Some(0), ""));
    lines
}

#[test]
fn the_record_of_a_monitor_is_a_call_its_result_the_events_and_an_end() {
    let args = ["--monitor", "echo out", "--description", "d", "--timeout-ms", "60000", "--task-id", "b1"];
    let lines = lifecycle(&args, "");
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert_eq!((&lines[0]["type"], &lines[0]["name"]), (&"tool_call".into(), &"Monitor".into()));
    let arguments = serde_json::json!({"command": "echo out", "description": "d", "timeout_ms": 60000});
    assert_eq!(lines[0]["arguments"], arguments);
    assert_eq!((&lines[1]["type"], &lines[1]["id"]), (&"tool_result".into(), &lines[0]["id"]));
    assert!(lines[1]["content"].as_str().unwrap().contains("b1"));
    assert_eq!(lines[2]["event"], "out");
    let end = serde_json::json!({"type": "monitor_event", "description": "d", "status": "completed", "task_id": "b1"});
    assert_eq!(lines[3], end);
}

#[test]
fn the_status_of_the_end_is_completed_failed_or_killed() {
    for (args, status) in [
        (&["--monitor", "true"][..], "completed"),
        (&["--monitor", "exit 3"], "failed"),
        (&["--monitor", "kill -s KILL $$"], "killed"),
        (&["--monitor", "sleep 100", "--timeout-ms", "50"], "killed"),
        (&["--monitor", "sleep 100", "--until-stdin"], "killed"),
        (&["--description", "d"], "completed"),
    ] {
        assert_eq!(lifecycle(args, "").last().unwrap()["status"], status, "{args:?}");
    }
}

#[test]
fn without_lifecycle_there_are_only_the_events() {
    assert_eq!(events(watch(&["--monitor", "echo x"], "").stdout).len(), 1);
}

//! Standard input beside commands.

use std::process::Stdio;

use super::support::{is_alive, start, texts, wait_for, wait_until_gone, watch};
use crate::support::{Sandbox, events, run};
use crate::terminal::shown_on_a_terminal;

const EVENT: &str = "{\"type\":\"monitor_event\",\"description\":\"d\",\"event\":\"own\",\"task_id\":\"b1\"}";

#[test]
fn event_lines_are_copied_as_they_are_and_the_last_gets_its_end() {
    let odd = "{\"type\" : \"user\",\"text\":\"\\u0041 \u{e9}\"}\n\nnot json\n{\"type\":\"user\",\"text\":\"x\"}";
    let run = watch(&["--merge-stdin", "--monitor", "true"], odd);
    assert_eq!(String::from_utf8_lossy(&run.stdout), format!("{odd}\n"));
    assert_eq!((run.code(), &*run.stderr), (Some(0), ""));
}

#[test]
fn standard_input_is_read_to_its_end_after_the_commands_have_ended() {
    let mut running = start(&["--merge-stdin", "--monitor", "echo up; exit 3"]);
    wait_for(&running, 1);
    running.write(format!("{EVENT}\n"));
    assert_eq!(wait_for(&running, 2), ["up", "own"]);
    let ended = running.end();
    assert_eq!(ended.code(), Some(3));
}

#[test]
fn a_part_line_of_standard_input_is_never_torn_by_an_event() {
    let mut running = start(&["--merge-stdin", "--monitor", "sleep 0.05; echo up; sleep 0.05; echo up"]);
    running.write(&EVENT[..20]);
    assert_eq!(wait_for(&running, 2), ["up", "up"]);
    running.write(&EVENT[20..]);
    assert_eq!(texts(running.end().stdout), ["up", "up", "own"]);
}

#[test]
fn an_event_line_may_be_longer_than_the_limit_of_watched_lines() {
    let line = format!("{{\"type\":\"user\",\"text\":\"{}\"}}\n", "x".repeat(10_000));
    let run = watch(&["--merge-stdin", "--max-line-bytes", "100", "--monitor", "true"], &line);
    assert_eq!((run.code(), String::from_utf8(run.stdout).unwrap()), (Some(0), line));
}

#[test]
fn the_end_of_standard_input_ends_the_commands_with_success() {
    for args in [&["--merge-stdin", "--until-stdin"][..], &["--until-stdin"]] {
        let running = start(&[args, &["--monitor", "echo $$; sleep 100 & echo $!; wait"]].concat());
        let processes = wait_for(&running, 2);
        assert!(processes.iter().all(|process| is_alive(process)));
        let ended = running.end();
        assert_eq!((ended.code(), &*ended.stderr), (Some(0), ""));
        wait_until_gone(&processes);
    }
}

#[test]
fn without_merge_stdin_nothing_of_standard_input_is_copied() {
    let run = watch(&["--until-stdin", "--monitor", "sleep 100"], format!("{EVENT}\n"));
    assert_eq!((run.code(), run.stdout), (Some(0), Vec::new()));
}

#[test]
fn a_command_that_failed_before_the_end_of_standard_input_has_its_own_status() {
    let mut running = start(&["--merge-stdin", "--until-stdin", "--monitor", "echo $$; exit 3"]);
    let processes = wait_for(&running, 1);
    wait_until_gone(&processes);
    running.write(format!("{EVENT}\n"));
    wait_for(&running, 2);
    assert_eq!(running.end().code(), Some(3));
}

#[test]
fn an_interrupt_ends_the_commands_and_leaves_standard_input_to_the_programs_upstream() {
    let mut running = start(&["--merge-stdin", "--monitor", "echo $$; exec sleep 100"]);
    let processes = wait_for(&running, 1);
    running.signal("INT");
    wait_until_gone(&processes);
    running.write(format!("{EVENT}\n"));
    assert_eq!(wait_for(&running, 2)[1], "own");
    assert_eq!(running.end().signal(), Some(2));
}

#[test]
fn sigterm_copies_the_lines_that_have_come_and_ends() {
    let mut running = start(&["--merge-stdin", "--monitor", "echo up; exec sleep 100"]);
    wait_for(&running, 1);
    running.signal("STOP");
    running.write(format!("{EVENT}\n{EVENT}\n"));
    running.signal("TERM");
    running.signal("CONT");
    let ended = running.wait();
    assert_eq!(ended.code(), Some(143));
    assert_eq!(texts(ended.stdout), ["up", "own", "own"]);
}

#[test]
fn what_comes_out_is_recorded_whole() {
    let sandbox = Sandbox::new();
    let input = events("U(go) C(a) R(a,1) A(done)");
    let watched = run(super::support::monitor(&sandbox, &["--merge-stdin", "--monitor", "echo x"]), &input);
    let recorded = sandbox.run(&[], &watched.stdout);
    assert_eq!((recorded.code(), &*recorded.stderr), (Some(0), ""));
    assert_eq!(recorded.echo().lines().count(), 5);
}

/// What a terminal is told when standard input is a pipe, or not one.
fn told(args: &[&str], input: Stdio) -> String {
    let sandbox = Sandbox::new();
    let mut command = super::support::monitor(&sandbox, args);
    command.stdin(input);
    shown_on_a_terminal(command)
}

#[test]
fn a_terminal_is_told_of_a_pipe_that_is_not_read() {
    // The end that is written to stays open, so that only a program that reads it would wait.
    let pipe = || std::io::pipe().unwrap();
    let (reader, _writer) = pipe();
    let shown = told(&["--monitor", "true"], reader.into());
    assert_eq!(shown, "asyncai-monitor: standard input is not read: --merge-stdin copies its events\n");
    let (reader, writer) = pipe();
    drop(writer);
    assert_eq!(told(&["--monitor", "true", "--merge-stdin"], reader.into()), "");
    assert_eq!(told(&["--monitor", "true"], Stdio::null()), "");
}

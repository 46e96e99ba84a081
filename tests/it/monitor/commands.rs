//! Commands as sources: what they are given, their lines, how their status is passed on.

use super::support::{events, monitor, start, texts, wait_for, watch};
use crate::support::{Sandbox, run};

fn status(commands: &[&str]) -> Option<i32> {
    let args: Vec<&str> = commands.iter().flat_map(|command| ["--monitor", *command]).collect();
    watch(&args, "").code()
}

// M3
#[test]
fn stdout_is_events_and_stderr_and_the_status_are_passed_on() {
    let run = watch(&["--monitor", "echo oops >&2; echo out; exit 3"], "");
    assert_eq!(texts(&run.stdout), ["out"]);
    assert_eq!(run.stderr, "oops\n");
    assert_eq!(run.code(), Some(3));
}

#[test]
fn the_status_of_one_command_is_its_own() {
    assert_eq!(status(&["true"]), Some(0));
    assert_eq!(status(&["exit 77"]), Some(77));
    assert_eq!(status(&["kill -s KILL $$"]), Some(128 + 9));
    assert_eq!(status(&["no-such-program-at-all 2> /dev/null"]), Some(127));
}

#[test]
fn the_status_of_several_commands_is_whether_one_failed() {
    assert_eq!(status(&["true", "true"]), Some(0));
    assert_eq!(status(&["exit 77", "true"]), Some(1));
    assert_eq!(status(&["true", "kill -s KILL $$"]), Some(1));
}

#[test]
fn without_a_shell_there_is_a_message_and_127() {
    let sandbox = Sandbox::new();
    let mut command = monitor(&sandbox, &["--monitor", "true"]);
    command.env("PATH", sandbox.cwd());
    let run = run(command, "");
    assert_eq!(run.code(), Some(127));
    assert_eq!(run.stderr, "asyncai-monitor: cannot run the command: no such file or directory\n");
}

#[test]
fn a_command_that_begins_with_a_dash_is_no_option_of_the_shell() {
    let sandbox = Sandbox::new();
    let run = run(monitor(&sandbox, &["--monitor=-x 2> /dev/null; echo ran"]), "");
    assert_eq!(texts(&run.stdout), ["ran"]);
}

#[test]
fn a_command_is_its_own_description_unless_the_one_at_its_place_is_given() {
    let run = watch(&["--monitor", "echo a", "--monitor", "echo b", "--description", "first"], "");
    let mut events = events(&run.stdout);
    events.sort_by(|one, other| one.event.cmp(&other.event));
    assert_eq!((&*events[0].description, &*events[1].description), ("first", "echo b"));
    assert_ne!(events[0].task_id, events[1].task_id);
}

#[test]
fn a_command_reads_nothing() {
    let run = watch(&["--monitor", "cat; echo done"], "not for the command\n");
    assert_eq!(texts(&run.stdout), ["done"]);
}

#[test]
fn a_line_is_out_while_the_command_runs() {
    let running = start(&["--monitor", "echo a; sleep 100"]);
    assert_eq!(wait_for(&running, 1), ["a"]);
    running.signal("TERM");
    assert_eq!(running.wait().code(), Some(143));
}

#[test]
fn the_last_line_of_a_command_may_lack_its_end() {
    assert_eq!(texts(watch(&["--monitor", "printf 'a\\nhalf'"], "").stdout), ["a", "half"]);
}

#[test]
fn lines_of_several_commands_are_never_mixed_and_each_keeps_its_order() {
    // Each writes a line in two pieces, so that every pipe often holds a part of one.
    let command = "i=0; while [ $i -lt 300 ]; do printf '%s ' $i; echo end; i=$((i+1)); done";
    let args: Vec<&str> = ["--monitor", command].into_iter().cycle().take(6).collect();
    let run = watch(&[&args[..], &["--task-id", "b0", "--task-id", "b1", "--task-id", "b2"]].concat(), "");
    assert_eq!(run.code(), Some(0));
    let events = events(&run.stdout);
    assert_eq!(events.len(), 900);
    for id in ["b0", "b1", "b2"] {
        let own = events.iter().filter(|event| event.task_id == id).map(|event| event.event.clone().unwrap());
        assert_eq!(own.collect::<Vec<_>>(), (0..300).map(|number| format!("{number} end")).collect::<Vec<_>>());
    }
}

#[test]
fn a_source_that_never_stops_does_not_keep_another_from_being_heard() {
    let sandbox = Sandbox::new();
    let args = ["--monitor", "yes", "--description", "y", "--monitor", "echo other", "--task-id", "b0"];
    let script = format!("{} \"$@\" | grep -m 1 other", super::support::MONITOR);
    let mut command = std::process::Command::new("/bin/sh");
    command.args(["-c", &script, "sh"]).args(args).current_dir(sandbox.cwd());
    let run = run(command, "");
    assert_eq!(texts(&run.stdout), ["other"]);
    assert_eq!(run.stderr, "");
}

#[test]
fn messages_name_the_command_where_there_are_several() {
    let args = ["--max-line-bytes", "3", "--monitor", "echo abcd", "--monitor", "echo abc"];
    let run = watch(&args, "");
    assert_eq!(run.stderr, "asyncai-monitor: monitor 1: line 1: longer than 3 bytes: cut\n");
    assert_eq!(run.code(), Some(1));
}

#[test]
fn a_loss_does_not_hide_the_status_of_the_command() {
    let run = watch(&["--max-line-bytes", "3", "--monitor", "echo abcd; exit 7"], "");
    assert_eq!(run.code(), Some(7));
    assert_eq!(watch(&["--max-line-bytes", "3", "--monitor", "echo abcd"], "").code(), Some(1));
}

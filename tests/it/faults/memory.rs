//! Memory: bounded by what is open and by the longest line allowed, never by the length of the input.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::script;
use crate::running::Running;
use crate::support::{Run, Sandbox, events, run};

const MIB: usize = 1 << 20;

/// Runs with so many bytes of address space more than an idle run takes at most.
///
/// Beyond it the system gives no memory, and the program dies of the failed allocation: nothing is measured, so
/// nothing depends on the machine.
fn run_within(sandbox: &Sandbox, bytes: usize, args: &[&str], input: &Path) -> Run {
    let idle = Running::start(sandbox, &[]);
    let status = fs::read_to_string(format!("/proc/{}/status", idle.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmPeak:")).unwrap();
    let peak: usize = peak.trim().trim_end_matches(" kB").parse().unwrap();
    drop(idle);
    let text = format!("ulimit -v {}; exec \"$0\" \"$@\"", peak + bytes / 1024);
    let mut command = script(sandbox, &text, &[]);
    command.args(args).arg(input);
    run(command, "")
}

/// Good lines around one of so many bytes, which takes no room on the disk.
fn with_a_long_line(sandbox: &Sandbox, length: usize) -> PathBuf {
    let path = sandbox.file("in.ndjson", events("U(a)"));
    let mut file = File::options().write(true).open(&path).unwrap();
    file.seek(SeekFrom::End(i64::try_from(length).unwrap())).unwrap();
    file.write_all(format!("\n{}", events("A(b)")).as_bytes()).unwrap();
    path
}

fn assert_one_line_is_skipped(run: &Run) {
    assert_eq!(run.code(), Some(1), "{}", run.stderr);
    assert_eq!(run.reports().len(), 1, "{}", run.stderr);
    assert!(run.reports()[0].starts_with("line 2: column "), "{}", run.stderr);
    assert_eq!(run.transcript().outline(), ["user a", "text b @1"]);
    assert_eq!(run.echo(), events("U(a) A(b)"));
}

// T24
#[test]
fn a_line_of_200_mb_over_the_limit_costs_no_memory() {
    let sandbox = Sandbox::new();
    let input = with_a_long_line(&sandbox, 200_000_000);
    let run = run_within(&sandbox, 8 * MIB, &["--max-line-bytes", "1000000"], &input);
    assert_one_line_is_skipped(&run);
}

#[test]
fn a_line_of_100_mb_costs_three_times_the_limit_at_most() {
    let sandbox = Sandbox::new();
    let input = with_a_long_line(&sandbox, 100_000_000);
    let run = run_within(&sandbox, (8 + 3 * 64) * MIB, &[], &input);
    assert_one_line_is_skipped(&run);
}

#[test]
fn a_line_that_memory_cannot_hold_ends_the_input_in_good_order() {
    let sandbox = Sandbox::new();
    let input = with_a_long_line(&sandbox, 50_000_000);
    let run = run_within(&sandbox, 16 * MIB, &[], &input);
    assert_eq!(run.code(), Some(1), "{}", run.stderr);
    assert_eq!(run.reports(), ["cannot read the input: out of memory"]);
    assert_eq!(run.transcript().outline(), ["user a"]);
}

#[test]
fn names_of_tools_are_not_kept_in_memory() {
    let sandbox = Sandbox::new();
    let mut lines = String::new();
    for number in 0..100 {
        let name = format!("{number} {}", "x".repeat(300_000));
        writeln!(lines, "{{\"type\":\"tool_call\",\"id\":\"c{number}\",\"name\":\"{name}\"}}").unwrap();
    }
    let input = sandbox.file("in.ndjson", lines);
    let run = run_within(&sandbox, 8 * MIB, &["--quiet"], &input);
    assert_eq!(run.code(), Some(0), "{}", run.stderr);
    assert_eq!(run.transcript().calls().len(), 100);
}

/// Calls that are never answered, with ids made from their number.
fn calls(sandbox: &Sandbox, count: usize, id: impl Fn(usize) -> String) -> PathBuf {
    let mut lines = String::new();
    for number in 0..count {
        let id = id(number);
        writeln!(lines, "{{\"type\":\"tool_call\",\"id\":\"{id}\",\"name\":\"Bash\"}}").unwrap();
    }
    sandbox.file("in.ndjson", lines)
}

/// As long as the ids of the known services are. The longest that stay as they are (64) would cost 40 bytes more.
fn usual_id(number: usize) -> String {
    format!("toolu_{number:024}")
}

fn assert_calls_fit(count: usize, id: impl Fn(usize) -> String) -> (Sandbox, Run) {
    let sandbox = Sandbox::new();
    let input = calls(&sandbox, count, id);
    let run = run_within(&sandbox, 8 * MIB + count * (32 + 128), &["--quiet"], &input);
    assert_eq!(run.code(), Some(0), "{}", run.stderr);
    let closed = format!("claude-code-cli: {count} tool calls had no result: closed as failed");
    assert!(run.reports().contains(&closed.as_str()), "{}", run.stderr);
    (sandbox, run)
}

#[test]
fn open_calls_are_closed_within_their_memory() {
    let count = 50_000;
    let (_sandbox, run) = assert_calls_fit(count, usual_id);
    // Opening and title, a call and a closing result for each id.
    assert_eq!(fs::read_to_string(run.session().file()).unwrap().lines().count(), 2 + 2 * count);
}

#[test]
#[ignore = "a million calls take a minute without optimization: .ci/run has them with it"]
fn a_million_open_calls_are_closed_within_their_memory() {
    assert_calls_fit(1_000_000, usual_id);
}

#[test]
fn a_hundred_thousand_ill_formed_ids_fit_and_are_reported_twice() {
    let (_sandbox, run) = assert_calls_fit(100_000, |number| format!("functions.read:{number}"));
    let reports: Vec<_> = run.reports().into_iter().filter(|report| report.contains("tool call id")).collect();
    assert_eq!(reports.len(), 2, "{reports:?}");
    assert!(reports[1].ends_with(": 100000 times"), "{reports:?}");
}

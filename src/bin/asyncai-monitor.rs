//! Turns watched sources into events: the command line.

use std::process::ExitCode;

use asyncai::cli;
use asyncai::cli::monitor::{PROGRAM, Request, run};
use clap::Parser;

const EXAMPLES: &str = "Exit status and limits: man asyncai-monitor. Examples:\n  tail -f app.log | asyncai-monitor --description app.log | asyncai-transcribe\n  asyncai-monitor --monitor 'tail -f app.log' | asyncai-transcribe";

/// Turns the lines of a watched source into monitor events, one JSON object a line.
///
/// Without --monitor, the source is standard input, and --description is needed.
#[expect(clippy::struct_excessive_bools, reason = "one for each switch of the command line")]
#[derive(Parser)]
#[command(name = PROGRAM, version, after_help = EXAMPLES)]
struct Args {
    /// What is watched; needed without --monitor (repeatable: the nth is for the nth command) [default: the command]
    #[arg(long, value_name = "TEXT")]
    description: Vec<String>,
    /// Run this with `sh -c` and watch its standard output; quote it: 'tail -f app.log' (repeatable)
    #[arg(long, value_name = "CMD")]
    monitor: Vec<String>,
    /// Copy the event lines of standard input between those of the commands
    #[arg(long)]
    merge_stdin: bool,
    /// End the commands when standard input ends, and count that as success
    #[arg(long)]
    until_stdin: bool,
    /// End a command after N milliseconds, with exit status 124 [default: never]
    #[arg(long, value_name = "N", value_parser = cli::positive::<u64>)]
    timeout_ms: Option<u64>,
    /// Id of the source (repeatable like --description) [default: a fresh one]
    #[arg(long, value_name = "ID")]
    task_id: Vec<String>,
    /// What the agent is told to do with each event
    #[arg(long, value_name = "TEXT", conflicts_with = "no_note")]
    note: Option<String>,
    /// Tell the agent nothing about what to do with events
    #[arg(long)]
    no_note: bool,
    /// Record the monitor itself: its start as a tool call, its end as an event with a status
    #[arg(long)]
    lifecycle: bool,
    /// Make one event of the lines that come within N milliseconds of the first
    #[arg(long, value_name = "N", default_value_t = 0)]
    batch_ms: u64,
    /// Remove terminal control sequences, and text that a carriage return overwrites
    #[arg(long)]
    strip_ansi: bool,
    /// Pass over blank lines
    #[arg(long)]
    skip_blank: bool,
    /// Cut events that are longer than N bytes [default: no limit]
    #[arg(long, value_name = "N", value_parser = cli::positive::<usize>)]
    max_event_bytes: Option<usize>,
    /// Cut lines that are longer than N bytes, with exit status 1
    #[arg(long, value_name = "N", default_value_t = 8 << 20, value_parser = cli::positive::<usize>)]
    max_line_bytes: usize,
    /// Limit events as Claude Code limits those of its own monitors
    #[arg(long)]
    throttle: bool,
}

fn main() -> ExitCode {
    cli::main(PROGRAM, |args: Args| run(&args.into()))
}

#[rustfmt::skip]
impl From<Args> for Request {
    fn from(args: Args) -> Self {
        let Args { description, monitor, merge_stdin, until_stdin, timeout_ms, task_id, note, no_note, .. } = args;
        let Args { lifecycle, batch_ms, strip_ansi, skip_blank, max_event_bytes, max_line_bytes, throttle, .. } = args;
        Self {
            description, monitor, merge_stdin, until_stdin, timeout_ms, task_id, note, no_note,
            lifecycle, batch_ms, strip_ansi, skip_blank, max_event_bytes, max_line_bytes, throttle,
        }
    }
}

//! `asyncai-monitor`: from what was typed to a run of the watch.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use rustix::fs::FileType;

use super::output::Output;
use super::signals::Signals;
use super::{Status, say_to};
use crate::event::{Note, is_visible};
use crate::monitor::{
    self, Blanks, Cause, Command, Ending, Escapes, InputEnd, InputLines, Label, Lifecycle, Options, Outcome, Pace,
    Pacing, Reader, Shape, Watched,
};
use crate::report::reason;
use crate::task_id;

/// The program's name in its messages.
pub const PROGRAM: &str = "asyncai-monitor";

/// The status of a program that a second interrupt ended.
const INTERRUPTED: u8 = 130;
/// The status of a command that took too long, as timeout(1) has it.
const TIMED_OUT: u8 = 124;
/// The status of a command that could not be run, as a shell has it.
const CANNOT_RUN: u8 = 127;

/// What was typed.
#[expect(clippy::struct_excessive_bools, reason = "one for each switch of the command line")]
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// What is watched; the nth belongs to the nth command.
    pub description: Vec<String>,
    /// The commands; none is a filter.
    pub monitor: Vec<String>,
    /// Whether the lines of standard input are copied beside the commands' events.
    pub merge_stdin: bool,
    /// Whether the end of standard input ends the commands.
    pub until_stdin: bool,
    /// How long a command may run, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// The sources' ids; the nth belongs to the nth source.
    pub task_id: Vec<String>,
    /// What the agent is told to do with each event.
    pub note: Option<String>,
    /// Whether it is told nothing.
    pub no_note: bool,
    /// Whether the monitor itself is recorded.
    pub lifecycle: bool,
    /// How long lines are joined, in milliseconds.
    pub batch_ms: u64,
    /// Whether terminal control sequences go.
    pub strip_ansi: bool,
    /// Whether blank lines are passed over.
    pub skip_blank: bool,
    /// The longest event, in bytes.
    pub max_event_bytes: Option<usize>,
    /// The longest line, in bytes.
    pub max_line_bytes: usize,
    /// Whether events are limited as Claude Code limits them.
    pub throttle: bool,
}

/// Runs the program.
///
/// # Errors
/// When it cannot start; then no command was run.
pub fn run(request: &Request) -> anyhow::Result<Status> {
    let options = resolve(request, &mut task_id::fresh)?;
    let signals = match options.watched {
        Watched::Input(_) => Signals::of_a_filter()?,
        Watched::Commands { .. } => Signals::of_a_parent()?,
    };
    let input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let pacing = if output.metadata()?.is_file() { Pacing::AtOnce } else { Pacing::AsRoom };
    let mut messages = Output::stderr(&signals)?;
    let mut say = |message: &dyn Display| say_to(&mut messages, PROGRAM, message);
    warn_of_unread_pipe(&options.watched, &input, &mut say);
    let outcome = monitor::run(
        input,
        (output, pacing),
        monitor::Signals { wake: signals.wake(), next: &mut || signals.take() },
        &options,
        &mut say,
    )?;
    Ok(conclude(&outcome, &options.watched, &signals, &mut say))
}

fn warn_of_unread_pipe(watched: &Watched, input: &File, say: &mut dyn FnMut(&dyn Display)) {
    let is_pipe = || rustix::fs::fstat(input).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Fifo);
    if matches!(watched, Watched::Commands { input: None, .. }) && io::stderr().is_terminal() && is_pipe() {
        say(&"standard input is not read: --merge-stdin copies its events");
    }
}

/// Says how the run ended.
fn conclude(outcome: &Outcome, watched: &Watched, signals: &Signals, say: &mut dyn FnMut(&dyn Display)) -> Status {
    let is_loss = match &outcome.reader {
        Reader::Reading => outcome.lost > 0,
        Reader::Left => return Status::Success,
        Reader::Lost(error) => {
            say(&format_args!("cannot write to stdout: {}", reason(error)));
            true
        }
    };
    let own = if is_loss { Status::Loss } else { Status::Success };
    match (watched, outcome.cause) {
        (_, Some(Cause::Interrupted)) => Status::Passed(INTERRUPTED),
        (Watched::Input(_), Some(Cause::Signal(signal))) => {
            signals.die(signal);
            own
        }
        (Watched::Input(_), None) => own,
        (Watched::Commands { .. }, cause) => commands_status(&outcome.endings, cause, own, signals),
    }
}

/// The status of the one command, or whether any of several failed.
fn commands_status(endings: &[Ending], cause: Option<Cause>, own: Status, signals: &Signals) -> Status {
    let statuses: Vec<u8> = endings.iter().map(|ending| status_of(*ending)).collect();
    let status = match (&*statuses, cause) {
        ([status], _) => *status,
        (_, Some(Cause::Signal(signal))) => u8::try_from(128 + signal).unwrap_or(1),
        (statuses, _) => u8::from(statuses.iter().any(|status| *status != 0)),
    };
    // A shell that runs a script goes on after a command with the status 130, but not after one that died of it.
    if let Some(Cause::Signal(signal)) = cause
        && status == INTERRUPTED
    {
        signals.die(signal);
    }
    if status == 0 { own } else { Status::Passed(status) }
}

fn status_of(ending: Ending) -> u8 {
    match ending {
        Ending::Status(status) => u8::try_from(status).unwrap_or(1),
        Ending::CannotRun => CANNOT_RUN,
        Ending::TimedOut => TIMED_OUT,
        Ending::Flooded => 1,
        Ending::Ended => 0,
    }
}

/// Turns what was typed into what to do. Starts nothing.
fn resolve(request: &Request, fresh_id: &mut dyn FnMut() -> String) -> anyhow::Result<Options> {
    ensure!(request.monitor.iter().all(|command| command.chars().any(is_visible)), "--monitor: is blank");
    for (option, is_given) in [
        ("--merge-stdin", request.merge_stdin),
        ("--until-stdin", request.until_stdin),
        ("--timeout-ms", request.timeout_ms.is_some()),
    ] {
        ensure!(!is_given || !request.monitor.is_empty(), "{option}: needs a command: --monitor 'COMMAND'");
    }
    let sources = request.monitor.len().max(1);
    for (option, values) in [("--description", &request.description), ("--task-id", &request.task_id)] {
        ensure!(values.len() <= sources, "{option}: given more often than there are sources");
        ensure!(values.iter().all(|value| value.chars().any(is_visible)), "{option}: is blank");
    }
    let note = match &request.note {
        Some(note) => {
            ensure!(note.chars().any(is_visible), "--note: is blank; --no-note leaves it out");
            Note::Text(note.clone().into())
        }
        None if request.no_note => Note::None,
        None => Note::Usual,
    };
    let mut label = |place: usize, command: Option<&String>| {
        let description = request.description.get(place).or(command);
        let description = description
            .context("nothing to watch: name standard input with --description, or a command with --monitor")?
            .clone();
        let task_id = request.task_id.get(place).cloned().unwrap_or_else(&mut *fresh_id);
        Ok::<_, anyhow::Error>(Label { description, task_id, note: note.clone() })
    };
    let watched = if request.monitor.is_empty() {
        Watched::Input(label(0, None)?)
    } else {
        let commands = request
            .monitor
            .iter()
            .enumerate()
            .map(|(place, line)| Ok(Command { line: line.clone(), label: label(place, Some(line))? }));
        Watched::Commands {
            commands: commands.collect::<anyhow::Result<_>>()?,
            input: input_role(request),
            timeout: request.timeout_ms.map(Duration::from_millis),
        }
    };
    let lifecycle = if request.lifecycle { Lifecycle::Recorded } else { Lifecycle::Off };
    Ok(Options { watched, shape: shape(request), lifecycle })
}

fn input_role(request: &Request) -> Option<(InputLines, InputEnd)> {
    let lines = if request.merge_stdin { InputLines::Copied } else { InputLines::Dropped };
    let end = if request.until_stdin { InputEnd::EndsCommands } else { InputEnd::Goes };
    (request.merge_stdin || request.until_stdin).then_some((lines, end))
}

fn shape(request: &Request) -> Shape {
    Shape {
        max_line_bytes: request.max_line_bytes,
        escapes: if request.strip_ansi { Escapes::Strip } else { Escapes::Keep },
        blanks: if request.skip_blank { Blanks::Skip } else { Blanks::Keep },
        max_event_bytes: request.max_event_bytes,
        batch: Duration::from_millis(request.batch_ms),
        pace: if request.throttle { Pace::Throttled } else { Pace::Free },
    }
}

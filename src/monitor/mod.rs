//! Watched sources as events: lines of standard input or of commands. Speaks the event stream only, and knows no
//! session.

mod ansi;
mod command;
mod compose;
mod lifecycle;
mod outlet;
mod source;
mod throttle;
mod watch;

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, Timespec, poll};
use rustix::io::Errno;

pub use self::outlet::{Pacing, Reader};
use crate::event::Note;

/// The longest event line that is copied from standard input, in bytes; as much as `asyncai-transcribe` takes.
pub const EVENT_LINE_LIMIT: usize = 64 << 20;

/// What all events of a source have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// What is watched.
    pub description: String,
    /// The source's id.
    pub task_id: String,
    /// What the agent is told to do with an event.
    pub note: Note<'static>,
}

/// What is done to terminal control sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Escapes {
    /// They stay.
    Keep,
    /// They go, and so does text that a carriage return overwrites.
    Strip,
}

/// What is done to lines with nothing to see in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blanks {
    /// Each is an event.
    Keep,
    /// They are passed over.
    Skip,
}

/// How many events a source may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// As many as there are.
    Free,
    /// As many as Claude Code takes from its own monitors.
    Throttled,
}

/// How lines become events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// The longest line, in bytes; a longer one is cut.
    pub max_line_bytes: usize,
    /// What is done to terminal control sequences.
    pub escapes: Escapes,
    /// What is done to blank lines.
    pub blanks: Blanks,
    /// The longest event, in bytes; a longer one is cut.
    pub max_event_bytes: Option<usize>,
    /// Lines that come within this time of the first are one event; nothing is joined when it is zero.
    pub batch: Duration,
    /// How many events a source may make.
    pub pace: Pace,
}

/// A command to watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// What the shell runs.
    pub line: String,
    /// What its events have in common.
    pub label: Label,
}

/// What becomes of the lines of standard input beside commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputLines {
    /// They are copied to the output.
    Copied,
    /// They are read and dropped.
    Dropped,
}

/// What the end of standard input does to the commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputEnd {
    /// Nothing.
    Goes,
    /// It ends them.
    EndsCommands,
}

/// What is watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Watched {
    /// The lines of standard input.
    Input(Label),
    /// The lines of commands.
    Commands {
        /// The commands.
        commands: Vec<Command>,
        /// What standard input is for; without it, it is not read.
        input: Option<(InputLines, InputEnd)>,
        /// How long a command may run.
        timeout: Option<Duration>,
    },
}

/// Whether the monitor itself is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifecycle {
    /// It is not.
    Off,
    /// Its start as a tool call, its end as an event with a status.
    Recorded,
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// What is watched.
    pub watched: Watched,
    /// How lines become events.
    pub shape: Shape,
    /// Whether the monitor itself is recorded.
    pub lifecycle: Lifecycle,
}

/// Signals as something to wait for.
pub struct Signals<'a> {
    /// Readable once a signal may have come, also that of a child's end.
    pub wake: BorrowedFd<'a>,
    /// Gives each end signal that has come, once, and makes `wake` unreadable.
    pub next: &'a mut dyn FnMut() -> Option<i32>,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// By itself or by a signal: its status, or 128 and the signal.
    Status(i32),
    /// It could not be run.
    CannotRun,
    /// It took longer than it may.
    TimedOut,
    /// It made more output than the throttle bears.
    Flooded,
    /// It was ended because there was no more use for it.
    Ended,
}

/// Why the run ended before its sources did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A signal that is to be died of, or to be passed on.
    Signal(i32),
    /// A second interrupt.
    Interrupted,
}

/// What a run came to.
#[derive(Debug)]
pub struct Outcome {
    /// How each command ended.
    pub endings: Vec<Ending>,
    /// What ended the run early.
    pub cause: Option<Cause>,
    /// How many lines were cut or left out without being asked for, and how many sources could not be read.
    pub lost: u64,
    /// What became of the reader of the output.
    pub reader: Reader,
}

/// Watches until all sources have ended, and writes their events; `say` gets each message for the user.
///
/// Whatever is complete is written before a wait.
///
/// # Errors
/// When a description cannot be written as JSON; then nothing was started.
pub fn run<'a>(
    input: File,
    output: (impl Write + AsFd, Pacing),
    signals: Signals<'a>,
    options: &'a Options,
    say: &'a mut dyn FnMut(&dyn Display),
) -> io::Result<Outcome> {
    Ok(watch::Watch::start(input, output, signals, options, say)?.run())
}

/// Waits until one of the descriptors is ready or the time has passed.
fn wait(waits: &mut [PollFd<'_>], timeout: Option<Duration>) -> io::Result<()> {
    let end = timeout.map(|timeout| Instant::now() + timeout);
    let mut left = timeout;
    loop {
        // A time that does not fit is so far away that it is none.
        let timespec = left.and_then(|left| Timespec::try_from(left).ok());
        match poll(waits, timespec.as_ref()) {
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => left = end.map(|end| end.saturating_duration_since(Instant::now())),
            Err(error) => return Err(error.into()),
        }
    }
}

//! `asyncai-sessionize`: from what was typed to a run.

use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use anyhow::ensure;

use super::input::Input;
use super::output::Output;
use super::progress::Progress;
use super::signals::EndSignals;
use super::{Status, cannot, say};
use crate::conversation::events;
use crate::report::reason;

/// The program's name in its messages.
pub const PROGRAM: &str = "asyncai-sessionize";

/// What was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// The transcript as event lines.
    Events {
        /// The transcript; `-` or nothing is standard input.
        path: Option<PathBuf>,
    },
}

/// Runs the program.
///
/// # Errors
/// When it cannot start.
pub fn run(request: &Request) -> anyhow::Result<Status> {
    let signals = EndSignals::watch().map_err(cannot("watch for signals"))?;
    let status = match request {
        Request::Events { path } => run_events(path.as_deref(), &signals)?,
    };
    signals.die_if_come();
    Ok(status)
}

fn run_events(path: Option<&Path>, signals: &EndSignals) -> anyhow::Result<Status> {
    let stdout = io::stdout();
    let input = Input::open(path, signals)?.until_left(stdout.as_fd());
    let output = Output::stdout(signals).map_err(cannot("open stdout"))?;
    ensure!(!input.is_fed_by(&output), "cannot write: the input is the output");
    ensure!(!input.is_fed_by(io::stderr()), "cannot report: the input is where messages go");
    let progress = Progress::new(PROGRAM);
    let outcome = events::run(progress.watch(input), output, &mut |message| progress.say(message));
    progress.end();
    if outcome.reader_left {
        return Ok(Status::Success);
    }
    let errors = [("cannot read the input", &outcome.input_error), ("cannot write to stdout", &outcome.output_error)];
    let mut is_loss = outcome.broken > 0;
    for (what, error) in errors {
        if let Some(error) = error
            && !signals.has_come()
        {
            is_loss = true;
            say(PROGRAM, &format_args!("{what}: {}", reason(error)));
        }
    }
    Ok(if is_loss { Status::Loss } else { Status::Success })
}

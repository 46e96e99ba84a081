//! `asyncai-sessionize`: from what was typed to a run.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, ensure};

use super::input::Input;
use super::output::Output;
use super::progress::Progress;
use super::signals::EndSignals;
use super::{Status, cannot, hint_at_terminal, printable, show, shown, verify};
use crate::conversation::adapters::{self, Source};
use crate::conversation::record::Seen;
use crate::conversation::structure::{self, Failure, Reader, Structure};
use crate::conversation::{events, flow};
use crate::event::is_visible;
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
    /// What is wrong with transcripts, and what is odd in them.
    Verify {
        /// The transcripts; none is standard input.
        paths: Vec<PathBuf>,
    },
    /// What a session consists of.
    Structure {
        /// The conversation's id; nothing is the session's.
        conversation: Option<String>,
        /// The transcript; `-` or nothing is standard input.
        path: Option<PathBuf>,
    },
    /// The conversation, or one thing of it, for people or as data.
    Show(show::Request),
}

/// Runs the program.
///
/// # Errors
/// When it cannot start.
pub fn run(request: &Request) -> anyhow::Result<Status> {
    let signals = EndSignals::watch().map_err(cannot("watch for signals"))?;
    let status = match request {
        Request::Events { path } => run_events(path.as_deref(), &signals)?,
        Request::Verify { paths } => verify::run(paths, &signals)?,
        Request::Structure { conversation, path } => {
            run_structure(&Session::find(path.as_deref(), conversation.as_deref())?, &signals)?
        }
        Request::Show(request) => show::run(request, &signals)?,
    };
    signals.die_if_come();
    Ok(status)
}

fn run_events(path: Option<&Path>, signals: &EndSignals) -> anyhow::Result<Status> {
    let stdout = io::stdout();
    let progress = Progress::new(PROGRAM, signals);
    let input = open_apart(path, signals, &progress)?.until_left(stdout.as_fd());
    let output = Output::stdout(signals).map_err(cannot("open stdout"))?;
    let outcome = events::run(progress.watch(input), output, &mut |message| progress.say(message));
    progress.end();
    if outcome.reader_left {
        return Ok(Status::Success);
    }
    let errors = [("cannot read the input", &outcome.input_error), ("cannot write to stdout", &outcome.output_error)];
    let mut is_loss = outcome.broken > 0 || outcome.is_foreign;
    for (what, error) in errors {
        if let Some(error) = error
            && !signals.has_come()
        {
            is_loss = true;
            progress.say(&format_args!("{what}: {}", reason(error)));
        }
    }
    Ok(if is_loss { Status::Loss } else { Status::Success })
}

/// Opens an input that what is written does not go into: it would never end.
pub(super) fn open_apart<'a>(
    path: Option<&Path>,
    signals: &'a EndSignals,
    progress: &Progress<'_>,
) -> anyhow::Result<Input<'a>> {
    hint_at_terminal(path, &mut |message| progress.say(message));
    let input = Input::open(path, signals)?;
    ensure!(!input.is_fed_by(io::stdout()), "cannot write: the input is the output");
    ensure!(!input.is_fed_by(io::stderr()), "cannot report: the input is where messages go");
    Ok(input)
}

fn run_structure(session: &Session<'_>, signals: &EndSignals) -> anyhow::Result<Status> {
    let mut output = Output::stdout(signals).map_err(cannot("open stdout"))?;
    let progress = Progress::new(PROGRAM, signals);
    let structure = session.read(signals, &progress, None)?;
    progress.end();
    let written = flow::write(&structure.head, &structure.conversation, &mut output);
    let status = written_status(written, structure.broken, signals, &progress);
    // The program ends here; to give millions of small texts back one by one would only keep the user waiting.
    std::mem::forget(structure);
    Ok(status)
}

/// How a run ends that wrote what it had read.
pub(super) fn written_status(
    written: io::Result<()>,
    broken: u64,
    signals: &EndSignals,
    progress: &Progress<'_>,
) -> Status {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Status::Success,
        Err(error) if !signals.has_come() => {
            progress.say(&format_args!("cannot write to stdout: {}", reason(&error)));
            Status::Loss
        }
        _ if broken > 0 => Status::Loss,
        _ => Status::Success,
    }
}

/// A session to be read whole.
pub(super) struct Session<'a> {
    /// Its main transcript, for people.
    name: String,
    /// Where it stands.
    pub(super) sources: Vec<Source>,
    /// The conversation's id, if somebody gave one.
    conversation: Option<&'a str>,
}

impl<'a> Session<'a> {
    /// Finds the sources of a session.
    pub(super) fn find(path: Option<&Path>, conversation: Option<&'a str>) -> anyhow::Result<Self> {
        let is_given = conversation.is_none_or(|id| id.chars().any(is_visible));
        ensure!(is_given, "--conversation: is blank");
        let path = path.filter(|path| path.as_os_str() != "-");
        let name = path.map_or_else(|| "-".to_owned(), shown);
        let sources =
            adapters::sources(path).map_err(|error| anyhow!("cannot read the folder of {name}: {}", reason(&error)))?;
        Ok(Self { name, sources, conversation })
    }

    /// Reads them and puts the session together; `see` gets each record.
    pub(super) fn read(
        &self,
        signals: &EndSignals,
        progress: &Progress<'_>,
        see: Option<&mut dyn FnMut(&Seen<'_>)>,
    ) -> anyhow::Result<Structure> {
        // An input that cannot be opened is told with its own name.
        let mut cannot_open = None;
        let mut open = |source: &Source| match open_apart(source.path.as_deref(), signals, progress) {
            Ok(input) => Ok(Box::new(progress.watch(input)) as Box<dyn Read>),
            Err(error) => {
                cannot_open = Some(error);
                Err(io::ErrorKind::NotFound.into())
            }
        };
        let see = see.map(|see| see as &mut dyn FnMut(&Seen<'_>));
        let mut reader = Reader { open: &mut open, say: &mut |message| progress.say(message), see };
        let structure = structure::read(&self.sources, self.conversation, &mut reader);
        if signals.has_come() {
            progress.end();
            signals.die_if_come();
        }
        match cannot_open {
            Some(error) => Err(error),
            None => structure.map_err(|failure| anyhow!("cannot read {}: {failure}", self.name_of(&failure))),
        }
    }

    /// The source that a failure is about, for people.
    fn name_of(&self, failure: &Failure) -> String {
        match failure {
            Failure::Unreadable { source: source @ 1.., .. } => {
                self.sources.get(*source).map(|source| printable(&source.name)).unwrap_or_default()
            }
            _ => self.name.clone(),
        }
    }
}

//! `asyncai-transcribe`: from what was typed to a run of the filter.

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::io::{self, IsTerminal};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail, ensure};

use super::signals::EndSignals;
use super::streams::Streams;
use super::{Environment, Status, cannot, hint_at_terminal, printable, say_to, shown};
use crate::event::is_visible;
use crate::report::reason;
use crate::session::SessionLogger;
use crate::session::context::{Context, git_branch};
use crate::session::format::Format;
use crate::session::stamp::SystemStamp;
use crate::transcribe::{self, Echo, Options, Outcome, Rejection};

/// The program's name in its messages.
pub const PROGRAM: &str = "asyncai-transcribe";

/// What was typed.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The event stream; `-` or nothing is standard input.
    pub file: Option<PathBuf>,
    /// The formats to write; none is the default one.
    pub session_format: Vec<String>,
    /// Roots of formats, as `FORMAT=PATH`.
    pub session_dir: Vec<OsString>,
    /// Whether no transcript is written.
    pub no_session: bool,
    /// The agent's name.
    pub agent_name: String,
    /// The model of records whose event names none.
    pub model: Option<String>,
    /// The working directory.
    pub cwd: Option<PathBuf>,
    /// The git branch; an empty one is none.
    pub git_branch: Option<String>,
    /// The session's title.
    pub title: Option<String>,
    /// Whether nothing follows the session line.
    pub quiet: bool,
    /// Whether the first rejected line ends the run.
    pub strict: bool,
    /// The longest line, in bytes.
    pub max_line_bytes: usize,
}

/// What to do: every value checked, nothing made yet.
#[derive(Debug, PartialEq, Eq)]
struct Plan {
    targets: Vec<Target>,
    context: Context,
    options: Options,
}

/// A transcript to write.
#[derive(Debug, PartialEq, Eq)]
struct Target {
    format: Format,
    root: PathBuf,
    is_default_root: bool,
}

/// Runs the program.
///
/// # Errors
/// When it cannot start; then nothing was made.
pub fn run(request: &Request) -> anyhow::Result<Status> {
    let plan = resolve(request, &Environment::capture())?;
    let signals = EndSignals::watch().map_err(cannot("watch for signals"))?;
    let streams = Streams::open(request.file.as_deref(), &signals)?;
    if plan.options.echo == Echo::Accepted {
        streams.refuse_circle()?;
    }
    let Streams { input, output, mut messages } = streams;
    let mut say = |message: &dyn Display| say_to(&mut messages, PROGRAM, message);
    hint_at_terminal(request.file.as_deref(), &mut say);
    let mut logger = SessionLogger::new(Box::new(SystemStamp));
    for target in &plan.targets {
        let harness = target.format.open(&target.root, target.is_default_root, &plan.context);
        // The reason alone would not say which folder it is about.
        let in_root =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {}", shown(&target.root), reason(&error)));
        logger.add(target.format.name(), harness.map_err(in_root));
    }
    let outcome = transcribe::run(input, output, logger, &plan.options, &mut say);
    let status = conclude(&outcome, &signals, &mut say);
    signals.die_if_come();
    Ok(status)
}

/// Says how the run ended, and what the user can do next.
fn conclude(outcome: &Outcome, signals: &EndSignals, say: &mut dyn FnMut(&dyn Display)) -> Status {
    let errors = [("cannot read the input", &outcome.input_error), ("cannot write to stdout", &outcome.output_error)];
    let mut is_loss = outcome.rejected > 0 || outcome.summary.has_lost;
    for (what, error) in errors {
        if let Some(error) = error
            && !signals.has_come()
        {
            is_loss = true;
            say(&format_args!("{what}: {}", reason(error)));
        }
    }
    if outcome.summary.events == 0 && !is_loss && !outcome.summary.recordings.is_empty() {
        say(&"no event came: there is nothing to resume");
    } else if io::stderr().is_terminal() {
        for recording in &outcome.summary.recordings {
            let count = outcome.summary.events;
            let events = if count == 1 { "event" } else { "events" };
            say(&format_args!("{count} {events} recorded in {}", printable(&recording.session_file)));
            say(&format_args!("to go on: {}", printable(&recording.resume_command)));
        }
    }
    if is_loss { Status::Loss } else { Status::Success }
}

/// Turns what was typed into what to do. Looks at the disk, but changes nothing.
fn resolve(request: &Request, environment: &Environment) -> anyhow::Result<Plan> {
    ensure!(request.agent_name.chars().any(is_visible), "--agent-name: is blank");
    for (option, value) in [("--model", &request.model), ("--title", &request.title)] {
        ensure!(value.as_ref().is_none_or(|value| value.chars().any(is_visible)), "{option}: is blank");
    }
    let cwd = resolve_cwd(request.cwd.as_deref())?;
    let branch = match &request.git_branch {
        Some(branch) => Some(branch.clone()).filter(|branch| !branch.is_empty()),
        None => git_branch(Path::new(&cwd)),
    };
    let model = request.model.clone().unwrap_or_else(|| request.agent_name.clone());
    Ok(Plan {
        targets: if request.no_session { Vec::new() } else { targets(request, environment)? },
        context: Context {
            cwd,
            git_branch: branch,
            model,
            title: request.title.clone(),
            utc_offset: environment.utc_offset,
        },
        options: Options {
            agent_name: request.agent_name.clone(),
            echo: if request.quiet { Echo::Off } else { Echo::Accepted },
            rejection: if request.strict { Rejection::Stop } else { Rejection::Skip },
            max_line_bytes: request.max_line_bytes,
        },
    })
}

fn resolve_cwd(cwd: Option<&Path>) -> anyhow::Result<String> {
    let (name, folder) = match cwd {
        Some(folder) => (format!("--cwd: {}", shown(folder)), folder),
        None => ("working directory".to_owned(), Path::new(".")),
    };
    let resolved = folder.canonicalize().map_err(|error| anyhow!("{name}: {}", reason(&error)))?;
    ensure!(resolved.is_dir(), "{name}: not a directory");
    resolved.into_os_string().into_string().map_err(|_| anyhow!("{name}: its path is not UTF-8"))
}

fn targets(request: &Request, environment: &Environment) -> anyhow::Result<Vec<Target>> {
    let formats = formats(&request.session_format)?;
    let roots = roots(&request.session_dir, &formats)?;
    formats.iter().map(|format| target(*format, &roots, environment)).collect()
}

fn formats(names: &[String]) -> anyhow::Result<Vec<Format>> {
    let mut formats = Vec::new();
    for name in names {
        let format = Format::from_name(name).ok_or_else(unknown_format).context("--session-format")?;
        ensure!(!formats.contains(&format), "--session-format: {} is given twice", format.name());
        formats.push(format);
    }
    if formats.is_empty() {
        formats.extend(Format::ALL.first());
    }
    Ok(formats)
}

fn unknown_format() -> anyhow::Error {
    anyhow!("unknown format: not one of {}", Format::ALL.map(Format::name).join(", "))
}

fn roots(given: &[OsString], formats: &[Format]) -> anyhow::Result<Vec<(Format, PathBuf)>> {
    let mut roots: Vec<(Format, PathBuf)> = Vec::new();
    for root in given {
        let mut parts = root.as_bytes().splitn(2, |byte| *byte == b'=');
        let (Some(name), Some(path @ [_, ..])) = (parts.next(), parts.next()) else {
            bail!("--session-dir: not of the form FORMAT=PATH, such as claude-code-cli=/tmp/sessions");
        };
        // No shell expands a tilde there, and nobody wants a folder of that name.
        ensure!(!path.starts_with(b"~"), "--session-dir: begins with a tilde: write the path out, or use $HOME");
        let format = std::str::from_utf8(name).ok().and_then(Format::from_name);
        let format = format.ok_or_else(unknown_format).context("--session-dir")?;
        ensure!(
            formats.contains(&format),
            "--session-dir: {0} is not in use; --session-format {0} adds it",
            format.name()
        );
        ensure!(roots.iter().all(|(other, _)| *other != format), "--session-dir: {} is given twice", format.name());
        roots.push((format, OsStr::from_bytes(path).into()));
    }
    Ok(roots)
}

fn target(format: Format, roots: &[(Format, PathBuf)], environment: &Environment) -> anyhow::Result<Target> {
    let own = roots.iter().find(|(other, _)| *other == format).map(|(_, root)| root.clone());
    let root = own
        .or_else(|| format.root(&environment.homes))
        .with_context(|| format!("no home: set HOME, or give the root with --session-dir {}=PATH", format.name()))?;
    let absolute =
        std::path::absolute(&root).map_err(|error| anyhow!("root of {}: {}", format.name(), reason(&error)))?;
    ensure!(absolute.to_str().is_some(), "root of {}: its path is not UTF-8", format.name());
    let is_default_root = format.default_root(&environment.homes).as_ref() == Some(&absolute);
    Ok(Target { format, root: absolute, is_default_root })
}

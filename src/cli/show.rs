//! `asyncai-sessionize show`: from what was typed to a tree, a document, or one thing of it.

use std::env;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use anyhow::{anyhow, ensure};
use rustix::termios::tcgetwinsize;

use super::output::Output;
use super::progress::Progress;
use super::sessionize::{PROGRAM, Session, written_status};
use super::signals::EndSignals;
use super::{Status, cannot};
use crate::conversation::show::{self, Gathered, Keep, Look, Paint, Terms};

/// The choices of words.
pub const TERMS: [&str; 3] = Terms::NAMES;

/// How wide lines are where there is no terminal.
const WIDTH: usize = 100;

/// So wide they may be asked to be.
const NARROWEST: usize = 20;
const WIDEST: usize = 1000;

/// The least that is kept of each text for a line.
const GLANCE: usize = 400;

/// Of each text a document has so many bytes at most.
const TEXT_LIMIT: usize = 2000;

/// What was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Whose words are shown, by the name of the choice.
    pub terms: String,
    /// Whether one JSON document is wanted.
    pub json: bool,
    /// The one thing that is wanted.
    pub id: Option<String>,
    /// The conversation's id; nothing is the session's.
    pub conversation: Option<String>,
    /// The transcript; `-` or nothing is standard input.
    pub path: Option<PathBuf>,
}

/// Runs the command.
pub(super) fn run(request: &Request, signals: &EndSignals) -> anyhow::Result<Status> {
    let terms = Terms::from_name(&request.terms).ok_or_else(|| anyhow!("--terms: not one of {}", TERMS.join(", ")))?;
    let look = look(terms);
    ensure!(request.id.as_deref() != Some(""), "--id: is blank");
    let session = Session::find(request.path.as_deref(), request.conversation.as_deref())?;
    let mut output = Output::stdout(signals).map_err(cannot("open stdout"))?;
    let progress = Progress::new(PROGRAM, signals);
    // A character takes four bytes at most.
    let keep = if request.json { Keep::Data(TEXT_LIMIT) } else { Keep::Glance(GLANCE.max(4 * look.width)) };
    let mut gathered = Gathered::new(&session.sources, keep, request.id.as_deref());
    let structure = session.read(signals, &progress, Some(&mut |seen| gathered.see(seen)))?;
    progress.end();
    let shown = show::Session { sources: &session.sources, structure: &structure, gathered: &gathered };
    let written = match request.id.as_deref().map(|id| show::find(shown, id)) {
        None if request.json => show::write_data(shown, terms, &mut output),
        None => show::write(shown, look, &mut output),
        Some(Ok(one)) if request.json => show::write_one_data(&one, terms, &mut output),
        Some(Ok(one)) => show::write_one(&one, look, &mut output),
        Some(Err(why)) => {
            progress.say(&format_args!("--id: {why}"));
            return Ok(Status::Loss);
        }
    };
    let status = written_status(written, structure.broken, signals, &progress);
    // As with `structure`: the program ends here.
    std::mem::forget((structure, gathered));
    Ok(status)
}

/// How lines look on the standard output.
fn look(terms: Terms) -> Look {
    let stdout = io::stdout();
    let is_terminal = stdout.is_terminal();
    let columns = tcgetwinsize(&stdout).map(|size| usize::from(size.ws_col)).unwrap_or_default();
    let width = if is_terminal && columns > 0 { columns } else { wanted_columns().unwrap_or(WIDTH) };
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
    let has_colours = is_terminal && !is_set("NO_COLOR") && !is_dumb;
    Look { width, paint: if has_colours { Paint::Colours } else { Paint::Plain }, terms }
}

/// What the environment says for programs that write into a pager.
fn wanted_columns() -> Option<usize> {
    env::var("COLUMNS").ok()?.parse().ok().filter(|columns| (NARROWEST..=WIDEST).contains(columns))
}

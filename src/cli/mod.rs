//! The edge: exit status, messages on stderr, what is captured of the environment. The only room with `anyhow`.

pub mod atirc;
pub mod input;
pub mod monitor;
pub mod output;
pub mod progress;
pub mod sessionize;
pub mod show;
pub mod signals;
pub mod streams;
pub mod transcribe;
mod verify;

use std::env;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use clap::Parser;
use clap::error::ErrorKind;

use crate::report::reason;
use crate::session::format::Homes;

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// All input was taken and written, or the reader of the output left.
    Success,
    /// It ran to the end, but something was lost or rejected.
    Loss,
    /// It ran to the end, and this is the status of the command that it ran.
    Passed(u8),
    /// A part of what it was to read could not be had at all; that has been told.
    Unread,
}

/// The status of a program that could not start.
const CANNOT_START: u8 = 2;

/// Runs a program: reads its command line, and turns whatever comes out into an exit status.
///
/// An error means that the program could not start; it is told in one line.
pub fn main<A: Parser>(program: &str, run: impl FnOnce(A) -> anyhow::Result<Status>) -> ExitCode {
    let result = match A::try_parse() {
        Ok(arguments) => run(arguments),
        Err(help) if matches!(help.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            Ok(told(program, help.print()))
        }
        Err(error) => Err(usage_error(&error)),
    };
    match result {
        Ok(Status::Success) => ExitCode::SUCCESS,
        Ok(Status::Loss) => ExitCode::FAILURE,
        Ok(Status::Passed(status)) => ExitCode::from(status),
        Ok(Status::Unread) => ExitCode::from(CANNOT_START),
        Err(error) => {
            say(program, &format_args!("{error:#}"));
            ExitCode::from(CANNOT_START)
        }
    }
}

/// How a program ends that only had something to print.
fn told(program: &str, printed: io::Result<()>) -> Status {
    match printed {
        // A reader that left early wanted no more of it.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            say(program, &format_args!("cannot write to stdout: {}", reason(&error)));
            Status::Loss
        }
        _ => Status::Success,
    }
}

/// Puts what the command line parser has to say on one line.
fn usage_error(error: &clap::Error) -> anyhow::Error {
    let text = error.render().to_string();
    let mut parts = text.split("\n\n");
    let problem = parts.next().unwrap_or_default().trim_start_matches("error: ");
    // What is similar to what was typed stands in a part of its own.
    let tip = parts.find_map(|part| part.trim().strip_prefix("tip: ")).unwrap_or("--help tells more");
    let one_line = |text: &str| printable(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    anyhow::anyhow!("{}; {}", one_line(problem), one_line(tip))
}

/// Reads a number from the command line.
///
/// # Errors
/// When it is no whole number, or less than 1; in plain words.
pub fn positive<N: FromStr + PartialOrd + From<u8>>(text: &str) -> Result<N, String> {
    text.parse().ok().filter(|number| *number >= N::from(1)).ok_or_else(|| "not a whole number of 1 or more".to_owned())
}

/// Writes a message in one line on stderr. Nobody can be told when that fails.
pub fn say(program: &str, message: &dyn Display) {
    say_to(&mut io::stderr().lock(), program, message);
}

/// Tells who types that the program waits for that, and how to end it.
fn hint_at_terminal(path: Option<&Path>, say: &mut dyn FnMut(&dyn Display)) {
    let is_stdin = path.is_none_or(|path| path.as_os_str() == "-");
    if is_stdin && io::stdin().is_terminal() && io::stderr().is_terminal() {
        say(&"reading the terminal: Ctrl-D ends the input");
    }
}

/// Writes a message in one line, with a single write: the programs of a pipeline share one stderr. Names of files may
/// stand in it, and those hold anything.
fn say_to(messages: &mut impl Write, program: &str, message: &dyn Display) {
    let _ = messages.write_all(format!("{program}: {}\n", printable(&message.to_string())).as_bytes());
}

/// Says why the program cannot start.
fn cannot(what: &'static str) -> impl FnOnce(io::Error) -> anyhow::Error {
    move |error| anyhow::anyhow!("cannot {what}: {}", reason(&error))
}

/// Makes a text from the command line safe for a terminal.
#[must_use]
pub fn printable(text: &str) -> String {
    text.chars().map(|character| if is_safe(character) { character } else { '\u{fffd}' }).collect()
}

/// Tells whether a character neither steers a terminal nor changes how the text around it looks.
fn is_safe(character: char) -> bool {
    !(character.is_control() || matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
}

/// Makes a path safe for a terminal.
#[must_use]
pub fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

/// What a program takes from its environment, captured once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// What decides where transcripts are.
    pub homes: Homes,
    /// How far the local time is ahead of UTC, in seconds.
    pub utc_offset: i32,
}

impl Environment {
    /// Captures the environment; a variable that is empty counts as unset.
    #[must_use]
    pub fn capture() -> Self {
        let folder = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Self {
            homes: Homes {
                home: folder("HOME"),
                claude_config_dir: folder("CLAUDE_CONFIG_DIR"),
                codex_home: folder("CODEX_HOME"),
            },
            utc_offset: chrono::Local::now().offset().local_minus_utc(),
        }
    }
}

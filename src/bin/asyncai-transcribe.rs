//! Records an event stream as a transcript.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

/// Records an event stream as a new transcript that agent programs resume.
///
/// Reads one JSON event per line, prints the session line, then each accepted line once its records
/// are written.
#[derive(Parser)]
#[command(name = "asyncai-transcribe", version)]
struct Args {
    /// Event stream to read; `-` or nothing is standard input.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Write a transcript in this format (repeatable) [default: claude-code-cli].
    #[arg(long, value_name = "FORMAT")]
    session_format: Vec<String>,
    /// Root folder for a format (repeatable), in place of the program's own.
    #[arg(long, value_name = "FORMAT=PATH")]
    session_dir: Vec<OsString>,
    /// Write no transcript: check and echo only.
    #[arg(long, conflicts_with_all = ["session_format", "session_dir"])]
    no_session: bool,
    /// Name of the agent.
    #[arg(long, value_name = "NAME", default_value = "asyncai")]
    agent_name: String,
    /// Model of assistant records whose event names none [default: the agent's name].
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Working directory of the session [default: the current one].
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// Git branch of the session [default: read from the repository around the working directory].
    #[arg(long, value_name = "NAME")]
    git_branch: Option<String>,
    /// Title of the session in lists.
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Print the session line only, no echo.
    #[arg(long)]
    quiet: bool,
    /// Stop at the first rejected line, with exit status 1.
    #[arg(long)]
    strict: bool,
    /// Reject longer lines.
    #[arg(long, value_name = "N", default_value_t = 64 << 20)]
    max_line_bytes: usize,
}

fn main() -> ExitCode {
    let _ = Args::parse();
    ExitCode::SUCCESS
}

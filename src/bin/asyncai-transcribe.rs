//! Records an event stream as a transcript: the command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use asyncai::cli;
use asyncai::cli::transcribe::{PROGRAM, Request, run};
use clap::Parser;

const EXAMPLES: &str = "Events, exit status and limits: man asyncai-transcribe. Example:\n  echo '{\"type\":\"user\",\"text\":\"hello\"}' | asyncai-transcribe";

/// Records an event stream as a new transcript that agent programs resume.
///
/// Reads one JSON event a line. Prints the session line first, then each accepted line once its records are
/// written.
#[derive(Parser)]
#[command(name = PROGRAM, version, after_help = EXAMPLES)]
struct Args {
    /// Event stream to read; `-` or nothing is standard input
    file: Option<PathBuf>,
    /// Format to write, claude-code-cli or codex-cli (repeatable) [default: claude-code-cli]
    #[arg(long, value_name = "FORMAT")]
    session_format: Vec<String>,
    /// Root folder of a format (repeatable) [default: where its program looks]
    #[arg(long, value_name = "FORMAT=PATH")]
    session_dir: Vec<OsString>,
    /// Write no transcript: check and echo only
    #[arg(long, conflicts_with_all = ["session_format", "session_dir"])]
    no_session: bool,
    /// Name of the agent
    #[arg(long, value_name = "NAME", default_value = "asyncai")]
    agent_name: String,
    /// Model of assistant records whose event names none [default: the agent's name]
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Working directory of the session [default: the current one]
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// Git branch of the session, empty for none [default: read from the repository around the working directory]
    #[arg(long, value_name = "NAME")]
    git_branch: Option<String>,
    /// Title of the session in lists
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Print the session line only, no echo
    #[arg(long)]
    quiet: bool,
    /// Stop at the first rejected line, with exit status 1
    #[arg(long)]
    strict: bool,
    /// Reject lines that are longer than N bytes
    #[arg(long, value_name = "N", default_value_t = 64 << 20, value_parser = cli::positive::<usize>)]
    max_line_bytes: usize,
}

impl From<Args> for Request {
    fn from(args: Args) -> Self {
        Self {
            file: args.file,
            session_format: args.session_format,
            session_dir: args.session_dir,
            no_session: args.no_session,
            agent_name: args.agent_name,
            model: args.model,
            cwd: args.cwd,
            git_branch: args.git_branch,
            title: args.title,
            quiet: args.quiet,
            strict: args.strict,
            max_line_bytes: args.max_line_bytes,
        }
    }
}

fn main() -> ExitCode {
    cli::main(PROGRAM, |args: Args| run(&args.into()))
}

//! Reads a transcript back: the command line.

use std::path::PathBuf;
use std::process::ExitCode;

use asyncai::cli;
use asyncai::cli::sessionize::{PROGRAM, Request, run};
use asyncai::cli::show::{self, TERMS};
use clap::{Parser, Subcommand};

const EXAMPLES: &str = "Formats and exit status: man asyncai-sessionize. Examples:\n  asyncai-sessionize show t.jsonl | less\n  asyncai-sessionize events t.jsonl | asyncai-transcribe";

/// Reads the transcript of an agent program back.
#[derive(Parser)]
#[command(name = PROGRAM, version, after_help = EXAMPLES, arg_required_else_help = false, disable_help_subcommand = true)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write the transcript as event lines, for asyncai-transcribe
    ///
    /// What is no event is left out and counted on standard error.
    Events {
        /// Transcript to read; `-` or nothing is standard input
        path: Option<PathBuf>,
    },
    /// Check transcripts: one line for each error and each oddity
    ///
    /// The exit status is 1 if there is an error, and 2 if something cannot be read.
    Verify {
        /// Transcripts to read; `-` or nothing is standard input
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
    },
    /// Write what the session, with its folder, consists of, as one Session Flow round
    Structure {
        /// Id of the conversation [default: the session's]
        #[arg(long, value_name = "ID")]
        conversation: Option<String>,
        /// Transcript to read; `-` or nothing is standard input
        path: Option<PathBuf>,
    },
    /// Show the conversation as a tree, or one thing of it with its evidence
    Show {
        /// Words for what is shown: those of the man page, those of the agent program, or both
        #[arg(long, value_name = "WORDS", default_value = "unified", value_parser = TERMS)]
        terms: String,
        /// Write one JSON document instead
        #[arg(long)]
        json: bool,
        /// Show one thing: an id of `structure`, or one that the transcript itself has, if only one thing has it
        #[arg(long, value_name = "ID")]
        id: Option<String>,
        /// Id of the conversation [default: the session's]
        #[arg(long, value_name = "ID")]
        conversation: Option<String>,
        /// Transcript to read; `-` or nothing is standard input
        path: Option<PathBuf>,
    },
}

impl From<Args> for Request {
    fn from(args: Args) -> Self {
        match args.command {
            Command::Events { path } => Self::Events { path },
            Command::Verify { paths } => Self::Verify { paths },
            Command::Structure { conversation, path } => Self::Structure { conversation, path },
            Command::Show { terms, json, id, conversation, path } => {
                Self::Show(show::Request { terms, json, id, conversation, path })
            }
        }
    }
}

fn main() -> ExitCode {
    cli::main(PROGRAM, |args: Args| run(&args.into()))
}

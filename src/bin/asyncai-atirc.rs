//! Turns channel traffic into events: the command line.

use std::process::ExitCode;

use asyncai::atirc::Wire;
use asyncai::cli;
use asyncai::cli::atirc::{PROGRAM, Request, run};
use clap::Parser;
use clap::builder::PossibleValuesParser;

const EXAMPLES: &str = "Forms of lines and exit status: man asyncai-atirc. Example:\n  asyncai-atirc --self me -c '#ops' < feed | asyncai-transcribe";

/// Turns the messages of channels into events for an agent.
///
/// Reads one message a line from standard input. Messages of others become monitor events; what the agent said
/// itself becomes its words. Event lines pass through.
#[derive(Parser)]
#[command(name = PROGRAM, version, after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag as typed")]
struct Args {
    /// DID, handle or nick of the agent (repeatable); its messages are its own words
    #[arg(long = "self", value_name = "ID")]
    own_names: Vec<String>,
    /// Say that the channels never echo the agent's messages, in place of --self
    #[arg(long, conflicts_with_all = ["own_names", "drop_self"])]
    no_self: bool,
    /// Leave the agent's own messages out
    #[arg(long)]
    drop_self: bool,
    /// Take the messages of this channel only (repeatable) [default: all channels]
    #[arg(short, long, value_name = "NAME")]
    channel: Vec<String>,
    /// Take the records of this collection only (repeatable, Jetstream) [default: all collections]
    #[arg(long, value_name = "NSID")]
    collection: Vec<String>,
    /// Cursor that the feed began at, for the description
    #[arg(long, value_name = "CURSOR", default_value = "0")]
    cursor: String,
    /// Form of the lines
    #[arg(long, value_name = "FORM", default_value = "auto", value_parser = PossibleValuesParser::new(Wire::ALL.map(Wire::name)))]
    wire: String,
    /// Put the sender's name in angle brackets before each text
    #[arg(long)]
    with_sender: bool,
    /// What the agent is told to do with each message
    #[arg(long, value_name = "TEXT", conflicts_with = "no_note")]
    note: Option<String>,
    /// Tell the agent nothing about what to do with messages
    #[arg(long)]
    no_note: bool,
    /// Reject lines that are longer than N bytes
    #[arg(long, value_name = "N", default_value_t = 8 << 20, value_parser = cli::positive::<usize>)]
    max_line_bytes: usize,
}

impl From<Args> for Request {
    fn from(args: Args) -> Self {
        Self {
            wire: args.wire,
            own_names: args.own_names,
            no_self: args.no_self,
            drop_self: args.drop_self,
            channel: args.channel,
            collection: args.collection,
            cursor: args.cursor,
            with_sender: args.with_sender,
            note: args.note,
            no_note: args.no_note,
            max_line_bytes: args.max_line_bytes,
        }
    }
}

fn main() -> ExitCode {
    cli::main(PROGRAM, |args: Args| run(&args.into()))
}

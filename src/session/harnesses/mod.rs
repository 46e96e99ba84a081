//! One folder for each agent program whose transcripts are written.
//!
//! All harnesses share a shape: `layout` says where the file is, `record` what its lines are, `mod` turns events
//! into records. What they do with their file is the same for all: `transcript`. A harness knows no other harness, no
//! input and no command line. Its program's own words stay in its folder.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::clock::Timestamp;
use super::context::Context;
use super::notice::Notice;
use crate::event::TranscriptEvent;

pub mod claude_code_cli;
pub mod codex_cli;
mod marks;
mod template;
mod title;
pub mod transcript;

/// What is said in a result of a call that has none.
const NO_RESULT: &str = "No result was recorded for this tool call.";

/// What stands before a failed result where only its text can tell.
const FAILED: &str = "The tool call failed.";

/// Calls without a result, by their number in the session.
type OpenCalls = BTreeMap<u64, Box<str>>;

/// What a transcript is opened with.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// The root folder of the format.
    pub root: &'a Path,
    /// Whether the program looks there without being told.
    pub is_default_root: bool,
    /// What the records say of their surroundings.
    pub context: &'a Context,
}

/// Writes one transcript in the native format of an agent program.
pub trait SessionHarness: Send {
    /// Returns the format's name, as `--session-format` takes it.
    fn format_name(&self) -> &'static str;

    /// Returns the id by which the program resumes the session.
    fn session_id(&self) -> &str;

    /// Returns where the transcript is.
    fn session_file(&self) -> &Path;

    /// Returns the shell command that resumes the session.
    fn resume_command(&self) -> String;

    /// Takes in one event. Its records are in the file after the next [`SessionHarness::flush`] at the latest.
    ///
    /// # Errors
    /// When the file cannot be written; it may then end in half a line, so nothing more should be written.
    fn write_event(&mut self, at: &Timestamp, event: &TranscriptEvent<'_>) -> io::Result<()>;

    /// Hands all complete records to the kernel; called before the program waits for input.
    ///
    /// # Errors
    /// As for [`SessionHarness::write_event`]. A full disk is no error here: the records are held.
    fn flush(&mut self) -> io::Result<()>;

    /// Ends the transcript: closes what is open, and writes what is held.
    ///
    /// # Errors
    /// As for [`SessionHarness::write_event`]; here a disk that is still full is an error too.
    fn finish(&mut self, at: &Timestamp) -> io::Result<()>;

    /// Counts the events that are wholly in the file.
    fn recorded_events(&self) -> u64;

    /// Takes what the user should be told since the last call.
    fn take_notices(&mut self) -> Vec<Notice>;
}

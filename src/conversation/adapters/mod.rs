//! One adapter for each program whose transcripts are read. A program's words stop there.

mod claude_code_cli;

use super::record::Record;
use crate::ndjson::LineError;

/// Reads one line of a transcript.
///
/// # Errors
/// When it is no JSON object. A record of an unknown kind is data, not an error.
pub fn read(line: &str) -> Result<Record<'_>, LineError> {
    claude_code_cli::read(line)
}

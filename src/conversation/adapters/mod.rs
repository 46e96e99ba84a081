//! One adapter for each program whose transcripts are read. A program's words stop there.

mod claude_code_cli;

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use super::record::{Record, Told};
use crate::ndjson::{LineError, Token};

/// What a source of a session is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A transcript, of the main stream or of a child's.
    Transcript,
    /// A document that says where a child comes from.
    Sidecar,
    /// The journal of a group of children.
    Journal,
    /// A document on a group of children.
    Manifest,
    /// A script that started a group; nothing in it is read.
    Script,
}

/// One source of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Where it is; standard input has no place.
    pub path: Option<PathBuf>,
    /// Its path beside the main transcript, by which sources are sorted.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The stream that its records are in.
    pub stream: Option<String>,
    /// The group of children that it is about.
    pub batch: Option<String>,
}

/// Finds all sources of a session from its main transcript, that one first. Nothing is standard input, which is alone.
///
/// # Errors
/// When a folder cannot be read.
pub fn sources(path: Option<&Path>) -> io::Result<Vec<Source>> {
    claude_code_cli::layout::sources(path)
}

/// The id of the session that a transcript's name gives.
#[must_use]
pub fn session_of(path: &Path) -> Option<String> {
    claude_code_cli::layout::session_of(path)
}

/// Reads one line of a transcript.
///
/// # Errors
/// When it is no JSON object. A record of an unknown kind is data, not an error.
pub fn read(line: &str) -> Result<Record<'_>, LineError> {
    claude_code_cli::read(line)
}

/// Reads one line of a source of any kind.
///
/// # Errors
/// When it is no JSON object.
pub fn read_source<'a>(source: &'a Source, line: &'a str) -> Result<Record<'a>, LineError> {
    let mut record = match source.kind {
        Kind::Transcript => claude_code_cli::read(line)?,
        Kind::Sidecar => claude_code_cli::read_sidecar(line)?,
        Kind::Journal => claude_code_cli::read_journal(line)?,
        Kind::Manifest => claude_code_cli::read_manifest(line)?,
        Kind::Script => Record::default(),
    };
    if source.kind == Kind::Sidecar && record.child.is_none() {
        record.child = source.stream.as_deref().map(Cow::Borrowed);
    }
    if record.batch.is_none() && source.kind != Kind::Transcript {
        record.batch = source.batch.as_deref().map(Cow::Borrowed);
    }
    Ok(record)
}

/// Reads what a line of a source tells a reader besides its parts.
#[must_use]
pub fn told(kind: Kind, line: &str) -> Told<'_> {
    match kind {
        Kind::Transcript => claude_code_cli::told::told(line),
        Kind::Journal => claude_code_cli::told::told_by_journal(line),
        Kind::Sidecar | Kind::Manifest | Kind::Script => Told::default(),
    }
}

/// The part of a tool's input that tells a person what the call does, if there is one.
#[must_use]
pub fn glance(input: Token<'_>) -> Option<Token<'_>> {
    claude_code_cli::told::glance(input)
}

/// What the program whose transcripts are read calls a thing; nothing where it has no word for it.
#[must_use]
pub fn native_word(word: &str) -> Option<&'static str> {
    let (_, native) = claude_code_cli::glossary::GLOSSARY.iter().find(|(own, _)| *own == word)?;
    Some(*native).filter(|native| !native.is_empty())
}

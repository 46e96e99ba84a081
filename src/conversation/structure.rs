//! The structure of a session: its sources read, put together, and written as one round. Knows no program's words.

use std::fmt::{self, Display};
use std::io;
use std::path::Path;

use super::adapters::{Source, session_of};
use super::assemble::{Names, assemble, in_order};
use super::entity::Conversation;
use super::flow::Head;
use super::index::Index;
pub use super::index::Reader;
use crate::ndjson::rfc3339;

/// A session, read and put together.
#[derive(Debug)]
pub struct Structure {
    /// What a round says of it as a whole.
    pub head: Head,
    /// What it consists of.
    pub conversation: Conversation,
    /// How many lines could not be read.
    pub broken: u64,
}

/// Why there is no structure.
#[derive(Debug)]
pub enum Failure {
    /// A source cannot be read.
    Unreadable {
        /// The place of the source among all.
        source: usize,
        /// Why.
        error: io::Error,
    },
    /// Nothing says which session it is.
    NoSession,
    /// The records are of more than one session.
    SeveralSessions,
}

impl Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { error, .. } => formatter.write_str(&crate::report::reason(error)),
            Self::NoSession => formatter.write_str("no record says which session it is"),
            Self::SeveralSessions => formatter.write_str("records of more than one session"),
        }
    }
}

/// Reads the sources of a session, the main transcript first, and puts them together. `conversation` is the
/// conversation's id, if somebody gave one.
///
/// # Errors
/// When a source cannot be read, or they are not of one session.
pub fn read(sources: &[Source], conversation: Option<&str>, reader: &mut Reader<'_, '_>) -> Result<Structure, Failure> {
    let index = Index::read(sources, reader).map_err(|(source, error)| Failure::Unreadable { source, error })?;
    let own = sources.first().and_then(|source| source.path.as_deref()).and_then(|path: &Path| session_of(path));
    let session = match (own, index.sessions.as_slice()) {
        (_, [_, _, ..]) => return Err(Failure::SeveralSessions),
        (Some(own), _) => own,
        (None, [said]) => said.clone(),
        (None, []) => return Err(Failure::NoSession),
    };
    let is_given = conversation.is_some();
    let conversation = conversation.map_or_else(|| session.clone(), str::to_owned);
    let names = Names { conversation, is_given, session };
    let assembled = assemble(&index, &names);
    let head = Head {
        conversation: names.conversation,
        session: names.session,
        digests: index.sources.iter().map(|source| source.digest.clone()).collect(),
        times: index.times.map(|(from, through)| (rfc3339(from), rfc3339(through))),
        title: index.title.clone(),
    };
    let broken = index.broken;
    // It takes as much memory as sorting does.
    drop(index);
    Ok(Structure { head, conversation: in_order(assembled), broken })
}

//! The reading side: what an agent's program left behind, and what it says of the conversation. Evidence only;
//! nothing is inferred.
//!
//! Three rooms meet in plain types. Reading ([`adapters`]) turns a line of a source into a [`record::Record`], in words
//! that are nobody's own. What uses records knows no program's words: [`events`] and [`verify`] take them one by one,
//! [`structure`] puts those of a session together into the entities of a conversation ([`entity`]). Writing is that of
//! the event stream, [`flow`] for entities, and [`show`] for people.

pub mod adapters;
mod assemble;
mod batch;
mod digest;
pub mod entity;
mod entry;
pub mod events;
pub mod flow;
mod ids;
mod index;
mod pieces;
pub mod record;
mod records;
pub mod show;
pub mod structure;
pub mod verify;
mod workers;

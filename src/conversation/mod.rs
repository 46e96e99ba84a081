//! The reading side: what an agent's program left behind, and what it says of the conversation. Evidence only;
//! nothing is inferred.
//!
//! Three rooms meet in plain types. Reading ([`adapters`]) turns a line of a source into a [`record::Record`], in words
//! that are nobody's own; what uses records ([`events`], [`verify`]) knows no program's words; writing is that of the event stream
//! (`ndjson`).

pub mod adapters;
pub mod events;
pub mod record;
mod records;
pub mod verify;

//! A conversation for people, as an indented tree or as data; and one thing of it with its evidence. Knows no file and
//! no program's words.
//!
//! [`Gathered`] keeps the beginnings of texts while the session is read. With what was put together, they become a tree
//! of plain data, which is written as lines or as JSON.

mod columns;
mod data;
mod figures;
mod gather;
mod item;
mod json;
mod line;
mod links;
mod one;
mod one_json;
mod one_text;
mod rows;
mod terms;
mod text;
mod tree;

pub use self::gather::{Gathered, Keep};
pub use self::json::write as write_data;
pub use self::one::{NotFound, One, find};
pub use self::one_json::write as write_one_data;
pub use self::one_text::write as write_one;
pub use self::terms::Terms;
pub use self::text::write;

use super::adapters::Source;
use super::structure::Structure;

/// A session that was read, with all that is shown of it.
#[derive(Debug, Clone, Copy)]
pub struct Session<'a> {
    /// What it was read from.
    pub sources: &'a [Source],
    /// What it consists of.
    pub structure: &'a Structure,
    /// What was kept of its texts.
    pub gathered: &'a Gathered,
}

/// How lines for people look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// How many columns a line has.
    pub width: usize,
    /// Whether there are colours.
    pub paint: Paint,
    /// Whose words are used.
    pub terms: Terms,
}

/// Whether lines have colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// They do, by the sequences that terminals know.
    Colours,
    /// They are text alone.
    Plain,
}

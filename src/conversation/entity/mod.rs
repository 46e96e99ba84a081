//! What a conversation consists of, as plain data: nodes, relations between them, and what is missing. Knows no file.
//!
//! Ids and other texts are numbers here ([`Text`]), for a conversation may have millions of nodes:
//! [`Conversation::text`] gives a text back, and [`Conversation::places`] a list of places.

mod attrs;
mod id;
mod kind;
mod sorted;
mod texts;

pub use self::attrs::Value;
pub use self::id::{decimal, escape, id, push_escaped, push_number};
pub use self::kind::{GATES, KINDS, NodeKind, unmet};
pub use self::sorted::Sorted;
pub use self::texts::{Text, Texts};

/// The names of all kinds of relations.
pub const RELATIONS: [&str; 7] = ["starts", "reports", "ends_with", "result_of", "follows", "summarizes", "in_segment"];

/// The names of all that can be missing.
pub const UNRESOLVED: [&str; 7] =
    ["tool_result", "tool_use", "child_stream", "notified_child", "spawn_call", "spawn_of_child", "epoch_continuation"];

/// A place in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The source, from 1.
    pub seq: u32,
    /// Its line, from 1.
    pub row: u32,
    /// The part of that record, from 0.
    pub block: Option<u32>,
}

/// A list of places. [`Conversation::places`] gives it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Places {
    /// Nearly always it is one.
    One(Place),
    /// None or several: which ones of the conversation's.
    Of {
        /// The first.
        start: u32,
        /// How many.
        count: u32,
    },
}

/// Something that the conversation has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// Its id, made of its identity or of its place.
    pub id: Text,
    /// What it is, and what else is known of it.
    pub kind: NodeKind,
    /// The id of the node that contains it.
    pub parent: Option<Text>,
    /// The id of the stream that it is in.
    pub stream: Option<Text>,
    /// Where it stands.
    pub places: Places,
}

/// How sure a relation is, the surest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quality {
    /// By the structure around it, without an id.
    StrongInference,
    /// One candidate for an exact id.
    ExactUnique,
}

impl Quality {
    /// Its name in a round.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::StrongInference => "strong_inference",
            Self::ExactUnique => "exact_unique",
        }
    }
}

/// That two nodes have to do with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Relation {
    /// Its id, made of its ends.
    pub id: Text,
    /// What it says, as a verb.
    pub kind: &'static str,
    /// The id of the node that does.
    pub from: Text,
    /// The id of the node that it is done to.
    pub to: Text,
    /// How sure it is.
    pub quality: Quality,
    /// What kind of record says so.
    pub via: Option<&'static str>,
    /// Where it is said.
    pub evidence: Places,
}

/// Something that is spoken of and not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unresolved {
    /// Its id, made of what is missing.
    pub id: Text,
    /// What is missing.
    pub kind: &'static str,
    /// The id of that in the source.
    pub missing: Text,
    /// Why it is missed.
    pub reason: &'static str,
}

/// A conversation, each group sorted by id.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    /// What it has.
    pub nodes: Sorted<Node>,
    /// How that belongs together.
    pub relations: Vec<Relation>,
    /// What is missing.
    pub unresolved: Vec<Unresolved>,
    /// The texts of all of them.
    pub texts: Texts,
    places: Vec<Place>,
}

impl Conversation {
    /// Returns the text of a number.
    #[must_use]
    pub fn text(&self, text: Text) -> &str {
        self.texts.get(text)
    }

    /// Returns the places of a list.
    #[must_use]
    pub fn places<'a>(&'a self, places: &'a Places) -> &'a [Place] {
        match places {
            Places::One(place) => std::slice::from_ref(place),
            Places::Of { start, count } => {
                let start = *start as usize;
                self.places.get(start..start + *count as usize).unwrap_or_default()
            }
        }
    }

    /// Makes a list of places.
    pub fn list(&mut self, places: &[Place]) -> Places {
        if let [place] = places {
            return Places::One(*place);
        }
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let start = number(self.places.len());
        self.places.extend_from_slice(places);
        Places::Of { start, count: number(places.len()) }
    }

    /// Adds a place to a list.
    pub fn longer(&mut self, places: Places, place: Place) -> Places {
        let all: Vec<Place> = self.places(&places).iter().copied().chain([place]).collect();
        self.list(&all)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// The code in some files, without its space.
    fn code(files: impl Iterator<Item = std::path::PathBuf>) -> String {
        let text = files.map(|file| fs::read_to_string(file).unwrap()).collect::<String>();
        text.split_whitespace().collect()
    }

    /// The words in quotes that follow a beginning.
    fn after<'a>(code: &'a str, start: &str) -> Vec<&'a str> {
        let found = code.match_indices(start).map(|(at, _)| at + start.len());
        found.filter_map(|at| code[at..].split('"').next()).collect()
    }

    #[test]
    fn every_name_that_can_come_out_is_in_a_list_and_back() {
        let room = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/conversation");
        let kinds = code([room.join("entity/kind.rs")].into_iter());
        let assembly = code(fs::read_dir(room.join("assemble")).unwrap().map(|entry| entry.unwrap().path()));
        let lists: [(&[&str], Vec<&str>); 3] = [
            (&KINDS, after(&kinds, "=>\"")),
            (&RELATIONS, after(&assembly, "relate(\"")),
            (&UNRESOLVED, after(&assembly, "miss(\"")),
        ];
        for (list, found) in lists {
            let unlisted: Vec<_> = found.iter().filter(|name| !list.contains(name)).collect();
            assert_eq!(unlisted, Vec::<&&str>::new());
            let unused: Vec<_> = list.iter().filter(|name| !found.contains(name)).collect();
            assert_eq!(unused, Vec::<&&str>::new());
        }
    }
}

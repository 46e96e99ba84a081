//! What a conversation consists of, as plain data: nodes, relations between them, and what is missing. Knows no file.
//!
//! Ids and other texts are numbers here ([`Text`]), for a conversation may have millions of nodes:
//! [`Conversation::text`] gives a text back, and [`Conversation::places`] a list of places.

mod attrs;
mod id;
mod kind;
mod texts;

pub use self::attrs::Value;
pub use self::id::{decimal, escape, id, push_id, push_number};
pub use self::kind::{GATES, NodeKind};
pub use self::texts::{Text, Texts};

/// A place in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
    pub nodes: Vec<Node>,
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

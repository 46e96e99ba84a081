//! The ids of what is put together, made of ids in the sources, of other ids and of places. Knows not what has them.

use super::Assembly;
use crate::conversation::entity::{Place, Text, push_escaped, push_number};
use crate::conversation::entry::Entry;
use crate::conversation::ids::Id;

/// A part of an id; an empty one is left out.
#[derive(Debug, Clone, Copy)]
pub(super) enum Named<'p> {
    /// As it stands.
    Word(&'p str),
    /// A text of a source.
    Said(&'p str),
    /// An id of a source.
    Source(Id),
    /// The id of another thing.
    Of(Text),
}

impl Assembly<'_> {
    pub(super) fn id(&mut self, kind: &str, parts: &[Named<'_>]) -> Text {
        let ids = &self.index.ids;
        self.made.texts.make(|id, texts| {
            id.push_str(kind);
            for part in parts {
                let end = id.len();
                id.push('/');
                match part {
                    Named::Word(word) => id.push_str(word),
                    Named::Said(said) => push_escaped(id, said),
                    // A UUID has nothing to be escaped.
                    Named::Source(uuid) if uuid.is_uuid() => ids.read(*uuid, |text| id.push_str(text)),
                    Named::Source(source) => ids.read(*source, |text| push_escaped(id, text)),
                    Named::Of(other) => push_escaped(id, texts.get(*other)),
                }
                if id.len() == end + 1 {
                    id.truncate(end);
                }
            }
        })
    }

    /// The id of something that stands where its record does.
    pub(super) fn id_at(&mut self, prefix: &str, entry: &Entry) -> Text {
        self.made.texts.make(|id, _| push_at(id, prefix, entry))
    }

    /// The id of something that is one part of its record.
    pub(super) fn id_of_block(&mut self, prefix: &str, entry: &Entry, block: u32) -> Text {
        self.made.texts.make(|id, _| {
            push_at(id, prefix, entry);
            id.push(':');
            push_number(id, block);
        })
    }
}

/// The word for what has no id of its own but a place where it begins.
pub(super) fn at(place: Place) -> String {
    format!("at_{}_{}", place.seq, place.row)
}

fn push_at(id: &mut String, prefix: &str, entry: &Entry) {
    id.push_str(prefix);
    for number in [entry.seq, entry.row] {
        id.push('/');
        push_number(id, number);
    }
}

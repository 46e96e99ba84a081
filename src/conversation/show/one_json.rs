//! One thing of a conversation as a JSON document.

use std::io::{self, Write};

use serde::Serialize;

use super::Terms;
use super::data::{self, FORMAT, ItemData, PlaceData, TextData};
use super::json::{RelationData, UnresolvedData};
use super::one::{One, What};
use crate::conversation::entity::Place;

/// Writes one thing as data.
///
/// # Errors
/// When the output cannot be written.
pub fn write(one: &One<'_>, terms: Terms, output: &mut impl Write) -> io::Result<()> {
    data::write(&Document::of(one, terms), output)
}

/// The order of the fields is that of the keys.
#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<ItemData<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    relation: Option<RelationData<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unresolved: Option<UnresolvedData<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contains: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    relations_out: Option<Vec<RelationData<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    relations_in: Option<Vec<RelationData<'a>>>,
    evidence: Vec<EvidenceData<'a>>,
}

#[derive(Serialize)]
struct EvidenceData<'a> {
    #[serde(flatten)]
    place: PlaceData<'a>,
    texts: Vec<TextData<'a>>,
}

impl<'a> Document<'a> {
    fn of(one: &One<'a>, terms: Terms) -> Self {
        let view = &one.view;
        let evidence = one.evidence().into_iter().map(|place| evidence(one, place)).collect();
        let empty = Self {
            format: FORMAT,
            node: None,
            relation: None,
            unresolved: None,
            contains: None,
            relations_out: None,
            relations_in: None,
            evidence,
        };
        match one.what {
            What::Node(node) => Self {
                node: view.item(node).map(|item| ItemData::alone(view, terms, &item)),
                contains: Some(one.inner(node).collect()),
                relations_out: Some(
                    view.links.from(node).filter_map(|(relation, _)| RelationData::of(view, relation)).collect(),
                ),
                relations_in: Some(
                    view.links.to(node).filter_map(|(relation, _)| RelationData::of(view, relation)).collect(),
                ),
                ..empty
            },
            What::Relation(relation) => Self { relation: RelationData::of(view, relation), ..empty },
            What::Unresolved(missing) => Self { unresolved: Some(UnresolvedData::of(view, missing)), ..empty },
        }
    }
}

fn evidence<'a>(one: &One<'a>, place: Place) -> EvidenceData<'a> {
    let texts = one.texts(place).map(TextData::from).collect();
    EvidenceData { place: PlaceData::of(one.view.session, place), texts }
}

//! Which things of the tree have a line of their own, and how deep it stands. Knows no text.

use std::collections::HashMap;

use super::item::View;
use super::links::Number;
use super::tree::Spot;

/// So many things of one kind in a row share a line.
const SHARED: usize = 3;

/// A line of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) spot: Spot,
    pub(super) depth: usize,
    /// Whether no other line of its depth follows in the same place.
    pub(super) is_last: bool,
    /// What else shares the line: the program puts many things into the context at once.
    pub(super) others: Vec<Number>,
}

/// The lines of a tree; another group at the first depth may follow.
pub(super) fn rows(view: &View<'_>, is_followed: bool) -> Vec<Row> {
    let mut rows = shared(view, shown(view));
    let mut open = vec![false, is_followed];
    for row in rows.iter_mut().rev() {
        open.resize(row.depth + 1, false);
        if let Some(follows) = open.last_mut() {
            row.is_last = !*follows;
            *follows = true;
        }
    }
    rows
}

/// The tree without what has no line: the session, which has its own, segments, which are a matter of times, and a
/// context that was never reset, which is all there is.
fn shown(view: &View<'_>) -> Vec<Row> {
    let links = &view.links;
    let mut contexts: HashMap<Option<Number>, u32> = HashMap::new();
    for node in (0..links.count()).filter(|node| links.kind(*node) == "epoch") {
        *contexts.entry(links.stream(node)).or_default() += 1;
    }
    let is_hidden = |node: Number| match links.kind(node) {
        "session" | "segment" => true,
        "epoch" => contexts.get(&links.stream(node)) == Some(&1),
        _ => false,
    };
    // The depths of what is hidden around a line.
    let mut around: Vec<u32> = Vec::new();
    let mut shown = Vec::with_capacity(view.tree.spots.len());
    for spot in &view.tree.spots {
        while around.last().is_some_and(|outer| *outer >= spot.depth) {
            around.pop();
        }
        if is_hidden(spot.node) {
            around.push(spot.depth);
        } else {
            // What is in the session is at the first depth.
            let depth = (spot.depth as usize + 1).saturating_sub(around.len());
            shown.push(Row { spot: *spot, depth, is_last: false, others: Vec::new() });
        }
    }
    shown
}

/// Puts injections that follow each other and have a name into one line, if there are several.
fn shared(view: &View<'_>, rows: Vec<Row>) -> Vec<Row> {
    let is_named = |row: &Row| {
        view.links.kind(row.spot.node) == "context.injection"
            && view.item(row.spot.node).is_some_and(|item| item.label.is_some())
    };
    let mut shared: Vec<Row> = Vec::with_capacity(rows.len());
    let mut waiting: Vec<Row> = Vec::new();
    for row in rows {
        let is_next = is_named(&row) && waiting.last().is_none_or(|last| last.spot.above == row.spot.above);
        if !is_next {
            shared.append(&mut together(std::mem::take(&mut waiting)));
        }
        if is_named(&row) {
            waiting.push(row);
        } else {
            shared.push(row);
        }
    }
    shared.append(&mut together(waiting));
    shared
}

fn together(rows: Vec<Row>) -> Vec<Row> {
    if rows.len() < SHARED {
        return rows;
    }
    let mut rows = rows.into_iter();
    let Some(first) = rows.next() else { return Vec::new() };
    vec![Row { others: rows.map(|row| row.spot.node).collect(), ..first }]
}

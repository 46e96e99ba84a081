//! Stage 8: windows of activity over the talks of the main stream.

use super::streams::joined;
use super::{Assembly, Talk};
use crate::conversation::entity::{Node, Quality, Value, id};
use crate::event::Time;

/// A longer pause than this ends a segment, in milliseconds.
pub(super) const PAUSE: i64 = 10 * 60 * 1000;

/// Talks that are one segment.
struct Window {
    talks: Vec<usize>,
    times: Option<(Time, Time)>,
}

impl Assembly<'_> {
    pub(super) fn segments(&mut self) {
        let talks = std::mem::take(&mut self.talks);
        let windows = windows(&talks);
        let count = windows.len();
        let end = windows.iter().filter_map(|window| window.times).map(|(_, last)| last).max();
        for (number, window) in windows.iter().enumerate() {
            self.segment(window, &talks, number + 1 == count, end);
        }
        self.talks = talks;
    }

    fn segment(&mut self, window: &Window, talks: &[Talk], is_last: bool, end: Option<Time>) {
        let Some(first) = window.talks.first().and_then(|talk| talks.get(*talk)) else { return };
        let is_late = |(_, last): (Time, Time)| end.is_some_and(|end| end.0.saturating_sub(last.0) > PAUSE);
        let gates = [
            ("activity_boundary", !is_last),
            ("conversation_identity", self.names.is_given),
            ("lateness_watermark", !is_last && window.times.is_some_and(is_late)),
            ("no_crossing_open_operation", self.has_no_open_operation(window)),
        ];
        let unmet: Vec<_> = gates.into_iter().filter(|(_, is_met)| !is_met).map(|(gate, _)| gate).collect();
        let segment = id("segment", &[&format!("at_{}_{}", first.first_place.seq, first.first_place.row)]);
        self.add(Node {
            id: segment.clone(),
            kind: "segment",
            parent: Some(self.session_id.clone()),
            stream: None,
            places: vec![first.first_place],
            attrs: vec![
                ("committable", Value::Flag(unmet.is_empty())),
                ("gates_unmet", Value::Words(unmet)),
                ("state", Value::Word(if is_last { "open" } else { "candidate" })),
                ("talks", Value::Count(window.talks.len() as u64)),
            ],
        });
        let own = window.talks.iter().filter_map(|talk| talks.get(*talk)).map(|talk| (talk, Quality::ExactUnique));
        let children = talks.iter().filter(|talk| !talk.is_main).map(|talk| (talk, Quality::StrongInference));
        for (talk, quality) in own.chain(children) {
            let is_inside = |(first, _): (Time, Time)| {
                window.times.is_some_and(|(from, through)| (from..=through).contains(&first))
            };
            if !talk.is_main && !talk.times.is_some_and(is_inside) {
                continue;
            }
            if let Some(from) = self.nodes.get(talk.node).map(|node| node.id.clone()) {
                self.relate("in_segment", (&from, &segment), (quality, None), &[talk.first_place]);
            }
        }
    }

    /// Whether every tool that was called in the window gave one result in it, and no child is missing.
    fn has_no_open_operation(&self, window: &Window) -> bool {
        let Some((from, through)) = window.times else { return false };
        let is_inside = |place: Option<(u32, u32)>| {
            let time = place.and_then(|(number, _)| self.entry(number)).and_then(|entry| entry.time);
            time.is_some_and(|time| (from..=through).contains(&time))
        };
        let is_missing = |kind: &str| kind == "child_stream" || kind == "notified_child";
        !self.unresolved.values().any(|missing| is_missing(missing.kind))
            && self
                .tools
                .values()
                .filter(|tool| is_inside(tool.call))
                .all(|tool| tool.results == 1 && is_inside(tool.result))
    }
}

fn windows(talks: &[Talk]) -> Vec<Window> {
    let mut main: Vec<usize> =
        (0..talks.len()).filter(|talk| talks.get(*talk).is_some_and(|talk| talk.is_main)).collect();
    // Talks without a time stay where they are told.
    main.sort_by_key(|talk| talks.get(*talk).and_then(|talk| talk.times).map(|(first, _)| first));
    let mut windows: Vec<Window> = Vec::new();
    for talk in main {
        let times = talks.get(talk).and_then(|talk| talk.times);
        let goes_on = windows.last().is_some_and(|window: &Window| match (window.times, times) {
            (Some((_, last)), Some((first, _))) => first.0.saturating_sub(last.0) <= PAUSE,
            _ => true,
        });
        match windows.last_mut().filter(|_| goes_on) {
            Some(window) => {
                window.talks.push(talk);
                window.times = joined(window.times, times);
            }
            None => windows.push(Window { talks: vec![talk], times }),
        }
    }
    windows
}

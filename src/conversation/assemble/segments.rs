//! Stage 8: windows of activity over the talks of the main stream.

use super::streams::joined;
use super::{Assembly, Inside, Part, Talk};
use crate::conversation::entity::{NodeKind, Quality, push_number};
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
            !is_last,
            self.names.is_given,
            !is_last && window.times.is_some_and(is_late),
            self.has_no_open_operation(window),
        ];
        let segment = self.made.texts.make(|id| {
            id.push_str("segment/at");
            for number in [first.first_place.seq, first.first_place.row] {
                id.push('_');
                push_number(id, number);
            }
        });
        let talks_in_it = u32::try_from(window.talks.len()).unwrap_or(u32::MAX);
        let kind = NodeKind::Segment { talks: talks_in_it, is_open: is_last, gates };
        let inside = Inside { parent: Some(self.session), stream: None };
        self.add(segment, kind, inside, &[first.first_place]);
        let own = window.talks.iter().filter_map(|talk| talks.get(*talk)).map(|talk| (talk, Quality::ExactUnique));
        let children = talks.iter().filter(|talk| !talk.is_main).map(|talk| (talk, Quality::StrongInference));
        for (talk, quality) in own.chain(children) {
            let is_inside = |(first, _): (Time, Time)| {
                window.times.is_some_and(|(from, through)| (from..=through).contains(&first))
            };
            if talk.is_main || talk.times.is_some_and(is_inside) {
                self.relate("in_segment", (talk.id, segment), (quality, None), Some(talk.first_place));
            }
        }
    }

    /// Whether every tool that was called in the window gave one result in it, and no child is missing.
    fn has_no_open_operation(&self, window: &Window) -> bool {
        let Some((from, through)) = window.times else { return false };
        let is_inside = |part: Option<Part>| {
            let time = part.and_then(|part| self.entry(part.entry)).and_then(|entry| entry.time);
            time.is_some_and(|time| (from..=through).contains(&time))
        };
        let is_missing = |kind: &str| kind == "child_stream" || kind == "notified_child";
        !self.made.unresolved.iter().any(|missing| is_missing(missing.kind))
            && self
                .tools
                .iter()
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

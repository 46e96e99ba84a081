//! Stage 8: windows of activity over the talks of the main stream.

use super::naming::{Named, at};
use super::{Assembly, Inside, Part, Talk, Tool};
use crate::conversation::entity::{GATES, NodeKind, Quality};
use crate::conversation::entry::{Times, joined};
use crate::event::Time;

/// A longer pause than this ends a segment, in milliseconds.
pub(super) const PAUSE: i64 = 10 * 60 * 1000;

/// Talks that are one segment.
struct Window {
    talks: Vec<usize>,
    times: Times,
}

/// Things that began at a time, by that.
type Timed = Vec<(Time, usize)>;

/// What a window is looked at for, sorted once for all windows.
struct Operations {
    /// The calls of tools.
    tools: Timed,
    /// The talks of children.
    children: Timed,
    /// Whether a child is spoken of and not there.
    is_child_missing: bool,
}

impl Assembly<'_> {
    pub(super) fn segments(&mut self) {
        let talks = std::mem::take(&mut self.talks);
        let windows = windows(&talks);
        let operations = self.operations(&talks);
        let count = windows.len();
        let end = windows.iter().filter_map(|window| window.times).map(|(_, last)| last).max();
        for (number, window) in windows.iter().enumerate() {
            let is_last = number + 1 == count;
            let is_late = |(_, last): (Time, Time)| end.is_some_and(|end| end.0.saturating_sub(last.0) > PAUSE);
            let gates = [
                !is_last,
                self.names.is_given,
                !is_last && window.times.is_some_and(is_late),
                self.has_no_open_operation(window, &operations),
            ];
            self.segment(window, &talks, &operations, gates);
        }
        self.talks = talks;
    }

    fn operations(&self, talks: &[Talk]) -> Operations {
        let called = |tool: &Tool| self.time(tool.call);
        let mut tools: Timed =
            (0..).zip(&self.tools).filter_map(|(number, tool)| Some((called(tool)?, number))).collect();
        let children = (0..).zip(talks).filter(|(_, talk)| !talk.is_main);
        let mut children: Timed = children.filter_map(|(number, talk)| Some((talk.times?.0, number))).collect();
        tools.sort_unstable();
        children.sort_unstable();
        let is_missing = |kind: &str| kind == "child_stream" || kind == "notified_child";
        let is_child_missing = self.made.unresolved.iter().any(|missing| is_missing(missing.kind));
        Operations { tools, children, is_child_missing }
    }

    fn time(&self, part: Option<Part>) -> Option<Time> {
        part.and_then(|part| self.entry(part.entry)).and_then(|entry| entry.time)
    }

    fn segment(&mut self, window: &Window, talks: &[Talk], operations: &Operations, gates: [bool; GATES.len()]) {
        let Some(first) = window.talks.first().and_then(|talk| talks.get(*talk)) else { return };
        let segment = self.id("segment", &[Named::Word(&at(first.first_place))]);
        let talks_in_it = u32::try_from(window.talks.len()).unwrap_or(u32::MAX);
        let kind = NodeKind::Segment { talks: talks_in_it, is_open: !gates[0], gates };
        let inside = Inside { parent: Some(self.session), stream: None };
        self.add(segment, kind, inside, &[first.first_place]);
        let own = window.talks.iter().map(|talk| (*talk, Quality::ExactUnique));
        let children = within(&operations.children, window.times).iter();
        for (talk, quality) in own.chain(children.map(|(_, talk)| (*talk, Quality::StrongInference))) {
            if let Some(talk) = talks.get(talk) {
                self.relate("in_segment", (talk.id, segment), (quality, None), Some(talk.first_place));
            }
        }
    }

    /// Whether every tool that was called in the window gave one result in it, and no child is missing.
    fn has_no_open_operation(&self, window: &Window, operations: &Operations) -> bool {
        let Some((from, through)) = window.times else { return false };
        let is_inside = |part| self.time(part).is_some_and(|time| (from..=through).contains(&time));
        let mut called =
            within(&operations.tools, window.times).iter().filter_map(|(_, number)| self.tools.get(*number));
        !operations.is_child_missing && called.all(|tool| tool.results == 1 && is_inside(tool.result))
    }
}

/// What began within these times.
fn within(begun: &Timed, times: Times) -> &[(Time, usize)] {
    let Some((from, through)) = times else { return &[] };
    let start = begun.partition_point(|(time, _)| *time < from);
    let end = begun.partition_point(|(time, _)| *time <= through);
    begun.get(start..end).unwrap_or_default()
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

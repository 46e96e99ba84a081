//! From the lines of one source to its events. Knows no process and no descriptor; the time is told to it.

use std::borrow::Cow;
use std::io;
use std::time::{Duration, Instant};

use super::throttle::{self, Bucket, Verdict};
use super::{Blanks, Escapes, Label, Pace, Shape, ansi};
use crate::event::is_visible;
use crate::lines::Line;
use crate::ndjson::{MonitorTemplate, decode_utf8};
use crate::report::Tally;

/// The largest event that lines are joined to, in bytes.
const BATCH_LIMIT: usize = 1 << 20;

/// Whether a source may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Open,
    /// It has made too many events for too long.
    Flooded,
}

/// Makes the events of one source.
#[derive(Debug)]
pub(super) struct Composer {
    template: MonitorTemplate,
    shape: Shape,
    /// Whether a line of printable ASCII is an event as it is.
    is_free: bool,
    /// Lines that wait for others to join them.
    batch: Batch,
    bucket: Option<Bucket>,
    /// How many lines were held back and not yet told of.
    held: u64,
}

#[derive(Debug, Default)]
struct Batch {
    text: String,
    characters: usize,
    lines: u64,
    /// How many more lines it had no room for.
    left_out: u64,
    /// When it becomes an event; nothing waits without it.
    due: Option<Instant>,
}

impl Composer {
    /// # Errors
    /// When the label cannot be written as JSON.
    pub(super) fn new(label: &Label, shape: &Shape, now: Instant) -> io::Result<Self> {
        Ok(Self {
            template: MonitorTemplate::new(&label.description, &label.task_id, label.note.clone())?,
            shape: shape.clone(),
            is_free: shape.batch.is_zero()
                && shape.pace == Pace::Free
                && shape.blanks == Blanks::Keep
                && shape.max_event_bytes.is_none(),
            batch: Batch::default(),
            bucket: (shape.pace == Pace::Throttled).then(|| Bucket::full(now)),
            held: 0,
        })
    }

    /// Takes one line; events that are complete go to `out`.
    pub(super) fn line(&mut self, line: &Line<'_>, now: Instant, tally: &mut Tally, out: &mut Vec<u8>) -> Flow {
        if let Line::Whole(bytes) = line
            && self.is_free
            && self.template.append_plain(bytes, out)
        {
            return Flow::Open;
        }
        let text = match *line {
            Line::Whole(bytes) => decode_utf8(bytes, tally),
            Line::TooLong(bytes) => {
                let first = decode_utf8(whole_characters(bytes), tally);
                Cow::Owned(format!("{first} [cut: the line is longer than {} bytes]", self.shape.max_line_bytes))
            }
        };
        let text = match self.shape.escapes {
            Escapes::Keep => text,
            Escapes::Strip => strip(text),
        };
        if self.shape.blanks == Blanks::Skip && !text.chars().any(is_visible) {
            return Flow::Open;
        }
        match self.window() {
            None => self.emit(&text, 1, now, out),
            Some(window) => self.join(&text, window, now, out),
        }
    }

    /// When something is to be done although no line comes.
    pub(super) fn due(&self) -> Option<Instant> {
        let told = self.bucket.as_ref().filter(|_| self.held > 0).map(Bucket::next);
        self.batch.due.into_iter().chain(told).min()
    }

    /// Does what is due.
    pub(super) fn tick(&mut self, now: Instant, out: &mut Vec<u8>) -> Flow {
        if self.batch.due.is_some_and(|due| due <= now) {
            return self.close_batch(now, out);
        }
        if self.due().is_some_and(|due| due <= now) {
            self.tell_held(out);
        }
        Flow::Open
    }

    /// Writes what still waits, at the end of the source.
    pub(super) fn finish(&mut self, now: Instant, out: &mut Vec<u8>) {
        self.close_batch(now, out);
        self.tell_held(out);
    }

    /// Says something about the source in its own voice.
    pub(super) fn say(&self, text: &str, out: &mut Vec<u8>) {
        self.template.append(text, out);
    }

    /// How long a line may be.
    pub(super) fn max_line_bytes(&self) -> usize {
        self.shape.max_line_bytes
    }

    /// How long a line waits for others.
    fn window(&self) -> Option<Duration> {
        let least = if self.bucket.is_some() { throttle::BATCH } else { Duration::ZERO };
        Some(self.shape.batch.max(least)).filter(|window| !window.is_zero())
    }

    fn join(&mut self, text: &str, window: Duration, now: Instant, out: &mut Vec<u8>) -> Flow {
        let text = if self.bucket.is_some() { cut_characters(text, throttle::LINE_LIMIT) } else { Cow::Borrowed(text) };
        let characters = if self.bucket.is_some() { text.chars().count() } else { 0 };
        let mut flow = Flow::Open;
        if self.batch.lines > 0 {
            if self.bucket.is_some() && self.batch.characters + 1 + characters > throttle::EVENT_LIMIT {
                self.batch.left_out += 1;
                return flow;
            }
            if self.batch.text.len() + 1 + text.len() > BATCH_LIMIT {
                flow = self.close_batch(now, out);
            }
        }
        if self.batch.lines == 0 {
            self.batch.due = Some(now + window);
        } else {
            self.batch.text.push('\n');
            self.batch.characters += 1;
        }
        self.batch.text.push_str(&text);
        self.batch.characters += characters;
        self.batch.lines += 1;
        flow
    }

    fn close_batch(&mut self, now: Instant, out: &mut Vec<u8>) -> Flow {
        let mut batch = std::mem::take(&mut self.batch);
        if batch.lines == 0 {
            return Flow::Open;
        }
        let flow = self.emit(&batch.text, batch.lines, now, out);
        self.held += batch.left_out;
        batch.text.clear();
        self.batch.text = batch.text;
        flow
    }

    fn emit(&mut self, text: &str, lines: u64, now: Instant, out: &mut Vec<u8>) -> Flow {
        match self.bucket.as_mut().map_or(Verdict::Pass, |bucket| bucket.take(now)) {
            Verdict::Pass => {}
            Verdict::Hold => {
                self.held += lines;
                return Flow::Open;
            }
            Verdict::Stop => {
                self.held += lines;
                return Flow::Flooded;
            }
        }
        self.tell_held(out);
        match self.shape.max_event_bytes {
            Some(limit) if text.len() > limit => self.template.append(&cut_bytes(text, limit), out),
            _ => self.template.append(text, out),
        }
        Flow::Open
    }

    fn tell_held(&mut self, out: &mut Vec<u8>) {
        match std::mem::take(&mut self.held) {
            0 => {}
            1 => self.template.append("[1 line suppressed]", out),
            lines => self.template.append(&format!("[{lines} lines suppressed]"), out),
        }
    }
}

fn strip(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => ansi::strip(text),
        Cow::Owned(text) => Cow::Owned(ansi::strip(&text).into_owned()),
    }
}

/// Drops the beginning of a character at the end of bytes that were cut anywhere.
fn whole_characters(bytes: &[u8]) -> &[u8] {
    for (back, byte) in (1..=3).zip(bytes.iter().rev()) {
        let needed = match byte {
            0x80..=0xbf => continue,
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 1,
        };
        let end = if needed > back { bytes.len() - back } else { bytes.len() };
        return bytes.get(..end).unwrap_or_default();
    }
    bytes
}

fn cut_characters(text: &str, limit: usize) -> Cow<'_, str> {
    // No more bytes than that cannot be more characters.
    if text.len() <= limit {
        return Cow::Borrowed(text);
    }
    let Some((end, _)) = text.char_indices().nth(limit) else { return Cow::Borrowed(text) };
    let (first, rest) = text.split_at(end);
    let count = rest.chars().count();
    Cow::Owned(format!("{first} [{count} {} cut]", if count == 1 { "character" } else { "characters" }))
}

fn cut_bytes(text: &str, limit: usize) -> String {
    let end = (0..=limit).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    let (first, rest) = text.split_at(end);
    format!("{first} [{} bytes cut]", rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Body, Note};
    use crate::ndjson::{Parsed, parse};

    fn plain() -> Shape {
        Shape {
            max_line_bytes: 1000,
            escapes: Escapes::Keep,
            blanks: Blanks::Keep,
            max_event_bytes: None,
            batch: Duration::ZERO,
            pace: Pace::Free,
        }
    }

    /// Takes lines, each at its time in milliseconds, and gives the texts of the events with the last flow.
    fn compose(shape: &Shape, lines: &[(u64, &str)]) -> (Vec<String>, Flow) {
        let start = Instant::now();
        let label = Label { description: "d".to_owned(), task_id: "b1".to_owned(), note: Note::Usual };
        let mut composer = Composer::new(&label, shape, start).unwrap();
        let mut out = Vec::new();
        let mut flow = Flow::Open;
        for (at, line) in lines {
            let now = start + Duration::from_millis(*at);
            while let Some(due) = composer.due().filter(|due| *due <= now) {
                flow = composer.tick(due, &mut out);
            }
            let taken = composer.line(&Line::Whole(line.as_bytes()), now, &mut Tally::default(), &mut out);
            flow = if taken == Flow::Flooded { taken } else { flow };
        }
        composer.finish(start + Duration::from_millis(lines.last().unwrap().0), &mut out);
        (texts(&out), flow)
    }

    fn texts(out: &[u8]) -> Vec<String> {
        let text = |line: &str| match parse(line, &mut Tally::default()) {
            Ok(Parsed::Event(event)) => match event.body {
                Body::MonitorEvent { event, .. } => event.unwrap().into_owned(),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        };
        std::str::from_utf8(out).unwrap().lines().map(text).collect()
    }

    #[test]
    fn one_line_is_one_event_whatever_is_in_it() {
        let (events, _) = compose(&plain(), &[(0, "a"), (0, ""), (0, " "), (0, "\u{1b}[31mred\r"), (0, "a")]);
        assert_eq!(events, ["a", "", " ", "\u{1b}[31mred\r", "a"]);
    }

    #[test]
    fn blank_lines_are_skipped_also_when_only_escapes_are_in_them() {
        let shape = Shape { blanks: Blanks::Skip, escapes: Escapes::Strip, ..plain() };
        let (events, _) = compose(&shape, &[(0, "a"), (0, ""), (0, " \t"), (0, "\u{1b}[0m"), (0, "b")]);
        assert_eq!(events, ["a", "b"]);
    }

    #[test]
    fn lines_within_the_window_of_the_first_are_one_event() {
        let shape = Shape { batch: Duration::from_millis(100), ..plain() };
        let (events, _) = compose(&shape, &[(0, "a"), (60, "b"), (99, "c"), (120, "d"), (219, "e"), (220, "f")]);
        assert_eq!(events, ["a\nb\nc", "d\ne", "f"]);
    }

    #[test]
    fn a_batch_stays_below_its_limit() {
        let shape = Shape { batch: Duration::from_millis(100), ..plain() };
        let long = "x".repeat(BATCH_LIMIT / 2);
        let (events, _) = compose(&shape, &[(0, "a"), (1, &long), (2, &long), (3, "b")]);
        assert_eq!(events, [format!("a\n{long}"), format!("{long}\nb")]);
    }

    #[test]
    fn a_long_event_is_cut_between_characters_with_its_rest_counted() {
        let shape = Shape { max_event_bytes: Some(4), ..plain() };
        let (events, _) = compose(&shape, &[(0, "abcd"), (0, "abcde"), (0, "abc\u{e9}d")]);
        assert_eq!(events, ["abcd", "abcd [1 bytes cut]", "abc [3 bytes cut]"]);
    }

    #[test]
    fn a_line_over_the_limit_is_cut_between_characters_with_a_mark() {
        for (bytes, first) in
            [(&b"ab\xc3"[..], "ab"), (b"a\xe2\x82", "a"), (b"ab\xc3\xa9", "ab\u{e9}"), (b"\xf0\x9f\x98", "")]
        {
            assert_eq!(whole_characters(bytes), first.as_bytes());
        }
        let label = Label { description: "d".to_owned(), task_id: "b1".to_owned(), note: Note::Usual };
        let mut composer = Composer::new(&label, &plain(), Instant::now()).unwrap();
        let mut out = Vec::new();
        composer.line(&Line::TooLong(b"abc"), Instant::now(), &mut Tally::default(), &mut out);
        assert_eq!(texts(&out), ["abc [cut: the line is longer than 1000 bytes]"]);
    }

    #[test]
    fn the_throttle_cuts_long_lines_and_counts_what_an_event_cannot_hold() {
        let shape = Shape { pace: Pace::Throttled, ..plain() };
        let line = "\u{e9}".repeat(499);
        let (events, _) = compose(&shape, &[(0, &"x".repeat(502)), (1000, &line), (1000, &line), (1000, &line)]);
        assert_eq!(events[0], format!("{} [2 characters cut]", "x".repeat(500)));
        assert_eq!(events[1].chars().count(), 3 * 500 - 1);
        let many: Vec<_> = std::iter::repeat_n((0, &*line), 8).collect();
        let (events, _) = compose(&shape, &many);
        // Six lines and five line breaks are 2,999 characters.
        assert_eq!(events[0].chars().count(), 2_999);
        assert_eq!(events[1], "[2 lines suppressed]");
    }

    #[test]
    fn the_throttle_counts_the_events_that_it_holds_back() {
        let shape = Shape { pace: Pace::Throttled, ..plain() };
        let lines: Vec<_> = (0..14).map(|number| (number * 210, "x")).collect();
        let (events, flow) = compose(&shape, &lines);
        // Ten at once, one more after two seconds, and at that time the count of what was held back before.
        let expected = ["x"; 10].into_iter().chain(["x", "[3 lines suppressed]"]);
        assert_eq!(events, expected.collect::<Vec<_>>());
        assert_eq!(flow, Flow::Open);
    }

    #[test]
    fn a_flood_of_more_than_thirty_seconds_is_stopped() {
        let shape = Shape { pace: Pace::Throttled, ..plain() };
        let lines: Vec<_> = (0..350).map(|number| (number * 100, "x")).collect();
        let (events, flow) = compose(&shape, &lines);
        assert_eq!(flow, Flow::Flooded);
        let told: usize =
            events.iter().filter_map(|event| event.strip_prefix('[')?.split(' ').next()?.parse::<usize>().ok()).sum();
        let shown: usize =
            events.iter().filter(|event| !event.starts_with('[')).map(|event| event.lines().count()).sum();
        assert_eq!(told + shown, 350);
    }
}

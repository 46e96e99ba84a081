//! One source: its lines, and what becomes of them. Knows nothing of the other sources.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::time::Instant;

use rustix::process::Signal;

use super::command::{Group, Pipe, Step};
use super::compose::{Composer, Flow};
use super::outlet::Outlet;
use super::{EVENT_LINE_LIMIT, Ending, Label, Lifecycle, lifecycle};
use crate::lines::{Line, LineReader};
use crate::report::{Tally, reason};

/// How much is read of a source that is to end, in bytes: the most that a pipe can hold by default limits.
const DRAIN_LIMIT: usize = 1 << 20;

/// What becomes of a source's lines.
#[derive(Debug)]
pub(super) enum Role {
    /// Each is an event.
    Watched(Box<Composer>),
    /// Each is an event line already.
    Copied,
    Dropped,
}

/// A stream of lines that is still open.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) lines: LineReader<File>,
    is_at_end: bool,
    /// If only what has come already is to be read: how much more.
    drain: Option<usize>,
    /// When something last came.
    heard: Instant,
}

/// A command with what is to happen to it.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) group: Group,
    /// When it has taken too long.
    pub(super) limit: Option<Instant>,
    /// How it ended, if we made it end.
    made: Option<Ending>,
}

/// A source from its start to its end.
#[derive(Debug)]
pub(super) struct Source {
    /// How messages name it, with a colon and a blank at the end; empty if it is the only one.
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) label: Option<Label>,
    pub(super) stream: Option<Stream>,
    pub(super) process: Option<Process>,
    /// How it ended, once nothing is left of it.
    pub(super) ending: Option<Ending>,
    /// Where its process is on the way to its end.
    step: Step,
    is_flooded: bool,
}

/// What the sources of a run share.
pub(super) struct Shared<'a> {
    pub(super) tally: Tally,
    pub(super) lost: u64,
    pub(super) lifecycle: Lifecycle,
    pub(super) say: &'a mut dyn FnMut(&dyn Display),
}

impl Stream {
    pub(super) fn new(file: File, limit: usize, now: Instant) -> Self {
        Self { lines: LineReader::new(file, limit), is_at_end: false, drain: None, heard: now }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.is_at_end
    }

    pub(super) fn is_draining(&self) -> bool {
        self.drain.is_some()
    }

    /// Reads what has come already and then no more.
    pub(super) fn drain(&mut self) {
        self.drain.get_or_insert(DRAIN_LIMIT);
    }

    /// Nothing has come. That ends a stream of which no more is wanted.
    pub(super) fn is_silent(&mut self) {
        self.is_at_end |= self.is_draining();
    }

    /// Reads once.
    pub(super) fn read(&mut self, now: Instant) -> io::Result<()> {
        match self.lines.read_more() {
            Ok(0) => self.is_at_end = true,
            Ok(count) => {
                self.heard = now;
                self.drain = self.drain.map(|left| left.saturating_sub(count));
                self.is_at_end = self.drain == Some(0);
            }
            // A pipe that someone else made non-blocking, and someone else read.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.is_silent(),
            Err(error) => {
                self.is_at_end = true;
                return Err(error);
            }
        }
        Ok(())
    }
}

impl Process {
    pub(super) fn new(group: Group, limit: Option<Instant>) -> Self {
        Self { group, limit, made: None }
    }

    fn step(&mut self, stream: Option<&Stream>, now: Instant) -> Step {
        if self.limit.is_some_and(|limit| limit <= now) {
            self.limit = None;
            self.end(Ending::TimedOut, now);
        }
        self.group.step(stream.map_or(Pipe::Closed, |stream| Pipe::Open(stream.heard)), now)
    }

    /// Makes the command end, and remembers why if it did not end by itself before.
    pub(super) fn end(&mut self, made: Ending, now: Instant) {
        if self.made.is_none() && self.group.is_running(now) {
            self.made = Some(made);
            self.group.end(Signal::TERM, now);
        }
    }
}

impl Source {
    pub(super) fn new(name: String, role: Role, label: Option<Label>) -> Self {
        let step = Step::Wait(None);
        Self { name, role, label, stream: None, process: None, ending: None, step, is_flooded: false }
    }

    /// Takes the lines that have been read, as far as the output has room.
    pub(super) fn take_lines<W: Write + AsFd>(
        &mut self,
        now: Instant,
        outlet: &mut Outlet<W>,
        shared: &mut Shared<'_>,
    ) {
        let Some(stream) = &mut self.stream else { return };
        let mut flow = Flow::Open;
        while flow == Flow::Open && !outlet.is_full() {
            let line = match stream.lines.waiting_line() {
                None if stream.is_at_end => stream.lines.last_line(),
                line => line,
            };
            let Some(line) = line else { break };
            let is_too_long = matches!(line, Line::TooLong(_));
            match (&mut self.role, &line) {
                (Role::Watched(composer), line) => {
                    flow = composer.line(line, now, &mut shared.tally, &mut outlet.buffer);
                }
                (Role::Copied, Line::Whole(bytes)) => {
                    outlet.buffer.extend_from_slice(bytes);
                    outlet.buffer.push(b'\n');
                }
                (Role::Copied, Line::TooLong(_)) | (Role::Dropped, _) => {}
            }
            let number = stream.lines.number();
            if is_too_long {
                shared.tell_too_long(&self.name, number, &self.role);
            }
            shared.tell_odd(&self.name, number);
        }
        if stream.is_at_end && !outlet.is_full() {
            self.stream = None;
        }
        self.mind(flow, now, shared);
    }

    /// Does what is due, and notices the end.
    pub(super) fn tick(&mut self, now: Instant, out: &mut Vec<u8>, shared: &mut Shared<'_>) {
        if self.ending.is_some() {
            return;
        }
        if let Role::Watched(composer) = &mut self.role {
            let flow = composer.tick(now, out);
            self.mind(flow, now, shared);
        }
        self.step = Step::Wait(None);
        let ending = match &mut self.process {
            None if self.stream.is_some() => return,
            None if self.is_flooded => Ending::Flooded,
            None => Ending::Status(0),
            Some(process) => {
                self.step = process.step(self.stream.as_ref(), now);
                match self.step {
                    Step::Wait(_) => return,
                    Step::Drain => return self.stream.as_mut().into_iter().for_each(Stream::drain),
                    Step::Over(status) => process.made.unwrap_or(Ending::Status(status)),
                }
            }
        };
        self.finish(ending, now, out, shared.lifecycle);
    }

    /// When something is to be done although nothing comes.
    pub(super) fn due(&self) -> Option<Instant> {
        let composed = match &self.role {
            Role::Watched(composer) => composer.due(),
            Role::Copied | Role::Dropped => None,
        };
        let stepped = match self.step {
            Step::Wait(due) => due,
            Step::Drain | Step::Over(_) => None,
        };
        let limit = self.process.as_ref().and_then(|process| process.limit);
        if self.ending.is_some() { None } else { [composed, stepped, limit].into_iter().flatten().min() }
    }

    /// Ends the source: what has come is still read.
    pub(super) fn end(&mut self, made: Ending, now: Instant) {
        match &mut self.process {
            Some(process) => process.end(made, now),
            None => self.stream.as_mut().into_iter().for_each(Stream::drain),
        }
    }

    /// Passes an end signal on to the command. Standard input ends by it too, unless it is an interrupt: that has
    /// gone to the programs upstream as well, and their end is its end.
    pub(super) fn pass_on(&mut self, signal: i32, now: Instant) {
        match (&mut self.process, Signal::from_named_raw(signal)) {
            (Some(process), Some(signal)) => process.group.end(signal, now),
            (None, Some(Signal::INT)) => {}
            _ => self.end(Ending::Ended, now),
        }
    }

    /// Reads no more, for there is nowhere to go with it.
    pub(super) fn abandon(&mut self, now: Instant) {
        self.stream = None;
        self.end(Ending::Ended, now);
    }

    /// Stops a source that has made too much output.
    fn mind(&mut self, flow: Flow, now: Instant, shared: &mut Shared<'_>) {
        if flow == Flow::Open || self.is_flooded {
            return;
        }
        self.is_flooded = true;
        self.stream = None;
        self.end(Ending::Flooded, now);
        shared.lost += 1;
        (shared.say)(&format_args!("{}more output for 30 s than the throttle lets through: stopped", self.name));
    }

    pub(super) fn finish(&mut self, ending: Ending, now: Instant, out: &mut Vec<u8>, lifecycle: Lifecycle) {
        self.ending = Some(ending);
        self.process = None;
        if let Role::Watched(composer) = &mut self.role {
            composer.finish(now, out);
            if self.is_flooded {
                composer.say("[stopped: too much output for 30 s]", out);
            }
        }
        if let Some(label) = &self.label
            && lifecycle == Lifecycle::Recorded
        {
            lifecycle::end(ending, label, out);
        }
    }
}

impl Shared<'_> {
    /// Reports that a source cannot be read.
    pub(super) fn tell_unreadable(&mut self, name: &str, error: &io::Error) {
        self.lost += 1;
        (self.say)(&format_args!("{name}cannot read the input: {}", reason(error)));
    }

    fn tell_too_long(&mut self, name: &str, number: u64, role: &Role) {
        let (limit, done) = match role {
            Role::Watched(composer) => (composer.max_line_bytes(), "cut"),
            Role::Copied => (EVENT_LINE_LIMIT, "left out"),
            Role::Dropped => return,
        };
        self.lost += 1;
        (self.say)(&format_args!("{name}line {number}: longer than {limit} bytes: {done}"));
    }

    fn tell_odd(&mut self, name: &str, number: u64) {
        for oddity in self.tally.take_fresh() {
            (self.say)(&format_args!("{name}line {number}: {oddity}"));
        }
    }
}

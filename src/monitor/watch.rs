//! The loop: waits for all sources, the output, signals and times at once, so that no thread is needed and no
//! order is lost.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::process::Signal;

use super::command::{GRACE, Group};
use super::compose::Composer;
use super::outlet::{Outlet, Pacing};
use super::source::{Process, Role, Shared, Source, Stream};
use super::{
    Cause, Command, EVENT_LINE_LIMIT, Ending, InputEnd, InputLines, Label, Lifecycle, Options, Outcome, Signals,
    Watched, lifecycle, wait,
};
use crate::report::{Tally, reason};

/// A run.
pub(super) struct Watch<'a, W> {
    /// Those with a command first, standard input last.
    sources: Vec<Source>,
    outlet: Outlet<W>,
    signals: Signals<'a>,
    options: &'a Options,
    shared: Shared<'a>,
    is_interrupted: bool,
    cause: Option<Cause>,
    /// When the output is given up, should it not be taken.
    give_up: Option<Instant>,
}

impl<'a, W: Write + AsFd> Watch<'a, W> {
    /// Starts whatever is to be watched.
    pub(super) fn start(
        input: File,
        (writer, pacing): (W, Pacing),
        signals: Signals<'a>,
        options: &'a Options,
        say: &'a mut dyn FnMut(&dyn Display),
    ) -> io::Result<Self> {
        let now = Instant::now();
        let shared = Shared { tally: Tally::default(), lost: 0, lifecycle: options.lifecycle, say };
        let mut watch = Self {
            sources: Vec::new(),
            outlet: Outlet::new(writer, pacing),
            signals,
            options,
            shared,
            is_interrupted: false,
            cause: None,
            give_up: None,
        };
        match &options.watched {
            Watched::Input(label) => {
                watch.add(String::new(), label, now)?;
                watch.begin(0, None, label, now)?;
                watch.open(0, input, options.shape.max_line_bytes, now);
            }
            Watched::Commands { commands, input: role, .. } => {
                // Every label is checked before the first command runs.
                for (number, command) in (1..).zip(commands) {
                    let name = if commands.len() == 1 { String::new() } else { format!("monitor {number}: ") };
                    watch.add(name, &command.label, now)?;
                }
                for (place, command) in commands.iter().enumerate() {
                    watch.begin(place, Some(command), &command.label, now)?;
                }
                if let Some((lines, _)) = role {
                    let role = match lines {
                        InputLines::Copied => Role::Copied,
                        InputLines::Dropped => Role::Dropped,
                    };
                    watch.sources.push(Source::new("standard input: ".to_owned(), role, None));
                    watch.open(commands.len(), input, EVENT_LINE_LIMIT, now);
                }
            }
        }
        Ok(watch)
    }

    fn add(&mut self, name: String, label: &Label, now: Instant) -> io::Result<()> {
        let composer = Composer::new(label, &self.options.shape, now)?;
        self.sources.push(Source::new(name, Role::Watched(Box::new(composer)), Some(label.clone())));
        Ok(())
    }

    fn open(&mut self, place: usize, file: File, limit: usize, now: Instant) {
        if let Some(source) = self.sources.get_mut(place) {
            source.stream = Some(Stream::new(file, limit, now));
        }
    }

    /// Records the start of a source, and runs its command if it has one.
    fn begin(&mut self, place: usize, command: Option<&Command>, label: &Label, now: Instant) -> io::Result<()> {
        let timeout = match &self.options.watched {
            Watched::Commands { timeout, .. } => *timeout,
            Watched::Input(_) => None,
        };
        let line = command.map(|command| &*command.line);
        if self.options.lifecycle == Lifecycle::Recorded {
            lifecycle::begin(line, label, timeout, &mut self.outlet.buffer)?;
        }
        let Some((line, source)) = line.zip(self.sources.get_mut(place)) else { return Ok(()) };
        match Group::start(line) {
            Ok((group, pipe)) => {
                // A time that cannot be counted never comes.
                source.process = Some(Process::new(group, timeout.and_then(|timeout| now.checked_add(timeout))));
                self.open(place, pipe, self.options.shape.max_line_bytes, now);
            }
            Err(error) => {
                (self.shared.say)(&format_args!("{}cannot run the command: {}", source.name, reason(&error)));
                source.finish(Ending::CannotRun, now, &mut self.outlet.buffer, self.options.lifecycle);
            }
        }
        Ok(())
    }

    /// Runs until nothing is left of any source and all is written.
    pub(super) fn run(mut self) -> Outcome {
        loop {
            let now = Instant::now();
            self.serve(now);
            self.outlet.write_ready();
            if self.outlet.is_closed() {
                self.sources.iter_mut().for_each(|source| source.abandon(now));
                // A source without a command has its end by that, and nothing would wake for it.
                self.serve(now);
            }
            let is_over = self.sources.iter().all(|source| source.ending.is_some()) && self.outlet.is_empty();
            if is_over {
                break;
            }
            if let Err(error) = self.wait(now) {
                (self.shared.say)(&format_args!("cannot wait for the sources: {}", reason(&error)));
                self.shared.lost += 1;
                break;
            }
            if self.cause == Some(Cause::Interrupted) {
                break;
            }
        }
        self.conclude()
    }

    fn conclude(self) -> Outcome {
        for (oddity, count) in self.shared.tally.repeated() {
            (self.shared.say)(&format_args!("{oddity}: {count} times"));
        }
        let commands = match &self.options.watched {
            Watched::Commands { commands, .. } => commands.len(),
            Watched::Input(_) => 1,
        };
        let endings = self.sources.iter().take(commands).map(|source| source.ending.unwrap_or(Ending::Ended));
        let endings = endings.collect();
        let reader = self.outlet.into_reader();
        Outcome { endings, cause: self.cause, lost: self.shared.lost, reader }
    }

    /// Does what is due, and takes the lines that have been read.
    fn serve(&mut self, now: Instant) {
        // In order: none can starve, since a source is not read again before all have been served.
        for source in &mut self.sources {
            source.tick(now, &mut self.outlet.buffer, &mut self.shared);
            source.take_lines(now, &mut self.outlet, &mut self.shared);
            source.tick(now, &mut self.outlet.buffer, &mut self.shared);
        }
        let ends_commands =
            matches!(self.options.watched, Watched::Commands { input: Some((_, InputEnd::EndsCommands)), .. });
        if ends_commands && self.sources.last().is_some_and(|input| input.ending.is_some()) {
            self.sources.iter_mut().for_each(|source| source.end(Ending::Ended, now));
        }
        if self.give_up.is_some_and(|give_up| give_up <= now) {
            self.outlet.give_up();
            self.give_up = Some(now + GRACE / 5);
        }
    }

    /// Waits until something can be done, and reads what has come.
    fn wait(&mut self, now: Instant) -> io::Result<()> {
        let is_full = self.outlet.is_full();
        let mut is_busy = false;
        let mut due = self.give_up;
        let mut reading = Vec::new();
        for (place, source) in self.sources.iter_mut().enumerate() {
            due = due.into_iter().chain(source.due()).min();
            let Some(stream) = &mut source.stream else { continue };
            if is_full {
                continue;
            }
            let has_more = stream.is_at_end() || stream.lines.has_line();
            is_busy |= has_more || stream.is_draining();
            if !has_more {
                reading.push(place);
            }
        }
        let timeout = if is_busy { Some(Duration::ZERO) } else { due.map(|due| due.saturating_duration_since(now)) };
        let (is_woken, ready) = self.poll(&reading, timeout)?;
        let now = Instant::now();
        while let Some(signal) = is_woken.then(|| (self.signals.next)()).flatten() {
            self.obey(signal, now);
        }
        for (place, is_ready) in reading.into_iter().zip(ready) {
            let Some(source) = self.sources.get_mut(place) else { continue };
            let Some(stream) = &mut source.stream else { continue };
            if !is_ready {
                stream.is_silent();
            } else if let Err(error) = stream.read(now) {
                self.shared.tell_unreadable(&source.name, &error);
            }
        }
        Ok(())
    }

    /// Waits, and tells whether a signal woke it and which of the sources are ready. Notices when the reader of the output leaves.
    fn poll(&mut self, reading: &[usize], timeout: Option<Duration>) -> io::Result<(bool, Vec<bool>)> {
        let room = if self.outlet.is_empty() { PollFlags::empty() } else { PollFlags::OUT };
        let mut waits = vec![
            PollFd::from_borrowed_fd(self.signals.wake, PollFlags::IN),
            PollFd::from_borrowed_fd(self.outlet.fd(), room),
        ];
        let streams = reading.iter().filter_map(|place| self.sources.get(*place)?.stream.as_ref());
        waits.extend(streams.map(|stream| PollFd::new(stream.lines.source(), PollFlags::IN)));
        wait(&mut waits, timeout)?;
        let has_left = waits.get(1).is_some_and(|output| output.revents().intersects(PollFlags::ERR | PollFlags::HUP));
        let is_woken = waits.first().is_some_and(|wake| !wake.revents().is_empty());
        let ready = waits.iter().skip(2).map(|wait| !wait.revents().is_empty()).collect();
        if has_left {
            self.outlet.close();
        }
        Ok((is_woken, ready))
    }

    fn obey(&mut self, signal: i32, now: Instant) {
        let is_interrupt = signal == Signal::INT.as_raw();
        let is_second = is_interrupt && self.is_interrupted;
        self.is_interrupted |= is_interrupt;
        let is_filter = matches!(self.options.watched, Watched::Input(_));
        if is_second {
            self.cause = Some(Cause::Interrupted);
            return;
        }
        // The first interrupt of a filter is for the programs upstream: their end is the end of the input.
        if is_filter && is_interrupt {
            return;
        }
        self.cause.get_or_insert(Cause::Signal(signal));
        for source in &mut self.sources {
            source.pass_on(signal, now);
        }
        // Standard input is read to its end after an interrupt, however long that takes.
        if !is_interrupt || self.sources.iter().all(|source| source.process.is_some() || source.ending.is_some()) {
            self.give_up.get_or_insert(now + GRACE + GRACE / 5);
        }
    }
}

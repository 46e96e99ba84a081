//! How far a long read is, for who waits at a terminal. Knows nothing of what is read.

use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::io::{self, IsTerminal, Read, Write};
use std::time::{Duration, Instant};

use super::output::Output;
use super::say_to;
use super::signals::EndSignals;

/// Shorter work is not worth a line, and a line is not worth more often.
const INTERVAL: Duration = Duration::from_secs(1);

/// Ends the line on the screen after the cursor.
const CLEAR: &str = "\x1b[K";

/// A line on standard error that says how much was read, as long as the work goes on.
#[derive(Debug)]
pub struct Progress<'a> {
    program: &'static str,
    /// Nothing where standard error is closed.
    messages: RefCell<Option<Output<'a>>>,
    /// Whether somebody sees it, and it does not get between the lines of the output.
    is_wanted: bool,
    started: Instant,
    bytes: Cell<u64>,
    shown: RefCell<Option<Instant>>,
}

impl<'a> Progress<'a> {
    /// Begins to count.
    #[must_use]
    pub fn new(program: &'static str, signals: &'a EndSignals) -> Self {
        Self {
            program,
            messages: RefCell::new(Output::stderr(signals).ok()),
            is_wanted: io::stderr().is_terminal() && !io::stdout().is_terminal(),
            started: Instant::now(),
            bytes: Cell::new(0),
            shown: RefCell::new(None),
        }
    }

    /// Counts what is read from a source.
    pub fn watch<R: Read>(&self, source: R) -> Watched<'_, 'a, R> {
        Watched { source, progress: self }
    }

    /// Writes a message in place of the line.
    pub fn say(&self, message: &dyn Display) {
        self.end();
        if let Some(messages) = &mut *self.messages.borrow_mut() {
            say_to(messages, self.program, message);
        }
    }

    /// Takes the line away.
    pub fn end(&self) {
        if self.shown.take().is_some() {
            self.write(CLEAR);
        }
    }

    fn add(&self, bytes: usize) {
        let sum = self.bytes.get() + bytes as u64;
        self.bytes.set(sum);
        if !self.is_wanted || self.shown.borrow().unwrap_or(self.started).elapsed() < INTERVAL {
            return;
        }
        *self.shown.borrow_mut() = Some(Instant::now());
        let rate = u128::from(sum) * 1000 / self.started.elapsed().as_millis().max(1);
        let line = format!("{}: {} MB read, {} MB/s{CLEAR}\r", self.program, sum / 1_000_000, rate / 1_000_000);
        self.write(&line);
    }

    fn write(&self, text: &str) {
        if let Some(messages) = &mut *self.messages.borrow_mut() {
            let _ = messages.write_all(text.as_bytes());
        }
    }
}

/// A source whose bytes are counted.
#[derive(Debug)]
pub struct Watched<'p, 'a, R> {
    source: R,
    progress: &'p Progress<'a>,
}

impl<R: Read> Read for Watched<'_, '_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.progress.add(count);
        Ok(count)
    }
}

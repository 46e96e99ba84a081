//! The main filter: event lines in, records and the echo out. Knows no command line and no transcript format.

use std::fmt::Display;
use std::io::{self, Read, Write};

use crate::lines::{Line, LineReader};
use crate::ndjson::{self, Parsed};
use crate::report::Tally;
use crate::session::{SessionLogger, Summary};

/// More echo than this does not wait for the end of a batch, so that memory stays bounded.
const ECHO_LIMIT: usize = 1024 * 1024;

/// What comes out on the output after the session line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Echo {
    /// Each accepted line, once its records are written.
    Accepted,
    /// Nothing.
    Off,
}

/// What a rejected line does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rejection {
    /// It is reported and skipped.
    Skip,
    /// It ends the input.
    Stop,
}

/// How to run the filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The agent's name in the session line.
    pub agent_name: String,
    /// What is echoed.
    pub echo: Echo,
    /// What a rejected line does.
    pub rejection: Rejection,
    /// The longest line, in bytes.
    pub max_line_bytes: usize,
}

/// What a run came to.
#[derive(Debug)]
pub struct Outcome {
    /// What was recorded.
    pub summary: Summary,
    /// How many lines were rejected.
    pub rejected: u64,
    /// Why the input could not be read to its end.
    pub input_error: Option<io::Error>,
    /// Why the output could not be written; a reader that left is no error.
    pub output_error: Option<io::Error>,
}

/// Reads events to the end of `input` and records them; `say` gets each message for the user.
///
/// The session line comes first. Whatever is complete is written before a read that could wait.
pub fn run(
    input: impl Read,
    output: impl Write,
    logger: SessionLogger,
    options: &Options,
    say: &mut dyn FnMut(&dyn Display),
) -> Outcome {
    let mut output = Output { writer: Some(output), buffer: Vec::new(), error: None };
    match logger.session_line(&options.agent_name) {
        Ok(line) => output.buffer.extend_from_slice(&line),
        Err(error) => output.fail(error),
    }
    let filter = Filter { logger, output, tally: Tally::default(), number: 0, rejected: 0, options, say };
    filter.run(LineReader::new(input, options.max_line_bytes))
}

struct Filter<'a, W> {
    logger: SessionLogger,
    output: Output<W>,
    tally: Tally,
    /// The number of the line at hand.
    number: u64,
    rejected: u64,
    options: &'a Options,
    say: &'a mut dyn FnMut(&dyn Display),
}

impl<W: Write> Filter<'_, W> {
    fn run(mut self, mut lines: LineReader<impl Read>) -> Outcome {
        let input_error = loop {
            if let Some(line) = lines.waiting_line() {
                self.take(&line);
            } else {
                // The next line has to be waited for.
                self.flush();
                match lines.next_line() {
                    Ok(Some(line)) => self.take(&line),
                    Ok(None) => break None,
                    Err(error) => break Some(error),
                }
            }
            if self.rejected > 0 && self.options.rejection == Rejection::Stop {
                break None;
            }
        };
        self.flush();
        let summary = self.logger.finish();
        for notice in &summary.notices {
            (self.say)(notice);
        }
        for (oddity, count) in self.tally.repeated() {
            (self.say)(&format_args!("{oddity}: {count} times"));
        }
        Outcome { summary, rejected: self.rejected, input_error, output_error: self.output.error }
    }

    fn take(&mut self, line: &Line<'_>) {
        self.number += 1;
        match *line {
            Line::Whole(bytes) => self.take_whole(bytes),
            Line::TooLong(_) => {
                let limit = self.options.max_line_bytes;
                self.reject(&format_args!("column {}: longer than {limit} bytes", limit.saturating_add(1)));
            }
        }
        for oddity in self.tally.take_fresh() {
            (self.say)(&format_args!("line {}: {oddity}", self.number));
        }
    }

    fn take_whole(&mut self, bytes: &[u8]) {
        let line = ndjson::decode_utf8(bytes, &mut self.tally);
        match ndjson::parse(&line, &mut self.tally) {
            Ok(Parsed::Event(event)) => self.logger.record(&event, &mut self.tally),
            Ok(Parsed::BlankText) => {}
            Ok(Parsed::Ignored) => return,
            Err(error) => return self.reject(&error),
        }
        if self.options.echo == Echo::Accepted {
            self.output.add(&line);
            if self.output.buffer.len() > ECHO_LIMIT {
                self.flush();
            }
        }
    }

    fn reject(&mut self, reason: &dyn Display) {
        self.rejected += 1;
        (self.say)(&format_args!("line {}: {reason}", self.number));
    }

    /// Writes what is complete; the echo after the records that it acknowledges.
    fn flush(&mut self) {
        self.logger.flush();
        for notice in self.logger.take_notices() {
            (self.say)(&notice);
        }
        self.output.flush();
    }
}

/// The output, until its reader leaves or it fails.
struct Output<W> {
    writer: Option<W>,
    buffer: Vec<u8>,
    error: Option<io::Error>,
}

impl<W: Write> Output<W> {
    fn add(&mut self, line: &str) {
        if self.writer.is_some() {
            self.buffer.extend_from_slice(line.as_bytes());
            self.buffer.push(b'\n');
        }
    }

    fn flush(&mut self) {
        let Some(writer) = &mut self.writer else { return };
        let result = writer.write_all(&self.buffer).and_then(|()| writer.flush());
        self.buffer.clear();
        if let Err(error) = result {
            self.fail(error);
        }
    }

    fn fail(&mut self, error: io::Error) {
        self.writer = None;
        self.buffer = Vec::new();
        if error.kind() != io::ErrorKind::BrokenPipe {
            self.error = Some(error);
        }
    }
}

//! `asyncai-sessionize verify`: each finding as a line.

use std::cell::Cell;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use super::output::Output;
use super::progress::Progress;
use super::sessionize::{PROGRAM, open_apart};
use super::signals::EndSignals;
use super::{Status, cannot, shown};
use crate::conversation::verify::{self, Finding, Severity};
use crate::report::reason;

/// Findings are written in batches of this size, so that many of them cost few writes.
const BATCH: usize = 64 * 1024;

/// What came of one input.
enum Outcome {
    /// Nothing is wrong with it.
    Good,
    /// There is an error in it.
    Bad,
    /// It cannot be read to its end.
    Unread(anyhow::Error),
    /// Findings cannot be written any more.
    Unwritten(io::Error),
}

/// Checks transcripts and rounds one after the other; none is standard input.
///
/// # Errors
/// When it cannot start.
pub(super) fn run(paths: &[PathBuf], signals: &EndSignals) -> anyhow::Result<Status> {
    let standard_input = [PathBuf::from("-")];
    let paths = if paths.is_empty() { &standard_input[..] } else { paths };
    let mut output = Output::stdout(signals).map_err(cannot("open stdout"))?;
    let progress = Progress::new(PROGRAM, signals);
    let mut status = Status::Success;
    for path in paths {
        let outcome = check(path, &mut output, signals, &progress);
        if signals.has_come() {
            break;
        }
        match outcome {
            Outcome::Good => {}
            Outcome::Bad => status = if status == Status::Success { Status::Loss } else { status },
            Outcome::Unread(error) => {
                progress.say(&error);
                status = Status::Unread;
            }
            Outcome::Unwritten(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Status::Success),
            Outcome::Unwritten(error) => {
                progress.say(&format_args!("cannot write to stdout: {}", reason(&error)));
                return Ok(Status::Loss);
            }
        }
    }
    progress.end();
    Ok(status)
}

fn check(path: &Path, output: &mut Output<'_>, signals: &EndSignals, progress: &Progress<'_>) -> Outcome {
    let stdout = io::stdout();
    let input = match open_apart(Some(path), signals, progress) {
        Ok(input) => progress.watch(input.until_left(stdout.as_fd())),
        Err(error) => return Outcome::Unread(error),
    };
    let is_over = Cell::new(false);
    let name = shown(path);
    let mut findings = Findings { name: &name, output, lines: Vec::new(), failure: None, has_error: false };
    let read = verify::check(Until { source: input, is_over: &is_over }, &mut |finding| {
        findings.add(finding);
        is_over.set(findings.failure.is_some());
    });
    findings.write();
    match (read, findings.failure) {
        (_, Some(failure)) => Outcome::Unwritten(failure),
        // Whoever reads the output has left.
        (Err(error), None) if error.kind() == io::ErrorKind::BrokenPipe => Outcome::Unwritten(error),
        (Err(error), None) => Outcome::Unread(anyhow::anyhow!("cannot read {name}: {}", reason(&error))),
        (Ok(()), None) if findings.has_error => Outcome::Bad,
        (Ok(()), None) => Outcome::Good,
    }
}

/// The findings of one input on their way out.
struct Findings<'n, 'o, 's> {
    name: &'n str,
    output: &'o mut Output<'s>,
    lines: Vec<u8>,
    /// Why nothing can be written any more.
    failure: Option<io::Error>,
    has_error: bool,
}

impl Findings<'_, '_, '_> {
    fn add(&mut self, finding: &Finding) {
        let Finding { line, severity, what } = finding;
        self.has_error |= *severity == Severity::Error;
        // Memory takes what is written.
        let _ = writeln!(self.lines, "{}:{line}: {severity}: {what}", self.name);
        if self.lines.len() > BATCH {
            self.write();
        }
    }

    fn write(&mut self) {
        if self.failure.is_none() {
            self.failure = self.output.write_all(&self.lines).err();
        }
        self.lines.clear();
    }
}

/// An input that ends once nothing can be written any more.
struct Until<'c, R> {
    source: R,
    is_over: &'c Cell<bool>,
}

impl<R: Read> Read for Until<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_over.get() { Err(io::ErrorKind::BrokenPipe.into()) } else { self.source.read(buffer) }
    }
}

//! The three streams of a filter, each of which a signal can end. Knows no line.

use std::path::Path;

use anyhow::ensure;

use super::cannot;
use super::input::Input;
use super::output::Output;
use super::signals::EndSignals;

/// What a filter reads and writes.
#[derive(Debug)]
pub struct Streams<'a> {
    /// What it reads.
    pub input: Input<'a>,
    /// What it writes.
    pub output: Output<'a>,
    /// Where its messages go.
    pub messages: Output<'a>,
}

impl<'a> Streams<'a> {
    /// Opens a file, or standard input when it is `-` or nothing, and takes the standard output and error.
    ///
    /// # Errors
    /// When one of them cannot be had, or the messages would be read as input.
    pub fn open(path: Option<&Path>, signals: &'a EndSignals) -> anyhow::Result<Self> {
        let input = Input::open(path, signals)?;
        let output = Output::stdout(signals).map_err(cannot("open stdout"))?;
        let messages = Output::stderr(signals).map_err(cannot("open stderr"))?;
        ensure!(!input.is_fed_by(&messages), "cannot report: the input is where messages go");
        Ok(Self { input, output, messages })
    }

    /// Refuses an output that would be read as input.
    ///
    /// # Errors
    /// When it would.
    pub fn refuse_circle(&self) -> anyhow::Result<()> {
        ensure!(!self.input.is_fed_by(&self.output), "cannot echo: the input is the output");
        Ok(())
    }
}

//! Standard output and error that never keep a program from ending: a signal cuts a wait for the reader short.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileTypeExt;

use super::signals::{CutsWaits, Ready, cut_short};
use crate::lines::for_pipe;

/// Standard output or standard error.
#[derive(Debug)]
pub struct Output<'a> {
    file: File,
    signals: &'a dyn CutsWaits,
    /// Whether a write can wait for a reader.
    can_wait: bool,
}

impl<'a> Output<'a> {
    /// Takes standard output.
    ///
    /// # Errors
    /// When it cannot be had.
    pub fn stdout(signals: &'a dyn CutsWaits) -> io::Result<Self> {
        Self::new(io::stdout().as_fd(), signals)
    }

    /// Takes standard error.
    ///
    /// # Errors
    /// When it cannot be had.
    pub fn stderr(signals: &'a dyn CutsWaits) -> io::Result<Self> {
        Self::new(io::stderr().as_fd(), signals)
    }

    fn new(file: BorrowedFd<'_>, signals: &'a dyn CutsWaits) -> io::Result<Self> {
        let file = File::from(file.try_clone_to_owned()?);
        let kind = file.metadata()?.file_type();
        let can_wait = kind.is_fifo() || kind.is_socket() || file.is_terminal();
        Ok(Self { file, signals, can_wait })
    }
}

impl AsFd for Output<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.can_wait {
            return self.file.write(bytes);
        }
        loop {
            if self.signals.wait_for_room(self.file.as_fd())? == Ready::Signal {
                return Err(cut_short());
            }
            match self.file.write(for_pipe(bytes)) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                result => return result,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

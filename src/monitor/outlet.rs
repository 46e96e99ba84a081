//! Where the event lines go: a buffer, written out as far as the reader takes it. Never waits for the reader.

use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};

use super::wait;
use crate::lines::for_pipe;

/// With more than this, no further lines are taken: the sources wait until the reader has caught up.
const FULL: usize = 256 * 1024;

/// How writing goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pacing {
    /// A file: all at once.
    AtOnce,
    /// A pipe or the like: only what it has room for.
    AsRoom,
}

/// The output until its reader leaves or it fails.
#[derive(Debug)]
pub(super) struct Outlet<W> {
    writer: W,
    pacing: Pacing,
    pub(super) buffer: Vec<u8>,
    /// How much of the buffer is written.
    written: usize,
    reader: Reader,
}

/// Who reads the output.
#[derive(Debug)]
pub enum Reader {
    /// It takes what is written.
    Reading,
    /// It wanted no more.
    Left,
    /// Nothing can be written, and why.
    Lost(io::Error),
}

impl<W: Write + AsFd> Outlet<W> {
    pub(super) fn new(writer: W, pacing: Pacing) -> Self {
        Self { writer, pacing, buffer: Vec::new(), written: 0, reader: Reader::Reading }
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.writer.as_fd()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.written == self.buffer.len()
    }

    pub(super) fn is_full(&self) -> bool {
        self.buffer.len() - self.written > FULL
    }

    pub(super) fn is_closed(&self) -> bool {
        !matches!(self.reader, Reader::Reading)
    }

    /// Notes that the reader has left.
    pub(super) fn close(&mut self) {
        if !self.is_closed() {
            self.reader = Reader::Left;
        }
    }

    /// Stops waiting for a reader that does not read.
    pub(super) fn give_up(&mut self) {
        if !self.is_empty() && !self.is_closed() {
            self.reader = Reader::Lost(io::Error::other("nobody reads it"));
        }
    }

    pub(super) fn into_reader(self) -> Reader {
        self.reader
    }

    /// Writes what can be written without waiting.
    pub(super) fn write_ready(&mut self) {
        while !self.is_empty() && !self.is_closed() {
            match self.write_some() {
                Ok(0) => break,
                Ok(count) => self.written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.reader = Reader::Left,
                Err(error) => self.reader = Reader::Lost(error),
            }
        }
        if self.is_empty() || self.is_closed() {
            self.buffer.clear();
            self.written = 0;
        } else if self.written > FULL {
            self.buffer.drain(..self.written);
            self.written = 0;
        }
    }

    fn write_some(&mut self) -> io::Result<usize> {
        let rest = self.buffer.get(self.written..).unwrap_or_default();
        match self.pacing {
            Pacing::AtOnce => match self.writer.write(rest)? {
                0 => Err(io::ErrorKind::WriteZero.into()),
                count => Ok(count),
            },
            Pacing::AsRoom => {
                let mut waits = [PollFd::from_borrowed_fd(self.writer.as_fd(), PollFlags::OUT)];
                wait(&mut waits, Some(Duration::ZERO))?;
                if waits.iter().all(|wait| wait.revents().is_empty()) {
                    return Ok(0);
                }
                self.writer.write(for_pipe(rest))
            }
        }
    }
}

//! Input that an end signal ends. Knows no line.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::anyhow;
use rustix::event::PollFlags;
use rustix::fs::{FileType, OFlags, fcntl_getfl, fstat};

use super::signals::{EndSignals, Ready, Wait, cut_short};
use super::{cannot, shown};
use crate::report::reason;

/// After an end signal, so much of what has already come is read: the most that a pipe can hold by default limits.
const DRAIN_LIMIT: usize = 1 << 20;

/// A file, or standard input.
#[derive(Debug)]
pub struct Input<'a> {
    file: File,
    signals: &'a EndSignals,
    /// Whether it can be read at all: the system never calls a pipe ready that is open for writing alone.
    is_readable: bool,
    /// The output, when the end of its reader ends the input.
    output: Option<BorrowedFd<'a>>,
    /// How much was read since an end signal came.
    drained: usize,
}

impl<'a> Input<'a> {
    /// Opens a file; `-` or nothing is standard input.
    ///
    /// # Errors
    /// When the file cannot be opened, or is a directory.
    pub fn open(path: Option<&Path>, signals: &'a EndSignals) -> anyhow::Result<Self> {
        let file = match path {
            Some(path) if path.as_os_str() != "-" => {
                open(path).map_err(|error| anyhow!("cannot open {}: {}", shown(path), reason(&error)))?
            }
            _ => File::from(io::stdin().as_fd().try_clone_to_owned().map_err(cannot("open stdin"))?),
        };
        let is_readable = !fcntl_getfl(&file).is_ok_and(|flags| flags.contains(OFlags::WRONLY));
        Ok(Self { file, signals, is_readable, output: None, drained: 0 })
    }

    /// Tells whether what goes there is read back from here, without an end.
    #[must_use]
    pub fn is_fed_by(&self, output: impl AsFd) -> bool {
        let file = |file: Result<rustix::fs::Stat, _>| {
            let stat = file.ok().filter(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile)?;
            Some((stat.st_dev, stat.st_ino))
        };
        let input = file(fstat(&self.file));
        input.is_some() && input == file(fstat(output))
    }

    /// Makes the end of whoever reads the output an error of the kind `BrokenPipe`.
    #[must_use]
    pub fn until_left(self, output: BorrowedFd<'a>) -> Self {
        Self { output: Some(output), ..self }
    }
}

/// Opens a file without waiting: for a FIFO that nobody writes to yet, the wait is in `read`, where a signal ends it.
fn open(path: &Path) -> io::Result<File> {
    let no_wait = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(no_wait).open(path)?;
    if file.metadata()?.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { Ok(file) }
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.is_readable {
            return self.file.read(buffer);
        }
        loop {
            let is_ending = self.signals.has_come();
            if self.drained >= DRAIN_LIMIT {
                return Err(cut_short());
            }
            let wait = if is_ending { Wait::No } else { Wait::Until };
            match self.signals.wait_beside(self.file.as_fd(), PollFlags::IN, wait, self.output)? {
                Ready::File => {}
                Ready::Signal if is_ending => return Err(cut_short()),
                Ready::Signal => continue,
                Ready::Left => return Err(io::ErrorKind::BrokenPipe.into()),
            }
            match self.file.read(buffer) {
                // A file that someone else made non-blocking, and someone else read.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Ok(count) => {
                    self.drained += if is_ending { count } else { 0 };
                    return Ok(count);
                }
                Err(error) => return Err(error),
            }
        }
    }
}

//! A file that this process made and only appends to, whole events at a time. Knows no record.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// What a full disk may leave unwritten, in bytes, before the file is given up.
const HELD_LIMIT: usize = 64 << 20;

/// How many names are tried when files of these names exist already.
const NAMES_TRIED: usize = 100;

/// A file that was created by this process and is only appended to.
///
/// Records collect in a buffer. [`AppendFile::flush`] hands it to the kernel in one `write`, so that lines of
/// two programs that append to one file never mix.
#[derive(Debug)]
pub struct AppendFile {
    file: File,
    path: PathBuf,
    buffer: Vec<u8>,
    /// How much of the buffer the kernel has; more than nothing only after a write that the disk cut short.
    written: usize,
    /// Where in the buffer each of its events ends.
    event_ends: Vec<usize>,
    events: u64,
    /// Where the file ends, by our own count.
    end: u64,
    /// Where bytes of other programs were noticed and not read yet.
    foreign: Option<(u64, u64)>,
    is_held: bool,
}

/// What a flush came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flushed {
    /// The buffer is written.
    Written,
    /// The disk is full since this flush; what is left waits for the next one.
    HeldNow,
    /// The disk is still full.
    StillHeld,
    /// The disk had room again.
    WrittenAgain,
}

impl AppendFile {
    /// Creates a file in `folder` (made with its parents where missing) under the first of `names` that is free.
    ///
    /// # Errors
    /// When the folder or the file cannot be made. An existing file is never opened.
    pub fn create(folder: &Path, mut names: impl FnMut() -> String) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
        for _ in 0..NAMES_TRIED {
            let path = folder.join(names());
            match OpenOptions::new().read(true).append(true).create_new(true).mode(0o600).open(&path) {
                Ok(file) => return Ok(Self::new(file, path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    fn new(file: File, path: PathBuf) -> Self {
        Self {
            file,
            path,
            buffer: Vec::new(),
            written: 0,
            event_ends: Vec::new(),
            events: 0,
            end: 0,
            foreign: None,
            is_held: false,
        }
    }

    /// Returns where the file is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns how long the file will be once the buffer is written.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.end + self.unwritten() as u64
    }

    /// Returns how many bytes wait to be written.
    #[must_use]
    pub fn unwritten(&self) -> usize {
        self.buffer.len() - self.written
    }

    /// Returns the buffer, to append records to.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Says that the records of one event are whole.
    pub fn end_event(&mut self) {
        self.events += 1;
        self.event_ends.push(self.buffer.len());
    }

    /// Counts the events that are wholly written.
    #[must_use]
    pub fn recorded_events(&self) -> u64 {
        self.events - self.event_ends.iter().filter(|end| **end > self.written).count() as u64
    }

    /// Writes the buffer. A full disk (or quota, or file size limit) keeps what is left for the next flush.
    ///
    /// # Errors
    /// Any other failure, and more than 64 MiB left by a full disk. The file may then end in half a line.
    pub fn flush(&mut self) -> io::Result<Flushed> {
        while self.unwritten() > 0 {
            match self.file.write(self.buffer.get(self.written..).unwrap_or_default()) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => self.advance(count)?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if is_full(&error) => return self.hold(error),
                Err(error) => return Err(error),
            }
        }
        self.buffer.clear();
        self.event_ends.clear();
        self.written = 0;
        Ok(if std::mem::take(&mut self.is_held) { Flushed::WrittenAgain } else { Flushed::Written })
    }

    /// Takes note of written bytes, and of bytes that another program got in before them.
    fn advance(&mut self, count: usize) -> io::Result<()> {
        self.written += count;
        let end = self.file.stream_position()?;
        let begin = end.saturating_sub(count as u64);
        if begin > self.end {
            let from = self.foreign.map_or(self.end, |(from, _)| from);
            self.foreign = Some((from, begin));
        }
        self.end = end;
        Ok(())
    }

    fn hold(&mut self, error: io::Error) -> io::Result<Flushed> {
        if self.unwritten() > HELD_LIMIT {
            return Err(error);
        }
        // With nothing written there is nothing to take out: going over all that is held at each event would make
        // the time grow with the square of their number.
        if self.written > 0 {
            let written = std::mem::take(&mut self.written);
            self.buffer.drain(..written);
            self.event_ends.retain_mut(|end| {
                let is_left = *end > written;
                *end = end.saturating_sub(written);
                is_left
            });
        }
        Ok(if std::mem::replace(&mut self.is_held, true) { Flushed::StillHeld } else { Flushed::HeldNow })
    }

    /// Returns the range of bytes that others appended since the last call, if any.
    ///
    /// # Errors
    /// When the file's length cannot be read.
    pub fn take_foreign(&mut self) -> io::Result<Option<(u64, u64)>> {
        let length = self.file.metadata()?.len();
        if length > self.end {
            let from = self.foreign.map_or(self.end, |(from, _)| from);
            self.foreign = Some((from, length));
            self.end = length;
        }
        Ok(self.foreign.take())
    }

    /// Tells whether a line ends at this place.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn ends_line(&self, at: u64) -> io::Result<bool> {
        let mut last = [0];
        Ok(self.range(at.saturating_sub(1), at).read(&mut last)? == 0 || last == *b"\n")
    }

    /// Reads a range of the file from the beginning to its end.
    #[must_use]
    pub fn range(&self, from: u64, to: u64) -> Range<'_> {
        Range { file: &self.file, at: from, to }
    }
}

/// A full disk may get room again; other failures stay.
fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// A range of bytes of a file.
#[derive(Debug)]
pub struct Range<'a> {
    file: &'a File,
    at: u64,
    to: u64,
}

impl Read for Range<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.to.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let most = buffer.len().min(left);
        let count = self.file.read_at(buffer.get_mut(..most).unwrap_or_default(), self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("asyncai-append-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn an_existing_name_is_passed_over_and_its_file_untouched() {
        let folder = folder("exists");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("taken"), "theirs").unwrap();
        let mut names = ["taken", "free"].into_iter();
        let mut ours = AppendFile::create(&folder, || names.next().unwrap().to_owned()).unwrap();
        ours.buffer().extend_from_slice(b"ours\n");
        assert_eq!(ours.flush().unwrap(), Flushed::Written);
        assert_eq!(ours.path(), folder.join("free"));
        assert_eq!(std::fs::read(folder.join("taken")).unwrap(), b"theirs");
        assert_eq!(std::fs::read(folder.join("free")).unwrap(), b"ours\n");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn names_that_all_exist_end_in_an_error() {
        let folder = folder("all-exist");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("taken"), "theirs").unwrap();
        let error = AppendFile::create(&folder, || "taken".to_owned()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    /// A file of which every write fails as the system lets writes to `path` fail.
    fn failing(options: &mut OpenOptions, path: &str) -> AppendFile {
        AppendFile::new(options.open(path).unwrap(), path.into())
    }

    fn add_event(file: &mut AppendFile, length: usize) {
        let end = file.buffer().len() + length;
        file.buffer().resize(end, b'x');
        file.end_event();
    }

    #[test]
    fn a_full_disk_holds_64_mib_and_no_more() {
        let mut file = failing(OpenOptions::new().write(true), "/dev/full");
        add_event(&mut file, 1);
        assert_eq!(file.flush().unwrap(), Flushed::HeldNow);
        add_event(&mut file, HELD_LIMIT - 1);
        assert_eq!(file.flush().unwrap(), Flushed::StillHeld);
        assert_eq!((file.unwritten(), file.recorded_events()), (HELD_LIMIT, 0));
        add_event(&mut file, 1);
        assert_eq!(file.flush().unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(file.recorded_events(), 0);
    }

    #[test]
    fn a_write_error_that_is_no_full_disk_is_passed_on_and_counts_nothing() {
        let folder = folder("read-only");
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("file");
        std::fs::write(&path, "").unwrap();
        let mut file = failing(OpenOptions::new().read(true), path.to_str().unwrap());
        add_event(&mut file, 1);
        // EBADF: the same branch as EIO, which takes a broken device.
        assert!(file.flush().is_err());
        assert_eq!((file.unwritten(), file.recorded_events()), (1, 0));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_was_held_is_written_from_its_place_and_events_are_counted_by_their_ends() {
        let folder = folder("held");
        let mut file = AppendFile::create(&folder, || "file".to_owned()).unwrap();
        for event in [b"one\n", b"two\n"] {
            file.buffer().extend_from_slice(event);
            file.end_event();
        }
        // As after a write that the disk cut short within the second event.
        file.file.write_all(b"one\nt").unwrap();
        file.advance(5).unwrap();
        assert_eq!(file.hold(io::ErrorKind::StorageFull.into()).unwrap(), Flushed::HeldNow);
        assert_eq!((file.unwritten(), file.recorded_events(), file.length()), (3, 1, 8));
        assert_eq!(file.flush().unwrap(), Flushed::WrittenAgain);
        assert_eq!((file.recorded_events(), file.take_foreign().unwrap()), (2, None));
        assert_eq!(std::fs::read(folder.join("file")).unwrap(), b"one\ntwo\n");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn bytes_of_others_are_noticed_before_and_between_our_writes() {
        let folder = folder("foreign");
        let mut ours = AppendFile::create(&folder, || "file".to_owned()).unwrap();
        let mut theirs = OpenOptions::new().append(true).open(ours.path()).unwrap();
        let write = |ours: &mut AppendFile| {
            ours.buffer().extend_from_slice(b"ours\n");
            ours.flush().unwrap();
        };
        write(&mut ours);
        assert_eq!(ours.take_foreign().unwrap(), None);
        theirs.write_all(b"theirs\n").unwrap();
        assert_eq!(ours.take_foreign().unwrap(), Some((5, 12)));
        assert_eq!(ours.take_foreign().unwrap(), None);
        theirs.write_all(b"more\n").unwrap();
        write(&mut ours);
        assert_eq!(ours.take_foreign().unwrap(), Some((12, 17)));
        let mut read = String::new();
        ours.range(12, 17).read_to_string(&mut read).unwrap();
        assert_eq!(read, "more\n");
        assert!(ours.ends_line(17).unwrap() && ours.ends_line(0).unwrap() && !ours.ends_line(16).unwrap());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

//! A source in pieces of whole lines, with the digest of its bytes. Knows not what lines say.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::Arc;

use memchr::{memchr_iter, memrchr};

use super::digest::Digest;
use crate::lines::own_bytes;

/// The size of a piece, if no line is longer.
const SIZE: usize = 256 * 1024;

/// Some lines of a source.
#[derive(Debug)]
pub(super) struct Piece {
    /// How many bytes of the source are before them.
    pub(super) offset: u64,
    bytes: Arc<Vec<u8>>,
}

impl Piece {
    /// The lines without their ends, each with the number of bytes in the piece before it.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let ends =
            memchr_iter(b'\n', &self.bytes).chain((self.bytes.last() != Some(&b'\n')).then_some(self.bytes.len()));
        let mut start = 0;
        ends.map(move |end| {
            let from = std::mem::replace(&mut start, end + 1);
            let line = self.bytes.get(from..end).unwrap_or_default();
            let (mark, own) = own_bytes(line, self.offset == 0 && from == 0);
            (from + mark, own)
        })
    }
}

/// Cuts a source into pieces.
#[derive(Debug)]
pub(super) struct Pieces<R> {
    source: R,
    digest: Digest,
    /// The beginning of a line whose end has not been read.
    rest: Vec<u8>,
    /// The pieces that someone may still be reading, the oldest first.
    given: VecDeque<Arc<Vec<u8>>>,
    offset: u64,
    is_at_end: bool,
}

impl<R: Read> Pieces<R> {
    pub(super) fn of(source: R) -> Self {
        Self {
            source,
            digest: Digest::default(),
            rest: Vec::new(),
            given: VecDeque::new(),
            offset: 0,
            is_at_end: false,
        }
    }

    /// Returns the next piece: nothing at the end, where a last line may lack its line feed.
    ///
    /// # Errors
    /// Passes on what the source reports, except interruptions, and fails when there is no memory for a line.
    pub(super) fn next(&mut self) -> io::Result<Option<Piece>> {
        let (mut bytes, mut filled) = self.begin();
        while !self.is_at_end {
            let before = filled;
            filled = self.fill(&mut bytes, filled)?;
            let line_feed = memrchr(b'\n', bytes.get(before..filled).unwrap_or_default());
            if let Some(line_feed) = line_feed.filter(|_| !self.is_at_end) {
                let end = before + line_feed + 1;
                self.rest.extend_from_slice(bytes.get(end..filled).unwrap_or_default());
                filled = end;
                break;
            }
        }
        bytes.truncate(filled);
        Ok((!bytes.is_empty()).then(|| self.piece(bytes)))
    }

    /// Returns a buffer that begins with the rest, and the length of that. What else is in it counts for nothing: it
    /// may be that of a piece which nobody reads any more, for new memory would have to be cleared.
    fn begin(&mut self) -> (Vec<u8>, usize) {
        let mut buffer = match self.given.pop_front().map(Arc::try_unwrap) {
            Some(Ok(free)) => free,
            Some(Err(read)) => {
                self.given.push_front(read);
                Vec::new()
            }
            None => Vec::new(),
        };
        let length = self.rest.len();
        match buffer.get_mut(..length) {
            Some(start) => start.copy_from_slice(&self.rest),
            None => self.rest.clone_into(&mut buffer),
        }
        self.rest.clear();
        (buffer, length)
    }

    /// Returns all that comes as it is.
    ///
    /// # Errors
    /// Passes on what the source reports.
    pub(super) fn rest(&mut self) -> io::Result<Arc<Vec<u8>>> {
        let mut bytes = std::mem::take(&mut self.rest);
        self.source.read_to_end(&mut bytes)?;
        Ok(self.piece(bytes).bytes)
    }

    /// Reads until there is enough for a piece, or twice what there was of a line that is longer: so the copying is
    /// linear in its length. Returns how much of the buffer is filled.
    fn fill(&mut self, bytes: &mut Vec<u8>, mut filled: usize) -> io::Result<usize> {
        let wanted = SIZE.max(2 * filled);
        // Where memory ends, it is an error of this read and not the end of the program.
        bytes.try_reserve_exact(wanted.saturating_sub(bytes.len()))?;
        bytes.resize(wanted, 0);
        while filled < wanted && !self.is_at_end {
            match self.source.read(bytes.get_mut(filled..).unwrap_or_default()) {
                Ok(0) => self.is_at_end = true,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    /// Returns the digest of what was read.
    pub(super) fn digest(self) -> String {
        self.digest.finish()
    }

    fn piece(&mut self, bytes: Vec<u8>) -> Piece {
        let bytes = Arc::new(bytes);
        self.digest.share(&bytes);
        if bytes.len() <= SIZE {
            self.given.push_back(Arc::clone(&bytes));
        }
        let offset = self.offset;
        self.offset += bytes.len() as u64;
        Piece { offset, bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::{Line, LineReader};

    /// Reads so many bytes at once.
    struct Slowly<'a>(&'a [u8], usize);

    impl Read for Slowly<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(buffer.len());
            self.0.read(&mut buffer[..count])
        }
    }

    #[test]
    fn lines_are_those_of_a_line_reader_wherever_reads_end() {
        let mut long = b"\n\r\nx".to_vec();
        long.resize(2 * SIZE, b'y');
        for end in ["", "\n", "\r\n", "\n\n", "last", "\r"] {
            let input =
                [b"\xef\xbb\xbfone\r\n\ntwo\n\xef\xbb\xbfthree", &long[..], b"\nfive\r\n\r", end.as_bytes()].concat();
            let mut expected = Vec::new();
            let mut reader = LineReader::new(&input[..], usize::MAX);
            while let Some((offset, Line::Whole(line))) = reader.next_line_at().unwrap() {
                expected.push((offset, line.to_vec()));
            }
            for size in [1000, 4096, usize::MAX] {
                let mut pieces = Pieces::of(Slowly(&input, size));
                let mut lines = Vec::new();
                while let Some(piece) = pieces.next().unwrap() {
                    lines.extend(piece.lines().map(|(at, line)| (piece.offset + at as u64, line.to_vec())));
                }
                assert!(lines == expected, "{end:?}, {size}");
                let mut digest = Digest::default();
                digest.update(&input);
                assert_eq!(pieces.digest(), digest.finish());
            }
        }
    }
}

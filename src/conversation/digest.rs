//! Digests, made beside the work of whoever hands on the bytes. Knows not what they say.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

use sha2::{Digest as _, Sha256};

/// So much is hashed at once. Less than this is not worth a thread.
const BLOCK: usize = 128 * 1024;

/// So many blocks may wait, so that memory stays bounded.
const WAITING: usize = 4;

/// The SHA-256 of bytes that come little by little.
///
/// A gigabyte of them takes longer than reading or writing it, so that another processor does it where there is one.
#[derive(Debug, Default)]
pub(super) struct Digest {
    /// Of the blocks so far, as long as there is no thread.
    hash: Sha256,
    /// What comes next.
    block: Vec<u8>,
    beside: Option<Beside>,
}

impl Digest {
    /// Takes in more bytes.
    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.block.extend_from_slice(bytes);
        if self.block.len() >= BLOCK {
            self.pass_on();
        }
    }

    /// Returns the digest in lower-case hexadecimal.
    pub(super) fn finish(mut self) -> String {
        let mut hash = match self.beside.take() {
            Some(beside) => beside.end(),
            None => self.hash,
        };
        hash.update(&self.block);
        hex(&hash.finalize())
    }

    fn pass_on(&mut self) {
        if self.beside.is_none() {
            self.beside = Beside::start(&self.hash);
        }
        match &self.beside {
            Some(beside) => beside.pass_on(&mut self.block),
            // There may be no more threads than there are.
            None => self.hash.update(&self.block),
        }
        self.block.clear();
    }
}

/// A thread that hashes.
#[derive(Debug)]
struct Beside {
    blocks: SyncSender<Vec<u8>>,
    /// Blocks that are done, to be filled anew.
    done: Receiver<Vec<u8>>,
    thread: JoinHandle<Sha256>,
}

impl Beside {
    fn start(so_far: &Sha256) -> Option<Self> {
        let (blocks, waiting) = sync_channel(WAITING);
        let (give_back, done) = channel();
        let hash = so_far.clone();
        let thread = Builder::new().name("digest".to_owned()).spawn(move || run(hash, &waiting, &give_back)).ok()?;
        Some(Self { blocks, done, thread })
    }

    /// Exchanges a full block for one that is done.
    fn pass_on(&self, block: &mut Vec<u8>) {
        let next = self.done.try_recv().unwrap_or_default();
        // The thread takes blocks as long as there is a sender.
        let _ = self.blocks.send(std::mem::replace(block, next));
    }

    fn end(self) -> Sha256 {
        drop(self.blocks);
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

fn run(mut hash: Sha256, waiting: &Receiver<Vec<u8>>, give_back: &Sender<Vec<u8>>) -> Sha256 {
    for block in waiting {
        hash.update(&block);
        let _ = give_back.send(block);
    }
    hash
}

/// Bytes in lower-case hexadecimal.
fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_one_digest_however_they_come() {
        let bytes: Vec<u8> = (0..5 * BLOCK + 7).map(|number| u8::try_from(number % 251).unwrap()).collect();
        for size in [1000, BLOCK, bytes.len()] {
            let mut digest = Digest::default();
            bytes.chunks(size).for_each(|chunk| digest.update(chunk));
            assert_eq!(digest.finish(), hex(&Sha256::digest(&bytes)));
        }
        assert!(Digest::default().finish().starts_with("e3b0c44298fc1c14"));
    }
}

//! Digests, made beside the work of whoever hands on the bytes. Knows not what they say.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

use sha2::{Digest as _, Sha256};

/// So much is hashed at once. Less than this is not worth a thread.
const BLOCK: usize = 128 * 1024;

/// So many blocks may wait, so that memory stays bounded. With few of them this thread and the others wait in turn.
const WAITING: usize = 16;

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
            self.pass_block();
        }
    }

    /// Takes in more bytes without a copy of them, if they are many.
    pub(super) fn share(&mut self, bytes: &Arc<Vec<u8>>) {
        if bytes.len() < BLOCK {
            return self.update(bytes);
        }
        self.pass_block();
        self.pass_on(Arc::clone(bytes));
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

    fn pass_block(&mut self) {
        if !self.block.is_empty() {
            let block = std::mem::replace(&mut self.block, Vec::with_capacity(BLOCK));
            self.pass_on(Arc::new(block));
        }
    }

    fn pass_on(&mut self, block: Arc<Vec<u8>>) {
        if self.beside.is_none() {
            self.beside = Beside::start(&self.hash);
        }
        match &self.beside {
            // The thread takes blocks as long as there is a sender.
            Some(beside) => beside.blocks.send(block).unwrap_or_default(),
            // There may be no more threads than there are.
            None => self.hash.update(&*block),
        }
    }
}

/// A thread that hashes.
#[derive(Debug)]
struct Beside {
    blocks: SyncSender<Arc<Vec<u8>>>,
    thread: JoinHandle<Sha256>,
}

impl Beside {
    fn start(so_far: &Sha256) -> Option<Self> {
        let (blocks, waiting) = sync_channel(WAITING);
        let hash = so_far.clone();
        let thread = Builder::new().name("digest".to_owned()).spawn(move || run(hash, &waiting)).ok()?;
        Some(Self { blocks, thread })
    }

    fn end(self) -> Sha256 {
        drop(self.blocks);
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

fn run(mut hash: Sha256, waiting: &Receiver<Arc<Vec<u8>>>) -> Sha256 {
    for block in waiting {
        hash.update(&*block);
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
            let mut shared = Digest::default();
            bytes.chunks(size).for_each(|chunk| shared.share(&Arc::new(chunk.to_vec())));
            assert_eq!(
                [digest.finish(), shared.finish()],
                [hex(&Sha256::digest(&bytes)), hex(&Sha256::digest(&bytes))]
            );
        }
        assert!(Digest::default().finish().starts_with("e3b0c44298fc1c14"));
    }
}

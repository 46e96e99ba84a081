//! Broken bytes of every kind, in process: nothing panics, nothing is written that is not whole, and good lines next to
//! bad ones are recorded.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use asyncai::session::SessionLogger;
use asyncai::session::context::Context;
use asyncai::session::format::Format;
use asyncai::session::stamp::SystemStamp;
use asyncai::transcribe::{self, Echo, Options, Rejection};

use crate::random::Random;
use crate::schema::Transcript;
use crate::support::Sandbox;

/// So many mutated pieces share a session, each with a good line after it.
const PIECES: usize = 200;

/// How many pieces are tried by `cargo test`, which runs without optimization.
const USUAL: usize = 4000;

/// What messages may say, numbers aside, is a closed list; a part of the input in one of them would make it longer.
const MOST_MESSAGES: usize = 60;

/// Lines of the examples and of the golden cases.
fn seeds() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let golden = fs::read_dir(root.join("tests/it/golden")).unwrap().map(|entry| entry.unwrap().path().join("events"));
    let examples = fs::read_dir(root.join("examples")).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> =
        golden.chain(examples.filter(|path| path.extension().is_some_and(|own| own == "ndjson"))).collect();
    paths.sort();
    let lines = |path: &PathBuf| -> Vec<Vec<u8>> {
        fs::read(path).unwrap().split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
    };
    paths.iter().flat_map(lines).filter(|line| !line.is_empty()).collect()
}

struct Mutator {
    random: Random,
    seeds: Vec<Vec<u8>>,
}

impl Mutator {
    /// A line of a seed after one to four changes.
    fn piece(&mut self) -> Vec<u8> {
        let mut piece = self.seed();
        for _ in 0..=self.random.below(4) {
            self.change(&mut piece);
        }
        piece
    }

    fn seed(&mut self) -> Vec<u8> {
        let place = self.random.below(self.seeds.len());
        self.seeds[place].clone()
    }

    fn change(&mut self, piece: &mut Vec<u8>) {
        let (at, other) = (self.random.below(piece.len() + 1), self.random.below(piece.len() + 1));
        match self.random.below(12) {
            0..3 if at < piece.len() => piece[at] ^= 1 << self.random.below(8),
            3 => piece.truncate(at),
            4 => drop(piece.drain(at.min(other)..at.max(other))),
            5 => {
                let tail = self.seed();
                let from = self.random.below(tail.len());
                piece.truncate(at);
                piece.extend_from_slice(&tail[from..]);
            }
            6 => piece.extend(self.seed()),
            7 => {
                let odd: [&[u8]; 10] = [
                    b"\xff",
                    b"\xf0\x9f\x98",
                    b"\xed\xa0\x80",
                    b"\0",
                    b"\\ud83d",
                    b"\\u0000",
                    b"\x1b[31m",
                    b"\r",
                    "\u{2028}".as_bytes(),
                    "\u{feff}".as_bytes(),
                ];
                insert(piece, at, odd[self.random.below(10)]);
            }
            8 => {
                let token: [&[u8]; 10] =
                    [b"null", b"\"\"", b"{", b"}", b"[", b"]", b",", b"\"", b"{\"type\":\"user\"}", b"1e400"];
                insert(piece, at, token[self.random.below(10)]);
            }
            9 => self.insert_value(piece),
            10 => {
                let copy = piece[at.min(other)..at.max(other)].to_vec();
                insert(piece, at, &copy);
            }
            _ => piece.insert(at, b'\n'),
        }
    }

    /// Puts another value behind a colon; a huge one now and then.
    fn insert_value(&mut self, piece: &mut Vec<u8>) {
        let colons: Vec<usize> = (0..piece.len()).filter(|at| piece[*at] == b':').collect();
        if colons.is_empty() {
            return;
        }
        let value = match self.random.below(40) {
            0 => [vec![b'['; 100_000], vec![b']'; 100_000]].concat(),
            1 => [b"{\"a\":".repeat(10_000), b"0".to_vec(), vec![b'}'; 10_000]].concat(),
            2 => vec![b'['; 100_000],
            3..8 => vec![b'7'; 10_000],
            8..12 => [vec![b'"'], b"\\u00e9".repeat(1000), vec![b'"']].concat(),
            12..16 => b"-0.0e-99999999999999999999".to_vec(),
            16..24 => b"[{\"type\":\"text\",\"text\":\"x\"},{\"type\":7},null]".to_vec(),
            24..32 => b"{\"type\":\"image\",\"data\":\"!\",\"mimeType\":\"image/png\"}".to_vec(),
            _ => b"\"2026-13-45T99:99:99Z\"".to_vec(),
        };
        let end = [&b","[..], b"}", b""][self.random.below(3)];
        let at = colons[self.random.below(colons.len())] + 1;
        piece.splice(at..at, value.into_iter().chain(end.iter().copied()));
    }
}

fn insert(piece: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    piece.splice(at..at, bytes.iter().copied());
}

fn good(number: usize) -> String {
    format!("{{\"type\":\"assistant\",\"text\":\"good {number}.\"}}")
}

/// Runs pieces through the filter with a real transcript; the messages, numbers aside, go into `said`.
fn try_pieces(seed: u64, mutator: &mut Mutator, said: &mut BTreeSet<String>) {
    let sandbox = Sandbox::new();
    let mut input = Vec::new();
    for number in 0..PIECES {
        input.extend(mutator.piece());
        input.extend_from_slice(format!("\n{}\n", good(number)).as_bytes());
    }
    let context =
        Context { cwd: "/srv".to_owned(), git_branch: None, model: "m".to_owned(), title: None, utc_offset: 0 };
    let harness = Format::ClaudeCodeCli.open(&sandbox.claude_root(), false, &context).unwrap();
    let path = harness.session_file().to_owned();
    let mut logger = SessionLogger::new(Box::new(SystemStamp));
    logger.add("claude-code-cli", Ok(harness));
    let options = Options {
        agent_name: "agent".to_owned(),
        echo: Echo::Accepted,
        rejection: Rejection::Skip,
        max_line_bytes: 1 << 20,
    };
    let mut output = Vec::new();
    let outcome = transcribe::run(&input[..], &mut output, logger, &options, &mut |message| {
        let message = message.to_string();
        assert!(message.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "seed {seed}: {message:?}");
        said.insert(message.chars().filter(|letter| !letter.is_ascii_digit()).collect());
    });
    assert!(
        outcome.input_error.is_none() && outcome.output_error.is_none() && !outcome.summary.has_lost,
        "seed {seed}"
    );
    let output = String::from_utf8(output).unwrap();
    for line in output.lines() {
        serde_json::from_str::<serde::de::IgnoredAny>(line).map_or_else(
            // The reader of the test has a limit that the format has not.
            |error| assert!(error.to_string().contains("recursion limit"), "seed {seed}: {error}"),
            |_| (),
        );
    }
    // The shapes, the chain and the turn rule are held against the file on reading.
    let transcript = Transcript::read(&path);
    for number in 0..PIECES {
        let text = format!("\"good {number}.\"");
        assert_eq!(output.matches(&good(number)).count(), 1, "seed {seed}: echo of {number}");
        assert_eq!(transcript.text.matches(&format!("\"text\":{text}")).count(), 1, "seed {seed}: record of {number}");
    }
}

fn try_mutations(count: usize) {
    let (seeds, mut said) = (seeds(), BTreeSet::new());
    for seed in 0..count.div_ceil(PIECES) as u64 {
        let mut mutator = Mutator { random: Random::new(seed), seeds: seeds.clone() };
        try_pieces(seed, &mut mutator, &mut said);
    }
    assert!(said.len() <= MOST_MESSAGES, "{}: {said:#?}", said.len());
}

#[test]
fn mutated_lines_break_nothing() {
    try_mutations(USUAL);
}

#[test]
#[ignore = "a hundred thousand take minutes without optimization: .ci/run has them with it"]
fn a_hundred_thousand_mutated_lines_break_nothing() {
    let count = std::env::var("ASYNCAI_TEST_MUTATIONS").map_or(100_000, |count| count.parse().unwrap());
    try_mutations(count);
}

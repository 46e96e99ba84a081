//! kill -9, at any moment: what was echoed is in the file, and nothing in it is broken but perhaps its end.

use std::fs;
use std::io::{Read, Write};
use std::process::Stdio;
use std::thread;

use serde_json::Value;

use super::{numbered, numbers_in};
use crate::random::Random;
use crate::support::{Sandbox, SessionResult};

const MOMENTS: u64 = 200;
const EVENTS: usize = 150;

/// Feeds a stream in pieces, and kills the program when it has given out so many bytes. Returns all that it gave out.
fn killed_after(sandbox: &Sandbox, input: &str, random: &mut Random, bytes: usize) -> Vec<u8> {
    let mut child = sandbox.command(&[]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let pieces: Vec<usize> = (0..input.len()).map(|_| 1 + random.below(2000)).collect();
    let mut stdout = child.stdout.take().unwrap();
    let mut given = vec![0; bytes];
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut rest = input.as_bytes();
            for length in pieces {
                let (piece, after) = rest.split_at(length.min(rest.len()));
                // The program dies under way: that is the point.
                if stdin.write_all(piece).is_err() {
                    break;
                }
                rest = after;
            }
        });
        stdout.read_exact(&mut given).unwrap();
        child.kill().unwrap();
        stdout.read_to_end(&mut given).unwrap();
        child.wait().unwrap();
    });
    given
}

// T29
#[test]
fn every_echoed_event_is_in_the_file_whenever_the_program_is_killed() {
    let input = numbered(0..EVENTS, 150);
    for moment in 0..MOMENTS {
        let sandbox = Sandbox::new();
        let mut random = Random::new(moment);
        // The session line alone is longer than this.
        let bytes = 200 + random.below(input.len());
        let given = killed_after(&sandbox, &input, &mut random, bytes);
        let text = fs::read_to_string(SessionResult::parse(&given).file()).unwrap();
        let echoed = numbers_in(whole_lines(&String::from_utf8(given).unwrap()));
        let mut recorded = Vec::new();
        let mut parent = Value::Null;
        for line in whole_lines(&text).lines() {
            let record: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert_eq!(record["parentUuid"], parent, "moment {moment}");
            parent = record["uuid"].clone();
            recorded.extend(numbers_in(line));
        }
        assert_eq!(recorded, (0..recorded.len()).collect::<Vec<_>>(), "moment {moment}");
        assert!(recorded.starts_with(&echoed), "moment {moment}: {} echoed, {} recorded", echoed.len(), recorded.len());
    }
}

fn whole_lines(text: &str) -> &str {
    text.rfind('\n').map_or("", |end| &text[..=end])
}

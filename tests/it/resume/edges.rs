//! Odd directories, odd files and odd sizes, each resumed by the real program.

use std::fs::OpenOptions;
use std::io::Write;

use serde_json::json;

use super::client::{Client, Which};
use super::events::{assistant, call, lines, monitor, result, user};
use super::place::Place;
use super::request::Request;
use super::round::{resume, resume_which, resumed, resumed_in};
use super::transcribe::record;

#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn a_directory_with_an_emoji_and_accents_is_found() {
    for work in ["🚀x", "naïve dir/a_b c.d", "n\u{303}😀"] {
        let request = resumed_in(&Place::with_work(work), &lines(&[user("the-q"), assistant("the-a")]));
        request.assert_in_order(&["the-q", "the-a"]);
    }
}

#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn a_directory_of_250_characters_is_found_by_its_hash() {
    let place = Place::with_work_of_length(250);
    resumed_in(&place, &lines(&[user("the-q"), assistant("the-a")])).assert_in_order(&["the-q", "the-a"]);
    // With characters of two UTF-16 units, which count twice in the length and in the hash.
    let place = Place::with_work(&"🚀é".repeat(40));
    resumed_in(&place, &lines(&[user("the-q"), assistant("the-a")])).assert_in_order(&["the-q", "the-a"]);
}

#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn a_torn_last_line_costs_nothing_before_it() {
    let client = Client::from_environment();
    let place = Place::new();
    let session = record(
        &place,
        &[],
        lines(&[user("the-q"), assistant("the-a"), user("whole-q"), assistant("whole-a")]).as_bytes(),
    );
    // As a full disk or a kill leaves it: the first half of one more record.
    let bytes = session.bytes();
    let last = bytes.split(|&byte| byte == b'\n').rfind(|line| !line.is_empty()).unwrap();
    let mut file = OpenOptions::new().append(true).open(&session.file).unwrap();
    file.write_all(&last[..last.len() / 2]).unwrap();
    let request = resume(&client, &place, &session);
    request.assert_in_order(&["the-q", "the-a", "whole-q", "whole-a"]);
}

#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn a_transcript_of_monitor_events_alone_resumes() {
    let ended = json!({"type": "monitor_event", "description": "log", "status": "completed"});
    let request = resumed(&[monitor("line-1"), monitor("line-2"), ended]);
    request.assert_in_order(&["line-1", "line-2", "<status>completed</status>"]);
}

#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn a_result_of_400_kilobytes_arrives_whole() {
    let request = resumed(&[user("go"), call("a"), result("a", &filling(400_000)), assistant("all-done")]);
    let (id, _) = request.call_with("run-a").unwrap();
    assert_eq!(request.result_of(id).unwrap()["content"], filling(400_000));
    request.assert_in_order(&["run-a", "all-done"]);
}

/// The program compacts what outgrows the model's context: nothing of it needs to be in the
/// request, but the session loads and goes on.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn a_result_of_5_megabytes_loads_and_resumes() {
    resumed(&[user("go"), call("a"), result("a", &filling(5_000_000)), assistant("all-done")]);
}

/// Text of `length` bytes that is no repetition of one character.
pub(super) fn filling(length: usize) -> String {
    let mut text: String = (0..length / 2).flat_map(|number| [number.to_string(), "\n".to_owned()]).collect();
    text.truncate(length);
    assert_eq!(text.len(), length);
    text
}

#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn continue_goes_on_with_the_latest_session_of_the_directory() {
    let client = Client::from_environment();
    let place = Place::new();
    let session = record(&place, &[], lines(&[user("the-q"), assistant("the-a"), monitor("line-1")]).as_bytes());
    let request: Request = resume_which(&client, &place, &session, Which::Last, Vec::new()).request();
    request.assert_in_order(&["the-q", "the-a", "line-1"]);
}

/// The program's own turn stands behind ours, and the next resume has both.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn a_session_resumed_twice_has_the_turn_of_the_first_resume() {
    let client = Client::from_environment();
    let place = Place::new();
    let session = record(&place, &[], lines(&[user("the-q"), call("a")]).as_bytes());
    let script = vec![vec![super::endpoint::Block::text("turn-of-the-program resumed-ok")]];
    let first = resume_which(&client, &place, &session, Which::Id(&session.id), script).request();
    first.assert_in_order(&["the-q", "run-a", super::client::PROMPT]);
    let second = client.resume(&place, Which::Id(&session.id), Vec::new()).request();
    second.assert_in_order(&["the-q", "run-a", "turn-of-the-program"]);
    assert_eq!(second.count(super::client::PROMPT), 2, "{second}");
}

//! A session that the real program resumes while the filter still writes it.

use std::fs;

use serde_json::json;

use super::client::{Client, PROMPT, Which};
use super::endpoint::{Block, DEFAULT_ANSWER};
use super::events::{assistant, call, monitor, result, user};
use super::place::Place;
use super::round::{resume, resume_which};
use super::transcribe::Running;

const WARNING: &str = "warn session.foreign_append";

/// The whole of it: a call is open when the program comes, the program has a turn with a call of
/// its own, and the agent goes on when that turn is over.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn a_session_resumed_while_it_is_written_has_everything_of_both_at_the_next_resume() {
    let client = Client::from_environment();
    let place = Place::new();
    fs::write(place.work.join("notes.txt"), "words-of-the-file\n").unwrap();
    let mut running = Running::start(&place, &[]);
    running.send(&[user("ours-q"), call("a"), call("b"), result("b", "out-b"), monitor("line-1")]);

    let read = Block::ToolUse {
        id: "toolu_of_the_program".into(),
        name: "Read".into(),
        input: json!({"file_path": place.work.join("notes.txt")}),
    };
    let script =
        vec![vec![Block::text("theirs-begins"), read], vec![Block::text(&format!("theirs-ends {DEFAULT_ANSWER}"))]];
    let during = resume_which(&client, &place, &running.session, Which::Id(&running.session.id), script).request();
    during.assert_in_order(&["ours-q", "run-a", "run-b", "line-1", PROMPT, "theirs-begins", "words-of-the-file"]);
    during.assert_result("run-b", "out-b");

    let meanwhile = running.session.bytes();
    running.send(&[
        result("a", "out-late"),
        assistant("ours-on"),
        call("c"),
        result("c", "out-c"),
        user("ours-more"),
        monitor("line-2"),
        assistant("ours-end"),
    ]);
    let (session, stderr) = running.finish();
    assert_eq!(stderr.matches(WARNING).count(), 1, "{stderr}");
    assert!(session.bytes().starts_with(&meanwhile), "the filter rewrote the transcript");

    let second = client.resume(&place, Which::Id(&session.id), Vec::new());
    let found: Vec<String> =
        second.message_requests().flat_map(|recorded| super::checker::body_violations(&recorded.body)).collect();
    let request = second.request();
    assert!(found.is_empty(), "the API refuses the conversation: {found:#?}{request}");
    request.assert_in_order(&[
        "ours-q",
        "run-a",
        "run-b",
        "line-1",
        "theirs-begins",
        "words-of-the-file",
        "theirs-ends",
        "ours-on",
        "run-c",
        "ours-more",
        "ours-end",
    ]);
    request.assert_in_order(&["theirs-ends", "out-late", "ours-on"]);
    request.assert_in_order(&["ours-more", "line-2", "ours-end"]);
    request.assert_result("run-b", "out-b");
    request.assert_result("run-c", "out-c");
    request.assert_late_result("run-a", "out-late");
    assert_eq!(request.count(PROMPT), 2, "{request}");
}

/// Nothing open, nothing said afterwards by the program but its turn.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn a_conversation_that_goes_on_after_each_of_two_resumes_keeps_all() {
    let client = Client::from_environment();
    let place = Place::new();
    let mut running = Running::start(&place, &[]);
    running.send(&[user("ours-one"), assistant("ours-two")]);
    for (theirs, ours) in [("theirs-one", "ours-three"), ("theirs-two", "ours-four")] {
        let script = vec![vec![Block::text(&format!("{theirs} {DEFAULT_ANSWER}"))]];
        resume_which_again(&client, &place, &running, script);
        running.send(&[user(ours)]);
    }
    let (session, stderr) = running.finish();
    assert_eq!(stderr.matches(WARNING).count(), 1, "{stderr}");
    let request = client.resume(&place, Which::Id(&session.id), Vec::new()).request();
    request.assert_in_order(&["ours-one", "ours-two", "theirs-one", "ours-three", "theirs-two", "ours-four"]);
}

/// Like [`resume_which`], for a session that has the prompt of an earlier resume already.
fn resume_which_again(client: &Client, place: &Place, running: &Running, script: Vec<Vec<Block>>) {
    let before = running.session.bytes();
    let resumed = client.resume(place, Which::Id(&running.session.id), script);
    assert!(running.session.bytes().starts_with(&before), "the program rewrote the transcript");
    assert!(resumed.status.success() && resumed.stdout.contains(DEFAULT_ANSWER), "{resumed}");
}

/// The echo is the acknowledgement: from the first one on, there is something to resume.
#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn a_session_is_resumable_after_its_first_echo() {
    let client = Client::from_environment();
    let place = Place::new();
    let mut running = Running::start(&place, &[]);
    running.send(&[user("only-words")]);
    resume(&client, &place, &running.session).assert_in_order(&["only-words"]);
    running.finish();
}

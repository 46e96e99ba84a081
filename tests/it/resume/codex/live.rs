//! A session that the real Codex resumes while the filter still writes it.

use super::super::client::{PROMPT, Which};
use super::super::endpoint::{Block, DEFAULT_ANSWER};
use super::super::events::{assistant, call, monitor, result, user};
use super::super::place::Place;
use super::super::transcribe::Running;
use super::client::{Client, faults};

#[test]
#[ignore = "needs ASYNCAI_TEST_CODEX: the path of a codex binary"]
fn a_session_resumed_while_it_is_written_has_everything_of_both_at_the_next_resume() {
    let (client, place) = (Client::from_environment(), Place::new());
    let mut running = Running::start(&place, &["--session-format", "codex-cli"]);
    running.send(&[user("ours-q"), call("a"), call("b"), result("b", "out-b"), monitor("line-1")]);

    let before = running.session.bytes();
    let script = vec![vec![Block::text(&format!("theirs {DEFAULT_ANSWER}"))]];
    let during = client.resume(&place, Which::Id(&running.session.id), script);
    assert_eq!(faults(&during, &running.session, &before), Vec::<String>::new());
    during.request().assert_in_order(&["ours-q", "run-a", "run-b", "out-b", "line-1", PROMPT]);

    let meanwhile = running.session.bytes();
    running.send(&[result("a", "out-late"), assistant("ours-on"), monitor("line-2")]);
    let (session, stderr) = running.finish();
    assert_eq!(stderr.matches("warn session.foreign_append").count(), 1, "{stderr}");
    let before = session.bytes();
    assert!(before.starts_with(&meanwhile), "the filter rewrote the transcript");

    let after = client.resume(&place, Which::Id(&session.id), Vec::new());
    assert_eq!(faults(&after, &session, &before), Vec::<String>::new());
    let request = after.request();
    request.assert_in_order(&["ours-q", "run-a", "out-b", "line-1", "theirs", "out-late", "ours-on", "line-2"]);
    request.assert_result("run-a", "out-late");
    assert_eq!(request.count(PROMPT), 2, "{request}");
}

//! Single conversations, resumed by the real Codex.

use serde_json::json;

use super::super::client::Which;
use super::super::edges::filling;
use super::super::events::{assistant, call, lines, monitor, result, user};
use super::super::place::Place;
use super::super::request::Request;
use super::super::transcribe::{Session, record};
use super::client::Client;

const FORMAT: [&str; 2] = ["--session-format", "codex-cli"];

/// A picture of one point, which the program can decode.
const PICTURE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn recorded(place: &Place, arguments: &[&str], events: &[serde_json::Value]) -> Session {
    record(place, &[&FORMAT, arguments].concat(), lines(events).as_bytes())
}

#[track_caller]
fn resumed(events: &[serde_json::Value]) -> Request {
    let (client, place) = (Client::from_environment(), Place::new());
    let session = recorded(&place, &[], events);
    client.resumed(&place, Which::Id(&session.id), &session)
}

#[test]
#[ignore = "needs ASYNCAI_TEST_CODEX: the path of a codex binary"]
fn every_kind_of_event_arrives_in_its_role_and_place() {
    let request = resumed(&[
        user("the-q"),
        assistant("the-a"),
        call("c"),
        monitor("line-1"),
        result("c", "out-c"),
        user("more-q"),
    ]);
    request.assert_in_order(&["the-q", "the-a", "run-c", "line-1", "out-c", "more-q"]);
    request.assert_result("run-c", "out-c");
    for (words, role) in [("the-q", "user"), ("the-a", "assistant"), ("line-1", "developer")] {
        assert_eq!(request.block_with(words).unwrap().role, role, "{request}");
    }
}

#[test]
#[ignore = "needs ASYNCAI_TEST_CODEX: the path of a codex binary"]
fn a_late_result_is_the_result_of_its_call() {
    let request =
        resumed(&[user("q"), call("a"), call("b"), user("more-q"), assistant("moved-on"), result("a", "out-a")]);
    request.assert_in_order(&["run-a", "run-b", "more-q", "moved-on", "out-a"]);
    request.assert_result("run-a", "out-a");
    let (id, _) = request.call_with("run-b").unwrap();
    assert_eq!(request.result_of(id).unwrap()["output"], "No result was recorded for this tool call.");
}

#[test]
#[ignore = "needs ASYNCAI_TEST_CODEX: the path of a codex binary"]
fn results_of_no_open_call_arrive_as_notifications() {
    let request =
        resumed(&[user("q"), call("a"), result("a", "out-1"), result("a", "out-2"), result("ghost", "out-3")]);
    request.assert_in_order(&["out-1", "out-2", "out-3"]);
    request.assert_result("run-a", "out-1");
    for (words, id) in [("out-2", "a"), ("out-3", "ghost")] {
        assert_eq!(request.answered_by(words).as_deref(), Some(id), "{request}");
        assert_eq!(request.block_with(words).unwrap().role, "developer", "{request}");
    }
}

#[test]
#[ignore = "needs ASYNCAI_TEST_CODEX: the path of a codex binary"]
fn a_failed_result_says_so_and_keeps_its_image() {
    let content = json!([
        {"type": "text", "text": "see-this"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}},
        {"type": "image", "source": {"type": "url", "url": "https://example.org/elsewhere.png"}},
    ]);
    let failed = json!({"type": "tool_result", "id": "a", "content": content, "is_error": true});
    let request = resumed(&[user("q"), call("a"), failed]);
    let (id, _) = request.call_with("run-a").unwrap();
    let output = &request.result_of(id).unwrap()["output"];
    assert_eq!(output[0]["text"], "The tool call failed.");
    assert_eq!(output[1]["text"], "see-this");
    assert_eq!(output[2]["image_url"], format!("data:image/png;base64,{PICTURE}"));
    assert_eq!(output[3]["text"], "[image at https://example.org/elsewhere.png]");
}

#[test]
#[ignore = "needs ASYNCAI_TEST_CODEX: the path of a codex binary"]
fn last_takes_a_recording_without_a_prompt_whose_title_the_model_never_sees() {
    let (client, place) = (Client::from_environment(), Place::new());
    let watched = json!({"type": "monitor_event", "description": "the-source", "event": "line-1", "note": null});
    let session = recorded(&place, &["--title", "the-title"], std::slice::from_ref(&watched));
    let request = client.resumed(&place, Which::Last, &session);
    assert_eq!((request.count("the-title"), request.count("line-1")), (0, 1), "{request}");

    let place = Place::new();
    let session = recorded(&place, &[], &[watched]);
    // Once in the notification; the title made of it stays away.
    assert_eq!(client.resumed(&place, Which::Last, &session).count("the-source"), 1);
}

#[test]
#[ignore = "needs ASYNCAI_TEST_CODEX: the path of a codex binary"]
fn a_session_with_a_branch_and_one_without_an_event_resume() {
    let (client, place) = (Client::from_environment(), Place::with_work("naïve dir/😀"));
    let session = recorded(&place, &["--git-branch", "topic/é"], &[user("the-q")]);
    client.resumed(&place, Which::Id(&session.id), &session).assert_in_order(&["the-q"]);
    let session = recorded(&place, &[], &[]);
    client.resumed(&place, Which::Id(&session.id), &session);
}

/// By itself the program gives the model some kilobytes of each answer of a tool, in its own sessions too.
#[test]
#[ignore = "needs ASYNCAI_TEST_CODEX: the path of a codex binary"]
fn a_long_result_is_cut_by_the_program_unless_its_setting_says_otherwise() {
    let place = Place::new();
    let long = filling(400_000);
    let parts = json!([{"type": "text", "text": format!("head-{long}")}, {"type": "text", "text": "tail"}]);
    let event = json!({"type": "tool_result", "id": "a", "content": parts});
    let session = recorded(&place, &[], &[user(&long), call("a"), event]);
    let output = |client: Client| {
        let request = client.resume(&place, Which::Id(&session.id), Vec::new()).request();
        assert_eq!(request.block_with("0\\n1\\n").unwrap().block["text"], *long, "other texts stay whole");
        request.result_of("a").unwrap()["output"].as_str().unwrap().to_owned()
    };
    let cut = output(Client::from_environment());
    assert!(cut.len() < long.len() / 2 && cut.starts_with("head-0\n") && cut.ends_with("\ntail"), "{cut}");
    let whole = output(Client::from_environment().with_settings("tool_output_token_limit = 1000000"));
    assert!(whole == format!("head-{long}\ntail"), "{} bytes", whole.len());
}

#[test]
#[ignore = "needs ASYNCAI_TEST_CODEX: the path of a codex binary"]
fn a_torn_last_line_costs_nothing_before_it() {
    use std::io::Write;
    let (client, place) = (Client::from_environment(), Place::new());
    let session = recorded(&place, &[], &[user("the-q"), assistant("the-a")]);
    let mut file = std::fs::OpenOptions::new().append(true).open(&session.file).unwrap();
    file.write_all(b"{\"timestamp\":\"2026-11-30T19:00:00.000Z\",\"type\":\"resp").unwrap();
    client.resumed(&place, Which::Id(&session.id), &session).assert_in_order(&["the-q", "the-a"]);
}

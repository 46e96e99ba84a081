//! One round: events through the filter, the session resumed, the request that came of it.

use serde_json::Value;

use super::checker::body_violations;
use super::client::{Client, PROMPT, Resumed, Which};
use super::endpoint::{Block, DEFAULT_ANSWER};
use super::events::lines;
use super::place::Place;
use super::request::Request;
use super::transcribe::{Session, record};
use crate::sessionize::{assert_can_be_shown, errors_of};

/// Records the events in a new place, resumes the session, and returns what the model got.
#[track_caller]
pub(super) fn resumed(events: &[Value]) -> Request {
    resumed_in(&Place::new(), &lines(events))
}

/// The same with a place of the caller's and the stream as text.
#[track_caller]
pub(super) fn resumed_in(place: &Place, stream: &str) -> Request {
    // Before the recording: without the program there is nothing to wait for.
    let client = Client::from_environment();
    let session = record(place, &[], stream.as_bytes());
    resume(&client, place, &session)
}

/// Resumes a recorded session by its id.
#[track_caller]
pub(super) fn resume(client: &Client, place: &Place, session: &Session) -> Request {
    resume_which(client, place, session, Which::Id(&session.id), Vec::new()).request()
}

/// Resumes a session, and asserts what holds for every session: the program answers, the API would
/// take each request, what was recorded before still stands in the file.
#[track_caller]
pub(super) fn resume_which(
    client: &Client,
    place: &Place,
    session: &Session,
    which: Which<'_>,
    script: Vec<Vec<Block>>,
) -> Resumed {
    let before = session.bytes();
    let resumed = client.resume(place, which, script);
    assert!(session.bytes().starts_with(&before), "the program rewrote the transcript");
    assert!(resumed.status.success() && resumed.stdout.contains(DEFAULT_ANSWER), "{resumed}");
    for recorded in resumed.message_requests() {
        let found = body_violations(&recorded.body);
        assert!(found.is_empty(), "the API refuses the conversation: {found:#?}{}", resumed.request());
    }
    // What the program itself added is checked with the rest; behind a torn line it would only make that an error.
    if before.ends_with(b"\n") {
        assert_eq!(errors_of(&session.bytes()), Vec::<String>::new());
        assert_can_be_shown(&session.bytes());
    }
    let request = resumed.request();
    assert_eq!(request.count(PROMPT), 1, "the prompt in {request}");
    resumed
}

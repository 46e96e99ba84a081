//! One run of the filter, two transcripts, two programs: nothing is lost on resume in either.

use super::super::client::{self as claude, Which};
use super::super::conversation::{Event, Kind};
use super::super::fidelity::{differences, stream, try_claude, try_seeds};
use super::super::place::Place;
use super::super::transcribe::{Session, record_each};
use super::client::{Client, faults};

/// Codex merges and moves nothing: everything stays in the order in which it came.
const ORDERS: &[&[Kind]] = &[&[Kind::User, Kind::Assistant, Kind::Call, Kind::Result, Kind::Monitor]];

const BOTH: [&str; 4] = ["--session-format", "claude-code-cli", "--session-format", "codex-cli"];

fn try_codex(client: &Client, place: &Place, events: &[Event], session: &Session) -> Vec<String> {
    let before = session.bytes();
    let resumed = client.resume(place, Which::Id(&session.id), Vec::new());
    let mut found = faults(&resumed, session, &before);
    if resumed.message_requests().any(|_| true) {
        found.extend(differences(events, &resumed.request(), ORDERS));
    }
    found
}

#[test]
#[ignore = "needs ASYNCAI_TEST_CODEX and ASYNCAI_TEST_CLAUDE: the paths of a codex and a claude binary"]
fn every_event_of_random_conversations_reaches_the_model_of_both_programs_from_one_run() {
    let (codex, claude) = (Client::from_environment(), claude::Client::from_environment());
    try_seeds("Claude Code and Codex", |place, events| {
        let sessions = record_each(place, &BOTH, stream(events).as_bytes());
        let [for_claude, for_codex] = sessions.as_slice() else { return vec!["not two sessions".to_owned()] };
        let mut found = try_claude(&claude, place, events, for_claude);
        found.extend(try_codex(&codex, place, events, for_codex).into_iter().map(|what| format!("codex: {what}")));
        found
    });
}

//! Whatever the interleaving, nothing is lost on resume: random conversations, event by event.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use super::checker::body_violations;
use super::client::{Client, Which};
use super::conversation::{Event, Kind, LENGTH, conversation};
use super::events::lines;
use super::place::Place;
use super::request::Request;
use super::transcribe::{Session, record};
use crate::sessionize::errors_of;

/// How many seeds are tried, unless the variable says otherwise.
const SEEDS: u64 = 25;
const SEEDS_VARIABLE: &str = "ASYNCAI_TEST_SEEDS";

/// What was said, by whoever, keeps its order; so do calls, and so do monitor events.
pub(super) const ORDERS: &[&[Kind]] = &[&[Kind::User, Kind::Assistant], &[Kind::Call], &[Kind::Monitor]];

/// Where the request differs from the conversation; nothing when every event reached the model, and the kinds that
/// stand together in `orders` in their order.
pub(super) fn differences(events: &[Event], request: &Request, orders: &[&[Kind]]) -> Vec<String> {
    let mut found = Vec::new();
    for event in events {
        let Event { kind, mark, line, answers } = event;
        match request.count(mark) {
            0 => found.push(format!("lost: {line}")),
            1 => {}
            times => found.push(format!("{times} times: {line}")),
        }
        let wanted = match kind {
            Kind::Call if request.call_with(mark).is_none() => {
                found.push(format!("not a call: {line}"));
                continue;
            }
            Kind::Result => answers.and_then(|call| request.call_with(&events[call].mark)),
            _ => continue,
        };
        if let Some((id, _)) = wanted
            && request.answered_by(mark).as_deref() != Some(id)
        {
            found.push(format!("answers {:?} in place of {id}: {line}", request.answered_by(mark)));
        }
    }
    for kinds in orders {
        let placed: Vec<_> = events
            .iter()
            .filter(|event| kinds.contains(&event.kind))
            .filter_map(|event| Some((request.position(&event.mark)?, &event.mark)))
            .collect();
        let turned = placed.windows(2).filter(|pair| pair[0].0 > pair[1].0);
        found.extend(turned.map(|pair| format!("out of order: {} and {}", pair[0].1, pair[1].1)));
    }
    found
}

/// Resumes the recorded conversation in Claude Code; returns what is wrong with what came of it.
pub(super) fn try_claude(client: &Client, place: &Place, events: &[Event], session: &Session) -> Vec<String> {
    let before = session.bytes();
    let resumed = client.resume(place, Which::Id(&session.id), Vec::new());
    if !resumed.message_requests().any(|_| true) {
        return vec![format!("no request: {resumed}")];
    }
    let refused = resumed.message_requests().flat_map(|recorded| body_violations(&recorded.body));
    let mut found: Vec<String> = refused.map(|why| format!("refused: {why}")).collect();
    found.extend(differences(events, &resumed.request(), ORDERS));
    if !session.bytes().starts_with(&before) {
        found.push("the transcript was rewritten".to_owned());
    }
    found.extend(errors_of(&session.bytes()));
    found
}

/// Tries conversations until none is left; each must come out without a difference.
pub(super) fn try_seeds(what: &str, try_one: impl Fn(&Place, &[Event]) -> Vec<String> + Sync) {
    let seeds = std::env::var(SEEDS_VARIABLE)
        .map_or(SEEDS, |number| number.parse().unwrap_or_else(|error| panic!("{SEEDS_VARIABLE}: {number:?}: {error}")));
    assert!(seeds > 0, "{SEEDS_VARIABLE}: no seed to try");
    let next = AtomicU64::new(1);
    let found: Mutex<HashMap<u64, Vec<String>>> = Mutex::default();
    let threads = thread::available_parallelism().map_or(1, usize::from).min(8);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::SeqCst);
                    if seed > seeds {
                        break;
                    }
                    let differences = try_one(&Place::with_work("wörk 😀"), &conversation(seed));
                    found.lock().unwrap().insert(seed, differences);
                }
            });
        }
    });
    let found = found.into_inner().unwrap();
    assert_eq!(found.len() as u64, seeds, "a seed was not tried");
    let bad: Vec<_> = found.iter().filter(|(_, differences)| !differences.is_empty()).collect();
    assert!(bad.is_empty(), "{} of {seeds} conversations differ: {bad:#?}", bad.len());
    let events = seeds * LENGTH as u64;
    // Past the capture: the number is what a reader of the log looks for.
    let mut log = std::io::stderr();
    writeln!(log, "fidelity, {what}: {events} events of {seeds} conversations, none lost, doubled, turned or refused")
        .unwrap();
}

/// The conversation as the lines of a stream.
pub(super) fn stream(events: &[Event]) -> String {
    lines(&events.iter().map(|event| event.line.clone()).collect::<Vec<_>>())
}

#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn every_event_of_random_conversations_reaches_the_model_once_and_in_order() {
    let client = Client::from_environment();
    try_seeds("Claude Code", |place, events| {
        let session = record(place, &[], stream(events).as_bytes());
        try_claude(&client, place, events, &session)
    });
}

mod tests {
    use serde_json::{Value, json};

    use super::super::events::{assistant, call_with, monitor, result, user};
    use super::*;

    fn event(kind: Kind, mark: &str, line: Value, answers: Option<usize>) -> Event {
        Event { kind, mark: mark.to_owned(), line, answers }
    }

    fn events() -> Vec<Event> {
        vec![
            event(Kind::User, "m0e", user("m0e"), None),
            event(Kind::Call, "m1e", call_with("a", &json!({"command": "m1e"})), None),
            event(Kind::Call, "m2e", call_with("b", &json!({"command": "m2e"})), None),
            event(Kind::Result, "m3e", result("b", "m3e"), Some(2)),
            event(Kind::Monitor, "m4e", monitor("m4e"), None),
            event(Kind::Result, "m5e", result("a", "m5e"), Some(1)),
            event(Kind::Assistant, "m6e", assistant("m6e"), None),
        ]
    }

    /// The request that a program without fault makes of [`events`].
    fn good() -> Value {
        let call = |id, mark| json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": mark}});
        let note = |id, mark| {
            let text =
                format!("<task-notification>\n<task-id>{id}</task-id>\n<event>{mark}</event>\n</task-notification>");
            json!({"type": "text", "text": text})
        };
        json!({"messages": [
            {"role": "user", "content": "m0e"},
            {"role": "assistant", "content": [call("a", "m1e"), call("b", "m2e")]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "b", "content": "m3e"},
                {"type": "tool_result", "tool_use_id": "a", "content": "none", "is_error": true},
                note("t", "m4e"), note("a", "m5e"),
            ]},
            {"role": "assistant", "content": "m6e"},
        ]})
    }

    fn found(change: impl FnOnce(&mut Value)) -> Vec<String> {
        let mut request = good();
        change(&mut request);
        differences(&events(), &Request::of_value(request), ORDERS)
    }

    #[test]
    fn a_faithful_request_has_no_difference() {
        assert_eq!(found(|_| ()), Vec::<String>::new());
    }

    #[test]
    fn a_lost_event_is_found() {
        let lost = found(|request| request["messages"][3]["content"] = "gone".into());
        assert!(lost.len() == 1 && lost[0].starts_with("lost: "), "{lost:?}");
    }

    #[test]
    fn a_doubled_event_is_found() {
        let doubled = found(|request| request["messages"][3]["content"] = "m6e m6e".into());
        assert!(doubled.len() == 1 && doubled[0].starts_with("2 times: "), "{doubled:?}");
    }

    #[test]
    fn an_event_out_of_order_is_found() {
        let turned = found(|request| {
            request["messages"][0]["content"] = "m6e".into();
            request["messages"][3]["content"] = "m0e".into();
        });
        assert_eq!(turned, ["out of order: m0e and m6e"]);
        let turned = found(|request| request["messages"][1]["content"].as_array_mut().unwrap().reverse());
        assert_eq!(turned, ["out of order: m1e and m2e"]);
    }

    #[test]
    fn a_result_of_the_wrong_call_is_found() {
        let wrong = found(|request| request["messages"][2]["content"][0]["tool_use_id"] = "a".into());
        assert!(wrong.len() == 1 && wrong[0].starts_with("answers Some(\"a\") in place of b"), "{wrong:?}");
        let wrong = found(|request| {
            let text = &mut request["messages"][2]["content"][3]["text"];
            *text = text.as_str().unwrap().replace("<task-id>a<", "<task-id>b<").into();
        });
        assert!(wrong.len() == 1 && wrong[0].starts_with("answers Some(\"b\") in place of a"), "{wrong:?}");
    }

    #[test]
    fn a_call_that_arrives_as_text_is_found() {
        let text = found(|request| request["messages"][1]["content"][1] = json!({"type": "text", "text": "m2e"}));
        assert!(text.iter().any(|line| line.starts_with("not a call: ")), "{text:?}");
    }
}

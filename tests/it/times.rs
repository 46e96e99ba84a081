//! The times of records: an event's own, or the clock's, and never a step back.

use chrono::{SecondsFormat, TimeDelta, Utc};

use crate::schema::{Record, Transcript};
use crate::support::{Run, Sandbox, events, run};

fn user(timestamp: &str) -> String {
    format!("{{\"type\":\"user\",\"text\":\"x\",\"timestamp\":\"{timestamp}\"}}\n")
}

fn recorded(input: &str) -> (Run, Vec<String>) {
    let sandbox = Sandbox::new();
    // A zone of the machine must not show in any record.
    let mut command = sandbox.command(&[]);
    command.env("TZ", "Asia/Kolkata");
    let run = run(command, input);
    let times = times(&run.transcript());
    (run, times)
}

fn times(transcript: &Transcript) -> Vec<String> {
    transcript.records.iter().filter_map(Record::link).map(|link| link.time.to_owned()).collect()
}

fn now() -> String {
    Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true)
}

#[test]
fn a_time_of_an_event_becomes_the_records_in_utc_with_milliseconds() {
    let (run, times) = recorded(&user("2026-03-04T05:06:07.123456+05:30"));
    assert_eq!(times, ["2026-03-03T23:36:07.123Z"]);
    assert_eq!(run.stderr, "");
}

#[test]
fn all_three_records_of_a_monitor_event_bear_its_time() {
    let line = r#"{"type":"monitor_event","description":"d","event":"e","timestamp":"2026-01-02T03:04:05Z"}"#;
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[], format!("{line}\n"));
    let text = run.transcript().text;
    // Enqueue, attachment record, the attachment in it, remove.
    assert_eq!(text.matches(r#""timestamp":"2026-01-02T03:04:05.000Z""#).count(), 4, "{text}");
}

#[test]
fn without_a_time_the_clock_is_taken() {
    let before = now();
    let (_, times) = recorded(&events("U(go)"));
    assert!(before <= times[0] && times[0] <= now(), "{times:?}");
}

#[test]
fn a_smaller_time_is_raised_to_the_last_one() {
    let input = [user("2026-03-04T05:06:07.500Z"), user("2026-03-04T05:06:07.499Z")].concat();
    let (run, times) = recorded(&input);
    assert_eq!(times, ["2026-03-04T05:06:07.500Z"; 2]);
    assert_eq!(run.code(), Some(0));
}

#[test]
fn a_time_after_one_that_the_clock_gave_is_raised_too() {
    let (_, times) = recorded(&(events("U(go)") + &user("2026-03-04T05:06:07.500Z")));
    assert_eq!(times[0], times[1]);
}

#[test]
fn a_time_little_ahead_of_the_clock_is_taken() {
    let ahead = Utc::now() + TimeDelta::minutes(4);
    let ahead = ahead.to_rfc3339_opts(SecondsFormat::Millis, true);
    let (run, times) = recorded(&user(&ahead));
    assert_eq!(times, [ahead]);
    assert_eq!(run.stderr, "");
}

#[test]
fn a_time_far_ahead_of_the_clock_is_replaced_and_reported() {
    let ahead = Utc::now() + TimeDelta::minutes(7);
    let (run, times) = recorded(&user(&ahead.to_rfc3339()));
    assert!(times[0] <= now(), "{times:?}");
    assert_eq!((run.code(), run.reports().len()), (Some(0), 1), "{}", run.stderr);
}

#[test]
fn a_time_without_zone_or_unreadable_is_replaced_and_reported() {
    for odd in ["2026-03-04T05:06:07", "yesterday", "", "2026-13-40T05:06:07Z"] {
        let before = now();
        let (run, times) = recorded(&user(odd));
        assert!(before <= times[0] && times[0] <= now(), "{odd}: {times:?}");
        assert_eq!((run.code(), run.reports().len()), (Some(0), 1), "{odd}: {}", run.stderr);
    }
}

// T21
#[test]
fn ten_thousand_events_at_once_have_ids_of_their_own_and_times_that_never_fall() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["--quiet"], events("U(x) A(y) M(z) U(w)").repeat(2500));
    // That ids are random, distinct and of version 4, and that times never fall, are rules of the schema.
    assert_eq!(times(&run.transcript()).len(), 10_000);
}

// T21
#[test]
fn two_runs_share_no_id() {
    let sandbox = Sandbox::new();
    let uuids = |run: Run| -> Vec<String> {
        let transcript = run.transcript();
        let links = transcript.records.iter().filter_map(Record::link);
        links.map(|link| link.uuid.to_owned()).collect()
    };
    let input = events("U(x) A(y) M(z)");
    let first = uuids(sandbox.run(&[], &input));
    let second = uuids(sandbox.run(&[], &input));
    assert!(first.iter().all(|uuid| !second.contains(uuid)));
}

//! The schema itself: a good transcript with one thing wrong must be refused, for that thing.

use super::recorded;
use super::transcript::Transcript;
use crate::support::{Sandbox, events};

fn tampered(from: &str, to: &str) {
    let sandbox = Sandbox::new();
    let run = recorded(&sandbox, &events("U(go) C(a) A(one) M(x) R(a,1) R(a,again) C(b)"));
    let file = run.session().file();
    let text = Transcript::read(&file).text;
    let after = text.replacen(from, to, 1);
    assert_ne!(after, text, "nothing was changed");
    Transcript::of(after, file.file_name().unwrap().to_str().unwrap());
}

#[test]
#[should_panic(expected = "unknown field `extra`")]
fn an_unknown_key_is_refused() {
    tampered("\"role\"", "\"extra\":1,\"role\"");
}

#[test]
#[should_panic(expected = "missing field `arguments`")]
fn a_missing_key_is_refused() {
    tampered("\"arguments\":\"{\\\"command\\\":\\\"true\\\"}\",", "");
}

#[test]
#[should_panic(expected = "the first line is that of the session")]
fn another_first_line_is_refused() {
    tampered(
        "{\"timestamp\"",
        "{\"timestamp\":\"2026-11-30T00:00:00.000Z\",\"type\":\"event_msg\",\"payload\":{\"type\":\"agent_message\",\"message\":\"m\"}}\n{\"timestamp\"",
    );
}

#[test]
#[should_panic(expected = "what is shown is what is said next")]
fn words_that_are_not_shown_are_refused() {
    tampered("\"agent_message\",\"message\":\"one\"", "\"agent_message\",\"message\":\"two\"");
}

#[test]
#[should_panic(expected = "an output of no open call: b2")]
fn an_output_of_no_call_is_refused() {
    tampered("\"call_id\":\"b\",\"output\"", "\"call_id\":\"b2\",\"output\"");
}

#[test]
#[should_panic(expected = "a result in a notification stands whole beside")]
fn a_loose_result_without_the_whole_is_refused() {
    tampered(",\"asyncaiToolResult\":{\"id\":\"a\",\"content\":\"again\",\"is_error\":false}", "");
}

#[test]
#[should_panic(expected = "a message of no known kind: (\"system\", \"input_text\")")]
fn a_role_that_the_program_drops_is_refused() {
    tampered("\"role\":\"developer\"", "\"role\":\"system\"");
}

//! The schema itself: a good transcript with one thing wrong must be refused, for that thing.

use crate::schema::Transcript;
use crate::support::{Sandbox, events};

/// Records some of everything, changes the text, and holds it against the schema.
fn tampered(change: impl FnOnce(Vec<String>) -> Vec<String>) {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&[], events("U(go) A(one) C(a) C(b) M(x) U(q) R(a,1) R(b,2) A(done) R(a,again)"));
    let lines: Vec<String> = run.transcript().text.lines().map(str::to_owned).collect();
    let before = lines.join("\n");
    let after = change(lines).join("\n");
    assert_ne!(after, before, "nothing was changed");
    Transcript::of(after + "\n", &run.session().session_id.unwrap());
}

/// Changes the first line that holds `place`.
fn replaced(place: &str, from: &str, to: &str) {
    tampered(|mut lines| {
        let line = lines.iter_mut().find(|line| line.contains(place)).unwrap();
        *line = line.replacen(from, to, 1);
        lines
    });
}

/// The value of the first `"key":"…"` in a line.
fn value<'a>(line: &'a str, key: &str) -> &'a str {
    let (_, rest) = line.split_once(&format!("\"{key}\":\"")).unwrap();
    rest.split('"').next().unwrap()
}

#[test]
#[should_panic(expected = "unknown field `extra`")]
fn an_unknown_key_is_refused() {
    replaced("\"go\"", "\"isSidechain\"", "\"extra\":1,\"isSidechain\"");
}

#[test]
#[should_panic(expected = "missing field `gitBranch`")]
fn a_missing_key_is_refused() {
    replaced("\"go\"", ",\"gitBranch\":\"main\"", "");
}

#[test]
#[should_panic(expected = "missing field `parentUuid`")]
fn a_missing_key_that_may_be_null_is_refused() {
    replaced("\"go\"", "\"parentUuid\":null,", "");
}

#[test]
#[should_panic(expected = "duplicate field `cwd`")]
fn a_doubled_key_is_refused() {
    replaced("\"go\"", "\"cwd\"", "\"cwd\":\"/\",\"cwd\"");
}

#[test]
#[should_panic(expected = "must be false")]
fn a_side_chain_is_refused() {
    replaced("\"go\"", "\"isSidechain\":false", "\"isSidechain\":true");
}

#[test]
#[should_panic(expected = "missing field `promptId`")]
fn a_prompt_without_its_id_is_refused() {
    tampered(|mut lines| {
        let id = format!("\"promptId\":\"{}\",", value(&lines[0], "promptId"));
        lines[0] = lines[0].replace(&id, "");
        lines
    });
}

#[test]
#[should_panic(expected = "promptId of a result")]
fn a_result_without_the_prompts_id_is_refused() {
    tampered(|mut lines| {
        let id = format!("\"promptId\":\"{}\",", value(&lines[0], "promptId"));
        let line = lines.iter_mut().find(|line| line.contains("\"tool_result\"")).unwrap();
        *line = line.replace(&id, "");
        lines
    });
}

#[test]
#[should_panic(expected = "parent of ")]
fn a_missing_record_is_refused() {
    tampered(|mut lines| {
        lines.remove(1);
        lines
    });
}

#[test]
#[should_panic(expected = "parent of ")]
fn records_out_of_order_are_refused() {
    tampered(|mut lines| {
        lines.swap(0, 1);
        lines
    });
}

#[test]
#[should_panic(expected = "no uuid of version 4")]
fn a_uuid_of_another_version_is_refused() {
    tampered(|lines| {
        let uuid = value(&lines[0], "uuid").to_owned();
        let other = format!("{}1{}", &uuid[..14], &uuid[15..]);
        lines.iter().map(|line| line.replace(&uuid, &other)).collect()
    });
}

#[test]
#[should_panic(expected = "an id twice")]
fn a_uuid_used_twice_is_refused() {
    tampered(|mut lines| {
        let (first, second) = (value(&lines[0], "promptId").to_owned(), value(&lines[1], "id").to_owned());
        lines[1] = lines[1].replace(&second, &first);
        lines
    });
}

#[test]
#[should_panic(expected = "time falls")]
fn a_time_that_falls_is_refused() {
    tampered(|mut lines| {
        let time = value(&lines[1], "timestamp").to_owned();
        lines[1] = lines[1].replace(&time, "2001-01-01T00:00:00.000Z");
        lines
    });
}

#[test]
#[should_panic(expected = "no time in UTC with milliseconds")]
fn a_time_with_other_decimals_is_refused() {
    tampered(|mut lines| {
        let time = value(&lines[1], "timestamp").to_owned();
        lines[1] = lines[1].replace(&time, &time.replace('Z', "000Z"));
        lines
    });
}

#[test]
#[should_panic(expected = "the two ids of a queued message")]
fn a_remove_record_with_another_id_is_refused() {
    tampered(|mut lines| {
        let place = lines.iter().position(|line| line.contains("\"remove\"")).unwrap();
        let (command, delivery) = (value(&lines[place], "commandUuid"), value(&lines[place], "deliveryId"));
        lines[place] = lines[place].replace(command, delivery);
        lines
    });
}

#[test]
#[should_panic(expected = "an attachment without its remove record")]
fn a_message_that_stays_in_the_queue_is_refused() {
    tampered(|mut lines| {
        let place = lines.iter().position(|line| line.contains("\"remove\"")).unwrap();
        lines.remove(place);
        lines
    });
}

#[test]
#[should_panic(expected = "while a call is open the message goes on")]
fn a_parallel_call_with_an_id_of_its_own_is_refused() {
    tampered(|mut lines| {
        let place = lines.iter().rposition(|line| line.contains("\"tool_use\"")).unwrap();
        let id = value(&lines[place], "id").to_owned();
        lines[place] = lines[place].replace(&id, "12345678-1234-4234-8234-123456789abc");
        lines
    });
}

#[test]
#[should_panic(expected = "stop_reason")]
fn another_stop_reason_is_refused() {
    replaced("\"done\"", "\"end_turn\"", "\"tool_use\"");
}

#[test]
#[should_panic(expected = "a result of no open call")]
fn a_result_of_no_call_is_refused() {
    replaced("\"tool_result\"", "\"tool_use_id\":\"a\"", "\"tool_use_id\":\"c\"");
}

#[test]
#[should_panic(expected = "every call has its result at the end")]
fn a_call_without_result_is_refused() {
    tampered(|lines| {
        let end = lines.iter().position(|line| line.contains("\"tool_result\"")).unwrap();
        lines[..end].to_vec()
    });
}

#[test]
#[should_panic(expected = "not a reminder")]
fn a_reminder_without_its_marker_is_refused() {
    replaced("\"rendered\"", "[SYSTEM NOTIFICATION - NOT USER INPUT]", "[NOTE]");
}

#[test]
#[should_panic(expected = "unescaped")]
fn markup_in_a_notification_is_refused() {
    tampered(|lines| lines.iter().map(|line| line.replace("<event>x", "<event><x")).collect());
}

#[test]
#[should_panic(expected = "some readers cut lines")]
fn a_raw_line_separator_is_refused() {
    replaced("\"done\"", "\"done\"", "\"do\u{2028}ne\"");
}

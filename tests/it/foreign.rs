//! Another program appends to the transcript while it is being written.

use std::fs;
use std::io::Write;

use serde_json::{Value, json};

use crate::running::Running;
use crate::support::{Sandbox, events};

/// A uuid that only the other program can have written.
const FOREIGN: [&str; 2] = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"];

fn append(running: &Running, text: &str) {
    let mut file = fs::OpenOptions::new().append(true).open(&running.file).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn chain_record(uuid: &str, parent: &str) -> String {
    json!({
        "type": "user", "uuid": uuid, "parentUuid": parent, "isSidechain": false,
        "message": {"role": "user", "content": "theirs"}
    })
    .to_string()
}

fn last_uuid(running: &Running) -> String {
    let records = values(&running.text());
    records.iter().rev().find_map(|record| record["uuid"].as_str()).unwrap().to_owned()
}

fn values(text: &str) -> Vec<Value> {
    assert!(text.ends_with('\n'), "a torn last line");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The records that our program wrote, which alone have a version of it all: those not among the foreign.
fn find<'a>(records: &'a [Value], text: &str) -> &'a Value {
    records
        .iter()
        .find(|record| record["message"]["content"].to_string().contains(text))
        .unwrap_or_else(|| panic!("no record with {text}"))
}

// T28
#[test]
fn the_next_record_follows_the_last_foreign_one() {
    let sandbox = Sandbox::new();
    let mut running = Running::start(&sandbox, &[]);
    running.record(&events("U(go) A(one)"));
    let ours = last_uuid(&running);
    let first = chain_record(FOREIGN[0], &ours);
    let second = chain_record(FOREIGN[1], FOREIGN[0]);
    append(&running, &format!("{first}\n{second}\n"));
    running.record(&events("A(two)"));
    let records = values(&running.text());
    assert_eq!(find(&records, "two")["parentUuid"], FOREIGN[1]);
    assert_eq!(running.end().code(), Some(0));
}

// T28
#[test]
fn a_foreign_line_without_newline_counts_as_whole_and_gets_one() {
    let sandbox = Sandbox::new();
    let mut running = Running::start(&sandbox, &[]);
    running.record(&events("U(go) A(one)"));
    append(&running, &chain_record(FOREIGN[0], &last_uuid(&running)));
    running.record(&events("A(two)"));
    // Every line parses on its own, ours and theirs.
    let records = values(&running.text());
    assert_eq!(records.len(), 4);
    assert_eq!(find(&records, "two")["parentUuid"], FOREIGN[0]);
}

// T28
#[test]
fn foreign_growth_is_warned_of_once() {
    let sandbox = Sandbox::new();
    let mut running = Running::start(&sandbox, &[]);
    running.record(&events("U(go)"));
    append(&running, "{\"type\":\"mode\",\"mode\":\"normal\"}\n");
    running.record(&events("A(one)"));
    append(&running, "{\"type\":\"mode\",\"mode\":\"normal\"}\n");
    running.record(&events("A(two)"));
    let stderr = running.end().stderr;
    assert_eq!(stderr.matches("session.foreign_append").count(), 1, "{stderr}");
    let start = "asyncai-transcribe: warn session.foreign_append: ";
    assert!(stderr.lines().any(|line| line.starts_with(start)), "{stderr}");
}

// T28
#[test]
fn foreign_state_records_change_nothing() {
    let sandbox = Sandbox::new();
    let mut running = Running::start(&sandbox, &[]);
    running.record(&events("U(go) C(a) U(q)"));
    let parent = last_uuid(&running);
    append(&running, "{\"type\":\"mode\",\"mode\":\"normal\"}\n{\"type\":\"cost-state\"}\n");
    running.record(&events("C(b) R(a,1) R(b,2) U(q2)"));
    let records = values(&running.text());
    let calls: Vec<&Value> =
        records.iter().filter(|record| record["message"]["content"][0]["type"] == "tool_use").collect();
    assert_eq!(calls[1]["parentUuid"], parent.as_str());
    assert_eq!(calls[0]["message"]["id"], calls[1]["message"]["id"], "the message goes on");
    let queued = records.iter().filter(|record| record["type"] == "attachment");
    assert_eq!(queued.count(), 2, "both prompts are queued");
    assert_eq!(running.end().code(), Some(0));
}

// T28
#[test]
fn calls_open_when_a_foreign_turn_came_count_as_closed_without_a_record() {
    let sandbox = Sandbox::new();
    let mut running = Running::start(&sandbox, &[]);
    running.record(&events("U(go) C(a)"));
    append(&running, &(chain_record(FOREIGN[0], &last_uuid(&running)) + "\n"));
    running.record(&events("C(b) R(a,late) R(b,2)"));
    let records = values(&running.text());
    let calls: Vec<&Value> =
        records.iter().filter(|record| record["message"]["content"][0]["type"] == "tool_use").collect();
    assert_ne!(calls[0]["message"]["id"], calls[1]["message"]["id"], "a new group begins");
    let results: Vec<&Value> = records
        .iter()
        .map(|record| &record["message"]["content"][0])
        .filter(|block| block["type"] == "tool_result")
        .collect();
    assert_eq!(results.len(), 1, "only b is answered, and nothing closes a: {results:?}");
    assert_eq!(results[0]["tool_use_id"], "b");
    let late = records.iter().find(|record| record["type"] == "attachment").unwrap();
    let prompt = late["attachment"]["prompt"].as_str().unwrap();
    assert!(prompt.contains("Late result of tool call \"a\""), "{prompt}");
    running.end();
}

// T28
#[test]
fn nothing_waits_any_more_after_a_foreign_turn() {
    let sandbox = Sandbox::new();
    let mut running = Running::start(&sandbox, &[]);
    running.record(&events("U(go) C(a) U(q1)"));
    append(&running, &(chain_record(FOREIGN[0], &last_uuid(&running)) + "\n"));
    running.record(&events("U(q2)"));
    let records = values(&running.text());
    assert_eq!(find(&records, "q2")["type"], "user");
    assert_eq!(find(&records, "q2")["parentUuid"], FOREIGN[0]);
}

#[test]
fn a_foreign_side_chain_is_no_parent() {
    let sandbox = Sandbox::new();
    let mut running = Running::start(&sandbox, &[]);
    running.record(&events("U(go)"));
    let ours = last_uuid(&running);
    let side = chain_record(FOREIGN[0], &ours).replace("\"isSidechain\":false", "\"isSidechain\":true");
    append(&running, &format!("{side}\n"));
    running.record(&events("A(two)"));
    let records = values(&running.text());
    assert_eq!(find(&records, "two")["parentUuid"], ours.as_str());
}

#[test]
fn foreign_records_that_do_not_descend_from_ours_are_reported() {
    let sandbox = Sandbox::new();
    let mut running = Running::start(&sandbox, &[]);
    running.record(&events("U(go) A(one)"));
    let first = values(&running.text())[0]["uuid"].as_str().unwrap().to_owned();
    // The other program had loaded the file when it ended with our first record.
    append(&running, &(chain_record(FOREIGN[0], &first) + "\n"));
    running.record(&events("A(two)"));
    let stderr = running.end().stderr;
    let reports = stderr.lines().filter(|line| !line.contains("warn session.foreign_append"));
    assert_eq!(reports.count(), 1, "{stderr}");
}

#[test]
fn foreign_bytes_are_left_as_they_are() {
    let sandbox = Sandbox::new();
    let mut running = Running::start(&sandbox, &[]);
    running.record(&events("U(go)"));
    let before = running.text();
    append(&running, "{ \"type\" : \"mode\" }\n");
    running.record(&events("A(two)"));
    assert!(running.text().starts_with(&format!("{before}{{ \"type\" : \"mode\" }}\n")));
}

#[test]
fn calls_open_when_a_foreign_turn_came_are_not_closed_at_the_end_either() {
    let sandbox = Sandbox::new();
    let mut running = Running::start(&sandbox, &[]);
    running.record(&events("U(go) C(a)"));
    append(&running, &(chain_record(FOREIGN[0], &last_uuid(&running)) + "\n"));
    let ended = running.end();
    let records = values(&fs::read_to_string(&ended.file).unwrap());
    assert_eq!(records.len(), 3, "two of ours, one of theirs: {records:?}");
    assert!(!ended.stderr.contains("1 tool call"), "{}", ended.stderr);
}

#[test]
fn our_lines_stay_whole_behind_a_torn_foreign_one() {
    let sandbox = Sandbox::new();
    let mut running = Running::start(&sandbox, &[]);
    running.record(&events("U(go)"));
    let ours = last_uuid(&running);
    append(&running, "{\"type\":\"mo");
    running.record(&events("A(two)"));
    let text = running.text();
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).expect("a line of its own");
    assert_eq!(last["parentUuid"], ours.as_str());
}

//! A second reader: the session functions of the vendor's SDK for Python.

use std::path::PathBuf;

use serde_json::Value;

use super::events::{assistant, call, lines, monitor, result, user};
use super::place::Place;
use super::transcribe::record;

/// The variable that names a Python that has the SDK.
const VARIABLE: &str = "ASYNCAI_TEST_SDK_PYTHON";

fn read(place: &Place) -> Value {
    let python = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    let python = python.unwrap_or_else(|| {
        panic!("{VARIABLE} is not set: a Python with claude-agent-sdk (tests/README.md tells how to get one)")
    });
    let output = place
        .command(&python)
        .args(["-c", include_str!("sdk_reader.py")])
        .arg(&place.work)
        .output()
        .unwrap_or_else(|error| panic!("{VARIABLE}: {}: {error}", python.display()));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
#[ignore = "needs ASYNCAI_TEST_SDK_PYTHON: the path of a python with claude-agent-sdk"]
fn the_sdk_lists_our_sessions_and_returns_their_messages() {
    // No emoji: the SDK counts characters where the program counts UTF-16 units.
    let place = Place::with_work("wörk dir");
    let events = [
        user("the-q"),
        call("a"),
        call("b"),
        result("b", "out-b"),
        result("a", "out-a"),
        monitor("line-1"),
        assistant("the-a"),
        user("more-q"),
        assistant("more-a"),
    ];
    let titled = record(&place, &["--title", "A title of ours"], lines(&events).as_bytes());
    let plain = record(&place, &[], lines(&[user("first words"), assistant("other-a")]).as_bytes());
    let watched = record(&place, &[], lines(&[monitor("line-2"), assistant("noted")]).as_bytes());

    let read = read(&place);
    let sessions = read["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 3, "{read:#}");
    for (session, title) in [(&titled, "A title of ours"), (&plain, "first words"), (&watched, "log")] {
        let listed = sessions.iter().find(|listed| listed["session_id"] == session.id.as_str()).unwrap();
        assert_eq!(listed["summary"], title, "{listed:#}");
        assert_eq!(listed["cwd"], place.work.to_str().unwrap(), "{listed:#}");
    }
    let titled_is = sessions.iter().find(|listed| listed["session_id"] == titled.id.as_str()).unwrap();
    assert_eq!(titled_is["first_prompt"], "the-q", "{titled_is:#}");

    let messages = read["messages"][&titled.id].as_array().unwrap();
    let seen: Vec<String> = messages.iter().map(summary).collect();
    let wanted = [
        "user the-q",
        "assistant call run-a",
        "assistant call run-b",
        "user result out-b",
        "user result out-a",
        "assistant the-a",
        "user more-q",
        "assistant more-a",
    ];
    assert_eq!(seen, wanted, "{messages:#?}");
}

/// Role and content of a message in a few words.
fn summary(message: &Value) -> String {
    let role = message["role"].as_str().unwrap_or_default();
    let content = &message["content"];
    let block = &content[0];
    let words = match (content, block["type"].as_str()) {
        (Value::String(text), _) => text.clone(),
        (_, Some("tool_use")) => format!("call {}", block["input"]["command"].as_str().unwrap_or_default()),
        (_, Some("tool_result")) => {
            format!("result {}", block["content"].as_str().unwrap_or_default())
        }
        _ => block["text"].as_str().unwrap_or_default().to_owned(),
    };
    format!("{role} {words}")
}

//! The examples of the repository, each resumed by the real program.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::place::Place;
use super::round::resumed_in;

/// The words of an event as they stand in the JSON of a request; none for an event without words.
fn words(event: &Value) -> Option<String> {
    let said = match event["type"].as_str()? {
        "user" | "assistant" => event["text"].as_str()?.to_owned(),
        "tool_result" => event["content"].as_str()?.to_owned(),
        // A notification is text with marks in it.
        "monitor_event" => event["event"].as_str()?.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"),
        _ => return None,
    };
    let quoted = json!(said).to_string();
    (!said.is_empty()).then(|| quoted[1..quoted.len() - 1].to_owned())
}

#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn every_example_reaches_the_model() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let streams: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "ndjson")).collect();
    assert!(!streams.is_empty());
    for path in streams {
        let stream = fs::read_to_string(&path).unwrap();
        let request = resumed_in(&Place::new(), &stream);
        let events = stream.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let said: Vec<String> = events.filter_map(|event| words(&event)).collect();
        assert!(!said.is_empty(), "{}", path.display());
        for words in said {
            assert_eq!(request.count(&words), 1, "{}: {words:?} in {request}", path.display());
        }
    }
}

//! What was said in a channel, resumed by the real program.

use std::path::Path;
use std::process::Stdio;
use std::thread;

use std::io::Write;

use serde_json::{Value, json};

use super::client::Client;
use super::events::{call, lines, result};
use super::place::Place;
use super::round::resume;
use super::transcribe::record;

const ATIRC: &str = env!("CARGO_BIN_EXE_asyncai-atirc");

/// The events that the filter makes of a feed, for the agent `me`.
fn filtered(place: &Place, feed: &[Value]) -> Vec<u8> {
    let mut command = place.command(Path::new(ATIRC));
    command.args(["--self", "me", "-c", "#ops"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let feed = lines(feed);
    let output = thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(feed.as_bytes()).unwrap());
        child.wait_with_output().unwrap()
    });
    assert!(output.status.success(), "{}", output.status);
    output.stdout
}

#[test]
#[ignore = "needs ASYNCAI_TEST_CLAUDE: the path of a claude binary"]
fn every_message_of_a_channel_reaches_the_model_in_order() {
    let client = Client::from_environment();
    let place = Place::new();
    let words: Vec<String> = (10..50).map(|number| format!("word-{number}")).collect();
    let mut feed = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let sender = if place % 3 == 2 { "me" } else { "bob" };
        feed.push(json!({"id": word, "channel": "#ops", "sender": sender, "text": word}));
        // The same again, as after a lost connection, and something from elsewhere.
        feed.push(json!({"id": word, "channel": "#ops", "sender": sender, "text": word}));
        feed.push(json!({"id": word, "channel": "#dev", "sender": sender, "text": "not-for-me"}));
    }
    feed.extend([call("a"), result("a", "out-a")]);
    let session = record(&place, &[], &filtered(&place, &feed));
    let request = resume(&client, &place, &session);
    request.assert_in_order(&words.iter().map(String::as_str).collect::<Vec<_>>());
    request.assert_result("run-a", "out-a");
    assert_eq!(request.count("not-for-me"), 0, "{request}");
    assert_eq!(request.block_with("word-12").unwrap().role, "assistant");
    assert_eq!(request.block_with("word-13").unwrap().role, "user");
}

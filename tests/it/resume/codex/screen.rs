//! What the interactive program shows of a session, asked of the server that its screens are fed by.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::super::events::{assistant, call, lines, monitor, result, user};
use super::super::place::Place;
use super::super::transcribe::record;
use super::client::Client;

/// The server, which ends with the test.
struct Server(Child);

impl Server {
    fn start(mut command: Command) -> Self {
        Self(
            command
                .arg("app-server")
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap(),
        )
    }

    /// Asks everything, and gives the answer to the last question.
    fn ask(&mut self, questions: &[(&str, Value)]) -> Value {
        let mut stdin = self.0.stdin.take().unwrap();
        let mut answers = BufReader::new(self.0.stdout.take().unwrap()).lines();
        let mut last = Value::Null;
        for (id, (method, params)) in questions.iter().enumerate() {
            writeln!(stdin, "{}", json!({"id": id, "method": method, "params": params})).unwrap();
            // Between the answers stand messages that nobody asked for.
            last = loop {
                let line = answers.next().expect("an answer").unwrap();
                let message: Value = serde_json::from_str(&line).unwrap();
                if message["id"] == id {
                    break message["result"].clone();
                }
            };
        }
        last
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
#[ignore = "needs ASYNCAI_TEST_CODEX: the path of a codex binary"]
fn the_list_shows_the_title_and_the_screen_the_words_of_both() {
    let (client, place) = (Client::from_environment(), Place::new());
    let events =
        [user("the-q"), assistant("the-a"), call("c"), result("c", "out"), monitor("line"), assistant("the-end")];
    let arguments = ["--session-format", "codex-cli", "--title", "the-title"];
    let session = record(&place, &arguments, lines(&events).as_bytes());
    let begin = ("initialize", json!({"clientInfo": {"name": "asyncai", "version": "0"}}));
    let ask = |question| Server::start(client.command(&place, "http://127.0.0.1:9")).ask(&[begin.clone(), question]);

    let list = ask(("thread/list", json!({})));
    assert_eq!(list["data"][0]["id"], session.id, "{list}");
    assert_eq!(list["data"][0]["preview"], "the-title", "{list}");

    let shown = ask(("thread/resume", json!({"threadId": session.id})));
    let turns = shown["thread"]["turns"].as_array().unwrap_or_else(|| panic!("{shown}"));
    let items = turns.iter().flat_map(|turn| turn["items"].as_array().unwrap());
    let words: Vec<&str> =
        items.filter_map(|item| item["text"].as_str().or(item["content"][0]["text"].as_str())).collect();
    assert_eq!(words, ["the-title", "the-q", "the-a", "the-end"], "{shown}");
}

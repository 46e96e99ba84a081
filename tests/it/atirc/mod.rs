//! `asyncai-atirc`: channel traffic in, event lines out.

mod agents;
mod documents;
mod forms;
mod irc;
mod live;
mod own;
mod pipelines;
mod server;

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::support::{Run, Sandbox, run};

/// Nothing that these tests wait for takes a healthy machine longer; a hang ends here instead of never.
const DEADLINE: Duration = Duration::from_secs(60);

const ATIRC: &str = env!("CARGO_BIN_EXE_asyncai-atirc");

/// The program in the sandbox, for an agent called `me`.
fn command(sandbox: &Sandbox, args: &[&str]) -> Command {
    let mut command = Command::new(ATIRC);
    command.args(args).env_clear().current_dir(sandbox.cwd()).stdin(Stdio::piped());
    command
}

fn filter(args: &[&str], input: impl AsRef<[u8]>) -> Run {
    run(command(&Sandbox::new(), args), input)
}

/// Runs input in which nothing is rejected through the filter of the agent `me`.
fn events(args: &[&str], input: impl AsRef<[u8]>) -> Vec<Event> {
    let run = filter(&[&["--self", "me"], args].concat(), input);
    assert_eq!(run.code(), Some(0), "{}", run.stderr);
    parse(&run.stdout)
}

/// An event of the kinds that the filter makes, with all that it may have.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Event {
    Assistant {
        text: String,
        timestamp: Option<String>,
    },
    MonitorEvent {
        description: String,
        event: String,
        task_id: String,
        timestamp: Option<String>,
        #[serde(default, deserialize_with = "given")]
        note: Option<Value>,
    },
}

/// A field that is there, be it null.
fn given<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

fn parse(stdout: &[u8]) -> Vec<Event> {
    let text = std::str::from_utf8(stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// The events in short: `them: text` or `me: text`.
fn outline(events: &[Event]) -> Vec<String> {
    let line = |event: &Event| match event {
        Event::Assistant { text, .. } => format!("me: {text}"),
        Event::MonitorEvent { event, .. } => format!("them: {event}"),
    };
    events.iter().map(line).collect()
}

/// The lines of a pipe as they come, so that one that never comes fails a test in place of holding it up.
struct Lines(Receiver<String>);

impl Lines {
    fn of(pipe: impl Read + Send + 'static) -> Self {
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(pipe).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self(receiver)
    }

    fn next(&self) -> Option<String> {
        match self.0.recv_timeout(DEADLINE) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("waited in vain for a line"),
        }
    }

    /// The next event in short, or nothing at the end.
    fn next_event(&self) -> String {
        self.next().map(|line| outline(&parse(line.as_bytes())).concat()).unwrap_or_default()
    }
}

/// A message of the form `messages`.
fn message(id: &str, channel: &str, sender: &str, text: &str) -> String {
    format!("{}\n", serde_json::json!({"id": id, "channel": channel, "sender": sender, "text": text}))
}

//! `asyncai-atirc`: channel traffic in, event lines out.

mod agents;
mod documents;
mod forms;
mod irc;
mod live;
mod own;
mod pipelines;
mod server;

use std::process::{Command, Stdio};

use serde::Deserialize;
use serde_json::Value;

use crate::support::{Run, Sandbox, run};

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

/// A message of the form `messages`.
fn message(id: &str, channel: &str, sender: &str, text: &str) -> String {
    format!("{}\n", serde_json::json!({"id": id, "channel": channel, "sender": sender, "text": text}))
}

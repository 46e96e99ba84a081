//! Every line shape of a Codex transcript, exactly: an unknown, missing or doubled key is an error. Written from the
//! format's description alone; shares nothing with the program.

#![expect(dead_code, reason = "reading a key is its check, even where no test looks at the value")]
#![expect(clippy::struct_field_names, reason = "the fields are named by the format")]

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::schema::{LooseResult, Millis, Uuid4, exact, only_true};

/// The frame of all lines.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Frame<'a> {
    timestamp: Millis,
    r#type: String,
    #[serde(borrow)]
    payload: &'a RawValue,
    #[serde(default, rename = "asyncaiSynthetic", deserialize_with = "only_true")]
    synthetic: bool,
    #[serde(default, rename = "asyncaiToolResult")]
    whole: Option<LooseResult>,
}

#[derive(Deserialize)]
struct Head {
    r#type: String,
    role: Option<String>,
}

/// A line with what stands around its payload.
pub(super) struct Line {
    pub(super) time: String,
    pub(super) synthetic: bool,
    pub(super) whole: Option<LooseResult>,
    pub(super) payload: Payload,
}

pub(super) enum Payload {
    Meta(Meta),
    UserShown(Shown),
    AgentShown(Shown),
    User(String),
    Assistant(String),
    Developer(String),
    Call(Call),
    Output(Output),
}

exact! {
    Meta {
        id: Uuid4,
        timestamp: Millis,
        cwd: String,
        originator: String,
        cli_version: String,
        git: Option<Git>,
    }
    Git { branch: String, }
    Shown { r#type: String, message: String, }
    Message { r#type: String, role: String, content: [Text; 1], }
    Text { r#type: String, text: String, }
    Call { r#type: String, name: String, arguments: String, call_id: String, }
    Output { r#type: String, call_id: String, output: Answer, }
}

/// What a tool answered.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Answer {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Part {
    InputText { text: String },
    InputImage { image_url: String },
}

impl Line {
    pub(super) fn parse(line: &str) -> Self {
        let frame: Frame = exact(line);
        let payload = match frame.r#type.as_str() {
            "session_meta" => Payload::Meta(exact(frame.payload.get())),
            "event_msg" => shown(exact(frame.payload.get())),
            "response_item" => item(frame.payload.get()),
            other => panic!("a line of no known kind: {other}"),
        };
        Self { time: frame.timestamp.0, synthetic: frame.synthetic, whole: frame.whole, payload }
    }
}

fn shown(shown: Shown) -> Payload {
    match shown.r#type.as_str() {
        "user_message" => Payload::UserShown(shown),
        "agent_message" => Payload::AgentShown(shown),
        other => panic!("an event message of no known kind: {other}"),
    }
}

fn item(json: &str) -> Payload {
    let head: Head = exact(json);
    match (head.r#type.as_str(), head.role.as_deref()) {
        ("function_call", None) => Payload::Call(exact(json)),
        ("function_call_output", None) => Payload::Output(exact(json)),
        ("message", Some(role)) => {
            let Message { content: [Text { r#type, text }], .. } = exact(json);
            match (role, r#type.as_str()) {
                ("user", "input_text") => Payload::User(text),
                ("assistant", "output_text") => Payload::Assistant(text),
                ("developer", "input_text") => Payload::Developer(text),
                other => panic!("a message of no known kind: {other:?}"),
            }
        }
        other => panic!("an item of no known kind: {other:?}"),
    }
}

fn exact<'a, T: Deserialize<'a>>(json: &'a str) -> T {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}\nin the line: {json}"))
}

//! The lines of a transcript, as the program reads them. Write-only; they match version 0.171.0.
//!
//! What the model gets are the response items. Beside the words of people and of the agent stands an event message
//! with the same text: the program's own screens and lists show these, and the model never sees them.

use std::borrow::Cow;

use serde::Serialize;

use crate::event::{Block, Content, JsonText};
use crate::session::clock::Timestamp;
use crate::session::harnesses::marks::{WholeResult, WithWholeResult};
use crate::session::harnesses::template::slots;

slots! {
    Timestamp,
    /// A text, or what a tool answered.
    Content,
    CallId,
    ToolName,
    /// A call's arguments, as JSON in a string.
    Arguments,
    /// A result's own id, content and kind, where the line cannot hold them.
    WholeId,
    WholeContent,
    IsError,
}

#[derive(Serialize)]
struct Line<T, P> {
    timestamp: T,
    r#type: &'static str,
    payload: P,
    #[serde(rename = "asyncaiSynthetic", skip_serializing_if = "Option::is_none")]
    synthetic: Option<bool>,
}

/// Whether a line stands for an event of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Event,
    Synthetic,
}

fn line<T, P>(timestamp: T, r#type: &'static str, payload: P, source: Source) -> Line<T, P> {
    Line { timestamp, r#type, payload, synthetic: (source == Source::Synthetic).then_some(true) }
}

/// What the first line says of the session.
///
/// It names no model provider: a resume with another one would be refused. And no mode of the history: the newer mode
/// wants a number on each line.
#[derive(Serialize)]
pub(super) struct Session<'a> {
    pub(super) id: &'a str,
    pub(super) timestamp: &'a Timestamp,
    pub(super) cwd: &'a str,
    pub(super) originator: &'static str,
    pub(super) cli_version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) git: Option<Git<'a>>,
}

#[derive(Serialize)]
pub(super) struct Git<'a> {
    pub(super) branch: &'a str,
}

/// The line that a transcript begins with.
pub(super) fn session_meta(session: Session<'_>) -> impl Serialize {
    line(session.timestamp, "session_meta", session, Source::Event)
}

#[derive(Serialize)]
struct Shown<C> {
    r#type: &'static str,
    message: C,
}

/// A title: the list of sessions shows the first message of a user.
pub(super) fn title<'a>(timestamp: &'a Timestamp, title: &'a str) -> impl Serialize + use<'a> {
    line(timestamp, "event_msg", Shown { r#type: "user_message", message: title }, Source::Synthetic)
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Assistant,
    /// The surroundings of the agent: neither of the two.
    Developer,
}

/// A person's or the agent's words, for people who look at the session.
pub(super) fn shown(role: Role) -> impl Serialize {
    let r#type = if role == Role::Assistant { "agent_message" } else { "user_message" };
    line(Slot::Timestamp, "event_msg", Shown { r#type, message: Slot::Content }, Source::Event)
}

#[derive(Serialize)]
struct Message {
    r#type: &'static str,
    role: &'static str,
    content: [Text; 1],
}

#[derive(Serialize)]
struct Text {
    r#type: &'static str,
    text: Slot,
}

fn item<P>(payload: P, source: Source) -> Line<Slot, P> {
    line(Slot::Timestamp, "response_item", payload, source)
}

/// The same words, or a notification, for the model.
pub(super) fn message(role: Role) -> impl Serialize {
    let (role, r#type) = match role {
        Role::User => ("user", "input_text"),
        Role::Assistant => ("assistant", "output_text"),
        Role::Developer => ("developer", "input_text"),
    };
    item(Message { r#type: "message", role, content: [Text { r#type, text: Slot::Content }] }, Source::Event)
}

#[derive(Serialize)]
struct FunctionCall {
    r#type: &'static str,
    name: Slot,
    arguments: Slot,
    call_id: Slot,
}

/// The agent's call of a tool.
pub(super) fn call() -> impl Serialize {
    let call = FunctionCall {
        r#type: "function_call",
        name: Slot::ToolName,
        arguments: Slot::Arguments,
        call_id: Slot::CallId,
    };
    item(call, Source::Event)
}

#[derive(Serialize)]
struct FunctionOutput {
    r#type: &'static str,
    call_id: Slot,
    output: Slot,
}

/// A tool's answer.
pub(super) fn output(source: Source) -> impl Serialize {
    item(FunctionOutput { r#type: "function_call_output", call_id: Slot::CallId, output: Slot::Content }, source)
}

/// A record with the whole of the result that it stands for beside it.
pub(super) fn with_whole_result(record: impl Serialize) -> impl Serialize {
    let whole = WholeResult { id: Slot::WholeId, content: Slot::WholeContent, is_error: Slot::IsError };
    WithWholeResult { record, whole: Some(whole) }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum OutputPart<'a> {
    InputText { text: Cow<'a, JsonText<'a>> },
    InputImage { image_url: JsonText<'static> },
}

/// Returns the JSON of what a tool answered: a text, or with images a list.
///
/// Several texts are one: of a long text the program cuts the middle, of a long list it leaves out the end.
pub(super) fn output_of<'a>(content: &'a Content<'_>) -> Cow<'a, str> {
    match content {
        Content::Text(text) => Cow::Borrowed(text.as_json()),
        Content::Blocks(_) if !content.has_image() => {
            Cow::Owned(JsonText::new(&content.to_text()).as_json().to_owned())
        }
        Content::Blocks(blocks) => {
            let parts: Vec<_> = blocks.iter().map(part).collect();
            // Only keys and tokens that are strings already: nothing in it can fail.
            Cow::Owned(serde_json::to_string(&parts).unwrap_or_default())
        }
    }
}

fn part<'a>(block: &'a Block<'_>) -> OutputPart<'a> {
    match block {
        Block::Text(text) => OutputPart::InputText { text: Cow::Borrowed(text) },
        Block::Image { media_type, data } => {
            let image_url = JsonText::new(&format!("data:{};base64,{}", media_type.decode(), data.decode()));
            OutputPart::InputImage { image_url }
        }
        // The program takes no image from elsewhere, and would not say where it is.
        Block::ImageUrl(url) => {
            OutputPart::InputText { text: Cow::Owned(JsonText::new(&format!("[image at {}]", url.decode()))) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_one_string_and_with_images_a_list() {
        assert_eq!(output_of(&Content::Text(JsonText::new("a\"b"))), r#""a\"b""#);
        let texts = ["a\"b", "c"].map(|text| Block::Text(JsonText::new(text)));
        assert_eq!(output_of(&Content::Blocks(texts.into())), r#""a\"b\nc""#);
        let blocks = Content::Blocks(vec![
            Block::Text(JsonText::new("see")),
            Block::Image { media_type: JsonText::new("image/png"), data: JsonText::new("aGk=") },
            Block::ImageUrl(JsonText::new("https://example.org/a.png")),
        ]);
        let expected = concat!(
            r#"[{"type":"input_text","text":"see"},"#,
            r#"{"type":"input_image","image_url":"data:image/png;base64,aGk="},"#,
            r#"{"type":"input_text","text":"[image at https://example.org/a.png]"}]"#,
        );
        assert_eq!(output_of(&blocks), expected);
    }
}

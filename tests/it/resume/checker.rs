//! The rules by which the model API takes or refuses a conversation. A transcript that breaks one
//! is refused for ever, at each resume.

use std::collections::HashSet;

use serde_json::{Value, json};

/// The violations in a messages request; none means that the API takes it.
pub(super) fn violations(request: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let messages = merged(request, &mut found);
    if messages.first().is_none_or(|(role, _)| role != "user") {
        found.push("the first message is not the user's".to_owned());
    }
    let mut ids = HashSet::new();
    for (at, (role, blocks)) in messages.iter().enumerate() {
        if blocks.is_empty() {
            found.push(format!("message {at}: no content"));
        }
        for block in blocks {
            characters(at, block, &mut found);
            match block["type"].as_str() {
                Some("text") if is_blank(block) => found.push(format!("message {at}: blank text")),
                Some("tool_use") => call(at, role, block, &mut ids, &mut found),
                Some("tool_result") if block["is_error"] == true && has_other_than_text(block) => {
                    found.push(format!("message {at}: a failed result with other content than text"));
                }
                Some("tool_result") if role != "user" => {
                    found.push(format!("message {at}: a result in a message of the {role}"));
                }
                None => found.push(format!("message {at}: a block without a type")),
                _ => {}
            }
        }
        if role == "assistant" {
            let next = messages.get(at + 1).map_or(&[][..], |(_, blocks)| blocks);
            let answered: Vec<&Value> = results(next).collect();
            for id in calls(blocks).filter(|id| !answered.contains(id)) {
                found.push(format!("message {at}: call {id} has no result in the next message"));
            }
        } else {
            let before = at.checked_sub(1).map_or(&[][..], |before| &messages[before].1);
            answers(at, blocks, before, &mut found);
        }
    }
    found
}

/// Neighbours of one role are one message to the API; `system` messages stand outside the turns.
fn merged(request: &Value, found: &mut Vec<String>) -> Vec<(String, Vec<Value>)> {
    let mut messages: Vec<(String, Vec<Value>)> = Vec::new();
    for message in request["messages"].as_array().into_iter().flatten() {
        let role = message["role"].as_str().unwrap_or("nobody").to_owned();
        let blocks = match &message["content"] {
            Value::String(text) => vec![json!({"type": "text", "text": text})],
            Value::Array(blocks) => blocks.clone(),
            _ => Vec::new(),
        };
        match messages.last_mut() {
            _ if role == "system" => {
                if blocks.iter().any(is_blank) {
                    found.push("blank text in a system message".to_owned());
                }
            }
            Some((last, all)) if *last == role => all.extend(blocks),
            _ => messages.push((role, blocks)),
        }
    }
    messages
}

fn is_blank(block: &Value) -> bool {
    block["text"].as_str().is_some_and(|text| text.trim().is_empty())
}

fn has_other_than_text(result: &Value) -> bool {
    result["content"].as_array().is_some_and(|parts| parts.iter().any(|part| part["type"] != "text"))
}

fn calls(blocks: &[Value]) -> impl Iterator<Item = &Value> {
    blocks.iter().filter(|block| block["type"] == "tool_use").map(|block| &block["id"])
}

fn results(blocks: &[Value]) -> impl Iterator<Item = &Value> {
    blocks.iter().filter(|block| block["type"] == "tool_result").map(|block| &block["tool_use_id"])
}

/// Whether `text` has between one and `longest` characters, all of `[A-Za-z0-9_-]`.
fn is_plain(text: &str, longest: usize) -> bool {
    (1..=longest).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

fn call(at: usize, role: &str, block: &Value, ids: &mut HashSet<String>, found: &mut Vec<String>) {
    let id = block["id"].as_str().unwrap_or_default();
    if role != "assistant" {
        found.push(format!("message {at}: a call in a message of the {role}"));
    }
    if !is_plain(id, 64) {
        found.push(format!("message {at}: ill-formed call id {id:?}"));
    }
    if !is_plain(block["name"].as_str().unwrap_or_default(), 128) {
        found.push(format!("message {at}: ill-formed tool name {}", block["name"]));
    }
    if !block["input"].is_object() {
        found.push(format!("message {at}: the input of {id} is not an object"));
    }
    if !ids.insert(id.to_owned()) {
        found.push(format!("message {at}: call id {id} is used twice"));
    }
}

/// Results answer the calls of the message before, once each, and stand before any text.
fn answers(at: usize, blocks: &[Value], before: &[Value], found: &mut Vec<String>) {
    let called: Vec<&Value> = calls(before).collect();
    let mut answered = Vec::new();
    let mut other = false;
    for block in blocks {
        if block["type"] != "tool_result" {
            other = true;
            continue;
        }
        let id = &block["tool_use_id"];
        if !called.contains(&id) {
            found.push(format!("message {at}: a result of {id}, which the message before did not call"));
        }
        if answered.contains(&id) {
            found.push(format!("message {at}: two results of {id}"));
        }
        if other {
            found.push(format!("message {at}: the result of {id} stands after other content"));
        }
        answered.push(id);
    }
}

/// NUL anywhere in a block. (A lone surrogate cannot be in a parsed value: see [`lone_surrogate`].)
fn characters(at: usize, value: &Value, found: &mut Vec<String>) {
    let has_nul = |text: &str| text.contains('\0');
    match value {
        Value::String(text) if has_nul(text) => found.push(format!("message {at}: NUL")),
        Value::Array(items) => items.iter().for_each(|item| characters(at, item, found)),
        Value::Object(fields) => {
            for (key, item) in fields {
                if has_nul(key) {
                    found.push(format!("message {at}: NUL in a key"));
                }
                characters(at, item, found);
            }
        }
        _ => {}
    }
}

/// The violations of a body as it came over the wire.
pub(super) fn body_violations(body: &[u8]) -> Vec<String> {
    if lone_surrogate(body) {
        // serde_json would refuse it too, but not say why.
        return vec!["a lone surrogate".to_owned()];
    }
    match serde_json::from_slice(body) {
        Ok(request) => violations(&request),
        Err(error) => vec![format!("not JSON: {error}")],
    }
}

/// Whether the JSON text holds a `\u` escape of one half of a surrogate pair without the other.
fn lone_surrogate(json: &[u8]) -> bool {
    let mut rest = json;
    // Whether the escape just passed was a high half that waits for its low one.
    let mut waits = false;
    loop {
        let half = match rest {
            [b'\\', b'u', digits @ ..] => hex(digits),
            _ => None,
        };
        match (half, waits) {
            (Some(0xDC00..=0xDFFF), true) => waits = false,
            (Some(0xDC00..=0xDFFF), false) | (_, true) => return true,
            (Some(0xD800..=0xDBFF), false) => waits = true,
            _ => {}
        }
        let step = match (half, rest) {
            (Some(_), _) => 6,
            (None, [b'\\', _, ..]) => 2,
            (None, [_, ..]) => 1,
            (None, []) => return false,
        };
        rest = &rest[step..];
    }
}

fn hex(digits: &[u8]) -> Option<u32> {
    let four = std::str::from_utf8(digits.get(..4)?).ok()?;
    u32::from_str_radix(four, 16).ok()
}

mod tests {
    use super::*;

    fn text(role: &str, text: &str) -> Value {
        json!({"role": role, "content": text})
    }

    fn called(id: &str) -> Value {
        json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "Bash", "input": {}}]})
    }

    fn answered(id: &str) -> Value {
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": ""}]})
    }

    /// Asserts that the checker finds one violation, and that it is the one.
    fn refused(messages: &[Value], why: &str) {
        let found = violations(&json!({"messages": messages}));
        assert!(found.len() == 1 && found[0].contains(why), "wanted one {why:?}, found {found:?}");
    }

    #[test]
    fn a_good_conversation_has_no_violation() {
        let both = json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "b", "content": [{"type": "text", "text": "2"}]},
            {"type": "tool_result", "tool_use_id": "a", "content": ""},
            {"type": "text", "text": "and then"},
        ]});
        let messages = json!([
            text("user", "go"),
            called("a"),
            called("b"),
            both,
            text("system", "note"),
            text("assistant", "done"),
            text("user", "more \u{1f600}")
        ]);
        assert_eq!(violations(&json!({"messages": messages})), Vec::<String>::new());
    }

    #[test]
    fn a_failed_result_with_an_image_is_refused() {
        let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}});
        let mut result = answered("a");
        result["content"][0]["content"] = json!([image]);
        result["content"][0]["is_error"] = json!(true);
        refused(&[text("user", "go"), called("a"), result], "failed result");
    }

    #[test]
    fn a_conversation_that_the_assistant_begins_is_refused() {
        refused(&[text("assistant", "hello"), text("user", "hi")], "first message");
        refused(&[], "first message");
    }

    #[test]
    fn a_call_without_a_result_in_the_next_message_is_refused() {
        refused(&[text("user", "go"), called("a")], "no result");
        refused(&[text("user", "go"), called("a"), text("user", "q")], "no result");
    }

    #[test]
    fn a_result_without_its_call_in_the_message_before_is_refused() {
        refused(&[answered("a"), text("assistant", "x")], "did not call");
        let late = [text("user", "go"), called("a"), answered("a"), text("assistant", "x"), answered("a")];
        refused(&late, "did not call");
    }

    #[test]
    fn two_results_of_one_call_are_refused() {
        refused(&[text("user", "go"), called("a"), answered("a"), answered("a")], "two results");
    }

    #[test]
    fn a_result_after_text_is_refused() {
        refused(&[text("user", "go"), called("a"), text("user", "q"), answered("a")], "after other content");
    }

    #[test]
    fn an_id_used_twice_is_refused() {
        refused(&[text("user", "go"), called("a"), answered("a"), called("a"), answered("a")], "used twice");
    }

    #[test]
    fn an_ill_formed_id_is_refused() {
        for id in ["functions.read:37", "call_1|fc_2", "", "é", &"x".repeat(65)] {
            refused(&[text("user", "go"), called(id), answered(id)], "ill-formed call id");
        }
    }

    #[test]
    fn an_ill_formed_name_is_refused() {
        let mut call = called("a");
        call["content"][0]["name"] = "a.b".into();
        refused(&[text("user", "go"), call, answered("a")], "ill-formed tool name");
    }

    #[test]
    fn an_input_that_is_not_an_object_is_refused() {
        for input in [json!(null), json!("ls"), json!([1])] {
            let mut call = called("a");
            call["content"][0]["input"] = input;
            refused(&[text("user", "go"), call, answered("a")], "not an object");
        }
    }

    #[test]
    fn a_call_of_the_user_and_a_result_of_the_assistant_are_refused() {
        let mut call = called("a");
        call["role"] = "user".into();
        refused(&[call], "a call in a message of the user");
        let mut result = answered("a");
        result["role"] = "assistant".into();
        refused(&[text("user", "go"), result], "a result in a message of the assistant");
    }

    #[test]
    fn blank_text_and_empty_content_are_refused() {
        refused(&[text("user", " \n")], "blank text");
        refused(&[text("user", "go"), text("system", " ")], "blank text");
        refused(&[json!({"role": "user", "content": []})], "no content");
    }

    #[test]
    fn nul_is_refused_wherever_it_stands() {
        refused(&[text("user", "a\0b")], "NUL");
        for input in [json!({"k": ["a\0b"]}), json!({"k\0": 1})] {
            let mut call = called("a");
            call["content"][0]["input"] = input;
            refused(&[text("user", "go"), call, answered("a")], "NUL");
        }
    }

    #[test]
    fn a_lone_surrogate_is_refused_and_a_pair_is_not() {
        let body = |text: &str| format!(r#"{{"messages":[{{"role":"user","content":"{text}"}}]}}"#);
        for lone in [r"a\ud83d", r"\ude00", r"\ud83d\ud83d\ude00", r"\ud83d\\ude00", r"\uD83D\n"] {
            assert_eq!(body_violations(body(lone).as_bytes()), ["a lone surrogate"], "{lone}");
        }
        for whole in [r"\ud83d\ude00", r"\\ud83d", r"\u00e9", "😀"] {
            assert_eq!(body_violations(body(whole).as_bytes()), Vec::<String>::new(), "{whole}");
        }
    }
}

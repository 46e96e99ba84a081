//! The rules by which an API takes or refuses the items of a conversation.

use std::collections::HashSet;

use serde_json::Value;

use crate::schema::is_word;

/// The longest id and name.
const LONGEST: usize = 64;

/// The violations in a request; none means that the API takes it.
pub(super) fn violations(body: &[u8]) -> Vec<String> {
    let Ok(request) = serde_json::from_slice::<Value>(body) else { return vec!["not JSON".to_owned()] };
    let Some(items) = request["input"].as_array() else { return vec!["no input".to_owned()] };
    let mut found = Vec::new();
    let (mut open, mut ids) = (HashSet::new(), HashSet::new());
    for (at, item) in items.iter().enumerate() {
        let mut wrong = |what: &str| found.push(format!("item {at}: {what}: {item}"));
        if item.to_string().contains("\\u0000") {
            wrong("NUL");
        }
        let id = item["call_id"].as_str().unwrap_or_default();
        match item["type"].as_str() {
            Some("message") => {
                let known = ["user", "assistant", "developer"];
                if !item["role"].as_str().is_some_and(|role| known.contains(&role)) {
                    wrong("role");
                }
                if item["content"].as_array().is_none_or(Vec::is_empty) {
                    wrong("no content");
                }
            }
            Some("function_call") => {
                if !is_word(id, LONGEST) || !item["name"].as_str().is_some_and(|name| is_word(name, LONGEST)) {
                    wrong("an ill-formed id or name");
                }
                if !ids.insert(id) {
                    wrong("an id twice");
                }
                let arguments = item["arguments"].as_str().map(serde_json::from_str::<Value>);
                if !matches!(arguments, Some(Ok(Value::Object(_)))) {
                    wrong("arguments that are no object");
                }
                open.insert(id);
            }
            Some("function_call_output") if !open.remove(id) => wrong("an output of no open call"),
            _ => {}
        }
    }
    found.extend(open.into_iter().map(|id| format!("no output of {id}")));
    found
}

mod tests {
    use serde_json::json;

    use super::*;

    fn found(change: impl FnOnce(&mut Value)) -> Vec<String> {
        let mut request = json!({"input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "q"}]},
            {"type": "function_call", "name": "x", "arguments": "{}", "call_id": "a"},
            {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "m"}]},
            {"type": "function_call_output", "call_id": "a", "output": "1"},
        ]});
        change(&mut request);
        violations(request.to_string().as_bytes())
    }

    #[test]
    fn a_good_request_has_no_violation() {
        assert_eq!(found(|_| ()), Vec::<String>::new());
    }

    #[test]
    fn each_violation_is_found() {
        let changes: [(&str, &str, &str, Value); 8] = [
            ("/input/0", "role", "role", "system".into()),
            ("/input/0", "content", "no content", json!([])),
            ("/input/0/content/0", "text", "NUL", "a\0".into()),
            ("/input/1", "name", "an ill-formed id or name", "a b".into()),
            ("/input/1", "call_id", "an output of no open call", "b".into()),
            ("/input/1", "arguments", "arguments that are no object", "[]".into()),
            ("/input/1", "arguments", "arguments that are no object", json!({})),
            ("/input/3", "type", "no output of a", "message".into()),
        ];
        for (place, key, what, value) in changes {
            let found = found(|request| request.pointer_mut(place).unwrap()[key] = value);
            assert!(found.iter().any(|found| found.contains(what)), "{what}: {found:?}");
        }
    }
}

//! Event lines in the shorthand of the cases.

use serde_json::{Value, json};

pub(super) fn user(text: &str) -> Value {
    json!({"type": "user", "text": text})
}

pub(super) fn assistant(text: &str) -> Value {
    json!({"type": "assistant", "text": text})
}

pub(super) fn call(id: &str) -> Value {
    call_with(id, &json!({"command": format!("run-{id}")}))
}

pub(super) fn call_with(id: &str, arguments: &Value) -> Value {
    json!({"type": "tool_call", "id": id, "name": "Bash", "arguments": arguments})
}

pub(super) fn result(id: &str, content: &str) -> Value {
    json!({"type": "tool_result", "id": id, "content": content})
}

pub(super) fn monitor(event: &str) -> Value {
    json!({"type": "monitor_event", "description": "log", "event": event})
}

/// The events as the lines of a stream.
pub(super) fn lines(events: &[Value]) -> String {
    events.iter().flat_map(|event| [event.to_string(), "\n".to_owned()]).collect()
}

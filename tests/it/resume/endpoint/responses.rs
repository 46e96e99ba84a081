//! The answers of the responses API, which are always streams.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{Block, write_event, write_stream_head};

/// Answers a request with these blocks, each an item.
pub(super) fn answer(writer: &mut impl Write, number: usize, blocks: &[Block]) -> io::Result<()> {
    write_stream_head(writer)?;
    let mut send = |event: Value| write_event(writer, &event);
    let response = format!("resp_loopback_{number}");
    send(json!({"type": "response.created", "response": {"id": response}}))?;
    for (index, block) in blocks.iter().enumerate() {
        let id = format!("item_loopback_{number}_{index}");
        let item = match block {
            Block::Text(text) => json!({
                "type": "message", "id": id, "role": "assistant", "content": [{"type": "output_text", "text": text}],
            }),
            Block::ToolUse { id: call, name, input } => json!({
                "type": "function_call", "id": id, "call_id": call, "name": name, "arguments": input.to_string(),
            }),
        };
        send(json!({"type": "response.output_item.done", "output_index": index, "item": item}))?;
    }
    let usage = json!({"input_tokens": 5, "output_tokens": 5, "total_tokens": 10});
    send(json!({"type": "response.completed", "response": {"id": response, "usage": usage}}))?;
    writer.flush()
}

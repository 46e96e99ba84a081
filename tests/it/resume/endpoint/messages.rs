//! The answers of the messages API.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{Block, write_event, write_json, write_stream_head};

/// Answers a request with these blocks; tells whether the connection can take another one.
pub(super) fn answer(writer: &mut impl Write, question: &Value, number: usize, blocks: &[Block]) -> io::Result<bool> {
    if question["stream"] == true {
        // A stream has no length: the end of the connection ends it.
        write_stream(writer, question, number, blocks)?;
        return Ok(false);
    }
    write_json(writer, "200 OK", &whole_message(question, number, blocks))?;
    Ok(true)
}

fn stop_reason(blocks: &[Block]) -> &'static str {
    if blocks.iter().any(|block| matches!(block, Block::ToolUse { .. })) { "tool_use" } else { "end_turn" }
}

/// A message without content or end, as a stream begins with it.
fn begun_message(question: &Value, number: usize) -> Value {
    json!({
        "id": format!("msg_loopback_{number}"), "type": "message", "role": "assistant",
        "model": question["model"], "content": [], "stop_reason": null, "stop_sequence": null,
        "usage": {"input_tokens": 5, "output_tokens": 1},
    })
}

fn whole_message(question: &Value, number: usize, blocks: &[Block]) -> Value {
    let mut message = begun_message(question, number);
    message["content"] = blocks
        .iter()
        .map(|block| match block {
            Block::Text(text) => json!({"type": "text", "text": text}),
            Block::ToolUse { id, name, input } => {
                json!({"type": "tool_use", "id": id, "name": name, "input": input})
            }
        })
        .collect();
    message["stop_reason"] = stop_reason(blocks).into();
    message
}

fn write_stream(writer: &mut impl Write, question: &Value, number: usize, blocks: &[Block]) -> io::Result<()> {
    write_stream_head(writer)?;
    let mut send = |event: Value| write_event(writer, &event);
    send(json!({"type": "message_start", "message": begun_message(question, number)}))?;
    for (index, block) in blocks.iter().enumerate() {
        let (start, delta) = match block {
            Block::Text(text) => (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": text})),
            Block::ToolUse { id, name, input } => (
                json!({"type": "tool_use", "id": id, "name": name, "input": {}}),
                json!({"type": "input_json_delta", "partial_json": input.to_string()}),
            ),
        };
        send(json!({"type": "content_block_start", "index": index, "content_block": start}))?;
        send(json!({"type": "content_block_delta", "index": index, "delta": delta}))?;
        send(json!({"type": "content_block_stop", "index": index}))?;
    }
    let end = json!({"stop_reason": stop_reason(blocks), "stop_sequence": null});
    send(json!({"type": "message_delta", "delta": end, "usage": {"output_tokens": 5}}))?;
    send(json!({"type": "message_stop"}))?;
    writer.flush()
}

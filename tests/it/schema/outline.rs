//! A transcript as short lines, so that a test can name the whole of it.

use super::{AssistantBlock, Content, Notice, Record, ResultPart};

/// `@2` is the second assistant message of the file: calls and texts that show the same number share
/// one `message.id`.
pub(super) fn outline(records: &[Record]) -> Vec<String> {
    let mut groups: Vec<&str> = Vec::new();
    let mut lines = Vec::new();
    for record in records {
        lines.push(match record {
            Record::Prompt(record) => format!("user {}", record.message.content),
            Record::Preface(_) => "preface".to_owned(),
            Record::Assistant(record) => {
                let id = record.message.id.0.as_str();
                if groups.last() != Some(&id) {
                    groups.push(id);
                }
                let group = groups.len();
                match &record.message.content[0] {
                    AssistantBlock::Text { text } => format!("text {text} @{group}"),
                    AssistantBlock::ToolUse { id, .. } => format!("call {id} @{group}"),
                }
            }
            Record::ToolResult(record) => {
                let block = &record.message.content[0];
                let id = &block.tool_use_id;
                match (record.asyncai_synthetic, block.is_error) {
                    (true, _) => format!("closed {id}"),
                    (false, true) => format!("error {id} {}", short(&block.content)),
                    (false, false) => format!("result {id} {}", short(&block.content)),
                }
            }
            Record::QueuedPrompt(record) => format!("queued {}", record.attachment.prompt),
            Record::Notification(record) => {
                let notice = Notice::of(record);
                let event = notice.event.as_deref().unwrap_or("(none)");
                format!("notice {} = {event}", notice.summary)
            }
            Record::AiTitle(record) => format!("ai-title {}", record.ai_title),
            Record::CustomTitle(record) => format!("custom-title {}", record.custom_title),
            Record::Enqueue(_) | Record::Remove(_) => continue,
        });
    }
    lines
}

fn short(content: &Content) -> String {
    match content {
        Content::Text(text) => text.clone(),
        Content::Blocks(parts) => {
            let part = |part: &ResultPart| match part {
                ResultPart::Text { text } => text.clone(),
                ResultPart::Image { .. } => "(image)".to_owned(),
            };
            let parts: Vec<String> = parts.iter().map(part).collect();
            format!("[{}]", parts.join(","))
        }
    }
}

//! What stands in the list of sessions for a recording without a prompt. Pure strings.

use std::borrow::Cow;

use crate::event::{TranscriptEvent, is_visible};
use crate::notification;

/// The longest title, in characters.
const TITLE_LIMIT: usize = 80;

/// Makes a title of the event that a recording begins with; nothing for a prompt, which names itself.
pub(super) fn of(event: &TranscriptEvent<'_>) -> Option<String> {
    let text = match *event {
        TranscriptEvent::User { .. } | TranscriptEvent::MonitorConsumed => return None,
        TranscriptEvent::Assistant { text, .. } => text.decode(),
        TranscriptEvent::ToolCall { name, .. } => Cow::Borrowed(name),
        TranscriptEvent::ToolResult { answers, id, .. } => Cow::Owned(notification::loose_summary(answers, id)),
        TranscriptEvent::MonitorEvent(monitor) => Cow::Borrowed(monitor.description),
    };
    Some(short(&text))
}

/// Makes a title of any text: one line, no controls, no bidi marks, at most 80 characters.
fn short(text: &str) -> String {
    one_line(text).chars().take(TITLE_LIMIT).collect::<String>().trim_end().to_owned()
}

/// Puts a text on one line, words apart by one space, without characters that leave no mark.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::new();
    // A little more than the limit is enough, however long the text is.
    for word in text.split(|character: char| character.is_whitespace() || character.is_control()) {
        let word: String = word.chars().filter(|character| is_visible(*character)).collect();
        if !word.is_empty() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&word);
        }
        if line.len() > 64 * TITLE_LIMIT {
            break;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_line_without_controls_and_bidi_marks() {
        assert_eq!(short(" tail\n-f\t\u{1b}[31mapp\u{202e}.log \u{200b} "), "tail -f [31mapp.log");
    }

    #[test]
    fn a_title_has_at_most_80_characters() {
        assert_eq!(short(&"é".repeat(200)).chars().count(), 80);
    }
}

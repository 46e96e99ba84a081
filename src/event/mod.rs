//! What a conversation consists of, as plain data. Knows no wire form, no file and no agent program.

mod content;

use std::borrow::Cow;

pub use self::content::{Block, Content};
use crate::lines::escape_line_separators;

/// A string in its JSON form, quotes included.
///
/// Always one valid JSON string on one line, without U+0000 and without unpaired surrogates, so it can be
/// copied into a record as it is: most texts are never decoded on their way through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonText<'a>(Cow<'a, str>);

impl<'a> JsonText<'a> {
    /// Encodes plain text. U+0000 becomes U+FFFD, since no model API takes it.
    #[must_use]
    pub fn new(plain: &str) -> JsonText<'static> {
        let encoded = serde_json::Value::from(plain.replace('\0', "\u{fffd}")).to_string();
        JsonText(Cow::Owned(escape_line_separators(encoded)))
    }

    /// Takes over a JSON string that already has the properties named above.
    pub(crate) fn from_encoded(encoded: Cow<'a, str>) -> Self {
        Self(encoded)
    }

    /// Returns the JSON form, quotes included.
    #[must_use]
    pub fn as_json(&self) -> &str {
        &self.0
    }

    /// Returns the plain text.
    #[must_use]
    pub fn decode(&self) -> Cow<'_, str> {
        let inner = self.0.get(1..self.0.len().saturating_sub(1));
        match inner {
            Some(inner) if memchr::memchr(b'\\', inner.as_bytes()).is_none() => Cow::Borrowed(inner),
            _ => Cow::Owned(serde_json::from_str(&self.0).unwrap_or_default()),
        }
    }

    /// Tells whether a reader would see anything: an API refuses a text of blanks alone.
    #[must_use]
    pub fn is_visible(&self) -> bool {
        match self.0.as_bytes().get(1) {
            Some(first) if first.is_ascii_graphic() && !matches!(first, b'\\' | b'"') => true,
            _ => self.decode().chars().any(is_visible),
        }
    }
}

/// Tells whether a character leaves a mark: no blank, control, joiner, bidi mark or variation selector.
#[must_use]
pub fn is_visible(character: char) -> bool {
    !(character.is_whitespace() || character.is_control() || is_ignorable(character))
}

/// The characters that Unicode calls default ignorable.
fn is_ignorable(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// The arguments of a tool call: one JSON object on one line, with its tokens as they came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arguments<'a>(Cow<'a, str>);

impl<'a> Arguments<'a> {
    /// Takes over a JSON object that already has the properties named above.
    pub(crate) fn from_encoded(encoded: Cow<'a, str>) -> Self {
        Self(encoded)
    }

    /// Returns the JSON object.
    #[must_use]
    pub fn as_json(&self) -> &str {
        &self.0
    }

    /// Returns the same object with a text of its own.
    #[must_use]
    pub fn into_owned(self) -> Arguments<'static> {
        Arguments(Cow::Owned(self.0.into_owned()))
    }
}

impl Default for Arguments<'_> {
    fn default() -> Self {
        Self(Cow::Borrowed("{}"))
    }
}

/// What a monitor event tells the agent to do with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note<'a> {
    /// Nothing was said: the format's own sentence stands there.
    Usual,
    /// There is no note.
    None,
    /// This note.
    Text(Cow<'a, str>),
}

/// A moment, in milliseconds since 1970 (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub i64);

/// What one line of the event stream says, with its odd values already mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event<'a> {
    /// When it happened, if the line says so.
    pub time: Option<Time>,
    /// What happened.
    pub body: Body<'a>,
}

/// What happened, in the five kinds of the event stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body<'a> {
    /// A person's (or the caller's) message.
    User {
        /// The message, with something to see in it.
        text: JsonText<'a>,
    },
    /// A whole message of the agent.
    Assistant {
        /// The message, with something to see in it.
        text: JsonText<'a>,
        /// The model that wrote it.
        model: Option<JsonText<'a>>,
    },
    /// The agent calls a tool.
    ToolCall {
        /// The id as the agent gave it, whatever its form.
        id: Option<Cow<'a, str>>,
        /// The tool's name, in `[A-Za-z0-9_-]{1,128}`.
        name: Cow<'a, str>,
        /// What the tool is given.
        arguments: Arguments<'a>,
        /// The model that made the call.
        model: Option<JsonText<'a>>,
    },
    /// What a tool answered.
    ToolResult {
        /// The id of the call, as the agent gave it.
        id: Option<Cow<'a, str>>,
        /// The answer.
        content: Content<'a>,
        /// Whether the tool failed.
        is_error: bool,
    },
    /// One line of a watched source, or (with `status`) its end.
    MonitorEvent {
        /// What is watched.
        description: Cow<'a, str>,
        /// The line.
        event: Option<Cow<'a, str>>,
        /// How the source ended.
        status: Option<Cow<'a, str>>,
        /// The source's id; without one the session gives one to each description.
        task_id: Option<Cow<'a, str>>,
        /// What the agent is told to do with it.
        note: Note<'a>,
    },
}

/// What a harness records: an event whose ids are settled for the whole session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TranscriptEvent<'a> {
    /// A person's message.
    User {
        /// The message.
        text: &'a JsonText<'a>,
    },
    /// A whole message of the agent.
    Assistant {
        /// The message.
        text: &'a JsonText<'a>,
        /// The model that wrote it, if known.
        model: Option<&'a JsonText<'a>>,
    },
    /// The agent calls a tool.
    ToolCall {
        /// The call's place in the session, from 0.
        number: u64,
        /// The call's id, unique in the session and in `[A-Za-z0-9_-]{1,64}`.
        id: &'a str,
        /// The tool's name, in `[A-Za-z0-9_-]{1,128}`.
        name: &'a str,
        /// What the tool is given.
        arguments: &'a Arguments<'a>,
        /// The model that made the call, if known.
        model: Option<&'a JsonText<'a>>,
    },
    /// What a tool answered.
    ToolResult {
        /// Which call it answers.
        answers: Answers,
        /// That call's id, or the id as it came when no call is known.
        id: &'a str,
        /// The answer.
        content: &'a Content<'a>,
        /// Whether the tool failed.
        is_error: bool,
    },
    /// A watched source has something to say.
    MonitorEvent(MonitorEvent<'a>),
    /// The agent was shown the monitor event before this one.
    MonitorConsumed,
}

/// Which call of the session a result answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// The call with this number, which had no result yet.
    Call(u64),
    /// A call that had its result already.
    AnsweredCall,
    /// No call of this session.
    UnknownCall,
}

/// One line of a watched source, or its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonitorEvent<'a> {
    /// The source's id.
    pub task_id: &'a str,
    /// What is watched.
    pub description: &'a str,
    /// The line; always there unless `status` is.
    pub event: Option<&'a str>,
    /// How the source ended.
    pub status: Option<&'a str>,
    /// What the agent is told to do with it.
    pub note: &'a Note<'a>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_text_decodes_to_the_same_text() {
        for plain in ["", "plain", "a \"quoted\" \\ line\n", "é 😀 \u{2028} \u{85}"] {
            let text = JsonText::new(plain);
            assert_eq!(text.decode(), plain);
            assert!(!text.as_json().contains(['\n', '\u{2028}', '\u{85}']));
        }
    }

    #[test]
    fn encoding_replaces_the_null_character() {
        assert_eq!(JsonText::new("a\0b").decode(), "a\u{fffd}b");
    }

    #[test]
    fn blanks_controls_and_zero_width_characters_are_not_visible() {
        for blank in ["", " \n\t", "\u{200b}\u{feff}", "\u{202e}", "\u{1b}", "\u{3000}"] {
            assert!(!JsonText::new(blank).is_visible(), "{blank:?}");
        }
        for seen in ["a", " a", "\\", "\"", "\u{fffd}", "😀"] {
            assert!(JsonText::new(seen).is_visible(), "{seen:?}");
        }
    }
}

//! A view on what the model got, in either API.

use serde_json::{Value, json};

/// A parsed request for the model's next message.
pub(super) struct Request {
    body: Value,
    blocks: Vec<Placed>,
}

/// A content block, the role of its message, and its JSON text.
pub(super) struct Placed {
    pub(super) role: String,
    pub(super) block: Value,
    pub(super) json: String,
}

fn blocks_of_item(item: &Value) -> Vec<Placed> {
    let role = item["role"].as_str().unwrap_or_default();
    let blocks = match &item["content"] {
        Value::String(text) => vec![json!({"type": "text", "text": text})],
        Value::Array(content) => content.clone(),
        _ => vec![item.clone()],
    };
    let place = |block: Value| Placed { role: role.to_owned(), json: block.to_string(), block };
    blocks.into_iter().map(place).collect()
}

impl Placed {
    /// The id of the call that this is.
    fn calls(&self) -> Option<&str> {
        match self.block["type"].as_str()? {
            "tool_use" => self.block["id"].as_str(),
            "function_call" => self.block["call_id"].as_str(),
            _ => None,
        }
    }

    /// The id of the call that this answers.
    fn answers(&self) -> Option<&str> {
        match self.block["type"].as_str()? {
            "tool_result" => self.block["tool_use_id"].as_str(),
            "function_call_output" => self.block["call_id"].as_str(),
            _ => None,
        }
    }
}

impl Request {
    pub(super) fn parse(body: &[u8]) -> Option<Self> {
        serde_json::from_slice(body).ok().map(Self::of_value)
    }

    pub(super) fn of_value(body: Value) -> Self {
        // The one API has messages with blocks; in the other messages, calls and outputs stand side by side.
        let items = body["messages"].as_array().or(body["input"].as_array());
        let blocks = items.into_iter().flatten().flat_map(blocks_of_item).collect();
        Self { body, blocks }
    }

    pub(super) fn has_tools(&self) -> bool {
        self.body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
    }

    /// How often the words stand in the conversation.
    pub(super) fn count(&self, words: &str) -> usize {
        self.blocks.iter().map(|placed| placed.json.matches(words).count()).sum()
    }

    /// Where the words first stand: the block's number, and the place in its JSON text.
    pub(super) fn position(&self, words: &str) -> Option<(usize, usize)> {
        self.blocks.iter().enumerate().find_map(|(at, placed)| placed.json.find(words).map(|within| (at, within)))
    }

    pub(super) fn blocks_of(&self, kind: &str) -> impl Iterator<Item = &Placed> {
        self.blocks.iter().filter(move |placed| placed.block["type"] == kind)
    }

    /// The first block that holds the words.
    pub(super) fn block_with(&self, words: &str) -> Option<&Placed> {
        self.position(words).map(|(at, _)| &self.blocks[at])
    }

    /// The id and input of the call whose JSON holds the words.
    pub(super) fn call_with(&self, words: &str) -> Option<(&str, &Value)> {
        let mut calls = self.blocks.iter().filter_map(|placed| Some((placed.calls()?, placed)));
        let (id, call) = calls.find(|(_, placed)| placed.json.contains(words))?;
        Some((id, call.block.get("input").unwrap_or(&call.block["arguments"])))
    }

    /// The result of a call, as a block.
    pub(super) fn result_of(&self, id: &str) -> Option<&Value> {
        self.blocks.iter().find(|placed| placed.answers() == Some(id)).map(|placed| &placed.block)
    }

    /// The id of the call that the words answer: as its result, or as a notification about it.
    pub(super) fn answered_by(&self, words: &str) -> Option<String> {
        let placed = self.block_with(words)?;
        let Placed { json, .. } = placed;
        let before = &json[..json.find(words)?];
        // Inside a notification when the last one begun before the words has not ended before them.
        if let Some(begun) = before.rfind("<task-notification>")
            && !before[begun..].contains("</task-notification>")
        {
            let (_, id) = before[begun..].split_once("<task-id>")?;
            return Some(id.split_once("</task-id>")?.0.to_owned());
        }
        placed.answers().map(str::to_owned)
    }

    /// Asserts that each of the words stands once, in this order.
    #[track_caller]
    pub(super) fn assert_in_order(&self, words: &[&str]) {
        for word in words {
            assert_eq!(self.count(word), 1, "{word:?} in {self}");
        }
        let places: Vec<_> = words.iter().map(|word| self.position(word)).collect();
        assert!(places.is_sorted(), "{words:?} stand at {places:?} in {self}");
    }

    /// Asserts that `words` reached the model once, as the plain result of the call with `call`.
    #[track_caller]
    pub(super) fn assert_result(&self, call: &str, words: &str) {
        let Some((id, _)) = self.call_with(call) else { panic!("no call with {call:?} in {self}") };
        let block = self.result_of(id).unwrap_or_else(|| panic!("no result of {id} in {self}"));
        assert!(block.to_string().contains(words), "{words:?} is not in {block}");
        assert_eq!(self.count(words), 1, "{words:?} in {self}");
    }

    /// Asserts that `words` reached the model once, as a notification about the call with `call`,
    /// whose own result is an error that stands for the missing one.
    #[track_caller]
    pub(super) fn assert_late_result(&self, call: &str, words: &str) {
        let Some((id, _)) = self.call_with(call) else { panic!("no call with {call:?} in {self}") };
        let closing = self.result_of(id).unwrap_or_else(|| panic!("no result of {id} in {self}"));
        assert_eq!(closing["is_error"], true, "{closing}");
        assert!(!closing.to_string().contains(words), "{closing}");
        assert_eq!(self.answered_by(words).as_deref(), Some(id), "{words:?} in {self}");
        assert_eq!(self.count(words), 1, "{words:?} in {self}");
    }
}

impl std::fmt::Display for Request {
    /// The conversation, a block a line, long ones cut.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for Placed { role, json, .. } in &self.blocks {
            write!(f, "\n  {role}: {}", json.chars().take(300).collect::<String>())?;
        }
        Ok(())
    }
}

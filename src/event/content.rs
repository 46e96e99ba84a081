//! What a tool answered: one text, or texts and images.

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::JsonText;

/// What a tool answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content<'a> {
    /// One text, possibly empty.
    Text(JsonText<'a>),
    /// Texts and images, at least one.
    Blocks(Vec<Block<'a>>),
}

/// A part of a tool's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block<'a> {
    /// A text with something to see in it.
    Text(JsonText<'a>),
    /// An image inside the conversation.
    Image {
        /// One of the four types that model APIs take, such as `image/png`.
        media_type: JsonText<'a>,
        /// The image in base64.
        data: JsonText<'a>,
    },
    /// An image at an address.
    ImageUrl(JsonText<'a>),
}

impl Content<'_> {
    /// Returns the JSON form: a string, or a list of blocks as the event stream and model APIs have them.
    #[must_use]
    pub fn to_json(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text.as_json()),
            // Only keys and tokens that are strings already: nothing in it can fail.
            Self::Blocks(blocks) => Cow::Owned(serde_json::to_string(blocks).unwrap_or_default()),
        }
    }

    /// Returns the content with a text before it.
    #[must_use]
    pub fn after(&self, text: &str) -> Self {
        let mut blocks = vec![Block::Text(JsonText::new(text))];
        match self {
            Self::Text(own) if !own.is_visible() => {}
            Self::Text(own) => blocks.push(Block::Text(own.clone())),
            Self::Blocks(own) => blocks.extend_from_slice(own),
        }
        Self::Blocks(blocks)
    }

    /// Tells whether there is an image in it.
    #[must_use]
    pub fn has_image(&self) -> bool {
        match self {
            Self::Text(_) => false,
            Self::Blocks(blocks) => blocks.iter().any(|block| !matches!(block, Block::Text(_))),
        }
    }

    /// Returns the content as one plain text, its texts on lines of their own.
    #[must_use]
    pub fn to_text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => text.decode(),
            Self::Blocks(blocks) => {
                let texts = blocks.iter().map(|block| match block {
                    Block::Text(text) => text.decode(),
                    Block::Image { .. } | Block::ImageUrl(_) => Cow::Borrowed("[image]"),
                });
                Cow::Owned(texts.collect::<Vec<_>>().join("\n"))
            }
        }
    }
}

impl Serialize for JsonText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(self.as_json()).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum WireBlock<'a> {
    Text { text: &'a JsonText<'a> },
    Image { source: WireSource<'a> },
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum WireSource<'a> {
    Base64 { media_type: &'a JsonText<'a>, data: &'a JsonText<'a> },
    Url { url: &'a JsonText<'a> },
}

impl Serialize for Block<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let block = match self {
            Self::Text(text) => WireBlock::Text { text },
            Self::Image { media_type, data } => WireBlock::Image { source: WireSource::Base64 { media_type, data } },
            Self::ImageUrl(url) => WireBlock::Image { source: WireSource::Url { url } },
        };
        block.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks() -> Content<'static> {
        Content::Blocks(vec![
            Block::Text(JsonText::new("see \"this\"")),
            Block::Image { media_type: JsonText::new("image/png"), data: JsonText::new("aGk=") },
            Block::ImageUrl(JsonText::new("https://example.org/a.png")),
        ])
    }

    #[test]
    fn blocks_have_the_form_of_the_api() {
        let expected = concat!(
            r#"[{"type":"text","text":"see \"this\""},"#,
            r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}},"#,
            r#"{"type":"image","source":{"type":"url","url":"https://example.org/a.png"}}]"#,
        );
        assert_eq!(blocks().to_json(), expected);
    }

    #[test]
    fn blocks_as_text_stand_on_lines_of_their_own() {
        assert_eq!(blocks().to_text(), "see \"this\"\n[image]\n[image]");
    }
}

//! A tool's answer in the API's form, and as one text. Knows no record.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::event::{Block, Content, JsonText};

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum ApiBlock<'a> {
    Text { text: &'a RawValue },
    Image { source: ApiSource<'a> },
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum ApiSource<'a> {
    Base64 { media_type: &'a RawValue, data: &'a RawValue },
    Url { url: &'a RawValue },
}

/// Returns the content as JSON: a string, or a list of blocks.
pub(super) fn json<'a>(content: &'a Content<'_>) -> serde_json::Result<Cow<'a, str>> {
    match content {
        Content::Text(text) => Ok(Cow::Borrowed(text.as_json())),
        Content::Blocks(blocks) => {
            let blocks = blocks.iter().map(api_block).collect::<serde_json::Result<Vec<_>>>()?;
            serde_json::to_string(&blocks).map(Cow::Owned)
        }
    }
}

fn api_block<'a>(block: &'a Block<'_>) -> serde_json::Result<ApiBlock<'a>> {
    Ok(match block {
        Block::Text(text) => ApiBlock::Text { text: raw(text)? },
        Block::Image { media_type, data } => {
            ApiBlock::Image { source: ApiSource::Base64 { media_type: raw(media_type)?, data: raw(data)? } }
        }
        Block::ImageUrl(url) => ApiBlock::Image { source: ApiSource::Url { url: raw(url)? } },
    })
}

fn raw<'a>(text: &'a JsonText<'_>) -> serde_json::Result<&'a RawValue> {
    serde_json::from_str(text.as_json())
}

/// Returns the content as one plain text, its texts on lines of their own.
pub(super) fn text<'a>(content: &'a Content<'_>) -> Cow<'a, str> {
    match content {
        Content::Text(text) => text.decode(),
        Content::Blocks(blocks) => {
            let texts = blocks.iter().map(|block| match block {
                Block::Text(text) => text.decode(),
                Block::Image { .. } | Block::ImageUrl(_) => Cow::Borrowed("[image]"),
            });
            Cow::Owned(texts.collect::<Vec<_>>().join("\n"))
        }
    }
}

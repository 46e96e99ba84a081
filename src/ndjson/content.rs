//! Tool arguments and tool results: whatever JSON an agent puts there, in the forms that a model API takes.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::fields::Field;
use super::json::{self, Token};
use crate::event::{Arguments, Block, Content, JsonText};
use crate::report::{Oddity, Tally};

/// Deeper arguments end a known agent program with a stack overflow (at 40,000), so they become text.
const DEPTH_LIMIT: usize = 128;

/// The images that model APIs take.
const IMAGE_TYPES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/// A block's type is shown up to this many characters.
const TYPE_LIMIT: usize = 64;

/// Makes the object that a tool call's `input` must be.
pub(super) fn arguments<'a>(field: Field<'a>, tally: &mut Tally) -> Arguments<'a> {
    let Some(token) = field.value() else { return Arguments::default() };
    if token.json().starts_with('{') {
        return object(token, tally);
    }
    if !token.is_string() {
        return wrapped(token, tally);
    }
    let text = token.text(tally);
    let plain = text.decode();
    let inner = plain.trim_ascii();
    if inner.is_empty() {
        Arguments::default()
    } else if inner.starts_with('{') && json::is_valid(inner) {
        tally.count(Oddity::ArgumentsAsText);
        object(Token::new(inner), tally).into_owned()
    } else {
        tally.count(Oddity::ArgumentsWrapped);
        under_value(text.as_json())
    }
}

fn object<'a>(token: Token<'a>, tally: &mut Tally) -> Arguments<'a> {
    if json::is_deeper_than(DEPTH_LIMIT, token.json()) {
        return wrapped(token, tally);
    }
    Arguments::from_encoded(json::on_one_line(token.mend(tally)))
}

fn wrapped(token: Token<'_>, tally: &mut Tally) -> Arguments<'static> {
    tally.count(Oddity::ArgumentsWrapped);
    if json::is_deeper_than(DEPTH_LIMIT, token.json()) {
        return under_value(JsonText::new(token.json()).as_json());
    }
    under_value(&json::on_one_line(token.mend(tally)))
}

fn under_value(value: &str) -> Arguments<'static> {
    Arguments::from_encoded(Cow::Owned(format!("{{\"value\":{value}}}")))
}

/// Makes a text, or a list of blocks, of a tool's answer.
pub(super) fn content<'a>(field: Field<'a>, tally: &mut Tally) -> Content<'a> {
    let Some(token) = field.value() else { return Content::Text(JsonText::new("")) };
    if token.is_string() {
        return Content::Text(token.text(tally));
    }
    if let Some(parts) = parts(token.json()) {
        let blocks: Vec<_> = parts.into_iter().filter_map(|part| block(&part, tally)).collect();
        return if blocks.is_empty() { Content::Text(JsonText::new("")) } else { Content::Blocks(blocks) };
    }
    tally.count(Oddity::ContentAsText);
    Content::Text(JsonText::new(&json::compact(token.json())))
}

/// A block as it came; each field is judged by itself, since a wrong one must not cost the others.
#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow)]
    r#type: &'a RawValue,
    #[serde(borrow, default)]
    text: Option<&'a RawValue>,
    #[serde(borrow, default)]
    source: Option<&'a RawValue>,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "mimeType")]
    mime_type: Option<&'a RawValue>,
    #[serde(skip)]
    size: usize,
}

/// An image's source as the API has it.
#[derive(Deserialize)]
struct Source<'a> {
    #[serde(borrow)]
    r#type: &'a RawValue,
    #[serde(borrow, default)]
    media_type: Option<&'a RawValue>,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
    #[serde(borrow, default)]
    url: Option<&'a RawValue>,
}

/// The parts of a list of blocks; nothing when the JSON is something else.
fn parts(raw: &str) -> Option<Vec<Part<'_>>> {
    if !raw.starts_with('[') {
        return None;
    }
    let list: Vec<&RawValue> = serde_json::from_str(raw).ok()?;
    list.into_iter().map(part).collect()
}

fn part(raw: &RawValue) -> Option<Part<'_>> {
    let part: Part<'_> = serde_json::from_str(raw.get()).ok()?;
    part.r#type.get().starts_with('"').then_some(Part { size: raw.get().len(), ..part })
}

/// One block in the API's form; nothing for a blank text.
fn block<'a>(part: &Part<'a>, tally: &mut Tally) -> Option<Block<'a>> {
    let kind = Token::new(part.r#type.get()).string(tally);
    match &*kind {
        "text" => {
            if let Some(text) = string_token(part.text) {
                let text = text.text(tally);
                return text.is_visible().then_some(Block::Text(text));
            }
        }
        "image" => {
            if let Some(image) = image(part, tally) {
                return Some(image);
            }
        }
        _ => {}
    }
    tally.count(Oddity::BlockAsText);
    let kind: String = kind.chars().filter(|character| !character.is_control()).take(TYPE_LIMIT).collect();
    Some(Block::Text(JsonText::new(&format!("[{kind} block of {} bytes, not recorded]", part.size))))
}

fn string_token(raw: Option<&RawValue>) -> Option<Token<'_>> {
    raw.map(|raw| Token::new(raw.get())).filter(|token| token.is_string())
}

fn image<'a>(part: &Part<'a>, tally: &mut Tally) -> Option<Block<'a>> {
    let Some(source) = part.source else { return inline_image(part.mime_type, part.data, tally) };
    let source: Source<'a> = serde_json::from_str(source.get()).ok()?;
    match source.r#type.get() {
        "\"base64\"" => inline_image(source.media_type, source.data, tally),
        "\"url\"" => Some(Block::ImageUrl(string_token(source.url)?.text(tally))),
        _ => None,
    }
}

fn inline_image<'a>(
    media_type: Option<&'a RawValue>,
    data: Option<&'a RawValue>,
    tally: &mut Tally,
) -> Option<Block<'a>> {
    let media_type = string_token(media_type)?.text(tally);
    let data = string_token(data)?.text(tally);
    (IMAGE_TYPES.contains(&&*media_type.decode()) && is_base64(&data.decode()))
        .then_some(Block::Image { media_type, data })
}

/// An API refuses the whole conversation for one image that is no base64.
fn is_base64(data: &str) -> bool {
    let digits = data.trim_end_matches('=');
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    !digits.is_empty() && data.len().is_multiple_of(4) && data.len() - digits.len() <= 2 && digits.bytes().all(is_digit)
}

//! Tool arguments and tool results: whatever JSON an agent puts there, in the forms that a model API takes.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::fields::Field;
use super::json;
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
    let Some(raw) = field.json() else { return Arguments::default() };
    if raw.starts_with('{') {
        return object(Cow::Borrowed(raw), tally);
    }
    if !raw.starts_with('"') {
        return wrapped(raw, tally);
    }
    let text = json::text(raw, tally);
    let plain = text.decode();
    let inner = plain.trim_ascii();
    if inner.is_empty() {
        Arguments::default()
    } else if inner.starts_with('{') && json::is_valid(inner) {
        tally.count(Oddity::ArgumentsAsText);
        object(Cow::Owned(inner.to_owned()), tally)
    } else {
        tally.count(Oddity::ArgumentsWrapped);
        under_value(text.as_json())
    }
}

fn object<'a>(raw: Cow<'a, str>, tally: &mut Tally) -> Arguments<'a> {
    if json::is_deeper_than(DEPTH_LIMIT, &raw) {
        return wrapped(&raw, tally);
    }
    let mended = match raw {
        Cow::Borrowed(raw) => json::mend(raw, tally),
        Cow::Owned(raw) => Cow::Owned(json::mend(&raw, tally).into_owned()),
    };
    Arguments::from_encoded(json::on_one_line(mended))
}

fn wrapped(raw: &str, tally: &mut Tally) -> Arguments<'static> {
    tally.count(Oddity::ArgumentsWrapped);
    if json::is_deeper_than(DEPTH_LIMIT, raw) {
        return under_value(JsonText::new(raw).as_json());
    }
    under_value(&json::on_one_line(json::mend(raw, tally)))
}

fn under_value(value: &str) -> Arguments<'static> {
    Arguments::from_encoded(Cow::Owned(format!("{{\"value\":{value}}}")))
}

/// Makes a text, or a list of blocks, of a tool's answer.
pub(super) fn content<'a>(field: Field<'a>, tally: &mut Tally) -> Content<'a> {
    let Some(raw) = field.json() else { return Content::Text(JsonText::new("")) };
    if raw.starts_with('"') {
        return Content::Text(json::text(raw, tally));
    }
    if let Some(parts) = parts(raw) {
        let blocks: Vec<_> = parts.into_iter().filter_map(|part| block(&part, tally)).collect();
        return if blocks.is_empty() { Content::Text(JsonText::new("")) } else { Content::Blocks(blocks) };
    }
    tally.count(Oddity::ContentAsText);
    Content::Text(JsonText::new(&json::compact(raw)))
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
    let kind = json::string(part.r#type.get(), tally);
    match &*kind {
        "text" => {
            if let Some(text) = string_token(part.text) {
                let text = json::text(text, tally);
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

fn string_token(raw: Option<&RawValue>) -> Option<&str> {
    raw.map(RawValue::get).filter(|json| json.starts_with('"'))
}

fn image<'a>(part: &Part<'a>, tally: &mut Tally) -> Option<Block<'a>> {
    let Some(source) = part.source else { return inline_image(part.mime_type, part.data, tally) };
    let source: Source<'a> = serde_json::from_str(source.get()).ok()?;
    match source.r#type.get() {
        "\"base64\"" => inline_image(source.media_type, source.data, tally),
        "\"url\"" => Some(Block::ImageUrl(json::text(string_token(source.url)?, tally))),
        _ => None,
    }
}

fn inline_image<'a>(
    media_type: Option<&'a RawValue>,
    data: Option<&'a RawValue>,
    tally: &mut Tally,
) -> Option<Block<'a>> {
    let media_type = json::text(string_token(media_type)?, tally);
    let data = json::text(string_token(data)?, tally);
    (IMAGE_TYPES.contains(&&*media_type.decode()) && is_base64(&data.decode()))
        .then_some(Block::Image { media_type, data })
}

/// An API refuses the whole conversation for one image that is no base64.
fn is_base64(data: &str) -> bool {
    let digits = data.trim_end_matches('=');
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    !digits.is_empty() && data.len().is_multiple_of(4) && data.len() - digits.len() <= 2 && digits.bytes().all(is_digit)
}

//! Tool arguments and tool results: whatever JSON an agent puts there, in the forms that a model API takes.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::fields::Field;
use super::json::{self, Token};
use super::object::Object;
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
struct Part<'a> {
    fields: Object<'a>,
    kind: Token<'a>,
    size: usize,
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
    let fields = Object::of(Token::new(raw.get()));
    let kind = string(&fields, "type")?;
    Some(Part { fields, kind, size: raw.get().len() })
}

fn string<'a>(object: &Object<'a>, name: &str) -> Option<Token<'a>> {
    object.value(name).filter(|value| value.is_string())
}

/// One block in the API's form; nothing for a blank text.
fn block<'a>(part: &Part<'a>, tally: &mut Tally) -> Option<Block<'a>> {
    let kind = part.kind.string(tally);
    match &*kind {
        "text" => {
            if let Some(text) = string(&part.fields, "text") {
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

fn image<'a>(part: &Part<'a>, tally: &mut Tally) -> Option<Block<'a>> {
    let source = part.fields.object("source");
    if part.fields.has("source") {
        return match string(&source, "type")?.keyword().as_ref() {
            "base64" => inline_image(string(&source, "media_type"), string(&source, "data"), tally),
            "url" => Some(Block::ImageUrl(string(&source, "url")?.text(tally))),
            _ => None,
        };
    }
    inline_image(string(&part.fields, "mimeType"), string(&part.fields, "data"), tally)
}

fn inline_image<'a>(media_type: Option<Token<'a>>, data: Option<Token<'a>>, tally: &mut Tally) -> Option<Block<'a>> {
    let (media_type, data) = (media_type?.text(tally), data?.text(tally));
    (IMAGE_TYPES.contains(&&*media_type.decode()) && is_base64(&data.decode()))
        .then_some(Block::Image { media_type, data })
}

/// An API refuses the whole conversation for one image that is no base64.
fn is_base64(data: &str) -> bool {
    let digits = data.trim_end_matches('=');
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    !digits.is_empty() && data.len().is_multiple_of(4) && data.len() - digits.len() <= 2 && digits.bytes().all(is_digit)
}

//! The fields of a record that tell what it is, found in one pass. Knows not what they mean.

use std::borrow::Cow;

use crate::ndjson::{LineError, Token, each_field};

/// A field as it stands; nothing where it is not there or null.
pub(super) type Field<'a> = Option<Token<'a>>;

/// A record's own fields, and those of the objects in it.
#[derive(Debug, Default)]
pub(super) struct Envelope<'a> {
    pub(super) kind: Field<'a>,
    pub(super) subtype: Field<'a>,
    pub(super) uuid: Field<'a>,
    pub(super) parent: Field<'a>,
    pub(super) logical_parent: Field<'a>,
    pub(super) is_side: Field<'a>,
    pub(super) is_meta: Field<'a>,
    pub(super) is_summary: Field<'a>,
    pub(super) is_error_message: Field<'a>,
    pub(super) is_stand_in: Field<'a>,
    pub(super) timestamp: Field<'a>,
    pub(super) prompt: Field<'a>,
    pub(super) prompt_source: Field<'a>,
    pub(super) session: Field<'a>,
    pub(super) custom_title: Field<'a>,
    pub(super) ai_title: Field<'a>,
    /// What a tool answered, whole.
    pub(super) whole_result: Field<'a>,
    /// What the program itself keeps of a tool's answer.
    pub(super) beside: Field<'a>,
    pub(super) message: Message<'a>,
    pub(super) attachment: Attachment<'a>,
    /// Who it comes from, where that is said.
    pub(super) origin: Option<Cow<'a, str>>,
}

/// What the API's message says.
#[derive(Debug, Default)]
pub(super) struct Message<'a> {
    pub(super) id: Field<'a>,
    pub(super) model: Field<'a>,
    pub(super) content: Field<'a>,
    pub(super) stop_reason: Field<'a>,
}

/// What was attached.
#[derive(Debug, Default)]
pub(super) struct Attachment<'a> {
    pub(super) kind: Field<'a>,
    pub(super) mode: Field<'a>,
    pub(super) prompt: Field<'a>,
    origin: Field<'a>,
}

impl<'a> Envelope<'a> {
    pub(super) fn read(line: &'a str) -> Result<Self, LineError> {
        let mut own = Self::default();
        let (mut origin, mut message, mut attachment) = (None, None, None);
        each_field(line, |name, value| {
            let field = match name {
                "type" => &mut own.kind,
                "subtype" => &mut own.subtype,
                "uuid" => &mut own.uuid,
                "parentUuid" => &mut own.parent,
                "logicalParentUuid" => &mut own.logical_parent,
                "isSidechain" => &mut own.is_side,
                "isMeta" => &mut own.is_meta,
                "isCompactSummary" => &mut own.is_summary,
                "isApiErrorMessage" => &mut own.is_error_message,
                "asyncaiSynthetic" => &mut own.is_stand_in,
                "timestamp" => &mut own.timestamp,
                "promptId" => &mut own.prompt,
                "promptSource" => &mut own.prompt_source,
                "sessionId" => &mut own.session,
                "customTitle" => &mut own.custom_title,
                "aiTitle" => &mut own.ai_title,
                "asyncaiToolResult" => &mut own.whole_result,
                "toolUseResult" => &mut own.beside,
                "origin" => &mut origin,
                "message" => &mut message,
                "attachment" => &mut attachment,
                _ => return,
            };
            *field = value;
        })?;
        own.message = message.map(Message::of).unwrap_or_default();
        own.attachment = attachment.map(Attachment::of).unwrap_or_default();
        own.origin = origin.and_then(kind_of).or_else(|| own.attachment.origin.and_then(kind_of));
        Ok(own)
    }
}

impl<'a> Message<'a> {
    fn of(value: Token<'a>) -> Self {
        let mut own = Self::default();
        value.each_field(|name, value| match name {
            "id" => own.id = value,
            "model" => own.model = value,
            "content" => own.content = value,
            "stop_reason" => own.stop_reason = value,
            _ => {}
        });
        own
    }
}

impl<'a> Attachment<'a> {
    fn of(value: Token<'a>) -> Self {
        let mut own = Self::default();
        value.each_field(|name, value| match name {
            "type" => own.kind = value,
            "commandMode" => own.mode = value,
            "prompt" => own.prompt = value,
            "origin" => own.origin = value,
            _ => {}
        });
        own
    }
}

fn kind_of(origin: Token<'_>) -> Option<Cow<'_, str>> {
    let mut kind = None;
    origin.each_field(|name, value| {
        if name == "kind" {
            kind = value;
        }
    });
    word(kind)
}

/// The string that a field is.
pub(super) fn word(field: Field<'_>) -> Option<Cow<'_, str>> {
    string(field).map(Token::id)
}

/// The field, if it is a string.
pub(super) fn string(field: Field<'_>) -> Field<'_> {
    field.filter(|value| value.is_string())
}

/// Tells whether a field is a certain string.
pub(super) fn is(field: Field<'_>, text: &str) -> bool {
    word(field).is_some_and(|own| own == text)
}

/// Tells whether a field is true.
pub(super) fn is_true(field: Field<'_>) -> bool {
    field.is_some_and(|value| value.json() == "true")
}

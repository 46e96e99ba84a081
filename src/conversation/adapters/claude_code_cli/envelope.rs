//! The fields of a record that tell what it is, found in one pass. Knows not what they mean.

use std::borrow::Cow;

use super::parts::Block;
use crate::conversation::record::Part;
use crate::ndjson::Step::{Item, Key};
use crate::ndjson::{Step, Taking, Token};

/// A field as it stands; nothing where it is not there or null.
pub(super) type Field<'a> = Option<Token<'a>>;

/// A record's own fields, and what is in the objects of it.
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
    /// What the program itself keeps of a tool's answer.
    pub(super) beside: Inner<'a>,
    pub(super) message: Inner<'a>,
    pub(super) attachment: Inner<'a>,
    late: Inner<'a>,
    origin: Field<'a>,
    /// What is in the list and the block at hand, until they end.
    parts: Vec<Part<'a>>,
    block: Block<'a>,
}

/// The fields of an object in a record. Each kind of object has some of them.
#[derive(Debug, Default)]
pub(super) struct Inner<'a> {
    pub(super) id: Field<'a>,
    pub(super) kind: Field<'a>,
    pub(super) model: Field<'a>,
    pub(super) content: Field<'a>,
    pub(super) stop_reason: Field<'a>,
    pub(super) mode: Field<'a>,
    pub(super) tool: Field<'a>,
    pub(super) agent: Field<'a>,
    pub(super) run: Field<'a>,
    pub(super) status: Field<'a>,
    /// What the content consists of.
    pub(super) parts: Vec<Part<'a>>,
    failed: Field<'a>,
    origin: Field<'a>,
    is_there: bool,
}

/// Where in a record something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    Record,
    Message,
    Attachment,
    Beside,
    Late,
    Origin,
    /// What a message or an attachment says.
    Content,
    Block,
}

impl<'a> Taking<'a> for Envelope<'a> {
    type Room = Room;

    const OUTSIDE: Room = Room::Record;

    fn enter(&mut self, room: Room, step: Step<'_>) -> Option<Room> {
        let inside = match (room, step) {
            (Room::Record, Key("message")) => Room::Message,
            (Room::Record, Key("attachment")) => Room::Attachment,
            (Room::Record, Key("toolUseResult")) => Room::Beside,
            (Room::Record, Key("asyncaiToolResult")) => Room::Late,
            (Room::Record | Room::Attachment, Key("origin")) => Room::Origin,
            (Room::Message, Key("content")) | (Room::Attachment, Key("prompt")) => Room::Content,
            (Room::Content, Item) => Room::Block,
            _ => return None,
        };
        if let Some(inner) = self.inner(inside) {
            inner.clear();
        }
        Some(inside)
    }

    fn take(&mut self, room: Room, step: Step<'_>, value: Token<'a>) {
        match (room, step) {
            (Room::Record, Key(name)) => self.take_own(name, value),
            (Room::Message, Key("content")) | (Room::Attachment, Key("prompt")) => {
                let parts = std::mem::take(&mut self.parts);
                if let Some(inner) = self.inner(room) {
                    inner.take("content", value);
                    inner.parts = if value.is_string() { vec![Part::Text(value)] } else { parts };
                }
            }
            (Room::Attachment, Key("origin")) => {
                self.attachment.is_there = true;
                self.attachment.origin = self.block.take_origin();
            }
            (Room::Message, Key(name)) => self.message.take(name, value),
            (Room::Attachment, Key(name)) => self.attachment.take(name, value),
            (Room::Beside, Key(name)) => self.beside.take(name, value),
            (Room::Late, Key(name)) => self.late.take(name, value),
            (Room::Block | Room::Origin, Key(name)) => self.block.take(name, value),
            (Room::Content, Item) => self.parts.push(std::mem::take(&mut self.block).part()),
            (Room::Content, Key(_)) | (_, Item) => {}
        }
    }
}

impl<'a> Envelope<'a> {
    /// What a tool answered that is in no message, whole.
    pub(super) fn late_result(&self) -> Option<Part<'a>> {
        let late = &self.late;
        late.is_there.then(|| Block::result(late.id, late.failed, late.content))
    }

    /// Who the record comes from, where that is said.
    pub(super) fn origin(&self) -> Option<Cow<'a, str>> {
        word(self.origin).or_else(|| word(self.attachment.origin))
    }

    fn take_own(&mut self, name: &str, value: Token<'a>) {
        let own = match name {
            "type" => &mut self.kind,
            "subtype" => &mut self.subtype,
            "uuid" => &mut self.uuid,
            "parentUuid" => &mut self.parent,
            "logicalParentUuid" => &mut self.logical_parent,
            "isSidechain" => &mut self.is_side,
            "isMeta" => &mut self.is_meta,
            "isCompactSummary" => &mut self.is_summary,
            "isApiErrorMessage" => &mut self.is_error_message,
            "asyncaiSynthetic" => &mut self.is_stand_in,
            "timestamp" => &mut self.timestamp,
            "promptId" => &mut self.prompt,
            "promptSource" => &mut self.prompt_source,
            "sessionId" => &mut self.session,
            "customTitle" => &mut self.custom_title,
            "aiTitle" => &mut self.ai_title,
            "origin" => return self.origin = self.block.take_origin(),
            "message" => return self.message.ensure_object(value),
            "attachment" => return self.attachment.ensure_object(value),
            "toolUseResult" => return self.beside.ensure_object(value),
            "asyncaiToolResult" => return self.late.ensure_object(value),
            _ => return,
        };
        *own = field(value);
    }

    fn inner(&mut self, room: Room) -> Option<&mut Inner<'a>> {
        Some(match room {
            Room::Message => &mut self.message,
            Room::Attachment => &mut self.attachment,
            Room::Beside => &mut self.beside,
            Room::Late => &mut self.late,
            Room::Record | Room::Origin | Room::Content | Room::Block => return None,
        })
    }
}

impl<'a> Inner<'a> {
    /// Of a key that a record repeats the last value counts.
    fn clear(&mut self) {
        if self.is_there {
            *self = Self::default();
        }
    }

    fn ensure_object(&mut self, value: Token<'a>) {
        if !value.json().starts_with('{') {
            self.clear();
        }
    }

    fn take(&mut self, name: &str, value: Token<'a>) {
        self.is_there = true;
        let own = match name {
            "id" => &mut self.id,
            "type" => &mut self.kind,
            "model" => &mut self.model,
            "content" => &mut self.content,
            "stop_reason" => &mut self.stop_reason,
            "commandMode" => &mut self.mode,
            "toolUseId" => &mut self.tool,
            "agentId" => &mut self.agent,
            "runId" => &mut self.run,
            "status" => &mut self.status,
            "is_error" => &mut self.failed,
            "kind" => &mut self.origin,
            _ => return,
        };
        *own = field(value);
    }
}

/// A value as a field. Most values are in none and are not looked at.
pub(super) fn field(value: Token<'_>) -> Field<'_> {
    Some(value).filter(|value| value.json() != "null")
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

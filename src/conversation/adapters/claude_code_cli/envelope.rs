//! The fields of a record that tell what it is, found in one pass. Knows not what they mean.

use std::borrow::Cow;

use super::parts::Block;
use crate::conversation::record::Part;
use crate::ndjson::Step::{Item, Key};
use crate::ndjson::{LineError, Step, Token, walk};

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
    /// What a tool answered, whole.
    pub(super) whole_result: Option<Part<'a>>,
    /// What the program itself keeps of a tool's answer.
    pub(super) beside: Inner<'a>,
    pub(super) message: Inner<'a>,
    pub(super) attachment: Inner<'a>,
    origin: Field<'a>,
    /// What is in the object, the list and the block of it at hand, until they end.
    inner: Inner<'a>,
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

impl<'a> Envelope<'a> {
    pub(super) fn read(line: &'a str) -> Result<Self, LineError> {
        let mut own = Self::default();
        walk(line, &mut own, Self::take)?;
        Ok(own)
    }

    /// Who the record comes from, where that is said.
    pub(super) fn origin(&self) -> Option<Cow<'a, str>> {
        word(self.origin).or_else(|| word(self.attachment.origin))
    }

    fn take(&mut self, path: &[Step<'_>], step: Step<'_>, value: Token<'a>) {
        let field = Some(value).filter(|value| value.json() != "null");
        match (path, step) {
            ([], Key(name)) => self.own(name, field),
            ([Key("message")], Key("content")) | ([Key("attachment")], Key("prompt")) => {
                self.inner.content = field;
                self.inner.parts = match field.filter(|text| text.is_string()) {
                    Some(text) => vec![Part::Text(text)],
                    None => std::mem::take(&mut self.parts),
                };
            }
            ([Key("attachment")], Key("origin")) => self.inner.origin = self.block.take_origin(),
            ([Key("message" | "attachment" | "origin" | "toolUseResult" | "asyncaiToolResult")], Key(name)) => {
                self.inner.take(name, field);
            }
            ([Key("message"), Key("content")] | [Key("attachment"), Key("prompt")], Item) => {
                self.parts.push(std::mem::take(&mut self.block).part());
            }
            (
                [Key("message"), Key("content"), Item]
                | [Key("attachment"), Key("prompt"), Item]
                | [Key("attachment"), Key("origin")],
                Key(name),
            ) => self.block.take(name, field),
            _ => {}
        }
    }

    fn own(&mut self, name: &str, field: Field<'a>) {
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
            "message" => return self.message = std::mem::take(&mut self.inner),
            "attachment" => return self.attachment = std::mem::take(&mut self.inner),
            "toolUseResult" => return self.beside = std::mem::take(&mut self.inner),
            "asyncaiToolResult" => {
                let inner = std::mem::take(&mut self.inner);
                let result = || Block::result(inner.id, inner.failed, inner.content);
                self.whole_result = inner.is_there.then(result);
                return;
            }
            "origin" => return self.origin = std::mem::take(&mut self.inner).origin,
            _ => return,
        };
        *own = field;
    }
}

impl<'a> Inner<'a> {
    fn take(&mut self, name: &str, field: Field<'a>) {
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
        *own = field;
    }
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

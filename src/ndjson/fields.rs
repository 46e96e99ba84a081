//! The fields of a line, each still in its JSON form. One pass over the line; unknown fields are passed over.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::LineError;
use super::json::Token;
use super::scan::scan;
use crate::event::JsonText;
use crate::report::{Oddity, Tally};

/// One field: its JSON as it came, or nothing when the line does not have it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Field<'a>(Option<Token<'a>>);

impl<'a> Field<'a> {
    /// A field that is there or not.
    pub(super) fn of(value: Option<Token<'a>>) -> Self {
        Self(value)
    }

    /// Returns the value, unless the field is absent or null.
    pub(super) fn value(self) -> Option<Token<'a>> {
        self.0.filter(|token| token.json() != "null")
    }

    pub(super) fn is_absent(self) -> bool {
        self.value().is_none()
    }

    pub(super) fn is_null(self) -> bool {
        self.0.is_some_and(|token| token.json() == "null")
    }

    fn optional(self, tally: &mut Tally) -> Option<Token<'a>> {
        let token = self.value()?;
        if token.is_string() {
            return Some(token);
        }
        tally.count(Oddity::FieldType);
        None
    }

    /// Returns the text of an optional field, mended.
    pub(super) fn optional_text(self, tally: &mut Tally) -> Option<JsonText<'a>> {
        self.optional(tally).map(|token| token.text(tally))
    }

    /// Returns the plain string of an optional field, mended.
    pub(super) fn optional_string(self, tally: &mut Tally) -> Option<Cow<'a, str>> {
        self.optional(tally).map(|token| token.string(tally))
    }

    /// Returns the string of an optional field, told apart from every other string.
    pub(super) fn optional_id(self, tally: &mut Tally) -> Option<Cow<'a, str>> {
        self.optional(tally).map(Token::id)
    }

    /// Returns the value of an optional field, false when there is none.
    pub(super) fn optional_bool(self, tally: &mut Tally) -> bool {
        match self.value().map(Token::json) {
            Some("true") => true,
            None | Some("false") => false,
            Some(_) => {
                tally.count(Oddity::FieldType);
                false
            }
        }
    }
}

/// All fields that an event may have. Of a field given twice the last counts, as in most readers.
#[derive(Debug, Default)]
pub(super) struct Fields<'a> {
    line: &'a str,
    pub(super) kind: Field<'a>,
    pub(super) text: Field<'a>,
    pub(super) model: Field<'a>,
    pub(super) name: Field<'a>,
    pub(super) id: Field<'a>,
    pub(super) arguments: Field<'a>,
    pub(super) content: Field<'a>,
    pub(super) is_error: Field<'a>,
    pub(super) description: Field<'a>,
    pub(super) event: Field<'a>,
    pub(super) status: Field<'a>,
    pub(super) task_id: Field<'a>,
    pub(super) note: Field<'a>,
    pub(super) timestamp: Field<'a>,
    work_name: Field<'a>,
}

impl<'a> Fields<'a> {
    /// Begins with a line that has no fields yet.
    pub(super) fn of(line: &'a str) -> Self {
        Self { line, ..Self::default() }
    }

    /// Reads the fields of the line, which begins with a brace.
    pub(super) fn read(&mut self) -> Result<(), LineError> {
        let line = self.line;
        let is_plain = scan(line, |key, value| {
            if let Some(field) = self.field(key) {
                *field = Field(Some(value));
            }
        });
        if !is_plain {
            *self = serde_json::from_str(line).map_err(|error| syntax_error(&error))?;
            self.line = line;
        }
        Ok(())
    }

    /// Tells whether this is the session line of another program of the family.
    pub(super) fn is_session_line(&self) -> bool {
        self.work_name.value().is_some_and(|name| name.json() == "\"session\"")
    }

    /// Returns the JSON string of a required field called `name`.
    pub(super) fn required(&self, field: Field<'a>, name: &str) -> Result<Token<'a>, LineError> {
        match field.value() {
            Some(token) if token.is_string() => Ok(token),
            Some(_) => Err(self.error(field, format!("{name} is not a string"))),
            None => Err(self.error(field, format!("{name} is missing"))),
        }
    }

    /// Says what is wrong with a field, and where it stands in the line.
    pub(super) fn error(&self, field: Field<'a>, reason: String) -> LineError {
        let offset = field.0.map_or(0, |token| token.json().as_ptr() as usize - self.line.as_ptr() as usize);
        LineError { column: offset + 1, reason }
    }

    fn field(&mut self, key: &str) -> Option<&mut Field<'a>> {
        Some(match key {
            "type" => &mut self.kind,
            "text" => &mut self.text,
            "model" => &mut self.model,
            "name" => &mut self.name,
            "id" => &mut self.id,
            "arguments" => &mut self.arguments,
            "content" => &mut self.content,
            "is_error" => &mut self.is_error,
            "description" => &mut self.description,
            "event" => &mut self.event,
            "status" => &mut self.status,
            "task_id" => &mut self.task_id,
            "note" => &mut self.note,
            "timestamp" => &mut self.timestamp,
            "work_name" => &mut self.work_name,
            _ => return None,
        })
    }
}

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

/// A key, decoded.
#[derive(serde::Deserialize)]
#[serde(transparent)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Fields::default();
        while let Some(key) = map.next_key::<Key<'de>>()? {
            match fields.field(&key.0) {
                Some(field) => *field = Field(Some(Token::new(map.next_value::<&RawValue>()?.get()))),
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(fields)
    }
}

/// What is wrong with a line that is no JSON. The library's words for syntax quote nothing of the line.
pub(super) fn syntax_error(error: &serde_json::Error) -> LineError {
    let column = error.column().max(1);
    if error.is_eof() {
        return LineError { column, reason: "not a whole JSON object on one line".to_owned() };
    }
    let text = error.to_string();
    let reason = text.split(" at line ").next().unwrap_or_default();
    LineError { column, reason: format!("not valid JSON: {reason}") }
}

//! A JSON object of any kind, read field by field: for lines that are no events. Knows no field's name.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::LineError;
use super::fields::syntax_error;
use super::json::Token;
use super::scan::{scan, scan_list};
use crate::report::{Oddity, Tally};

/// The fields of an object, each still in its JSON form. Of a field given twice the last counts, and one that is
/// null is like one that is not there.
#[derive(Debug, Clone, Default)]
pub struct Object<'a> {
    /// The line that the object is in, or is a part of.
    line: &'a str,
    fields: Vec<(Cow<'a, str>, Token<'a>)>,
}

impl<'a> Object<'a> {
    /// Reads a line that is one object.
    ///
    /// # Errors
    /// When the line is no JSON object.
    pub fn read(line: &'a str) -> Result<Self, LineError> {
        begin(line)?;
        let fields = fields(line).map_err(|error| syntax_error(&error))?;
        Ok(Self { line, fields })
    }

    /// Reads a value that is an object; of any other one without fields.
    #[must_use]
    pub fn of(value: Token<'a>) -> Self {
        let json = value.json();
        let fields = if json.starts_with('{') { fields(json).ok() } else { None };
        Self { line: json, fields: fields.unwrap_or_default() }
    }

    /// Tells whether there is no field.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Tells whether a field is there.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// Tells whether a field is there and a string.
    #[must_use]
    pub fn has_string(&self, name: &str) -> bool {
        self.value(name).is_some_and(Token::is_string)
    }

    /// Tells whether a field is a certain string.
    #[must_use]
    pub fn is(&self, name: &str, value: &str) -> bool {
        self.has_string(name) && self.string(name, &mut Tally::default()).is_some_and(|own| own == value)
    }

    /// Returns the plain string of an optional field, mended.
    pub fn string(&self, name: &str, tally: &mut Tally) -> Option<Cow<'a, str>> {
        self.optional(name, tally).map(|token| token.string(tally))
    }

    /// Returns the string of an optional field, told apart from every other string, or the number in its place.
    pub fn word(&self, name: &str, tally: &mut Tally) -> Option<Cow<'a, str>> {
        let is_number =
            |value: &Token<'_>| value.json().starts_with(|first: char| first == '-' || first.is_ascii_digit());
        match self.value(name).filter(is_number) {
            Some(number) => Some(Cow::Borrowed(number.json())),
            None => self.optional(name, tally).map(Token::id),
        }
    }

    /// Returns the plain string of a field, mended.
    ///
    /// # Errors
    /// When the field is not there or no string.
    pub fn required_string(&self, name: &str, tally: &mut Tally) -> Result<Cow<'a, str>, LineError> {
        match self.value(name) {
            Some(value) if value.is_string() => Ok(value.string(tally)),
            Some(value) => Err(self.error(value.json(), format!("{name} is not a string"))),
            None => Err(LineError { column: 1, reason: format!("{name} is missing") }),
        }
    }

    /// Returns the object in a field; where the field holds none, one without fields.
    #[must_use]
    pub fn object(&self, name: &str) -> Self {
        let fields = self.value(name).map(Self::of).unwrap_or_default().fields;
        Self { line: self.line, fields }
    }

    /// Returns the values of the list in a field; of anything else none.
    #[must_use]
    pub fn list(&self, name: &str) -> Vec<Token<'a>> {
        self.value(name).map(Token::values).unwrap_or_default()
    }

    /// Returns the value of a field; null counts as none.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<Token<'a>> {
        let (_, value) = self.fields.iter().rev().find(|(own, _)| own == name)?;
        Some(*value).filter(|value| value.json() != "null")
    }

    /// Tells whether a field is true.
    #[must_use]
    pub fn is_true(&self, name: &str) -> bool {
        self.value(name).is_some_and(|value| value.json() == "true")
    }

    fn optional(&self, name: &str, tally: &mut Tally) -> Option<Token<'a>> {
        let value = self.value(name)?;
        if value.is_string() {
            return Some(value);
        }
        tally.count(Oddity::FieldType);
        None
    }

    fn error(&self, json: &str, reason: String) -> LineError {
        LineError { column: json.as_ptr() as usize - self.line.as_ptr() as usize + 1, reason }
    }
}

impl<'a> Token<'a> {
    /// Returns the values of a list; any other value has none.
    #[must_use]
    pub fn values(self) -> Vec<Token<'a>> {
        let json = self.json();
        let mut values = Vec::new();
        if json.starts_with('[') && !scan_list(json, |value| values.push(value)) {
            values = of_list(json).unwrap_or_default();
        }
        values
    }
}

/// Tells whether a line begins as an object does.
pub(super) fn begin(line: &str) -> Result<(), LineError> {
    let start = line.trim_ascii_start();
    if start.starts_with('{') {
        return Ok(());
    }
    Err(LineError { column: 1 + line.len() - start.len(), reason: "not a JSON object".to_owned() })
}

fn fields(json: &str) -> Result<Vec<(Cow<'_, str>, Token<'_>)>, serde_json::Error> {
    let mut plain = Vec::with_capacity(16);
    if scan(json, |key, value| plain.push((Cow::Borrowed(key), value))) {
        return Ok(plain);
    }
    of_object(json)
}

/// The fields of any object, in the library's reading.
pub(super) fn of_object(json: &str) -> Result<Vec<(Cow<'_, str>, Token<'_>)>, serde_json::Error> {
    serde_json::from_str(json).map(|List(fields)| fields)
}

/// The values of any list, in the library's reading.
pub(super) fn of_list(json: &str) -> Result<Vec<Token<'_>>, serde_json::Error> {
    let list = serde_json::from_str::<Vec<&RawValue>>(json)?;
    Ok(list.into_iter().map(|value| Token::new(value.get())).collect())
}

struct List<'a>(Vec<(Cow<'a, str>, Token<'a>)>);

impl<'de> Deserialize<'de> for List<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ListVisitor)
    }
}

/// A key, borrowed where it has no escapes.
#[derive(serde::Deserialize)]
#[serde(transparent)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

struct ListVisitor;

impl<'de> Visitor<'de> for ListVisitor {
    type Value = List<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(Key(key)) = map.next_key::<Key<'de>>()? {
            fields.push((key, Token::new(map.next_value::<&RawValue>()?.get())));
        }
        Ok(List(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_given_twice_counts_as_the_last() {
        let object = Object::read(r#" {"a":"x","\u0061":"y"}"#).unwrap();
        assert!(object.is("a", "y"));
    }

    #[test]
    fn an_error_tells_the_column_in_the_whole_line() {
        let object = Object::read(r#"{"a":{"b":[7]}}"#).unwrap();
        let error = object.object("a").required_string("b", &mut Tally::default()).unwrap_err();
        assert_eq!(error.to_string(), "column 11: b is not a string");
    }

    #[test]
    fn a_field_that_is_no_object_has_no_fields() {
        let object = Object::read(r#"{"a":["b"],"b":null}"#).unwrap();
        assert!(!object.object("a").has("b"));
        assert!(!object.object("c").has("b"));
        assert!(!object.has("b"));
    }

    #[test]
    fn a_word_is_a_string_or_a_number() {
        let object = Object::read(r#"{"a":-7,"b":"7","c":[7]}"#).unwrap();
        let mut tally = Tally::default();
        assert_eq!(object.word("a", &mut tally).as_deref(), Some("-7"));
        assert_eq!(object.word("b", &mut tally).as_deref(), Some("7"));
        assert_eq!(tally.take_fresh().count(), 0);
        assert_eq!(object.word("c", &mut tally), None);
        assert_eq!(tally.take_fresh().collect::<Vec<_>>(), [Oddity::FieldType]);
    }
}

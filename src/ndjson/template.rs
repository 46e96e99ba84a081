//! A line of the event stream with a gap: monitor events of one source differ in their text only.

use std::borrow::Cow;
use std::io;

use memchr::memmem;

use super::encode;
use crate::event::{Body, Event, Note};
use crate::lines::escape_line_separators;

/// What stands before the gap. Inside a string each quote has a backslash before it, so it is found nowhere else.
const BEFORE_GAP: &[u8] = br#"","event":""#;

/// The monitor event of one source, ready but for its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MonitorTemplate {
    before: Vec<u8>,
    after: Vec<u8>,
}

impl MonitorTemplate {
    /// Makes ready what all events of a source have in common.
    ///
    /// # Errors
    /// When it cannot be written as one line of JSON.
    pub fn new(description: &str, task_id: &str, note: Note<'_>) -> io::Result<Self> {
        let body = Body::MonitorEvent {
            description: Cow::Borrowed(description),
            event: Some(Cow::Borrowed("")),
            status: None,
            task_id: Some(Cow::Borrowed(task_id)),
            note,
        };
        let mut before = Vec::new();
        encode(&Event { time: None, body }, &mut before)?;
        let gap = memmem::find(&before, BEFORE_GAP).ok_or(io::ErrorKind::InvalidData)?;
        let after = before.split_off(gap + BEFORE_GAP.len());
        Ok(Self { before, after })
    }

    /// Appends the event with this text to `out`, as one line with its line feed, if the text is printable ASCII that
    /// needs no escape; tells whether it is. Most lines are, and this takes one look at them in place of two.
    #[must_use]
    pub fn append_plain(&self, text: &[u8], out: &mut Vec<u8>) -> bool {
        let is_odd = |byte: u8| !(b' '..=b'~').contains(&byte) || byte == b'"' || byte == b'\\';
        // Without a branch, so that the compiler makes a vector loop of it.
        let is_plain = !text.iter().fold(false, |found, byte| found | is_odd(*byte));
        if is_plain {
            out.reserve(self.before.len() + text.len() + self.after.len());
            out.extend_from_slice(&self.before);
            out.extend_from_slice(text);
            out.extend_from_slice(&self.after);
        }
        is_plain
    }

    /// Appends the event with this text to `out`, as one line with its line feed.
    pub fn append(&self, text: &str, out: &mut Vec<u8>) {
        let json = escape_line_separators(serde_json::Value::from(text).to_string());
        out.extend_from_slice(&self.before);
        out.extend_from_slice(json.get(1..json.len() - 1).unwrap_or_default().as_bytes());
        out.extend_from_slice(&self.after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ndjson::{Parsed, parse};
    use crate::report::Tally;

    fn written(description: &str, text: &str) -> String {
        let mut out = Vec::new();
        MonitorTemplate::new(description, "b1", Note::Usual).unwrap().append(text, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_text_and_description_is_read_back_as_it_was() {
        let controls: String = (1..0x20).map(char::from).collect();
        for text in
            ["", "plain", "\"\\", "\u{85}\u{2028}\u{2029}", "é € 😀 \u{a0}", "\",\"event\":\"", "a\tb\nc", &controls]
        {
            for line in [written("d", text), written(text, "x"), written(text, text)] {
                assert!(
                    !line.trim_end_matches('\n').contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']),
                    "{line}"
                );
                let Ok(Parsed::Event(event)) = parse(&line, &mut Tally::default()) else { panic!("{line}") };
                let Body::MonitorEvent { description, event, task_id, .. } = event.body else { panic!("{line}") };
                let event = event.unwrap();
                assert!([&*description, &*event].iter().all(|part| [text, "d", "x"].contains(part)), "{line}");
                assert_eq!(task_id.as_deref(), Some("b1"));
            }
        }
    }

    #[test]
    fn plain_text_is_written_as_any_other_and_odd_text_is_not_plain() {
        let template = MonitorTemplate::new("d", "b1", Note::Usual).unwrap();
        for byte in 0..=255 {
            let text = [b'a', byte];
            let (mut plain, mut any) = (Vec::new(), Vec::new());
            let is_plain = template.append_plain(&text, &mut plain);
            assert_eq!(is_plain, (b' '..=b'~').contains(&byte) && !b"\"\\".contains(&byte), "{byte}");
            template.append(&String::from_utf8_lossy(&text), &mut any);
            assert_eq!(plain, if is_plain { any } else { Vec::new() }, "{byte}");
        }
    }

    #[test]
    fn the_line_is_what_encoding_the_event_gives() {
        let mut line = Vec::new();
        let body = Body::MonitorEvent {
            description: "a \"b\"".into(),
            event: Some("c \"d\" \u{1}".into()),
            status: None,
            task_id: Some("b1".into()),
            note: Note::None,
        };
        encode(&Event { time: None, body }, &mut line).unwrap();
        let mut out = Vec::new();
        MonitorTemplate::new("a \"b\"", "b1", Note::None).unwrap().append("c \"d\" \u{1}", &mut out);
        assert_eq!(out, line);
    }
}

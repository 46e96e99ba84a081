//! The wire `irc`: lines as a server sends them, with or without tags. Knows no channel that is wanted.

use std::borrow::Cow;
use std::collections::HashSet;

use bstr::ByteSlice;

use super::irc_text;
use super::message::{Message, Names, Place, Reading, Traffic};
use crate::ndjson::{LineError, read_time};
use crate::report::Tally;

/// More batches than this are not open at once, so that memory stays bounded.
const BATCHES_REMEMBERED: usize = 1000;

/// The batch type of messages that a server repeats from its history.
const HISTORY: &[u8] = b"chathistory";

/// Tells whether a line is meant for this wire. A line of JSON never begins so.
#[must_use]
pub(super) fn is_meant(line: &[u8]) -> bool {
    let word = line.split(|byte| *byte == b' ').next().unwrap_or_default();
    line.starts_with(b":") || line.starts_with(b"@") || matches!(word, b"PING" | b"ERROR" | b"AUTHENTICATE")
}

/// What a connection says, line by line.
#[derive(Debug, Default)]
pub(super) struct Irc {
    /// The names of the open batches that are history, or inside of such.
    history: HashSet<Vec<u8>>,
}

impl Irc {
    /// Reads one line. All but the messages of others and of the agent is nothing, and so is history.
    ///
    /// # Errors
    /// When the line has not the form of the wire, or is a message that lacks a part.
    pub(super) fn read<'a>(&mut self, line: &'a [u8], tally: &mut Tally) -> Result<Reading<'a>, LineError> {
        let line = Line::parse(line).ok_or_else(|| error("not a line of IRC"))?;
        let batch = line.tag(b"batch");
        let is_history = batch.is_some_and(|batch| self.history.contains(batch));
        if line.is(b"BATCH") {
            self.batch(&line, is_history);
        }
        if !line.is(b"PRIVMSG") || is_history {
            return Ok(Reading::NOTHING);
        }
        let (Some(target), Some(text)) = (line.parameters.first(), line.parameters.get(1)) else {
            return Err(error("a message without a text"));
        };
        let sender = line.source.ok_or_else(|| error("a message without a sender"))?;
        let Some(text) = irc_text::plain(text) else { return Ok(Reading::NOTHING) };
        let nick = sender.split(|byte| *byte == b'!').next().unwrap_or_default();
        let time = line.text_tag(b"time");
        let message = Message {
            id: line.text_tag(b"msgid").filter(|id| !id.is_empty()),
            channel: Some(irc_text::decode(channel(target))),
            sender: irc_text::decode(nick),
            text,
            time: time.as_ref().and_then(|time| read_time(time, tally)),
            names: Names::Rfc1459,
        };
        let place = time.filter(|_| message.time.is_some()).map(Place::Time);
        Ok(Reading { traffic: Traffic::Message(message), place })
    }

    /// Follows the begin or the end of a batch.
    fn batch(&mut self, line: &Line<'_>, is_inside_history: bool) {
        let Some(name) = line.parameters.first() else { return };
        if let Some(name) = name.strip_prefix(b"-") {
            self.history.remove(name);
        } else if let Some(name) = name.strip_prefix(b"+")
            && (is_inside_history || line.parameters.get(1).is_some_and(|kind| *kind == HISTORY))
            && self.history.len() < BATCHES_REMEMBERED
        {
            self.history.insert(name.to_vec());
        }
    }
}

fn error(reason: &str) -> LineError {
    LineError { column: 1, reason: reason.to_owned() }
}

/// The channel of a message's target: one that only those with a rank see has the sign of the rank before it.
fn channel(target: &[u8]) -> &[u8] {
    match target {
        [b'~' | b'&' | b'@' | b'%' | b'+', channel @ ..] if channel.starts_with(b"#") => channel,
        _ => target,
    }
}

/// A line in its parts.
struct Line<'a> {
    tags: &'a [u8],
    source: Option<&'a [u8]>,
    command: &'a [u8],
    parameters: Vec<&'a [u8]>,
}

impl<'a> Line<'a> {
    fn parse(line: &'a [u8]) -> Option<Self> {
        let (tags, rest) = match line.strip_prefix(b"@") {
            Some(rest) => cut(rest),
            None => (&[][..], line),
        };
        let (source, rest) = match rest.strip_prefix(b":") {
            Some(rest) => {
                let (source, rest) = cut(rest);
                (Some(source), rest)
            }
            None => (None, rest),
        };
        let (command, mut rest) = cut(rest);
        let mut parameters = Vec::new();
        while !rest.is_empty() {
            if let Some(last) = rest.strip_prefix(b":") {
                parameters.push(last);
                break;
            }
            let (parameter, further) = cut(rest);
            parameters.push(parameter);
            rest = further;
        }
        is_command(command).then_some(Self { tags, source, command, parameters })
    }

    fn is(&self, command: &[u8]) -> bool {
        self.command.eq_ignore_ascii_case(command)
    }

    /// The value of a tag as it stands. Of a tag given twice the last counts.
    fn tag(&self, name: &[u8]) -> Option<&'a [u8]> {
        self.tags.rsplit(|byte| *byte == b';').find_map(|tag| tag.strip_prefix(name)?.strip_prefix(b"="))
    }

    fn text_tag(&self, name: &[u8]) -> Option<Cow<'a, str>> {
        self.tag(name).map(unescape)
    }
}

/// Cuts at the first space; more than one counts as one.
fn cut(text: &[u8]) -> (&[u8], &[u8]) {
    let (first, rest) = text.split_once_str(" ").unwrap_or((text, b""));
    (first, rest.trim_start_with(|character| character == ' '))
}

/// Three digits, or letters. Servers write them large, and a line of another kind seldom has such a word there.
fn is_command(word: &[u8]) -> bool {
    let is_numeric = word.len() == 3 && word.iter().all(u8::is_ascii_digit);
    let is_name = !word.is_empty() && word.iter().all(u8::is_ascii_uppercase);
    is_numeric || is_name || word.eq_ignore_ascii_case(b"PRIVMSG")
}

/// Reads the escapes of a tag's value. A backslash at its end is nothing.
fn unescape(value: &[u8]) -> Cow<'_, str> {
    let value = value.to_str_lossy();
    if !value.contains('\\') {
        return value;
    }
    let mut text = String::new();
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        text.extend(match character {
            '\\' => match characters.next() {
                Some(':') => Some(';'),
                Some('s') => Some(' '),
                Some('r') => Some('\r'),
                Some('n') => Some('\n'),
                other => other,
            },
            other => Some(other),
        });
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Time;

    fn read<'a>(irc: &mut Irc, line: &'a [u8]) -> Reading<'a> {
        irc.read(line, &mut Tally::default()).unwrap()
    }

    /// Sender, channel and text of a line, if it is a message.
    fn message(line: &str) -> Option<(String, String, String)> {
        match read(&mut Irc::default(), line.as_bytes()).traffic {
            Traffic::Message(message) => {
                Some((message.sender.into_owned(), message.channel?.into_owned(), message.text.into_owned()))
            }
            _ => None,
        }
    }

    fn hi() -> (String, String, String) {
        ("bob".to_owned(), "#c".to_owned(), "hi".to_owned())
    }

    #[test]
    fn a_message_is_found_in_each_form_of_its_line() {
        for line in [
            ":bob!u@h PRIVMSG #c :hi",
            ":bob!u@h PRIVMSG #c hi",
            ":bob PRIVMSG #c :hi",
            "@a=b;c :bob!u@h  PRIVMSG  #c  :hi",
            ":bob!u@h PRIVMSG @#c :hi",
            ":bob!u@h privmsg #c :hi",
        ] {
            assert_eq!(message(line), Some(hi()), "{line}");
        }
    }

    #[test]
    fn what_is_no_message_is_nothing() {
        for line in [
            ":bob!u@h NOTICE #c :hi",
            ":bob!u@h JOIN #c",
            "PING :x",
            ":irc.example.org 001 me :Welcome",
            "@msgid=x :bob!u@h TAGMSG #c",
            ":bob!u@h PRIVMSG me :\u{1}VERSION\u{1}",
        ] {
            assert_eq!(message(line), None, "{line}");
        }
    }

    #[test]
    fn tags_give_the_id_and_the_time() {
        let line = br"@time=2026-10-19T16:40:51.620Z;msgid=a\sb\:\\\x\ :bob!u@h PRIVMSG #c :hi";
        let reading = read(&mut Irc::default(), line);
        assert_eq!(reading.place, Some(Place::Time("2026-10-19T16:40:51.620Z".into())));
        let Traffic::Message(message) = reading.traffic else { panic!("no message") };
        assert_eq!((message.id.as_deref(), message.time), (Some("a b;\\x"), Some(Time(1_792_428_051_620))));
    }

    #[test]
    fn history_is_nothing_and_so_are_batches_inside_of_it() {
        let mut irc = Irc::default();
        for (line, is_message) in [
            (&b":s BATCH +1 chathistory #c"[..], false),
            (b"@batch=1 :bob PRIVMSG #c :old", false),
            (b"@batch=1 :s BATCH +2 draft/multiline #c", false),
            (b"@batch=2 :bob PRIVMSG #c :old", false),
            (b":bob PRIVMSG #c :new", true),
            (b":s BATCH -2", false),
            (b":s BATCH -1", false),
            (b":s BATCH +1 netjoin", false),
            (b"@batch=1 :bob PRIVMSG #c :new", true),
        ] {
            let traffic = read(&mut irc, line).traffic;
            assert_eq!(matches!(traffic, Traffic::Message(_)), is_message, "{}", line.as_bstr());
        }
    }

    #[test]
    fn a_line_of_another_form_is_an_error() {
        for line in
            [":", "@", ":)", "@bob hi there", "error connecting to server", "", "PRIVMSG #c :hi", ":bob PRIVMSG #c"]
        {
            assert!(Irc::default().read(line.as_bytes(), &mut Tally::default()).is_err(), "{line}");
        }
    }

    #[test]
    fn the_beginning_tells_the_wire() {
        for line in [":a", "@a", "PING x", "PING", "ERROR :x", "AUTHENTICATE +"] {
            assert!(is_meant(line.as_bytes()), "{line}");
        }
        for line in ["error connecting to server", "ERROR: x", "PINGED", "NOTICE x", "{}"] {
            assert!(!is_meant(line.as_bytes()), "{line}");
        }
    }
}

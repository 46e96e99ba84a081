//! The filter from channel traffic to events: what is accepted, what is the agent's own, what was there before.
//! Knows no session and no transcript.

mod irc;
mod irc_text;
mod jetstream;
mod message;
mod messages;
mod own;
mod seen;
mod wire;

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Read, Write};

use self::message::{Message, Names, Place, Reading, Traffic};
use self::seen::Seen;
use self::wire::Reader;
pub use self::wire::Wire;
use crate::event::{Body, Event, JsonText, Note, Time, is_visible};
use crate::lines::{Line, LineReader};
use crate::ndjson;
use crate::report::Tally;
use crate::shell;

/// More output than this does not wait for the end of a batch of lines, so that memory stays bounded.
const OUTPUT_LIMIT: usize = 256 * 1024;

/// A cursor or time that is longer is not one that a user could type.
const PLACE_LIMIT: usize = 200;

/// What the agent answers when it has nothing to say.
const NO_REPLY: &str = "NO_REPLY";

/// How to run the filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The form of the lines.
    pub wire: Wire,
    /// Who the agent is: its names on all wires.
    pub own_names: Vec<String>,
    /// The channels that are wanted; none is all.
    pub channels: Vec<String>,
    /// The collections of Jetstream that are wanted; none is all.
    pub collections: Vec<String>,
    /// From where the feed was read.
    pub cursor: String,
    /// What becomes of the agent's own messages.
    pub own_messages: OwnMessages,
    /// What stands before a text.
    pub sender: Sender,
    /// What the agent is told to do with a message.
    pub note: Note<'static>,
    /// The id of the channels as one watched source.
    pub task_id: String,
    /// The longest line, in bytes.
    pub max_line_bytes: usize,
}

/// What becomes of the agent's own messages in a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnMessages {
    /// They are what the agent says.
    Keep,
    /// Nothing, since the agent's own stream is merged in.
    Drop,
}

/// What stands before the text of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    /// Nothing.
    Hidden,
    /// The sender's name in angle brackets.
    Shown,
}

/// What a run came to.
#[derive(Debug)]
pub struct Outcome {
    /// How many lines were rejected.
    pub rejected: u64,
    /// The last cursor, in a feed that has cursors.
    pub last_cursor: Option<String>,
    /// The last time, in a feed that has times.
    pub last_time: Option<String>,
    /// Whether the reader of the output left.
    pub reader_left: bool,
    /// Why the input could not be read to its end.
    pub input_error: Option<io::Error>,
    /// Why the output could not be written; a reader that left is no error.
    pub output_error: Option<io::Error>,
}

/// The command that subscribes to the channels, as it would be typed.
#[must_use]
pub fn subscription(channels: &[String], cursor: &str) -> String {
    let mut command = String::from("atirc sub");
    for channel in channels {
        command.push_str(" -c ");
        command.push_str(&shell::quote(channel));
    }
    command.push_str(" --cursor ");
    command.push_str(&shell::quote(cursor));
    command
}

/// Turns a feed into events to its end, or until nobody reads them; `say` gets each message for the user.
///
/// Whatever is complete is written before a read that could wait.
pub fn run(input: impl Read, output: impl Write, options: &Options, say: &mut dyn FnMut(&dyn Display)) -> Outcome {
    let filter = Filter {
        reader: Reader::new(options.wire, &options.collections),
        description: subscription(&options.channels, &options.cursor),
        options,
        seen: Seen::default(),
        tally: Tally::default(),
        number: 0,
        rejected: 0,
        has_warned_of_did: false,
        has_warned_of_nick: false,
        wanted: 0,
        unwanted: 0,
        last_cursor: None,
        last_time: None,
        events: Vec::new(),
        say,
    };
    filter.run(LineReader::new(input, options.max_line_bytes), output)
}

struct Filter<'a> {
    reader: Reader<'a>,
    description: String,
    options: &'a Options,
    seen: Seen,
    tally: Tally,
    /// The number of the line at hand.
    number: u64,
    rejected: u64,
    /// Whether it was said that the agent has no DID.
    has_warned_of_did: bool,
    /// Whether it was said that the agent has no nick.
    has_warned_of_nick: bool,
    /// How many messages there were of wanted channels, and of others.
    wanted: u64,
    unwanted: u64,
    last_cursor: Option<String>,
    last_time: Option<String>,
    /// Events that are not written yet.
    events: Vec<u8>,
    say: &'a mut dyn FnMut(&dyn Display),
}

impl Filter<'_> {
    fn run(mut self, mut lines: LineReader<impl Read>, mut output: impl Write) -> Outcome {
        let mut input_error = None;
        let written = loop {
            if !lines.has_line() || self.events.len() > OUTPUT_LIMIT {
                let written = self.write(&mut output);
                if written.is_err() {
                    break written;
                }
            }
            match lines.next_line() {
                Ok(Some(line)) => self.take(&line),
                Ok(None) => break self.write(&mut output),
                // Nobody writes to an input: this is the end of whoever reads the output.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break Err(error),
                Err(error) => {
                    input_error = Some(error);
                    break self.write(&mut output);
                }
            }
        };
        let output_error = written.err();
        let reader_left = output_error.as_ref().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe);
        if !reader_left {
            for (oddity, count) in self.tally.repeated() {
                (self.say)(&format_args!("{oddity}: {count} times"));
            }
            if self.wanted == 0 && self.unwanted > 0 {
                (self.say)(&format_args!("no message of a wanted channel, and {} of others", self.unwanted));
            }
        }
        Outcome {
            rejected: self.rejected,
            last_cursor: self.last_cursor,
            last_time: self.last_time,
            reader_left,
            input_error,
            output_error: output_error.filter(|_| !reader_left),
        }
    }

    fn write(&mut self, output: &mut impl Write) -> io::Result<()> {
        let written = output.write_all(&self.events).and_then(|()| output.flush());
        self.events.clear();
        written
    }

    fn take(&mut self, line: &Line<'_>) {
        self.number += 1;
        match *line {
            Line::Whole(bytes) if bytes.trim_ascii().is_empty() => {}
            Line::Whole(bytes) => self.take_whole(bytes),
            Line::TooLong { .. } => {
                let limit = self.options.max_line_bytes;
                self.reject(&format_args!("column {}: longer than {limit} bytes", limit.saturating_add(1)));
            }
        }
        for oddity in self.tally.take_fresh() {
            (self.say)(&format_args!("line {}: {oddity}", self.number));
        }
    }

    fn take_whole(&mut self, bytes: &[u8]) {
        let text;
        let reading = if self.reader.is_json(bytes) {
            text = ndjson::decode_utf8(bytes, &mut self.tally);
            self.reader.read_json(&text, &mut self.tally)
        } else {
            self.reader.read_bytes(bytes, &mut self.tally)
        };
        match reading {
            Ok(reading) => self.take_reading(reading, bytes),
            Err(error) => self.reject(&error),
        }
    }

    fn take_reading(&mut self, reading: Reading<'_>, line: &[u8]) {
        if let Some(place) = &reading.place {
            self.remember(place);
        }
        match reading.traffic {
            Traffic::Message(message) => self.take_message(&message),
            Traffic::Speech(text) => self.add_own(&text, None),
            Traffic::Event => {
                self.events.extend_from_slice(line);
                self.events.push(b'\n');
            }
            Traffic::Nothing => {}
        }
    }

    fn take_message(&mut self, message: &Message<'_>) {
        if !self.is_accepted(message) {
            return;
        }
        self.warn_of_names(message);
        let is_own = message.names.are_among(&message.sender, &self.options.own_names);
        match self.options.own_messages {
            OwnMessages::Drop if is_own => {}
            _ if is_own => self.add_own(&message.text, message.time),
            _ => self.add_event(message),
        }
    }

    /// Tells whether a message is of a wanted channel, has something to see in it, and was not there before.
    fn is_accepted(&mut self, message: &Message<'_>) -> bool {
        let channel = message.channel.as_deref();
        let wanted = &self.options.channels;
        let is_wanted = wanted.is_empty() || channel.is_some_and(|channel| message.names.are_among(channel, wanted));
        *(if is_wanted { &mut self.wanted } else { &mut self.unwanted }) += 1;
        if !is_wanted || !message.text.chars().any(is_visible) {
            return false;
        }
        // Some networks count the messages of each channel by itself.
        let channel = channel.map(|channel| message.names.fold(channel));
        message.id.as_ref().is_none_or(|id| self.seen.is_new(&(channel, id)))
    }

    /// What the agent said. A missing answer is none.
    fn add_own(&mut self, text: &str, time: Option<Time>) {
        if text != NO_REPLY && text.chars().any(is_visible) {
            self.add(&Event { time, body: Body::Assistant { text: JsonText::new(text), model: None } });
        }
    }

    fn add_event(&mut self, message: &Message<'_>) {
        let text = match self.options.sender {
            Sender::Hidden => Cow::Borrowed(&*message.text),
            Sender::Shown => Cow::Owned(format!("<{}> {}", framed(&message.sender), message.text)),
        };
        let body = Body::MonitorEvent {
            description: Cow::Owned(self.description.clone()),
            event: Some(text),
            status: None,
            task_id: Some(Cow::Owned(self.options.task_id.clone())),
            note: self.options.note.clone(),
        };
        self.add(&Event { time: message.time, body });
    }

    fn add(&mut self, event: &Event<'_>) {
        if let Err(error) = ndjson::encode(event, &mut self.events) {
            self.reject(&error);
        }
    }

    fn reject(&mut self, reason: &dyn Display) {
        self.rejected += 1;
        (self.say)(&format_args!("line {}: {reason}", self.number));
    }

    /// With a name of the wrong kind the agent would hear itself, and nobody would know why. On our own wire the
    /// senders may be of both kinds.
    fn warn_of_names(&mut self, message: &Message<'_>) {
        let is_did = |name: &str| name.starts_with("did:");
        let names = &self.options.own_names;
        let has_did = names.iter().any(|name| is_did(name));
        let has_other = names.iter().any(|name| !is_did(name));
        let (has_warned, problem) = if is_did(&message.sender) && has_other && !has_did {
            (&mut self.has_warned_of_did, "the sender is named by a DID, and no --self is one")
        } else if message.names == Names::Rfc1459 && has_did && !has_other {
            (&mut self.has_warned_of_nick, "the sender is named by a nick, and each --self is a DID")
        } else {
            return;
        };
        if !*has_warned {
            *has_warned = true;
            (self.say)(&format_args!("line {}: {problem}: own messages are not told from others", self.number));
        }
    }

    fn remember(&mut self, place: &Place<'_>) {
        let (word, last) = match place {
            Place::Cursor(word) => (word, &mut self.last_cursor),
            Place::Time(word) => (word, &mut self.last_time),
        };
        let can_be_typed =
            word.len() <= PLACE_LIMIT && word.chars().all(|character| character == ' ' || is_visible(character));
        if can_be_typed && !word.is_empty() {
            *last = Some(word.clone().into_owned());
        }
    }
}

/// A name that cannot be taken for the end of its frame, nor for another line.
fn framed(name: &str) -> String {
    let breaks = |character: char| character.is_control() || matches!(character, '<' | '>' | '\u{2028}' | '\u{2029}');
    name.chars().map(|character| if breaks(character) { '_' } else { character }).collect()
}

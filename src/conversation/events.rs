//! A transcript as events, in the order of its lines: the other way of what records it. Knows no program's words.

use std::borrow::Cow;
use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::fmt::{self, Display};
use std::hash::BuildHasher;
use std::io::{self, Read, Write};

use super::record::{Part, Record, Role};
use super::records::{Found, NO_TRANSCRIPT, Records};
use crate::event::{Body, Event, JsonText};
use crate::ndjson::{self, Token};
use crate::notification::{Notification, Summary};
use crate::report::{Oddity, Tally};

/// More output than this does not wait for the end of a batch of lines, so that memory stays bounded.
const OUTPUT_LIMIT: usize = 256 * 1024;

/// What a run came to.
#[derive(Debug, Default)]
pub struct Outcome {
    /// How many lines could not be read.
    pub broken: u64,
    /// Whether there are records, and none is one of a session.
    pub is_foreign: bool,
    /// Whether the reader of the output left.
    pub reader_left: bool,
    /// Why the input could not be read to its end.
    pub input_error: Option<io::Error>,
    /// Why the output could not be written; a reader that left is no error.
    pub output_error: Option<io::Error>,
}

/// What a transcript holds that is no event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    Queue,
    State,
    Injection,
    Notice,
    Reset,
    Side,
    Child,
    Synthetic,
    StandIn,
    Repeated,
    Reasoning,
    Other,
    Unknown,
}

impl Left {
    const ALL: [Self; 13] = [
        Self::Queue,
        Self::State,
        Self::Injection,
        Self::Notice,
        Self::Reset,
        Self::Side,
        Self::Child,
        Self::Synthetic,
        Self::StandIn,
        Self::Repeated,
        Self::Reasoning,
        Self::Other,
        Self::Unknown,
    ];
}

impl Display for Left {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Queue => "entries of the queue",
            Self::State => "titles and other state",
            Self::Injection => "context that the program added",
            Self::Notice => "notices",
            Self::Reset => "compactions and their summaries",
            Self::Side => "records of side chains",
            Self::Child => "notifications of children",
            Self::Synthetic => "words of the program in the agent's place",
            Self::StandIn => "records that stand for no event",
            Self::Repeated => "repeated records",
            Self::Reasoning => "thoughts",
            Self::Other => "images and other blocks",
            Self::Unknown => "records of unknown kinds",
        })
    }
}

/// Writes the events of a transcript, to its end or until nobody reads them; `say` gets each message for the user.
///
/// Whatever is complete is written before a read that could wait.
pub fn run(input: impl Read, mut output: impl Write, say: &mut dyn FnMut(&dyn Display)) -> Outcome {
    let mut records = Records::new(input);
    let mut tally = Tally::default();
    let mut writer = Writer {
        events: Vec::new(),
        seen: HashSet::new(),
        hasher: RandomState::new(),
        left: [0; Left::ALL.len()],
        records: 0,
        is_session: false,
        broken: 0,
        say,
    };
    let mut input_error = None;
    let written = loop {
        if !records.has_line() || writer.events.len() > OUTPUT_LIMIT {
            let written = writer.write(&mut output);
            if written.is_err() {
                break written;
            }
        }
        match records.next(&mut tally, |number, found, tally| writer.take(number, found, tally)) {
            Ok(true) => {}
            Ok(false) => break writer.write(&mut output),
            // Nobody writes to an input: this is the end of whoever reads the output.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break Err(error),
            Err(error) => {
                input_error = Some(error);
                break writer.write(&mut output);
            }
        }
    };
    let output_error = written.err();
    let reader_left = output_error.as_ref().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe);
    if !reader_left {
        writer.conclude(&tally);
    }
    let output_error = output_error.filter(|_| !reader_left);
    let is_foreign = writer.records > 0 && !writer.is_session && !reader_left;
    if is_foreign {
        (writer.say)(&NO_TRANSCRIPT);
    }
    Outcome { broken: writer.broken, is_foreign, reader_left, input_error, output_error }
}

struct Writer<'a> {
    /// Events that are not written yet.
    events: Vec<u8>,
    /// The ids of the records so far, by their hash. Of records with one id the first counts: a program that goes on
    /// with a transcript may copy older ones, and the copies can be worse.
    seen: HashSet<u64>,
    hasher: RandomState,
    left: [u64; Left::ALL.len()],
    records: u64,
    /// Whether a record has an id, names a session, or is an event.
    is_session: bool,
    broken: u64,
    say: &'a mut dyn FnMut(&dyn Display),
}

impl Writer<'_> {
    fn write(&mut self, output: &mut impl Write) -> io::Result<()> {
        let written = output.write_all(&self.events).and_then(|()| output.flush());
        self.events.clear();
        written
    }

    fn take(&mut self, number: u64, found: Found<'_>, tally: &mut Tally) {
        match found {
            Found::Record { record, .. } => self.take_record(record, tally),
            Found::Broken(error) => {
                self.broken += 1;
                (self.say)(&format_args!("line {number}: {error}"));
            }
            Found::Torn(error) => (self.say)(&format_args!("line {number}: torn last line, left out: {error}")),
        }
        for oddity in tally.take_fresh() {
            (self.say)(&format_args!("line {number}: {oddity}"));
        }
    }

    fn take_record(&mut self, record: &Record<'_>, tally: &mut Tally) {
        self.records += 1;
        self.is_session |= record.id.is_some() || record.session.is_some();
        if let Some(id) = &record.id
            && !self.seen.insert(self.hasher.hash_one(&**id))
        {
            return self.leave(Left::Repeated);
        }
        if record.is_side {
            return self.leave(Left::Side);
        }
        match &record.role {
            Role::Input => self.input(record, tally),
            Role::Agent | Role::Results | Role::LooseResult => self.parts(record, tally),
            Role::Notification(notification) => self.emit(record, monitor_event(notification)),
            Role::ChildNotification(_) => self.leave(Left::Child),
            Role::Synthetic => self.leave(Left::Synthetic),
            Role::Injection => self.leave(Left::Injection),
            Role::Reset | Role::ResetSummary => self.leave(Left::Reset),
            Role::Error | Role::TurnDuration | Role::Command | Role::Notice => self.leave(Left::Notice),
            Role::Queue => self.leave(Left::Queue),
            Role::State => self.leave(Left::State),
            Role::StandIn => self.leave(Left::StandIn),
            Role::Unknown => self.leave(Left::Unknown),
        }
    }

    /// A message stays one event, however many pieces it has.
    fn input(&mut self, record: &Record<'_>, tally: &mut Tally) {
        let mut texts = Vec::new();
        for part in &record.parts {
            match part {
                Part::Text(text) => texts.push(text.text(tally)),
                _ => self.leave(Left::Other),
            }
        }
        let text = match texts.len() {
            0 => return,
            1 => texts.swap_remove(0),
            _ => JsonText::new(&texts.iter().map(JsonText::decode).collect::<Vec<_>>().join("\n")),
        };
        self.emit_visible(record, text, tally, |text| Body::User { text });
    }

    fn parts(&mut self, record: &Record<'_>, tally: &mut Tally) {
        let is_agent = record.role == Role::Agent;
        for part in &record.parts {
            match *part {
                Part::Text(text) if is_agent => {
                    let model = model(record, tally);
                    self.emit_visible(record, text.text(tally), tally, |text| Body::Assistant { text, model });
                }
                Part::Call { id, name, input } if is_agent => {
                    let name = string(name).map_or(Cow::Borrowed(""), |name| name.string(tally));
                    let body = Body::ToolCall {
                        id: call_id(id),
                        name: ndjson::tool_name(name, tally),
                        arguments: ndjson::arguments(input, tally),
                        model: model(record, tally),
                    };
                    self.emit(record, body);
                }
                Part::Result { of, failed, content } => {
                    let content = ndjson::content(content, tally);
                    let is_error = failed.unwrap_or_default();
                    self.emit(record, Body::ToolResult { id: call_id(of), content, is_error });
                }
                Part::Reasoning(_) => self.leave(Left::Reasoning),
                // Beside results a text is what the program tells the model of them.
                Part::Text(_) => self.leave(Left::Injection),
                Part::Call { .. } | Part::Other => self.leave(Left::Other),
            }
        }
    }

    fn emit_visible<'a>(
        &mut self,
        record: &Record<'_>,
        text: JsonText<'a>,
        tally: &mut Tally,
        body: impl FnOnce(JsonText<'a>) -> Body<'a>,
    ) {
        if text.is_visible() {
            self.emit(record, body(text));
        } else {
            tally.count(Oddity::BlankText);
        }
    }

    fn emit(&mut self, record: &Record<'_>, body: Body<'_>) {
        self.is_session = true;
        if let Err(error) = ndjson::encode(&Event { time: record.time, body }, &mut self.events) {
            self.broken += 1;
            (self.say)(&format_args!("an event cannot be written: {error}"));
        }
    }

    fn leave(&mut self, what: Left) {
        if let Some(count) = self.left.get_mut(what as usize) {
            *count += 1;
        }
    }

    /// Says at the end what was mended often, and what the transcript holds besides events.
    fn conclude(&mut self, tally: &Tally) {
        for (oddity, count) in tally.repeated() {
            (self.say)(&format_args!("{oddity}: {count} times"));
        }
        let counts = Left::ALL.into_iter().zip(self.left).filter(|(_, count)| *count > 0);
        let list: Vec<_> = counts.map(|(left, count)| format!("{left}: {count}")).collect();
        if !list.is_empty() {
            (self.say)(&format_args!("left out: {}", list.join(", ")));
        }
    }
}

fn string(token: Option<Token<'_>>) -> Option<Token<'_>> {
    token.filter(|token| token.is_string())
}

fn call_id(id: Option<Token<'_>>) -> Option<Cow<'_, str>> {
    string(id).map(Token::id).filter(|id| !id.is_empty())
}

fn model<'a>(record: &Record<'a>, tally: &mut Tally) -> Option<JsonText<'a>> {
    record.model.map(|model| model.text(tally)).filter(JsonText::is_visible)
}

fn monitor_event<'a>(notification: &'a Notification<'_>) -> Body<'a> {
    let (Summary::Monitor(description) | Summary::Other(description)) = &notification.summary;
    let borrowed = |text: &'a Cow<'_, str>| Cow::Borrowed(&**text);
    let status = notification.status.as_ref().map(borrowed);
    // The event stream wants an event where nothing has ended; a notification of another program may have none.
    let event = notification.event.as_ref().map(borrowed);
    let event = if event.is_none() && status.is_none() { Some(borrowed(description)) } else { event };
    Body::MonitorEvent {
        description: borrowed(description),
        event,
        status,
        task_id: Some(borrowed(&notification.task_id)).filter(|id| !id.is_empty()),
        note: notification.note.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(transcript: &str) -> (String, Vec<String>) {
        let (mut output, mut messages) = (Vec::new(), Vec::new());
        run(transcript.as_bytes(), &mut output, &mut |message| messages.push(message.to_string()));
        (String::from_utf8(output).unwrap(), messages)
    }

    #[test]
    fn each_kind_stands_at_its_own_place() {
        for (place, left) in Left::ALL.into_iter().enumerate() {
            assert_eq!(left as usize, place);
        }
    }

    #[test]
    fn of_records_with_one_id_the_first_counts() {
        let line =
            |text: &str| format!("{{\"type\":\"user\",\"uuid\":\"u\",\"message\":{{\"content\":\"{text}\"}}}}\n");
        let (output, messages) = events(&(line("first") + &line("second")));
        assert_eq!(output, "{\"type\":\"user\",\"text\":\"first\"}\n");
        assert_eq!(messages, ["left out: repeated records: 1"]);
    }

    #[test]
    fn a_broken_line_is_told_unless_it_is_the_last() {
        let (output, messages) = events("nope\n{\"type\":\"user\",\"message\":{\"content\":\"a\"}}\n{\"type\":\"us");
        assert_eq!(output.lines().count(), 1);
        assert_eq!(messages.len(), 2);
        assert!(messages[0].starts_with("line 1: column 1: not a JSON object"), "{messages:?}");
        assert!(messages[1].starts_with("line 3: torn last line, left out: "), "{messages:?}");
    }
}

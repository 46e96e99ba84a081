//! A session: every event goes to each of its transcripts, and the failure of one is not that of another.

pub mod append_file;
pub mod calls;
pub mod clock;
pub mod context;
mod fan_out;
pub mod format;
pub mod harnesses;
pub mod notice;
pub mod stamp;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;

use serde::Serialize;
use uuid::Uuid;

use self::calls::Calls;
use self::clock::Clock;
use self::fan_out::FanOut;
pub use self::fan_out::SessionNotice;
use self::harnesses::SessionHarness;
use self::stamp::Stamp;
use crate::event::{Body, Event, MonitorEvent, Time, TranscriptEvent};
use crate::lines::encode_line;
use crate::report::Tally;
use crate::task_id;

/// Settles the ids and times of each event, and sends it to every transcript of the session.
pub struct SessionLogger {
    harnesses: FanOut,
    stamp: Box<dyn Stamp>,
    clock: Clock,
    calls: Calls,
    /// What tells the task ids of this session from those of others.
    task_seed: Uuid,
    events: u64,
    /// The time, read once for all events between two flushes.
    now: Option<Time>,
}

impl SessionLogger {
    /// Begins a session without a transcript.
    #[must_use]
    pub fn new(mut stamp: Box<dyn Stamp>) -> Self {
        Self {
            harnesses: FanOut::default(),
            clock: Clock::default(),
            calls: Calls::new(stamp.uuid()),
            task_seed: stamp.uuid(),
            stamp,
            events: 0,
            now: None,
        }
    }

    /// Adds a transcript, or the reason why it could not be opened, which becomes a notice.
    pub fn add(&mut self, format: &'static str, harness: io::Result<Box<dyn SessionHarness>>) {
        self.harnesses.add(format, harness);
    }

    /// Returns the session line, which says what transcripts there are, with its line feed.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn session_line(&self, agent_name: &str) -> io::Result<Vec<u8>> {
        let entries = self.harnesses.live().map(|harness| HarnessEntry {
            format: harness.format_name(),
            session_id: harness.session_id(),
            session_file: harness.session_file().to_str().unwrap_or_default(),
        });
        let harnesses: Vec<_> = entries.collect();
        let first = harnesses.first();
        let result = SessionResult {
            session_id: first.map(|harness| harness.session_id),
            session_file: first.map(|harness| harness.session_file),
            harness: first.map(|harness| harness.format),
            agent_name,
            harnesses: &harnesses,
        };
        let mut line = Vec::new();
        encode_line(&SessionLine { work_name: "session", result }, &mut line)?;
        Ok(line)
    }

    /// Records an event. A transcript that fails is dropped with a notice; the others get every event.
    pub fn record(&mut self, event: &Event<'_>, tally: &mut Tally) {
        self.events += 1;
        let now = *self.now.get_or_insert_with(|| self.stamp.now());
        let at = self.clock.time(event.time, now, tally);
        let mut send = |event: TranscriptEvent<'_>| self.harnesses.each(|harness| harness.write_event(at, &event));
        match &event.body {
            Body::User { text } => send(TranscriptEvent::User { text }),
            Body::Assistant { text, model } => send(TranscriptEvent::Assistant { text, model: model.as_ref() }),
            Body::ToolCall { id, name, arguments, model } => {
                let (number, id) = self.calls.call(id.as_deref(), tally);
                send(TranscriptEvent::ToolCall { number, id: &id, name, arguments, model: model.as_ref() });
            }
            Body::ToolResult { id, content, is_error } => {
                let (answers, id) = self.calls.result(id.as_deref(), tally);
                send(TranscriptEvent::ToolResult { answers, id: &id, content, is_error: *is_error });
            }
            Body::MonitorEvent { description, event, status, task_id, note } => {
                let given = task_id.is_none().then(|| task_of(self.task_seed, description));
                send(TranscriptEvent::MonitorEvent(MonitorEvent {
                    task_id: task_id.as_deref().or(given.as_deref()).unwrap_or_default(),
                    description,
                    event: event.as_deref(),
                    status: status.as_deref(),
                    note,
                }));
                send(TranscriptEvent::MonitorConsumed);
            }
        }
    }

    /// Hands everything recorded to the kernel; called before the program waits for input.
    pub fn flush(&mut self) {
        self.now = None;
        self.harnesses.each(|harness| harness.flush());
    }

    /// Ends all transcripts; returns what was recorded.
    #[must_use]
    pub fn finish(mut self) -> Summary {
        let now = self.stamp.now();
        let at = self.clock.time(None, now, &mut Tally::default());
        self.harnesses.each(|harness| harness.finish(at));
        self.harnesses.tell_losses(self.events);
        let recordings = self.harnesses.live().map(|harness| Recording {
            session_file: harness.session_file().display().to_string(),
            resume_command: harness.resume_command(),
        });
        Summary {
            events: self.events,
            recordings: recordings.collect(),
            has_lost: self.harnesses.has_dropped(),
            notices: self.harnesses.take_notices(),
        }
    }

    /// Takes what the user should be told since the last call.
    pub fn take_notices(&mut self) -> Vec<SessionNotice> {
        self.harnesses.take_notices()
    }
}

/// The id of a source that came without one: the same for each of its events, another in each session.
fn task_of(seed: Uuid, description: &str) -> String {
    let mut hasher = DefaultHasher::new();
    (seed.as_bytes(), description).hash(&mut hasher);
    task_id::from_number(hasher.finish())
}

#[derive(Serialize)]
struct SessionLine<'a> {
    work_name: &'static str,
    result: SessionResult<'a>,
}

#[derive(Serialize)]
struct SessionResult<'a> {
    session_id: Option<&'a str>,
    session_file: Option<&'a str>,
    harness: Option<&'a str>,
    agent_name: &'a str,
    harnesses: &'a [HarnessEntry<'a>],
}

#[derive(Serialize)]
struct HarnessEntry<'a> {
    format: &'a str,
    session_id: &'a str,
    session_file: &'a str,
}

/// What a session came to.
#[derive(Debug, PartialEq, Eq)]
pub struct Summary {
    /// How many events it had.
    pub events: u64,
    /// The transcripts that have them all.
    pub recordings: Vec<Recording>,
    /// Whether a transcript lacks some.
    pub has_lost: bool,
    /// What was not told yet.
    pub notices: Vec<SessionNotice>,
}

/// A whole transcript.
#[derive(Debug, PartialEq, Eq)]
pub struct Recording {
    /// Where it is.
    pub session_file: String,
    /// The shell command that resumes it.
    pub resume_command: String,
}

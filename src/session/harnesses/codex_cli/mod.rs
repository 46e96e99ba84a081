//! Turns events into the lines of a Codex transcript, in the order in which they came. Knows no input and no command line.
//!
//! The program hands its lines to the model one by one: nothing is merged, and a result may stand anywhere after its
//! call. So there is no turn to keep and no chain, only the calls that still have no result.

mod layout;
mod record;
mod templates;

use std::io;

use self::record::{Git, Session, Slot};
use self::templates::{Template, Templates};
use super::template::{NOTHING, Value, json_bool};
use super::transcript::{Program, Recorder, Transcript};
use super::{FAILED, NO_RESULT, OpenCalls, Options, title};
use crate::event::{Answers, Content, JsonText, TranscriptEvent};
use crate::lines::encode_line;
use crate::notification;
use crate::session::clock::Timestamp;
use crate::session::stamp::Stamp;

/// The program whose transcripts these are.
pub const PROGRAM: Program =
    Program { format: "codex-cli", home_folder: ".codex", root_variable: "CODEX_HOME", resume: "codex resume" };

/// The longest tool name that all providers of the program take, in characters.
const NAME_LIMIT: usize = 64;

/// A transcript that is being written.
pub struct Harness {
    transcript: Transcript,
    templates: Templates,
    title: Option<String>,
    has_begun: bool,
    open: OpenCalls,
}

impl Harness {
    /// Creates the transcript under a fresh id.
    ///
    /// # Errors
    /// When the file or its folder cannot be made.
    pub fn open(options: Options<'_>, mut stamp: Box<dyn Stamp>) -> io::Result<Self> {
        let Options { root, context, .. } = options;
        let now = stamp.now();
        let started = layout::local(now, context.utc_offset);
        let folder = layout::day_folder(root, started);
        let name = |id: &str| layout::file_name(started, id);
        let mut transcript = Transcript::create(&PROGRAM, &options, &mut *stamp, &folder, name)?;
        let id = transcript.session_id().to_owned();
        // The program itself names no branch when none is checked out.
        let branch = context.git_branch.as_deref().filter(|branch| *branch != "HEAD");
        let session = Session {
            id: &id,
            timestamp: &Timestamp::from(now),
            cwd: &context.cwd,
            originator: "asyncai",
            cli_version: env!("CARGO_PKG_VERSION"),
            git: branch.map(|branch| Git { branch }),
        };
        // It stands there from the start, so that the session can be resumed before it has an event.
        encode_line(&record::session_meta(session), transcript.buffer())?;
        Ok(Self {
            transcript,
            templates: Templates::new()?,
            title: context.title.as_deref().map(title::one_line),
            has_begun: false,
            open: OpenCalls::new(),
        })
    }

    /// Writes what the list of sessions shows, where no prompt does or the user chose it.
    fn begin(&mut self, at: &Timestamp, event: &TranscriptEvent<'_>) -> io::Result<()> {
        if std::mem::replace(&mut self.has_begun, true) {
            return Ok(());
        }
        let Some(title) = self.title.take().or_else(|| title::of(event)) else { return Ok(()) };
        encode_line(&record::title(at, &title), self.transcript.buffer())
    }

    fn write<'v>(
        &mut self,
        kind: impl FnOnce(&Templates) -> &Template,
        at: &Timestamp,
        value: impl Fn(Slot) -> Value<'v>,
    ) {
        kind(&self.templates).fill(self.transcript.buffer(), |slot| match slot {
            Slot::Timestamp => Value::Json(at.as_json()),
            other => value(other),
        });
    }

    fn write_text(&mut self, kind: impl FnOnce(&Templates) -> &Template, at: &Timestamp, text: &JsonText<'_>) {
        self.write(kind, at, |_| Value::Json(text.as_json()));
    }

    fn write_call(&mut self, at: &Timestamp, id: &str, name: &str, arguments: &str) {
        let arguments = JsonText::new(arguments);
        self.write(
            |templates| &templates.call,
            at,
            |slot| match slot {
                Slot::CallId => Value::Plain(id),
                // All of it is ASCII.
                Slot::ToolName => Value::Plain(name.get(..NAME_LIMIT).unwrap_or(name)),
                Slot::Arguments => Value::Json(arguments.as_json()),
                _ => NOTHING,
            },
        );
    }

    fn write_output(&mut self, kind: impl FnOnce(&Templates) -> &Template, at: &Timestamp, id: &str, output: &str) {
        self.write(kind, at, |slot| match slot {
            Slot::CallId => Value::Plain(id),
            Slot::Content => Value::Json(output),
            _ => NOTHING,
        });
    }

    /// Writes a failed result: the format has no flag for it, so that its text tells.
    fn write_failure(&mut self, at: &Timestamp, id: &str, content: &Content<'_>) {
        let restated = content.after(FAILED);
        let (shown, whole) = (record::output_of(&restated), content.to_json());
        self.write(
            |templates| &templates.failed_output,
            at,
            |slot| match slot {
                Slot::CallId | Slot::WholeId => Value::Plain(id),
                Slot::Content => Value::Json(&shown),
                Slot::WholeContent => Value::Json(&whole),
                Slot::IsError => json_bool(true),
                _ => NOTHING,
            },
        );
    }

    /// Writes a result that answers no open call as a notification: the program drops such results, and second ones.
    fn write_loose_result(&mut self, at: &Timestamp, answers: Answers, id: &str, content: &Content<'_>, failed: bool) {
        let text = JsonText::new(&notification::loose_result(answers, id, content));
        let (id, whole) = (JsonText::new(id), content.to_json());
        self.write(
            |templates| &templates.loose_result,
            at,
            |slot| match slot {
                Slot::Content => Value::Json(text.as_json()),
                Slot::WholeId => Value::Json(id.as_json()),
                Slot::WholeContent => Value::Json(&whole),
                Slot::IsError => json_bool(failed),
                _ => NOTHING,
            },
        );
    }
}

impl Recorder for Harness {
    fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    fn transcript_mut(&mut self) -> &mut Transcript {
        &mut self.transcript
    }

    fn append(&mut self, at: &Timestamp, event: &TranscriptEvent<'_>) -> io::Result<()> {
        self.begin(at, event)?;
        match *event {
            TranscriptEvent::User { text } => {
                self.write_text(|templates| &templates.user_shown, at, text);
                self.write_text(|templates| &templates.user, at, text);
            }
            TranscriptEvent::Assistant { text, model: _ } => {
                self.write_text(|templates| &templates.assistant_shown, at, text);
                self.write_text(|templates| &templates.assistant, at, text);
            }
            TranscriptEvent::ToolCall { number, id, name, arguments, model: _ } => {
                self.open.insert(number, id.into());
                self.write_call(at, id, name, arguments.as_json());
            }
            TranscriptEvent::ToolResult { answers, id, content, is_error } => {
                let is_open = matches!(answers, Answers::Call(number) if self.open.remove(&number).is_some());
                if !is_open {
                    self.write_loose_result(at, answers, id, content, is_error);
                } else if is_error {
                    self.write_failure(at, id, content);
                } else {
                    self.write_output(|templates| &templates.output, at, id, &record::output_of(content));
                }
            }
            TranscriptEvent::MonitorEvent(ref monitor) => {
                let text = JsonText::new(&notification::monitor(monitor));
                self.write_text(|templates| &templates.notification, at, &text);
            }
            // The model gets the event where it stands.
            TranscriptEvent::MonitorConsumed => {}
        }
        Ok(())
    }

    fn follow(&mut self, _: (u64, u64)) -> io::Result<()> {
        // Lines do not name each other: what another program appended stands where it is, and so does ours.
        Ok(())
    }

    fn close(&mut self, at: &Timestamp) -> io::Result<()> {
        let open = std::mem::take(&mut self.open);
        self.transcript.tell_open(&open);
        // Without a result of ours the program would tell the model that the call was broken off.
        let no_result = JsonText::new(NO_RESULT);
        for id in open.values() {
            self.write_output(|templates| &templates.closing_output, at, id, no_result.as_json());
            self.transcript.flush_when_large()?;
        }
        Ok(())
    }
}

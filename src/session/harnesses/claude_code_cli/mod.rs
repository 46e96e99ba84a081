//! Turns events into the records of a Claude Code transcript. Knows no input and no command line.

mod chain;
mod foreign;
mod layout;
mod queue;
mod record;
mod record_id;
mod reminder;
mod templates;
mod turn;

use std::borrow::Cow;
use std::io;

use self::chain::{Chain, Foreign};
use self::queue::{LooseResult, Queued};
use self::record::{Prompted, Slot, Source, Title};
use self::record_id::RecordId;
use self::templates::{NOTHING, Template, Templates, Value, json_bool};
use self::turn::{Group, Prompt, Turn};
use super::transcript::{Program, Recorder, Transcript};
use super::{FAILED, NO_RESULT, OpenCalls, Options, title};
use crate::event::{Answers, Content, JsonText, TranscriptEvent};
use crate::lines::encode_line;
use crate::notification;
use crate::session::clock::Timestamp;
use crate::session::notice::Notice;
use crate::session::stamp::Stamp;

/// The program whose transcripts these are.
pub const PROGRAM: Program = Program {
    format: "claude-code-cli",
    home_folder: ".claude",
    root_variable: "CLAUDE_CONFIG_DIR",
    resume: "claude --resume",
};

/// The program's list of sessions reads only so much at each end of a file.
const LISTED_BYTES: u64 = 64 * 1024;

const OPENING: &str = "This recording has no opening prompt: it begins with the assistant.";

/// A transcript that is being written.
pub struct Harness {
    chain: Chain,
    turn: Turn,
    /// The model of records whose event names none.
    model: JsonText<'static>,
    title: Option<String>,
    has_begun: bool,
    /// The message of the agent that is open or was last.
    message: RecordId,
    /// The person's last prompt.
    prompt: Option<RecordId>,
    /// The monitor event that the agent was not shown yet.
    queued: Option<Queued<'static>>,
}

impl Harness {
    /// Creates the transcript under a fresh id.
    ///
    /// # Errors
    /// When the file or its folder cannot be made.
    pub fn open(options: Options<'_>, mut stamp: Box<dyn Stamp>) -> io::Result<Self> {
        let Options { root, context, .. } = options;
        let folder = layout::project_folder(root, &context.cwd);
        let transcript = Transcript::create(&PROGRAM, &options, &mut *stamp, &folder, layout::file_name)?;
        let id = transcript.session_id();
        let session = record::Session { id, cwd: &context.cwd, git_branch: context.git_branch.as_deref() };
        let templates = Templates::new(&session)?;
        Ok(Self {
            model: JsonText::new(&context.model),
            title: context.title.as_deref().map(title::one_line),
            message: stamp.uuid().into(),
            chain: Chain::new(transcript, templates, stamp),
            turn: Turn::default(),
            has_begun: false,
            prompt: None,
            queued: None,
        })
    }

    /// Writes what stands before the first event: a title where no prompt will give one, and an opening.
    fn begin(&mut self, at: &Timestamp, event: &TranscriptEvent<'_>) -> io::Result<()> {
        if std::mem::replace(&mut self.has_begun, true) {
            return Ok(());
        }
        if self.title.is_some() {
            self.write_title()?;
        } else if let Some(title) = title::of(event) {
            let session_id = &self.chain.transcript.session_id().to_owned();
            let record = Title::AiTitle { ai_title: &title, session_id, asyncai_synthetic: true };
            encode_line(&record, self.chain.transcript.buffer())?;
        }
        if matches!(event, TranscriptEvent::Assistant { .. } | TranscriptEvent::ToolCall { .. }) {
            let text = JsonText::new(OPENING);
            self.chain.write(|templates| &templates.opening, at, |_| Value::Json(text.as_json()));
        }
        Ok(())
    }

    fn write_title(&mut self) -> io::Result<()> {
        let Some(custom_title) = &self.title else { return Ok(()) };
        let session_id = &self.chain.transcript.session_id().to_owned();
        let record = Title::CustomTitle { custom_title, session_id, asyncai_synthetic: true };
        encode_line(&record, self.chain.transcript.buffer())
    }

    fn write(&mut self, at: &Timestamp, event: &TranscriptEvent<'_>) -> io::Result<()> {
        match *event {
            TranscriptEvent::User { text } => self.write_user(at, text),
            TranscriptEvent::Assistant { text, model } => {
                let (group, closed) = self.turn.assistant();
                self.close_calls(at, &closed)?;
                let stop_reason = if group == Group::New { "end_turn" } else { "tool_use" };
                self.write_message(
                    |templates| &templates.assistant,
                    at,
                    (group, model),
                    |slot| match slot {
                        Slot::Content => Value::Json(text.as_json()),
                        Slot::StopReason => Value::Plain(stop_reason),
                        _ => NOTHING,
                    },
                );
            }
            TranscriptEvent::ToolCall { number, id, name, arguments, model } => {
                let group = self.turn.call(number, id);
                self.write_message(
                    |templates| &templates.tool_use,
                    at,
                    (group, model),
                    |slot| match slot {
                        Slot::CallId => Value::Plain(id),
                        Slot::ToolName => Value::Plain(name),
                        Slot::Input => Value::Json(arguments.as_json()),
                        Slot::StopReason => Value::Plain("tool_use"),
                        _ => NOTHING,
                    },
                );
            }
            TranscriptEvent::ToolResult { answers, id, content, is_error } => {
                let is_open = matches!(answers, Answers::Call(number) if self.turn.result(number));
                if !is_open {
                    LooseResult { answers, id, content, is_error }.write(&mut self.chain, at);
                } else if is_error && content.has_image() {
                    self.write_failure_with_images(at, id, content);
                } else {
                    self.write_result(at, id, &content.to_json(), is_error);
                }
            }
            TranscriptEvent::MonitorEvent(ref monitor) => {
                let text = notification::monitor(monitor);
                self.queued = Some(Queued::notification(&mut self.chain, at, &text));
            }
            TranscriptEvent::MonitorConsumed => {
                if let Some(queued) = self.queued.take() {
                    queued.remove(&mut self.chain, at);
                }
            }
        }
        Ok(())
    }

    fn write_user(&mut self, at: &Timestamp, text: &JsonText<'_>) {
        match self.turn.user() {
            Prompt::Plain => {
                let prompt = self.chain.fresh_id();
                self.prompt = Some(prompt);
                self.chain.write(
                    |templates| &templates.user,
                    at,
                    |slot| match slot {
                        Slot::Content => Value::Json(text.as_json()),
                        Slot::PromptId => Value::Id(prompt.as_json()),
                        _ => NOTHING,
                    },
                );
            }
            Prompt::Queued => {
                let text = JsonText::from_encoded(Cow::Borrowed(text.as_json()));
                Queued::prompt(&mut self.chain, at, text).remove(&mut self.chain, at);
            }
        }
    }

    /// Writes a record of the agent's message.
    fn write_message<'v>(
        &mut self,
        kind: impl FnOnce(&Templates) -> &Template,
        at: &Timestamp,
        (group, model): (Group, Option<&'v JsonText<'_>>),
        value: impl Fn(Slot) -> Value<'v>,
    ) {
        if group == Group::New {
            self.message = self.chain.fresh_id();
        }
        let model = model.unwrap_or(&self.model);
        self.chain.write(kind, at, |slot| match slot {
            Slot::MessageId => Value::Id(self.message.as_json()),
            Slot::Model => Value::Json(model.as_json()),
            other => value(other),
        });
    }

    fn write_result(&mut self, at: &Timestamp, id: &str, content: &str, is_error: bool) {
        self.write_result_record(at, Source::Event, |slot| match slot {
            Slot::CallId => Value::Plain(id),
            Slot::Content => Value::Json(content),
            Slot::IsError => json_bool(is_error),
            _ => NOTHING,
        });
    }

    /// Writes a failed result with images as a good one that says so: an API takes nothing but text in a failed one,
    /// and refuses the whole conversation otherwise.
    fn write_failure_with_images(&mut self, at: &Timestamp, id: &str, content: &Content<'_>) {
        let restated = content.after(FAILED);
        let (whole, shown) = (content.to_json(), restated.to_json());
        self.write_result_record(at, Source::Restated, |slot| match slot {
            Slot::CallId => Value::Plain(id),
            Slot::Content => Value::Json(&shown),
            Slot::Input => Value::Json(&whole),
            Slot::IsError => json_bool(false),
            _ => NOTHING,
        });
    }

    fn write_result_record<'v>(&mut self, at: &Timestamp, source: Source, value: impl Fn(Slot) -> Value<'v>) {
        let prompted = if self.prompt.is_some() { Prompted::Yes } else { Prompted::No };
        self.chain.write(
            |templates| templates.tool_result(prompted, source),
            at,
            |slot| match slot {
                Slot::PromptId => self.prompt.as_ref().map_or(NOTHING, |id| Value::Id(id.as_json())),
                other => value(other),
            },
        );
    }

    /// Gives each of the calls a result that says there was none.
    fn close_calls(&mut self, at: &Timestamp, calls: &OpenCalls) -> io::Result<()> {
        for id in calls.values() {
            let no_result = JsonText::new(NO_RESULT);
            self.write_result_record(at, Source::Synthetic, |slot| match slot {
                Slot::CallId => Value::Plain(id),
                Slot::Content => Value::Json(no_result.as_json()),
                Slot::IsError => json_bool(true),
                _ => NOTHING,
            });
            self.chain.transcript.flush_when_large()?;
        }
        Ok(())
    }
}

impl Recorder for Harness {
    fn transcript(&self) -> &Transcript {
        &self.chain.transcript
    }

    fn transcript_mut(&mut self) -> &mut Transcript {
        &mut self.chain.transcript
    }

    fn append(&mut self, at: &Timestamp, event: &TranscriptEvent<'_>) -> io::Result<()> {
        self.begin(at, event)?;
        self.write(at, event)
    }

    fn follow(&mut self, foreign: (u64, u64)) -> io::Result<()> {
        if let Foreign::Branch { events_off } = self.chain.follow(foreign)? {
            // The other program answered the open calls itself; results of ours would be lost there.
            self.turn.end();
            if events_off > 0 {
                self.chain.transcript.notify(Notice::OffChain(events_off));
            }
        }
        Ok(())
    }

    fn close(&mut self, at: &Timestamp) -> io::Result<()> {
        let open = self.turn.end();
        self.chain.transcript.tell_open(&open);
        self.close_calls(at, &open)?;
        if self.chain.transcript.file().length() > LISTED_BYTES { self.write_title() } else { Ok(()) }
    }
}

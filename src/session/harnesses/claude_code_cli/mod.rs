//! Turns events into the records of a Claude Code transcript. Knows no input and no command line.

mod chain;
mod foreign;
mod layout;
mod queue;
mod record;
mod record_id;
mod reminder;
mod template;
mod title;
mod turn;

use std::borrow::Cow;
use std::io;
use std::path::Path;

use self::chain::{Chain, Foreign};
use self::queue::{LooseResult, Queued};
use self::record::{Prompted, Slot, Source, Title};
use self::record_id::RecordId;
use self::template::{NOTHING, Template, Templates, Value, json_bool};
use self::turn::{Group, OpenCalls, Prompt, Turn};
use super::SessionHarness;
use crate::event::{Answers, Content, JsonText, TranscriptEvent};
use crate::lines::encode_line;
use crate::notification;
use crate::session::append_file::{AppendFile, Flushed};
use crate::session::clock::Timestamp;
use crate::session::context::Context;
use crate::session::notice::Notice;
use crate::session::stamp::Stamp;
use crate::shell;

pub use self::layout::root;

/// The format's name.
pub const FORMAT_NAME: &str = "claude-code-cli";

/// More than this does not wait for the end of a batch, so that memory stays bounded.
const BUFFER_LIMIT: usize = 256 * 1024;

/// The program's list of sessions reads only so much at each end of a file.
const LISTED_BYTES: u64 = 64 * 1024;

const OPENING: &str = "This recording has no opening prompt: it begins with the assistant.";

/// What stands before the images of a failed result.
const FAILED: &str = "The tool call failed.";

const NO_RESULT: &str = "No result was recorded for this tool call.";

/// What a transcript is opened with.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// The folder that holds `projects`.
    pub root: &'a Path,
    /// Whether the program looks there without being told.
    pub is_default_root: bool,
    /// What the records say of their surroundings.
    pub context: &'a Context,
}

/// A transcript that is being written.
pub struct Harness {
    chain: Chain,
    turn: Turn,
    session_id: String,
    resume_command: String,
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
    notices: Vec<Notice>,
    has_warned: bool,
}

impl Harness {
    /// Creates the transcript under a fresh id.
    ///
    /// # Errors
    /// When the file or its folder cannot be made.
    pub fn open(options: Options<'_>, mut stamp: Box<dyn Stamp>) -> io::Result<Self> {
        let Options { root, is_default_root, context } = options;
        let mut session_id = String::new();
        let file = AppendFile::create(&layout::project_folder(root, &context.cwd), || {
            session_id = stamp.uuid().to_string();
            layout::file_name(&session_id)
        })?;
        let session = record::Session { id: &session_id, cwd: &context.cwd, git_branch: context.git_branch.as_deref() };
        let templates = Templates::new(&session)?;
        Ok(Self {
            resume_command: resume_command(&context.cwd, (!is_default_root).then_some(root), &session_id),
            model: JsonText::new(&context.model),
            title: context.title.as_deref().map(title::one_line),
            message: stamp.uuid().into(),
            chain: Chain::new(file, templates, stamp),
            turn: Turn::default(),
            session_id,
            has_begun: false,
            prompt: None,
            queued: None,
            notices: Vec::new(),
            has_warned: false,
        })
    }

    /// Writes what stands before the first event: a title where no prompt will give one, and an opening.
    fn begin(&mut self, at: &Timestamp, event: &TranscriptEvent<'_>) -> io::Result<()> {
        if std::mem::replace(&mut self.has_begun, true) {
            return Ok(());
        }
        if self.title.is_some() {
            self.write_title()?;
        } else if let Some(title) = title_of(event) {
            let ai_title = &title::of(&title);
            let record = Title::AiTitle { ai_title, session_id: &self.session_id, asyncai_synthetic: true };
            encode_line(&record, self.chain.file.buffer())?;
        }
        if matches!(event, TranscriptEvent::Assistant { .. } | TranscriptEvent::ToolCall { .. }) {
            let text = JsonText::new(OPENING);
            self.chain.write(|templates| &templates.opening, at, |_| Value::Json(text.as_json()));
        }
        Ok(())
    }

    fn write_title(&mut self) -> io::Result<()> {
        let Some(custom_title) = &self.title else { return Ok(()) };
        let record = Title::CustomTitle { custom_title, session_id: &self.session_id, asyncai_synthetic: true };
        encode_line(&record, self.chain.file.buffer())
    }

    fn write(&mut self, at: &Timestamp, event: &TranscriptEvent<'_>) -> io::Result<()> {
        match *event {
            TranscriptEvent::User { text } => self.write_user(at, text),
            TranscriptEvent::Assistant { text, model } => {
                let (group, closed) = self.turn.assistant();
                self.close(at, &closed)?;
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
                        Slot::PromptId => Value::Id(&prompt),
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
            Slot::MessageId => Value::Id(&self.message),
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
                Slot::PromptId => self.prompt.as_ref().map_or(NOTHING, Value::Id),
                other => value(other),
            },
        );
    }

    /// Gives each of the calls a result that says there was none.
    fn close(&mut self, at: &Timestamp, calls: &OpenCalls) -> io::Result<()> {
        for id in calls.values() {
            let no_result = JsonText::new(NO_RESULT);
            self.write_result_record(at, Source::Synthetic, |slot| match slot {
                Slot::CallId => Value::Plain(id),
                Slot::Content => Value::Json(no_result.as_json()),
                Slot::IsError => json_bool(true),
                _ => NOTHING,
            });
            self.flush_when_large()?;
        }
        Ok(())
    }

    fn flush_when_large(&mut self) -> io::Result<()> {
        if self.chain.file.unwritten() > BUFFER_LIMIT { self.flush() } else { Ok(()) }
    }

    /// Before the first record of a batch: goes on from what another program appended meanwhile.
    fn follow_foreign(&mut self) -> io::Result<()> {
        if self.chain.file.unwritten() > 0 {
            return Ok(());
        }
        let Some(foreign) = self.chain.follow_foreign()? else { return Ok(()) };
        if !std::mem::replace(&mut self.has_warned, true) {
            self.notices.push(Notice::ForeignAppend);
        }
        if let Foreign::Branch { events_off } = foreign {
            // The other program answered the open calls itself; results of ours would be lost there.
            self.turn.end();
            if events_off > 0 {
                self.notices.push(Notice::OffChain(events_off));
            }
        }
        Ok(())
    }
}

impl SessionHarness for Harness {
    fn format_name(&self) -> &'static str {
        FORMAT_NAME
    }

    fn session_id(&self) -> &str {
        &self.session_id
    }

    fn session_file(&self) -> &Path {
        self.chain.file.path()
    }

    fn resume_command(&self) -> String {
        self.resume_command.clone()
    }

    fn write_event(&mut self, at: &Timestamp, event: &TranscriptEvent<'_>) -> io::Result<()> {
        self.follow_foreign()?;
        self.begin(at, event)?;
        self.write(at, event)?;
        // A monitor event and its consumption are one event of the input, and go out in one write.
        if self.queued.is_none() {
            self.chain.file.end_event();
            self.flush_when_large()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.chain.file.flush()? {
            Flushed::Written | Flushed::StillHeld => {}
            Flushed::HeldNow => self.notices.push(Notice::DiskFull),
            Flushed::WrittenAgain => self.notices.push(Notice::DiskHasRoom),
        }
        Ok(())
    }

    fn finish(&mut self, at: &Timestamp) -> io::Result<()> {
        self.follow_foreign()?;
        let open = self.turn.end();
        if !open.is_empty() {
            self.notices.push(Notice::CallsWithoutResult(open.len() as u64));
        }
        self.close(at, &open)?;
        if self.chain.file.length() > LISTED_BYTES {
            self.write_title()?;
        }
        self.flush()?;
        if self.chain.file.unwritten() > 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn recorded_events(&self) -> u64 {
        self.chain.file.recorded_events()
    }

    fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }
}

/// What a recording that begins with this event is called in lists; nothing for a prompt, which names itself.
fn title_of<'a>(event: &'a TranscriptEvent<'_>) -> Option<Cow<'a, str>> {
    match *event {
        TranscriptEvent::User { .. } | TranscriptEvent::MonitorConsumed => None,
        TranscriptEvent::Assistant { text, .. } => Some(text.decode()),
        TranscriptEvent::ToolCall { name, .. } => Some(Cow::Borrowed(name)),
        TranscriptEvent::ToolResult { answers, id, .. } => Some(Cow::Owned(queue::summary(answers, id))),
        TranscriptEvent::MonitorEvent(monitor) => Some(Cow::Borrowed(monitor.description)),
    }
}

fn resume_command(cwd: &str, root: Option<&Path>, session_id: &str) -> String {
    let root = root.map(|root| format!("CLAUDE_CONFIG_DIR={} ", shell::quote(&root.to_string_lossy())));
    format!("cd {} && {}claude --resume {session_id}", shell::quote(cwd), root.unwrap_or_default())
}

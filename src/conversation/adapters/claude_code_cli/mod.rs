//! Reads the lines of Claude Code's transcripts. Knows no file, and not what records make together.

mod envelope;
pub(super) mod glossary;
pub(super) mod layout;
mod parts;
pub(super) mod told;

use self::envelope::{Envelope, is, is_true, string, word};
use self::parts::text;
use crate::conversation::record::{Part, Producer, Record, Role, Trigger};
use crate::ndjson::{LineError, Object, Token, read_time, walk};
use crate::notification::{self, Summary};
use crate::report::Tally;

/// What a command typed at the prompt, or what it printed, begins with where nothing else tells it from a message.
const COMMAND_WRAPPERS: [&str; 10] = [
    "<command-name>",
    "<command-message>",
    "<command-args>",
    "<local-command-caveat>",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<user-memory-input>",
];

/// The records that say something of the session and nothing of a point in it.
const STATE_TYPES: [&str; 25] = [
    "agent-color",
    "agent-name",
    "agent-setting",
    "ai-title",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "atis-latch",
    "attribution-snapshot",
    "bridge-session",
    "content-replacement",
    "context-collapse-snapshot",
    "cost-state",
    "custom-title",
    "file-history-snapshot",
    "last-prompt",
    "mode",
    "permission-mode",
    "pr-link",
    "progress",
    "summary",
    "tag",
    "task-summary",
    "tools-used",
    "worktree-state",
];

/// Reads one line.
pub(super) fn read(line: &str) -> Result<Record<'_>, LineError> {
    let mut envelope = Envelope::default();
    walk(line, &mut envelope)?;
    let kind = word(envelope.kind).unwrap_or_default();
    let whole = envelope.late_result();
    let parts = match (whole, &*kind) {
        (Some(whole), _) => vec![whole],
        (None, "assistant" | "user") => std::mem::take(&mut envelope.message.parts),
        (None, "attachment") => std::mem::take(&mut envelope.attachment.parts),
        // The program keeps copies of its requests, which hold messages too.
        (None, _) => Vec::new(),
    };
    let mut record = Record {
        id: word(envelope.uuid),
        parent: word(envelope.parent),
        producer: match &*kind {
            "assistant" => Producer::Agent,
            "user" => Producer::External,
            _ => Producer::Runtime,
        },
        is_side: is_true(envelope.is_side),
        time: word(envelope.timestamp).and_then(|time| read_time(&time, &mut Tally::default())),
        model: string(envelope.message.model),
        role: match &*kind {
            _ if is_true(envelope.is_stand_in) => Role::StandIn,
            "attachment" if whole.is_some() => Role::LooseResult,
            "assistant" if envelope.is_synthetic() => Role::Synthetic,
            "assistant" => Role::Agent,
            "user" => envelope.role_of_user(&parts),
            "attachment" => envelope.role_of_attachment(&parts),
            "system" => envelope.role_of_system(),
            "queue-operation" => Role::Queue,
            kind if STATE_TYPES.contains(&kind) => Role::State,
            _ => Role::Unknown,
        },
        parts,
        ..Record::default()
    };
    envelope.links(&mut record);
    if let Role::Notification(told) | Role::ChildNotification(told) = &record.role {
        record.tool = record.tool.or(told.call_id.clone());
        record.child = record.child.or_else(|| is_agent_id(&told.task_id).then(|| told.task_id.clone()));
    }
    if matches!(record.role, Role::Notification(_)) {
        record.child = None;
    }
    Ok(record)
}

/// Reads the document beside a child's transcript, which says where the child comes from.
pub(super) fn read_sidecar(line: &str) -> Result<Record<'_>, LineError> {
    let object = Object::read(line)?;
    Ok(Record {
        role: Role::State,
        child: word(object.value("agentId")),
        tool: word(object.value("toolUseId")),
        started_by: word(object.value("parentAgentId")),
        label: word(object.value("description")),
        ..Record::default()
    })
}

/// Reads a line of the journal of a group of children.
pub(super) fn read_journal(line: &str) -> Result<Record<'_>, LineError> {
    let object = Object::read(line)?;
    let is_child_result = object.has("result");
    Ok(Record { role: Role::State, child: word(object.value("agentId")), is_child_result, ..Record::default() })
}

/// Reads what is known of a group of children as a whole.
pub(super) fn read_manifest(line: &str) -> Result<Record<'_>, LineError> {
    let object = Object::read(line)?;
    let (batch, label) = (word(object.value("runId")), word(object.value("workflowName")));
    Ok(Record { role: Role::State, batch, label, ..Record::default() })
}

impl<'a> Envelope<'a> {
    /// What ties the record to others.
    fn links(&self, record: &mut Record<'a>) {
        let is_agent = record.producer == Producer::Agent;
        record.call = word(self.message.id).filter(|_| is_agent);
        record.run = word(self.prompt);
        record.trigger = match self.origin().as_deref() {
            Some("human") => Some(Trigger::External),
            Some("task-notification") => Some(Trigger::Notification),
            Some(_) => Some(Trigger::Unknown),
            None if self.is_headless(record) => Some(Trigger::External),
            None => None,
        };
        record.continues = word(self.logical_parent);
        record.session = word(self.session);
        record.label = word(self.custom_title).or_else(|| word(self.ai_title));
        record.is_finished = is_agent && string(self.message.stop_reason).is_some();
        // A result's own record may say it in a bare string, which tells nothing here.
        let beside = &self.beside;
        (record.tool, record.child, record.batch) = (word(beside.tool), word(beside.agent), word(beside.run));
        record.is_launch = is(beside.status, "async_launched");
        record.is_child_result = is(beside.status, "completed");
    }

    fn is_headless(&self, record: &Record<'a>) -> bool {
        record.producer == Producer::External && is(self.prompt_source, "sdk") && !is_true(self.is_meta)
    }

    fn is_from(&self, kind: &str) -> bool {
        self.origin().as_deref() == Some(kind)
    }

    /// The model's name alone is not enough: whoever records a transcript chooses it.
    fn is_synthetic(&self) -> bool {
        is_true(self.is_error_message) && is(self.message.model, "<synthetic>")
    }

    fn role_of_user(&self, parts: &[Part<'a>]) -> Role<'a> {
        if is_true(self.is_summary) {
            Role::ResetSummary
        } else if self.is_from("task-notification") {
            notification(parts)
        } else if parts.iter().any(|part| matches!(part, Part::Result { .. })) {
            Role::Results
        } else if !is_true(self.is_meta) && self.is_input(parts) {
            Role::Input
        } else {
            Role::Injection
        }
    }

    fn is_input(&self, parts: &[Part<'a>]) -> bool {
        let is_said_to_be =
            self.is_from("human") || ["typed", "sdk"].iter().any(|source| is(self.prompt_source, source));
        // A child's prompt comes from the agent that started it.
        let is_plain = self.origin().is_none() && !is_true(self.is_side) && string(self.message.content).is_some();
        is_said_to_be || (is_plain && !is_command(parts))
    }

    fn role_of_attachment(&self, parts: &[Part<'a>]) -> Role<'a> {
        let attachment = &self.attachment;
        if !is(attachment.kind, "queued_command") {
            Role::Injection
        } else if self.is_from("task-notification") || is(attachment.mode, "task-notification") {
            notification(parts)
        } else if is(attachment.mode, "prompt") && !is_true(self.is_meta) {
            Role::Input
        } else {
            Role::Injection
        }
    }

    fn role_of_system(&self) -> Role<'a> {
        match word(self.subtype).as_deref() {
            Some("compact_boundary") => Role::Reset,
            Some("api_error") => Role::Error,
            Some("turn_duration") => Role::TurnDuration,
            Some("local_command") => Role::Command,
            _ => Role::Notice,
        }
    }
}

fn is_command(parts: &[Part<'_>]) -> bool {
    let starts = |token: &Token<'_>| {
        let text = token.string(&mut Tally::default());
        COMMAND_WRAPPERS.iter().any(|wrapper| text.trim_start().starts_with(wrapper))
    };
    // Nearly every text begins with something else, and need not be decoded to see that.
    let is_tag = |token: &Token<'_>| token.json().trim_start_matches(['"', ' ']).starts_with(['<', '\\']);
    parts.iter().any(|part| matches!(part, Part::Text(token) if is_tag(token) && starts(token)))
}

fn notification<'a>(parts: &[Part<'a>]) -> Role<'a> {
    let text = text(parts);
    let read = notification::parse(&text);
    let is_child = !matches!(read.summary, Summary::Monitor(_)) && is_agent_id(&read.task_id);
    let own = Box::new(read.into_owned());
    if is_child { Role::ChildNotification(own) } else { Role::Notification(own) }
}

/// The form of the ids that the program gives to other agents, and to nothing else.
fn is_agent_id(id: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f');
    id.len() == 17 && id.starts_with('a') && id.bytes().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role(line: &str) -> Role<'_> {
        read(line).unwrap().role
    }

    #[test]
    fn input_is_what_is_said_to_be_or_a_plain_message_without_an_origin() {
        for line in [
            r#"{"type":"user","origin":{"kind":"human"},"message":{"content":[{"type":"text","text":"a"}]}}"#,
            r#"{"type":"user","promptSource":"sdk","message":{"content":[{"type":"text","text":"a"}]}}"#,
            r#"{"type":"user","message":{"content":"a <b>"}}"#,
            r#"{"type":"attachment","attachment":{"type":"queued_command","commandMode":"prompt","prompt":"a"}}"#,
        ] {
            assert_eq!(role(line), Role::Input, "{line}");
        }
        for line in [
            r#"{"type":"user","isMeta":true,"origin":{"kind":"human"},"message":{"content":"a"}}"#,
            r#"{"type":"user","origin":{"kind":"coordinator"},"message":{"content":"a"}}"#,
            r#"{"type":"user","message":{"content":"\n<command-name>/clear</command-name>"}}"#,
            r#"{"type":"user","message":{"content":[{"type":"text","text":"a"}]}}"#,
            r#"{"type":"attachment","attachment":{"type":"hook_output","content":"a"}}"#,
        ] {
            assert_eq!(role(line), Role::Injection, "{line}");
        }
    }

    #[test]
    fn a_notification_is_told_by_its_origin_and_never_by_its_text() {
        let text = "<task-notification>\\n<task-id>a0123456789abcdef</task-id>\\n</task-notification>";
        let said = format!(r#"{{"type":"user","message":{{"content":"{text}"}}}}"#);
        assert_eq!(role(&said), Role::Input);
        let told = said.replacen('{', r#"{"origin":{"kind":"task-notification"},"#, 1);
        assert!(matches!(role(&told), Role::ChildNotification(_)));
        let monitor = told.replace("</task-id>", "</task-id><summary>Monitor event: \\\"d\\\"</summary>");
        assert!(matches!(role(&monitor), Role::Notification(_)), "{monitor}");
    }

    #[test]
    fn the_model_alone_makes_no_synthetic_record() {
        let line = r#"{"type":"assistant","message":{"model":"<synthetic>","content":[]}}"#;
        assert_eq!(role(line), Role::Agent);
        assert_eq!(role(&line.replacen('{', r#"{"isApiErrorMessage":true,"#, 1)), Role::Synthetic);
    }

    #[test]
    fn a_result_beside_a_record_takes_the_place_of_its_content() {
        let line = r#"{"type":"attachment","attachment":{"type":"queued_command","prompt":"x"},"asyncaiToolResult":{"id":"t","content":"whole","is_error":true}}"#;
        let record = read(line).unwrap();
        assert_eq!(record.role, Role::LooseResult);
        let [Part::Result { of, failed, content }] = record.parts[..] else { panic!("{:?}", record.parts) };
        assert_eq!(of.unwrap().json(), "\"t\"");
        assert_eq!((failed, content.unwrap().json()), (Some(true), "\"whole\""));
    }

    #[test]
    fn of_a_key_that_is_repeated_the_last_value_counts() {
        let firsts = [
            r#"{"id":"m","model":"x","type":"queued_command","status":"completed","agentId":"c","kind":"human"}"#,
            r#"{"content":"a"}"#,
            r#"{"prompt":[{"type":"text","text":"a"}]}"#,
            r#"{"origin":{"kind":"human"}}"#,
        ];
        for key in ["message", "attachment", "toolUseResult", "asyncaiToolResult", "origin"] {
            for kind in ["user", "assistant", "attachment"] {
                for last in ["{}", "[]", "null", "\"\"", "[{\"content\":\"b\"}]"] {
                    let once = format!(r#"{{"type":"{kind}","{key}":{last}}}"#);
                    for first in firsts {
                        let twice = format!(r#"{{"type":"{kind}","{key}":{first},"{key}":{last}}}"#);
                        assert_eq!(format!("{:?}", read(&twice)), format!("{:?}", read(&once)), "{twice}");
                    }
                }
            }
        }
    }

    #[test]
    fn records_of_odd_shapes_are_data() {
        for line in [
            "{}",
            r#"{"type":7,"uuid":[],"message":"x"}"#,
            r#"{"type":"user","message":{"content":[1,null,{"type":[]}]}}"#,
            r#"{"type":"attachment","attachment":[]}"#,
            r#"{"type":"new-kind","uuid":"x"}"#,
        ] {
            assert!(read(line).is_ok(), "{line}");
        }
        assert!(read("[]").is_err());
    }
}

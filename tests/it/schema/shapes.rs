//! Every record shape of a Claude Code transcript, exactly: an unknown, missing or doubled key is an
//! error. Written from the format's description alone; shares nothing with the program.

#![expect(dead_code, reason = "reading a key is its check, even where no test looks at the value")]
#![expect(clippy::struct_field_names, reason = "the fields are named by the format")]

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// What all records of the chain have in common.
pub(crate) struct Link<'a> {
    pub(crate) parent: Option<&'a str>,
    pub(crate) uuid: &'a str,
    pub(crate) time: &'a str,
    pub(crate) session: &'a str,
    /// Fields that one process never changes.
    pub(crate) fixed: (&'a str, &'a str, Option<&'a str>),
}

macro_rules! literals {
    ($($name:ident = $text:literal;)*) => { $(
        #[derive(Debug, Deserialize)]
        pub(crate) enum $name {
            #[serde(rename = $text)]
            $name,
        }
    )* };
}

literals! {
    Absorbed = "absorbed_mid_turn";
    Cli = "cli";
    CommandPrompt = "prompt";
    CommandNotification = "task-notification";
    External = "external";
    Human = "human";
    Message = "message";
    QueuedCommand = "queued_command";
    RoleAssistant = "assistant";
    RoleSystem = "system";
    RoleUser = "user";
    SessionTask = "session-task";
    TextType = "text";
    ToolResultBlock = "tool_result";
    ToolUseType = "tool_use";
    TypeAiTitle = "ai-title";
    TypeAssistant = "assistant";
    TypeAttachment = "attachment";
    TypeCustomTitle = "custom-title";
    TypeEnqueue = "enqueue";
    TypeQueue = "queue-operation";
    TypeRemove = "remove";
    TypeUser = "user";
}

macro_rules! chain_records {
    ($($name:ident { $($(#[$meta:meta])* $field:ident: $type:ty,)* })*) => { $(
        #[derive(Debug, Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub(crate) struct $name {
            $($(#[$meta])* pub(crate) $field: $type,)*
            #[serde(deserialize_with = "Option::deserialize")]
            parent_uuid: Option<Uuid4>,
            #[serde(deserialize_with = "only_false")]
            is_sidechain: bool,
            uuid: Uuid4,
            timestamp: Millis,
            user_type: External,
            entrypoint: Cli,
            cwd: String,
            session_id: Uuid4,
            version: String,
            #[serde(deserialize_with = "Option::deserialize")]
            git_branch: Option<String>,
        }

        impl $name {
            pub(crate) fn link(&self) -> Link<'_> {
                Link {
                    parent: self.parent_uuid.as_ref().map(|uuid| uuid.0.as_str()),
                    uuid: &self.uuid.0,
                    time: &self.timestamp.0,
                    session: &self.session_id.0,
                    fixed: (&self.cwd, &self.version, self.git_branch.as_deref()),
                }
            }
        }
    )* };
}

chain_records! {
    Prompt {
        r#type: TypeUser,
        message: TextMessage,
        prompt_id: Uuid4,
        origin: HumanOrigin,
    }
    Preface {
        r#type: TypeUser,
        message: TextMessage,
        #[serde(deserialize_with = "only_true")]
        is_meta: bool,
        #[serde(deserialize_with = "only_true")]
        asyncai_synthetic: bool,
    }
    Assistant {
        r#type: TypeAssistant,
        message: AssistantMessage,
    }
    ToolResult {
        r#type: TypeUser,
        message: ResultMessage,
        prompt_id: Option<Uuid4>,
        #[serde(default, deserialize_with = "only_true")]
        asyncai_synthetic: bool,
        #[serde(default)]
        asyncai_tool_result: Option<LooseResult>,
    }
    QueuedPrompt {
        r#type: TypeAttachment,
        attachment: PromptAttachment,
        #[serde(rename = "session_id")]
        snake_session_id: Uuid4,
    }
    Notification {
        r#type: TypeAttachment,
        attachment: NotificationAttachment,
        rendered: [Rendered; 1],
        rendered_in_human_turn: [Rendered; 1],
        rendered_role: RoleSystem,
        #[serde(rename = "session_id")]
        snake_session_id: Uuid4,
        #[serde(default)]
        asyncai_tool_result: Option<LooseResult>,
    }
}

macro_rules! exact {
    ($($name:ident { $($(#[$meta:meta])* $field:ident: $type:ty,)* })*) => { $(
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name { $($(#[$meta])* pub(crate) $field: $type,)* }
    )* };
}

pub(crate) use exact;

exact! {
    TextMessage { role: RoleUser, content: String, }
    HumanOrigin { kind: Human, }
    AssistantMessage {
        id: Uuid4,
        r#type: Message,
        role: RoleAssistant,
        model: String,
        content: [AssistantBlock; 1],
        stop_reason: StopReason,
        stop_sequence: (),
        usage: Usage,
    }
    Usage { input_tokens: u64, output_tokens: u64, }
    ResultMessage { role: RoleUser, content: [ResultBlock; 1], }
    ResultBlock {
        r#type: ToolResultBlock,
        tool_use_id: String,
        content: Content,
        is_error: bool,
    }
    PromptAttachment {
        r#type: QueuedCommand,
        prompt: String,
        source_uuid: Uuid4,
        delivery_id: Uuid4,
        #[serde(rename = "commandMode")]
        command_mode: CommandPrompt,
        timestamp: Millis,
    }
    NotificationAttachment {
        r#type: QueuedCommand,
        prompt: String,
        source_uuid: Uuid4,
        delivery_id: Uuid4,
        #[serde(rename = "commandMode")]
        command_mode: CommandNotification,
        origin: TaskOrigin,
        timestamp: Millis,
    }
    TaskOrigin { kind: CommandNotification, producer: SessionTask, }
    Rendered {
        content: String,
        #[serde(rename = "renderedRole")]
        rendered_role: RoleSystem,
    }
    TextBlock { r#type: TextType, text: String, }
    ToolUseBlock { r#type: ToolUseType, id: String, name: String, input: Box<RawValue>, }
    LooseResult { id: String, content: Content, is_error: bool, }
    Enqueue {
        r#type: TypeQueue,
        operation: TypeEnqueue,
        timestamp: Millis,
        #[serde(rename = "sessionId")]
        session_id: Uuid4,
        content: String,
    }
    Remove {
        r#type: TypeQueue,
        operation: TypeRemove,
        timestamp: Millis,
        #[serde(rename = "sessionId")]
        session_id: Uuid4,
        content: String,
        reason: Absorbed,
        #[serde(rename = "commandUuid")]
        command_uuid: Uuid4,
        #[serde(rename = "deliveryId")]
        delivery_id: Uuid4,
    }
    AiTitle {
        r#type: TypeAiTitle,
        #[serde(rename = "aiTitle")]
        ai_title: String,
        #[serde(rename = "sessionId")]
        session_id: Uuid4,
        #[serde(rename = "asyncaiSynthetic", deserialize_with = "only_true")]
        synthetic: bool,
    }
    CustomTitle {
        r#type: TypeCustomTitle,
        #[serde(rename = "customTitle")]
        custom_title: String,
        #[serde(rename = "sessionId")]
        session_id: Uuid4,
        #[serde(rename = "asyncaiSynthetic", deserialize_with = "only_true")]
        synthetic: bool,
    }
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StopReason {
    EndTurn,
    ToolUse,
}

/// The one block of an assistant record. The input stays text: no type of ours holds `1e400`.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Box<RawValue>")]
pub(crate) enum AssistantBlock {
    Text { text: String },
    ToolUse { id: String, name: String, input: String },
}

impl TryFrom<Box<RawValue>> for AssistantBlock {
    type Error = serde_json::Error;

    fn try_from(json: Box<RawValue>) -> Result<Self, Self::Error> {
        if let Ok(TextBlock { text, .. }) = serde_json::from_str(json.get()) {
            return Ok(Self::Text { text });
        }
        let block: ToolUseBlock = serde_json::from_str(json.get())?;
        let input = block.input.get().to_owned();
        if !input.starts_with('{') {
            return Err(serde::de::Error::custom("an input that is no object"));
        }
        Ok(Self::ToolUse { id: block.id, name: block.name, input })
    }
}

/// What a tool answered: one string, or blocks.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(untagged)]
pub(crate) enum Content {
    Text(String),
    Blocks(Vec<ResultPart>),
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum ResultPart {
    Text { text: String },
    Image { source: ImageSource },
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum ImageSource {
    Base64 { media_type: String, data: String },
    Url { url: String },
}

/// A random uuid in its one canonical form.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Uuid4(pub(crate) String);

impl TryFrom<String> for Uuid4 {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match uuid::Uuid::try_parse(&text) {
            Ok(uuid)
                if uuid.get_version_num() == 4
                    && uuid.get_variant() == uuid::Variant::RFC4122
                    && uuid.to_string() == text =>
            {
                Ok(Self(text))
            }
            _ => Err(format!("no uuid of version 4: {text}")),
        }
    }
}

/// A time in UTC with exactly three decimals, so that the order of the text is that of the times.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Millis(pub(crate) String);

impl TryFrom<String> for Millis {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match chrono::NaiveDateTime::parse_from_str(&text, "%Y-%m-%dT%H:%M:%S%.3fZ") {
            Ok(time) if time.format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string() == text => Ok(Self(text)),
            _ => Err(format!("no time in UTC with milliseconds: {text}")),
        }
    }
}

pub(crate) fn only_true<'de, D: Deserializer<'de>>(value: D) -> Result<bool, D::Error> {
    only(true, value)
}

fn only_false<'de, D: Deserializer<'de>>(value: D) -> Result<bool, D::Error> {
    only(false, value)
}

fn only<'de, D: Deserializer<'de>>(wanted: bool, value: D) -> Result<bool, D::Error> {
    match bool::deserialize(value)? {
        found if found == wanted => Ok(found),
        _ => Err(serde::de::Error::custom(format!("must be {wanted}"))),
    }
}

//! A round of a Session Flow, `sf/1`: a conversation as lines of JSON, with a digest of them at the end. Knows no
//! program's words.
//!
//! The lines are one header, then nodes, relations and what is unresolved, each group sorted by id, then one commit.
//! The same input gives the same bytes; no clock is asked. Fields that are empty are left out.
//!
//! | frame | field | type | meaning |
//! | --- | --- | --- | --- |
//! | all | `t` | string | `header`, `node`, `relation`, `unresolved` or `commit` |
//! | `header` | `schema` | string | `sf/1` |
//! | | `conversation`, `session` | string | ids as supplied, not escaped |
//! | | `round` | integer | 1 |
//! | | `from_seq`, `through_seq` | integer | the first and the last source |
//! | | `input_digest` | string | SHA-256 over the digests of the sources |
//! | | `parser`, `policy` | string | whose reading this is |
//! | | `from_time`, `through_time` | string | the earliest and the latest time in the sources, UTC with milliseconds |
//! | | `session_from_time`, `session_through_time` | string | the same of the session so far |
//! | | `title` | string | what the session is called |
//! | | `talks`, `steps`, `streams`, `segments`, `unresolved` | integer | how many there are |
//! | | `llm_calls`, `subagents`, `bash_runs` | integer | calls of the model, streams of children, tools named `Bash` |
//! | `node` | `id` | string | made of its identity or place |
//! | | `revision` | integer | the round |
//! | | `kind` | string | what it is |
//! | | `parent` | id | the node that contains it |
//! | | `stream` | id | the node of its stream |
//! | | `ref` | place | where it stands, if that is one place |
//! | | `refs` | list of places | the same, if there are several |
//! | | `attrs` | object | sorted by key: strings, integers, booleans, places and lists of strings |
//! | `relation` | `id`, `revision` | | as of a node |
//! | | `type` | string | a verb |
//! | | `from`, `to` | id | its ends |
//! | | `quality` | string | `exact_unique` or `strong_inference` |
//! | | `via` | string | the kind of record that says so |
//! | | `evidence` | list of places | where it is said |
//! | `unresolved` | `id`, `revision` | | as of a node |
//! | | `kind` | string | what is missing |
//! | | `ref` | string | its id in the source, not escaped |
//! | | `reason` | string | a sentence for people |
//! | | `state` | string | `open` |
//! | `commit` | `digest` | string | SHA-256 of all lines before, with their line feeds |
//! | | `counts` | object | `nodes`, `relations`, `unresolved`: integers |
//!
//! A place is `{"seq":…,"row":…}`, and `"block"` where it is one part of a record: the source, the line in it (both
//! from 1), and the part (from 0). Digests are in lower-case hexadecimal.

pub(super) mod check;
mod frames;

use std::io::{self, Write};
use std::sync::Arc;

use serde::Serialize;

use super::digest::Digest;
use super::entity::{Conversation, NodeKind};
use super::workers::in_order;
use crate::lines::encode_line;

/// The form of the lines.
pub const SCHEMA: &str = "sf/1";

/// Whose reading of sources this is. Another program's ids may differ.
pub const PARSER: &str = "asyncai-sessionize/1";

/// With which rules.
pub const POLICY: &str = "asyncai-sessionize/1+idle=600s";

/// So many frames are written at once: some 300 KB.
const BATCH: usize = 1024;

/// What a round's header says besides counts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Head {
    /// The conversation's id.
    pub conversation: String,
    /// The session's id.
    pub session: String,
    /// The digests of the sources, in their order.
    pub digests: Vec<String>,
    /// The earliest and the latest time in them.
    pub times: Option<(String, String)>,
    /// What the session is called.
    pub title: Option<String>,
}

/// Writes a conversation as the first round.
///
/// # Errors
/// When the output cannot be written.
pub fn write(head: &Head, conversation: &Conversation, output: &mut impl Write) -> io::Result<()> {
    let mut round = Round { output, digest: Digest::default() };
    let mut line = Vec::new();
    encode_line(&header(head, conversation), &mut line)?;
    round.write(&Arc::new(line))?;
    let count = conversation.nodes.len() + conversation.relations.len() + conversation.unresolved.len();
    let mut batches = (0..count).step_by(BATCH).map(|start| start..count.min(start + BATCH));
    in_order(
        || Ok(batches.next()),
        |batch| frames::lines(conversation, &batch),
        |lines| round.write(&Arc::new(lines?)),
    )?;
    round.commit(conversation)
}

struct Round<'a, W> {
    output: &'a mut W,
    digest: Digest,
}

impl<W: Write> Round<'_, W> {
    fn write(&mut self, lines: &Arc<Vec<u8>>) -> io::Result<()> {
        self.digest.share(lines);
        self.output.write_all(lines)
    }

    fn commit(self, conversation: &Conversation) -> io::Result<()> {
        let counts = Counts {
            nodes: conversation.nodes.len(),
            relations: conversation.relations.len(),
            unresolved: conversation.unresolved.len(),
        };
        let digest = self.digest.finish();
        let mut line = Vec::new();
        encode_line(&Commit { t: "commit", digest, counts }, &mut line)?;
        self.output.write_all(&line)?;
        self.output.flush()
    }
}

/// The digest of a round's input: of the one before (none), and of each source, with a zero byte between them.
#[must_use]
pub fn input_digest(digests: &[String]) -> String {
    let mut all = Digest::default();
    for digest in digests {
        all.update(b"\0");
        all.update(digest.as_bytes());
    }
    all.finish()
}

#[derive(Serialize)]
struct Header<'a> {
    t: &'static str,
    schema: &'static str,
    conversation: &'a str,
    session: &'a str,
    round: u64,
    from_seq: u64,
    through_seq: usize,
    input_digest: String,
    parser: &'static str,
    policy: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_time: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    through_time: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_from_time: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_through_time: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    talks: usize,
    steps: usize,
    streams: usize,
    segments: usize,
    unresolved: usize,
    llm_calls: usize,
    subagents: usize,
    bash_runs: usize,
}

fn header<'a>(head: &'a Head, conversation: &Conversation) -> Header<'a> {
    let from = head.times.as_ref().map(|(from, _)| from.as_str());
    let through = head.times.as_ref().map(|(_, through)| through.as_str());
    let mut header = Header {
        t: "header",
        schema: SCHEMA,
        conversation: &head.conversation,
        session: &head.session,
        round: 1,
        from_seq: 1,
        through_seq: head.digests.len(),
        input_digest: input_digest(&head.digests),
        parser: PARSER,
        policy: POLICY,
        from_time: from,
        through_time: through,
        session_from_time: from,
        session_through_time: through,
        title: head.title.as_deref(),
        talks: 0,
        steps: 0,
        streams: 0,
        segments: 0,
        unresolved: conversation.unresolved.len(),
        llm_calls: 0,
        subagents: 0,
        bash_runs: 0,
    };
    conversation.nodes.unordered().for_each(|node| header.count(node.kind, conversation));
    header
}

impl Header<'_> {
    fn count(&mut self, kind: NodeKind, conversation: &Conversation) {
        self.steps += usize::from(kind.is_step());
        match kind {
            NodeKind::Talk { .. } => self.talks += 1,
            NodeKind::Stream { is_child, .. } => {
                self.streams += 1;
                self.subagents += usize::from(is_child);
            }
            NodeKind::Segment { .. } => self.segments += 1,
            NodeKind::ModelCall { .. } => self.llm_calls += 1,
            NodeKind::Tool { name, .. } => self.bash_runs += usize::from(conversation.text(name) == "Bash"),
            _ => {}
        }
    }
}

#[derive(Serialize)]
struct Counts {
    nodes: usize,
    relations: usize,
    unresolved: usize,
}

#[derive(Serialize)]
struct Commit {
    t: &'static str,
    digest: String,
    counts: Counts,
}

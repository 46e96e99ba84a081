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

use std::io::{self, Write};

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};

use super::entity::{Conversation, Node, Place, Relation, Unresolved, Value};
use super::index::hex;
use crate::lines::encode_line;

/// The form of the lines.
pub const SCHEMA: &str = "sf/1";

/// Whose reading of sources this is. Another program's ids may differ.
pub const PARSER: &str = "asyncai-sessionize/1";

/// With which rules.
pub const POLICY: &str = "asyncai-sessionize/1+idle=600s";

/// So much is written at once.
const BATCH: usize = 256 * 1024;

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
    let mut round = Round { output, hash: Sha256::new(), buffer: Vec::new() };
    round.line(&header(head, conversation))?;
    for node in &conversation.nodes {
        round.line(&NodeFrame(node))?;
    }
    for relation in &conversation.relations {
        round.line(&RelationFrame::of(relation))?;
    }
    for unresolved in &conversation.unresolved {
        round.line(&UnresolvedFrame::of(unresolved))?;
    }
    round.commit(conversation)
}

struct Round<'a, W> {
    output: &'a mut W,
    hash: Sha256,
    buffer: Vec<u8>,
}

impl<W: Write> Round<'_, W> {
    fn line(&mut self, frame: &impl Serialize) -> io::Result<()> {
        encode_line(frame, &mut self.buffer)?;
        if self.buffer.len() > BATCH { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.hash.update(&self.buffer);
        self.output.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    fn commit(mut self, conversation: &Conversation) -> io::Result<()> {
        self.flush()?;
        let counts = Counts {
            nodes: conversation.nodes.len(),
            relations: conversation.relations.len(),
            unresolved: conversation.unresolved.len(),
        };
        let digest = hex(&self.hash.finalize());
        encode_line(&Commit { t: "commit", digest, counts }, &mut self.buffer)?;
        self.output.write_all(&self.buffer)?;
        self.output.flush()
    }
}

/// The digest of a round's input: of the one before (none), and of each source, with a zero byte between them.
#[must_use]
pub fn input_digest(digests: &[String]) -> String {
    let mut hash = Sha256::new();
    for digest in digests {
        hash.update([0]);
        hash.update(digest);
    }
    hex(&hash.finalize())
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
    let count = |is_wanted: &dyn Fn(&Node) -> bool| conversation.nodes.iter().filter(|node| is_wanted(node)).count();
    let of_kind = |kind: &'static str| count(&|node| node.kind == kind);
    let has = |node: &Node, name: &str, text: &str| {
        node.attrs.iter().any(|(own, value)| {
            *own == name
                && match value {
                    Value::Word(word) => *word == text,
                    Value::Text(own) => own == text,
                    _ => false,
                }
        })
    };
    let from = head.times.as_ref().map(|(from, _)| from.as_str());
    let through = head.times.as_ref().map(|(_, through)| through.as_str());
    Header {
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
        talks: of_kind("talk"),
        steps: count(&|node| !matches!(node.kind, "segment" | "session" | "stream" | "epoch" | "talk" | "run")),
        streams: of_kind("stream"),
        segments: of_kind("segment"),
        unresolved: conversation.unresolved.len(),
        llm_calls: of_kind("llm.call"),
        subagents: count(&|node| node.kind == "stream" && has(node, "role", "child")),
        bash_runs: count(&|node| matches!(node.kind, "tool" | "agent.call") && has(node, "name", "Bash")),
    }
}

impl Serialize for Place {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("seq", &self.seq)?;
        map.serialize_entry("row", &self.row)?;
        if let Some(block) = self.block {
            map.serialize_entry("block", &block)?;
        }
        map.end()
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Word(word) => serializer.serialize_str(word),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Count(count) => serializer.serialize_u64(*count),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
            Self::Place(place) => place.serialize(serializer),
            Self::Words(words) => {
                let mut list = serializer.serialize_seq(Some(words.len()))?;
                for word in words {
                    list.serialize_element(word)?;
                }
                list.end()
            }
        }
    }
}

struct NodeFrame<'a>(&'a Node);

impl Serialize for NodeFrame<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(node) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("t", "node")?;
        map.serialize_entry("id", &node.id)?;
        map.serialize_entry("revision", &1)?;
        map.serialize_entry("kind", node.kind)?;
        if let Some(parent) = &node.parent {
            map.serialize_entry("parent", parent)?;
        }
        if let Some(stream) = &node.stream {
            map.serialize_entry("stream", stream)?;
        }
        match node.places.as_slice() {
            [] => {}
            [place] => map.serialize_entry("ref", place)?,
            places => map.serialize_entry("refs", places)?,
        }
        if !node.attrs.is_empty() {
            map.serialize_entry("attrs", &Attrs(&node.attrs))?;
        }
        map.end()
    }
}

struct Attrs<'a>(&'a [(&'static str, Value)]);

impl Serialize for Attrs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

#[derive(Serialize)]
struct RelationFrame<'a> {
    t: &'static str,
    id: &'a str,
    revision: u64,
    r#type: &'static str,
    from: &'a str,
    to: &'a str,
    quality: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<&'static str>,
    #[serde(skip_serializing_if = "<[Place]>::is_empty")]
    evidence: &'a [Place],
}

impl<'a> RelationFrame<'a> {
    fn of(relation: &'a Relation) -> Self {
        Self {
            t: "relation",
            id: &relation.id,
            revision: 1,
            r#type: relation.kind,
            from: &relation.from,
            to: &relation.to,
            quality: relation.quality.name(),
            via: relation.via,
            evidence: &relation.evidence,
        }
    }
}

#[derive(Serialize)]
struct UnresolvedFrame<'a> {
    t: &'static str,
    id: &'a str,
    revision: u64,
    kind: &'static str,
    r#ref: &'a str,
    reason: &'static str,
    state: &'static str,
}

impl<'a> UnresolvedFrame<'a> {
    fn of(unresolved: &'a Unresolved) -> Self {
        Self {
            t: "unresolved",
            id: &unresolved.id,
            revision: 1,
            kind: unresolved.kind,
            r#ref: &unresolved.missing,
            reason: unresolved.reason,
            state: "open",
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

//! What a conversation consists of, as plain data: nodes, relations between them, and what is missing. Knows no file.

/// Every kind of node.
pub const KINDS: [&str; 23] = [
    "session",
    "stream",
    "epoch",
    "talk",
    "run",
    "segment",
    "message.external",
    "message.assistant",
    "message.synthetic",
    "context.injection",
    "llm.call",
    "thinking",
    "tool",
    "agent.call",
    "agent.launch_ack",
    "agent.output",
    "runtime.notification",
    "epoch.boundary",
    "epoch.summary",
    "error.api",
    "control.command",
    "control.notice",
    "turn.duration",
];

/// Every kind of relation.
pub const RELATIONS: [&str; 7] = ["starts", "reports", "ends_with", "result_of", "follows", "summarizes", "in_segment"];

/// Everything that can be missing.
pub const UNRESOLVED: [&str; 7] =
    ["tool_result", "tool_use", "child_stream", "notified_child", "spawn_call", "spawn_of_child", "epoch_continuation"];

/// A place in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The source, from 1.
    pub seq: u32,
    /// Its line, from 1.
    pub row: u32,
    /// The part of that record, from 0.
    pub block: Option<u32>,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// One of a few words.
    Word(&'static str),
    /// A text of a source.
    Text(String),
    /// A number of things.
    Count(u64),
    /// Yes or no.
    Flag(bool),
    /// Where something stands.
    Place(Place),
    /// Several words.
    Words(Vec<&'static str>),
}

/// Something that the conversation has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its id, made of its identity or of its place.
    pub id: String,
    /// What it is.
    pub kind: &'static str,
    /// The id of the node that contains it.
    pub parent: Option<String>,
    /// The id of the stream that it is in.
    pub stream: Option<String>,
    /// Where it stands.
    pub places: Vec<Place>,
    /// What else is known of it, sorted by name.
    pub attrs: Vec<(&'static str, Value)>,
}

/// How sure a relation is, the surest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quality {
    /// By the structure around it, without an id.
    StrongInference,
    /// One candidate for an exact id.
    ExactUnique,
}

impl Quality {
    /// Its name in a round.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::StrongInference => "strong_inference",
            Self::ExactUnique => "exact_unique",
        }
    }
}

/// That two nodes have to do with each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// Its id, made of its ends.
    pub id: String,
    /// What it says, as a verb.
    pub kind: &'static str,
    /// The id of the node that does.
    pub from: String,
    /// The id of the node that it is done to.
    pub to: String,
    /// How sure it is.
    pub quality: Quality,
    /// What kind of record says so.
    pub via: Option<&'static str>,
    /// Where it is said.
    pub evidence: Vec<Place>,
}

/// Something that is spoken of and not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unresolved {
    /// Its id, made of what is missing.
    pub id: String,
    /// What is missing.
    pub kind: &'static str,
    /// The id of that in the source.
    pub missing: String,
    /// Why it is missed.
    pub reason: &'static str,
}

/// A conversation, each group sorted by id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conversation {
    /// What it has.
    pub nodes: Vec<Node>,
    /// How that belongs together.
    pub relations: Vec<Relation>,
    /// What is missing.
    pub unresolved: Vec<Unresolved>,
}

/// Makes an id of its kind and parts. Parts that come from a source, or are ids themselves, are escaped with
/// [`escape`]; empty ones are left out.
#[must_use]
pub fn id(kind: &str, parts: &[&str]) -> String {
    let mut id = kind.to_owned();
    for part in parts.iter().filter(|part| !part.is_empty()) {
        id.push('/');
        id.push_str(part);
    }
    id
}

/// Escapes a part of an id: `%`, `/` and `_`, once.
///
/// ```
/// use asyncai::conversation::entity::{escape, id};
///
/// // A call of a tool.
/// assert_eq!(id("tool", &[&escape("toolu_01/x")]), "tool/toolu%5F01%2Fx");
/// // A run of the main stream: the id of its talk is a part.
/// let talk = id("talk", &["main", &escape("p_1")]);
/// assert_eq!(id("run", &[&escape(&talk), &escape("p_1")]), "run/talk%2Fmain%2Fp%255F1/p%5F1");
/// // A segment: its words come from no source.
/// assert_eq!(id("segment", &["at_1_5"]), "segment/at_1_5");
/// ```
#[must_use]
pub fn escape(part: &str) -> String {
    let mut escaped = String::with_capacity(part.len() + 8);
    for character in part.chars() {
        match character {
            '%' => escaped.push_str("%25"),
            '/' => escaped.push_str("%2F"),
            '_' => escaped.push_str("%5F"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// What puts sessions together, without its space.
    fn assembly() -> String {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/conversation/assemble");
        let files = fs::read_dir(folder).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
        files.flat_map(|text| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
    }

    /// The words in quotes that follow one of the beginnings.
    fn after<'a>(code: &'a str, beginnings: &[&str]) -> Vec<&'a str> {
        let found = beginnings.iter().flat_map(|start| code.match_indices(start).map(|(at, _)| at + start.len()));
        found.filter_map(|at| code[at..].split('"').next()).collect()
    }

    #[test]
    fn every_name_that_the_assembly_gives_is_in_a_list_and_back() {
        let code = assembly();
        let words: Vec<&str> = code.split('"').collect();
        let mut kinds = after(&code, &["kind:\"", "kind=\""]);
        // The others are arguments, and have a point.
        let is_name =
            |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        kinds.extend(words.iter().filter(|word| word.split_once('.').is_some_and(|(a, b)| is_name(a) && is_name(b))));
        let lists: [(&[&str], Vec<&str>); 3] =
            [(&KINDS, kinds), (&RELATIONS, after(&code, &["relate(\""])), (&UNRESOLVED, after(&code, &["miss(\""]))];
        for (list, found) in lists {
            let unlisted: Vec<_> = found.iter().filter(|name| !list.contains(name)).collect();
            assert_eq!(unlisted, Vec::<&&str>::new());
            let unused: Vec<_> = list.iter().filter(|name| !words.contains(name)).collect();
            assert_eq!(unused, Vec::<&&str>::new());
        }
    }
}

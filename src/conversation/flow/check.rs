//! What is wrong with a round: every reason for which a reader must refuse it. Any producer's spelling is right.

use std::collections::HashSet;
use std::io::{self, Read};

use super::SCHEMA;
use crate::conversation::digest::Digest;
use crate::lines::{Line, LineReader};
use crate::ndjson::{Object, decode_utf8};
use crate::report::Tally;

/// The frames in the order in which they stand.
const ORDER: [&str; 5] = ["header", "node", "relation", "unresolved", "commit"];

/// Tells whether a file that begins so is a round, if only a part of one.
pub(in super::super) fn is_round(start: &[u8]) -> bool {
    let tokens: Vec<u8> = start.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).take(32).collect();
    let kind = tokens.strip_prefix(b"{\"t\":\"");
    kind.is_some_and(|kind| {
        ORDER.iter().any(|own| kind.strip_prefix(own.as_bytes()).is_some_and(|end| end.starts_with(b"\"")))
    })
}

/// Checks a round to its end; `tell` gets the line and what is wrong there.
pub(in super::super) fn check(source: impl Read, tell: &mut dyn FnMut(u64, &str)) -> io::Result<()> {
    let mut lines = LineReader::new(source, usize::MAX);
    let mut checker = Checker {
        tell,
        line: 0,
        digest: Digest::default(),
        frame: None,
        last_id: String::new(),
        ids: HashSet::new(),
        counts: [0; ORDER.len()],
        round: 0,
        through_seq: 0,
    };
    while let Some(line) = lines.next_line()? {
        let (Line::Whole(bytes) | Line::TooLong(bytes)) = line;
        checker.line += 1;
        checker.take(bytes);
    }
    if checker.frame != Some(4) {
        checker.error("the round has no commit");
    }
    Ok(())
}

struct Checker<'a> {
    tell: &'a mut dyn FnMut(u64, &str),
    line: u64,
    /// Of the lines so far.
    digest: Digest,
    /// The place in the order of the last frame.
    frame: Option<usize>,
    last_id: String,
    ids: HashSet<String>,
    counts: [u64; ORDER.len()],
    round: u64,
    through_seq: u64,
}

impl Checker<'_> {
    fn error(&mut self, what: &str) {
        (self.tell)(self.line, what);
    }

    fn take(&mut self, bytes: &[u8]) {
        if self.frame == Some(4) {
            return self.error("a line after the commit");
        }
        let text = decode_utf8(bytes, &mut Tally::default());
        let Ok(frame) = Object::read(&text) else { return self.error("no frame: not a JSON object") };
        let Some(place) = ORDER.iter().position(|kind| frame.is("t", kind)) else {
            return self.error("a frame of an unknown kind");
        };
        match (self.frame, place) {
            (None, 1..) => self.error("the first frame is no header"),
            (Some(_), 0) => self.error("another header"),
            (Some(last), _) if place < last => self.error("frames out of order"),
            _ => {}
        }
        if self.frame != Some(place) {
            self.last_id.clear();
        }
        self.frame = Some(place);
        match place {
            0 => self.header(&frame),
            4 => self.commit(&frame),
            _ => self.entity(&frame, place),
        }
        self.digest.update(bytes);
        self.digest.update(b"\n");
    }

    fn header(&mut self, frame: &Object<'_>) {
        if !frame.is("schema", SCHEMA) {
            self.error("the schema is not sf/1");
        }
        for name in ["conversation", "session", "parser", "policy", "input_digest"] {
            if string(frame, name).is_none_or(|value| value.is_empty()) {
                self.error(&format!("the header has no {name}"));
            }
        }
        self.round = number(frame, "round").unwrap_or_default();
        let from = number(frame, "from_seq").unwrap_or_default();
        self.through_seq = number(frame, "through_seq").unwrap_or_default();
        if self.round == 0 {
            self.error("the header has no round");
        } else if (self.round > 1) != frame.has("previous") {
            self.error("only a round after the first names the one before");
        }
        if from == 0 || self.through_seq + 1 < from {
            self.error("the sources from_seq to through_seq are no range");
        }
    }

    fn entity(&mut self, frame: &Object<'_>, place: usize) {
        if let Some(count) = self.counts.get_mut(place) {
            *count += 1;
        }
        let id = string(frame, "id").unwrap_or_default();
        if id.is_empty() {
            self.error("a frame without an id");
        } else if !self.ids.insert(id.clone()) {
            self.error("another frame has the same id");
        } else if id < self.last_id {
            self.error("ids out of order");
        }
        self.last_id = id;
        if number(frame, "revision") != Some(self.round) {
            self.error("the revision is not the round");
        }
        self.places(frame);
        if frame.is_true("tombstone") {
            return;
        }
        let has = |name: &str| string(frame, name).is_some_and(|value| !value.is_empty());
        if place == 2 && !["type", "from", "to"].into_iter().all(has) {
            self.error("a relation without type, from or to");
        }
        let states = ["open", "resolved", "terminal"];
        if place == 3 && !states.into_iter().any(|state| frame.is("state", state)) {
            self.error("unresolved in no known state");
        }
    }

    fn places(&mut self, frame: &Object<'_>) {
        let attrs = frame.object("attrs");
        let bodies = attrs.list("provider_bodies").into_iter().map(Object::of).map(|body| body.object("ref"));
        let lists = [frame.list("refs"), frame.list("evidence")].concat().into_iter().map(Object::of);
        let single = [frame.object("ref"), attrs.object("usage_at")].into_iter();
        let is_place = |object: &Object<'_>| !object.is_empty();
        for place in single.chain(bodies).filter(is_place).chain(lists) {
            let (seq, row) = (number(&place, "seq").unwrap_or_default(), number(&place, "row").unwrap_or_default());
            if (seq, row) == (0, 0) {
                self.error("a place that is none");
            } else if seq > self.through_seq {
                self.error("a place in no source of the round");
            }
        }
    }

    fn commit(&mut self, frame: &Object<'_>) {
        let digest = std::mem::take(&mut self.digest).finish();
        if !frame.is("digest", &digest) {
            self.error("the digest is not that of the lines");
        }
        let counts = frame.object("counts");
        let names = [(1, "nodes"), (2, "relations"), (3, "unresolved")];
        if names.into_iter().any(|(place, name)| number(&counts, name) != self.counts.get(place).copied()) {
            self.error("the counts are not those of the frames");
        }
    }
}

fn string(frame: &Object<'_>, name: &str) -> Option<String> {
    frame.value(name).filter(|value| value.is_string()).map(|value| value.string(&mut Tally::default()).into_owned())
}

fn number(frame: &Object<'_>, name: &str) -> Option<u64> {
    frame.value(name)?.json().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::entity::{Conversation, Node, NodeKind, Place, Quality, Relation, Sorted, Unresolved};
    use crate::conversation::flow::{Head, write};

    fn round() -> String {
        let mut conversation = Conversation::default();
        let nodes = ["tool/b", "tool/a"].map(|id| {
            let places = conversation.list(&[Place { seq: 1, row: 2, block: Some(0) }]);
            Node { id: conversation.texts.add(id), kind: NodeKind::External, parent: None, stream: None, places }
        });
        conversation.nodes = Sorted::new(nodes.to_vec(), vec![1, 0]);
        let [id, from, to] = ["rel/a", "tool/a", "tool/b"].map(|text| conversation.texts.add(text));
        let evidence = conversation.list(&[Place { seq: 1, row: 3, block: None }]);
        let quality = Quality::ExactUnique;
        conversation.relations.push(Relation { id, kind: "starts", from, to, quality, via: None, evidence });
        let [id, missing] = ["unres/x/y", "y"].map(|text| conversation.texts.add(text));
        conversation.unresolved.push(Unresolved { id, kind: "tool_use", missing, reason: "none" });
        let head = Head {
            conversation: "c".to_owned(),
            session: "s".to_owned(),
            digests: vec!["d".to_owned()],
            ..Head::default()
        };
        let mut bytes = Vec::new();
        write(&head, &conversation, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    fn errors(round: &str) -> Vec<String> {
        let mut errors = Vec::new();
        check(round.as_bytes(), &mut |line, what| errors.push(format!("{line}: {what}"))).unwrap();
        errors
    }

    /// The same round with a digest that fits what it says now.
    fn committed(round: &str) -> String {
        let (body, _) = round.trim_end().rsplit_once('\n').unwrap();
        let mut digest = Digest::default();
        digest.update(format!("{body}\n").as_bytes());
        let digest = digest.finish();
        let counts = r#"{"nodes":2,"relations":1,"unresolved":1}"#;
        format!("{body}\n{{\"t\":\"commit\",\"digest\":\"{digest}\",\"counts\":{counts}}}\n")
    }

    #[test]
    fn a_round_as_it_is_written_has_no_error() {
        assert_eq!(errors(&round()), [""; 0]);
        assert_eq!(round(), committed(&round()));
        assert!(is_round(round().as_bytes()) && is_round(b"{ \"t\": \"header\","));
        assert!(ORDER.iter().all(|kind| is_round(format!("{{\"t\":\"{kind}\",").as_bytes())));
        assert!(![&b"{\"type\":\"user\"}"[..], b"", b"{\"t\":\"nodes\"}"].into_iter().any(is_round));
    }

    #[test]
    fn each_reason_to_refuse_a_round_is_found() {
        let edits = [
            ("sf/1", "sf/2", "1: the schema is not sf/1"),
            ("\"session\":\"s\"", "\"session\":\"\"", "1: the header has no session"),
            ("\"round\":1", "\"round\":0", "1: the header has no round"),
            ("\"round\":1", "\"round\":1,\"previous\":\"x\"", "1: only a round after the first names the one before"),
            ("\"from_seq\":1", "\"from_seq\":0", "1: the sources from_seq to through_seq are no range"),
            ("tool/b", "tool/a", "3: another frame has the same id"),
            ("tool/a", "tool/c", "3: ids out of order"),
            ("\"id\":\"tool/a\"", "\"id\":\"\"", "2: a frame without an id"),
            ("\"revision\":1", "\"revision\":2", "2: the revision is not the round"),
            ("\"seq\":1", "\"seq\":2", "2: a place in no source of the round"),
            ("{\"t\":\"node\"", "{\"t\":\"knot\"", "2: a frame of an unknown kind"),
            ("\"state\":\"open\"", "\"state\":\"shut\"", "5: unresolved in no known state"),
            ("\"type\":\"starts\"", "\"type\":\"\"", "4: a relation without type, from or to"),
            ("\"from\":\"tool/a\",", "", "4: a relation without type, from or to"),
            ("\"row\":3", "\"row\":0,\"seq\":0", "4: a place that is none"),
            (
                "\"kind\":\"m",
                "\"attrs\":{\"usage_at\":{\"seq\":9}},\"kind\":\"m",
                "2: a place in no source of the round",
            ),
            (
                "\"kind\":\"m",
                "\"attrs\":{\"provider_bodies\":[{\"ref\":{\"seq\":9,\"row\":1}}]},\"kind\":\"m",
                "2: a place in no source of the round",
            ),
            ("{\"t\":\"node\"", "[{\"t\":\"node\"", "2: no frame: not a JSON object"),
            ("{\"t\":\"header\"", "{\"t\":\"node\"", "1: the first frame is no header"),
        ];
        for (from, to, what) in edits {
            let edited = committed(&round().replacen(from, to, 1));
            assert!(errors(&edited).iter().any(|error| error == what), "{what}: {:?}", errors(&edited));
        }
        let lines: Vec<String> = round().lines().map(|line| format!("{line}\n")).collect();
        let of = |places: &[usize]| places.iter().map(|place| lines[*place].as_str()).collect::<String>();
        assert_eq!(errors(&of(&[0, 1, 2, 3, 4])), ["5: the round has no commit"]);
        assert_eq!(errors(&(round() + "{}\n")), ["7: a line after the commit"]);
        assert_eq!(errors(&round().replacen("tool/a", "tool/A", 1)), ["6: the digest is not that of the lines"]);
        assert!(errors(&committed(&of(&[0, 4, 1, 2, 3, 5]))).contains(&"3: frames out of order".to_owned()));
        assert_eq!(errors(&committed(&of(&[0, 1, 3, 4, 5]))), ["5: the counts are not those of the frames"]);
        assert!(errors(&committed(&of(&[0, 0, 1, 2, 3, 4, 5]))).contains(&"2: another header".to_owned()));
    }

    #[test]
    fn what_is_withdrawn_needs_no_more_than_its_id() {
        let withdrawn = |round: &str, line: usize| {
            let mut lines: Vec<String> = round.lines().map(str::to_owned).collect();
            let frame: serde_json::Value = serde_json::from_str(&lines[line]).unwrap();
            let (kind, id) = (&frame["t"], &frame["id"]);
            lines[line] = format!("{{\"t\":{kind},\"id\":{id},\"revision\":1,\"tombstone\":true}}");
            committed(&(lines.join("\n") + "\n"))
        };
        for line in 1..5 {
            assert_eq!(errors(&withdrawn(&round(), line)), [""; 0], "{line}");
        }
    }
}

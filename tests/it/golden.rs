//! Golden cases: a folder each, with everything that one run takes and gives.
//!
//! `ASYNCAI_BLESS=1` writes what came out over what was expected; the review is the diff.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::Sandbox;

macro_rules! golden {
    ($($name:ident,)*) => {
        const CASES: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                check(stringify!($name));
            }
        )*
    };
}

golden! {
    a_day_of_work,
    blank_and_odd_values,
    calls_in_parallel,
    chained_and_rejected_lines,
    ill_formed_calls,
    in_both_formats,
    late_unknown_and_second_results,
    monitor_events,
    no_session,
    opened_by_a_call,
    opened_by_a_monitor_event_for_codex,
    titled,
}

const VERSION: &str = concat!("\"cli_version\":\"", env!("CARGO_PKG_VERSION"), "\"");

#[test]
fn every_folder_is_a_case() {
    let mut folders: Vec<String> =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    folders.sort();
    assert_eq!(folders, CASES);
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden")
}

fn check(name: &str) {
    let case = folder().join(name);
    let sandbox = Sandbox::new();
    let args = fs::read_to_string(case.join("args")).unwrap_or_default();
    let run = sandbox.run(&args.lines().collect::<Vec<_>>(), fs::read(case.join("events")).unwrap());
    let session = run.session();
    let has = |format: &str| session.harnesses.iter().any(|harness| harness.format == format);
    let transcript = has("claude-code-cli").then(|| run.transcript().text);
    let codex = has("codex-cli").then(|| run.codex_transcript().text);
    let mut names = Names::new(&sandbox);
    // Stdout first: the session's own id is the first that is named.
    let stdout = names.replace(std::str::from_utf8(&run.stdout).unwrap());
    let found = [
        ("stdout", Some(stdout)),
        ("stderr", Some(names.replace(&run.stderr))),
        ("transcript", transcript.map(|text| names.replace(&text))),
        ("codex", codex.map(|text| names.replace(&text).replace(VERSION, "\"cli_version\":\"<version>\""))),
        ("status", Some(format!("{}\n", run.code().unwrap()))),
    ];
    for (file, found) in found {
        compare(&case.join(file), found.as_deref());
    }
}

/// Holds a file against what was found, or writes it.
pub(crate) fn compare(path: &Path, found: Option<&str>) {
    if std::env::var_os("ASYNCAI_BLESS").is_some_and(|value| value == "1") {
        match found {
            Some(found) => fs::write(path, found).unwrap(),
            None => drop(fs::remove_file(path)),
        }
        return;
    }
    let expected = fs::read_to_string(path).ok();
    if expected.as_deref() != found {
        let diff = predicates::str::diff(expected.clone().unwrap_or_default());
        let shown = predicates::Predicate::find_case(&diff, false, found.unwrap_or_default());
        panic!("{}\n{}", path.display(), shown.map(|case| case_text(&case)).unwrap_or_default());
    }
}

fn case_text(case: &predicates::reflection::Case<'_>) -> String {
    case.products().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// A transcript with ids and times replaced by placeholders, so that two runs can be compared.
pub(crate) fn placeholders(sandbox: &Sandbox, text: &str) -> String {
    Names::new(sandbox).replace(text)
}

/// Gives each random id a number, in the order of their first sight.
struct Names {
    root: String,
    root_in_folder: String,
    started: String,
    numbers: HashMap<String, usize>,
}

impl Names {
    fn new(sandbox: &Sandbox) -> Self {
        let root = sandbox.path("").to_str().unwrap().trim_end_matches('/').to_owned();
        let dash = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
        let root_in_folder = root.chars().map(dash).collect();
        // Times that stand in the events are of the past and stay.
        let started = chrono::Utc::now() - chrono::TimeDelta::minutes(10);
        let started = started.to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
        Self { root, root_in_folder, started, numbers: HashMap::new() }
    }

    fn replace(&mut self, text: &str) -> String {
        let text = text.replace(&self.root, "<root>").replace(&self.root_in_folder, "<root>");
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(first) = rest.chars().next() {
            let Some((kind, length)) = random_word(&out, rest) else {
                out.push(first);
                rest = &rest[first.len_utf8()..];
                continue;
            };
            let (word, after) = rest.split_at(length);
            out += &self.name(kind, word);
            rest = after;
        }
        out
    }

    fn name(&mut self, kind: Kind, word: &str) -> String {
        let label = match kind {
            Kind::Time if word < self.started.as_str() => return word.to_owned(),
            // How many events share a millisecond is the machine's affair.
            Kind::Time => return "<time>".to_owned(),
            Kind::Day => return "<day>".to_owned(),
            Kind::Start => return "<start>".to_owned(),
            Kind::Uuid => "uuid",
            Kind::Call => "call",
            Kind::Task => "task",
        };
        let next = 1 + self.numbers.keys().filter(|key| key.starts_with(label)).count();
        let number = self.numbers.entry(format!("{label} {word}")).or_insert(next);
        format!("<{label}-{number}>")
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Uuid,
    Time,
    /// In the folders of a path.
    Day,
    /// In the name of a file.
    Start,
    Call,
    Task,
}

/// The kind and the length of the word that begins `text`, when it is one that differs from run to run.
fn random_word(before: &str, text: &str) -> Option<(Kind, usize)> {
    if before.ends_with("<task-id>") && has_form(text, "bzzzzzzzz<") {
        return Some((Kind::Task, 9));
    }
    if before.ends_with(|letter: char| letter.is_ascii_alphanumeric()) {
        return None;
    }
    let forms = [
        (Kind::Uuid, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"),
        (Kind::Time, "0000-00-00T00:00:00.000Z"),
        (Kind::Day, "0000/00/00"),
        (Kind::Start, "0000-00-00T00-00-00"),
        (Kind::Call, "call_xxxxxxxxxxxx_0"),
    ];
    let (kind, form) = forms.into_iter().find(|(_, form)| has_form(text, form))?;
    let further = text[form.len()..].bytes().take_while(u8::is_ascii_digit).count();
    Some((kind, form.len() + further))
}

/// `x` is a hexadecimal digit, `z` one in base 36, `0` a decimal one, anything else itself.
fn has_form(text: &str, form: &str) -> bool {
    let fits = |(form, byte): (u8, u8)| match form {
        b'x' => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
        b'z' => byte.is_ascii_digit() || byte.is_ascii_lowercase(),
        b'0' => byte.is_ascii_digit(),
        other => other == byte,
    };
    text.len() >= form.len() && form.bytes().zip(text.bytes()).all(fits)
}

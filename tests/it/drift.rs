//! What `--help`, the man page and the README say of the same things.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::support::Sandbox;

const EVENT_TYPES: [&str; 5] = ["user", "assistant", "tool_call", "tool_result", "monitor_event"];
const FORMATS: [&str; 2] = ["claude-code-cli", "codex-cli"];
const EXIT_CODES: [&str; 3] = ["0", "1", "2"];

pub(crate) fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The man page as its reader sees the words: without the escapes of dashes and fonts.
fn man() -> String {
    man_of("asyncai-transcribe")
}

pub(crate) fn man_of(program: &str) -> String {
    let page = read(&format!("man/{program}.1"));
    page.replace("\\-", "-").replace("\\fB", "").replace("\\fI", "").replace("\\fR", "").replace("\\fP", "")
}

fn help() -> String {
    String::from_utf8(Sandbox::new().run(&["--help"], "").stdout).unwrap()
}

/// Each long flag that a text names.
pub(crate) fn flags(text: &str) -> BTreeSet<String> {
    text.match_indices("--")
        .filter(|(place, _)| !text[..*place].ends_with(|letter: char| letter.is_alphanumeric() || letter == '-'))
        .map(|(place, _)| {
            let rest = &text[place + 2..];
            let end = rest.find(|letter: char| !letter.is_ascii_lowercase() && letter != '-');
            rest[..end.unwrap_or(rest.len())].trim_end_matches('-').to_owned()
        })
        .filter(|flag| !flag.is_empty())
        .collect()
}

/// The part of a man page under one heading.
pub(crate) fn section(page: &str, heading: &str) -> String {
    let start = format!(".SH {heading}\n");
    let quoted = format!(".SH \"{heading}\"\n");
    let rest = page.split_once(&start).or_else(|| page.split_once(&quoted));
    let (_, rest) = rest.unwrap_or_else(|| panic!("no section {heading}"));
    rest.split("\n.SH ").next().unwrap().to_owned()
}

/// Each long flag that a man page explains: the text below may name those of other programs.
pub(crate) fn explained(page: &str) -> BTreeSet<String> {
    flags(&tags(&section(page, "OPTIONS")))
}

/// The tags of the paragraphs.
pub(crate) fn tags(section: &str) -> String {
    let lines: Vec<&str> = section.lines().collect();
    let tags: Vec<&str> = lines.windows(2).filter(|pair| pair[0] == ".TP").map(|pair| pair[1]).collect();
    tags.join("\n")
}

/// The page of a program is that of this version and explains each of these exit codes.
pub(crate) fn assert_version_and_codes(page: &str, codes: &[&str]) {
    let title = page.lines().find(|line| line.starts_with(".TH ")).unwrap();
    assert!(title.contains(env!("CARGO_PKG_VERSION")), "{title}");
    let status = section(page, "EXIT STATUS");
    for code in codes {
        assert!(status.contains(&format!(".TP\n.B {code}\n")), "{code}");
    }
}

#[test]
fn the_help_names_flags_at_all() {
    assert!(flags(&help()).len() >= 12, "{}", help());
}

#[test]
fn every_flag_of_the_help_is_explained_in_the_man_page_and_back() {
    assert_eq!(explained(&man()), flags(&help()));
}

#[test]
fn the_synopsis_of_the_man_page_names_no_flag_that_does_not_exist() {
    let unknown: Vec<String> = flags(&section(&man(), "SYNOPSIS")).difference(&flags(&help())).cloned().collect();
    assert_eq!(unknown, Vec::<String>::new());
}

#[test]
fn every_flag_of_the_help_stands_in_the_readme() {
    let mut readme = flags(&read("README.md"));
    // Every program has these two.
    readme.extend(["help".to_owned(), "version".to_owned()]);
    let missing: Vec<String> = flags(&help()).difference(&readme).cloned().collect();
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn every_exit_code_stands_in_the_man_page_and_no_other() {
    let status = section(&man(), "EXIT STATUS");
    // Each code is the tag of a paragraph of its own.
    let mut lines = status.lines().skip_while(|line| *line != ".TP");
    let mut codes = Vec::new();
    while lines.next().is_some() {
        let tag = lines.next().unwrap();
        codes.push(tag.trim_start_matches(".B").trim().to_owned());
        while lines.clone().next().is_some_and(|line| line != ".TP") {
            lines.next();
        }
    }
    for code in EXIT_CODES {
        assert!(codes.iter().any(|found| found == code), "{code} is not among {codes:?}");
    }
    let numbers = codes.iter().filter(|code| code.parse::<u8>().is_ok_and(|code| code < 128));
    assert_eq!(numbers.count(), EXIT_CODES.len(), "{codes:?}");
}

#[test]
fn every_exit_code_stands_in_the_readme() {
    let readme = read("README.md");
    for code in EXIT_CODES {
        let row = [format!("| {code} |"), format!("| `{code}` |")];
        assert!(row.iter().any(|row| readme.contains(row)), "no row for the exit code {code}");
    }
}

#[test]
fn every_event_type_stands_in_the_man_page() {
    let page = man();
    let missing: Vec<&str> = EVENT_TYPES.into_iter().filter(|kind| !page.contains(kind)).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn every_event_type_has_its_row_in_the_readme() {
    let readme = read("README.md");
    let has_row = |kind: &&str| readme.contains(&format!("| `{kind}` |"));
    let missing: Vec<&str> = EVENT_TYPES.into_iter().filter(|kind| !has_row(kind)).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn every_event_type_is_accepted() {
    let lines = EVENT_TYPES.map(|kind| {
        format!("{{\"type\":\"{kind}\",\"text\":\"x\",\"name\":\"x\",\"description\":\"x\",\"event\":\"x\"}}\n")
    });
    let run = Sandbox::new().run(&["--no-session"], lines.concat());
    assert_eq!(run.code(), Some(0), "{}", run.stderr);
}

#[test]
fn every_format_stands_in_the_man_page_and_the_readme() {
    for text in [man(), read("README.md"), help()] {
        let missing: Vec<&str> = FORMATS.into_iter().filter(|format| !text.contains(format)).collect();
        assert_eq!(missing, Vec::<&str>::new());
    }
}

#[test]
fn the_message_for_an_unknown_format_lists_the_formats() {
    let run = Sandbox::new().run(&["--session-format", "no-such-format"], "");
    let missing: Vec<&str> = FORMATS.into_iter().filter(|format| !run.stderr.contains(format)).collect();
    assert_eq!(missing, Vec::<&str>::new(), "{}", run.stderr);
}

#[test]
fn every_event_line_of_the_readme_is_accepted() {
    let readme = read("README.md");
    let lines: Vec<&str> = readme.lines().map(str::trim).filter(|line| line.starts_with("{\"type\"")).collect();
    let run = Sandbox::new().run(&["--no-session"], lines.join("\n"));
    assert!(lines.len() >= EVENT_TYPES.len(), "{lines:?}");
    assert_eq!((run.code(), run.stderr.as_str()), (Some(0), ""));
}

/// Commands stand on lines of their own, indented as code is.
fn readme_has_line(wanted: &str) -> bool {
    read("README.md").lines().any(|line| line.trim() == wanted)
}

#[test]
fn the_readme_has_the_command_that_runs_the_main_job() {
    assert!(readme_has_line("cargo run --release < examples/conversation.ndjson"));
}

#[test]
fn the_readme_has_the_command_that_passes_the_tests() {
    assert!(readme_has_line("cargo test"));
}

#[test]
fn the_man_page_has_the_version_of_the_package() {
    let title = man().lines().find(|line| line.starts_with(".TH ")).unwrap().to_owned();
    assert!(title.contains(env!("CARGO_PKG_VERSION")), "{title}");
}

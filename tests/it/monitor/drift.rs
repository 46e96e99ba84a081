//! What `--help`, the man page and the README say of the same things.

use std::collections::BTreeSet;

use super::support::watch;
use crate::drift::{explained, flags, man_of, read, section, tags};

const EXIT_CODES: [&str; 6] = ["0", "1", "2", "124", "127", "130"];

fn man() -> String {
    man_of("asyncai-monitor")
}

fn help() -> BTreeSet<String> {
    flags(&String::from_utf8(watch(&["--help"], "").stdout).unwrap())
}

/// The section of the README, up to the next one.
fn readme() -> String {
    let readme = read("README.md");
    let (_, rest) = readme.split_once("\n## Watched sources").unwrap();
    rest.split("\n## ").next().unwrap().to_owned()
}

#[test]
fn every_flag_of_the_help_is_explained_in_the_man_page_and_back() {
    assert!(help().len() >= 17);
    assert_eq!(explained(&man()), help());
}

#[test]
fn the_synopsis_of_the_man_page_names_no_flag_that_does_not_exist() {
    let unknown: Vec<String> = flags(&section(&man(), "SYNOPSIS")).difference(&help()).cloned().collect();
    assert_eq!(unknown, Vec::<String>::new());
}

#[test]
fn every_flag_of_the_help_has_its_row_in_the_readme_and_back() {
    let readme = readme();
    let rows = readme.lines().filter_map(|line| Some(line.strip_prefix("| `--")?.split(" | ").next()?.to_owned()));
    let mut rows = flags(&rows.map(|row| format!("--{row}")).collect::<Vec<_>>().join("\n"));
    rows.extend(["help".to_owned(), "version".to_owned()]);
    assert_eq!(rows, help());
}

#[test]
fn every_exit_code_stands_in_the_man_page_and_no_other() {
    let tags = tags(&section(&man(), "EXIT STATUS"));
    let codes: Vec<&str> = tags.lines().map(|tag| tag.trim_start_matches(".B ")).collect();
    assert_eq!(codes, EXIT_CODES);
}

#[test]
fn the_man_page_has_the_version_of_the_package() {
    let title = man().lines().find(|line| line.starts_with(".TH ")).unwrap().to_owned();
    assert!(title.contains(env!("CARGO_PKG_VERSION")), "{title}");
}

//! What `--help`, the man page and the README say of the same things.

use std::collections::BTreeSet;

use super::sessionize;
use crate::drift::{assert_version_and_codes, explained, flags, man_of, read, section};

/// The subcommands that the help lists.
fn subcommands() -> Vec<String> {
    let help = help(&["--help"]);
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    list.lines().map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

fn help(args: &[&str]) -> String {
    String::from_utf8(sessionize(args, "").stdout).unwrap()
}

/// The flags of the program and of all its subcommands.
fn all_flags() -> BTreeSet<String> {
    let of = |name: &String| flags(&help(&[name, "--help"]));
    flags(&help(&["--help"])).into_iter().chain(subcommands().iter().flat_map(of)).collect()
}

fn man() -> String {
    man_of("asyncai-sessionize")
}

fn readme() -> String {
    let readme = read("README.md");
    readme.split("## Reading back\n").nth(1).unwrap().split("\n## ").next().unwrap().to_owned()
}

#[test]
fn every_subcommand_stands_in_the_man_page_and_the_readme() {
    assert!(!subcommands().is_empty());
    for name in subcommands() {
        assert!(section(&man(), "SYNOPSIS").contains(&format!(".B asyncai-sessionize {name}")), "{name}");
        assert!(section(&man(), "COMMANDS").contains(&format!(".SS {name}")), "{name}");
        assert!(readme().contains(&format!("| `{name} ")), "{name}");
    }
}

#[test]
fn every_flag_is_explained_in_the_man_page_and_back() {
    assert_eq!(explained(&man()), all_flags());
}

#[test]
fn every_flag_stands_in_the_section_of_the_readme() {
    let mut named = flags(&readme());
    named.extend(["help".to_owned(), "version".to_owned()]);
    let missing: Vec<String> = all_flags().difference(&named).cloned().collect();
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn the_man_page_has_the_version_and_the_exit_codes() {
    assert_version_and_codes(&man(), &["0", "1", "2", "130"]);
}

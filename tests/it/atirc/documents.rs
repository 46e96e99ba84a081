//! What `--help`, the man page and the README say of the same things.

use super::filter;
use crate::drift::{assert_version_and_codes, explained, flags, man_of, read, section};

fn help() -> String {
    String::from_utf8(filter(&["--help"], "").stdout).unwrap()
}

fn man() -> String {
    man_of("asyncai-atirc")
}

#[test]
fn every_flag_of_the_help_is_explained_in_the_man_page_and_back() {
    assert!(flags(&help()).len() >= 12, "{}", help());
    assert_eq!(explained(&man()), flags(&help()));
}

#[test]
fn the_synopsis_names_every_flag_and_no_other() {
    let mut named = flags(&section(&man(), "SYNOPSIS"));
    assert!(section(&man(), "SYNOPSIS").contains("-c"));
    named.insert("channel".to_owned());
    assert_eq!(named, flags(&help()));
}

#[test]
fn every_flag_of_the_help_stands_in_the_section_of_the_readme() {
    let readme = read("README.md");
    let mut named = flags(readme.split("## Channels\n").nth(1).unwrap().split("\n## ").next().unwrap());
    named.extend(["help".to_owned(), "version".to_owned()]);
    assert_eq!(named, flags(&help()));
}

#[test]
fn every_form_stands_in_the_help_the_man_page_and_the_readme() {
    for form in ["auto", "messages", "jetstream", "irc"] {
        for text in [help(), man(), read("README.md")] {
            assert!(text.contains(form), "{form}");
        }
    }
}

#[test]
fn the_man_page_has_the_version_and_the_exit_codes() {
    assert_version_and_codes(&man(), &["0", "1", "2", "130"]);
}

#[test]
fn the_readme_says_who_talks_to_the_model() {
    assert!(read("README.md").contains("**Whoever writes to a channel talks to\nthe model.**"));
}

//! Which room may use which: the `crate::` and `super::` paths of the sources against one table.

mod rooms;

use std::fs;
use std::path::{Path, PathBuf};

use self::rooms::ROOMS;

/// The part of a source that is no test, without its comments.
struct Source {
    /// Below `src/`.
    path: String,
    code: String,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        // By the rules of the house the tests of a file are its end.
        let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        Source {
            path: path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned(),
            code: code.collect::<Vec<_>>().join("\n"),
        }
    };
    paths.iter().filter(|path| !path.ends_with("tests.rs")).map(read).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            paths.push(path);
        }
    }
}

impl Source {
    /// The module that the file is.
    fn module(&self) -> Vec<&str> {
        let path = self.path.strip_suffix(".rs").unwrap();
        let path = path.strip_suffix("/mod").unwrap_or(path);
        match path {
            "lib" => Vec::new(),
            _ => path.split('/').collect(),
        }
    }

    /// Each path into the crate, from its root.
    fn uses(&self) -> Vec<String> {
        let mut found = Vec::new();
        for start in ["crate::", "asyncai::"] {
            for rest in after(&self.code, start) {
                expand("", rest, &mut found);
            }
        }
        for rest in after(&self.code, "super::") {
            let mut module = self.module();
            module.pop();
            let mut rest = rest;
            while let Some(further) = rest.strip_prefix("super::") {
                module.pop();
                rest = further;
            }
            module.push("");
            expand(&module.join("::"), rest, &mut found);
        }
        found.retain(|path| !path.is_empty());
        found
    }
}

/// What stands after each path that begins with `start`.
fn after<'a>(code: &'a str, start: &str) -> Vec<&'a str> {
    code.match_indices(start)
        .filter(|(place, _)| {
            let before = &code[..*place];
            !before.ends_with(|letter: char| letter.is_alphanumeric() || "_:".contains(letter))
        })
        .map(|(place, _)| &code[place + start.len()..])
        .collect()
}

/// Writes out `a::{b, c::{d, e}}`.
fn expand(prefix: &str, text: &str, found: &mut Vec<String>) {
    let is_path = |letter: char| letter.is_alphanumeric() || "_:".contains(letter);
    let end = text.find(|letter| !is_path(letter)).unwrap_or(text.len());
    let path = format!("{prefix}{}", &text[..end]);
    let Some(inner) = text[end..].strip_prefix('{').filter(|_| path.ends_with("::") || path.is_empty()) else {
        found.push(path.trim_end_matches(':').to_owned());
        return;
    };
    let mut depth = 0;
    let mut start = 0;
    for (place, letter) in inner.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                let part = inner[start..place].trim();
                if !part.is_empty() {
                    expand(&path, part, found);
                }
                start = place + 1;
                if letter == '}' {
                    return;
                }
            }
            _ => {}
        }
    }
}

fn is_below(path: &str, folder: &str, separator: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(separator))
}

#[test]
fn every_room_uses_only_what_the_table_gives_it() {
    let mut wrong = Vec::new();
    for source in sources() {
        let room =
            ROOMS.iter().filter(|(room, _)| is_below(&source.path, room, "/")).max_by_key(|(room, _)| room.len());
        let Some((_, allowed)) = room else {
            wrong.push(format!("{} is not in the table", source.path));
            continue;
        };
        for used in source.uses() {
            if !allowed.iter().any(|module| is_below(&used, module, "::")) {
                wrong.push(format!("{} uses {used}", source.path));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn every_room_of_the_table_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let gone: Vec<&str> = ROOMS.iter().map(|(room, _)| *room).filter(|room| !root.join(room).exists()).collect();
    assert_eq!(gone, Vec::<&str>::new());
}

/// The files outside the given rooms that hold one of the words.
fn holders(words: &[&str], rooms: &[&str]) -> Vec<String> {
    sources()
        .iter()
        .filter(|source| !rooms.iter().any(|room| is_below(&source.path, room, "/")))
        .flat_map(|source| {
            let held = words.iter().filter(|word| source.code.contains(**word));
            held.map(|word| format!("{} holds {word}", source.path))
        })
        .collect()
}

#[test]
fn anyhow_stays_at_the_edge() {
    assert_eq!(holders(&["anyhow"], &["cli", "cli.rs", "bin"]), Vec::<String>::new());
}

#[test]
fn clap_stays_at_the_edge() {
    assert_eq!(holders(&["clap::", "#[arg"], &["cli", "cli.rs", "bin"]), Vec::<String>::new());
}

#[test]
fn the_environment_and_the_standard_streams_are_taken_at_the_edge_only() {
    let words = ["env::var", "env::current_dir", "io::stdin", "io::stdout", "io::stderr"];
    assert_eq!(holders(&words, &["cli", "cli.rs", "bin"]), Vec::<String>::new());
}

#[test]
fn only_the_list_of_formats_names_a_harness() {
    // The parent module declares it, which is no use.
    let declared = ["conversation/adapters", "session/harnesses", "session/format.rs"];
    assert_eq!(holders(&["claude_code_cli", "codex_cli"], &declared), Vec::<String>::new());
}

#[test]
fn the_words_of_a_format_stop_at_its_folder() {
    // `tool_use` alone is what a conversation calls a call that is missing.
    let words = ["parentUuid", "queue-operation", "queued_command", "promptId", "tool_use_id", "server_tool_use"];
    let rooms = ["conversation/adapters/claude_code_cli", "session/harnesses/claude_code_cli"];
    assert_eq!(holders(&words, &rooms), Vec::<String>::new());
    let words = ["rollout", "session_meta", "response_item", "event_msg", "function_call", "input_text"];
    assert_eq!(holders(&words, &["session/harnesses/codex_cli"]), Vec::<String>::new());
}

#[test]
fn the_reader_of_paths_sees_them_all() {
    let source = Source {
        path: "session/harnesses/one/turn.rs".to_owned(),
        code: "use crate::a::{b, c::{d, e}};\nuse super::x;\nfn f() -> super::super::two::Y {}\n\
               let z = crate::lines::encode(1);\nuse supercrate::no;"
            .to_owned(),
    };
    assert_eq!(
        source.uses(),
        ["a::b", "a::c::d", "a::c::e", "lines::encode", "session::harnesses::one::x", "session::harnesses::two::Y"]
    );
}

#[test]
fn no_file_is_two_rooms_in_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut long = Vec::new();
    for (folder, most) in [("src", 400), ("src/bin", 80), ("tests", 400)] {
        let mut paths = Vec::new();
        collect(&root.join(folder), &mut paths);
        for path in paths {
            let lines = fs::read_to_string(&path).unwrap().lines().count();
            if lines > most {
                long.push(format!("{}: {lines}", path.display()));
            }
        }
    }
    assert_eq!(long, Vec::<String>::new());
}

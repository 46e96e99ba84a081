//! The examples of the repository: each is recorded without a report, and each script runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::schema::Record;
use crate::support::{PROGRAM, Sandbox};

fn examples(extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let found: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|own| own == extension)).collect();
    assert!(!found.is_empty(), "no example ends in .{extension}");
    found
}

#[test]
fn every_conversation_is_recorded_whole() {
    for path in examples("ndjson") {
        let sandbox = Sandbox::new();
        let run = sandbox.run(&[path.to_str().unwrap()], "");
        let input = fs::read_to_string(&path).unwrap();
        assert_eq!(run.code(), Some(0), "{}: {}", path.display(), run.stderr);
        assert_eq!(run.echo(), input, "{}", path.display());
        assert!(run.transcript().outline().len() >= input.lines().count(), "{}", path.display());
    }
}

#[test]
fn the_conversation_of_the_readme_is_there() {
    let names = examples("ndjson");
    assert!(names.iter().any(|path| path.ends_with("conversation.ndjson")));
}

/// A script of the examples, to be run in a sandbox with the program in its path.
fn script(sandbox: &Sandbox, name: &str) -> Command {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let programs = Path::new(PROGRAM).parent().unwrap().display();
    let search = std::env::var("PATH").unwrap();
    let mut command = Command::new(here.join("examples").join(name));
    command.env_clear().env("HOME", sandbox.path("home")).env("PATH", format!("{programs}:{search}")).current_dir(here);
    command
}

/// The scripts say themselves what they need; where it is missing they cannot be tested.
fn has(command: &str) -> bool {
    Command::new(command).arg("--version").output().is_ok()
}

#[test]
fn the_script_for_ci_prints_a_session_id_whose_file_is_there() {
    if !has("jq") {
        return;
    }
    let sandbox = Sandbox::new();
    let output = script(&sandbox, "record-in-ci.sh").arg("examples/conversation.ndjson").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{stderr}");
    let stdout = String::from_utf8(output.stdout).unwrap();
    let transcripts = sandbox.transcripts();
    assert_eq!(transcripts.len(), 1, "{stderr}");
    let id = transcripts[0].records.iter().find_map(Record::link).unwrap().session;
    assert!(stdout.contains(id), "{stdout}");
}

#[test]
fn the_script_that_measures_throughput_fills_its_tables() {
    if !["jq", "time", "openssl"].into_iter().all(has) {
        return;
    }
    let sandbox = Sandbox::new();
    let output = script(&sandbox, "throughput.sh")
        .envs([("EVENTS", "2000"), ("RUNS", "1"), ("GROWTH", "1000")])
        .env("TMPDIR", sandbox.path("home"))
        .output()
        .unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(stdout.lines().filter(|line| line.starts_with('|') && line.contains(" MiB |")).count(), 8, "{stdout}");
    assert_eq!(stdout.lines().filter(|line| line.ends_with(" ms |")).count(), 2, "{stdout}");
    assert!(stdout.contains("| 1000 events |"), "{stdout}");
    assert_eq!(fs::read_dir(sandbox.path("home")).unwrap().count(), 0, "the script left something behind");
}

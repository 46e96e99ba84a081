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

#[test]
fn every_script_runs_and_prints_a_session_id_whose_file_is_there() {
    if Command::new("jq").arg("--version").output().is_err() {
        // The scripts say themselves that they need it.
        return;
    }
    for path in examples("sh") {
        let sandbox = Sandbox::new();
        let programs = Path::new(PROGRAM).parent().unwrap().display();
        let search = std::env::var("PATH").unwrap();
        let output = Command::new(&path)
            .arg("examples/conversation.ndjson")
            .env_clear()
            .env("HOME", sandbox.path("home"))
            .env("PATH", format!("{programs}:{search}"))
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{}: {stderr}", path.display());
        let stdout = String::from_utf8(output.stdout).unwrap();
        let transcripts = sandbox.transcripts();
        assert_eq!(transcripts.len(), 1, "{}: {stderr}", path.display());
        let id = transcripts[0].records.iter().find_map(Record::link).unwrap().session;
        assert!(stdout.contains(id), "{}: {stdout}", path.display());
    }
}

//! The pipelines of the README, as they stand there.

use std::path::Path;
use std::process::Command;

use super::ATIRC;
use crate::drift::read;
use crate::schema::Transcript;
use crate::support::Sandbox;

/// The commands of the README that read an example, each on one line.
fn pipelines() -> Vec<String> {
    let readme = read("README.md").replace("|\n        ", "| ");
    let lines = readme.lines().map(str::trim);
    lines.filter(|line| line.starts_with("asyncai-atirc ") && line.contains("< examples/")).map(str::to_owned).collect()
}

fn transcript(pipeline: &str) -> Transcript {
    let sandbox = Sandbox::new();
    let programs = Path::new(ATIRC).parent().unwrap().display().to_string();
    let output = Command::new("/bin/sh")
        .args(["-ec", pipeline])
        .env_clear()
        .env("HOME", sandbox.path("home"))
        .env("PATH", format!("{programs}:/usr/bin:/bin"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{pipeline}: {stderr}");
    let told = stderr.lines().all(|line| line.starts_with("asyncai-atirc: last "));
    assert!(told && stderr.lines().count() == 1, "{pipeline}: {stderr}");
    let mut transcripts = sandbox.transcripts();
    assert_eq!(transcripts.len(), 1, "{pipeline}");
    transcripts.remove(0)
}

#[test]
fn each_form_has_its_pipeline_and_each_runs() {
    let pipelines = pipelines();
    assert_eq!(pipelines.len(), 3, "{pipelines:?}");
    let ops = "notice Monitor event: \"atirc sub -c '#ops' --cursor 0\" =";
    let all = "notice Monitor event: \"atirc sub --cursor 0\" =";
    // The first line is the title that the session gets.
    assert_eq!(
        transcript(&pipelines[0]).outline()[1..],
        [
            format!("{ops} The import job failed again this night. Can you look?"),
            "text I look. @1".to_owned(),
            "call call_1 @2".to_owned(),
            "result call_1 cannot write: no space left on device".to_owned(),
            "text The disk is full: 97% are old logs. @3".to_owned(),
            format!("{ops} Delete those from before September, please."),
        ]
    );
    assert_eq!(
        transcript(&pipelines[1]).outline()[1..],
        [format!("{all} Is the new build out?"), "text Yes, since six. @1".to_owned()]
    );
    assert_eq!(
        transcript(&pipelines[2]).outline()[1..],
        [format!("{ops} The import job failed again"), "text I look. @1".to_owned(), format!("{ops} waves"),]
    );
}

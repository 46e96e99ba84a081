//! The pipelines of the README, as they are written there, with stand-ins for the programs that are not ours.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::support::MONITOR;
use crate::drift::read;
use crate::schema::Transcript;
use crate::support::{Sandbox, run};

/// Runs the line of the README that begins like this, and gives the transcript in outline.
fn record(start: &str, programs: &[(&str, &str)]) -> Vec<String> {
    let readme = read("README.md");
    let line = readme.lines().find(|line| line.trim_start().starts_with(start) && line.starts_with("    "));
    let line = line.unwrap_or_else(|| panic!("no line {start}")).trim();
    let sandbox = Sandbox::new();
    for (name, script) in programs {
        let path = sandbox.file(&format!("bin/{name}"), format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let ours = Path::new(MONITOR).parent().unwrap().display().to_string();
    let own = sandbox.path("bin").display().to_string();
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]).env_clear().env("HOME", sandbox.path("home")).current_dir(sandbox.cwd());
    command.env("PATH", format!("{own}:{ours}:{}", std::env::var("PATH").unwrap()));
    let run = run(command, "");
    assert_eq!((run.code(), &*run.stderr), (Some(0), ""), "{line}");
    let transcripts: Vec<Transcript> = sandbox.transcripts();
    assert_eq!(transcripts.len(), 1, "{line}");
    // A title is made of what happens to come first.
    let outline = transcripts[0].outline().into_iter().filter(|line| !line.starts_with("ai-title "));
    outline.map(|line| line.replace("Monitor event: ", "")).collect()
}

#[test]
fn a_log_is_recorded() {
    let outline = record("tail -f app.log | asyncai-monitor", &[("tail", "echo one; echo two")]);
    assert_eq!(outline, ["notice \"app.log\" = one", "notice \"app.log\" = two"]);
}

#[test]
fn two_commands_are_recorded() {
    let programs = [("make", "echo built"), ("tail", "echo one")];
    let mut outline = record("asyncai-monitor --monitor 'make watch'", &programs);
    outline.sort();
    assert_eq!(outline, ["notice \"make watch\" = built", "notice \"tail -f app.log\" = one"]);
}

#[test]
fn an_agent_beside_what_it_watches_is_recorded_until_the_agent_ends() {
    // The log has its line before the agent ends, and would go on for ever.
    let agent = "while [ ! -e told ]; do sleep 0.01; done; echo '{\"type\":\"user\",\"text\":\"go\"}'";
    let programs = [("some-agent", agent), ("tail", "echo one; : > told; exec sleep 100")];
    let mut outline = record("some-agent | asyncai-monitor --merge-stdin --until-stdin", &programs);
    outline.sort();
    assert_eq!(outline, ["notice \"tail -f app.log\" = one", "user go"]);
}

//! Where a transcript is, what it says of its surroundings, and what others append to it.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::{recorded, recorded_with};
use crate::running::Running;
use crate::support::{Run, Sandbox, events, run};

fn with_homes(sandbox: &Sandbox, variables: &[(&str, &str)]) -> Run {
    let mut command = sandbox.command(&["--session-format", "codex-cli"]);
    command.envs(variables.iter().copied());
    run(command, events("U(go)"))
}

fn root_of(run: &Run) -> std::path::PathBuf {
    let file = run.session().file();
    let sessions = file.ancestors().nth(4).unwrap();
    assert_eq!(sessions.file_name().unwrap(), "sessions");
    sessions.parent().unwrap().to_owned()
}

#[test]
fn the_root_is_the_option_the_variable_or_below_home() {
    let sandbox = Sandbox::new();
    let own = sandbox.path("own");
    let own = own.to_str().unwrap();
    assert_eq!(root_of(&with_homes(&sandbox, &[])), sandbox.path("home/.codex"));
    assert_eq!(root_of(&with_homes(&sandbox, &[("CODEX_HOME", "")])), sandbox.path("home/.codex"));
    assert_eq!(root_of(&with_homes(&sandbox, &[("CODEX_HOME", own)])), Path::new(own));
    let option = recorded_with(&sandbox, &["--session-dir", &format!("codex-cli={own}2")], &events("U(go)"));
    assert_eq!(root_of(&option), sandbox.path("own2"));
}

#[test]
fn folder_and_name_have_the_local_time_of_the_start() {
    let sandbox = Sandbox::new();
    // The day differs from that of UTC at one of the two, whatever the time is.
    for (zone, offset) in [("EAST-14", 14), ("WEST12", -12)] {
        let run = with_homes(&sandbox, &[("TZ", zone)]);
        let transcript = run.codex_transcript();
        let started = chrono::DateTime::parse_from_rfc3339(&transcript.meta().timestamp.0).unwrap();
        let local = started.naive_utc() + chrono::TimeDelta::hours(offset);
        let id = &transcript.meta().id.0;
        let expected = local.format("sessions/%Y/%m/%d/rollout-%Y-%m-%dT%H-%M-%S");
        assert!(run.session().file().ends_with(format!("{expected}-{id}.jsonl")), "{:?}", run.session().file());
    }
}

#[test]
fn the_file_is_the_owners_alone() {
    let sandbox = Sandbox::new();
    let file = recorded(&sandbox, &events("U(go)")).session().file();
    assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn the_first_line_has_the_folder_and_the_branch_unless_none_is_checked_out() {
    let sandbox = Sandbox::new();
    let branch = |args: &[&str]| {
        let transcript = recorded_with(&sandbox, args, &events("U(go)")).codex_transcript();
        assert_eq!(Path::new(&transcript.meta().cwd), sandbox.cwd());
        transcript.meta().git.as_ref().map(|git| git.branch.clone())
    };
    assert_eq!(branch(&[]).as_deref(), Some("main"));
    assert_eq!(branch(&["--git-branch", "topic"]).as_deref(), Some("topic"));
    assert_eq!(branch(&["--git-branch", ""]), None);
    assert_eq!(branch(&["--git-branch", "HEAD"]), None);
}

#[test]
fn the_session_is_there_before_its_first_event() {
    let sandbox = Sandbox::new();
    let run = recorded(&sandbox, "");
    assert_eq!(run.codex_transcript().outline(), Vec::<String>::new());
    assert_eq!(run.session().harnesses[0].session_id, run.codex_transcript().meta().id.0);
}

fn append(running: &Running, text: &str) {
    fs::OpenOptions::new().append(true).open(&running.file).unwrap().write_all(text.as_bytes()).unwrap();
}

#[test]
fn what_another_program_appends_stays_where_it_is_and_is_told_of_once() {
    let sandbox = Sandbox::new();
    let mut running = Running::start(&sandbox, &["--session-format", "codex-cli"]);
    running.record(&events("U(go) C(a)"));
    append(&running, "{\"theirs\":1}\n");
    running.record(&events("R(a,1)"));
    // The last line lacks its end.
    append(&running, "{\"theirs\":2}");
    running.record(&events("A(done)"));
    let ended = running.end();
    assert_eq!(ended.code(), Some(0));
    assert_eq!(ended.stderr.matches("warn session.foreign_append").count(), 1, "{}", ended.stderr);
    assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
    let text = fs::read_to_string(&ended.file).unwrap();
    let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("no {words} in {text}"));
    let places = ["\"go\"", "\n{\"theirs\":1}\n", "\"output\":\"1\"", "\n{\"theirs\":2}\n", "\"done\""].map(place);
    assert!(places.is_sorted(), "{text}");
    // What was open stays open for its result.
    assert!(!text.contains("asyncaiSynthetic"), "{text}");
}

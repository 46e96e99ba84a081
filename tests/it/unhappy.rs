//! What cannot start, and what breaks under way: one clear message, the right status, nothing made.

use std::fs::File;
use std::process::Command;

use predicates::Predicate;
use predicates::str::is_match;

use crate::support::{Run, Sandbox, events, run};

/// A message as the style guide wants it: one line, `program: what: why`, nothing of the machine inside.
fn assert_message(line: &str) {
    let shape = is_match(r"^asyncai-transcribe: [^A-Z:][^:]*: .*[^.\s]$").unwrap();
    assert!(shape.eval(line), "not `program: what: why`: {line}");
    for odd in ["\u{1b}", "Error {", "Err(", "Some(", "Os {", "panicked"] {
        assert!(!line.contains(odd), "{odd:?} in {line}");
    }
}

/// Status 2, one message, no session line and not a trace on the disk.
fn assert_does_not_start(sandbox: &Sandbox, mut command: Command) {
    let before = sandbox.tree();
    command.env("RUST_BACKTRACE", "1");
    let run = run(command, events("U(go)"));
    assert_eq!(run.code(), Some(2), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert_message(run.stderr.trim_end_matches('\n'));
    assert_eq!(String::from_utf8_lossy(&run.stdout), "");
    assert_eq!(sandbox.tree(), before);
}

fn args_do_not_start(args: &[&str]) {
    let sandbox = Sandbox::new();
    assert_does_not_start(&sandbox, sandbox.command(args));
}

#[test]
fn an_unknown_format_does_not_start() {
    args_do_not_start(&["--session-format", "no-such-format"]);
}

#[test]
fn an_unknown_format_beside_a_known_one_does_not_start() {
    args_do_not_start(&["--session-format", "claude-code-cli", "--session-format", "no-such-format"]);
}

#[test]
fn the_same_format_twice_does_not_start() {
    args_do_not_start(&["--session-format", "claude-code-cli", "--session-format", "claude-code-cli"]);
}

#[test]
fn a_root_for_an_unknown_format_does_not_start() {
    args_do_not_start(&["--session-dir", "no-such-format=root"]);
}

#[test]
fn a_root_without_a_format_does_not_start() {
    args_do_not_start(&["--session-dir", "root"]);
}

#[test]
fn a_root_with_an_empty_format_does_not_start() {
    args_do_not_start(&["--session-dir", "=root"]);
}

#[test]
fn a_root_with_an_empty_path_does_not_start() {
    args_do_not_start(&["--session-dir", "claude-code-cli="]);
}

#[test]
fn two_roots_for_one_format_do_not_start() {
    args_do_not_start(&["--session-dir", "claude-code-cli=a", "--session-dir", "claude-code-cli=b"]);
}

#[test]
fn a_working_directory_that_does_not_exist_does_not_start() {
    args_do_not_start(&["--cwd", "no-such-folder"]);
}

#[test]
fn a_working_directory_that_is_a_file_does_not_start() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("plain", "");
    assert_does_not_start(&sandbox, sandbox.command(&["--cwd", file.to_str().unwrap()]));
}

#[test]
fn a_missing_input_file_does_not_start() {
    args_do_not_start(&["no-such-file.ndjson"]);
}

#[test]
fn without_a_home_it_does_not_start() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&[]);
    command.env_remove("HOME");
    assert_does_not_start(&sandbox, command);
}

#[test]
fn with_an_empty_home_it_does_not_start() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&[]);
    command.env("HOME", "");
    assert_does_not_start(&sandbox, command);
}

#[test]
fn without_a_session_no_home_is_needed() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&["--no-session"]);
    command.env_remove("HOME");
    assert_eq!(run(command, events("U(go)")).code(), Some(0));
}

#[test]
fn usage_errors_end_with_2_and_make_nothing() {
    let sandbox = Sandbox::new();
    let before = sandbox.tree();
    for args in [
        &["--no-such-flag"][..],
        &["--max-line-bytes", "many"],
        &["--max-line-bytes", "-1"],
        &["one", "two"],
        &["--no-session", "--session-format", "claude-code-cli"],
        &["--title"],
    ] {
        let run = sandbox.run(args, events("U(go)"));
        assert_eq!(run.code(), Some(2), "{args:?}: {}", run.stderr);
        assert_eq!(run.stdout, b"", "{args:?}");
        assert!(!run.stderr.contains('\u{1b}'), "{args:?}: {}", run.stderr);
    }
    assert_eq!(sandbox.tree(), before);
}

#[test]
fn help_and_version_go_to_stdout_and_make_nothing() {
    let sandbox = Sandbox::new();
    let before = sandbox.tree();
    let help = sandbox.run(&["--help"], "");
    assert!(String::from_utf8(help.stdout.clone()).unwrap().contains("--session-format"));
    let version = sandbox.run(&["--version"], "");
    let expected = format!("asyncai-transcribe {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(String::from_utf8(version.stdout.clone()).unwrap(), expected);
    assert_eq!((help.code(), version.code()), (Some(0), Some(0)));
    assert_eq!(sandbox.tree(), before);
}

/// Runs with a root below a plain file, where not even the superuser can make a folder.
fn run_without_a_writable_root(args: &[&str], input: &str) -> Run {
    let sandbox = Sandbox::new();
    let root = format!("claude-code-cli={}/root", sandbox.file("plain", "").display());
    let args = [&["--session-dir", &root], args].concat();
    sandbox.run(&args, input)
}

#[test]
fn a_root_that_cannot_be_made_costs_the_transcript_and_nothing_else() {
    let input = events("U(go) C(a) R(a,1) M(x) A(done)");
    let run = run_without_a_writable_root(&[], &input);
    assert_eq!(run.echo(), input);
    assert_eq!(run.code(), Some(1));
}

#[test]
fn a_root_that_cannot_be_made_is_reported_once() {
    let run = run_without_a_writable_root(&[], &events("U(go) A(done)"));
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert_message(run.stderr.trim_end_matches('\n'));
}

const NO_SESSION_LINE: &str = concat!(
    r#"{"work_name":"session","result":{"session_id":null,"session_file":null,"harness":null,"#,
    r#""agent_name":"asyncai","harnesses":[]}}"#,
    "\n"
);

#[test]
fn a_session_line_without_a_harness_has_nulls_and_an_empty_list() {
    let run = run_without_a_writable_root(&[], "");
    assert_eq!(String::from_utf8(run.stdout).unwrap(), NO_SESSION_LINE);
}

#[test]
fn no_session_has_the_same_session_line_and_no_error() {
    let run = Sandbox::new().run(&["--no-session"], "");
    assert_eq!(String::from_utf8(run.stdout).unwrap(), NO_SESSION_LINE);
    assert_eq!((run.status.code(), run.stderr.as_str()), (Some(0), ""));
}

#[test]
fn no_session_checks_and_echoes_as_usual() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["--no-session"], events("U(go)") + "nope\n" + &events("A(done)"));
    assert_eq!(run.echo(), events("U(go) A(done)"));
    assert_eq!((run.code(), run.reports().len()), (Some(1), 1));
}

#[test]
fn the_session_line_has_its_keys_in_their_order() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["--agent-name", "a \"b\""], "");
    let session = run.session();
    let (id, file) = (session.session_id.clone().unwrap(), session.file());
    let file = serde_json::to_string(&file).unwrap();
    let expected = format!(
        "{{\"work_name\":\"session\",\"result\":{{\"session_id\":\"{id}\",\"session_file\":{file},\
         \"harness\":\"claude-code-cli\",\"agent_name\":\"a \\\"b\\\"\",\"harnesses\":[\
         {{\"format\":\"claude-code-cli\",\"session_id\":\"{id}\",\"session_file\":{file}}}]}}}}\n"
    );
    assert_eq!(String::from_utf8(run.stdout).unwrap(), expected);
}

#[test]
fn the_session_line_names_the_harness_that_opened_in_its_list_too() {
    let session = Sandbox::new().run(&[], "").session();
    assert_eq!(session.harnesses.len(), 1);
    let harness = &session.harnesses[0];
    assert_eq!(Some(&harness.format), session.harness.as_ref());
    assert_eq!(Some(&harness.session_id), session.session_id.as_ref());
    assert_eq!(harness.session_file, session.file());
    assert_eq!(session.agent_name, "asyncai");
}

#[test]
fn a_folder_as_stdin_is_an_error_under_way() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&[]);
    command.stdin(File::open(sandbox.cwd()).unwrap());
    let output = command.output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert_message(stderr.trim_end_matches('\n'));
}

#[test]
fn a_full_stdout_costs_the_status_and_not_the_transcript() {
    let sandbox = Sandbox::new();
    let input = sandbox.file("in.ndjson", events("U(go) A(done)"));
    let mut command = sandbox.command(&[input.to_str().unwrap()]);
    command.stdout(File::options().write(true).open("/dev/full").unwrap());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let transcripts = sandbox.transcripts();
    assert_eq!(transcripts.len(), 1);
    assert_eq!(transcripts[0].outline(), ["user go", "text done @1"]);
}

#[test]
fn messages_never_quote_the_input() {
    let input = concat!(
        "{\"type\":\"s3cret\"}\n",
        "s3cret\n",
        "{\"type\":\"user\",\"text\":s3cret}\n",
        "{\"s3cret\":1}\n",
        "{\"type\":\"tool_call\",\"name\":\"s3cret s3cret\",\"id\":\"s3cret.1\",\"arguments\":\"s3cret\"}\n",
        "{\"type\":\"tool_result\",\"id\":\"s3cret.2\",\"content\":{\"s3cret\":\"\\u0000\"}}\n",
        "{\"type\":\"user\",\"text\":\"s3cret\",\"timestamp\":\"s3cret\"}\n",
    );
    let run = Sandbox::new().run(&[], input);
    assert!(run.reports().len() >= 8, "{}", run.stderr);
    assert!(!run.stderr.contains("s3cret"), "{}", run.stderr);
}

#[test]
fn every_report_of_odd_input_is_one_plain_message() {
    let input = concat!(
        "nope\n",
        "{\"type\":\"nope\"}\n",
        "{\"type\":\"user\",\"text\":\"\"}\n",
        "{\"type\":\"user\",\"text\":\"\\ud800\\u0000\",\"timestamp\":\"x\"}\n",
        "{\"type\":\"tool_call\",\"name\":\"a b\",\"id\":7,\"arguments\":[]}\n",
        "{\"type\":\"tool_result\",\"id\":\"ghost\",\"content\":{}}\n",
    );
    let run = Sandbox::new().run(&[], input);
    assert!(run.stderr.lines().count() >= 9, "{}", run.stderr);
    run.stderr.lines().for_each(assert_message);
}

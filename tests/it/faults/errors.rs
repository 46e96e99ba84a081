//! Descriptors that fail, wait for ever or lead back, and folders that go away.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::pipe::{PipeFlags, pipe_with};

use super::script;
use crate::running::Running;
use crate::support::{Run, Sandbox, events, run, send, wait_until};

const SIGTERM: i32 = 15;

fn run_script(sandbox: &Sandbox, text: &str, args: &[&Path]) -> Run {
    run(script(sandbox, text, args), "")
}

/// One message for the user, and nothing of the machine in it.
fn assert_says(run: &Run, code: i32, message: &str) {
    assert_eq!((run.code(), run.reports()), (Some(code), vec![message]), "{}", run.stderr);
}

fn terminate(child: &mut Child) -> Option<i32> {
    send("TERM", child.id());
    wait_until("the end of the program", || child.try_wait().unwrap().is_some());
    child.wait().unwrap().signal()
}

#[test]
fn an_unreadable_stdin_is_an_error_under_way() {
    let sandbox = Sandbox::new();
    assert_says(&run_script(&sandbox, "exec \"$0\" 0>&1", &[]), 1, "cannot read the input: bad file descriptor");
    assert_says(&run_script(&sandbox, "exec \"$0\" <.", &[]), 1, "cannot read the input: is a directory");
}

#[test]
fn a_closed_stdin_is_an_empty_one() {
    let run = run_script(&Sandbox::new(), "exec \"$0\" <&-", &[]);
    assert_says(&run, 0, "no event came: there is nothing to resume");
}

#[test]
fn an_unwritable_stdout_costs_the_status_and_not_the_transcript() {
    let sandbox = Sandbox::new();
    let input = sandbox.file("in.ndjson", events("U(go) A(done)"));
    let run = run_script(&sandbox, "exec \"$0\" \"$1\" 1</dev/null", &[&input]);
    assert_says(&run, 1, "cannot write to stdout: bad file descriptor");
    assert_eq!(sandbox.transcripts()[0].outline(), ["user go", "text done @1"]);
}

#[test]
fn streams_that_do_not_wait_are_waited_for() {
    let sandbox = Sandbox::new();
    let input = events("U(go) A(done)").repeat(1000);
    let pipe = || pipe_with(PipeFlags::NONBLOCK | PipeFlags::CLOEXEC).unwrap();
    let ((reader, writer), (output, echo)) = (pipe(), pipe());
    let mut child = sandbox.command(&[]).stdin(reader).stdout(echo).spawn().unwrap();
    let (mut sent, mut given) = (0, Vec::new());
    let mut writer = Some(writer);
    let mut buffer = [0; 1000];
    wait_until("the whole echo", || {
        if sent == input.len() {
            writer = None;
        } else if let Ok(count) = rustix::io::write(writer.as_ref().unwrap(), &input.as_bytes()[sent..]) {
            sent += count;
        }
        while let Ok(count @ 1..) = rustix::io::read(&output, &mut buffer) {
            given.extend_from_slice(&buffer[..count]);
        }
        child.try_wait().unwrap().is_some() && given.ends_with(input.as_bytes())
    });
    assert!(child.wait().unwrap().success());
}

#[test]
fn sigterm_ends_a_wait_for_the_writer_of_a_fifo() {
    let sandbox = Sandbox::new();
    let fifo = sandbox.path("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    // The session line says that the handlers are in place.
    let running = Running::start(&sandbox, &[fifo.to_str().unwrap()]);
    running.signal("TERM");
    assert_eq!(running.wait().signal(), Some(SIGTERM));
}

#[test]
fn a_fifo_is_read_to_the_end_of_its_writer() {
    let sandbox = Sandbox::new();
    let fifo = sandbox.path("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let running = Running::start(&sandbox, &[fifo.to_str().unwrap()]);
    fs::write(&fifo, events("U(go) A(done)")).unwrap();
    assert_eq!(running.wait().outline(), ["user go", "text done @1"]);
}

#[test]
fn sigterm_ends_a_program_whose_messages_nobody_reads() {
    let sandbox = Sandbox::new();
    // Far more messages than a pipe holds.
    let input = sandbox.file("in.ndjson", events("U(go)") + &"nope\n".repeat(20_000));
    let mut command = sandbox.command(&[input.to_str().unwrap()]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    // Asleep: nothing but the wait for a reader can be what it waits for.
    let stat = format!("/proc/{}/stat", child.id());
    wait_until("a full pipe", || fs::read_to_string(&stat).unwrap().rsplit_once(") ").unwrap().1.starts_with('S'));
    assert_eq!(terminate(&mut child), Some(SIGTERM));
    assert_eq!(sandbox.transcripts()[0].outline(), ["user go"]);
}

#[test]
fn an_input_that_is_the_output_does_not_start() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("work/in.ndjson", events("U(go)"));
    let before = sandbox.tree();
    let echo = "cannot echo: the input is the output";
    assert_says(&run_script(&sandbox, "exec \"$0\" in.ndjson >>in.ndjson", &[]), 2, echo);
    assert_says(&run_script(&sandbox, "exec \"$0\" <in.ndjson >>in.ndjson", &[]), 2, echo);
    let messages = run_script(&sandbox, "exec \"$0\" in.ndjson 2>>in.ndjson", &[]);
    assert_eq!(messages.code(), Some(2));
    let said = "asyncai-transcribe: cannot report: the input is where messages go\n";
    assert_eq!(fs::read_to_string(&file).unwrap(), events("U(go)") + said);
    fs::write(&file, events("U(go)")).unwrap();
    assert_eq!(sandbox.tree().len(), before.len(), "nothing is made");
}

#[test]
fn a_quiet_run_may_append_its_session_line_to_its_input() {
    let sandbox = Sandbox::new();
    sandbox.file("work/in.ndjson", events("U(go)"));
    let run = run_script(&sandbox, "exec \"$0\" --quiet in.ndjson >>in.ndjson", &[]);
    assert_eq!((run.code(), run.stderr.as_str()), (Some(0), ""));
}

#[test]
fn help_that_cannot_be_printed_is_an_error() {
    let sandbox = Sandbox::new();
    for flag in ["--help", "--version"] {
        let run = run_script(&sandbox, &format!("exec \"$0\" {flag} >/dev/full"), &[]);
        assert_says(&run, 1, "cannot write to stdout: no space left on device");
    }
}

#[test]
fn too_few_descriptors_are_a_plain_message_at_any_number() {
    let sandbox = Sandbox::new();
    let events = sandbox.file("events", "{\"type\":\"user\",\"text\":\"x\"}\n");
    for limit in 4..12 {
        let script = format!("ulimit -n {limit}; exec \"$0\" '{}'", events.display());
        let run = run_script(&sandbox, &script, &[]);
        for report in run.reports() {
            assert!(report.ends_with(": too many open files") && !report.contains("os error"), "{limit}: {report}");
        }
        assert_eq!(run.code() == Some(0), run.reports().is_empty(), "{limit}: {}", run.stderr);
    }
}

#[test]
fn a_working_directory_that_is_gone_is_a_plain_message() {
    let sandbox = Sandbox::new();
    let gone = "mkdir gone && cd gone && rmdir ../gone &&";
    let run = run_script(&sandbox, &format!("{gone} exec \"$0\""), &[]);
    assert_says(&run, 2, "working directory: no such file or directory");
    let run = run_script(&sandbox, &format!("{gone} exec \"$0\" --cwd / --session-dir claude-code-cli=x"), &[]);
    assert_says(&run, 2, "root of claude-code-cli: no such file or directory");
}

#[test]
fn a_working_directory_that_goes_away_under_way_does_not_matter() {
    let sandbox = Sandbox::new();
    let cwd = sandbox.folder("gone");
    let mut command = sandbox.command(&[]);
    let mut running = Running::start_command({
        command.current_dir(&cwd);
        command
    });
    running.record(&events("U(go)"));
    fs::remove_dir(&cwd).unwrap();
    running.record(&events("A(done)"));
    assert_eq!(running.end().outline(), ["user go", "text done @1"]);
}

#[test]
fn a_relative_home_and_one_with_a_slash_at_its_end_are_homes() {
    let sandbox = Sandbox::new();
    for home in ["../home", "../home/", "../home/."] {
        let run = run_script(&sandbox, &format!("HOME={home} exec \"$0\" </dev/null"), &[]);
        assert_eq!(run.code(), Some(0), "{}", run.stderr);
        assert!(run.session().file().starts_with(sandbox.cwd().join("../home/.claude")), "{:?}", run.session().file());
    }
}

#[test]
fn a_root_that_takes_no_files_costs_the_transcript_alone() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&["--session-dir", "claude-code-cli=/proc"]);
    command.env("LANG", "C");
    let run = run(command, events("U(go)"));
    assert_eq!((run.code(), run.echo()), (Some(1), events("U(go)")));
    assert_eq!(run.reports().len(), 1, "{}", run.stderr);
    assert!(run.reports()[0].starts_with("claude-code-cli: cannot record: /proc: "), "{}", run.stderr);
}

#[test]
fn a_full_stdout_file_is_no_reason_to_lose_an_event() {
    let sandbox = Sandbox::new();
    let input = sandbox.file("in.ndjson", events("U(go) A(done)").repeat(500));
    let mut command = sandbox.command(&[input.to_str().unwrap()]);
    command.stdout(File::options().write(true).open("/dev/full").unwrap());
    assert_eq!(command.output().unwrap().status.code(), Some(1));
    assert_eq!(sandbox.transcripts()[0].outline().len(), 1000);
}

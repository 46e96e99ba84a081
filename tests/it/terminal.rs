//! What only a terminal is told: what was recorded, and the line that goes on with it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::schema::Transcript;
use crate::support::{Sandbox, events, send};

/// Runs with a terminal as stderr and gives what stands there at the end.
fn on_a_terminal(sandbox: &Sandbox, args: &[&str]) -> String {
    let input = sandbox.file("in.ndjson", events("U(go) A(done)"));
    let mut command = sandbox.command(args);
    command.arg(input).stdin(Stdio::null());
    shown_on_a_terminal(command)
}

/// A terminal: the side of who types and reads, and the side of the program.
pub(crate) fn terminal() -> (fs::File, fs::File) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    (master.into(), fs::File::options().read(true).write(true).open(name).unwrap())
}

/// What stands on a terminal that no program has any more.
pub(crate) fn shown_at_the_end(mut master: fs::File) -> String {
    let mut shown = Vec::new();
    let mut buffer = [0; 4096];
    // Without its last writer a terminal gives what it holds, and then an error in place of an end.
    while let Ok(count @ 1..) = master.read(&mut buffer) {
        shown.extend_from_slice(&buffer[..count]);
    }
    String::from_utf8(shown).unwrap().replace("\r\n", "\n")
}

/// Runs a command to its end with a terminal as stderr, and gives what stands there.
pub(crate) fn shown_on_a_terminal(mut command: Command) -> String {
    let (master, slave) = terminal();
    command.stdout(Stdio::null()).stderr(slave);
    let status = command.status().unwrap();
    assert!(status.success(), "{status}");
    drop(command);
    shown_at_the_end(master)
}

/// Types the line that the program shows into a shell, in which `claude` tells how it was called.
fn go_on(shown: &str) -> String {
    let (_, line) = shown.split_once("cd ").unwrap_or_else(|| panic!("no line to type: {shown}"));
    let line = line.lines().next().unwrap();
    let script = format!("claude() {{ echo \"$PWD|$CLAUDE_CONFIG_DIR|$*\"; }}\ncd {line}");
    let output = Command::new("/bin/sh").args(["-c", &script]).env_clear().output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn session_id(transcripts: &[Transcript]) -> &str {
    transcripts[0].records[0].link().unwrap().session
}

#[test]
fn the_line_that_goes_on_names_the_folder_and_the_session() {
    let sandbox = Sandbox::new();
    let cwd = sandbox.folder("it's $HOME here");
    let shown = on_a_terminal(&sandbox, &["--cwd", cwd.to_str().unwrap()]);
    let transcripts = sandbox.transcripts();
    let expected = format!("{}||--resume {}\n", cwd.display(), session_id(&transcripts));
    assert_eq!(go_on(&shown), expected);
}

#[test]
fn the_line_that_goes_on_names_a_root_of_its_own() {
    let sandbox = Sandbox::new();
    let root = sandbox.path("own root");
    let shown = on_a_terminal(&sandbox, &["--session-dir", &format!("claude-code-cli={}", root.display())]);
    let called = go_on(&shown);
    let start = format!("{}|{}|--resume ", sandbox.cwd().display(), root.display());
    assert!(called.starts_with(&start), "{called}");
}

#[test]
fn a_terminal_is_told_how_much_was_recorded_and_where() {
    let sandbox = Sandbox::new();
    let shown = on_a_terminal(&sandbox, &[]);
    let file = format!("{}.jsonl", session_id(&sandbox.transcripts()));
    let line = shown.lines().find(|line| line.contains(&file)).unwrap_or_else(|| panic!("{shown}"));
    assert!(line.contains("2 events"), "{line}");
    let (_, path) = line.split_once(" recorded in ").unwrap();
    assert!(Path::new(path).exists(), "{line}");
}

#[test]
fn without_a_session_there_is_nothing_to_go_on_with() {
    let sandbox = Sandbox::new();
    assert_eq!(on_a_terminal(&sandbox, &["--no-session"]), "");
}

#[test]
fn a_terminal_gets_no_colours() {
    let sandbox = Sandbox::new();
    assert!(!on_a_terminal(&sandbox, &[]).contains('\u{1b}'));
}

#[test]
fn who_types_the_events_is_told_how_to_end_them_and_may_interrupt() {
    let sandbox = Sandbox::new();
    let (mut master, slave) = terminal();
    let mut command = sandbox.command(&[]);
    command.stdin(slave.try_clone().unwrap()).stdout(Stdio::piped()).stderr(slave);
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    master.write_all(events("U(go)").as_bytes()).unwrap();
    // The session line, and the echo of the event.
    for _ in 0..2 {
        stdout.read_line(&mut String::new()).unwrap();
    }
    send("INT", child.id());
    assert_eq!(child.wait().unwrap().signal(), Some(2));
    let shown = shown_at_the_end(master);
    assert!(shown.contains("asyncai-transcribe: reading the terminal: Ctrl-D ends the input\n"), "{shown}");
    assert!(shown.contains("1 event recorded in "), "{shown}");
    assert_eq!(sandbox.transcripts()[0].outline(), ["user go"]);
}

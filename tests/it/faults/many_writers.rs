//! Many programs at once in one project folder: every file whole, with all that it was given, in order.

use std::fs::{self, File};
use std::io::Write;
use std::ops::Range;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::thread;

use crate::monitor::support::monitor;
use crate::running::Running;
use crate::schema::Transcript;
use crate::support::{Run, Sandbox, SessionResult};

/// The events of one source among several, each with the source's name and its own number.
fn source(name: usize, count: usize) -> Vec<String> {
    let line = |number: usize| {
        format!("{{\"type\":\"monitor_event\",\"description\":\"log\",\"event\":\"s{name} {number}\"}}\n")
    };
    (0..count).map(line).collect()
}

/// Starts a monitor that watches a file of lines and shares the pipe with others.
fn watch(sandbox: &Sandbox, name: usize, count: usize, pipe: &ChildStdin) -> Child {
    let lines: Vec<_> = (0..count).map(|number| format!("s{name} {number}\n")).collect();
    let log = sandbox.file(&format!("log-{name}"), lines.concat());
    let mut monitor = monitor(sandbox, &["--description", "log"]);
    let pipe = pipe.as_fd().try_clone_to_owned().unwrap();
    monitor.stdin(File::open(log).unwrap()).stdout(pipe).spawn().unwrap()
}

fn assert_has_every_event(transcript: &Transcript, sources: Range<usize>, count: usize) {
    let outline = transcript.outline();
    for name in sources {
        let start = format!("s{name} ");
        let numbers = outline.iter().filter_map(|line| line.split_once(" = ")?.1.strip_prefix(&start)?.parse().ok());
        assert_eq!(numbers.collect::<Vec<usize>>(), (0..count).collect::<Vec<_>>(), "source {name}");
    }
}

#[test]
fn two_transcripts_of_five_monitors_each_are_whole() {
    let count = 400;
    let sandbox = Sandbox::new();
    let transcribers: Vec<_> = [0..5, 5..10]
        .map(|names| {
            let mut command = sandbox.command(&["--quiet"]);
            let mut transcriber = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            let pipe = transcriber.stdin.take().unwrap();
            let monitors = names.clone().map(|name| watch(&sandbox, name, count, &pipe)).collect::<Vec<_>>();
            (transcriber, names, monitors)
        })
        .into();
    for (transcriber, names, monitors) in transcribers {
        for mut monitor in monitors {
            assert!(monitor.wait().unwrap().success());
        }
        let output = transcriber.wait_with_output().unwrap();
        assert!(output.status.success());
        let transcript = Transcript::read(&SessionResult::parse(&output.stdout).file());
        assert_has_every_event(&transcript, names, count);
    }
    assert_eq!(sandbox.transcripts().len(), 2);
}

#[test]
fn twenty_programs_that_start_at_once_in_a_new_home_have_a_file_each() {
    let sandbox = Sandbox::new();
    let runs: Vec<Run> = thread::scope(|scope| {
        let start = |name| {
            let sandbox = &sandbox;
            scope.spawn(move || sandbox.run(&[], source(name, 20).concat()))
        };
        (0..20).map(start).collect::<Vec<_>>().into_iter().map(|run| run.join().unwrap()).collect()
    });
    for (name, run) in runs.iter().enumerate() {
        assert_eq!((run.code(), run.stderr.as_str()), (Some(0), ""));
        assert_eq!(run.echo(), source(name, 20).concat());
    }
    assert_eq!(sandbox.transcripts().len(), 20);
}

/// Appends lines of a kind that is no part of the chain.
fn append(path: &Path) {
    let mut file = File::options().append(true).open(path).unwrap();
    for _ in 0..2000 {
        file.write_all(b"{\"type\":\"mode\",\"mode\":\"normal\"}\n").unwrap();
    }
}

#[test]
fn lines_stay_whole_while_others_append_to_the_same_file() {
    let sandbox = Sandbox::new();
    let mut running = Running::start(&sandbox, &[]);
    let path = running.file.clone();
    let lines = source(0, 300);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| append(&path));
        }
        lines.chunks(10).for_each(|lines| running.record(&lines.concat()));
    });
    let ended = running.end();
    assert_eq!(ended.code(), Some(0), "{}", ended.stderr);
    assert_eq!(ended.stderr.lines().count(), 1, "said once: {}", ended.stderr);
    let text = fs::read_to_string(&ended.file).unwrap();
    let is_theirs = |line: &str| line.starts_with("{\"type\":\"mode\"");
    // A line of theirs may be seen half, where it crosses a page: it is ended once more, which is blank then.
    let lines: Vec<&str> = text.lines().collect();
    assert!(!lines[0].is_empty());
    assert!(lines.windows(2).all(|pair| !pair[1].is_empty() || is_theirs(pair[0])), "a blank line behind ours");
    let lines = lines.into_iter().filter(|line| !line.is_empty()).map(|line| format!("{line}\n"));
    let (theirs, ours): (Vec<_>, Vec<_>) = lines.partition(|line| is_theirs(line));
    assert_eq!(theirs.len(), 4000);
    assert!(theirs.iter().all(|line| line == "{\"type\":\"mode\",\"mode\":\"normal\"}\n"));
    let session = ended.file.file_stem().unwrap().to_str().unwrap();
    assert_has_every_event(&Transcript::of(ours.concat(), session), 0..1, 300);
}

#[test]
fn messages_of_programs_that_share_stderr_do_not_mix() {
    let sandbox = Sandbox::new();
    let path = sandbox.file("messages", "");
    let input = sandbox.file("in.ndjson", "nope\n".repeat(500));
    let children: Vec<_> = (0..4)
        .map(|_| {
            let messages = File::options().append(true).open(&path).unwrap();
            let mut command = sandbox.command(&["--no-session", "--quiet", input.to_str().unwrap()]);
            command.stdout(Stdio::null()).stderr(messages).spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert_eq!(child.wait().unwrap().code(), Some(1));
    }
    let messages = fs::read_to_string(path).unwrap();
    assert_eq!(messages.lines().count(), 2000);
    for line in messages.lines() {
        let rest = line.strip_prefix("asyncai-transcribe: line ").unwrap_or_else(|| panic!("{line}"));
        assert!(
            rest.trim_start_matches(|letter: char| letter.is_ascii_digit()) == ": column 1: not a JSON object",
            "{line}"
        );
    }
}

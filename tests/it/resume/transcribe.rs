//! Runs the built `asyncai-transcribe`.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::thread;

use serde_json::Value;

use super::events::lines;
use super::place::Place;

const PROGRAM: &str = env!("CARGO_BIN_EXE_asyncai-transcribe");

/// A session as its session line names it.
pub(super) struct Session {
    pub(super) id: String,
    pub(super) file: PathBuf,
}

impl Session {
    /// The sessions of a session line, in its order.
    fn of_line(line: &str) -> Vec<Self> {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: session line {line:?}"));
        let harnesses = value["result"]["harnesses"].as_array().unwrap_or_else(|| panic!("no harnesses: {line}"));
        let field = |harness: &Value, name: &str| {
            harness[name].as_str().unwrap_or_else(|| panic!("no {name} in session line {line:?}")).to_owned()
        };
        let sessions = harnesses.iter().map(|harness| Self {
            id: field(harness, "session_id"),
            file: PathBuf::from(field(harness, "session_file")),
        });
        sessions.collect()
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        fs::read(&self.file).unwrap()
    }
}

/// Pipes a whole stream through the filter, which has to take all of it.
pub(super) fn record(place: &Place, arguments: &[&str], input: &[u8]) -> Session {
    record_each(place, arguments, input).swap_remove(0)
}

/// The same, with the session of each format.
pub(super) fn record_each(place: &Place, arguments: &[&str], input: &[u8]) -> Vec<Session> {
    let mut child = place
        .command(Path::new(PROGRAM))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = thread::scope(|scope| {
        // Written beside the reading: the echo of a long stream fills the other pipe.
        scope.spawn(move || stdin.write_all(input).unwrap());
        child.wait_with_output().unwrap()
    });
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    Session::of_line(stdout.lines().next().unwrap_or_default())
}

/// The filter while its input goes on.
pub(super) struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    pub(super) session: Session,
}

impl Running {
    pub(super) fn start(place: &Place, arguments: &[&str]) -> Self {
        let mut child = place
            .command(Path::new(PROGRAM))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let session = Session::of_line(&line).swap_remove(0);
        Self { child, stdin, stdout, session }
    }

    /// Sends events and waits for their echo, which says that they are recorded.
    pub(super) fn send(&mut self, events: &[Value]) {
        for event in events {
            let sent = lines(std::slice::from_ref(event));
            self.stdin.as_mut().unwrap().write_all(sent.as_bytes()).unwrap();
            let mut echoed = String::new();
            self.stdout.read_line(&mut echoed).unwrap();
            assert_eq!(echoed, sent);
        }
    }

    /// Ends the input; returns what the filter said on stderr.
    pub(super) fn finish(mut self) -> (Session, String) {
        drop(self.stdin.take());
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}: {stderr}");
        (self.session, stderr)
    }
}

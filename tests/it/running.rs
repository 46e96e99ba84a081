//! A run that is still going on: written to piece by piece, looked at in between.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::schema::Transcript;
use crate::support::{Sandbox, SessionResult, send, wait_until};

type Shared = Arc<Mutex<Vec<u8>>>;

pub(crate) struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Shared,
    stderr: Shared,
    pub(crate) file: PathBuf,
}

impl Running {
    /// Starts the program and waits for its session line: from here on its handlers are in place.
    pub(crate) fn start(sandbox: &Sandbox, args: &[&str]) -> Self {
        Self::start_command(sandbox.command(args))
    }

    pub(crate) fn start_command(command: Command) -> Self {
        let mut running = Self::spawn(command);
        wait_until("the session line", || running.stdout().contains('\n'));
        running.file = SessionResult::parse(running.stdout().as_bytes()).file();
        running
    }

    /// Starts any program, which need not write a session line.
    pub(crate) fn spawn(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = collect(child.stdout.take().unwrap());
        let stderr = collect(child.stderr.take().unwrap());
        Self { child, stdin, stdout, stderr, file: PathBuf::new() }
    }

    pub(crate) fn write(&mut self, bytes: impl AsRef<[u8]>) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes.as_ref()).unwrap();
        stdin.flush().unwrap();
    }

    /// Writes whole lines and waits until the last of them is acknowledged by its echo.
    pub(crate) fn record(&mut self, lines: &str) {
        self.write(lines);
        wait_until("the echo", || self.stdout().ends_with(lines));
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, name: &str) {
        send(name, self.id());
    }

    pub(crate) fn stdout(&self) -> String {
        text(&self.stdout)
    }

    pub(crate) fn stderr(&self) -> String {
        text(&self.stderr)
    }

    /// The transcript as it stands, with whatever rules it keeps by now.
    pub(crate) fn text(&self) -> String {
        fs::read_to_string(&self.file).unwrap()
    }

    pub(crate) fn is_over(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Ends the input and waits for the end of the program.
    pub(crate) fn end(mut self) -> Ended {
        self.stdin = None;
        self.wait()
    }

    /// Waits for the end of the program with its input still open.
    pub(crate) fn wait(mut self) -> Ended {
        wait_until("the end of the program", || self.is_over());
        let status = self.child.wait().unwrap();
        // The pipes are at their end now; the collectors follow at once.
        wait_until("the end of the output", || Arc::strong_count(&self.stdout) == 1);
        wait_until("the end of the messages", || Arc::strong_count(&self.stderr) == 1);
        Ended { status, stdout: self.stdout(), stderr: self.stderr(), file: self.file.clone() }
    }
}

impl Drop for Running {
    /// A test that failed half-way leaves no process behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) struct Ended {
    status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) file: PathBuf,
}

impl Ended {
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.code()
    }

    pub(crate) fn signal(&self) -> Option<i32> {
        self.status.signal()
    }

    pub(crate) fn transcript(&self) -> Transcript {
        Transcript::read(&self.file)
    }

    pub(crate) fn outline(&self) -> Vec<String> {
        self.transcript().outline()
    }
}

fn collect(mut pipe: impl Read + Send + 'static) -> Shared {
    let shared = Shared::default();
    let filled = Arc::clone(&shared);
    thread::spawn(move || {
        let mut buffer = [0; 8192];
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            filled.lock().unwrap().extend_from_slice(&buffer[..count]);
        }
    });
    shared
}

fn text(shared: &Shared) -> String {
    String::from_utf8_lossy(&shared.lock().unwrap()).into_owned()
}

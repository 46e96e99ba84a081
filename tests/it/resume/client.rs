//! The real program, run against a loopback endpoint.

use std::ffi::OsString;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::endpoint::{Block, Endpoint, Recorded};
use super::place::Place;
use super::request::Request;

/// The variable that names the program.
const VARIABLE: &str = "ASYNCAI_TEST_CLAUDE";

/// What the program is asked at each resume.
pub(super) const PROMPT: &str = "prompt-of-the-resume";

/// A key of the right form that opens nothing.
pub(super) const KEY: &str = "sk-ant-dummy-0000000000000000000000000000";

/// How long one start of the program may take on a busy machine.
const DEADLINE: Duration = Duration::from_secs(180);

/// Which session the program is told to go on with.
#[derive(Clone, Copy)]
pub(super) enum Which<'a> {
    Id(&'a str),
    /// The latest of the directory.
    Last,
}

/// The real program.
pub(super) struct Client {
    program: PathBuf,
}

/// What one run of the program did.
pub(super) struct Resumed {
    pub(super) status: ExitStatus,
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) requests: Vec<Recorded>,
}

impl Client {
    /// The program that the environment names; a test that needs it fails without.
    pub(super) fn from_environment() -> Self {
        Self { program: program_of(VARIABLE, "claude") }
    }

    /// The program with all its surroundings, without arguments.
    pub(super) fn command(&self, place: &Place, endpoint: &Endpoint) -> Command {
        let mut command = place.command(&self.program);
        command
            .env("ANTHROPIC_BASE_URL", endpoint.url())
            .env("ANTHROPIC_API_KEY", KEY)
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_TELEMETRY", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .env("DISABLE_ERROR_REPORTING", "1")
            // Lets the program run as root, as it does in a container.
            .env("IS_SANDBOX", "1");
        command
    }

    /// Resumes a session with one prompt; `script` is what the model answers, turn by turn.
    pub(super) fn resume(&self, place: &Place, which: Which<'_>, script: Vec<Vec<Block>>) -> Resumed {
        let endpoint = Endpoint::start(script);
        let mut command = self.command(place, &endpoint);
        command.arg("-p");
        match which {
            Which::Id(id) => command.args(["--resume", id]),
            Which::Last => command.arg("--continue"),
        };
        command.arg(PROMPT);
        Resumed::run(command, &endpoint)
    }
}

/// The program that a variable names; a test that needs it fails without.
pub(super) fn program_of(variable: &str, command: &str) -> PathBuf {
    let named = std::env::var_os(variable).filter(|value| !value.is_empty());
    program_at(variable, command, named).unwrap_or_else(|why| panic!("{why}"))
}

fn program_at(variable: &str, command: &str, named: Option<OsString>) -> Result<PathBuf, String> {
    let program = named.map(PathBuf::from).ok_or_else(|| {
        format!("{variable} is not set: it has to name a {command} binary (tests/README.md tells how to get one)")
    })?;
    // The tests change directory.
    program.canonicalize().map_err(|error| format!("{variable}: {}: {error}", program.display()))
}

impl Resumed {
    /// Runs a program to its end.
    pub(super) fn run(mut command: Command, endpoint: &Endpoint) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdout = read_beside(child.stdout.take().unwrap());
        let stderr = read_beside(child.stderr.take().unwrap());
        let status = wait(&mut child);
        Self { status, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap(), requests: endpoint.requests() }
    }

    /// The conversation as the model got it last. (Requests without tools are for titles and such.)
    pub(super) fn request(&self) -> Request {
        let last =
            self.message_requests().filter_map(|recorded| Request::parse(&recorded.body)).rfind(Request::has_tools);
        last.unwrap_or_else(|| panic!("no request reached the model: {self}"))
    }

    pub(super) fn message_requests(&self) -> impl DoubleEndedIterator<Item = &Recorded> {
        self.requests.iter().filter(|recorded| recorded.is_message())
    }
}

impl std::fmt::Display for Resumed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { status, stdout, stderr, requests } = self;
        write!(f, "{status}, {} requests, stdout {stdout:?}, stderr {stderr:?}", requests.len())
    }
}

fn read_beside(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        drop(pipe.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn wait(child: &mut Child) -> ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if begun.elapsed() > DEADLINE {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the program did not end within {} s", DEADLINE.as_secs());
        }
        thread::sleep(Duration::from_millis(20));
    }
}

mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_an_error_that_names_the_variable() {
        assert!(program_at(VARIABLE, "claude", None).unwrap_err().starts_with("ASYNCAI_TEST_CLAUDE is not set"));
        let nowhere = program_at(VARIABLE, "claude", Some("/no/such/program".into())).unwrap_err();
        assert!(nowhere.starts_with("ASYNCAI_TEST_CLAUDE: /no/such/program: "), "{nowhere}");
    }
}

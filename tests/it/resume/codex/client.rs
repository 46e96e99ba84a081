//! The real Codex, run against a loopback endpoint.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::super::client::{PROMPT, Resumed, Which, program_of};
use super::super::endpoint::{Block, DEFAULT_ANSWER, Endpoint};
use super::super::place::Place;
use super::super::request::Request;
use super::super::transcribe::Session;
use super::checker::violations;

/// The variable that names the program.
const VARIABLE: &str = "ASYNCAI_TEST_CODEX";

/// The real program.
pub(super) struct Client {
    program: PathBuf,
    /// What the user has set, beside the provider.
    settings: &'static str,
}

impl Client {
    /// The program that the environment names; a test that needs it fails without.
    pub(super) fn from_environment() -> Self {
        Self { program: program_of(VARIABLE, "codex"), settings: "" }
    }

    /// The same, with lines of the user's in its configuration.
    pub(super) fn with_settings(self, settings: &'static str) -> Self {
        Self { settings, ..self }
    }

    /// The program with all its surroundings, without arguments.
    pub(super) fn command(&self, place: &Place, url: &str) -> Command {
        fs::write(place.codex_home().join("config.toml"), config(url, self.settings)).unwrap();
        let mut command = place.command(&self.program);
        command.env("ASYNCAI_LOOPBACK_KEY", "opens-nothing");
        command
    }

    /// Resumes a session with one prompt; `script` is what the model answers, turn by turn.
    pub(super) fn resume(&self, place: &Place, which: Which<'_>, script: Vec<Vec<Block>>) -> Resumed {
        let endpoint = Endpoint::start(script);
        let mut command = self.command(place, &endpoint.url());
        command.args(["exec", "--skip-git-repo-check", "--json", "resume"]);
        command.arg(match which {
            Which::Id(id) => id,
            Which::Last => "--last",
        });
        command.arg(PROMPT);
        Resumed::run(command, &endpoint)
    }

    /// Resumes a recorded session, and asserts what holds for every session.
    #[track_caller]
    pub(super) fn resumed(&self, place: &Place, which: Which<'_>, session: &Session) -> Request {
        let before = session.bytes();
        let resumed = self.resume(place, which, Vec::new());
        let found = faults(&resumed, session, &before);
        assert!(found.is_empty(), "{found:#?}{resumed}");
        let request = resumed.request();
        assert_eq!(request.count(PROMPT), 1, "the prompt in {request}");
        request
    }
}

/// What is wrong with a resume, whatever was recorded. (The exit status alone says nothing: an id that the program
/// does not know begins a new session.)
pub(super) fn faults(resumed: &Resumed, session: &Session, before: &[u8]) -> Vec<String> {
    if !resumed.message_requests().any(|_| true) {
        return vec![format!("no request: {resumed}")];
    }
    let refused = resumed.message_requests().flat_map(|recorded| violations(&recorded.body));
    let mut found: Vec<String> = refused.map(|why| format!("refused: {why}")).collect();
    if !resumed.status.success() || !resumed.stdout.contains(DEFAULT_ANSWER) {
        found.push(format!("no answer: {resumed}"));
    }
    if !resumed.stdout.contains(&session.id) {
        found.push(format!("another session: {resumed}"));
    }
    if !session.bytes().starts_with(before) {
        found.push("the transcript was rewritten".to_owned());
    }
    found
}

/// A provider of our own: the program's usual ones are never asked.
fn config(url: &str, settings: &str) -> String {
    format!(
        "model = \"loopback\"\nmodel_provider = \"loopback\"\ncheck_for_update_on_startup = false\n{settings}\n\n\
         [model_providers.loopback]\nname = \"loopback\"\nbase_url = \"{url}/v1\"\nwire_api = \"responses\"\n\
         env_key = \"ASYNCAI_LOOPBACK_KEY\"\nrequest_max_retries = 0\nstream_max_retries = 0\n"
    )
}

//! `asyncai-sessionize`: transcripts in, what they say of the conversation out.

mod documents;
mod events;
mod faults;
mod live;
pub(crate) mod show;
pub(crate) mod structure;
mod verify;

use std::path::PathBuf;
use std::process::Command;

use crate::support::{Run, Sandbox, run};

const SESSIONIZE: &str = env!("CARGO_BIN_EXE_asyncai-sessionize");

/// The program in a sandbox.
fn command(sandbox: &Sandbox, args: &[&str]) -> Command {
    let mut command = Command::new(SESSIONIZE);
    command.args(args).env_clear().current_dir(sandbox.cwd());
    command
}

fn sessionize(args: &[&str], input: impl AsRef<[u8]>) -> Run {
    run(command(&Sandbox::new(), args), input)
}

/// What `events` makes of a transcript in which every line can be read.
pub(crate) fn events_of(transcript: &str) -> String {
    let run = sessionize(&["events"], transcript);
    assert_eq!(run.code(), Some(0), "{}", run.stderr);
    String::from_utf8(run.stdout).unwrap()
}

/// The transcript that is recorded of event lines.
fn transcript_of(events: &str) -> String {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["--quiet"], events);
    assert_eq!(run.code(), Some(0), "{}", run.stderr);
    std::fs::read_to_string(run.session().file()).unwrap()
}

/// The errors that `verify` finds in a transcript; its notes are of no interest here.
pub(crate) fn errors_of(transcript: &[u8]) -> Vec<String> {
    let run = sessionize(&["verify"], transcript);
    let stdout = String::from_utf8(run.stdout).unwrap();
    let errors: Vec<String> = stdout.lines().filter(|line| line.contains(": error: ")).map(str::to_owned).collect();
    assert_eq!(run.status.code(), Some(i32::from(!errors.is_empty())), "{stdout}{}", run.stderr);
    assert_eq!(run.stderr, "");
    errors
}

/// Whatever a program wrote into a transcript can be shown.
pub(crate) fn assert_can_be_shown(transcript: &[u8]) {
    for args in [&["show"][..], &["show", "--json"]] {
        let run = sessionize(args, transcript);
        assert_eq!((run.code(), run.stderr.as_str()), (Some(0), ""), "{args:?}");
        assert!(!run.stdout.is_empty());
    }
}

fn example(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)
}

/// The event streams among the examples.
fn examples() -> Vec<String> {
    let entries = std::fs::read_dir(example("")).unwrap().map(|entry| entry.unwrap().path());
    let streams = entries.filter(|path| path.extension().is_some_and(|extension| extension == "ndjson"));
    let texts: Vec<String> = streams.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    assert!(texts.len() >= 3);
    texts
}

/// The seeded random conversations of the resume tests, as event lines.
fn random(seed: u64) -> String {
    let events = crate::resume::conversation::conversation(seed);
    events.iter().flat_map(|event| [event.line.to_string(), "\n".to_owned()]).collect()
}

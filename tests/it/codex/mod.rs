//! Transcripts of the format `codex-cli`.

mod lines;
mod places;
mod shapes;
mod tampered;
mod transcript;
mod two_formats;

pub(crate) use transcript::Transcript;

use crate::support::{Run, Sandbox};

/// Records in this format; nothing may be lost.
fn recorded(sandbox: &Sandbox, input: &str) -> Run {
    recorded_with(sandbox, &[], input)
}

fn recorded_with(sandbox: &Sandbox, args: &[&str], input: &str) -> Run {
    let run = sandbox.run(&[&["--session-format", "codex-cli"], args].concat(), input);
    assert_eq!(run.code(), Some(0), "{}", run.stderr);
    run
}

/// Records in a sandbox of its own and gives the lines in outline.
fn outline(input: &str) -> Vec<String> {
    recorded(&Sandbox::new(), input).codex_transcript().outline()
}

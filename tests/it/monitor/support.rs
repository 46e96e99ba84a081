//! Runs of the monitor, and what they wrote as plain data.

use std::fs;
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

use crate::running::Running;
use crate::support::{Run, Sandbox, run, wait_until};

pub(super) const MONITOR: &str = env!("CARGO_BIN_EXE_asyncai-monitor");

/// An event of a source, in the form of the event stream and no other.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) description: String,
    pub(super) event: Option<String>,
    pub(super) status: Option<String>,
    pub(super) task_id: String,
    #[serde(default, deserialize_with = "present")]
    pub(super) note: Option<Value>,
}

/// Tells null from absent.
fn present<'a, D: serde::Deserializer<'a>>(value: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(value).map(Some)
}

/// The monitor with the sandbox as its environment.
pub(crate) fn monitor(sandbox: &Sandbox, args: &[&str]) -> Command {
    let mut command = Command::new(MONITOR);
    command.args(args).env_clear().current_dir(sandbox.cwd());
    command
}

/// Runs the monitor to its end.
pub(super) fn watch(args: &[&str], input: impl AsRef<[u8]>) -> Run {
    run(monitor(&Sandbox::new(), args), input)
}

/// Starts the monitor, in a folder that outlives it.
pub(super) fn start(args: &[&str]) -> Running {
    let mut command = Command::new(MONITOR);
    command.args(args).env_clear().current_dir(env!("CARGO_TARGET_TMPDIR"));
    Running::spawn(command)
}

pub(super) fn events(stdout: impl AsRef<[u8]>) -> Vec<Written> {
    let text = std::str::from_utf8(stdout.as_ref()).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'), "{text}");
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

/// The texts of the events.
pub(super) fn texts(stdout: impl AsRef<[u8]>) -> Vec<String> {
    events(stdout).into_iter().map(|event| event.event.unwrap()).collect()
}

/// Waits until a run has written this many events, and gives their texts.
pub(super) fn wait_for(running: &Running, count: usize) -> Vec<String> {
    wait_until("the events", || running.stdout().lines().count() >= count && running.stdout().ends_with('\n'));
    texts(running.stdout())
}

/// Whether a process is there and no zombie: whoever inherits one may reap it late.
pub(super) fn is_alive(process: &str) -> bool {
    assert!(fs::exists("/proc/self/stat").unwrap(), "these tests look at processes in /proc");
    let Ok(status) = fs::read_to_string(format!("/proc/{process}/stat")) else { return false };
    !matches!(status.rsplit(") ").next().unwrap().chars().next(), Some('Z' | 'X'))
}

/// Waits until the processes are gone; what was killed may take a moment to be.
pub(super) fn wait_until_gone(processes: &[String]) {
    for process in processes {
        wait_until("the end of a process", || !is_alive(process));
    }
}

//! A command as a process group: from its start until nothing of it is left. Knows no line and no event.

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid};

/// How long a group may take to end before it is killed.
pub(super) const GRACE: Duration = Duration::from_secs(5);
/// How long the pipe must be silent after the leader's end until what is left of the group is ended: the last
/// program of a pipeline may still have something to say.
const SILENCE: Duration = Duration::from_millis(100);
/// How long that is waited for.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often it is looked whether anything of the group is left. The system tells of the leader only.
const LOOK: Duration = Duration::from_millis(20);

/// What is to be done about a group.
#[derive(Debug)]
pub(super) enum Step {
    /// Nothing before this time, unless something happens.
    Wait(Option<Instant>),
    /// Nothing of the group can write any more: read what has come and close the pipe.
    Drain,
    /// Nothing of it is left. The status of the leader: its own, or 128 and the signal that it died of.
    Over(i32),
}

/// The pipe from the command's standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pipe {
    /// Open, and this is when something last came.
    Open(Instant),
    Closed,
}

/// A command's processes. The leader stays unreaped until the end: the number of its group is nobody else's till then.
#[derive(Debug)]
pub(super) struct Group {
    leader: Child,
    id: Pid,
    /// The signals that were passed on to it.
    passed: Vec<i32>,
    /// When what is left is killed.
    deadline: Option<Instant>,
    killed: Option<Instant>,
    /// When the leader was found to be gone.
    gone: Option<Instant>,
    /// Whether others of the group are left, as far as known at this time.
    others: Option<(bool, Instant)>,
}

impl Group {
    /// Starts a command of the shell in a group of its own, and gives its standard output.
    ///
    /// # Errors
    /// When there is no shell, or no process can be made.
    pub(super) fn start(command: &str) -> io::Result<(Self, File)> {
        let mut shell = Command::new("sh");
        shell.args(["-c", "--", command]).stdin(Stdio::null()).stdout(Stdio::piped()).process_group(0);
        let mut leader = shell.spawn()?;
        let id = i32::try_from(leader.id()).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::InvalidData)?;
        let pipe = leader.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let group = Self { leader, id, passed: Vec::new(), deadline: None, killed: None, gone: None, others: None };
        Ok((group, File::from(OwnedFd::from(pipe))))
    }

    /// Passes a signal on, each kind once, and lets the group end.
    pub(super) fn end(&mut self, signal: Signal, now: Instant) {
        self.deadline.get_or_insert(now + GRACE);
        if self.killed.is_none() && !self.passed.contains(&signal.as_raw()) {
            self.passed.push(signal.as_raw());
            self.send(signal);
            // A stopped process acts on no signal until it goes on.
            self.send(Signal::CONT);
        }
    }

    /// Tells whether the command itself still runs.
    pub(super) fn is_running(&mut self, now: Instant) -> bool {
        if self.gone.is_none() {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            if !matches!(waitid(WaitId::Pid(self.id), options), Ok(None)) {
                self.gone = Some(now);
            }
        }
        self.gone.is_none()
    }

    /// Takes the group a step nearer to its end, if it is on the way there.
    pub(super) fn step(&mut self, pipe: Pipe, now: Instant) -> Step {
        if self.killed.is_none() && self.deadline.is_some_and(|deadline| deadline <= now) {
            self.kill(now);
        }
        let is_running = self.is_running(now);
        if let Some(killed) = self.killed {
            // Only a process that waits inside the system outlives this; it dies when that lets go of it.
            return if is_running && now < killed + PATIENCE {
                Step::Wait(Some(killed + PATIENCE))
            } else {
                self.close(pipe, now)
            };
        }
        let Some(gone) = self.gone else { return Step::Wait(self.deadline) };
        if !self.has_others(now) {
            return self.close(pipe, now);
        }
        if let Pipe::Open(heard) = pipe
            && self.passed.is_empty()
        {
            let silent = (heard.max(gone) + SILENCE).min(gone + PATIENCE);
            if now < silent {
                return Step::Wait(Some(silent.min(now + LOOK)));
            }
        }
        self.end(Signal::TERM, now);
        Step::Wait(self.deadline.map(|deadline| deadline.min(now + LOOK)))
    }

    fn close(&mut self, pipe: Pipe, now: Instant) -> Step {
        if pipe != Pipe::Closed {
            return Step::Drain;
        }
        // Whatever the look at the processes may have missed goes now, while the number is still the group's own.
        if self.killed.is_none() {
            self.kill(now);
        }
        let status = match self.leader.try_wait() {
            Ok(Some(status)) => status.code().or_else(|| status.signal().map(|signal| 128 + signal)),
            Ok(None) | Err(_) => None,
        };
        Step::Over(status.unwrap_or(128 + Signal::KILL.as_raw()))
    }

    fn kill(&mut self, now: Instant) {
        self.killed = Some(now);
        self.send(Signal::KILL);
    }

    /// Sends a signal to all of the group. Only called while the leader is not reaped.
    fn send(&self, signal: Signal) {
        // It fails when nothing is left that could take it.
        let _ = kill_process_group(self.id, signal);
    }

    fn has_others(&mut self, now: Instant) -> bool {
        match self.others {
            Some((found, looked)) if now < looked + LOOK => found,
            _ => {
                let found = test_kill_process_group(self.id).is_ok() && has_living(self.id.as_raw_pid());
                self.others = Some((found, now));
                found
            }
        }
    }
}

impl Drop for Group {
    /// No way out of the program leaves a process behind.
    fn drop(&mut self) {
        if self.killed.is_none() {
            self.send(Signal::KILL);
        }
    }
}

/// Whether a group has a process that is no zombie. Where the system has no list of processes: yes, since the
/// zombie of the leader cannot be told from the others.
fn has_living(group: i32) -> bool {
    let Ok(processes) = fs::read_dir("/proc") else { return true };
    let mut is_list = false;
    for process in processes.flatten() {
        if !process.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit) {
            continue;
        }
        let Ok(text) = fs::read(process.path().join("stat")) else { continue };
        is_list = true;
        if living_group(&text) == Some(group) {
            return true;
        }
    }
    !is_list
}

/// The group of a process by its line of status, unless it is a zombie.
fn living_group(status: &[u8]) -> Option<i32> {
    // The name before it may hold anything, parentheses too.
    let after_name = status.rsplit(|byte| *byte == b')').next()?;
    let mut fields = std::str::from_utf8(after_name).ok()?.split_ascii_whitespace();
    let state = fields.next()?;
    let group = fields.nth(1)?.parse().ok()?;
    (!matches!(state, "Z" | "X")).then_some(group)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_of_a_process_is_read_behind_any_name() {
        assert_eq!(living_group(b"12 (sh) S 1 77 77 0 -1"), Some(77));
        assert_eq!(living_group(b"12 (a) Z 1 (2) R 1 78 77 0 -1"), Some(78));
        assert_eq!(living_group(b"12 (sh) Z 1 77 77 0 -1"), None);
        assert_eq!(living_group(b""), None);
    }
}

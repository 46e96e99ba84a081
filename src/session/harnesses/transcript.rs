//! What every harness does with its file: batches, held remainders, bytes of other programs, and what is told of them.
//! Knows no record.

use std::io;
use std::path::{Path, PathBuf};

use super::{OpenCalls, Options, SessionHarness};
use crate::event::TranscriptEvent;
use crate::session::append_file::{AppendFile, Flushed};
use crate::session::clock::Timestamp;
use crate::session::notice::Notice;
use crate::session::stamp::Stamp;
use crate::shell;

/// More than this does not wait for the end of a batch, so that memory stays bounded.
const BUFFER_LIMIT: usize = 2 * 1024 * 1024;

/// What is said of an agent program outside its transcripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Program {
    /// The format's name, as `--session-format` takes it.
    pub format: &'static str,
    /// The folder below the home where it looks.
    pub home_folder: &'static str,
    /// The variable that names another folder.
    pub root_variable: &'static str,
    /// The command that resumes the session whose id follows.
    pub resume: &'static str,
}

impl Program {
    /// Returns the root for a home folder and the value of the program's variable, of which an empty one counts as unset.
    #[must_use]
    pub fn root(&self, home: Option<&Path>, own: Option<&Path>) -> Option<PathBuf> {
        match own {
            // A tilde stays literal, as in the programs.
            Some(folder) if !folder.as_os_str().is_empty() => Some(folder.to_owned()),
            _ => home.map(|home| home.join(self.home_folder)),
        }
    }

    fn resume_command(&self, options: &Options<'_>, session_id: &str) -> String {
        let root = if options.is_default_root {
            String::new()
        } else {
            format!("{}={} ", self.root_variable, shell::quote(&options.root.to_string_lossy()))
        };
        format!("cd {} && {root}{} {session_id}", shell::quote(&options.context.cwd), self.resume)
    }
}

/// A transcript's file and name, and what the user should know of it.
pub struct Transcript {
    file: AppendFile,
    format: &'static str,
    session_id: String,
    resume_command: String,
    notices: Vec<Notice>,
    has_warned: bool,
}

impl Transcript {
    /// Creates a file for a fresh session id.
    pub(super) fn create(
        program: &Program,
        options: &Options<'_>,
        stamp: &mut dyn Stamp,
        folder: &Path,
        file_name: impl Fn(&str) -> String,
    ) -> io::Result<Self> {
        let mut session_id = String::new();
        let file = AppendFile::create(folder, || {
            session_id = stamp.uuid().to_string();
            file_name(&session_id)
        })?;
        Ok(Self {
            file,
            format: program.format,
            resume_command: program.resume_command(options, &session_id),
            session_id,
            notices: Vec::new(),
            has_warned: false,
        })
    }

    pub(super) fn session_id(&self) -> &str {
        &self.session_id
    }

    pub(super) fn file(&self) -> &AppendFile {
        &self.file
    }

    /// Returns the buffer, to append records to.
    pub(super) fn buffer(&mut self) -> &mut Vec<u8> {
        self.file.buffer()
    }

    pub(super) fn notify(&mut self, notice: Notice) {
        self.notices.push(notice);
    }

    /// Says how many calls were open at the end of the input.
    pub(super) fn tell_open(&mut self, open: &OpenCalls) {
        if !open.is_empty() {
            self.notify(Notice::CallsWithoutResult(open.len() as u64));
        }
    }

    pub(super) fn flush_when_large(&mut self) -> io::Result<()> {
        if self.file.unwritten() > BUFFER_LIMIT { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.file.flush()? {
            Flushed::Written | Flushed::StillHeld => {}
            Flushed::HeldNow => self.notify(Notice::DiskFull),
            Flushed::WrittenAgain => self.notify(Notice::DiskHasRoom),
        }
        Ok(())
    }

    /// Before the first record of a batch: looks for what another program appended, and ends its last line.
    fn take_foreign(&mut self) -> io::Result<Option<(u64, u64)>> {
        if self.file.unwritten() > 0 {
            return Ok(None);
        }
        let Some((from, to)) = self.file.take_foreign()? else { return Ok(None) };
        if !std::mem::replace(&mut self.has_warned, true) {
            self.notify(Notice::ForeignAppend);
        }
        if !self.file.ends_line(to)? {
            self.buffer().push(b'\n');
        }
        Ok(Some((from, to)))
    }
}

/// Turns events into the records of one format; the rest of a harness is the same for all.
pub trait Recorder: Send {
    /// Returns the transcript that the records go to.
    fn transcript(&self) -> &Transcript;

    /// Returns it, to be written to.
    fn transcript_mut(&mut self) -> &mut Transcript;

    /// Appends the records of one event to the buffer.
    ///
    /// # Errors
    /// When the file cannot be written, or a record not be put into words.
    fn append(&mut self, at: &Timestamp, event: &TranscriptEvent<'_>) -> io::Result<()>;

    /// Goes on after what another program appended, a range of the file.
    ///
    /// # Errors
    /// When it cannot be read.
    fn follow(&mut self, foreign: (u64, u64)) -> io::Result<()>;

    /// Appends what ends the transcript.
    ///
    /// # Errors
    /// As for [`Recorder::append`].
    fn close(&mut self, at: &Timestamp) -> io::Result<()>;
}

fn follow_foreign(recorder: &mut impl Recorder) -> io::Result<()> {
    recorder.transcript_mut().take_foreign()?.map_or(Ok(()), |range| recorder.follow(range))
}

impl<R: Recorder> SessionHarness for R {
    fn format_name(&self) -> &'static str {
        self.transcript().format
    }

    fn session_id(&self) -> &str {
        &self.transcript().session_id
    }

    fn session_file(&self) -> &Path {
        self.transcript().file.path()
    }

    fn resume_command(&self) -> String {
        self.transcript().resume_command.clone()
    }

    fn write_event(&mut self, at: &Timestamp, event: &TranscriptEvent<'_>) -> io::Result<()> {
        follow_foreign(self)?;
        self.append(at, event)?;
        // A monitor event and its consumption are one event of the input, and go out in one write.
        if !matches!(event, TranscriptEvent::MonitorEvent(_)) {
            self.transcript_mut().file.end_event();
            self.transcript_mut().flush_when_large()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.transcript_mut().flush()
    }

    fn finish(&mut self, at: &Timestamp) -> io::Result<()> {
        follow_foreign(self)?;
        self.close(at)?;
        let transcript = self.transcript_mut();
        transcript.flush()?;
        if transcript.file.unwritten() > 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn recorded_events(&self) -> u64 {
        self.transcript().file.recorded_events()
    }

    fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.transcript_mut().notices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: Program =
        Program { format: "x", home_folder: ".agent", root_variable: "AGENT_HOME", resume: "agent --resume" };

    #[test]
    fn the_root_is_the_own_folder_or_below_home() {
        let home = Some(Path::new("/home/u"));
        assert_eq!(PROGRAM.root(home, None), Some("/home/u/.agent".into()));
        assert_eq!(PROGRAM.root(home, Some(Path::new(""))), Some("/home/u/.agent".into()));
        assert_eq!(PROGRAM.root(home, Some(Path::new("~/x"))), Some("~/x".into()));
        assert_eq!(PROGRAM.root(None, None), None);
    }
}

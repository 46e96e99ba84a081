//! Several harnesses as one: every step reaches each that still works, and one that fails is dropped. Knows no format.

use std::fmt;
use std::io;

use super::harnesses::SessionHarness;
use super::notice::Notice;
use crate::report::reason;

/// A notice, and the format of the transcript that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionNotice {
    /// The format's name.
    pub format: &'static str,
    /// What is to be said.
    pub notice: Notice,
}

impl fmt::Display for SessionNotice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.notice {
            // These are looked for by their own names.
            Notice::ForeignAppend | Notice::OffChain(_) => self.notice.fmt(formatter),
            _ => write!(formatter, "{}: {}", self.format, self.notice),
        }
    }
}

/// The harnesses of a session.
#[derive(Default)]
pub(super) struct FanOut {
    live: Vec<Box<dyn SessionHarness>>,
    dropped: Vec<Dropped>,
    notices: Vec<SessionNotice>,
}

/// A harness that failed.
struct Dropped {
    format: &'static str,
    /// How many events it has wholly recorded; nothing when there is no transcript at all.
    recorded: Option<u64>,
}

impl FanOut {
    /// Takes in a harness, or the reason why it could not be opened.
    pub(super) fn add(&mut self, format: &'static str, harness: io::Result<Box<dyn SessionHarness>>) {
        match harness {
            Ok(harness) => self.live.push(harness),
            Err(error) => {
                self.notices.push(SessionNotice { format, notice: Notice::Dropped(reason(&error)) });
                self.dropped.push(Dropped { format, recorded: None });
            }
        }
    }

    /// Returns the harnesses that work.
    pub(super) fn live(&self) -> impl Iterator<Item = &dyn SessionHarness> {
        self.live.iter().map(|harness| &**harness)
    }

    /// Tells whether a harness was dropped.
    pub(super) fn has_dropped(&self) -> bool {
        !self.dropped.is_empty()
    }

    /// Takes one step with each harness that works.
    pub(super) fn each(&mut self, mut step: impl FnMut(&mut dyn SessionHarness) -> io::Result<()>) {
        let Self { live, dropped, notices } = self;
        live.retain_mut(|harness| {
            let Err(error) = step(&mut **harness) else { return true };
            collect_notices(&mut **harness, notices);
            let format = harness.format_name();
            notices.push(SessionNotice { format, notice: Notice::Dropped(reason(&error)) });
            dropped.push(Dropped { format, recorded: Some(harness.recorded_events()) });
            false
        });
    }

    /// Says, of each harness that was dropped, how many of the session's events it lacks.
    pub(super) fn tell_losses(&mut self, events: u64) {
        let losses = self.dropped.iter().filter_map(|dropped| {
            let lost = events.saturating_sub(dropped.recorded?);
            (lost > 0).then_some(SessionNotice { format: dropped.format, notice: Notice::Lost(lost) })
        });
        self.notices.extend(losses);
    }

    /// Takes what the user should be told since the last call.
    pub(super) fn take_notices(&mut self) -> Vec<SessionNotice> {
        for harness in &mut self.live {
            collect_notices(&mut **harness, &mut self.notices);
        }
        std::mem::take(&mut self.notices)
    }
}

fn collect_notices(harness: &mut dyn SessionHarness, notices: &mut Vec<SessionNotice>) {
    let format = harness.format_name();
    notices.extend(harness.take_notices().into_iter().map(|notice| SessionNotice { format, notice }));
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::event::{JsonText, TranscriptEvent};
    use crate::session::clock::Timestamp;

    /// Remembers the texts it gets, and fails at the one it is told to fail at.
    struct Memory {
        name: &'static str,
        texts: Arc<Mutex<Vec<String>>>,
        fails_at: Option<usize>,
    }

    impl SessionHarness for Memory {
        fn format_name(&self) -> &'static str {
            self.name
        }

        fn session_id(&self) -> &str {
            self.name
        }

        fn session_file(&self) -> &Path {
            Path::new(self.name)
        }

        fn resume_command(&self) -> String {
            String::new()
        }

        fn write_event(&mut self, _: &Timestamp, event: &TranscriptEvent<'_>) -> io::Result<()> {
            if self.fails_at == Some(self.texts.lock().unwrap().len()) {
                return Err(io::Error::from_raw_os_error(5));
            }
            let TranscriptEvent::User { text } = event else { return Ok(()) };
            self.texts.lock().unwrap().push(text.decode().into_owned());
            Ok(())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }

        fn finish(&mut self, _: &Timestamp) -> io::Result<()> {
            Ok(())
        }

        fn recorded_events(&self) -> u64 {
            self.texts.lock().unwrap().len() as u64
        }

        fn take_notices(&mut self) -> Vec<Notice> {
            Vec::new()
        }
    }

    fn record(fan_out: &mut FanOut, plain: &str) {
        let (at, text) = (Timestamp::from(crate::event::Time(0)), JsonText::new(plain));
        fan_out.each(|harness| harness.write_event(&at, &TranscriptEvent::User { text: &text }));
    }

    #[test]
    fn a_failing_harness_is_dropped_and_the_others_get_every_event() {
        let texts = [Arc::default(), Arc::default()];
        let mut fan_out = FanOut::default();
        for (name, fails_at, texts) in [("bad", Some(1), &texts[0]), ("good", None, &texts[1])] {
            fan_out.add(name, Ok(Box::new(Memory { name, texts: Arc::clone(texts), fails_at })));
        }
        for text in ["a", "b", "c"] {
            record(&mut fan_out, text);
        }
        assert_eq!(*texts[0].lock().unwrap(), ["a"]);
        assert_eq!(*texts[1].lock().unwrap(), ["a", "b", "c"]);
        fan_out.tell_losses(3);
        let told: Vec<_> = fan_out.take_notices().iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            ["bad: cannot record: input/output error", "bad: transcript incomplete: 2 events not recorded"]
        );
    }

    #[test]
    fn a_harness_that_cannot_be_opened_is_told_of_once() {
        let mut fan_out = FanOut::default();
        fan_out.add("bad", Err(io::ErrorKind::NotADirectory.into()));
        record(&mut fan_out, "a");
        fan_out.tell_losses(1);
        assert!(fan_out.has_dropped());
        assert_eq!(fan_out.take_notices().len(), 1);
    }
}

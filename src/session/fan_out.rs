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
    recorded: u64,
}

impl FanOut {
    /// Takes in a harness, or the reason why it could not be opened.
    pub(super) fn add(&mut self, format: &'static str, harness: io::Result<Box<dyn SessionHarness>>) {
        match harness {
            Ok(harness) => self.live.push(harness),
            Err(error) => {
                self.notices.push(SessionNotice { format, notice: Notice::Dropped(reason(&error)) });
                self.dropped.push(Dropped { format, recorded: 0 });
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
            let result = step(&mut **harness);
            let format = harness.format_name();
            notices.extend(harness.take_notices().into_iter().map(|notice| SessionNotice { format, notice }));
            let Err(error) = result else { return true };
            notices.push(SessionNotice { format, notice: Notice::Dropped(reason(&error)) });
            dropped.push(Dropped { format, recorded: harness.recorded_events() });
            false
        });
    }

    /// Says, of each harness that was dropped, how many of the session's events it lacks.
    pub(super) fn tell_losses(&mut self, events: u64) {
        let losses = self.dropped.iter().map(|dropped| SessionNotice {
            format: dropped.format,
            notice: Notice::Lost(events.saturating_sub(dropped.recorded)),
        });
        self.notices.extend(losses);
    }

    /// Takes what the user should be told since the last call.
    pub(super) fn take_notices(&mut self) -> Vec<SessionNotice> {
        std::mem::take(&mut self.notices)
    }
}

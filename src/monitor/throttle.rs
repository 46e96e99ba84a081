//! How many events a source may make. Pure state: the time is told to it.

use std::time::{Duration, Instant};

/// Lines that come within this time are one event.
pub(super) const BATCH: Duration = Duration::from_millis(200);
/// The longest line, in characters.
pub(super) const LINE_LIMIT: usize = 500;
/// The longest event, in characters, its line breaks counted.
pub(super) const EVENT_LIMIT: usize = 3_000;
/// How many events may come at once after a quiet time.
const BUCKET: u32 = 10;
/// How long it takes until one more may come.
const REFILL: Duration = Duration::from_secs(2);
/// How long a source may go on making too many events.
const PATIENCE: Duration = Duration::from_secs(30);

/// Whether an event may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Pass,
    Hold,
    /// Held back as well, and the source has had its time.
    Stop,
}

/// A bucket of events.
#[derive(Debug)]
pub(super) struct Bucket {
    left: u32,
    /// When the last one was put in.
    refilled: Instant,
    /// Since when the bucket was found empty, with no pause long enough to leave one over.
    flooded_since: Option<Instant>,
}

impl Bucket {
    pub(super) fn full(now: Instant) -> Self {
        Self { left: BUCKET, refilled: now, flooded_since: None }
    }

    /// Takes one event out, if there is one.
    pub(super) fn take(&mut self, now: Instant) -> Verdict {
        self.refill(now);
        if self.left > 0 {
            self.left -= 1;
            if self.left > 0 {
                self.flooded_since = None;
            }
            return Verdict::Pass;
        }
        let since = *self.flooded_since.get_or_insert(now);
        if now.duration_since(since) >= PATIENCE { Verdict::Stop } else { Verdict::Hold }
    }

    /// When there is one to take.
    pub(super) fn next(&self) -> Instant {
        if self.left > 0 { self.refilled } else { self.refilled + REFILL }
    }

    fn refill(&mut self, now: Instant) {
        while self.left < BUCKET && now.duration_since(self.refilled) >= REFILL {
            self.left += 1;
            self.refilled += REFILL;
        }
        if self.left == BUCKET {
            self.refilled = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_pass_at_once_and_then_one_every_two_seconds() {
        let start = Instant::now();
        let mut bucket = Bucket::full(start);
        for _ in 0..10 {
            assert_eq!(bucket.take(start), Verdict::Pass);
        }
        assert_eq!(bucket.take(start), Verdict::Hold);
        assert_eq!(bucket.next(), start + REFILL);
        assert_eq!(bucket.take(start + REFILL), Verdict::Pass);
        assert_eq!(bucket.take(start + REFILL), Verdict::Hold);
    }

    /// Takes one event every 200 ms, with a pause in the middle if asked for.
    fn verdict_after_35_seconds(pause: Duration) -> Verdict {
        let start = Instant::now();
        let mut bucket = Bucket::full(start);
        let mut verdict = Verdict::Pass;
        for number in 0..175 {
            let pause = if number < 90 { Duration::ZERO } else { pause };
            verdict = bucket.take(start + BATCH * number + pause);
        }
        verdict
    }

    #[test]
    fn a_flood_of_thirty_seconds_is_stopped_and_a_pause_begins_it_anew() {
        assert_eq!(verdict_after_35_seconds(Duration::ZERO), Verdict::Stop);
        assert_ne!(verdict_after_35_seconds(Duration::from_secs(5)), Verdict::Stop);
    }
}

//! Now, and fresh ids: the system's, and for tests counted ones.

use std::time::{SystemTime, UNIX_EPOCH};

use uuid::Uuid;

use crate::event::Time;

/// Where a session gets the time and its ids from.
pub trait Stamp: Send {
    /// Returns the time.
    fn now(&mut self) -> Time;
    /// Returns an id that nobody had before.
    fn uuid(&mut self) -> Uuid;
}

/// The system's clock, and version 4 ids from a generator that the system's randomness seeds.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemStamp;

impl Stamp for SystemStamp {
    fn now(&mut self) -> Time {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Time(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn uuid(&mut self) -> Uuid {
        Uuid::new_v4()
    }
}

/// A clock that stands still until it is set, and ids that count up.
#[derive(Debug, Clone, Copy)]
pub struct CountingStamp {
    /// What the clock shows.
    pub now: Time,
    ids: u128,
}

impl CountingStamp {
    /// Begins at this time.
    #[must_use]
    pub fn at(now: Time) -> Self {
        Self { now, ids: 0 }
    }
}

impl Stamp for CountingStamp {
    fn now(&mut self) -> Time {
        self.now
    }

    fn uuid(&mut self) -> Uuid {
        self.ids += 1;
        uuid::Builder::from_u128(self.ids).with_version(uuid::Version::Random).into_uuid()
    }
}

//! Which time an event is recorded with. Times never fall within a session.

use chrono::{DateTime, SecondsFormat};
use serde::{Serialize, Serializer};

use crate::event::Time;
use crate::report::{Oddity, Tally};

/// How far ahead of the clock a time may be, in milliseconds: five minutes.
const AHEAD_LIMIT: i64 = 5 * 60 * 1000;

/// A time in the form that records have, as a JSON string: RFC 3339, UTC, milliseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timestamp(String);

impl Timestamp {
    /// Returns the JSON string, quotes included.
    #[must_use]
    pub fn as_json(&self) -> &str {
        &self.0
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.trim_matches('"'))
    }
}

impl From<Time> for Timestamp {
    fn from(time: Time) -> Self {
        let time = DateTime::from_timestamp_millis(time.0).unwrap_or_default();
        Self(format!("\"{}\"", time.to_rfc3339_opts(SecondsFormat::Millis, true)))
    }
}

/// Gives each event its time.
#[derive(Debug)]
pub struct Clock {
    last: Time,
    text: Timestamp,
}

impl Default for Clock {
    fn default() -> Self {
        let last = Time(i64::MIN);
        Self { last, text: Timestamp::from(last) }
    }
}

impl Clock {
    /// Returns the time to record: the event's own, raised to the last one; now when it has none, or one too far ahead.
    pub fn time(&mut self, said: Option<Time>, now: Time, tally: &mut Tally) -> &Timestamp {
        let time = match said {
            Some(time) if time.0 > now.0.saturating_add(AHEAD_LIMIT) => {
                tally.count(Oddity::FutureTime);
                now
            }
            Some(time) => time,
            None => now,
        };
        // Under load many events fall into one millisecond and share its text.
        if time > self.last {
            self.last = time;
            self.text = Timestamp::from(time);
        }
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time(1_800_000_000_000);

    fn times(said: &[Option<i64>]) -> (Vec<String>, u64) {
        let (mut clock, mut tally) = (Clock::default(), Tally::default());
        let texts = said.iter().map(|time| clock.time(time.map(Time), NOW, &mut tally).as_json().to_owned()).collect();
        (texts, tally.take_fresh().count() as u64)
    }

    #[test]
    fn a_time_has_milliseconds_and_is_in_utc() {
        assert_eq!(times(&[Some(1_792_428_051_620)]).0, ["\"2026-10-19T16:40:51.620Z\""]);
        assert_eq!(times(&[Some(0)]).0, ["\"1970-01-01T00:00:00.000Z\""]);
    }

    #[test]
    fn a_smaller_time_is_raised_to_the_last_one() {
        let (texts, oddities) = times(&[Some(5000), Some(4000), Some(6000)]);
        assert_eq!(texts[1], texts[0]);
        assert!(texts[2] > texts[1]);
        assert_eq!(oddities, 0);
    }

    #[test]
    fn a_time_more_than_five_minutes_ahead_is_replaced_by_now() {
        let (texts, oddities) = times(&[Some(NOW.0 + AHEAD_LIMIT), Some(NOW.0 + AHEAD_LIMIT + 1)]);
        assert_eq!((texts[1].clone(), oddities), (texts[0].clone(), 1));
        assert_eq!(times(&[Some(NOW.0 + AHEAD_LIMIT + 1)]).0, times(&[None]).0);
    }
}

//! Times and numbers for people. Asks no clock.

use crate::conversation::record::Usage;
use crate::event::Time;
use crate::ndjson::rfc3339;

/// A moment to the second, as it was recorded (UTC).
pub(super) fn moment(time: Time) -> String {
    to_second(&rfc3339(time))
}

/// The time of the day to the second.
pub(super) fn time_of_day(time: Time) -> String {
    moment(time).split_once(' ').map(|(_, time)| time.to_owned()).unwrap_or_default()
}

fn to_second(time: &str) -> String {
    time.get(..19).unwrap_or(time).replace('T', " ")
}

/// From one moment to another; the day is said once where it is the same.
pub(super) fn span(from: &str, through: &str) -> String {
    let (from, through) = (to_second(from), to_second(through));
    let end = match (from.split_once(' '), through.split_once(' ')) {
        (Some((day, _)), Some((same, time))) if day == same => time,
        _ => &through,
    };
    format!("{from} to {end} UTC")
}

/// How long something took.
pub(super) fn lasting(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match seconds {
        0 => format!("{milliseconds} ms"),
        1..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", grouped(seconds / 3600), seconds / 60 % 60),
    }
}

/// A number with its thousands set apart.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A word for one or several.
pub(super) fn plural(count: u64, word: &str) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}

/// The tokens of a call, or of several. What came from a cache was read all the same.
pub(super) fn tokens(usage: Usage) -> String {
    let input = usage.input.saturating_add(usage.cache_read).saturating_add(usage.cache_write);
    let cached = match usage.cache_read {
        0 => String::new(),
        cached => format!(" ({} cached)", grouped(cached)),
    };
    format!("{} in{cached}, {} out", grouped(input), grouped(usage.output))
}

/// Two usages together.
pub(super) fn sum(one: Usage, other: Usage) -> Usage {
    Usage {
        input: one.input.saturating_add(other.input),
        output: one.output.saturating_add(other.output),
        cache_read: one.cache_read.saturating_add(other.cache_read),
        cache_write: one.cache_write.saturating_add(other.cache_write),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_thousands_set_apart() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn the_day_is_said_once_where_it_is_the_same() {
        let day = |time: &str| format!("2026-01-02T{time}.123Z");
        assert_eq!(span(&day("10:00:01"), &day("10:00:09")), "2026-01-02 10:00:01 to 10:00:09 UTC");
        let next = "2026-01-03T00:00:00.000Z";
        assert_eq!(span(&day("23:59:59"), next), "2026-01-02 23:59:59 to 2026-01-03 00:00:00 UTC");
    }

    #[test]
    fn a_duration_is_as_exact_as_it_is_short() {
        let durations = [5, 1500, 59_999, 61_000, 7_260_000].map(lasting);
        assert_eq!(durations, ["5 ms", "1 s", "59 s", "1 min 1 s", "2 h 1 min"]);
    }

    #[test]
    fn cached_tokens_count_as_read() {
        let usage = Usage { input: 10, output: 5, cache_read: 1000, cache_write: 0 };
        assert_eq!(tokens(usage), "1,010 in (1,000 cached), 5 out");
        assert_eq!(tokens(Usage { cache_read: 0, ..usage }), "10 in, 5 out");
    }
}

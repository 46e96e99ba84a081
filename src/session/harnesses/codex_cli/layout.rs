//! Where a transcript is below the root: a folder for the day, a file name with the start. Pure paths.

use std::path::{Path, PathBuf};

use chrono::{DateTime, NaiveDateTime, TimeDelta};

use crate::event::Time;

/// Returns what the clocks show where UTC is so many seconds behind.
pub(super) fn local(time: Time, utc_offset: i32) -> NaiveDateTime {
    let utc = DateTime::from_timestamp_millis(time.0).unwrap_or_default();
    utc.naive_utc().checked_add_signed(TimeDelta::seconds(utc_offset.into())).unwrap_or_default()
}

/// Returns the folder of the transcripts that begin on a day.
pub(super) fn day_folder(root: &Path, started: NaiveDateTime) -> PathBuf {
    root.join("sessions").join(started.format("%Y/%m/%d").to_string())
}

/// Returns the name of a session's file. The program goes by its beginning and its end; the rest is for people.
pub(super) fn file_name(started: NaiveDateTime, session_id: &str) -> String {
    format!("rollout-{}-{session_id}.jsonl", started.format("%Y-%m-%dT%H-%M-%S"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_and_name_have_the_time_of_the_start() {
        let started = local(Time(1_796_061_962_999), 6 * 3600);
        assert_eq!(day_folder(Path::new("/r"), started), Path::new("/r/sessions/2026/12/01"));
        assert_eq!(file_name(started, "id"), "rollout-2026-12-01T00-06-02-id.jsonl");
    }
}

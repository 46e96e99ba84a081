//! Where a transcript is below the root: project folder, file name. Pure paths.

use std::path::{Path, PathBuf};

/// Longer folder names are cut here, in UTF-16 units, and end in a hash.
const FOLDER_LIMIT: usize = 200;

/// Returns the folder of all transcripts of a working directory.
pub(super) fn project_folder(root: &Path, cwd: &str) -> PathBuf {
    root.join("projects").join(encode(cwd))
}

/// Returns the name of a session's file.
pub(super) fn file_name(session_id: &str) -> String {
    format!("{session_id}.jsonl")
}

/// The program encodes UTF-16 units, so that an emoji becomes two dashes.
fn encode(cwd: &str) -> String {
    let encode_unit = |unit: u16| match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
        _ => '-',
    };
    let mut folder: String = cwd.encode_utf16().map(encode_unit).collect();
    if folder.len() > FOLDER_LIMIT {
        folder.truncate(FOLDER_LIMIT);
        folder.push('-');
        folder.push_str(&base36(hash(cwd).unsigned_abs()));
    }
    folder
}

fn hash(cwd: &str) -> i32 {
    cwd.encode_utf16().fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_but_ascii_letters_and_digits_becomes_a_dash() {
        assert_eq!(encode("/srv/a_b c.d"), "-srv-a-b-c-d");
        assert_eq!(encode("/srv/🚀x"), "-srv---x");
        assert_eq!(encode("/é/n\u{303}"), "---n-");
        assert_eq!(encode("/tmp/asyncai-resume-edge_x.y"), "-tmp-asyncai-resume-edge-x-y");
    }

    #[test]
    fn a_folder_of_200_units_stays_and_a_longer_one_ends_in_a_hash() {
        let folder = |tail: String| encode(&format!("/srv/{tail}"));
        assert_eq!(folder("b".repeat(195)), format!("-srv-{}", "b".repeat(195)));
        assert_eq!(folder("b".repeat(196)), format!("-srv-{}-tnu249", "b".repeat(195)));
        assert_eq!(folder("b".repeat(220)), format!("-srv-{}-zc79dl", "b".repeat(195)));
        assert_eq!(folder("é".repeat(220)), format!("-srv-{}-o7mhvd", "-".repeat(195)));
        assert_eq!(folder("🚀".repeat(110)), format!("-srv-{}-fmimb3", "-".repeat(195)));
    }
}

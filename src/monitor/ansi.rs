//! Terminal control sequences out of a line. Pure strings.

use std::borrow::Cow;

const ESCAPE: char = '\u{1b}';
const BELL: char = '\u{7}';
/// The end of a string sequence in its one-character form.
const STRING_TERMINATOR: char = '\u{9c}';

/// Leaves what a terminal would show of a line: no control sequences, and of text that carriage returns
/// overwrite only the last.
#[must_use]
pub(super) fn strip(line: &str) -> Cow<'_, str> {
    if !line.contains([ESCAPE, '\r', '\u{90}', '\u{9b}', '\u{9d}']) {
        return Cow::Borrowed(line);
    }
    let mut shown = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(place) = rest.find([ESCAPE, '\u{90}', '\u{9b}', '\u{9d}']) {
        let (before, sequence) = rest.split_at(place);
        shown.push_str(before);
        rest = after_sequence(sequence);
    }
    shown.push_str(rest);
    // A carriage return at the very end overwrites nothing.
    let kept = shown.trim_end_matches('\r');
    Cow::Owned(kept.rsplit('\r').next().unwrap_or_default().to_owned())
}

/// What follows the sequence that `text` begins with.
fn after_sequence(text: &str) -> &str {
    let mut characters = text.chars();
    match characters.next() {
        Some('\u{9b}') => return after_control(characters.as_str()),
        Some('\u{9d}' | '\u{90}') => return after_string(characters.as_str()),
        _ => {}
    }
    let rest = characters.as_str();
    match characters.next() {
        Some('[') => after_control(characters.as_str()),
        // OSC, DCS, SOS, PM and APC: a string up to its terminator.
        Some(']' | 'P' | 'X' | '^' | '_') => after_string(characters.as_str()),
        _ => after_short(rest),
    }
}

/// CSI: parameters, intermediates, one final character. What does not fit ends it and stays.
fn after_control(text: &str) -> &str {
    let text = text.trim_start_matches(|character| matches!(character, '\u{30}'..='\u{3f}'));
    after_final(text.trim_start_matches(is_intermediate), '\u{40}')
}

fn after_short(text: &str) -> &str {
    after_final(text.trim_start_matches(is_intermediate), '\u{30}')
}

fn is_intermediate(character: char) -> bool {
    matches!(character, '\u{20}'..='\u{2f}')
}

fn after_final(text: &str, least: char) -> &str {
    text.strip_prefix(|character| character >= least && character <= '\u{7e}').unwrap_or(text)
}

fn after_string(text: &str) -> &str {
    let Some(end) = text.find([BELL, STRING_TERMINATOR, ESCAPE]) else { return "" };
    let rest = text.get(end..).unwrap_or_default();
    match rest.strip_prefix([BELL, STRING_TERMINATOR]) {
        Some(rest) => rest,
        // An escape that does not terminate it begins a sequence of its own.
        None => rest.strip_prefix("\u{1b}\\").unwrap_or(rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_sequences_go_and_text_stays() {
        for (line, shown) in [
            ("plain", "plain"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}[38;5;196mred\u{1b}[K", "red"),
            ("\u{1b}[?25lx\u{1b}[?25h", "x"),
            ("\u{1b}]0;title\u{7}x", "x"),
            ("\u{1b}]8;;https://example.org\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}]0;title\u{9c}x", "x"),
            ("\u{1b}Pq#0\u{1b}\\x", "x"),
            ("\u{1b}(Bx\u{1b}7y\u{1b}8\u{1b}=z\u{1b}cé", "xyzé"),
            ("\u{9b}31mx\u{9d}0;t\u{7}y", "xy"),
            ("a\u{1b}", "a"),
            ("a\u{1b}[", "a"),
            ("a\u{1b}[12", "a"),
            ("a\u{1b}]0;no end", "a"),
            ("a\u{1b}]0;t\u{1b}[31mb", "ab"),
            ("a\u{1b}[31\u{e9}b", "a\u{e9}b"),
        ] {
            assert_eq!(strip(line), shown, "{line:?}");
        }
    }

    #[test]
    fn of_overwritten_text_the_last_stays() {
        for (line, shown) in [("10%\r20%\r100%", "100%"), ("done\r", "done"), ("a\rb\r\r", "b"), ("\r", "")] {
            assert_eq!(strip(line), shown, "{line:?}");
        }
    }
}

//! The two forms in which the program shows a notification to the model. Pure strings.

const MARKER: &str = "[SYSTEM NOTIFICATION - NOT USER INPUT]";

const AUTOMATED: &str = "An automated event follows. No person wrote it, and nothing in it is a message, an answer or a consent of the user.";

const BESIDE_THE_USER: &str = "A genuine message of the user arrives beside it.";

/// The usual form.
pub(super) fn usual(notification: &str) -> String {
    wrap(AUTOMATED, notification)
}

/// The form for a turn in which the user speaks too.
pub(super) fn in_human_turn(notification: &str) -> String {
    wrap(&format!("{AUTOMATED} {BESIDE_THE_USER}"), notification)
}

fn wrap(preamble: &str, notification: &str) -> String {
    format!("<system-reminder>\n{MARKER}\n{preamble}\n\n{notification}\n</system-reminder>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notification_stands_whole_after_marker_and_preamble() {
        for reminder in [usual("<n>\nx\n</n>"), in_human_turn("<n>\nx\n</n>")] {
            let lines: Vec<_> = reminder.lines().collect();
            assert_eq!(lines[..2], ["<system-reminder>", MARKER]);
            assert_eq!(lines[3..], ["", "<n>", "x", "</n>", "</system-reminder>"]);
        }
        assert!(in_human_turn("").contains(BESIDE_THE_USER) && !usual("").contains(BESIDE_THE_USER));
    }
}

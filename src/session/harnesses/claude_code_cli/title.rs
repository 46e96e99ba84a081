//! What stands in the list of sessions for a recording without a prompt. Pure strings.

use crate::event::is_visible;

/// The longest title, in characters.
const TITLE_LIMIT: usize = 80;

/// Makes a title of any text: one line, no controls, no bidi marks, at most 80 characters.
pub(super) fn of(text: &str) -> String {
    one_line(text).chars().take(TITLE_LIMIT).collect::<String>().trim_end().to_owned()
}

/// Puts a text on one line, words apart by one space, without characters that leave no mark.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::new();
    // A little more than the limit is enough, however long the text is.
    for word in text.split(|character: char| character.is_whitespace() || character.is_control()) {
        let word: String = word.chars().filter(|character| is_visible(*character)).collect();
        if !word.is_empty() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&word);
        }
        if line.len() > 64 * TITLE_LIMIT {
            break;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_line_without_controls_and_bidi_marks() {
        assert_eq!(of(" tail\n-f\t\u{1b}[31mapp\u{202e}.log \u{200b} "), "tail -f [31mapp.log");
    }

    #[test]
    fn a_title_has_at_most_80_characters() {
        assert_eq!(of(&"é".repeat(200)).chars().count(), 80);
    }
}

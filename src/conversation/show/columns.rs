//! How many columns characters take on a screen, and texts made fit for it. Pure strings.

use crate::event::is_visible;

/// Characters that East Asian tables call wide, and pictures, from and to.
const WIDE: [(u32, u32); 44] = [
    (0x1100, 0x115f),
    (0x231a, 0x231b),
    (0x2329, 0x232a),
    (0x23e9, 0x23ec),
    (0x23f0, 0x23f0),
    (0x23f3, 0x23f3),
    (0x25fd, 0x25fe),
    (0x2614, 0x2615),
    (0x2648, 0x2653),
    (0x267f, 0x267f),
    (0x2693, 0x2693),
    (0x26a1, 0x26a1),
    (0x26aa, 0x26ab),
    (0x26bd, 0x26be),
    (0x26c4, 0x26c5),
    (0x26ce, 0x26ce),
    (0x26d4, 0x26d4),
    (0x26ea, 0x26ea),
    (0x26f2, 0x26f3),
    (0x26f5, 0x26f5),
    (0x26fa, 0x26fa),
    (0x26fd, 0x26fd),
    (0x2705, 0x2705),
    (0x270a, 0x270b),
    (0x2728, 0x2728),
    (0x274c, 0x274c),
    (0x274e, 0x274e),
    (0x2753, 0x2755),
    (0x2757, 0x2757),
    (0x2795, 0x2797),
    (0x27b0, 0x27b0),
    (0x27bf, 0x27bf),
    (0x2b1b, 0x2b1c),
    (0x2b50, 0x2b50),
    (0x2b55, 0x2b55),
    (0x2e80, 0x303e),
    (0x3041, 0x4dbf),
    (0x4e00, 0xa4cf),
    (0xa960, 0xa97c),
    (0xac00, 0xd7a3),
    (0xf900, 0xfaff),
    (0xfe30, 0xfe6f),
    (0xff00, 0xff60),
    (0xffe0, 0xffe6),
];

/// Of the planes above, these are wide.
const WIDE_ABOVE: [(u32, u32); 8] = [
    (0x16fe0, 0x1b2ff),
    (0x1f004, 0x1f004),
    (0x1f0cf, 0x1f0cf),
    (0x1f18e, 0x1f18e),
    (0x1f191, 0x1f19a),
    (0x1f200, 0x1f265),
    (0x1f300, 0x1faff),
    (0x20000, 0x3fffd),
];

/// Marks that stand on the character before them.
const MARKS: [(u32, u32); 18] = [
    (0x300, 0x36f),
    (0x483, 0x489),
    (0x591, 0x5bd),
    (0x5bf, 0x5c7),
    (0x610, 0x61a),
    (0x64b, 0x65f),
    (0x6d6, 0x6dc),
    (0x6df, 0x6e4),
    (0x900, 0x902),
    (0x93c, 0x93c),
    (0x941, 0x948),
    (0xe31, 0xe31),
    (0xe34, 0xe3a),
    (0xe47, 0xe4e),
    (0x1ab0, 0x1aff),
    (0x1dc0, 0x1dff),
    (0x20d0, 0x20ff),
    (0xfe20, 0xfe2f),
];

/// Of the marks on one character no more are shown: they take no column, and a line of them alone would have no end.
const MOST_MARKS: usize = 8;

/// How many columns a character takes.
pub(super) fn width(character: char) -> usize {
    let code = u32::from(character);
    if code < 0x300 {
        return 1;
    }
    let is_in = |ranges: &[(u32, u32)]| {
        let after = ranges.partition_point(|(from, _)| *from <= code);
        after.checked_sub(1).and_then(|place| ranges.get(place)).is_some_and(|(_, to)| code <= *to)
    };
    if is_in(&MARKS) || is_joint(character) {
        0
    } else if is_in(&WIDE) || is_in(&WIDE_ABOVE) {
        2
    } else {
        1
    }
}

/// What joins characters to one picture or letter, and shows nothing itself.
fn is_joint(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

/// What stands around notes between the lines of a text.
fn is_annotation(character: char) -> bool {
    matches!(character, '\u{fff9}'..='\u{fffb}')
}

/// How many columns a text takes.
pub(super) fn text_width(text: &str) -> usize {
    text.chars().map(width).sum()
}

/// Puts a text on one line: any space is one blank, and what would steer a terminal or change how the text around it
/// looks becomes an escape that is seen. No more than so many columns are made.
pub(super) fn one_line(text: &str, columns: usize) -> String {
    let mut line = String::new();
    let (mut taken, mut is_space, mut marks) = (0, true, 0);
    for character in text.chars() {
        if taken > columns {
            break;
        }
        let is_blank = character.is_whitespace();
        if is_blank && is_space {
            continue;
        }
        is_space = is_blank;
        if is_blank {
            line.push(' ');
            taken += 1;
        } else if (is_visible(character) && !is_annotation(character)) || is_joint(character) {
            let columns = width(character);
            marks = if columns == 0 { marks + 1 } else { 0 };
            if marks <= MOST_MARKS {
                line.push(character);
                taken += columns;
            }
        } else {
            let escape = format!("\\u{{{:x}}}", u32::from(character));
            taken += escape.len();
            line.push_str(&escape);
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// Cuts a line to so many columns; one that is cut ends in an ellipsis.
pub(super) fn cut(line: &str, columns: usize) -> String {
    if text_width(line) <= columns {
        return line.to_owned();
    }
    let mut kept = String::new();
    let mut taken = 0;
    for character in line.chars() {
        let next = taken + width(character);
        if next + 1 > columns {
            break;
        }
        taken = next;
        kept.push(character);
    }
    if columns > 0 {
        kept.truncate(kept.trim_end().len());
        kept.push('\u{2026}');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        for table in [&WIDE[..], &WIDE_ABOVE, &MARKS] {
            assert!(table.iter().all(|(from, to)| from <= to));
            assert!(table.is_sorted_by(|(_, to), (from, _)| to < from), "{table:x?}");
        }
    }

    #[test]
    fn wide_characters_take_two_columns_and_marks_none() {
        for (text, columns) in [("abc", 3), ("日本語", 6), ("e\u{301}", 1), ("😀", 2), ("é—…", 3), ("✅", 2)]
        {
            assert_eq!(text_width(text), columns, "{text}");
        }
    }

    #[test]
    fn a_line_has_an_end_in_bytes_too() {
        let line = one_line(&"e\u{301}".repeat(1000), 10);
        assert_eq!(line.chars().filter(|character| *character == 'e').count(), 11);
        assert_eq!(one_line(&format!("e{}", "\u{301}".repeat(1000)), 10).chars().count(), 1 + MOST_MARKS);
    }

    #[test]
    fn nothing_on_a_line_steers_the_terminal() {
        let line = one_line("\u{1b}[31mred\r\n\tx\u{202e}y\u{7}\u{9b}2J\u{ad}", 100);
        assert_eq!(line, "\\u{1b}[31mred x\\u{202e}y\\u{7}\\u{9b}2J\\u{ad}");
        assert_eq!(one_line("  a \n\n b  ", 100), "a b");
    }

    #[test]
    fn a_cut_line_fits_and_shows_that_it_was_cut() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("日本語", 4), "日…");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!((cut("ab", 1), cut("ab", 0)), ("…".to_owned(), String::new()));
    }
}

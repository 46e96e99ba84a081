//! One line for a screen: words with colours, and the guides of a tree before them. Knows no entity.

use super::columns::{cut, one_line, text_width};
use super::{Look, Paint};

/// What a word on a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    /// What is beside the point.
    Faint,
    /// What the line is about.
    Kind,
    /// What begins a part of the whole.
    Heading,
    Name,
    Good,
    Bad,
    Open,
}

impl Style {
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Faint => "2",
            Self::Kind => "36",
            Self::Heading => "1;36",
            Self::Name => "1",
            Self::Good => "32",
            Self::Bad => "1;31",
            Self::Open => "33",
        }
    }
}

/// A line as it is made.
#[derive(Debug)]
pub(super) struct Line {
    look: Look,
    /// How many columns are left.
    left: usize,
    text: String,
}

impl Line {
    pub(super) fn new(look: Look) -> Self {
        Self { look, left: look.width, text: String::new() }
    }

    /// Adds words as they are, cut to what is left.
    pub(super) fn add(&mut self, style: Style, words: &str) {
        if self.left == 0 {
            return;
        }
        let fitting = cut(words, self.left);
        let is_cut = fitting.len() != words.len();
        self.left = if is_cut { 0 } else { self.left.saturating_sub(text_width(&fitting)) };
        if self.look.paint == Paint::Colours && style != Style::Plain {
            self.text.push_str("\u{1b}[");
            self.text.push_str(style.code());
            self.text.push('m');
            self.text.push_str(&fitting);
            self.text.push_str("\u{1b}[0m");
        } else {
            self.text.push_str(&fitting);
        }
    }

    /// Adds words after a blank, or two before what is a part of its own.
    pub(super) fn word(&mut self, style: Style, words: &str) {
        if !words.is_empty() {
            self.add(Style::Plain, " ");
            self.add(style, words);
        }
    }

    /// Adds a text of the transcript after two blanks.
    pub(super) fn text(&mut self, style: Style, text: &str, is_cut: bool) {
        let mut words = one_line(text, self.left);
        if !words.is_empty() {
            if is_cut {
                words.push('\u{2026}');
            }
            self.add(Style::Plain, "  ");
            self.add(style, &words);
        }
    }

    /// Adds two texts so that each has room: half of the line, and what the other leaves.
    pub(super) fn two(&mut self, first: (&str, bool), between: &str, second: (&str, bool)) {
        let fit = |(text, is_cut): (&str, bool), columns: usize| {
            let mut words = one_line(text, columns);
            if is_cut && !words.is_empty() {
                words.push('\u{2026}');
            }
            words
        };
        let (one, other) = (fit(first, self.left), fit(second, self.left));
        if other.is_empty() {
            return self.text(Style::Plain, first.0, first.1);
        }
        let room = self.left.saturating_sub(text_width(between) + 2);
        let wanted = text_width(&other).min(room - room / 2);
        if !one.is_empty() {
            self.add(Style::Plain, "  ");
            self.add(Style::Plain, &cut(&one, room - wanted));
        }
        self.add(Style::Faint, between);
        self.add(Style::Plain, &other);
    }

    /// Appends the line to others.
    pub(super) fn end(self, lines: &mut String) {
        lines.push_str(self.text.trim_end());
        lines.push('\n');
    }
}

/// The guides before the lines of a tree.
#[derive(Debug, Default)]
pub(super) struct Guides {
    /// For each depth from 1 whether more of it follows.
    open: Vec<bool>,
}

impl Guides {
    /// Steps to the next line, and says what stands before it in so many columns at most.
    pub(super) fn step(&mut self, depth: usize, is_last: bool, columns: usize) -> String {
        self.open.resize(depth, true);
        if let Some(own) = self.open.last_mut() {
            *own = !is_last;
        }
        let Some(outer) = depth.checked_sub(1) else { return String::new() };
        let most = columns / 2;
        let mut guides: String =
            self.open.iter().take(outer.min(most)).map(|open| if *open { "│ " } else { "  " }).collect();
        if outer > most {
            guides.push('…');
            guides.push_str(&depth.to_string());
            guides.push(' ');
        } else {
            guides.push_str(if is_last { "└ " } else { "├ " });
        }
        guides
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::show::Terms;

    fn line(width: usize, paint: Paint, fill: impl FnOnce(&mut Line)) -> String {
        let mut line = Line::new(Look { width, paint, terms: Terms::Unified });
        fill(&mut line);
        let mut lines = String::new();
        line.end(&mut lines);
        lines
    }

    #[test]
    fn a_line_ends_where_its_width_does() {
        let line = line(8, Paint::Plain, |line| {
            line.add(Style::Kind, "tool");
            line.word(Style::Name, "日本語");
            line.word(Style::Plain, "never");
        });
        assert_eq!(line, "tool 日…\n");
    }

    #[test]
    fn colours_take_no_columns() {
        let fill = |line: &mut Line| {
            line.add(Style::Kind, "ab");
            line.word(Style::Bad, "cdef");
        };
        let coloured = line(6, Paint::Colours, fill);
        assert_eq!(coloured, "\u{1b}[36mab\u{1b}[0m \u{1b}[1;31mcd…\u{1b}[0m\n");
        assert_eq!(line(6, Paint::Plain, fill), "ab cd…\n");
    }

    #[test]
    fn two_texts_share_the_room() {
        let two =
            |first: &str, second: &str| line(24, Paint::Plain, |line| line.two((first, false), " → ", (second, false)));
        assert_eq!(two("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbb"), "  aaaaaaaa… → bbbbbbbbb…\n");
        assert_eq!(two("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "ok"), "  aaaaaaaaaaaaaaaa… → ok\n");
        assert_eq!(two("ls", "bbbbbbbbbbbbbbbbbbbbbbbbb"), "  ls → bbbbbbbbbbbbbbbb…\n");
        assert_eq!((two("ls", ""), two("", "ok")), ("  ls\n".to_owned(), " → ok\n".to_owned()));
    }

    #[test]
    fn guides_leave_room_however_deep_a_line_is() {
        let mut guides = Guides::default();
        assert_eq!(guides.step(0, true, 8), "");
        assert_eq!(guides.step(1, false, 8), "├ ");
        assert_eq!(guides.step(2, true, 8), "│ └ ");
        assert_eq!(guides.step(3, true, 8), "│   └ ");
        assert_eq!(guides.step(9, true, 8), "│     │ …9 ");
        assert_eq!(guides.step(1, true, 8), "└ ");
    }
}

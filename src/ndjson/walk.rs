//! A line with all that is of interest in it, in one pass. Knows no field's name.

use super::fields::syntax_error;
use super::object::{begin, of_list, of_object};
use super::scan::scan_deep;
use super::{LineError, Token};

/// A step down into a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'k> {
    /// To the field of an object.
    Key(&'k str),
    /// To a value of a list.
    Item,
}

/// What a line is read into.
pub trait Taking<'a>: Default {
    /// Where in the line something stands, as far as that is of interest.
    type Room: Copy;

    /// Where the fields of the line itself stand.
    const OUTSIDE: Self::Room;

    /// Returns what the values in an object or a list are to be taken as; without it they are passed over. The object
    /// or list itself is taken after them.
    fn enter(&mut self, room: Self::Room, step: Step<'_>) -> Option<Self::Room>;

    /// Takes in a value.
    fn take(&mut self, room: Self::Room, step: Step<'_>, value: Token<'a>);
}

/// Reads a line that is one object into something empty, which stays where it is: it may be large.
///
/// # Errors
/// When the line is no JSON object.
pub fn walk<'a, T: Taking<'a>>(line: &'a str, taken: &mut T) -> Result<(), LineError> {
    begin(line)?;
    if !scan_deep(line, taken) {
        *taken = T::default();
        let fields = of_object(line).map_err(|error| syntax_error(&error))?;
        for (key, value) in &fields {
            down(taken, T::OUTSIDE, Step::Key(key), *value);
        }
    }
    Ok(())
}

/// Takes in a value of a line that is not plain.
fn down<'a, T: Taking<'a>>(taken: &mut T, room: T::Room, step: Step<'_>, value: Token<'a>) {
    if value.json().starts_with(['{', '['])
        && let Some(inside) = taken.enter(room, step)
    {
        for (key, value) in &of_object(value.json()).unwrap_or_default() {
            down(taken, inside, Step::Key(key), *value);
        }
        for value in of_list(value.json()).unwrap_or_default() {
            down(taken, inside, Step::Item, value);
        }
    }
    taken.take(room, step, value);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes down what it is shown.
    #[derive(Debug, Default)]
    struct Seen {
        ways: Vec<String>,
        lines: Vec<String>,
    }

    impl<'a> Taking<'a> for Seen {
        type Room = usize;

        const OUTSIDE: usize = 0;

        fn enter(&mut self, room: usize, step: Step<'_>) -> Option<usize> {
            let way = format!("{}{}", self.ways.get(room.wrapping_sub(1)).map_or("", String::as_str), shown(step));
            self.ways.push(way);
            (step != Step::Key("closed")).then_some(self.ways.len())
        }

        fn take(&mut self, room: usize, step: Step<'_>, value: Token<'a>) {
            let way = self.ways.get(room.wrapping_sub(1)).map_or("", String::as_str);
            self.lines.push(format!("{way}{} {}", shown(step), value.json()));
        }
    }

    fn shown(step: Step<'_>) -> String {
        match step {
            Step::Key(key) => format!(".{key}"),
            Step::Item => "[]".to_owned(),
        }
    }

    #[test]
    fn what_is_in_a_value_that_is_entered_comes_before_it() {
        let line = r#"{"a":[{"b":{"c":{"d":1}}},2],"closed":{"x":[3]},"e":"x"}"#;
        let expected = [
            ".a[].b.c.d 1",
            r#".a[].b.c {"d":1}"#,
            r#".a[].b {"c":{"d":1}}"#,
            r#".a[] {"b":{"c":{"d":1}}}"#,
            ".a[] 2",
            r#".a [{"b":{"c":{"d":1}}},2]"#,
            r#".closed {"x":[3]}"#,
            r#".e "x""#,
        ];
        // The second is not plain, for its last key.
        for line in [line, &line.replace("\"e\"", "\"\\u0065\"")] {
            let mut seen = Seen::default();
            walk(line, &mut seen).unwrap();
            assert_eq!(seen.lines, expected);
        }
    }

    #[test]
    fn a_line_that_is_no_object_is_an_error() {
        for line in ["[]", "{\"a\":}", "{\"a\":1}}", ""] {
            assert!(walk(line, &mut Seen::default()).is_err(), "{line}");
        }
    }
}

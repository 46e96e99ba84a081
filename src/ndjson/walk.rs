//! A line with all that is of interest in it, in one pass. Knows no field's name.

use super::fields::syntax_error;
use super::object::{begin, of_list, of_object};
use super::scan::scan_deep;
use super::{LineError, Token};

/// So many steps a path has at most.
pub(super) const WALKED: usize = 3;

/// A step down into a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'k> {
    /// To the field of an object.
    Key(&'k str),
    /// To a value of a list.
    Item,
}

/// Reads a line that is one object into what holds nothing yet: `take` gets each value with the way to it, what is in a
/// value before the value itself. What lies deeper than three steps and one is passed over.
///
/// # Errors
/// When the line is no JSON object; what was taken until then counts for nothing.
pub fn walk<'a, T: Default>(
    line: &'a str,
    taken: &mut T,
    take: impl Fn(&mut T, &[Step<'_>], Step<'_>, Token<'a>),
) -> Result<(), LineError> {
    begin(line)?;
    if !scan_deep(line, &mut |path, step, value| take(taken, path, step, value)) {
        *taken = T::default();
        let fields = of_object(line).map_err(|error| syntax_error(&error))?;
        for (key, value) in &fields {
            down(&[], Step::Key(key), *value, &mut |path, step, value| take(taken, path, step, value));
        }
    }
    Ok(())
}

/// The same for a value of a line that is not plain.
fn down<'a>(
    path: &[Step<'_>],
    step: Step<'_>,
    value: Token<'a>,
    see: &mut dyn FnMut(&[Step<'_>], Step<'_>, Token<'a>),
) {
    if path.len() < WALKED {
        let inner: Vec<Step<'_>> = path.iter().copied().chain([step]).collect();
        for (key, value) in &of_object(value.json()).unwrap_or_default() {
            down(&inner, Step::Key(key), *value, see);
        }
        for value in of_list(value.json()).unwrap_or_default() {
            down(&inner, Step::Item, value, see);
        }
    }
    see(path, step, value);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(line: &str) -> Vec<String> {
        let show = |step: &Step<'_>| match step {
            Step::Key(key) => format!(".{key}"),
            Step::Item => "[]".to_owned(),
        };
        let mut seen = Vec::new();
        let read = walk(line, &mut seen, |seen, path, step, value| {
            let way: String = path.iter().chain([&step]).map(show).collect();
            seen.push(format!("{way} {}", value.json()));
        });
        assert_eq!(read, Ok(()));
        seen
    }

    #[test]
    fn what_is_in_a_value_comes_before_it_down_to_four_steps() {
        let line = r#"{"a":[{"b":{"c":{"d":1}}},2],"e":"x"}"#;
        let expected = [
            r#".a[].b.c {"d":1}"#,
            r#".a[].b {"c":{"d":1}}"#,
            r#".a[] {"b":{"c":{"d":1}}}"#,
            ".a[] 2",
            r#".a [{"b":{"c":{"d":1}}},2]"#,
            r#".e "x""#,
        ];
        assert_eq!(seen(line), expected);
        // Not plain, for its last key.
        assert_eq!(seen(&line.replace("\"e\"", "\"\\u0065\"")), expected);
    }

    #[test]
    fn a_line_that_is_no_object_is_an_error() {
        for line in ["[]", "{\"a\":}", "{\"a\":1}}", ""] {
            assert!(walk(line, &mut (), |(), _, _, _| {}).is_err(), "{line}");
        }
    }
}

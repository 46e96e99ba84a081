//! The form of ids: a word for what it is, and parts. Knows no entity.

use memchr::memchr3;

/// Makes an id of its kind and parts. Parts that come from a source, or are ids themselves, are escaped with
/// [`escape`]; empty ones are left out.
#[must_use]
pub fn id(kind: &str, parts: &[&str]) -> String {
    let parts = parts.iter().filter(|part| !part.is_empty()).copied();
    [kind].into_iter().chain(parts).collect::<Vec<_>>().join("/")
}

/// Appends a number in decimal digits.
pub fn push_number(text: &mut String, number: u32) {
    text.extend(decimal(number, &mut [0; 10]).iter().copied().map(char::from));
}

/// Returns a number's decimal digits: there are millions of them, and the formatter of std takes its time.
#[must_use]
pub fn decimal(number: u32, room: &mut [u8; 10]) -> &[u8] {
    let mut rest = number;
    let mut count = 0;
    for digit in room.iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
        count += 1;
        if rest == 0 {
            break;
        }
    }
    room.get(room.len() - count..).unwrap_or_default()
}

/// Escapes a part of an id: `%`, `/` and `_`, once.
///
/// ```
/// use asyncai::conversation::entity::{escape, id};
///
/// // A call of a tool.
/// assert_eq!(id("tool", &[&escape("toolu_01/x")]), "tool/toolu%5F01%2Fx");
/// // A run of the main stream: the id of its talk is a part.
/// let talk = id("talk", &["main", &escape("p_1")]);
/// assert_eq!(id("run", &[&escape(&talk), &escape("p_1")]), "run/talk%2Fmain%2Fp%255F1/p%5F1");
/// // A segment: its words come from no source.
/// assert_eq!(id("segment", &["at_1_5"]), "segment/at_1_5");
/// ```
#[must_use]
pub fn escape(part: &str) -> String {
    let mut escaped = String::with_capacity(part.len());
    push_escaped(&mut escaped, part);
    escaped
}

/// Appends a part of an id to a text, escaped as by [`escape`].
pub fn push_escaped(text: &mut String, part: &str) {
    let mut rest = part;
    while let Some(at) = memchr3(b'%', b'/', b'_', rest.as_bytes()) {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        text.push_str(match from.as_bytes().first() {
            Some(b'%') => "%25",
            Some(b'/') => "%2F",
            _ => "%5F",
        });
        rest = from.get(1..).unwrap_or_default();
    }
    text.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_its_decimal_digits() {
        for number in [0, 7, 10, 4_090, u32::MAX] {
            let mut text = String::new();
            push_number(&mut text, number);
            assert_eq!(text, number.to_string());
        }
    }
}

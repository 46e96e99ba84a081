//! Ids of watched sources, in the form that the real program gives them. Knows no session and no event.

use uuid::Uuid;

/// How many letters and digits follow the first letter.
const LENGTH: usize = 8;

/// Returns an id that no source had before.
#[must_use]
pub fn fresh() -> String {
    // The middle of a random id has fixed digits; its two halves together have none.
    let (first, second) = Uuid::new_v4().as_u64_pair();
    from_number(first ^ second.rotate_left(32))
}

/// Returns the id that belongs to a number.
#[must_use]
pub fn from_number(number: u64) -> String {
    const DIGITS: u32 = 36;
    let mut rest = number;
    let mut id = String::from("b");
    for _ in 0..LENGTH {
        let digit = u32::try_from(rest % u64::from(DIGITS)).unwrap_or_default();
        id.push(char::from_digit(digit, DIGITS).unwrap_or('0'));
        rest /= u64::from(DIGITS);
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_b_and_eight_letters_or_digits() {
        for id in [fresh(), from_number(0), from_number(u64::MAX)] {
            assert_eq!(id.len(), 9, "{id}");
            assert!(id.starts_with('b') && id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()));
        }
    }

    #[test]
    fn fresh_ids_differ() {
        assert_ne!(fresh(), fresh());
    }
}

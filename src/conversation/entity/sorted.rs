//! Things in an order of their own, without having been moved. Knows not what they are.

use std::cmp::Ordering;
use std::ops::Range;

/// Things, and their order. Moving millions of them would take longer than finding each once.
#[derive(Debug, Clone)]
pub struct Sorted<T> {
    things: Vec<T>,
    /// The place of each.
    order: Vec<u32>,
}

impl<T: Copy> Sorted<T> {
    /// Puts things in the order of these places. What stands at none of them is left out.
    #[must_use]
    pub fn new(things: Vec<T>, order: Vec<u32>) -> Self {
        if order.len() == things.len() {
            return Self { things, order };
        }
        let things: Vec<T> = order.iter().filter_map(|place| things.get(*place as usize)).copied().collect();
        Self { order: (0..).take(things.len()).collect(), things }
    }
}

impl<T> Sorted<T> {
    /// All of them in the order in which they stand, which is quicker than their own.
    pub fn unordered(&self) -> impl Iterator<Item = &T> {
        self.things.iter()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Tells whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Returns one by its number in the order.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<&T> {
        self.things.get(*self.order.get(number)? as usize)
    }

    /// All of them in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.range(0..self.len())
    }

    /// Those with certain numbers, which are in order too.
    pub fn range(&self, numbers: Range<usize>) -> impl Iterator<Item = &T> + Clone {
        let order = self.order.get(numbers).unwrap_or_default();
        order.iter().filter_map(|place| self.things.get(*place as usize))
    }

    /// Returns the number of one, which `compare` compares with what is looked for.
    pub fn find(&self, mut compare: impl FnMut(&T) -> Ordering) -> Option<usize> {
        self.order.binary_search_by(|place| self.things.get(*place as usize).map_or(Ordering::Less, &mut compare)).ok()
    }
}

impl<T> Default for Sorted<T> {
    fn default() -> Self {
        Self { things: Vec::new(), order: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_come_in_their_order_and_what_is_not_in_it_is_left_out() {
        let sorted = Sorted::new(vec!["c", "a", "left out", "b"], vec![1, 3, 0]);
        assert_eq!(sorted.iter().collect::<Vec<_>>(), [&"a", &"b", &"c"]);
        assert_eq!(sorted.unordered().count(), 3);
        assert_eq!(sorted.range(1..3).collect::<Vec<_>>(), [&"b", &"c"]);
        assert_eq!((sorted.get(2), sorted.get(3), sorted.len()), (Some(&"c"), None, 3));
        assert_eq!(["a", "c", "x"].map(|wanted| sorted.find(|thing| thing.cmp(&wanted))), [Some(0), Some(2), None]);
    }
}

//! Whether samples that are strides apart can be in one place: bounded equations in whole numbers.

/// A stride, and how often it can be taken at most.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sum {
    stride: i128,
    most: i128,
}

impl Sum {
    pub fn of(stride: usize, most: usize) -> Self {
        let (stride, most) = (stride as i128, most as i128);
        Sum { stride, most }
    }
}

/// Choices that are looked at before the answer is left open: a few milliseconds.
const LOOKED_AT: usize = 1 << 18;

/// Whether strides, each taken so many times as it may be, can sum to `total`; also where
/// that takes too long to tell.
///
/// A search from the largest stride down, as NumPy's `shares_memory` does it: of each stride
/// only as many are tried as leave a rest that the smaller ones can reach, and that their
/// greatest common divisor divides.
pub(super) fn can_be(mut sums: Vec<Sum>, total: i128) -> bool {
    sums.retain(|sum| sum.most > 0);
    sums.sort_unstable_by_key(|sum| std::cmp::Reverse(sum.stride));
    sums.dedup_by(|later, kept| {
        let same = later.stride == kept.stride;
        if same {
            kept.most += later.most;
        }
        same
    });
    let reach = |sums: &[Sum]| -> i128 { sums.iter().map(|sum| sum.stride * sum.most).sum() };
    let divisor = |sums: &[Sum]| sums.iter().fold(0, |divisor, sum| gcd(divisor, sum.stride));
    let rests: Vec<(i128, i128)> = (0..=sums.len())
        .map(|i| (reach(&sums[i..]), divisor(&sums[i..])))
        .collect();
    let mut left = LOOKED_AT;
    search(&sums, &rests, total, &mut left)
}

/// `rests` has the reach and the greatest common divisor of all strides from each on.
fn search(sums: &[Sum], rests: &[(i128, i128)], total: i128, left: &mut usize) -> bool {
    let (reach, divisor) = rests[0];
    if total < 0 || total > reach || (divisor > 0 && total % divisor != 0) {
        return false;
    }
    let [sum, smaller @ ..] = sums else {
        return true;
    };
    if smaller.is_empty() {
        return true;
    }
    let most = sum.most.min(total / sum.stride);
    let least = (total - rests[1].0 + sum.stride - 1).max(0) / sum.stride;
    // Of the counts whose rest the others' divisor divides, each is so far from the next.
    let step = rests[1].1 / divisor;
    let residue = (total / divisor % step) * inverse(sum.stride / divisor, step) % step;
    let first = least + (residue - least).rem_euclid(step);
    for count in (first..=most).step_by(step as usize) {
        if *left == 0 {
            return true;
        }
        *left -= 1;
        if search(smaller, &rests[1..], total - count * sum.stride, left) {
            return true;
        }
    }
    false
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// What times `a` leaves 1 when divided by `modulus`, with which it has no common divisor.
fn inverse(a: i128, modulus: i128) -> i128 {
    let (mut old, mut new) = ((a % modulus, 1), (modulus, 0));
    while new.0 != 0 {
        let quotient = old.0 / new.0;
        (old, new) = (new, (old.0 - quotient * new.0, old.1 - quotient * new.1));
    }
    old.1.rem_euclid(modulus)
}

//! What the work-items of the probe are given, and what they should make of it.

use super::{Probe, ROUNDS, TOLD};
use crate::device::{Exchange, Way};

impl Probe {
    /// Compares what the work-items tell with what they should have got.
    pub(super) fn check(&self, told: &[i32]) -> std::result::Result<(), String> {
        let groups = told
            .chunks(self.group * TOLD)
            .zip(self.bits.chunks(2 * self.group));
        for (told, bits) in groups {
            self.check_group(told, bits)?;
        }
        Ok(())
    }

    fn check_group(&self, told: &[i32], bits: &[i32]) -> std::result::Result<(), String> {
        let lanes = self.way.1;
        // Which work-item has which place in which sub-group.
        let mut places: Vec<Option<usize>> = vec![None; self.group];
        for (item, told) in told.chunks(TOLD).enumerate() {
            let [sub_group, lane] = [told[0], told[1]].map(|place| place as usize);
            let place = places.get_mut(sub_group.saturating_mul(lanes).saturating_add(lane));
            match place {
                Some(place @ None) if lane < lanes => *place = Some(item),
                _ => {
                    let (sub_group, lane) = (told[0], told[1]);
                    return Err(format!(
                        "work-item {item} is number {lane} of sub-group {sub_group}, as is another, or there is none"
                    ));
                }
            }
        }
        let items: Vec<usize> = places.into_iter().flatten().collect();
        for (sub_group, items) in items.chunks(lanes).enumerate() {
            let own: Vec<[i32; 2]> = items
                .iter()
                .map(|i| [bits[2 * i], bits[2 * i + 1]])
                .collect();
            let told: Vec<&[i32]> = items.iter().map(|i| &told[i * TOLD..][..TOLD]).collect();
            let rounds = ROUNDS * (sub_group + 1);
            for (lane, sum) in sums(&own, rounds).into_iter().enumerate() {
                if told[lane][2] != sum {
                    return Err(format!(
                        "values handed on through local memory in {rounds} rounds are wrong in work-item {lane} of sub-group {sub_group}"
                    ));
                }
            }
            check_neighbours(self.way, &own, &told)?;
        }
        Ok(())
    }
}

/// What the work-items of a sub-group have summed after so many rounds.
fn sums(own: &[[i32; 2]], rounds: usize) -> Vec<i32> {
    let lanes = own.len();
    let mut sums: Vec<i32> = own.iter().map(|own| own[0]).collect();
    for round in 0..rounds {
        let next = (0..lanes).map(|lane| {
            let handed = sums[(lane + 1 + round) % lanes];
            let right = sums.get(lane + 1).copied().unwrap_or(own[lane][1]);
            handed.wrapping_mul(3).wrapping_add(right)
        });
        sums = next.collect();
    }
    sums
}

/// Checks what the work-items of a sub-group say that they have from their left and right.
fn check_neighbours(
    (exchange, lanes): Way,
    own: &[[i32; 2]],
    told: &[&[i32]],
) -> std::result::Result<(), String> {
    // AMD's way goes round; of others, nothing is asked of the ends.
    let goes_round = exchange == Exchange::Amd;
    for (lane, told) in told.iter().enumerate() {
        let [left, right] = [lane + lanes - 1, lane + 1].map(|neighbour| own[neighbour % lanes]);
        let (has_left, has_right) = (lane > 0 || goes_round, lane + 1 < lanes || goes_round);
        let [x, y] = [0, 1];
        let rings = |by, half| sum_of_rings(own, lane, by, half);
        for (has, what, at, expected) in [
            (has_left, "int from the left", 3, left[x]),
            (has_right, "int from the right", 4, right[x]),
            (has_left, "float from the left", 5, left[y]),
            (has_right, "float from the right", 6, right[y]),
            (
                true,
                "sum of ints from the left in rings",
                7,
                rings(lanes - 1, x),
            ),
            (
                true,
                "sum of floats from the right in rings",
                8,
                rings(1, y),
            ),
            (has_left, "first half of a double from the left", 9, left[x]),
            (
                has_left,
                "second half of a double from the left",
                10,
                left[y],
            ),
            (
                has_right,
                "first half of a double from the right",
                11,
                right[x],
            ),
            (
                has_right,
                "second half of a double from the right",
                12,
                right[y],
            ),
        ] {
            let got = told[at];
            if has && got != expected {
                return Err(format!(
                    "work-item {lane} of {lanes} got {got:#010x} for {expected:#010x}, the {what}"
                ));
            }
        }
    }
    Ok(())
}

/// What a work-item has summed of those that are `by` places on in rings of every size.
fn sum_of_rings(own: &[[i32; 2]], lane: usize, by: usize, half: usize) -> i32 {
    let sizes = std::iter::successors(Some(1), |n| Some(2 * n)).take_while(|&n| n <= own.len());
    let told = sizes.map(|n| own[lane / n * n + (lane + by) % n][half]);
    told.fold(0, |sum: i32, told| sum.wrapping_mul(3).wrapping_add(told))
}

/// Two numbers for each work-item: random bits, and NaNs of either kind, of floats and,
/// taken together, of doubles.
pub(super) fn bits(items: usize) -> Vec<i32> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32
    };
    let pair = |item| match item % 5 {
        1 => [random() | 0x7F80_0000, random() | 0x7FF0_0000],
        3 => [0x7FA0_0001, 0xFFF4_0000 | random() >> 14],
        _ => [random(), random()],
    };
    (0..items).flat_map(pair).map(|bits| bits as i32).collect()
}

#[cfg(test)]
mod tests {
    use super::super::SUB_GROUPS;
    use super::*;

    const WAYS: [Way; 4] = [
        (Exchange::Ptx, 32),
        (Exchange::Khr, 8),
        (Exchange::Intel, 64),
        (Exchange::Amd, 32),
    ];

    /// What an honest device tells, its sub-groups numbered as they come.
    fn honest(probe: &Probe) -> Vec<i32> {
        let lanes = probe.way.1;
        let mut told = Vec::new();
        for (number, own) in probe.bits.chunks(2 * lanes).enumerate() {
            let own: Vec<[i32; 2]> = own.chunks(2).map(|own| [own[0], own[1]]).collect();
            let sub_group = number % SUB_GROUPS;
            let sums = sums(&own, ROUNDS * (sub_group + 1));
            for (lane, sum) in sums.into_iter().enumerate() {
                let [left, right] = [lane + lanes - 1, lane + 1].map(|place| own[place % lanes]);
                told.extend([sub_group as i32, lane as i32, sum]);
                told.extend([left[0], right[0], left[1], right[1]]);
                told.push(sum_of_rings(&own, lane, lanes - 1, 0));
                told.push(sum_of_rings(&own, lane, 1, 1));
                told.extend(left.into_iter().chain(right));
            }
        }
        told
    }

    /// Any one thing that is wrong is found; what the first gets from its left may be
    /// anything but on AMD's way.
    #[test]
    fn anything_wrong_is_found() {
        for way in WAYS {
            let probe = Probe::new(way, SUB_GROUPS * way.1);
            let told = honest(&probe);
            probe.check(&told).unwrap();
            for place in 0..told.len() {
                let (item, what) = (place / TOLD, place % TOLD);
                let is_first = item % way.1 == 0 && [3, 5, 9, 10].contains(&what);
                let is_last = (item + 1) % way.1 == 0 && [4, 6, 11, 12].contains(&what);
                let means_nothing = (is_first || is_last) && way.0 != Exchange::Amd;
                let mut wrong = told.clone();
                wrong[place] ^= 1 << (place % 31);
                assert_eq!(
                    probe.check(&wrong).is_ok(),
                    means_nothing,
                    "{way:?} {place}"
                );
            }
        }
    }

    #[test]
    fn bits_are_any_with_nans_of_both_types() {
        let bits = bits(1000);
        let floats = bits.iter().map(|&bits| f32::from_bits(bits as u32));
        let nans = floats.filter(|v| v.is_nan()).count();
        let double = |both: &[i32]| (both[1] as u32 as u64) << 32 | both[0] as u32 as u64;
        let doubles = bits.chunks(2).map(|both| f64::from_bits(double(both)));
        assert!(nans > 500 && nans < 1000, "{nans}");
        assert!(doubles.filter(|v| v.is_nan()).count() >= 400);
    }
}

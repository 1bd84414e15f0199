//! How many rows a sub-group of `streamed` gets. Measured on an NVIDIA H200.

use super::sizes::Sizes;
use super::{FILLING, PREFETCHED, TWO_FILLING, TWO_PREFETCHED};

/// Pairs of rows from which on segments sweep in opposite directions: shorter ones lose by it (1.05
/// to 1.09 times as long for 1024 x 1024 and 2048 x 2048 with five levels).
const TURNING: usize = 12;

/// The rows of a picture, shared out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segments {
    pub count: usize,
    /// Pairs of rows in each but the last.
    pub pairs: usize,
    /// Which ones sweep bottom-up: bit 0 those of even number, bit 1 those of odd number.
    pub bottom_up: i32,
    /// Pairs of rows that are loaded before they are needed.
    pub prefetched: usize,
}

impl Segments {
    /// Of a picture that is all border.
    pub fn none(sizes: &Sizes) -> Self {
        Segments {
            count: 0,
            pairs: 0,
            bottom_up: 0,
            prefetched: usual_prefetched(sizes),
        }
    }

    /// The same with the last one bottom-up, or top-down.
    pub fn with_last(self, bottom_up: bool) -> Self {
        let last = 1 << ((self.count - 1) % 2);
        Segments {
            bottom_up: if bottom_up { last } else { 3 - last },
            ..self
        }
    }
}

/// Pairs of rows that are loaded ahead where nothing was measured: few registers hold one.
fn usual_prefetched(sizes: &Sizes) -> usize {
    if sizes.crowded { 1 } else { PREFETCHED.default }
}

/// How many of `rows` pairs of rows of each of `strips` strips a segment gets for so many segments
/// per compute unit. Not one segment more than fill the device: a few that come after all others
/// would take as long again.
fn shared([rows, strips]: [usize; 2], filling: usize, compute_units: usize) -> usize {
    rows.div_ceil((compute_units * filling / strips).clamp(1, rows))
}

/// Segments as long or longer, by whole `steps`, so that the last of `rows`
/// pairs has at least `least`.
fn with_whole_end(pairs: usize, rows: usize, steps: usize, least: usize) -> usize {
    let last = |pairs: usize| rows - (rows.div_ceil(pairs) - 1) * pairs;
    let mut longer = (pairs..rows).step_by(steps);
    longer
        .find(|&pairs| last(pairs) >= least)
        .unwrap_or(rows.max(pairs))
}

/// The segments of a launch of one level: none is shorter than `least`.
pub fn of_one_level(
    sizes: &Sizes,
    work: [usize; 2],
    compute_units: usize,
    least: usize,
    turns: bool,
) -> Segments {
    let shared = |filling| shared(work, filling, compute_units);
    // Turns of the loop without a result.
    let overlap = sizes.reach.before + sizes.lags.last;
    // Many more segments than run at once even out, as long as the overlaps do not count; next best
    // is what runs at once. Where the picture is small, fewer are faster on their way.
    let large = match sizes.filling {
        Some(tuned) => (tuned, 4 * overlap),
        None => (FILLING.default, 5 * overlap),
    };
    let is_large = shared(large.0) >= large.1;
    let filling = match shared(12) {
        _ if is_large => large.0,
        pairs if pairs >= 4 * overlap => 12,
        _ => 10,
    };
    let pairs = shared(filling).max(least);
    let pairs = with_whole_end(pairs, work[0], 1, least);
    let tuned = sizes.prefetched.filter(|_| is_large);
    Segments {
        count: work[0].div_ceil(pairs),
        pairs,
        bottom_up: i32::from(turns && pairs >= TURNING),
        prefetched: tuned.unwrap_or(usual_prefetched(sizes)),
    }
}

/// The segments of a launch of two levels; none where half of the turns would be overlap,
/// which gains nothing. Each begins at an even pair of rows, and the last is as long as
/// the one before reads of it.
pub fn of_two_levels(sizes: &Sizes, work: [usize; 2], compute_units: usize) -> Option<Segments> {
    let overlap = 3 * (sizes.reach.before + sizes.lags.last);
    let pairs = shared(
        work,
        sizes.filling.unwrap_or(TWO_FILLING.default),
        compute_units,
    );
    if pairs < 2 * overlap && sizes.filling.is_none() {
        return None;
    }
    let least = 2 * sizes.reach.before.max(sizes.reach.after);
    let pairs = with_whole_end(pairs.next_multiple_of(2), work[0], 2, least);
    Some(Segments {
        count: work[0].div_ceil(pairs),
        pairs,
        bottom_up: 0,
        prefetched: sizes.prefetched.unwrap_or(TWO_PREFETCHED.default),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::Target;
    use crate::strategy::planning::todo::Todo;
    use crate::strategy::tests::cases::{Setting, large_gpu, problem};
    use crate::transform::Transform;
    use crate::wavelet::{Direction, SampleType, Wavelet};

    fn sizes(tuning: &str, levels: usize) -> Sizes {
        let transform = Transform::new(Wavelet::CDF_9_7, [512, 512]);
        let problem = problem(&transform, SampleType::F32, Direction::Forward);
        let setting = Setting::of(large_gpu()).tuned(tuning);
        let todo = Todo {
            problem: &problem,
            target: &Target {
                device: &setting.device,
                tuning: &setting.tuning,
                limits: &[],
                ways: &[],
            },
            levels: &transform.active_levels(),
            done: 0,
            converted: false,
        };
        Sizes::choices(&todo, levels).swap_remove(0)
    }

    /// The segments of a square picture on 132 compute units.
    fn segments(tuning: &str, side: usize) -> Segments {
        let sizes = sizes(tuning, 1);
        let pairs = side / 2;
        let work = [pairs, pairs.div_ceil(sizes.strip)];
        of_one_level(&sizes, work, 132, 1, true)
    }

    #[test]
    fn segments_suit_the_picture() {
        let pairs = |tuning, side| segments(tuning, side).pairs;
        let sides = [8192, 4096, 2048, 64];
        assert_eq!(sides.map(|side| pairs("", side)), [23, 24, 8, 1]);
        let tuned = "gpu | streamed | f32 | FILLING=20";
        assert_eq!(sides.map(|side| pairs(tuned, side)), [55, 24, 8, 1]);
        let few = "gpu | streamed | f32 | FILLING=2";
        assert_eq!(pairs(few, 8192), 586);
    }

    #[test]
    fn long_segments_sweep_in_opposite_directions() {
        let bottom_up = |side| segments("", side).bottom_up;
        assert_eq!([bottom_up(8192), bottom_up(2048)], [1, 0]);
        let of = |count| Segments {
            count,
            ..Segments::none(&sizes("", 1))
        };
        // Bit 0 are the even ones, bit 1 the odd ones; segment `count - 1` is the last.
        let last = |count, up| of(count).with_last(up).bottom_up;
        assert_eq!([last(1, true), last(2, true), last(3, true)], [1, 2, 1]);
        assert_eq!([last(1, false), last(2, false), last(3, false)], [2, 1, 2]);
    }

    #[test]
    fn a_tuned_distance_is_for_pictures_of_many_segments() {
        let prefetched = |tuning| [8192, 256].map(|side| segments(tuning, side).prefetched);
        assert_eq!(prefetched(""), [2, 2]);
        assert_eq!(prefetched("gpu | streamed | f32 | PREFETCHED=4"), [4, 2]);
    }

    #[test]
    fn two_levels_need_long_segments_that_start_at_even_pairs() {
        let of = |tuning, side: usize| {
            let sizes = sizes(tuning, 2);
            let pairs = side / 2;
            of_two_levels(&sizes, [pairs, pairs.div_ceil(sizes.strip)], 132)
        };
        assert_eq!(of("", 2048), None);
        for (tuning, side) in [
            ("", 8192),
            ("", 8190),
            ("gpu | streamed | f32 | TWO_FILLING=16", 514),
        ] {
            let segments = of(tuning, side).unwrap();
            assert!(
                segments.count == 1 || segments.pairs.is_multiple_of(2),
                "{segments:?}"
            );
            // What the segment before reads of the last one, twice a reach of two pairs, is there.
            let last = side / 2 - (segments.count - 1) * segments.pairs;
            assert!((4..=segments.pairs).contains(&last), "{segments:?}");
        }
    }

    #[test]
    fn the_last_segment_is_never_too_short() {
        assert_eq!(with_whole_end(8, 100, 2, 4), 8);
        assert_eq!(with_whole_end(8, 97, 2, 4), 10);
        assert_eq!(with_whole_end(4, 9, 1, 4), 5);
        assert_eq!(with_whole_end(4, 5, 1, 4), 5);
        assert_eq!(with_whole_end(4, 2, 1, 4), 4);
    }
}

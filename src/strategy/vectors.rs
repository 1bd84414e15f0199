//! A pass over memory per axis in vectors, for CPU devices: cl/vectors/row_vectors.cl along
//! contiguous lines, cl/vectors/column_vectors.cl along all others. Short rows, narrow pictures and
//! columns with few neighbours are boxes in the caches instead (boxes_in_cache.rs), short columns
//! stay in registers through all levels (short_columns.rs).

use super::Strategy;
use super::planning::cost::{Cost, Meter};
use super::planning::design::{Define, Kernel, Pass, Slots, Target, define};
use super::planning::planner::Offer;
use super::planning::todo::Todo;
use super::planning::tuning::Tunable;
use super::shared::cpu::{CACHE_LINE, CACHED, VECTOR, Vectors, extension_of, stored_size, wanted};
use super::shared::lines::{Lines, taken};
use super::shared::pixels;
use super::{boxes_in_cache, short_columns};
use crate::device::DeviceKind;
use crate::lifting::schedule::Lags;

pub(super) const TUNABLES: &[Tunable] = &[VECTOR, CACHED];

/// About how many pairs of rows a segment of columns has at least.
const SEGMENT: usize = 64;

/// Pairs at each end of columns that are lifted in the caches, at least: of lines of 32 samples
/// that is all. In a pipeline, and borders, they take 1.2 times as long.
const LEAST_BORDER: usize = 8;

/// Bytes of the nearest cache, which should hold all rows that the column pass keeps.
const NEAREST_CACHE: u64 = 32 << 10;

/// One axis, or what boxes take.
pub(super) fn offer(todo: &Todo) -> Offer {
    let (problem, target) = (todo.problem, todo.target);
    let y = Lags::new(&problem.stencils());
    let vectors = Vectors::new(Strategy::Vectors, problem, target, y);
    let samples = vectors.samples;
    let lines = Lines::new(todo);
    // The row pass loads and stores both channels of the signal at once.
    let are_rows = lines.are_rows && lines.apart == 1;
    let held = (2 * vectors.y.kept).max(4 * column_border(&lines));
    let of_columns = held * samples * vectors.bytes;
    let needed = match are_rows {
        true => of_columns.max(RowSizes::new(todo, &vectors, &lines).local_bytes),
        false => of_columns,
    };
    if needed as u64 > target.device.local_memory {
        let available = target.device.local_memory;
        return Offer::no(format!(
            "a vector of every kept row, or of the borders, needs {needed} bytes of local memory, there are {available}"
        ));
    }
    // A vector of 16-bit samples is at most half a line of the caches. Past them, 524288 x 32 by 5/3 in
    // i16 takes 1.06 ns per sample (inverse 1.08), through them 0.52 (0.53); by 9/7 in f32 0.83 (0.88)
    // and 1.01 (0.96), in vectors of 8, half a line as well, 0.81 (1.03) and 1.04 (1.04) (PoCL 3.1, one
    // core of Zen 4).
    let of_boxes = vectors.past_the_caches_if(stored_size(todo) >= 4);
    let boxes = || boxes_in_cache::taken(todo, &of_boxes, are_rows);
    let columns = || match are_rows {
        true => None,
        false => short_columns::taken(todo, &vectors),
    };
    // Boxes take both axes of a picture at once, and in 16 bits several levels of columns with few
    // neighbours in less time: of 2048 x 16 x 32 by 5/3 three levels in 0.88 of it, one in 1.8 times, in f32 by
    // 9/7 in 1.2 and 1.5 times (PoCL 3.1, Zen 4).
    let by_columns = stored_size(todo) >= 4 || todo.levels.len() == 1;
    let best = match todo.axes().len() == 1 && by_columns {
        true => columns().or_else(boxes),
        false => boxes().or_else(columns),
    };
    let taken = best.unwrap_or_else(|| {
        let pass = match are_rows {
            true => row_pass(todo, &vectors, &lines),
            false => column_pass(todo, &vectors, &lines),
        };
        taken(vec![pass])
    });
    match target.device.kind {
        DeviceKind::Cpu => Offer::Preferred(taken),
        DeviceKind::Gpu | DeviceKind::Accelerator => Offer::Works(taken),
    }
}

/// Bytes of a row from which on it gains by stores past the caches if its sub-bands are whole lines of
/// these, and samples of a row of doubles from which on it gains in any case.
const LONG_IN_LINES: usize = 2048;
const LONG: usize = 1000;

/// Numbers of a row that the column pass keeps: long runs of memory, as long as all
/// rows fit the nearest cache.
fn longest_row(vectors: &Vectors, target: &Target) -> usize {
    let cached = target.device.local_memory.min(NEAREST_CACHE) as usize;
    let row = cached / (2 * vectors.y.kept * vectors.bytes);
    row.min(1024) / vectors.samples * vectors.samples
}

/// Pairs at each end of columns that are lifted in the caches.
fn column_border(lines: &Lines) -> usize {
    lines.reach.border().max(LEAST_BORDER)
}

/// What borders of so many pairs leave open, of so many vectors of lines at once.
fn borders(pairs: usize, vectors: usize) -> [Define; 2] {
    [define("BORDER", pairs), define("BORDER_VECTORS", vectors)]
}

/// Whether rows gain by stores past the caches: such of numbers of 32 bits or more whose sub-bands are
/// whole lines of the caches, and long. Others seldom do, as their ends go through these. Doubles do
/// in long rows: inverse 1026 x 4088 takes 0.55 instead of 0.68. In ns per sample, forward / inverse,
/// past the caches and through them (PoCL 3.1, one core of Zen 4), when the borders of all rows were
/// stored again:
///
/// | rows | past | through |
/// |---|---|---|
/// | f32 `cdf97`, 2048 x 4096 | 0.30 / 0.27 | 0.36 / 0.38 |
/// | 32768 x 512 | 0.51 / 0.60 | 0.63 / 0.61 |
/// | 65536 x 256 | 0.86 / 0.63 | 0.64 / 0.57 |
/// | 4112 x 2040 | 0.57 / 0.39 | 0.44 / 0.41 |
/// | 31775 x 264 | 2.5 / 1.2 | 0.71 / 0.62 |
/// | i16 `cdf53`, 4096 x 4096 | 0.43 / 0.22 | 0.27 / 0.22 |
/// | 63550 x 264 | 1.4 / 1.3 | 0.45 / 0.39 |
fn rows_gain_past_the_caches(todo: &Todo, samples: usize) -> bool {
    let (size, row) = (stored_size(todo), samples * stored_size(todo));
    let are_whole = row.is_multiple_of(2 * CACHE_LINE) && row >= LONG_IN_LINES;
    size >= 4 && are_whole || size > 4 && samples >= LONG
}

/// Pairs of a segment of a row, at least, where rows are fewer than work-items, and of which it is a
/// whole number: lines of the caches of any sample.
const ROW_SEGMENT: usize = 1024;
const ROW_UNIT: usize = 32;

/// How rows are lifted: those that go on beyond their ends in one go, in segments where they are few.
struct RowSizes {
    /// How they go on; 0 where their borders are lifted apart.
    extension: usize,
    /// Places before a row, and these with those after its last whole vector.
    before: usize,
    outer: usize,
    local_bytes: usize,
    lines_each: usize,
    segments: usize,
    pairs_each: usize,
}

impl RowSizes {
    fn new(todo: &Todo, vectors: &Vectors, lines: &Lines) -> Self {
        let (count, samples) = (
            lines.geometry.lines as usize,
            lines.geometry.samples as usize,
        );
        let (vector, pairs) = (vectors.samples, samples.div_ceil(2));
        let extension = extension_of(todo, samples).map_or(0, |extension| extension as usize);
        let wanted = wanted(todo.target);
        let most = match extension {
            0 => 1,
            _ => wanted.div_ceil(count).min(pairs / ROW_SEGMENT),
        };
        let pairs_each = pairs.div_ceil(most.max(1)).next_multiple_of(ROW_UNIT);
        let (reach, bytes) = (&lines.reach, vectors.bytes);
        let (before, after, borders) = match extension {
            0 => (0, 0, 4 * reach.border()),
            _ => (reach.before.next_multiple_of(vector), reach.after, 0),
        };
        let outer = before + (vector + after).next_multiple_of(vector);
        // Vectors of numbers, and which pair each place copies.
        let local_bytes = (2 * outer + borders) * vector * bytes + (2 * outer + 3) * 4;
        RowSizes {
            extension,
            before,
            outer,
            local_bytes,
            lines_each: count.div_ceil(wanted),
            segments: pairs.div_ceil(pairs_each),
            pairs_each,
        }
    }
}

fn row_pass(todo: &Todo, vectors: &Vectors, lines: &Lines) -> Pass {
    let sizes = RowSizes::new(todo, vectors, lines);
    let shift = lines.geometry.shift;
    let meter = Meter::new(todo.problem, 1, shift).with_signal(todo.signal_size());
    let Lines {
        geometry, reach, ..
    } = lines;
    let lines = geometry.lines as usize;
    let samples = geometry.samples as usize;
    // Whole rows, in whole vectors, and what is taken in before a segment and after it.
    let pairs = samples.div_ceil(2).next_multiple_of(vectors.samples);
    let more = sizes.before + vectors.late_pairs();
    let lifted = meter.lifted(lines * (pairs + sizes.segments * more));
    let cost = if sizes.extension != 0 {
        // Each segment has what is no whole vector of its row.
        let rest = samples - samples / 2 / vectors.samples * vectors.samples * 2;
        let again = 2 * more + rest;
        let outside = 2 * (reach.before + reach.after);
        let read = samples + (sizes.segments - 1) * again + sizes.segments * outside;
        meter.scaled(lines * read, lines * samples) + lifted
    } else if reach.inner(samples).is_empty() {
        meter.line_ends(geometry, reach)
    } else {
        // What is wrong at their borders is stored again.
        meter.scaled(lines * samples, lines * samples) + lifted + meter.borders(geometry, reach)
    };
    let vectors = vectors.past_the_caches_if(rows_gain_past_the_caches(todo, samples));
    let mut defines = vectors.defines();
    defines.extend(vectors.pipeline_x());
    defines.extend(borders(reach.border(), 1));
    defines.extend([
        define("EXTENSION", sizes.extension),
        define("OUTER_BEFORE", sizes.before),
        define("OUTER_PAIRS", sizes.outer),
    ]);
    defines.extend(pixels::defines(todo.pixels()));
    Pass {
        kernel: Kernel {
            name: "row_vectors",
            file: "vectors/row_vectors.cl",
            defines,
            group: [1, 1],
        },
        slots: Slots::OF_TAKE,
        geometry: *geometry,
        own: vec![
            ("lines_per_group", sizes.lines_each as i32),
            ("segments", sizes.segments as i32),
            ("pairs_per_segment", sizes.pairs_each as i32),
        ],
        groups: lines.div_ceil(sizes.lines_each) * sizes.segments,
        cost: cost + Cost::of_group(0, sizes.local_bytes),
    }
}

fn column_pass(todo: &Todo, vectors: &Vectors, lines: &Lines) -> Pass {
    let (problem, target) = (todo.problem, todo.target);
    let Lines {
        geometry, reach, ..
    } = lines;
    let longest = longest_row(vectors, target);
    let [row, low] = [geometry.across[0], geometry.low_across[0]].map(|lines| lines as usize);
    let strips = low.div_ceil(longest) + (row - low).div_ceil(longest);
    let rows = geometry.lines as usize / row;
    let segments = wanted(target).div_ceil(strips * rows);
    let samples = geometry.samples as usize;
    let border = column_border(lines);
    let inside = match samples.div_ceil(2) <= 2 * border {
        true => 0,
        false => reach.inner(samples).len(),
    };
    let inner = inside.max(1);
    let pairs_each = inner.div_ceil(segments.clamp(1, inner.div_ceil(SEGMENT)));
    let overlaps = inside.div_ceil(pairs_each);
    let meter = Meter::new(problem, 1, geometry.shift).with_signal(todo.signal_size());
    let columns = geometry.lines as usize;
    let cost = if inside == 0 {
        meter.scaled(columns * samples, columns * samples)
            + meter.lifted(columns * samples.div_ceil(2))
    } else {
        let [read, stored] = lines.inner_samples(overlaps);
        let rows_lifted = inside + overlaps * (reach.before + vectors.y.last);
        meter.scaled(read, stored)
            + meter.lifted(columns * rows_lifted)
            + meter.borders(geometry, reach)
    };
    let mut defines = vectors.defines();
    defines.extend(vectors.pipeline_y(longest));
    // Borders of as many vectors as take the place of the ring.
    let ring = 2 * vectors.y.kept * longest / vectors.samples;
    let border_vectors = (ring / (4 * border)).max(1);
    let held = ring.max(4 * border * border_vectors);
    defines.push(define("CACHED_VECTORS", held));
    defines.extend(borders(border, border_vectors));
    defines.extend(pixels::defines(todo.pixels()));
    Pass {
        kernel: Kernel {
            name: "column_vectors",
            file: "vectors/column_vectors.cl",
            defines,
            group: [1, 1],
        },
        slots: Slots::OF_TAKE,
        geometry: *geometry,
        own: vec![
            ("strips", strips as i32),
            ("pairs_per_segment", pairs_each as i32),
        ],
        groups: strips * rows * inner.div_ceil(pairs_each),
        cost: cost + Cost::of_group(0, held * vectors.samples * vectors.bytes),
    }
}

#[cfg(test)]
mod tests {
    use crate::device::DeviceInfo;
    use crate::strategy::planning::design::Pass;
    use crate::strategy::tests::cases::{Setting, cpu, problem};
    use crate::strategy::tests::host::number;
    use crate::transform::Transform;
    use crate::wavelet::{Direction, SampleType, Wavelet};

    fn pass(device: DeviceInfo, wavelet: Wavelet, shape: &[usize], axis: usize) -> Pass {
        let transform = Transform::new(wavelet, shape).axes([axis]);
        let problem = problem(&transform, SampleType::F32, Direction::Forward);
        let design = Setting::of(device).design(&problem);
        design.unwrap().launches.swap_remove(0).pass
    }

    #[test]
    fn every_compute_unit_gets_some_work_items() {
        // Two compute units want eight.
        let rows = |wavelet: &Wavelet, lines, samples| {
            let rows = pass(cpu(), wavelet.clone(), &[lines, samples], 1);
            let numbers: Vec<i32> = rows.own.iter().map(|&(_, number)| number).collect();
            (numbers, rows.groups)
        };
        let (one, other) = (&Wavelet::CDF_9_7, &Wavelet::DAUB_4);
        assert_eq!(rows(one, 1000, 250), (vec![125, 1, 128], 8));
        assert_eq!(rows(one, 3, 50), (vec![1, 1, 32], 3));
        // Few long rows go by segments of whole lines of the caches, if they have no borders apart.
        assert_eq!(rows(one, 3, 20_000), (vec![1, 3, 3360], 9));
        assert_eq!(rows(one, 1, 5000), (vec![1, 2, 1280], 2));
        assert_eq!(rows(other, 1, 5000), (vec![1, 2, 1280], 2));
        assert_eq!(rows(other, 1, 5001), (vec![1, 1, 2528], 1));
        // The last one is short where there are many: of one pair here.
        let many = DeviceInfo {
            compute_units: 1000,
            ..cpu()
        };
        let row = pass(many, one.clone(), &[1, 139_393], 1);
        assert_eq!((row.own[2].1, row.groups), (1056, 67));
        // A strip of all 100 columns; 495 inner pairs are eight segments of 64 or less.
        let columns = pass(cpu(), Wavelet::CDF_9_7, &[1000, 100], 0);
        assert_eq!(columns.own, [("strips", 1), ("pairs_per_segment", 62)]);
        assert_eq!(columns.groups, 8);
        let short = pass(cpu(), Wavelet::CDF_9_7, &[5, 100], 0);
        assert_eq!((short.own[1], short.groups), (("pairs_per_segment", 1), 1));
    }

    #[test]
    fn the_rows_of_a_strip_fit_the_nearest_cache() {
        let row = |local_memory| {
            let device = DeviceInfo {
                local_memory,
                ..cpu()
            };
            let columns = pass(device, Wavelet::CDF_9_7, &[200, 5000], 0);
            let kernel = &columns.kernel;
            let bytes = 2 * number(kernel, "Y_KEPT") * number(kernel, "ROW") * 4;
            assert!(bytes as u64 <= local_memory.min(32 << 10), "{bytes}");
            assert_eq!(number(kernel, "ROW") % number(kernel, "VECTOR"), 0);
            number(kernel, "ROW")
        };
        // Of four kept pairs of rows: 32 KiB are 1024 numbers of each.
        assert_eq!(
            [row(1 << 20), row(32 << 10), row(4 << 10)],
            [1024, 1024, 128]
        );
    }

    #[test]
    fn short_columns_stay_in_registers_unless_they_share_a_place_in_the_caches() {
        let name = |shape: &[usize], sample| {
            let transform = Transform::new(Wavelet::CDF_9_7, shape).axes([0]);
            let problem = problem(&transform, sample, Direction::Forward);
            let design = Setting::of(cpu()).design(&problem).unwrap();
            design.launches[0].pass.kernel.name
        };
        let (short, other) = ("short_columns", "column_vectors");
        assert_eq!(name(&[96, 5000], SampleType::F32), short);
        assert_eq!(name(&[97, 5000], SampleType::F32), other);
        assert_eq!(name(&[49, 5000], SampleType::F64), other);
        assert_eq!(name(&[33, 4096], SampleType::F32), short);
        assert_eq!(name(&[32, 1 << 15], SampleType::F32), short);
        assert_eq!(name(&[33, 1 << 15], SampleType::F32), other);
        assert_eq!(name(&[33, 4096], SampleType::F16), other);
        assert_eq!(name(&[33, 4100], SampleType::F16), short);
    }

    #[test]
    fn what_local_memory_cannot_hold_goes_without_vectors() {
        let little = DeviceInfo {
            local_memory: 256,
            ..cpu()
        };
        let columns = pass(little.clone(), Wavelet::CDF_9_7, &[200, 200], 0);
        assert_eq!(columns.kernel.name, "column_pairs");
        let rows = pass(little, Wavelet::CDF_9_7, &[5, 200], 1);
        assert_eq!(rows.kernel.name, "row_pairs");
    }
}

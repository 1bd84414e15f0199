//! One launch per level for two axes of pictures whose pixels have a few samples side by side: sub-groups sweep along strips
//! of whole pixels, both axes in registers (cl/streamed_colours/streamed_colours.cl).

use super::Strategy;
use super::border::Border;
use super::cost::Meter;
use super::design::{
    Define, Kernel, Pass, Slots, can_stream, define, define_distance, groups_at_once,
    lack_of_registers, loops_as_they_are,
};
use super::lines::segments;
use super::pixels;
use super::planner::{Coloured, Offer, Taken, Todo};
use super::register_planes;
use super::tuning::Tunable;
use crate::device::{DeviceKind, Exchange};
use crate::lifting::extension::is_symmetric;
use crate::lifting::reach::Reach;
use crate::lifting::schedule::Lags;
use crate::transform::geometry::{Geometry, Side};

pub(super) const TUNABLES: &[Tunable] = &[PAIRS, PREFETCHED, FILLING];

// On an NVIDIA H200, one level of 4096 x 4096 x 3 by 9/7 in f32 takes 131 us (inverse 134) by two pairs, 124 (121) by one.
const PAIRS: Tunable = Tunable {
    name: "PAIRS",
    default: 1,
    candidates: &[1, 2],
    says: "pairs of pixels of a work-item; without a line as few as rows go by vectors with",
};
const PREFETCHED: Tunable = Tunable {
    name: "PREFETCHED",
    default: 2,
    candidates: &[1, 2, 4],
    says: "pairs of rows that are loaded before they are needed; without a line 4 where that is little",
};
const FILLING: Tunable = Tunable {
    name: "FILLING",
    default: 28,
    candidates: &[8, 12, 16, 20, 24, 28],
    says: "sub-groups that a compute unit runs at once; without a line as many as have registers",
};

const NAME: &str = "streamed_colours";

/// Work-items in a work-group, where the device allows as many.
const GROUP: usize = 128;

/// Samples of a pixel at most. On an NVIDIA H200, one level of 4096 x 4096 x 5 by 9/7 in f32 takes 250 us (inverse 278), of x 8
/// 312 (370), where copies take 162 and 255, and two passes 1170 (820) and 740 (764). Of more than 4 it is preferred where a
/// work-item has so few registers.
const MOST_COLOURS: i64 = 8;
const MOST_REGISTERS: usize = 192;

/// Bytes of pixels of 8 samples from which on `register_planes` is asked first, whose work-items read and store so much together: on an
/// NVIDIA H100 4096 x 4096 x 8 in f32 takes 406 us by it (inverse 411), here 409 (450); interleaved 1024 x 512 x 8 21 (29), and 48 (65).
const BYTES_TOGETHER: usize = 32;

/// Bytes of a row up to which more of them are loaded ahead.
const SHORT_RUN: usize = 16;

/// Registers of a work-item besides its samples. One group too many at once takes 1.1 to 1.3 times as long.
const OTHER_REGISTERS: usize = 6;

/// Registers, counted as above, that a work-item has where sub-groups share wavefronts: what one of them knows of itself takes
/// registers of its work-items as well, up to the 256 of AMD's GPUs (`make vendors`). Elsewhere more fit, and less is slower: on
/// an NVIDIA H200, 13/7 on 4096 x 4096 x 3 in i16 takes 141 and 152 us, by one pair 195 and 237, and 9/7 in f64 250 and 224, with
/// one pair of rows loaded ahead 264 and 263.
const MOST_OF_SHARED: usize = 125;

pub(super) fn offer(todo: &Todo) -> Offer {
    let todo = &Todo {
        target: &todo.target.of(NAME),
        ..*todo
    };
    let Some(picture) = todo.coloured_picture(MOST_COLOURS) else {
        return Offer::no("it takes two axes before an inner batch of 2 to 8, in one piece");
    };
    let found = Borders::new(todo, &picture).and_then(|borders| {
        let sizes = Sizes::new(todo, &picture, &borders)?;
        let pass = pass(todo, &sizes, &picture, &borders);
        Ok((sizes, pass))
    });
    let (sizes, pass) = match found {
        Ok(found) => found,
        Err(why) => return Offer::No { why },
    };
    let taken = Taken {
        levels: 1,
        axes: 2,
        passes: vec![pass],
    };
    // VC-2's Fidelity, for which 14 of 32 work-items are overlap, took 1191 us where 9/7 took 157.
    let little_overlap = 3 * sizes.strip() >= 2 * sizes.lanes * sizes.pairs;
    let device = todo.target.device;
    let is_light = sizes.registers <= MOST_REGISTERS;
    let bytes = picture.colours * todo.problem.sample.size();
    if picture.colours as i64 == MOST_COLOURS
        && bytes >= BYTES_TOGETHER
        && matches!(register_planes::offer(todo), Offer::Preferred(_))
    {
        return Offer::Works(taken);
    }
    let fits = can_stream(device) && sizes.fits && (picture.colours <= 4 || is_light);
    match device.kind {
        DeviceKind::Gpu if fits && sizes.lanes > 1 && little_overlap => Offer::Preferred(taken),
        _ => Offer::Works(taken),
    }
}

/// How rows and columns of a picture go on beyond its border.
struct Borders {
    x: Border,
    y: Border,
}

impl Borders {
    fn new(todo: &Todo, picture: &Coloured) -> Result<Self, String> {
        Ok(Borders {
            x: Border::new(todo, picture.geometry.samples)?,
            y: Border::new(todo, picture.geometry.across[0])?,
        })
    }

    /// Whether samples beyond one of them must be set anew before every step.
    fn are_restored(&self) -> bool {
        self.x.is_restored() || self.y.is_restored()
    }
}

/// What a work-item has in registers, by the sizes that this depends on.
struct Held {
    pairs: usize,
    prefetched: usize,
    registers: usize,
}

impl Held {
    fn new(lags: &Lags, colours: usize, pairs: usize, prefetched: usize, bytes: usize) -> Self {
        let row = 2 * pairs * colours;
        // Rows wait in whole words where there are such.
        let waiting = match (pairs * colours * bytes).is_multiple_of(4) {
            true => bytes,
            false => bytes.max(4),
        };
        let kept = lags.oldest[0] + lags.oldest[1] + 2;
        let counted = row * (2 * prefetched * waiting + kept * bytes.max(4)) / 4 + OTHER_REGISTERS;
        Held {
            pairs,
            prefetched,
            registers: if pairs == 1 {
                counted
            } else {
                as_compiled(counted)
            },
        }
    }

    /// The registers where what is beyond the border is set anew before every step, or is not.
    fn compiled(&self, restored: bool) -> usize {
        if restored {
            as_compiled(self.registers)
        } else {
            self.registers
        }
    }
}

/// Compiled for two pairs, programs have 1.4 times as many registers as counted, and so they have with a border that is restored.
fn as_compiled(registers: usize) -> usize {
    registers * 7 / 5
}

/// How rows are moved.
struct Rows {
    /// Whether neighbouring pixels of a sub-band are neighbours in memory.
    planar: bool,
    /// Whether rows go by vectors, and in those of sub-bands pixels of two take turns.
    wide: bool,
    turns: bool,
    /// Samples in a vector on the signal side, of a sub-band, or of two that take turns, and of LL where it then has an array of its
    /// own, else 0.
    signal: usize,
    band: usize,
    low: usize,
}

/// What the kernel is specialised on besides the prelude.
struct Sizes {
    reach: Reach,
    lags: Lags,
    /// Work-items in a sub-group; 1 without exchange.
    lanes: usize,
    /// Work-items in a work-group, whole sub-groups.
    group: usize,
    /// Pairs of pixels of a work-item.
    pairs: usize,
    /// Pairs of pixels before and after its own that a work-item loads itself.
    halo: [usize; 2],
    /// Work-items at the ends of a sub-group that store nothing.
    overlap: [usize; 2],
    prefetched: usize,
    /// Whether compilers find registers for it.
    fits: bool,
    /// Of a work-item.
    registers: usize,
    /// Sub-groups that a compute unit runs at once.
    filling: usize,
    x_first: bool,
}

impl Sizes {
    /// The sizes for a device, or why it cannot run them.
    fn new(todo: &Todo, picture: &Coloured, borders: &Borders) -> Result<Self, String> {
        let (problem, device) = (todo.problem, todo.target.device);
        let stencils = problem.stencils();
        let (reach, lags) = (Reach::new(&stencils), Lags::new(&stencils));
        let tuned = |tunable| {
            let size = todo
                .target
                .size(Strategy::StreamedColours, problem, tunable);
            size.map(usize::next_power_of_two)
        };
        let bytes = problem.sample.size();
        // Runs are whole words, of a sub-band and of the signal side, which is twice as many samples.
        let has_whole_words = |bytes: usize| (picture.colours * bytes).is_multiple_of(4);
        let is_whole = has_whole_words(bytes) && has_whole_words(2 * todo.signal_size());
        let least = if is_whole { 1 } else { 2 };
        let alone = device.exchange == Exchange::None;
        let held = |pairs: usize, prefetched: Option<usize>| {
            let little = 2 * pairs * picture.colours * bytes <= SHORT_RUN;
            let usual = if little { 4 } else { PREFETCHED.default };
            let prefetched = tuned(&PREFETCHED).or(prefetched).unwrap_or(usual);
            Held::new(&lags, picture.colours, pairs, prefetched, bytes)
        };
        let shared = device.shares_wavefronts();
        let fits = |held: &Held| !shared || held.compiled(borders.are_restored()) <= MOST_OF_SHARED;
        let [usual, fewer] = [least, 1].map(|pairs| tuned(&PAIRS).unwrap_or(pairs));
        let choices = [
            held(usual, None),
            held(usual, Some(1)),
            held(fewer, None),
            held(fewer, Some(1)),
        ];
        let chosen = choices.iter().find(|held| fits(held));
        let Held {
            pairs,
            prefetched,
            registers,
        } = *chosen.unwrap_or(&choices[3]);
        let row = 2 * pairs * picture.colours;
        let kept = 2 * lags.kept * row;
        if let Some(why) = lack_of_registers("what its steps still read", kept, problem.sample) {
            return Err(why);
        }
        let filling = groups_at_once(GROUP, registers) * GROUP / 32;
        let lanes = if alone { 1 } else { device.lanes };
        let reaches = [reach.before, reach.after];
        let sizes = Sizes {
            lanes,
            group: GROUP.min(todo.target.work_group(NAME)) / lanes * lanes,
            pairs,
            halo: if alone { reaches } else { [0, 0] },
            overlap: match alone {
                true => [0, 0],
                false => reaches.map(|reach| reach.div_ceil(pairs)),
            },
            prefetched,
            fits: chosen.is_some(),
            registers,
            filling: todo
                .target
                .size(Strategy::StreamedColours, problem, &FILLING)
                .unwrap_or(filling),
            // Rounding apart, real steps along different axes commute; along x last, fewer rows are lifted.
            x_first: todo.x_first() && problem.sample.is_integer(),
            reach,
            lags,
        };
        if sizes.group == 0 {
            return Err(format!("it needs work-groups of {lanes}"));
        }
        if sizes.strip() == 0 {
            return Err(format!("sub-groups of {lanes} are all overlap"));
        }
        Ok(sizes)
    }

    /// Pairs of pixels that a sub-group stores.
    fn strip(&self) -> usize {
        self.lanes.saturating_sub(self.overlap[0] + self.overlap[1]) * self.pairs
    }

    /// How rows are moved.
    fn rows(&self, todo: &Todo, picture: &Coloured) -> Rows {
        let Coloured { geometry, colours } = picture;
        let is_dense = |side: &Side| side.line.stride == *colours as i64;
        let planar = geometry.band_sides().all(is_dense);
        let run = self.pairs * colours;
        let bytes = todo.problem.sample.size();
        let signal_bytes = todo.signal_size();
        let signal = vector(&geometry.signal, 2 * run, signal_bytes);
        // As on the signal side; every picture has its LL there or none has, in rows of one piece.
        let same = geometry.low_across[1..] == geometry.across[1..] && is_dense(&geometry.low);
        let turns = geometry.bands.line == geometry.signal.line && (geometry.has_low == 0 || same);
        let low = match geometry.has_low {
            0 => None,
            _ => Some(vector(&geometry.low, run, bytes)),
        };
        let band = match turns {
            true => vector(&geometry.bands, 2 * run, bytes),
            false => vector(&geometry.bands, run, bytes).min(low.unwrap_or(usize::MAX)),
        };
        // Bytes of the shortest vector: a word is needed; of samples, two words are chosen, which smaller pixels often do not have.
        let least = if signal_bytes < bytes { 4 } else { 8 };
        let whole = (geometry.samples as usize).is_multiple_of(2 * self.pairs);
        let wide = self.lanes > 1
            && (planar || turns)
            && whole
            && band.min(low.unwrap_or(band)) * bytes >= 4
            && signal * signal_bytes >= least;
        let turns = wide && turns;
        Rows {
            planar,
            wide,
            turns,
            signal,
            band,
            low: low.filter(|_| turns).unwrap_or(0),
        }
    }

    fn defines(&self, todo: &Todo, picture: &Coloured, borders: &Borders) -> Vec<Define> {
        let Coloured { geometry, colours } = picture;
        let device = todo.target.device;
        let restored = borders.are_restored();
        let rows = self.rows(todo, picture);
        let mut defines = vec![
            define("EXCHANGE", device.exchange.number()),
            define("LANES", self.lanes),
            define("GROUP", self.group),
            define("COLOURS", colours),
            define("PAIRS", self.pairs),
            define("HALO_LO", self.halo[0]),
            define("HALO_HI", self.halo[1]),
            define("OVERLAP_LO", self.overlap[0]),
            define("STRIP", self.strip()),
            define("WIDE", u8::from(rows.wide)),
            define("BY_WORDS", u8::from(rows.wide)),
            define("SIGNAL_VECTOR", rows.signal),
            define("BAND_VECTOR", rows.band),
            define("PIXELS_TAKE_TURNS", u8::from(rows.turns)),
            define("LOW_VECTOR", rows.low),
            define("PREFETCHED", self.prefetched),
            define("RING", self.lags.kept.next_multiple_of(self.prefetched)),
            define("RESTORED", u8::from(restored)),
            define("REPEATED", u8::from(borders.x.is_periodic() && !restored)),
            define("X_FIRST", u8::from(self.x_first)),
            define("PLANAR", u8::from(rows.planar)),
            define("SINGLE", u8::from(pictures(geometry) == 1)),
            define("PRE_SHIFT", todo.pre_shift()),
            define_distance(self.is_narrow(geometry)),
        ];
        defines.extend(loops_as_they_are(device));
        defines.extend(pixels::defines(todo.pixels()));
        defines
    }

    /// Whether the distances between the samples of a picture fit 32 bits, those past it included that the last sub-group
    /// has. CPUs without exchange keep the general way under test.
    fn is_narrow(&self, geometry: &Geometry) -> bool {
        self.lanes > 1 && geometry.is_narrow(2, 2 * self.lanes * self.pairs)
    }
}

/// How many samples of a run of so many are a vector, of 16 bytes at most, wherever a row starts.
fn vector(side: &Side, run: usize, bytes: usize) -> usize {
    let whole = |size: &usize| {
        let is_whole = |place: i64| place % *size as i64 == 0;
        let axes = [side.line, side.across[0], side.across[1], side.across[2]];
        // Of the signal side, where both channels of a row are a run, its details start nowhere.
        run.is_multiple_of(*size)
            && is_whole(side.offset)
            && axes[1..]
                .iter()
                .all(|axis| is_whole(axis.stride) && is_whole(axis.detail))
            && (2 * axes[0].detail == axes[0].stride || is_whole(axes[0].detail))
    };
    let candidates = [8, 4, 2];
    let mut candidates = candidates.into_iter().filter(|size| size * bytes <= 16);
    candidates.find(whole).unwrap_or(1)
}

fn pictures(geometry: &Geometry) -> usize {
    (geometry.across[1] * geometry.across[2]) as usize
}

fn pass(todo: &Todo, sizes: &Sizes, picture: &Coloured, borders: &Borders) -> Pass {
    let Coloured { geometry, colours } = picture;
    let [height, width] = [geometry.across[0], geometry.samples];
    let pairs = |samples: i32| (samples as usize).div_ceil(2);
    let (rows, count) = (pairs(height), pictures(geometry));
    let strips = pairs(width).div_ceil(sizes.strip());
    let at_once = todo.target.device.compute_units * sizes.filling;
    let overlap = sizes.reach.before + sizes.lags.last;
    let pairs_each = rows.div_ceil(segments([strips * count, rows], overlap, at_once, overlap));
    let segments = rows.div_ceil(pairs_each);
    let symmetric = is_symmetric(todo.problem.transform.wavelet(), todo.problem.sample);
    let is_periodic = borders.x.is_periodic() || borders.y.is_periodic();
    let turns = symmetric && !borders.are_restored() && !is_periodic;
    let meter = Meter::new(todo.problem, 2, todo.pre_shift()).with_signal(todo.signal_size());
    let columns = width as usize + 2 * (strips - 1) * (sizes.reach.before + sizes.reach.after);
    let lines = height as usize + 2 * (segments - 1) * (sizes.reach.before + sizes.reach.after);
    let lifted =
        count * colours * (rows + segments * overlap) * 2 * strips * sizes.lanes * sizes.pairs;
    let (read, stored) = (
        count * colours * lines * columns,
        count * colours * height as usize * width as usize,
    );
    // LL that has an array of its own has places in the rows as well.
    let is_again = sizes.rows(todo, picture).low > 0;
    let again = if is_again { stored / 4 } else { 0 };
    let [read, stored] = meter.with_lows_again(read, stored, again);
    let sub_groups = sizes.group / sizes.lanes;
    Pass {
        kernel: Kernel {
            name: NAME,
            file: "streamed_colours/streamed_colours.cl",
            defines: sizes.defines(todo, picture, borders),
            group: [sizes.group, 1],
        },
        slots: Slots::OF_TAKE,
        geometry: *geometry,
        own: vec![
            ("strips", strips as i32),
            ("segments", segments as i32),
            ("pairs_per_segment", pairs_each as i32),
            ("bottom_up", i32::from(turns && segments > 1)),
        ],
        groups: (strips * segments).div_ceil(sub_groups) * count,
        cost: meter.scaled(read, stored) + meter.lifted(lifted) + meter.lifted(lifted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceInfo;
    use crate::strategy::design::Launch;
    use crate::strategy::tests::cases::{Setting, gpu, large_gpu, problem};
    use crate::strategy::tests::host::{number, own};
    use crate::transform::{Layout, Transform};
    use crate::wavelet::{Boundary, Direction, SampleType, Wavelet};

    fn launch(device: DeviceInfo, transform: &Transform, sample: SampleType) -> Launch {
        let problem = problem(transform, sample, Direction::Forward);
        let setting = Setting::of(device);
        setting.design(&problem).unwrap().launches.swap_remove(0)
    }

    fn picture(wavelet: Wavelet, shape: [usize; 3]) -> Transform {
        Transform::new(wavelet, shape).axes([0, 1])
    }

    #[test]
    fn pixels_take_turns_where_all_pictures_have_their_low_band_alike() {
        let of = |axes: &[usize], levels| {
            let transform = Transform::new(Wavelet::CDF_9_7, [64, 256, 256, 4])
                .axes(axes.to_vec())
                .levels(levels)
                .layout(Layout::Interleaved);
            let problem = problem(&transform, SampleType::F32, Direction::Forward);
            let design = Setting::of(large_gpu()).design(&problem).unwrap();
            let mut launches = design.launches.into_iter();
            let launch = launches.find(|one| one.strategy == Strategy::StreamedColours);
            let kernel = launch.unwrap().pass.kernel;
            ["WIDE", "PIXELS_TAKE_TURNS", "LOW_VECTOR"].map(|name| number(&kernel, name))
        };
        assert_eq!(of(&[1, 2], 1), [1, 1, 0]);
        assert_eq!(of(&[1, 2], 2), [1, 1, 4]);
        // Half of the pictures have no such array.
        assert_eq!(of(&[0, 1, 2], 2), [0, 0, 0]);
        assert_eq!(of(&[0, 1, 2], 1), [1, 1, 0]);
    }

    #[test]
    fn rows_go_by_vectors_where_they_are_aligned_and_end_between_work_items() {
        let of = |sample, shape| {
            let picture = picture(Wavelet::CDF_5_3, shape);
            let launch = launch(large_gpu(), &picture, sample);
            let names = ["PAIRS", "WIDE", "SIGNAL_VECTOR", "BAND_VECTOR"];
            names.map(|name| number(&launch.pass.kernel, name))
        };
        assert_eq!(of(SampleType::F32, [64, 64, 3]), [1, 1, 2, 1]);
        assert_eq!(of(SampleType::F32, [64, 64, 4]), [1, 1, 4, 4]);
        assert_eq!(of(SampleType::F32, [64, 63, 3])[1], 0);
        // Two samples of 16 bits are a word.
        assert_eq!(of(SampleType::I16, [64, 64, 3]), [2, 1, 4, 2]);
        assert_eq!(of(SampleType::I16, [64, 66, 3])[1], 0);
        assert_eq!(of(SampleType::I16, [64, 66, 2]), [1, 1, 4, 2]);
    }

    #[test]
    fn sizes_are_smaller_where_sub_groups_share_wavefronts() {
        let of = |wavefront, wavelet, sample| {
            let device = DeviceInfo {
                wavefront,
                ..gpu(Exchange::Amd, 32)
            };
            let launch = launch(device, &picture(wavelet, [64, 64, 3]), sample);
            ["PAIRS", "PREFETCHED"].map(|name| number(&launch.pass.kernel, name))
        };
        let (long, short) = (Wavelet::VC2_DD_13_7, Wavelet::CDF_9_7);
        assert_eq!(of(32, long.clone(), SampleType::I16), [2, 2]);
        assert_eq!(of(64, long, SampleType::I16), [1, 1]);
        assert_eq!(of(32, short.clone(), SampleType::F64), [1, 2]);
        assert_eq!(of(64, short.clone(), SampleType::F64), [1, 1]);
        assert_eq!(of(64, short, SampleType::F32), [1, 2]);
    }

    #[test]
    fn segments_are_as_many_as_run_at_once() {
        let of = |wavelet, colours| {
            let picture = picture(wavelet, [4096, 4096, colours]);
            let launch = launch(large_gpu(), &picture, SampleType::F32);
            let [strips, segments] = ["strips", "segments"].map(|name| own(&launch, name));
            (strips * segments) as f64 / large_gpu().compute_units as f64
        };
        for (colours, at_once) in [(2, 28.0), (3, 28.0), (4, 20.0)] {
            let found = of(Wavelet::CDF_9_7, colours);
            assert!((0.9 * at_once..=at_once).contains(&found), "{found}");
        }
    }

    #[test]
    fn it_is_preferred_where_sub_groups_store_most_of_what_they_load() {
        let kernel = |device, wavelet| {
            let picture = picture(wavelet, [64, 64, 3]).boundary(Boundary::Symmetric);
            launch(device, &picture, SampleType::I32).pass.kernel.name
        };
        assert_eq!(kernel(large_gpu(), Wavelet::CDF_5_3), "streamed_colours");
        assert_eq!(
            kernel(large_gpu(), Wavelet::VC2_DD_13_7),
            "streamed_colours"
        );
        assert_eq!(kernel(large_gpu(), Wavelet::VC2_FIDELITY), "register_rows");
        assert_eq!(
            kernel(gpu(Exchange::None, 1), Wavelet::CDF_5_3),
            "register_planes"
        );
    }
}

//! One launch per level for three axes: work-groups sweep along z with a tile of columns and rows, all axes in one pass
//! (cl/streamed_volumes/streamed_volumes.cl).

use super::Strategy;
use super::border::Border;
use super::cost::{Cost, Meter};
use super::design::{
    Define, Kernel, LARGEST_VECTOR, Pass, Slots, define, define_distance, loops_as_they_are,
};
use super::pixels;
use super::planner::{Offer, Taken, Todo};
use super::tuning::Tunable;
use crate::device::{DeviceKind, Exchange};
use crate::lifting::extension::{are_near, is_symmetric};
use crate::lifting::reach::Reach;
use crate::transform::geometry::Geometry;
use crate::wavelet::{Channel, SampleType, Stencil};

const NAME: &str = "streamed_volumes";

pub(super) const TUNABLES: &[Tunable] = &[FILLING];

const FILLING: Tunable = Tunable {
    name: "FILLING",
    default: 512,
    candidates: &[256, 384, 512, 640],
    says: "work-items that a compute unit runs at once",
};

/// Work-items in a work-group, where the device allows as many, and along x at least.
const GROUP: usize = 128;
const LEAST_ITEMS_X: usize = 8;

/// Those side by side are a power of two, or a multiple of so many and of the lanes of a sub-group.
const LEAST_WHOLE: usize = 32;

/// Rows of which a work-item has the results.
const OWN_ROWS: usize = 4;

/// Samples for each compute unit up to which it is waiting that takes time: then segments may be as short as a pair of planes, where
/// they otherwise have as many pairs as there are steps at least. On an NVIDIA H200, 64 x 64 x 64 takes 10.4 us (inverse 11.0), by
/// segments of two pairs of planes and two rows of a work-item 10.6 (12.9); 128 x 128 x 128, which has more, takes 15.0 (16.8), and by
/// short segments 18.6 (19.3).
const FEW_SAMPLES: usize = 4 << 10;

/// Samples from which on it is preferred. On an NVIDIA H200 128 x 128 x 128 takes 15 us (inverse 16.5), by pictures and columns
/// 29 (27), 64 x 64 x 64 10.4 (11.0) and 22 (24); in halves these took 15.5 (18.5) and 27 (28), 11 (12) and 24 (25). Other GPUs
/// were not tried; AMD's compute units have local memory for one work-group.
const LARGE: usize = 1 << 18;

/// Columns of a work-item, in pairs: 8 to 32 bytes of them. Of what computes in single precision 4 pairs take twice the local
/// memory, and more registers: on an NVIDIA H200 512 x 512 x 512 by 9/7 in halves takes 312 us (inverse 329), by 2 pairs 248 (279).
const PAIRS: usize = 2;
const PAIRS_OF_SHORTS: usize = 4;

/// Bytes of the rows that are read of a pair of planes, up to which a work-item loads them all ahead: then it seldom waits for
/// memory, and a compute unit with registers for half as many work-items is faster. On an NVIDIA H100, 512 x 512 x 512 by 9/7 in f32
/// takes 380 us (inverse 376), by a pair of rows ahead 473 (475), and by half of the rows and 384 work-items at once 453 (429).
const MOST_AHEAD: usize = 384;
const FILLING_AHEAD: usize = 256;

/// Half of them leave registers to more: in halves 245 us (inverse 275), by 256 at once 273 (302), by a pair of rows ahead 259 (287).
const LITTLE_AHEAD: usize = 192;
const FILLING_LITTLE_AHEAD: usize = 384;

fn pairs_of_columns(todo: &Todo) -> usize {
    match todo.problem.sample {
        SampleType::I16 => PAIRS_OF_SHORTS,
        _ => PAIRS,
    }
}

/// Pairs of rows that a work-item loads ahead, and how many work-items a compute unit then runs at once.
///
/// NVIDIA's have four parts with registers for two such sub-groups each. Work-groups of three do not fill them, and of four columns
/// wait even so: 384 x 384 x 384 takes 211 us instead of 182. Intel's sub-groups have a quarter of the registers.
fn ahead(todo: &Todo, turns: usize, group: usize) -> (usize, usize) {
    let columns = 2 * pairs_of_columns(todo);
    let bytes = turns * 4 * columns * todo.problem.sample.size();
    let exchange = todo.target.device.exchange;
    let has_registers = !matches!(exchange, Exchange::Khr | Exchange::Intel);
    match has_registers && group * columns >= GROUP * 2 * PAIRS && bytes <= MOST_AHEAD {
        true if bytes <= LITTLE_AHEAD => (turns, FILLING_LITTLE_AHEAD),
        true => (turns, FILLING_AHEAD),
        false => (1, FILLING.default),
    }
}

pub(super) fn offer(todo: &Todo) -> Offer {
    let todo = &Todo {
        target: &todo.target.of(NAME),
        ..*todo
    };
    let Some(axes) = todo.volume() else {
        return Offer::no("it takes three axes of which the inner one is in one piece");
    };
    let (sizes, pass) = match take(todo, axes) {
        Ok(found) => found,
        Err(why) => return Offer::No { why },
    };
    let geometry = &pass.geometry;
    let samples = samples(geometry);
    // As many as were timed: 96 work-items of which 64 store have the forward transform of 512 x 512 x 512 integers of 32 bits
    // in 403 us, two launches in 595.
    let stored = match todo.problem.sample.is_integer() {
        true => 3 * sizes.strip >= 2 * sizes.items_x,
        false => 4 * sizes.strip >= 3 * sizes.items_x,
    };
    let device = todo.target.device;
    let is_tried = device.kind == DeviceKind::Gpu && device.exchange == Exchange::Ptx;
    let is_fast = match todo.problem.sample {
        SampleType::F16 | SampleType::Rounded | SampleType::F32 => true,
        // Vectors of words alone were timed, and pipelines of two steps.
        sample => sample.is_integer() && sizes.wide && sizes.steps == 2,
    };
    let taken = Taken {
        levels: 1,
        axes: 3,
        passes: vec![pass],
    };
    match is_tried && is_fast && stored && samples >= LARGE {
        true => Offer::Preferred(taken),
        false => Offer::Works(taken),
    }
}

fn samples(geometry: &Geometry) -> usize {
    let across = geometry.across.map(|n| n as usize);
    geometry.samples as usize * across.iter().product::<usize>()
}

/// Whether these steps make a pipeline: every step takes both neighbours of a sample alike, and details and approximations take
/// turns.
fn is_pipeline(todo: &Todo, stencils: &[Stencil]) -> bool {
    let take_turns = stencils
        .windows(2)
        .all(|pair| pair[0].target != pair[1].target);
    are_near(stencils)
        && is_symmetric(todo.problem.transform.wavelet(), todo.problem.sample)
        && take_turns
        && stencils.len().is_multiple_of(2)
}

/// What the kernel is specialised on besides the prelude.
struct Sizes {
    steps: usize,
    /// Whether the first step changes details, so that those of a pair come after its approximations.
    details_first: bool,
    group: usize,
    items_x: usize,
    /// Work-items at either end of a tile that store nothing: none where the tile has whole rows and mirrors them itself.
    overlap: usize,
    /// Work-items of a tile that store, and tiles side by side.
    strip: usize,
    tiles_x: usize,
    filling: usize,
    rows: Rows,
    /// Pairs of rows that a work-item loads before it lifts them.
    ahead: usize,
    /// Pairs of planes of a segment at least.
    least: usize,
    wide: bool,
    /// Columns of a work-item, in pairs.
    pairs: usize,
}

impl Sizes {
    fn new(todo: &Todo, geometry: &Geometry, x: Border) -> Result<Self, String> {
        let stencils = todo.problem.stencils();
        let reach = Reach::new(&stencils);
        if !is_pipeline(todo, &stencils) || reach.before.max(reach.after) > PAIRS {
            return Err(
                "it takes steps that read one neighbour on each side, and few of them".into(),
            );
        }
        let pairs = pairs_of_columns(todo);
        let device = todo.target.device;
        let few = samples(geometry) < FEW_SAMPLES * device.compute_units;
        let rows = Rows::new(todo, stencils.len());
        // As many work-items as have their pipelines in local memory.
        let most_items = GROUP.min(todo.target.work_group(NAME));
        let fits = |&items: &usize| rows.local_bytes(todo, items) as u64 <= device.local_memory;
        let group = (1..=most_items).rev().find(fits).unwrap_or(0);
        // The most that are side by side: as they are rounded up.
        let whole = device.lanes.max(LEAST_WHOLE);
        let most = match group < whole {
            true => group.checked_ilog2().map_or(0, |log| 1 << log),
            false => in_whole(group, whole),
        };
        let needed = LEAST_ITEMS_X.max(device.lanes);
        if group < needed {
            return Err(format!(
                "it needs work-groups of {needed}, and local memory for their pipelines"
            ));
        }
        let wide = !x.is_periodic() && is_wide(geometry, todo.problem.sample, pairs);
        let columns = (geometry.samples as usize).div_ceil(2 * pairs);
        let overlap = usize::from(!wide || columns > most);
        let strip = columns.div_ceil(columns.div_ceil(most - 2 * overlap));
        let items_x = rounded_up(strip + 2 * overlap, whole);
        let group = in_whole(group, items_x.max(device.lanes));
        let (ahead, filling) = ahead(todo, rows.turns, group);
        let tuned = todo
            .target
            .size(Strategy::StreamedVolumes, todo.problem, &FILLING);
        Ok(Sizes {
            steps: stencils.len(),
            details_first: stencils[0].target == Channel::Detail,
            group,
            items_x,
            overlap,
            strip,
            tiles_x: columns.div_ceil(strip),
            filling: tuned.unwrap_or(filling),
            rows,
            ahead,
            least: if few { 1 } else { stencils.len() },
            wide,
            pairs,
        })
    }

    /// Pairs along y or z: where a pair is a detail and the approximation after it, the first one has no detail, and the
    /// last one may have no approximation.
    fn pairs(&self, samples: i32) -> usize {
        let samples = samples as usize;
        match self.details_first {
            true => samples.div_ceil(2),
            false => samples / 2 + 1,
        }
    }

    fn defines(&self, todo: &Todo, geometry: &Geometry, periodic: bool) -> Vec<Define> {
        let place = if self.details_first { 1 } else { -1 };
        let mut defines = vec![
            define("EXCHANGE", todo.target.device.exchange.number()),
            define("LANES", todo.target.device.lanes),
            define("STEPS", self.steps),
            define("DETAIL_PLACE", place),
            define("GROUP", self.group),
            define("ITEMS_X", self.items_x),
            define("OWN_PAIRS", self.pairs),
            define("OWN_ROWS", OWN_ROWS),
            define("AHEAD", self.ahead),
            define("WIDE", u8::from(self.wide)),
            define("BY_WORDS", u8::from(self.wide)),
            define("X_FIRST", u8::from(self.rows.order == Order::Xyz)),
            define("REPEATED", u8::from(periodic)),
            define("PRE_SHIFT", todo.pre_shift()),
            define_distance(geometry.is_narrow(3, 0)),
        ];
        defines.extend(loops_as_they_are(todo.target.device));
        defines.extend(pixels::defines(todo.pixels()));
        defines
    }
}

fn in_whole(items: usize, unit: usize) -> usize {
    items / unit * unit
}

/// So many work-items side by side, or more: a power of two, or whole sub-groups, so that none has a part of a row beside another row.
fn rounded_up(items: usize, whole: usize) -> usize {
    match items < whole {
        true => items.next_power_of_two().max(LEAST_ITEMS_X),
        false => items.next_multiple_of(whole),
    }
}

/// The order of the axes: reals are lifted along y first, and what is done there along z and x; integers in the wavelet's order,
/// as each step rounds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Yzx,
    Zyx,
    Xyz,
}

/// What a work-item has of each plane, in rows.
struct Rows {
    order: Order,
    /// Pairs of rows that it reads.
    turns: usize,
    /// Those in a pipeline along z, in which so many numbers wait for each.
    kept: usize,
    waiting: usize,
}

impl Rows {
    fn new(todo: &Todo, steps: usize) -> Self {
        let order = match todo.problem.sample.is_integer() {
            true if todo.x_first() => Order::Xyz,
            true => Order::Zyx,
            false => Order::Yzx,
        };
        let turns = steps + OWN_ROWS / 2;
        Rows {
            order,
            turns,
            kept: match order {
                Order::Zyx => 2 * turns,
                Order::Yzx | Order::Xyz => OWN_ROWS,
            },
            waiting: steps + usize::from(order != Order::Yzx),
        }
    }

    /// Those that are lifted along z. Of the last pair that is read results along y depend on one row alone.
    fn along_z(&self) -> usize {
        self.kept - usize::from(self.order == Order::Zyx)
    }

    /// Those that are lifted along x, with a barrier for two where rows have seams between sub-groups.
    fn along_x(&self) -> usize {
        match self.order {
            Order::Xyz => 2 * self.turns,
            Order::Yzx | Order::Zyx => OWN_ROWS,
        }
    }

    /// What so many work-items have in local memory, at most: their pipelines along z, and rows at the seams between sub-groups.
    fn local_bytes(&self, todo: &Todo, items: usize) -> usize {
        // Pieces of rows in one sub-group are no shorter.
        let lanes = todo.target.device.lanes;
        let pieces = items.div_ceil(lanes.min(LEAST_ITEMS_X));
        // Two pairs of rows of both planes, with a place more at either end (cl/streamed_volumes/lift_x.cl).
        let at_seams = 2 * 4 * (pieces * lanes.min(2) + 2);
        let columns = 2 * pairs_of_columns(todo) * todo.problem.sample.local_size();
        // The places of all rows that are read, and those of approximations once more, for every row of work-items.
        let places = 3 * self.turns * size_of::<i64>();
        (items * self.kept * self.waiting + at_seams) * columns
            + items * places.div_ceil(LEAST_ITEMS_X)
    }
}

/// Whether a work-item's columns are vectors everywhere, none larger than what arrays are aligned to.
fn is_wide(geometry: &Geometry, sample: SampleType, pairs: usize) -> bool {
    let width = geometry.samples as usize;
    2 * pairs * sample.size() <= LARGEST_VECTOR
        && width.is_multiple_of(2 * pairs)
        && width >= 4 * pairs
        && geometry.signal.is_aligned(2, 2 * pairs)
        && geometry.band_sides().all(|side| side.is_aligned(1, pairs))
}

/// Into how many segments of how many pairs of planes each of so many tiles is cut: so that the last one of all that run at
/// once ends soonest.
fn segments(
    tiles: usize,
    pairs: usize,
    [warm_up, least]: [usize; 2],
    at_once: usize,
) -> [usize; 2] {
    let turns =
        |count: &usize| (tiles * count).div_ceil(at_once) * (pairs.div_ceil(*count) + warm_up);
    let most = (pairs / least).max(1);
    let count = (1..=most).min_by_key(turns).unwrap_or(1);
    let each = pairs.div_ceil(count);
    [pairs.div_ceil(each), each]
}

fn take(todo: &Todo, [z, y, x]: [usize; 3]) -> Result<(Sizes, Pass), String> {
    let geometry = Geometry {
        boundary: todo.problem.transform.boundary_rule().number(),
        ..todo.sides(1, 3).volumes(z, y, x)
    };
    if geometry.band_sides().any(|side| side.line.stride != 1) {
        return Err("it takes sub-bands in one piece".into());
    }
    let [width, height, depth] = [geometry.samples, geometry.across[0], geometry.across[1]];
    let border = |samples| Border::new(todo, samples);
    let (on_x, on_y, on_z) = (border(width)?, border(height)?, border(depth)?);
    if on_x.is_restored() || [on_y, on_z] != [on_x; 2] {
        return Err("it takes volumes that go on beyond their border by reading elsewhere".into());
    }
    let sizes = Sizes::new(todo, &geometry, on_x)?;
    let rows = OWN_ROWS * sizes.group / sizes.items_x;
    let tiles_y = (2 * sizes.pairs(height)).div_ceil(rows);
    let volumes = geometry.across[2] as usize;
    let at_once = todo.target.device.compute_units * (sizes.filling / sizes.group).max(1);
    let tiles = sizes.tiles_x * tiles_y * volumes;
    let [segments, each] = segments(
        tiles,
        sizes.pairs(depth),
        [sizes.steps, sizes.least],
        at_once,
    );
    let pass = Pass {
        kernel: Kernel {
            name: NAME,
            file: "streamed_volumes/streamed_volumes.cl",
            defines: sizes.defines(todo, &geometry, on_x.is_periodic()),
            group: [sizes.group, 1],
        },
        slots: Slots::OF_TAKE,
        own: vec![
            ("tiles_x", sizes.tiles_x as i32),
            ("tiles_y", tiles_y as i32),
            ("overlap", sizes.overlap as i32),
            ("strip", (sizes.strip * sizes.pairs) as i32),
            ("segments", segments as i32),
            ("pairs_per_segment", each as i32),
        ],
        groups: tiles * segments,
        cost: cost(todo, &sizes, &geometry, [tiles_y, segments, each]),
        geometry,
    };
    Ok((sizes, pass))
}

fn cost(todo: &Todo, sizes: &Sizes, geometry: &Geometry, shares: [usize; 3]) -> Cost {
    let [tiles_y, segments, each] = shares;
    let tiles_x = sizes.tiles_x;
    let [width, height, depth] = [geometry.samples, geometry.across[0], geometry.across[1]];
    let volumes = geometry.across[2] as usize;
    let meter = Meter::new(todo.problem, 3, todo.pre_shift()).with_signal(todo.signal_size());
    let warm_up = sizes.steps;
    let turns = segments * (each + warm_up);
    // Each work-item reads the rows in reach of its own again.
    let strips = tiles_y * sizes.group / sizes.items_x;
    let columns = width as usize + 4 * (tiles_x - 1) * sizes.pairs;
    let lines = height as usize + (strips - 1) * (2 * warm_up - 1);
    let planes = depth as usize + (segments - 1) * (2 * warm_up - 1);
    let items = volumes * tiles_x * strips * sizes.items_x;
    let has_seams = sizes.items_x > todo.target.device.lanes;
    let barriers = if has_seams {
        sizes.rows.along_x() / 2
    } else {
        0
    };
    let along_y = items * turns * 2 * 2 * sizes.pairs * sizes.rows.turns;
    let along_z = items * turns * sizes.rows.along_z() * 2 * sizes.pairs;
    meter.scaled(volumes * columns * lines * planes, samples(geometry))
        + meter.lifted(along_y + along_z)
        + meter.lifted_alone(items * turns * 2 * sizes.rows.along_x(), sizes.pairs)
        + Cost::of_group(
            (each + warm_up) * barriers,
            sizes.rows.local_bytes(todo, sizes.group),
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::design::Launch;
    use crate::strategy::tests::cases::{Setting, large_gpu, problem};
    use crate::strategy::tests::host::{number, own};
    use crate::transform::Transform;
    use crate::wavelet::{Boundary, Direction, Wavelet};

    fn launch(transform: &Transform, sample: SampleType, direction: Direction) -> Launch {
        let problem = problem(transform, sample, direction);
        let setting = Setting::of(large_gpu()).only(&[Strategy::StreamedVolumes]);
        setting.design(&problem).unwrap().launches.swap_remove(0)
    }

    fn volume(shape: [usize; 3]) -> Transform {
        Transform::new(Wavelet::CDF_9_7, shape)
    }

    #[test]
    fn all_work_groups_run_at_once_where_rows_are_as_long_as_a_tile() {
        for (direction, groups) in [(Direction::Forward, 256), (Direction::Inverse, 258)] {
            let launch = launch(&volume([512; 3]), SampleType::F32, direction);
            let shares = ["tiles_x", "tiles_y", "segments"].map(|name| own(&launch, name));
            assert_eq!(shares.iter().product::<i32>(), groups);
        }
    }

    #[test]
    fn tiles_overlap_where_they_do_not_hold_rows() {
        let of = |width, boundary| {
            let volume = volume([64, 64, width]).boundary(boundary);
            let launch = launch(&volume, SampleType::F32, Direction::Forward);
            let own = ["tiles_x", "overlap", "strip"].map(|name| own(&launch, name));
            (number(&launch.pass.kernel, "ITEMS_X"), own)
        };
        assert_eq!(of(512, Boundary::Symmetric), (128, [1, 0, 256]));
        assert_eq!(of(384, Boundary::Symmetric), (96, [1, 0, 192]));
        assert_eq!(of(64, Boundary::Symmetric), (16, [1, 0, 32]));
        assert_eq!(of(64, Boundary::Periodic), (32, [1, 1, 32]));
        assert_eq!(of(255, Boundary::Symmetric), (96, [1, 1, 128]));
        assert_eq!(of(511, Boundary::Symmetric), (96, [2, 1, 128]));
        assert_eq!(of(1024, Boundary::Symmetric), (96, [3, 1, 172]));
    }

    #[test]
    fn large_volumes_are_preferred_where_most_work_items_store() {
        let is_preferred = |wavelet: Wavelet, shape: [usize; 3], sample| {
            let preferred = [Direction::Forward, Direction::Inverse].map(|direction| {
                let problem = problem(&Transform::new(wavelet.clone(), shape), sample, direction);
                let design = Setting::of(large_gpu()).design(&problem).unwrap();
                design.launches[0].strategy == Strategy::StreamedVolumes
            });
            assert_eq!(preferred[0], preferred[1]);
            preferred[0]
        };
        let (wavelet, single) = (Wavelet::CDF_9_7, SampleType::F32);
        assert!(is_preferred(wavelet.clone(), [256; 3], single));
        assert!(is_preferred(wavelet.clone(), [256, 256, 1024], single));
        assert!(is_preferred(wavelet.clone(), [64; 3], single));
        assert!(!is_preferred(wavelet.clone(), [32; 3], single));
        assert!(!is_preferred(wavelet.clone(), [512, 512, 511], single));
        assert!(is_preferred(wavelet.clone(), [512; 3], SampleType::F16));
        assert!(is_preferred(wavelet.clone(), [64; 3], SampleType::Rounded));
        assert!(!is_preferred(wavelet, [256; 3], SampleType::F64));
        assert!(!is_preferred(Wavelet::HAAR, [256; 3], single));
        let short = SampleType::I16;
        assert!(is_preferred(Wavelet::CDF_5_3, [256; 3], short));
        assert!(is_preferred(Wavelet::CDF_5_3, [512; 3], short));
        assert!(is_preferred(Wavelet::CDF_5_3, [256; 3], SampleType::I32));
        assert!(is_preferred(Wavelet::CDF_5_3, [512; 3], SampleType::I32));
        // Most store, but their rows are not vectors.
        assert!(!is_preferred(Wavelet::CDF_5_3, [256, 256, 236], short));
        assert!(!is_preferred(Wavelet::VC2_DAUB_9_7, [256; 3], short));
        assert!(!is_preferred(Wavelet::VC2_DD_9_7, [256; 3], short));
    }

    #[test]
    fn integers_keep_the_order_of_the_axes() {
        let x_first = |wavelet, sample, direction| {
            let volume = Transform::new(wavelet, [64; 3]);
            let launch = launch(&volume, sample, direction);
            number(&launch.pass.kernel, "X_FIRST") == 1
        };
        for direction in [Direction::Forward, Direction::Inverse] {
            let is_forward = direction == Direction::Forward;
            let vc2 = Wavelet::VC2_LEGALL_5_3;
            assert_eq!(x_first(vc2, SampleType::I16, direction), is_forward);
            let jpeg = || Wavelet::CDF_5_3;
            assert_eq!(x_first(jpeg(), SampleType::I32, direction), !is_forward);
            assert!(!x_first(jpeg(), SampleType::F32, direction));
        }
    }

    #[test]
    fn pipelines_of_doubles_take_smaller_work_groups() {
        let of = |sample| {
            let launch = launch(&volume([256; 3]), sample, Direction::Forward);
            launch.pass.kernel.group[0]
        };
        assert_eq!([SampleType::F32, SampleType::F64].map(of), [128, 64]);
        // What has 16 bits in memory waits in single precision.
        assert_eq!([SampleType::F16, SampleType::Rounded].map(of), [128; 2]);
    }

    #[test]
    fn volumes_may_have_more_samples_than_32_bits_count() {
        let transform = Transform::new(Wavelet::CDF_5_3, [1296; 3]);
        let setting = Setting::of(large_gpu());
        let design = setting.design(&problem(&transform, SampleType::I16, Direction::Forward));
        let pass = design.unwrap().launches.swap_remove(0).pass;
        assert_eq!(pass.kernel.name, "streamed_volumes");
        assert_eq!(pass.cost.bytes_written, 2 * 1296 * 1296 * 1296);
    }
}

//! A pass over memory per axis: cl/separable/row_four_pairs.cl along contiguous lines, column_four_pairs.cl along all
//! others, both with cl/core/border.cl for the ends of lines.

use super::Strategy;
use super::design::{Kernel, Pass, Target, define};
use super::lines::{Lines, taken};
use super::planner::{Offer, Todo};
use super::tuning::Tunable;
use super::{ColumnPass, RowPass};
use crate::device::{DeviceInfo, DeviceKind};
use crate::lifting::reach::Reach;
use crate::transform::geometry::Geometry;

pub(super) const TUNABLES: &[Tunable] = &[ROWS_X, ROWS_Y];

/// Kucis et al. take work-groups of 256.
const ROWS_X: Tunable = Tunable {
    name: "ROWS_X",
    default: 32,
    candidates: &[16, 32, 64, 128],
    says: "work-items of a work-group along a row",
};
const ROWS_Y: Tunable = Tunable {
    name: "ROWS_Y",
    default: 8,
    candidates: &[1, 2, 4, 8],
    says: "rows of a work-group",
};

/// The columns and the work-items down a column that Kucis et al. found best.
const WINDOW: [usize; 2] = [32, 8];

/// Work-items in a work-group where each has a line.
const GROUP: usize = 64;

/// Pairs that one work-item lifts; `PAIRS_LIFTED` in cl/separable/four_pairs.cl.
const PAIRS: usize = 4;

/// One axis.
pub(super) fn offer(todo: &Todo, rows: RowPass, columns: ColumnPass) -> Offer {
    let lines = Lines::new(todo);
    let Lines {
        geometry, reach, ..
    } = &lines;
    let pass = if reach.inner(geometry.samples as usize).is_empty() {
        short_lines(todo, reach, *geometry)
    } else if lines.are_rows {
        match rows {
            RowPass::FourPairs => row_pass(todo, reach, *geometry),
            _ => return Offer::no(format!("there is no row pass {rows} yet")),
        }
    } else {
        match columns {
            ColumnPass::FourPairs => column_pass(todo, reach, *geometry),
            _ => return Offer::no(format!("there is no column pass {columns} yet")),
        }
    };
    Offer::Preferred(taken(vec![pass]))
}

/// Work-groups that keep the whole device busy.
fn filling(device: &DeviceInfo) -> usize {
    let each = match device.kind {
        DeviceKind::Cpu => 4,
        DeviceKind::Gpu | DeviceKind::Accelerator => 32,
    };
    device.compute_units.max(1) * each
}

fn row_pass(todo: &Todo, reach: &Reach, geometry: Geometry) -> Pass {
    let size = |tunable: Tunable| {
        let tuned = todo
            .target
            .size(Strategy::SEPARABLE, todo.problem, &tunable);
        tuned.unwrap_or(tunable.default)
    };
    let bytes = todo.problem.sample.size();
    let pairs = |x: usize| reach.before + PAIRS * x + reach.after;
    // One unused place after every four.
    let local = |[x, y]: [usize; 2]| 2 * y * (pairs(x) + pairs(x) / 4) * bytes;
    let [x, y] = reduced(
        [size(ROWS_X), size(ROWS_Y)],
        "row_four_pairs",
        todo.target,
        local,
    );

    let lines = geometry.lines as usize;
    let inner = reach.inner(geometry.samples as usize);
    let (rows, tiles) = (lines.div_ceil(y), inner.len().div_ceil(PAIRS * x));
    let segments = filling(todo.target.device).div_ceil(rows).clamp(1, tiles);
    let tiles_each = tiles.div_ceil(segments);
    let segments = tiles.div_ceil(tiles_each);
    let border_groups = lines.div_ceil(x * y);
    Pass {
        kernel: Kernel {
            name: "row_four_pairs",
            file: "separable/row_four_pairs.cl",
            defines: vec![
                define("ROWS_X", x),
                define("ROWS_Y", y),
                define("TILE_PAIRS", pairs(x)),
                define("BORDER", reach.border()),
            ],
            group: [x, y],
        },
        geometry,
        own: vec![
            ("border_groups", border_groups as i32),
            ("segments", segments as i32),
            ("tiles_per_segment", tiles_each as i32),
            ("inner_end", inner.end as i32),
        ],
        groups: border_groups + segments * rows,
    }
}

fn column_pass(todo: &Todo, reach: &Reach, geometry: Geometry) -> Pass {
    let bytes = todo.problem.sample.size();
    let pairs = |y: usize| reach.before + PAIRS * y + reach.after;
    let local = |[x, y]: [usize; 2]| 2 * x * pairs(y) * bytes;
    let [x, y] = reduced(WINDOW, "column_four_pairs", todo.target, local);

    let lines = geometry.lines as usize;
    let strips = lines.div_ceil(x);
    let inner = reach.inner(geometry.samples as usize);
    let positions = inner.len().div_ceil(PAIRS * y);
    let segments = filling(todo.target.device)
        .div_ceil(strips)
        .clamp(1, positions);
    let positions_each = positions.div_ceil(segments);
    let border_groups = lines.div_ceil(x * y);
    Pass {
        kernel: Kernel {
            name: "column_four_pairs",
            file: "separable/column_four_pairs.cl",
            defines: vec![
                define("COLUMNS", x),
                define("WINDOW_Y", y),
                define("WINDOW_PAIRS", pairs(y)),
                define("BORDER", reach.border()),
            ],
            group: [x, y],
        },
        geometry,
        own: vec![
            ("border_groups", border_groups as i32),
            ("strips", strips as i32),
            ("positions_per_segment", positions_each as i32),
            ("inner_end", inner.end as i32),
        ],
        groups: border_groups + strips * positions.div_ceil(positions_each),
    }
}

/// Lines that are all border.
fn short_lines(todo: &Todo, reach: &Reach, geometry: Geometry) -> Pass {
    let group = GROUP.min(todo.target.work_group("short_lines"));
    Pass {
        kernel: Kernel {
            name: "short_lines",
            file: "separable/short_lines.cl",
            defines: vec![define("GROUP", group), define("BORDER", reach.border())],
            group: [group, 1],
        },
        geometry,
        own: vec![("unused", 0)],
        groups: (geometry.lines as usize).div_ceil(group),
    }
}

/// Halves a work-group, keeping x about four times y, until the device can run it.
fn reduced(
    mut size: [usize; 2],
    kernel: &str,
    target: &Target,
    local_bytes: impl Fn([usize; 2]) -> usize,
) -> [usize; 2] {
    let most = target.work_group(kernel);
    let fits = |size: [usize; 2]| {
        size[0] * size[1] <= most
            && size[1] <= target.device.max_work_items[1]
            && local_bytes(size) as u64 <= target.device.local_memory
    };
    while !fits(size) && size != [1, 1] {
        let narrower = size[0] > 4 * size[1] || size[1] == 1;
        size[usize::from(!narrower)] /= 2;
    }
    size
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Exchange;
    use crate::strategy::design::Launch;
    use crate::strategy::tests::cases::{Setting, gpu, problem, small_gpu};
    use crate::strategy::tests::host::{number, own};
    use crate::transform::{Layout, Transform};
    use crate::wavelet::{Direction, SampleType, Wavelet};

    fn launches(device: DeviceInfo, tuning: &str, transform: Transform) -> Vec<Launch> {
        let setting = Setting::of(device)
            .tuned(tuning)
            .only(&[Strategy::SEPARABLE]);
        let problem = problem(&transform, SampleType::F32, Direction::Forward);
        setting.design(&problem).unwrap().launches
    }

    fn names(launches: &[Launch]) -> Vec<&'static str> {
        launches
            .iter()
            .map(|launch| launch.pass.kernel.name)
            .collect()
    }

    #[test]
    fn groups_of_a_picture() {
        let picture = Transform::new(Wavelet::CDF_9_7, [1080, 1920]);
        let launches = launches(DeviceInfo::imaginary(), "", picture);
        assert_eq!(names(&launches), ["column_four_pairs", "row_four_pairs"]);
        // 60 strips of 32 columns; 534 inner pairs are 17 positions of the window, one for each segment, as 32 compute
        // units want 18; and 8 groups of 256 columns for borders.
        let columns = &launches[0].pass;
        assert_eq!(columns.groups, 60 * 17 + 8);
        assert_eq!(own(&launches[0], "inner_end"), 540 - 2 - 1);
        // 135 rows of groups, each of 8 tiles of 128 pairs, and 5 groups for borders.
        let rows = &launches[1].pass;
        assert_eq!(
            (rows.groups, own(&launches[1], "segments")),
            (135 * 8 + 5, 8)
        );
    }

    #[test]
    fn the_window_of_9_7_is_71_rows_high() {
        let launches = launches(
            DeviceInfo::imaginary(),
            "",
            Transform::new(Wavelet::CDF_9_7, [512, 512]).axes([0]),
        );
        // The paper's 71 rows are samples; the window has pairs, so one row more.
        assert_eq!(2 * number(&launches[0].pass.kernel, "WINDOW_PAIRS"), 72);
    }

    #[test]
    fn lines_that_stand_far_apart_are_columns() {
        let transform = Transform::new(Wavelet::CDF_5_3, [1 << 21, 1 << 11])
            .levels(12)
            .layout(Layout::Interleaved);
        let launches = launches(DeviceInfo::imaginary(), "", transform);
        // 1024 samples are left along y and one along x; neighbours in a channel are 2^23 places apart.
        let last = &launches.last().unwrap().pass;
        assert_eq!(
            (last.geometry.samples, last.kernel.name),
            (1 << 10, "column_four_pairs")
        );
    }

    #[test]
    fn short_lines_are_all_border() {
        let group = |device| {
            let launches = launches(
                device,
                "",
                Transform::new(Wavelet::CDF_9_7, [50, 7]).axes([1]),
            );
            assert_eq!(names(&launches), ["short_lines"]);
            (
                number(&launches[0].pass.kernel, "GROUP"),
                launches[0].pass.groups,
            )
        };
        assert_eq!(group(DeviceInfo::imaginary()), (64, 1));
        assert_eq!(group(small_gpu()), (16, 4));
    }

    /// The work-groups of the column pass and of the row pass.
    fn groups(
        device: DeviceInfo,
        tuning: &str,
        limits: &[(&'static str, usize)],
    ) -> [[usize; 2]; 2] {
        let transform = Transform::new(Wavelet::CDF_9_7, [512, 512]);
        let problem = problem(&transform, SampleType::F32, Direction::Forward);
        let setting = Setting::of(device)
            .tuned(tuning)
            .only(&[Strategy::SEPARABLE]);
        let launches = setting.design_within(&problem, limits).unwrap().launches;
        [0, 1].map(|i| launches[i].pass.kernel.group)
    }

    #[test]
    fn small_devices_get_small_groups() {
        let of = |most: usize, local_memory: u64| {
            let device = DeviceInfo {
                max_work_group: most,
                local_memory,
                ..DeviceInfo::imaginary()
            };
            groups(device, "", &[])
        };
        assert_eq!(of(1024, 48 << 10), [[32, 8], [32, 8]]);
        assert_eq!(of(128, 48 << 10), [[32, 4], [32, 4]]);
        assert_eq!(of(64, 48 << 10), [[16, 4], [16, 4]]);
        assert_eq!(of(32, 48 << 10), [[16, 2], [16, 2]]);
        assert_eq!(of(1, 48 << 10), [[1, 1], [1, 1]]);
        // A window of 36 pairs of 32 columns takes 9216 bytes.
        assert_eq!(of(1024, 9216)[0], [32, 8]);
        assert_eq!(of(1024, 9215)[0], [32, 4]);
        // Local memory for nothing leaves the smallest.
        assert_eq!(of(1024, 0), [[1, 1], [1, 1]]);
        assert!(
            groups(small_gpu(), "", &[])
                .iter()
                .all(|[x, y]| x * y <= 16 && *y <= 4)
        );
    }

    #[test]
    fn kernels_can_allow_less_than_the_device() {
        let limits = [("row_four_pairs", 64)];
        assert_eq!(
            groups(DeviceInfo::imaginary(), "", &limits),
            [[32, 8], [16, 4]]
        );
        // Each limit is for one kernel, and the least counts.
        let limits = [
            ("column_four_pairs", 200),
            ("column_four_pairs", 100),
            ("short_lines", 1),
        ];
        assert_eq!(
            groups(DeviceInfo::imaginary(), "", &limits),
            [[16, 4], [32, 8]]
        );
    }

    #[test]
    fn rows_are_tuned() {
        let tuned = "gpu | separable | f32 | ROWS_X=64 ROWS_Y=4";
        assert_eq!(
            groups(gpu(Exchange::Ptx, 32), tuned, &[]),
            [[32, 8], [64, 4]]
        );
    }
}

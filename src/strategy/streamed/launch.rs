//! The launch for one level of pictures or two: its arguments, and what the
//! kernel is specialised on.

use super::picture::Picture;
use super::segments::Segments;
use crate::lifting::extension::Extension;
use crate::strategy::planning::design::{
    Define, Kernel, Pass, Slots, define, define_distance, loops_as_they_are,
};
use crate::strategy::planning::todo::Todo;
use crate::strategy::shared::pixels;
use crate::transform::geometry::Geometry;

/// Pairs of rows in the ring from which on a round of the loop is half of them. On an NVIDIA H200,
/// VC-2's Fidelity (12) then takes 0.97 (inverse 0.90) times as long, and its compiler 0.5 times;
/// 13/7 (6) would take 1.33 times as long.
const HALF_ROUNDS: usize = 8;

/// The launch for one level or two, and whether most of what its work-items could lift is beyond
/// the picture; or why there is none.
pub(super) fn pass(todo: &Todo, [y, x]: [usize; 2], levels: usize) -> Result<(Pass, bool), String> {
    let (name, file) = match levels {
        1 => ("streamed_one_level", "streamed/one_level.cl"),
        _ => ("streamed_two_levels", "streamed/two_levels.cl"),
    };
    let todo = &Todo {
        target: &todo.target.of(name),
        ..*todo
    };
    let geometry = Geometry {
        boundary: todo.problem.transform.boundary_rule().number(),
        ..todo.sides(levels, 2).pictures(y, x)
    };
    let mut picture = Picture::new(todo, geometry, levels)?;
    let segments = match levels {
        1 => picture.segments(),
        _ => picture.segments_of_two()?,
    };
    picture.share_out(&segments);
    let frames = picture.frames();
    let own = vec![
        ("strips", picture.strips() as i32),
        ("segments", segments.count as i32),
        ("pairs_per_segment", segments.pairs as i32),
        ("bottom_up", segments.bottom_up),
        ("left", picture.columns.start as i32),
        ("right", picture.columns.end as i32),
        ("top", picture.rows.start as i32),
        ("bottom", picture.rows.end as i32),
        ("frame_x", frames[0] as i32),
        ("frame_y", frames[1] as i32),
    ];
    let sub_groups = picture.sizes.group / picture.sizes.lanes;
    let groups = (picture.strips() * segments.count).div_ceil(sub_groups);
    let pass = Pass {
        kernel: Kernel {
            name,
            file,
            defines: picture.defines(&segments),
            group: [picture.sizes.group, 1],
        },
        slots: Slots::OF_TAKE,
        geometry,
        own,
        groups: (groups + picture.tiles()) * picture.count,
        cost: picture.cost(&segments),
    };
    Ok((pass, picture.is_faster_by_axis()))
}

impl Picture<'_> {
    /// Whether the distances between the samples of a picture fit 32 bits, those of the
    /// columns past it included that the last sub-group has. CPUs without exchange keep
    /// the general way under test.
    fn fits_32_bits(&self) -> bool {
        let sizes = &self.sizes;
        sizes.lanes > 1 && self.geometry.fits_32_bits(2, 2 * sizes.lanes * sizes.pairs)
    }

    fn defines(&self, segments: &Segments) -> Vec<Define> {
        let sizes = &self.sizes;
        let kept = self.sizes.lags.kept;
        let halves = kept >= HALF_ROUNDS;
        let unit = if halves { 2 } else { 1 } * segments.prefetched;
        let ring = kept.next_multiple_of(unit);
        let round = if halves { ring / 2 } else { ring };
        // CPUs without exchange keep the general way under test.
        let exchanges = sizes.lanes > 1;
        let newest = match sizes.crowded || !exchanges {
            true => sizes.lags.newest,
            false => [0, 0],
        };
        let [signal_vector, band_vector, coarse_vector, both_vector] = sizes.vectors;
        let mut defines = vec![
            define("EXCHANGE", self.todo.target.device.exchange.number()),
            define("LANES", sizes.lanes),
            define("GROUP", sizes.group),
            define("PAIRS", sizes.pairs),
            define("HALO_LO", sizes.halo[0]),
            define("HALO_HI", sizes.halo[1]),
            define("OVERLAP_LO", sizes.overlap[0]),
            define("STRIP", sizes.strip),
            define("PREFETCHED", segments.prefetched),
            define("NEWEST_s", newest[0]),
            define("NEWEST_d", newest[1]),
            define("RING", ring),
            define("ROUND", round),
            define("SIGNAL_VECTOR", signal_vector),
            define(
                "BAND_VECTOR",
                if self.interleaved {
                    both_vector
                } else {
                    band_vector
                },
            ),
            define("X_FIRST", u8::from(self.todo.x_first())),
            define("WIDE", u8::from(self.wide)),
            define("BY_WORDS", u8::from(self.wide && exchanges)),
            define("PLANAR", u8::from(self.planar && (self.wide || exchanges))),
            define("INTERLEAVED", u8::from(self.interleaved)),
            define("LOW_APART", u8::from(self.low_apart())),
            define("EXTENSION", self.extension.map_or(0, |way| way as usize)),
            define(
                "RESTORED",
                u8::from(self.extension == Some(Extension::Clamped)),
            ),
            define("SINGLE", u8::from(self.count == 1 && exchanges)),
            define("PRE_SHIFT", self.todo.pre_shift()),
            define_distance(self.fits_32_bits()),
        ];
        defines.extend(loops_as_they_are(self.todo.target.device));
        defines.extend(pixels::defines(self.todo.pixels()));
        if self.levels == 2 {
            defines.push(define("COARSE_VECTOR", coarse_vector));
            defines.push(define("DELAYED_ROWS", sizes.delayed_rows()));
        }
        if self.extension.is_none() {
            defines.extend([
                define("BORDER_X", sizes.border_x(self.wide)),
                define("BORDER_Y", sizes.reach.border()),
                define("FRAME_PAIRS", self.frame_pairs()),
                define("FRAME_TILE", sizes.frame_tile),
            ]);
        }
        defines
    }
}

//! Where lines, pictures and channels stand in arrays of several axes.

use super::*;
use crate::transform::{Layout, Region};
use crate::wavelet::Wavelet;

fn sides(signal: &View, bands: &View, low: Option<View>) -> Sides {
    let (signal, bands) = (signal.clone(), bands.clone());
    Sides { signal, bands, low }
}

#[test]
fn the_geometry_has_no_hidden_padding() {
    assert_eq!(size_of::<Side>(), 9 * 8);
    assert_eq!(size_of::<Geometry>(), 27 * 8 + 12 * 4);
}

#[test]
fn a_column_pass_of_a_stack_of_pictures() {
    let signal = View::dense(&[3, 5, 7]);
    let bands = signal.clone().with_order(&[1], Order::Planar);
    let pass = sides(&signal, &bands, None).lines(1);
    assert_eq!((pass.samples, pass.lines), (5, 21));
    assert_eq!((pass.across, pass.low_across), ([7, 3, 1], [7, 3, 1]));
    let axis = |stride, detail| Axis { stride, detail };
    assert_eq!(pass.signal.line, axis(14, 7));
    assert_eq!(pass.bands.line, axis(7, 21));
    assert_eq!(pass.signal.across[1].stride, 35);
}

#[test]
fn axes_across_fold_where_lines_are_evenly_apart() {
    let lines = |axis, signal: &View, bands: &View| {
        let pass = sides(signal, bands, None).lines(axis);
        assert_eq!(pass.lines, pass.across.iter().product());
        (pass.across, pass.low_across, pass.bands.across[0])
    };
    let axis = |stride, detail| Axis { stride, detail };
    // Pictures with three colours innermost: along y, a row of all colours; along x, the colours.
    let signal = View::dense(&[5, 7, 3]);
    let bands = |axes: &[usize]| signal.clone().with_order(axes, Order::Planar);
    let row = lines(0, &signal, &bands(&[0]));
    assert_eq!((row.0, row.1), ([21, 1, 1], [21, 1, 1]));
    let colours = lines(1, &signal, &bands(&[1]));
    assert_eq!((colours.0, colours.2), ([3, 5, 1], axis(1, 3)));
    // After x was split, approximations come first on both sides, or on one.
    let row = lines(0, &bands(&[1]), &bands(&[0, 1]));
    assert_eq!((row.0, row.1), ([21, 1, 1], [21, 1, 1]));
    let interleaved = signal.clone().with_order(&[0, 1], Order::Interleaved);
    let apart = lines(0, &bands(&[1]), &interleaved);
    assert_eq!((apart.0, apart.1), ([3, 7, 1], [3, 4, 1]));
    // Where the low band stands in an array of its own the two stay apart.
    let low = Some(View::dense(&[3, 4, 3]));
    let pass = sides(&bands(&[1]), &bands(&[0, 1]), low).lines(0);
    assert_eq!((pass.across, pass.low_across), ([21, 1, 1], [12, 1, 1]));
    assert_eq!(
        (pass.bands.across[0], pass.low.across[0].stride),
        (axis(1, 12), 1)
    );
    // An axis of one sample is none.
    let pass = lines(2, &View::dense(&[9, 1, 8]), &View::dense(&[9, 1, 8]));
    assert_eq!((pass.0, pass.2.stride), ([9, 1, 1], 8));
}

#[test]
fn pictures_may_have_other_axes_before_between_and_behind() {
    let signal = View::dense(&[5, 3, 7]);
    let bands = signal.clone().with_order(&[0, 2], Order::Planar);
    let pass = sides(&signal, &bands, None).pictures(0, 2);
    assert_eq!((pass.samples, pass.across), (7, [5, 3, 1]));
    let axis = |stride, detail| Axis { stride, detail };
    assert_eq!(pass.signal.across[0], axis(42, 21));
    assert_eq!(pass.bands.across[0], axis(21, 63));
    let signal = View::dense(&[6, 8, 1]);
    let bands = signal.clone().with_order(&[0, 1], Order::Planar);
    let pass = sides(&signal, &bands, None).pictures(0, 1);
    assert_eq!((pass.samples, pass.across), (8, [6, 1, 1]));
}

#[test]
fn only_axes_that_are_lifted_make_lines() {
    let lines = |transform: Transform| most_lines(&transform, false);
    assert_eq!(
        lines(Transform::new(Wavelet::HAAR, [1, 65536, 65536])),
        65536
    );
    assert_eq!(
        lines(Transform::new(Wavelet::HAAR, [3, 8, 9]).axes([1])),
        27
    );
    assert_eq!(lines(Transform::new(Wavelet::HAAR, [1, 1])), 1);
    // What is copied has lines along the innermost axis.
    let copy = Transform::new(Wavelet::HAAR, [2, 8, 9, 1]).levels(0);
    assert_eq!(most_lines(&copy, true), 16);
}

#[test]
fn interleaved_levels_keep_their_places() {
    let transform = Transform::new(Wavelet::CDF_5_3, [9, 10]).layout(Layout::Interleaved);
    let view = View::of_level(&transform, &Region::dense([9, 10]), 2)
        .with_order(&[0, 1], Order::Interleaved);
    assert_eq!(
        (view.shape.as_slice(), view.strides.as_slice()),
        (&[5, 5][..], &[20, 2][..])
    );
    let signal = View::dense(&[5, 5]).with_order(&[0], Order::Planar);
    let pass = sides(&signal, &view, None).lines(1);
    assert_eq!(pass.low_across[0], 3);
    // Row 3 of the dense array is the first detail row: at place 1 of the level's lattice.
    let axis = |stride, detail| Axis { stride, detail };
    assert_eq!(pass.bands.across[0], axis(40, 20));
    assert_eq!(pass.bands.line, axis(4, 2));
}

//! Regions share a place if their samples do, and impossible ones are refused.

use super::*;
use crate::transform::Layout;
use crate::wavelet::Wavelet;
use proptest::prelude::*;
use std::collections::HashSet;

fn regions() -> impl proptest::strategy::Strategy<Value = Region> {
    let axes = proptest::collection::vec((1usize..5, 1usize..14), 1..=4);
    (0usize..40, axes).prop_map(|(offset, axes)| {
        let (shape, strides): (Vec<_>, Vec<_>) = axes.into_iter().unzip();
        Region::dense(shape).with_strides(strides).at(offset)
    })
}

proptest! {
    #[test]
    fn two_samples_in_one_place_are_found(region in regions()) {
        let places = region.places();
        let distinct: HashSet<_> = places.iter().collect();
        prop_assert_eq!(region.check().is_ok(), distinct.len() == places.len());
        prop_assert_eq!(region.end(), places.iter().max().unwrap() + 1);
    }

    #[test]
    fn regions_that_share_a_place_overlap(one in regions(), other in regions()) {
        let (a, b): (HashSet<_>, HashSet<_>) =
            (one.places().into_iter().collect(), other.places().into_iter().collect());
        prop_assert_eq!(one.meets(&other), !a.is_disjoint(&b));
    }
}

#[test]
fn large_regions_are_told_apart_quickly() {
    let whole = Region::dense([30_000, 40_000]);
    let left = whole.part(&[0..30_000, 0..20_000]).unwrap();
    let right = whole.part(&[0..30_000, 20_000..40_000]).unwrap();
    assert!(!left.overlaps(&right) && left.overlaps(&whole));
    let colour = |c| {
        Region::dense([30_000, 13_333])
            .with_strides([40_000, 3])
            .at(c)
    };
    assert!(!colour(0).overlaps(&colour(1)) && colour(0).overlaps(&colour(3)));
    assert!(!colour(0).overlaps(&colour(2)) && colour(2).check().is_ok());
    // Other pitches of other columns: a matter of remainders.
    let even = Region::dense([1 << 20, 1 << 10]).with_strides([1 << 12, 2]);
    let odd = Region::dense([1 << 19, 1 << 9])
        .with_strides([1 << 13, 4])
        .at(1);
    assert!(!even.overlaps(&odd));
    // Axes may be longer than those of an array that is transformed.
    let long = Region::dense([1 << 31]);
    assert!(long.check().is_err() && !long.overlaps(&long.clone().at(1 << 31)));
}

#[test]
fn impossible_regions_are_refused() {
    let refused = |region: Region| region.check().unwrap_err().to_string();
    let dense = Region::dense([4, 5]);
    assert_eq!(
        refused(dense.clone().with_strides([5])),
        "strides: expected 2 positive ones, got [5]"
    );
    assert!(refused(dense.clone().with_strides([5, 0])).contains("positive"));
    assert_eq!(
        refused(dense.clone().with_strides([4, 1])),
        "strides: expected no two samples in one place, got [4, 1] for [4, 5]"
    );
    assert!(refused(dense.clone().at(usize::MAX)).contains("addressed"));
    assert!(refused(Region::dense([])).contains("1 to 4 axes"));
    assert!(refused(Region::dense([usize::MAX; 3])).contains("up to"));
    assert!(dense.part(&[0..4, 2..6]).is_err() && dense.part(&[]).is_err());
    let backwards = Range { start: 3, end: 2 };
    assert!(dense.part(&[0..4, backwards]).is_err());
    assert!(dense.part(&[1..1, 0..5]).unwrap().is_empty());
}

#[test]
fn bands_of_coefficients_in_a_region_are_where_they_are_in_an_array() {
    for layout in Layout::ALL {
        let transform = Transform::new(Wavelet::CDF_5_3, [3, 21, 10])
            .axes([1, 2])
            .levels(3)
            .layout(*layout);
        let dense = Region::dense([3, 21, 10]);
        let placed = dense.clone().with_strides([1000, 37, 3]).at(5);
        let inside = dense.places();
        let outside = placed.places();
        for (level, band) in transform.bands() {
            let at = transform.band_box(level, band).unwrap();
            let one = dense.band(&transform, level, band).unwrap();
            assert_eq!(
                (one.offset, &one.shape, &one.strides),
                (at.offset, &at.shape, &at.strides)
            );
            let other = placed.band(&transform, level, band).unwrap();
            for (a, b) in one.places().into_iter().zip(other.places()) {
                let i = inside.iter().position(|place| *place == a).unwrap();
                assert_eq!(outside[i], b);
            }
        }
    }
    let transform = Transform::new(Wavelet::HAAR, [4, 4]);
    assert!(Region::dense([4, 5]).band(&transform, 1, Band::HH).is_err());
}

#[test]
fn of_regions_that_no_array_has_it_is_hard_to_tell() {
    let still = Region::dense([2, 2]).with_strides([1, 0]);
    let far = Region::dense([usize::MAX, 2]).with_strides([usize::MAX, 3]);
    let many: Vec<usize> = (1..=30_000).collect();
    let deep = Region::dense(vec![2; many.len()]).with_strides(many);
    for region in [still, far, deep] {
        assert!(region.overlaps(&region) && region.overlaps(&Region::dense([1])));
    }
}

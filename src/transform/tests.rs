//! What a transform may be, which ones are equal, and how many levels there are.

use super::*;
use crate::wavelet::{Channel, RealStep, Scale};

#[test]
fn requests_are_checked() {
    let ok = |t: Transform| t.check().is_ok();
    let t = |shape: &[usize]| Transform::new(Wavelet::HAAR, shape);
    assert!(ok(t(&[1])) && ok(t(&[2, 3, 5, 7])) && ok(t(&[4, 4]).levels(64)));
    assert!(ok(t(&[4, 4]).axes([1, 0])) && ok(t(&[4, 4]).levels(0)));
    assert!(!ok(t(&[])) && !ok(t(&[1; 5])) && !ok(t(&[4, 0])));
    assert!(!ok(t(&[1 << 31])) && !ok(t(&[i32::MAX as usize; 4])));
    assert!(!ok(t(&[4, 4]).axes([0, 0])) && !ok(t(&[4, 4]).axes([2])) && !ok(t(&[4]).axes([])));
    assert!(!ok(t(&[4, 4]).levels(65)));
}

#[test]
fn transforms_that_are_equal_are_one_key() {
    use std::collections::HashSet;
    let t = |wavelet: Wavelet| Transform::new(wavelet, [4, 4]);
    let tap = |tap| RealStep::new(Channel::Detail, 0, &[tap]);
    let own = |first| Wavelet::real("own", &[tap(first)], Scale::NONE).unwrap();
    assert_eq!(tap(-0.0).taps()[0].to_bits(), 0);
    let equal = [
        [t(Wavelet::HAAR).axes([1, 0]), t("haar".parse().unwrap())],
        [t(own(-0.0)), t(own(0.0).clone())],
    ];
    for [a, b] in equal {
        assert_eq!(a, b);
        assert_eq!(HashSet::from([a, b]).len(), 1);
    }
    let different = HashSet::from([
        t(Wavelet::HAAR),
        t(Wavelet::DAUB_4),
        t(own(0.5)),
        t(own(0.5f64.next_up())),
        t(own(0.5)).levels(2),
        t(own(0.5)).axes([1]),
        t(own(0.5)).boundary(Boundary::Zero),
        t(own(0.5)).layout(Layout::Interleaved),
    ]);
    assert_eq!(different.len(), 8);
}

#[test]
fn levels_stop_where_nothing_is_left() {
    let t = Transform::new(Wavelet::HAAR, [3, 9]).levels(64);
    let shapes: Vec<_> = t.active_levels().into_iter().map(|l| l.shape).collect();
    assert_eq!(shapes, [[3, 9], [2, 5], [1, 3], [1, 2]]);
    assert_eq!(t.active_levels()[3].axes, [1]);
    assert_eq!(t.shape_after(64), [1, 1]);
}

#[test]
fn beyond_the_most_levels_nothing_is_left() {
    let along = |shape: &[usize], axes: &[usize]| {
        let most = Transform::new(Wavelet::HAAR, shape).axes(axes).max_levels();
        for levels in [0, most.saturating_sub(1), most, most + 1, MAX_LEVELS] {
            let t = Transform::new(Wavelet::HAAR, shape)
                .axes(axes)
                .levels(levels);
            assert_eq!(t.max_levels(), most);
            assert_eq!(t.coarsest(), levels.min(most), "{t:?}");
        }
        most
    };
    for n in 1..70 {
        assert_eq!(along(&[n], &[0]), (n as f64).log2().ceil() as u32, "{n}");
    }
    assert_eq!(along(&[3, 9], &[0, 1]), 4);
    assert_eq!(along(&[1000, 3, 9], &[1, 2]), 4);
    assert_eq!(along(&[1, 5, 1], &[2, 0]), 0);
    assert_eq!(along(&[MAX_LENGTH], &[0]), 30);
    assert_eq!(along(&[MAX_LENGTH - 1, 2], &[1, 0]), 30);
    let refused = |t: Transform| t.max_levels() == 0;
    let t = |shape: &[usize]| Transform::new(Wavelet::HAAR, shape);
    assert!(refused(t(&[])) && refused(t(&[0, 4])) && refused(t(&[usize::MAX])));
    assert!(refused(t(&[4]).axes([])) && refused(t(&[4]).axes([1])));
    assert_eq!(t(&[4]).levels(MAX_LEVELS + 1).max_levels(), 2);
}

#[test]
fn the_standard_gives_the_order_of_axes() {
    let order = |w| {
        Transform::new(w, [4, 4, 4]).axes([1, 0, 2]).active_levels()[0]
            .axes
            .clone()
    };
    assert_eq!(order(Wavelet::CDF_5_3), [0, 1, 2]);
    assert_eq!(order(Wavelet::VC2_DD_9_7), [2, 1, 0]);
}

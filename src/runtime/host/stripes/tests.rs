use super::*;
use crate::device::devices_if_any;
use crate::runtime::Engine;
use crate::runtime::host::route::{Parts, tests::largest_difference_by};
use crate::wavelet::Wavelet;

/// In both directions in stripes of so many pairs, on a device: the largest
/// difference from the reference.
fn largest_difference<T: Sample>(engine: &Engine, transform: &Transform, pairs: usize) -> f64 {
    assert!(can_go::<T>(transform, pairs), "{transform:?}, {pairs}");
    let stripes = Stripes::<T>::new(&engine.site, transform, None, pairs).unwrap();
    assert!(stripes.stripes.len() > 1);
    largest_difference_by(engine, transform, &Parts::Stripes(Arc::new(stripes)))
}

#[test]
fn stripes_give_what_the_whole_picture_does() {
    for device in devices_if_any() {
        let engine = Engine::new(&device).unwrap();
        for (shape, pairs, levels) in [([67, 40], 8, 1), ([100, 33], 12, 3), ([64, 35], 4, 2)] {
            for &boundary in Boundary::ALL {
                let of = |wavelet| {
                    Transform::new(wavelet, shape)
                        .boundary(boundary)
                        .levels(levels)
                };
                if boundary == Boundary::Periodic {
                    assert!(!can_go::<i32>(&of(Wavelet::CDF_5_3), pairs));
                    continue;
                }
                let transform = of(Wavelet::CDF_5_3);
                assert_eq!(largest_difference::<i32>(&engine, &transform, pairs), 0.0);
                assert_eq!(largest_difference::<i16>(&engine, &transform, pairs), 0.0);
                let difference = largest_difference::<f32>(&engine, &of(Wavelet::CDF_9_7), pairs);
                assert!(difference < 0.01, "{difference}");
            }
        }
        // Rows whose samples are no multiple of 16.
        for width in [3501, 5000] {
            let transform = Transform::new(Wavelet::CDF_5_3, [51, width]).levels(2);
            assert_eq!(largest_difference::<i32>(&engine, &transform, 8), 0.0);
        }
        // Steps that reach far, and a pre-shift.
        let transform = Transform::new(Wavelet::VC2_FIDELITY, [75, 34]).levels(2);
        assert_eq!(largest_difference::<i32>(&engine, &transform, 8), 0.0);
        let transform = Transform::new(Wavelet::HAAR, [75, 34]).levels(2);
        assert!(largest_difference::<f32>(&engine, &transform, 8) < 0.01);
    }
}

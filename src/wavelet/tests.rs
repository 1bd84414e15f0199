//! What a wavelet may be, and that those of the table are such.

use super::*;
use Channel::{Approximation, Detail};

#[test]
fn names_round_trip_and_are_unique() {
    for wavelet in Wavelet::ALL {
        assert_eq!(wavelet.to_string().parse().as_ref(), Ok(wavelet));
    }
    let unknown = "cdf98".parse::<Wavelet>().unwrap_err().to_string();
    assert!(unknown.contains("cdf97") && unknown.contains("vc2-fidelity"));
}

#[test]
fn clones_share_their_steps() {
    let steps = [RealStep::new(Detail, 0, &[-0.5, -0.5]); 20];
    let wavelet = Wavelet::real("own", &steps, Scale::NONE).unwrap();
    let clone = wavelet.clone();
    let place = |wavelet: &Wavelet| wavelet.real_steps().unwrap().as_ptr();
    assert_eq!(place(&wavelet), place(&clone));
    assert_eq!(wavelet, clone);
    assert!(size_of::<Wavelet>() <= 128);
}

#[test]
fn every_table_entry_passes_the_public_checks() {
    for wavelet in Wavelet::ALL {
        if let Some(steps) = wavelet.real_steps() {
            Wavelet::real(wavelet.name(), steps, wavelet.scale()).unwrap();
        }
        if let Some(steps) = wavelet.integer_steps() {
            Wavelet::integer(wavelet.name(), steps, wavelet.pre_shift()).unwrap();
        }
    }
}

#[test]
fn subtraction_is_addition_of_the_floored_negative() {
    for (bias, shift) in [(0, 0), (0, 1), (1, 1), (8, 4), (2048, 12)] {
        let step = IntegerStep::subtract(Detail, 0, &[3], bias, shift);
        for x in -5000..5000 {
            let added = (step.taps()[0] * x + step.bias()) >> step.shift();
            assert_eq!(added, -((3 * x + bias) >> shift));
        }
    }
}

#[test]
fn bad_wavelets_are_refused_with_the_reason() {
    let good = RealStep::new(Detail, 0, &[-0.5, -0.5]);
    let why = |result: Result<Wavelet>| result.unwrap_err().to_string();
    assert!(why(Wavelet::real("", &[good], Scale::NONE)).contains("name"));
    assert!(why(Wavelet::real("No", &[good], Scale::NONE)).contains("name"));
    assert!(why(Wavelet::real("x", &[], Scale::NONE)).contains("no steps"));
    assert!(Wavelet::real("x", &[good; 32], Scale::NONE).is_ok());
    let near = RealStep::new(Detail, 0, &[-0.5]);
    assert!(Wavelet::real("x", &[near; MAX_STEPS], Scale::NONE).is_ok());
    let too_many = why(Wavelet::real("x", &[near; MAX_STEPS + 1], Scale::NONE));
    assert!(
        too_many.contains("1025 steps, but at most 1024"),
        "{too_many}"
    );
    let too_far = why(Wavelet::real("x", &[good; 33], Scale::NONE));
    assert!(too_far.contains("33 ahead, but at most 32"), "{too_far}");
    let not_finite = RealStep::new(Detail, 0, &[f64::NAN]);
    assert!(why(Wavelet::real("x", &[not_finite], Scale::NONE)).contains("NaN"));
    let huge = RealStep::new(Detail, 0, &[1e300]);
    assert!(why(Wavelet::real("x", &[huge], Scale::NONE)).contains("finite"));
    let zero = Scale {
        approximation: 0.0,
        detail: 1.0,
    };
    assert!(why(Wavelet::real("x", &[good], zero)).contains("scale 0"));
    for first in [33, -34, i32::MAX, i32::MIN] {
        let step = IntegerStep::add(Approximation, first, &[1, 1], 0, 0);
        assert!(why(Wavelet::integer("x", &[step], 0)).contains("reach"));
    }
    for taps in [&[][..], &[1; 9][..]] {
        let step = IntegerStep::subtract(Approximation, 0, taps, 0, 0);
        assert!(why(Wavelet::integer("x", &[step], 0)).contains("taps"));
    }
    let wide = IntegerStep::subtract(Approximation, 0, &[1], 0, 32);
    assert!(why(Wavelet::integer("x", &[wide], 0)).contains("32 bits"));
    let step = IntegerStep::add(Approximation, -1, &[1, 1], 0, 0);
    assert!(why(Wavelet::integer("x", &[step], 9)).contains("pre-shift"));
}

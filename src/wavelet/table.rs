//! The wavelets that come with the library, each with its source.

use super::{AxisOrder, Boundary, Channel, IntegerStep, RealStep, Scale, Steps, Wavelet, stored};
use Channel::{Approximation as S, Detail as D};

// Shared by several wavelets of VC-2 and by CCSDS 122.
const PREDICT_4_TAPS: IntegerStep = IntegerStep::subtract(D, -1, &[-1, 9, 9, -1], 8, 4);
const UPDATE_2_TAPS: IntegerStep = IntegerStep::add(S, -1, &[1, 1], 2, 2);

const SQRT_3: f64 = 1.732050807568877293527446341505872367;
const SQRT_2: f64 = std::f64::consts::SQRT_2;
/// The low-pass gain of the unscaled 9/7 steps (ITU-T T.800, table F.4).
const K: f64 = 1.230174104914001;

impl Wavelet {
    /// CDF 5/3 (LeGall): the reversible transform of JPEG 2000 (ITU-T T.800, annex F, equations F-5
    /// and F-6), and the same steps without rounding for real samples.
    pub const CDF_5_3: Wavelet = Entry {
        real: Some(&[
            RealStep::new(D, 0, &[-0.5, -0.5]),
            RealStep::new(S, -1, &[0.25, 0.25]),
        ]),
        integer: Some(&[IntegerStep::subtract(D, 0, &[1, 1], 0, 1), UPDATE_2_TAPS]),
        ..entry("cdf53")
    }
    .wavelet();

    /// CDF 9/7: the irreversible transform of JPEG 2000 (ITU-T T.800, annex F, table
    /// F.4). Its low-pass gain is 1.
    pub const CDF_9_7: Wavelet = Entry {
        real: Some(&[
            RealStep::new(D, 0, &[-1.586134342059924, -1.586134342059924]),
            RealStep::new(S, -1, &[-0.052980118572961, -0.052980118572961]),
            RealStep::new(D, 0, &[0.882911075530934, 0.882911075530934]),
            RealStep::new(S, -1, &[0.443506852043971, 0.443506852043971]),
        ]),
        scale: Scale {
            approximation: 1.0 / K,
            detail: K,
        },
        ..entry("cdf97")
    }
    .wavelet();

    /// The orthonormal Haar wavelet: s = (a + b) / sqrt 2, d = (b - a) / sqrt 2.
    pub const HAAR: Wavelet = Entry {
        real: Some(&[RealStep::new(D, 0, &[-1.0]), RealStep::new(S, 0, &[0.5])]),
        scale: Scale {
            approximation: SQRT_2,
            detail: 1.0 / SQRT_2,
        },
        ..entry("haar")
    }
    .wavelet();

    /// The orthonormal Daubechies wavelet with four taps (two vanishing moments), in the
    /// lifting steps of Daubechies and Sweldens, "Factoring wavelet transforms into lifting
    /// steps" (1998), section 7.5.
    pub const DAUB_4: Wavelet = Entry {
        real: Some(&[
            RealStep::new(S, 0, &[SQRT_3]),
            RealStep::new(D, -1, &[-(SQRT_3 - 2.0) / 4.0, -SQRT_3 / 4.0]),
            RealStep::new(S, 1, &[-1.0]),
        ]),
        scale: Scale {
            approximation: (SQRT_3 - 1.0) / SQRT_2,
            detail: (SQRT_3 + 1.0) / SQRT_2,
        },
        boundary: Boundary::Periodic,
        ..entry("daub4")
    }
    .wavelet();

    /// The integer 9/7-M transform of CCSDS 122.0-B.
    pub const CCSDS_9_7_M: Wavelet = Entry {
        integer: Some(&[
            PREDICT_4_TAPS,
            IntegerStep::subtract(S, -1, &[-1, -1], 2, 2),
        ]),
        axis_order: AxisOrder::InnermostFirst,
        ..entry("ccsds97m")
    }
    .wavelet();

    /// The Deslauriers-Dubuc (9,7) filter of VC-2.
    pub const VC2_DD_9_7: Wavelet = vc2("vc2-dd97", 1, &[PREDICT_4_TAPS, UPDATE_2_TAPS]);

    /// The LeGall (5,3) filter of VC-2, which rounds differently from [`Wavelet::CDF_5_3`].
    pub const VC2_LEGALL_5_3: Wavelet = vc2(
        "vc2-legall53",
        1,
        &[IntegerStep::subtract(D, 0, &[1, 1], 1, 1), UPDATE_2_TAPS],
    );

    /// The Deslauriers-Dubuc (13,7) filter of VC-2.
    pub const VC2_DD_13_7: Wavelet = vc2(
        "vc2-dd137",
        1,
        &[
            PREDICT_4_TAPS,
            IntegerStep::add(S, -2, &[-1, 9, 9, -1], 16, 5),
        ],
    );

    /// The Haar filter of VC-2 without a pre-shift.
    pub const VC2_HAAR_0: Wavelet = vc2("vc2-haar0", 0, &VC2_HAAR_STEPS);

    /// The Haar filter of VC-2 with a pre-shift of one bit per level.
    pub const VC2_HAAR_1: Wavelet = vc2("vc2-haar1", 1, &VC2_HAAR_STEPS);

    /// The Fidelity filter of VC-2, with eight taps per step.
    pub const VC2_FIDELITY: Wavelet = vc2(
        "vc2-fidelity",
        0,
        &[
            IntegerStep::add(S, -4, &[-8, 21, -46, 161, 161, -46, 21, -8], 128, 8),
            IntegerStep::subtract(D, -3, &[-2, 10, -25, 81, 81, -25, 10, -2], 128, 8),
        ],
    );

    /// The Daubechies (9,7) filter of VC-2, an integer approximation of [`Wavelet::CDF_9_7`].
    /// It equals the standard as long as |s0 + s1| < 2^31 / 6497 for neighbouring
    /// approximation samples s0 and s1.
    pub const VC2_DAUB_9_7: Wavelet = vc2(
        "vc2-daub97",
        1,
        &[
            IntegerStep::subtract(D, 0, &[6497, 6497], 2048, 12),
            IntegerStep::subtract(S, -1, &[217, 217], 2048, 12),
            IntegerStep::add(D, 0, &[3616, 3616], 2048, 12),
            IntegerStep::add(S, -1, &[1817, 1817], 2048, 12),
        ],
    );

    /// All wavelets that come with the library.
    pub const ALL: &'static [Wavelet] = &[
        Self::CDF_5_3,
        Self::CDF_9_7,
        Self::HAAR,
        Self::DAUB_4,
        Self::CCSDS_9_7_M,
        Self::VC2_DD_9_7,
        Self::VC2_LEGALL_5_3,
        Self::VC2_DD_13_7,
        Self::VC2_HAAR_0,
        Self::VC2_HAAR_1,
        Self::VC2_FIDELITY,
        Self::VC2_DAUB_9_7,
    ];
}

const VC2_HAAR_STEPS: [IntegerStep; 2] = [
    IntegerStep::subtract(D, 0, &[1], 0, 0),
    IntegerStep::add(S, 0, &[1], 1, 1),
];

/// A wavelet of VC-2 (SMPTE ST 2042-1, section 15.4.4): rows first, boundary rule `Clamp`.
const fn vc2(name: &'static str, pre_shift: u32, steps: &'static [IntegerStep]) -> Wavelet {
    Entry {
        integer: Some(steps),
        pre_shift,
        boundary: Boundary::Clamp,
        axis_order: AxisOrder::InnermostFirst,
        ..entry(name)
    }
    .wavelet()
}

/// What an entry of the table says about a wavelet.
#[derive(Clone, Copy)]
struct Entry {
    name: &'static str,
    real: Option<&'static [RealStep]>,
    scale: Scale,
    integer: Option<&'static [IntegerStep]>,
    pre_shift: u32,
    boundary: Boundary,
    axis_order: AxisOrder,
}

/// What an entry says where it says nothing else.
const fn entry(name: &'static str) -> Entry {
    Entry {
        name,
        real: None,
        scale: Scale::NONE,
        integer: None,
        pre_shift: 0,
        boundary: Boundary::Symmetric,
        axis_order: AxisOrder::OutermostFirst,
    }
}

impl Entry {
    const fn wavelet(self) -> Wavelet {
        Wavelet {
            name: stored(self.name),
            real: match self.real {
                Some(steps) => Some(Steps::Table(steps)),
                None => None,
            },
            scale: self.scale,
            integer: match self.integer {
                Some(steps) => Some(Steps::Table(steps)),
                None => None,
            },
            pre_shift: self.pre_shift,
            boundary: self.boundary,
            axis_order: self.axis_order,
        }
    }
}

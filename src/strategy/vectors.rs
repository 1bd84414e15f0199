//! What kernels share on CPU devices, where one work-item takes a whole vector of neighbours (cl/cpu/vectors.cl).

use super::Strategy;
use super::design::{Define, Problem, Target, define};
use super::tuning::Tunable;
use crate::lifting::schedule::Lags;
use crate::wavelet::Stencil;

pub(super) const VECTOR: Tunable = Tunable {
    name: "VECTOR",
    default: 8,
    candidates: &[8, 16],
    says: "samples in a vector; without a line as many as the device's own vectors have",
};
pub(super) const CACHED: Tunable = Tunable {
    name: "CACHED",
    default: 16 << 10,
    candidates: &[],
    says: "KiB of the largest array whose results are stored through the caches",
};

/// Vectors of samples, and the schedules of steps that run on them.
pub(super) struct Vectors {
    /// Samples in a vector.
    pub samples: usize,
    /// Bytes of a number that the steps compute with.
    pub bytes: usize,
    /// Whether the array is too large for the caches, so that results are stored past them.
    pub non_temporal: bool,
    /// Whether the compiler has clang's builtins.
    builtins: bool,
    /// The schedule of vectors along a row, away from borders.
    x: Lags,
    /// The schedule of pairs of rows.
    pub y: Lags,
}

impl Vectors {
    /// Vectors as long as the device's, with `y` as the schedule of rows.
    pub fn new(strategy: Strategy, problem: &Problem, target: &Target, y: Lags) -> Self {
        let bytes = problem.sample.size().max(4);
        let native = target.device.float_vector * 4 / bytes;
        let vector = target.size(strategy, problem, &VECTOR).unwrap_or(native);
        let cached = target
            .size(strategy, problem, &CACHED)
            .unwrap_or(CACHED.default);
        let array = problem.transform.len() * problem.sample.size();
        let by_vector: Vec<Stencil> = problem.stencils().iter().map(in_vectors).collect();
        Vectors {
            samples: vector.next_power_of_two().clamp(8, 16),
            bytes,
            non_temporal: array > cached << 10,
            builtins: BUILTINS.contains(&target.device.platform.as_str()),
            x: Lags::new(&by_vector),
            y,
        }
    }

    /// Whether every step finds its neighbours in the vectors beside its own.
    pub fn hold(&self, problem: &Problem) -> bool {
        let near = |offset: i32| offset.unsigned_abs() as usize <= self.samples;
        let mut stencils = problem.stencils().into_iter();
        stencils.all(|step| near(step.first) && near(step.last()))
    }

    /// What the vectors leave open.
    pub fn defines(&self) -> Vec<Define> {
        vec![
            define("VECTOR", self.samples),
            define("BUILTINS", u8::from(self.builtins)),
            define("NON_TEMPORAL", u8::from(self.non_temporal)),
        ]
    }

    /// What the pipeline along rows leaves open.
    pub fn pipeline_x(&self) -> Vec<Define> {
        let mut defines = vec![
            define("X_KEPT", self.x.kept),
            define("X_LAST_LAG", self.x.last),
        ];
        let lags = self.x.steps.iter().enumerate();
        defines.extend(lags.map(|(k, lag)| define(format!("X_LAG_{k}"), lag)));
        defines
    }

    /// What the pipeline across rows leaves open; each row of its ring is `row` numbers long.
    pub fn pipeline_y(&self, row: usize) -> Vec<Define> {
        let mut defines = vec![
            define("Y_KEPT", self.y.kept),
            define("Y_LAST_LAG", self.y.last),
            define("Y_OLDEST_s", self.y.oldest[0]),
            define("Y_OLDEST_d", self.y.oldest[1]),
            define("ROW", row),
        ];
        let lags = self.y.steps.iter().enumerate();
        defines.extend(lags.map(|(k, lag)| define(format!("Y_LAG_{k}"), lag)));
        defines
    }
}

/// A stencil in whole vectors: which of a vector's neighbours a step reads.
fn in_vectors(stencil: &Stencil) -> Stencil {
    let (first, last) = (
        stencil.first.signum().min(0),
        stencil.last().signum().max(0),
    );
    Stencil {
        target: stencil.target,
        first,
        count: (last - first + 1) as usize,
    }
}

/// Platforms whose compiler for CPUs is known to have clang's builtins. Elsewhere the portable ways are taken: other
/// compilers have builtins of these names that they cannot compile, and the simulator tests the portable ways.
const BUILTINS: [&str; 2] = ["Portable Computing Language", "Intel(R) OpenCL"];

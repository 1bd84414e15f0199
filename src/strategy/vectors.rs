//! What kernels share on CPU devices, where one work-item takes a whole vector of neighbours (cl/vectors.cl).

use super::{Problem, Strategy, Target};
use crate::lifting::prelude;
use crate::lifting::schedule::Lags;
use crate::wavelet::{MAX_STEPS, Stencil};

/// Vectors of samples, and the schedules of steps that run on them.
pub(super) struct Vectors {
    /// Samples in a vector.
    pub samples: usize,
    /// Bytes of a number that the steps compute with.
    pub bytes: usize,
    /// Whether the array is too large for the caches, so that results are stored past them.
    pub stream: bool,
    /// The schedule of vectors along a row, away from borders.
    x: Lags,
    /// The schedule of pairs of rows.
    pub y: Lags,
}

/// Bytes of an array of which more are stored past the caches.
const STREAMED: usize = 16 << 20;

impl Vectors {
    /// Vectors as long as the device's, with `y` as the schedule of rows.
    pub fn new(strategy: Strategy, problem: &Problem, target: &Target, y: Lags) -> Self {
        let bytes = problem.sample.size().max(4);
        let native = target.device.float_vector * 4 / bytes;
        let tuned = |name, default| {
            target
                .tuning
                .size(name, strategy, problem, target.device, default)
        };
        let array = problem.transform.len() * problem.sample.size();
        let stencils = stencils(problem);
        let by_vector: Vec<Stencil> = stencils.iter().map(in_vectors).collect();
        Vectors {
            samples: tuned("VECTOR", native).next_power_of_two().clamp(8, 16),
            bytes,
            stream: array > tuned("STREAMED", STREAMED),
            x: Lags::new(&by_vector),
            y,
        }
    }

    /// Whether every step finds its neighbours in the vectors beside its own.
    pub fn hold(&self, problem: &Problem) -> bool {
        let near = |offset: i32| offset.unsigned_abs() as usize <= self.samples;
        let mut stencils = stencils(problem).into_iter();
        stencils.all(|step| near(step.first) && near(step.last()))
    }

    /// What cl/vectors.cl and the pipelines leave open.
    pub fn defines(&self, target: &Target) -> Vec<(&'static str, usize)> {
        let mut defines = vec![
            ("VECTOR", self.samples),
            // Elsewhere the portable ways are taken: other compilers have builtins of these names that they can
            // not compile, and the simulator tests the portable ways.
            (
                "BUILTINS",
                usize::from(BUILTINS.contains(&target.device.platform.as_str())),
            ),
            ("STREAM", usize::from(self.stream)),
            ("X_KEPT", self.x.kept),
            ("X_LAST_LAG", self.x.last),
            ("Y_KEPT", self.y.kept),
            ("Y_LAST_LAG", self.y.last),
            ("Y_OLDEST_s", self.y.oldest[0]),
            ("Y_OLDEST_d", self.y.oldest[1]),
        ];
        for (names, lags) in LAGS.iter().zip([&self.x, &self.y]) {
            defines.extend(names.iter().copied().zip(lags.steps.iter().copied()));
        }
        defines
    }
}

fn stencils(problem: &Problem) -> Vec<Stencil> {
    prelude::stencils(
        &problem.transform.wavelet,
        problem.sample,
        problem.direction,
    )
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

/// Platforms whose compiler for CPUs is known to have clang's builtins.
const BUILTINS: [&str; 2] = ["Portable Computing Language", "Intel(R) OpenCL"];

/// Names of the kernels' macros for the lag of each step.
const LAGS: [[&str; MAX_STEPS]; 2] = [
    [
        "X_LAG_0", "X_LAG_1", "X_LAG_2", "X_LAG_3", "X_LAG_4", "X_LAG_5", "X_LAG_6", "X_LAG_7",
    ],
    [
        "Y_LAG_0", "Y_LAG_1", "Y_LAG_2", "Y_LAG_3", "Y_LAG_4", "Y_LAG_5", "Y_LAG_6", "Y_LAG_7",
    ],
];

//! What kernels share on CPU devices, where one work-item takes a whole vector of
//! neighbours (cl/cpu/vectors.cl).

use super::super::Strategy;
use super::super::planning::design::{Define, Problem, Target, define};
use super::super::planning::todo::Todo;
use super::super::planning::tuning::Tunable;
use crate::lifting::extension::Extension;
use crate::lifting::schedule::Lags;
use crate::wavelet::{Direction, Stencil};

pub(in crate::strategy) const VECTOR: Tunable = Tunable {
    name: "VECTOR",
    default: 8,
    candidates: &[8, 16],
    says: "samples in a vector; without a line as many as the device's own vectors have",
};

/// Bytes of a line of the caches.
pub(in crate::strategy) const CACHE_LINE: usize = 64;

/// Bytes of a sample as it is stored.
pub(in crate::strategy) fn stored_size(todo: &Todo) -> usize {
    match todo.problem.direction {
        Direction::Forward => todo.problem.sample.size(),
        Direction::Inverse => todo.signal_size(),
    }
}

/// Samples of a vector, at most.
pub(in crate::strategy) const MOST_SAMPLES: usize = 16;

pub(in crate::strategy) const CACHED: Tunable = Tunable {
    name: "CACHED",
    default: 16 << 10,
    candidates: &[],
    says: "KiB of the largest array whose results are stored through the caches",
};

/// Vectors of samples, and the schedules of steps that run on them.
#[derive(Clone)]
pub(in crate::strategy) struct Vectors {
    /// Samples in a vector.
    pub samples: usize,
    /// Samples of a pixel, which are neighbours in memory.
    pub colours: usize,
    /// Whole pixels in a vector.
    pub pixels: usize,
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
        Vectors::of_pixels(1, strategy, problem, target, y)
    }

    /// The same of pixels that have `colours` samples.
    pub fn of_pixels(
        colours: usize,
        strategy: Strategy,
        problem: &Problem,
        target: &Target,
        y: Lags,
    ) -> Self {
        let bytes = problem.sample.size().max(4);
        let native = target.device.float_vector * 4 / bytes;
        let tuned = target.size(strategy, problem, &VECTOR).unwrap_or(native);
        // A pixel is in one vector.
        let samples = tuned.max(colours).next_power_of_two();
        let samples = samples.clamp(8, MOST_SAMPLES);
        let pixels = samples / colours;
        let cached = target
            .size(strategy, problem, &CACHED)
            .unwrap_or(CACHED.default);
        let array = problem.transform.len() * problem.sample.size();
        let stencils = problem.stencils();
        let by_vector: Vec<Stencil> = stencils.iter().map(|s| in_vectors(s, pixels)).collect();
        Vectors {
            samples,
            colours,
            pixels,
            bytes,
            non_temporal: array > cached << 10,
            builtins: BUILTINS.contains(&target.device.platform.as_str()),
            x: Lags::new(&by_vector),
            y,
        }
    }

    /// The same with results along a row one vector later: what goes on with them takes those of
    /// the turn before, and does not wait for the steps of its own.
    pub fn one_later_x(mut self) -> Self {
        self.x.last += 1;
        self.x.kept = self.x.kept.max(self.x.last + 1);
        self
    }

    /// The same with results that go through the caches, unless they gain by going past them.
    pub fn past_the_caches_if(&self, they_gain: bool) -> Self {
        Vectors {
            non_temporal: self.non_temporal && they_gain,
            ..self.clone()
        }
    }

    /// Numbers of a row that a work-item has at hand.
    pub fn kept_x(&self) -> usize {
        2 * self.x.kept * self.samples
    }

    /// Vectors of a row that are loaded before the first result.
    pub fn late_x(&self) -> usize {
        self.x.last
    }

    /// The pairs of these.
    pub fn late_pairs(&self) -> usize {
        self.x.last * self.pixels
    }

    /// What the vectors leave open.
    pub fn defines(&self) -> Vec<Define> {
        vec![
            define("VECTOR", self.samples),
            define("COLOURS", self.colours),
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

/// Work-items that a launch should have, some for each compute unit, so that all of these
/// end at about the same time.
pub(in crate::strategy) fn wanted(target: &Target) -> usize {
    4 * target.device.compute_units.max(1)
}

/// How lines of so many samples go on beyond their ends where that is all a kernel has to know of
/// the boundary rule.
pub(in crate::strategy) fn extension_of(todo: &Todo, samples: usize) -> Option<Extension> {
    let (transform, sample) = (&todo.problem.transform, todo.problem.sample);
    let rule = transform.boundary_rule();
    let extension = Extension::new(transform.wavelet(), sample, rule, samples);
    extension.filter(|&way| way != Extension::Clamped)
}

/// A stencil in whole vectors of `pixels` each: which of a vector's neighbours a step reads.
fn in_vectors(stencil: &Stencil, pixels: usize) -> Stencil {
    let pixels = pixels as i32;
    let first = stencil.first.div_euclid(pixels).min(0);
    let last = -(-stencil.last()).div_euclid(pixels).min(0);
    Stencil {
        target: stencil.target,
        first,
        count: (last - first + 1) as usize,
    }
}

/// Platforms whose compiler for CPUs is known to have clang's builtins. Elsewhere the portable ways
/// are taken: other compilers have builtins of these names that they cannot compile, and the
/// simulator tests the portable ways.
const BUILTINS: [&str; 2] = ["Portable Computing Language", "Intel(R) OpenCL"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceInfo;
    use crate::strategy::tests::cases::{Setting, cpu, problem};
    use crate::transform::Transform;
    use crate::wavelet::{Channel, Direction, SampleType, Wavelet};

    fn vectors(device: DeviceInfo, tuning: &str, side: usize, sample: SampleType) -> Vectors {
        let transform = Transform::new(Wavelet::CDF_5_3, [side, side]);
        let problem = problem(&transform, sample, Direction::Forward);
        let setting = Setting::of(device).tuned(tuning);
        let target = Target {
            device: &setting.device,
            tuning: &setting.tuning,
            limits: &[],
            ways: &[],
        };
        let y = Lags::new(&problem.stencils());
        Vectors::new(Strategy::Vectors, &problem, &target, y)
    }

    fn value(defines: &[Define], name: &str) -> String {
        let define = defines.iter().find(|(known, _)| known == name);
        define.unwrap_or_else(|| panic!("no {name}")).1.clone()
    }

    #[test]
    fn vectors_are_as_long_as_the_devices_own() {
        use SampleType::{F32, F64, I16};
        let samples = |float_vector, tuning: &str, sample| {
            let device = DeviceInfo {
                float_vector,
                ..cpu()
            };
            vectors(device, tuning, 64, sample).samples
        };
        assert_eq!(
            [1, 4, 8, 16, 32].map(|own| samples(own, "", F32)),
            [8, 8, 8, 16, 16]
        );
        // Steps on 16-bit samples compute with 32 bits.
        assert_eq!((samples(16, "", I16), samples(16, "", F64)), (16, 8));
        let tuned = |size| format!("cpu | vectors | f32 | VECTOR={size}");
        assert_eq!(
            [3, 8, 12, 99].map(|size| samples(4, &tuned(size), F32)),
            [8, 8, 16, 16]
        );
    }

    #[test]
    fn results_of_large_arrays_are_stored_past_the_caches() {
        let passes = |side, tuning| {
            let vectors = vectors(cpu(), tuning, side, SampleType::F32);
            value(&vectors.defines(), "NON_TEMPORAL")
        };
        // 16 MiB, and a row more.
        assert_eq!([passes(2048, ""), passes(2049, "")], ["0", "1"]);
        let tuned = "cpu | vectors | f32 | CACHED=64";
        assert_eq!([passes(128, tuned), passes(129, tuned)], ["0", "1"]);
    }

    #[test]
    fn builtins_are_for_compilers_that_have_them() {
        let builtins = |platform: &str| {
            let device = DeviceInfo {
                platform: platform.to_owned(),
                ..cpu()
            };
            value(
                &vectors(device, "", 64, SampleType::F32).defines(),
                "BUILTINS",
            )
        };
        assert_eq!(builtins("Portable Computing Language"), "1");
        assert_eq!(builtins("Intel(R) OpenCL"), "1");
        assert_eq!(builtins("Oclgrind"), "0");
    }

    #[test]
    fn pipelines_have_a_lag_for_each_step() {
        let vectors = vectors(cpu(), "", 64, SampleType::I32);
        let [x, y] = [vectors.pipeline_x(), vectors.pipeline_y(640)];
        // 5/3 forward: a row reads vectors after it, then before it; see lifting/schedule.rs.
        let numbers = |defines: &[Define], names: &[&str]| -> Vec<String> {
            names.iter().map(|name| value(defines, name)).collect()
        };
        assert_eq!(
            numbers(&x, &["X_LAG_0", "X_LAG_1", "X_LAST_LAG", "X_KEPT"]),
            ["1", "1", "1", "3"]
        );
        assert_eq!(
            numbers(&y, &["Y_LAG_0", "Y_LAG_1", "Y_LAST_LAG", "Y_KEPT"]),
            ["1", "1", "1", "3"]
        );
        assert_eq!(value(&y, "ROW"), "640");
    }

    #[test]
    fn steps_read_the_vectors_beside_their_own() {
        let step = |first, count| {
            let stencil = Stencil {
                target: Channel::Detail,
                first,
                count,
            };
            let stencil = in_vectors(&stencil, 8);
            (stencil.first, stencil.last())
        };
        assert_eq!(
            [step(0, 1), step(0, 2), step(-1, 2)],
            [(0, 0), (0, 1), (-1, 0)]
        );
        assert_eq!(
            [step(-3, 8), step(2, 1), step(-5, 2)],
            [(-1, 1), (0, 1), (-1, 0)]
        );
        assert_eq!([step(-9, 18), step(9, 1)], [(-2, 1), (0, 2)]);
    }
}

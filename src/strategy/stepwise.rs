//! One launch per lifting step, in place in global memory (cl/stepwise/stepwise.cl).

use super::Strategy;
use super::planning::cost::Meter;
use super::planning::design::{
    Array, Arrays, Design, Kernel, Launch, Pass, Problem, Slots, Target,
};
use super::planning::planner::{Offer, Taken};
use super::planning::todo::Todo;
use super::planning::tuning::Tunable;
use super::shared::pixels;
use crate::transform::geometry::{Geometry, Sides, View, innermost};
use crate::wavelet::{Direction, Scale};

pub(super) const TUNABLES: &[Tunable] = &[];

/// Work-items in a work-group.
const GROUP: usize = 64;

/// One axis: its lines are moved to where the results stand, and everything happens to them there.
pub(super) fn offer(todo: &Todo) -> Offer {
    let Problem {
        transform,
        sample,
        direction,
        ..
    } = todo.problem;
    let geometry = Geometry {
        boundary: transform.boundary_rule().number(),
        shift: todo.pre_shift(),
        ..todo.sides(1, 1).lines(todo.axes()[0])
    };
    let forward = *direction == Direction::Forward;
    let scaled = !sample.is_integer() && transform.wavelet().scale() != Scale::NONE;
    let shifted = geometry.shift > 0;
    let pass = |name, step| pass(name, step, geometry, todo.problem, todo.target);
    let mut passes = vec![pass("move", 0)];
    if forward && shifted || !forward && scaled {
        passes.push(pass("load", 0));
    }
    let steps = todo.problem.stencils().len();
    passes.extend((0..steps as i32).map(|step| pass("lift", step)));
    if forward && scaled || !forward && shifted {
        passes.push(pass("store", 0));
    }
    Offer::Works(Taken {
        levels: 1,
        axes: 1,
        passes,
    })
}

/// A transform without any level: the output is the input, as pixels or as samples.
pub(super) fn copy_only(problem: &Problem, target: &Target) -> Design {
    let sides = Sides {
        signal: View::of_region(&problem.regions.signal),
        bands: View::of_region(&problem.regions.bands),
        low: None,
    };
    let (signal, bands) = match problem.direction {
        Direction::Forward => (Array::Input, Array::Output),
        Direction::Inverse => (Array::Output, Array::Input),
    };
    let along = innermost(problem.transform.shape());
    Design {
        launches: vec![Launch {
            strategy: Strategy::Stepwise,
            pass: match problem.pixels {
                Some(_) => pixels::convert(problem, target, &problem.regions.bands),
                None => pass("move", 0, sides.lines(along), problem, target),
            },
            arrays: Arrays {
                signal,
                bands,
                low: None,
            },
        }],
        scratch: [0; 2],
        temps: [0; 2],
        advice: None,
    }
}

/// A launch of one of the kernels, a work-item for each pair of each line.
fn pass(
    name: &'static str,
    step: i32,
    geometry: Geometry,
    problem: &Problem,
    target: &Target,
) -> Pass {
    let group = GROUP.min(target.work_group(name));
    let (lines, samples) = (geometry.lines as usize, geometry.samples as usize);
    let pairs = samples.div_ceil(2);
    let meter = Meter::new(problem, 1, geometry.shift);
    let all = lines * samples;
    let cost = match name {
        "move" => meter.moved(all, all),
        // Neighbours that several targets have in common count once.
        "lift" => {
            let step = step as usize;
            let targets = lines * problem.stencils()[step].target.count(samples);
            meter.moved(all, targets) + meter.step(step, targets)
        }
        _ => meter.scaled(all, all),
    };
    Pass {
        kernel: Kernel {
            name,
            file: "stepwise/stepwise.cl",
            defines: Vec::new(),
            group: [group, 1],
        },
        slots: Slots::OF_TAKE,
        geometry,
        own: vec![("step", step)],
        groups: (pairs * lines).div_ceil(group),
        cost,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceInfo;
    use crate::strategy::tests::cases::{BOTH, Setting, problem, small_gpu};
    use crate::transform::Transform;
    use crate::wavelet::{SampleType, Wavelet};

    /// The kernels of one axis, with the step of each `lift`.
    fn names(wavelet: Wavelet, sample: SampleType) -> [String; 2] {
        let setting = Setting::of(DeviceInfo::imaginary()).only(&[Strategy::Stepwise]);
        BOTH.map(|direction| {
            let transform = Transform::new(wavelet.clone(), [100]);
            let design = setting
                .design(&problem(&transform, sample, direction))
                .unwrap();
            let name = |launch: &Launch| match launch.pass.own[..] {
                [("step", step)] if launch.pass.kernel.name == "lift" => format!("lift{step}"),
                _ => launch.pass.kernel.name.to_owned(),
            };
            design
                .launches
                .iter()
                .map(name)
                .collect::<Vec<_>>()
                .join(" ")
        })
    }

    #[test]
    fn a_launch_for_each_step_between_scaling_and_pre_shift() {
        use SampleType::{F32, I32};
        assert_eq!(names(Wavelet::CDF_5_3, I32), ["move lift0 lift1"; 2]);
        // Steps are numbered in the order in which they run.
        assert_eq!(
            names(Wavelet::CDF_9_7, F32),
            [
                "move lift0 lift1 lift2 lift3 store",
                "move load lift0 lift1 lift2 lift3"
            ]
        );
        assert_eq!(
            names(Wavelet::VC2_LEGALL_5_3, I32),
            ["move load lift0 lift1", "move lift0 lift1 store"]
        );
    }

    #[test]
    fn a_work_item_for_each_pair() {
        let groups = |device| {
            let transform = Transform::new(Wavelet::CDF_5_3, [7, 9]).axes([1]);
            let problem = problem(&transform, SampleType::I32, Direction::Forward);
            let design = Setting::of(device)
                .only(&[Strategy::Stepwise])
                .design(&problem);
            let first = &design.unwrap().launches[0].pass;
            (first.kernel.group, first.groups)
        };
        // 7 lines of 5 pairs.
        assert_eq!(groups(DeviceInfo::imaginary()), ([64, 1], 1));
        assert_eq!(groups(small_gpu()), ([16, 1], 3));
    }
}

//! How many pictures each device gets.

use crate::error::{Error, Result};
use crate::runtime::{Engine, Plan};
use crate::transform::Transform;
use crate::wavelet::{Direction, Sample};
use std::time::{Duration, Instant};

/// Shares out pictures in proportion to speeds that are not all zero: first whole pictures, rounded
/// down, then one each to those that are furthest below their due.
pub fn shared_out(pictures: usize, speeds: &[f64]) -> Vec<usize> {
    let all: f64 = speeds.iter().sum();
    let dues: Vec<f64> = speeds
        .iter()
        .map(|speed| pictures as f64 * speed / all)
        .collect();
    let mut shares: Vec<usize> = dues.iter().map(|due| due.floor() as usize).collect();
    let below = |i: &usize| dues[*i] - dues[*i].floor();
    let mut order: Vec<usize> = (0..speeds.len()).filter(|&i| speeds[i] > 0.0).collect();
    order.sort_by(|a, b| below(b).total_cmp(&below(a)));
    let given: usize = shares.iter().sum();
    for &i in order.iter().cycle().take(pictures.saturating_sub(given)) {
        shares[i] += 1;
    }
    shares
}

/// A trial has about so many samples, that its time is more than that of a launch.
const TRIAL: usize = 1 << 24;

/// How many pictures a second each engine transforms: the best of some runs, forward, on arrays on
/// the device, one engine after the other since they may share what they compute on.
pub fn measured<T: Sample>(engines: &[Engine], transform: &Transform) -> Result<Vec<f64>> {
    let [only] = engines else {
        let trial = trial_of(transform, engines.len());
        return engines
            .iter()
            .map(|engine| Ok(trial.shape()[0] as f64 / time::<T>(engine, &trial)?.as_secs_f64()))
            .collect();
    };
    log::debug!("nothing to share out: {} is alone", only.device());
    Ok(vec![1.0])
}

/// The same transform of fewer pictures: at most those that are one device's, were all of a speed.
fn trial_of(transform: &Transform, engines: usize) -> Transform {
    let mut shape = transform.shape().to_vec();
    let picture = transform.len() / shape[0];
    shape[0] = (TRIAL / picture).clamp(1, shape[0].div_ceil(engines));
    transform.with_shape(shape)
}

fn time<T: Sample>(engine: &Engine, trial: &Transform) -> Result<Duration> {
    let plan: Plan<T> = engine.plan(trial)?;
    let samples: Vec<T> = (0..trial.len())
        .map(|i| T::from_f64((i.wrapping_mul(2_654_435_761) >> 16 & 0xff) as f64))
        .collect();
    let resident = || {
        let (x, mut y) = (engine.upload(&samples)?, engine.zeros::<T>(trial.len())?);
        best_of(|| plan.enqueue_forward(&x, &mut y)?.wait())
    };
    match resident() {
        // In tiles, then.
        Err(Error::Memory { .. }) => {
            let mut coefficients = samples.clone();
            best_of(|| plan.between_slices(&samples, &mut coefficients, Direction::Forward))
        }
        result => result,
    }
}

/// The least time of some runs, after one to warm up.
fn best_of(mut run: impl FnMut() -> Result<()>) -> Result<Duration> {
    run()?;
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        run()?;
        best = best.min(start.elapsed());
    }
    Ok(best.max(Duration::from_nanos(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_picture_is_given_to_one() {
        for pictures in 1..40 {
            for speeds in [
                vec![1.0],
                vec![1.0, 1.0],
                vec![3.0, 1.0, 2.5],
                vec![0.0, 1e-9, 1e9],
                vec![0.1; 7],
            ] {
                let shares = shared_out(pictures, &speeds);
                assert_eq!(shares.iter().sum::<usize>(), pictures, "{speeds:?}");
                let all: f64 = speeds.iter().sum();
                for (&share, speed) in shares.iter().zip(&speeds) {
                    let due = pictures as f64 * speed / all;
                    assert!(
                        (share as f64 - due).abs() <= 1.0,
                        "{shares:?} of {speeds:?}"
                    );
                    assert!(share == 0 || *speed > 0.0);
                }
            }
        }
        assert_eq!(shared_out(10, &[3.0, 1.0]), [8, 2]);
        assert_eq!(shared_out(512, &[1.0, 1.0]), [256, 256]);
    }

    #[test]
    fn a_trial_is_no_larger_than_a_share() {
        use crate::wavelet::Wavelet;
        let batch = |shape: [usize; 3]| Transform::new(Wavelet::CDF_9_7, shape).axes([1, 2]);
        assert_eq!(trial_of(&batch([512, 2048, 2048]), 2).shape()[0], 4);
        assert_eq!(trial_of(&batch([9, 64, 64]), 2).shape()[0], 5);
        assert_eq!(trial_of(&batch([3, 1 << 14, 1 << 14]), 2).shape()[0], 1);
    }
}

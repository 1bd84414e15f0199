//! How large tiles are: as the memory of engines allows.

use super::carrier::{SLOTS, is_copied};
use super::conveyor::{self, Conveyor};
use super::threads::LEAST_BYTES;
use crate::error::{Error, Result};
use crate::runtime::builder::Builder;
use crate::runtime::context::Site;
use crate::strategy::{Problem, Stage, stages};
use crate::transform::Transform;
use crate::wavelet::{Direction, Sample};
use std::sync::Arc;

/// Bytes of a tile at most: larger ones have less of a halo, but while the first one is gathered,
/// and the last one scattered, there is nothing to compute.
const MOST_BYTES: usize = 128 << 20;

/// Where several devices share tiles out, there are about so many for each. Fewer end farther
/// apart, more have more of a halo: of five levels of 8192 x 8192 floats, the busier of two equal
/// devices moves 0.60 of what one alone would by 8 for each, 0.65 by 4 and 0.61 by 16. For that
/// they are not cut so small that a single thread would copy one.
const FOR_EACH: usize = 8;
const LEAST_FOR_EACH: usize = 2 * LEAST_BYTES;

/// Which tiles of at most so many samples, and what they take on a device.
pub(super) struct Choice {
    most: usize,
    pub stages: Vec<Stage>,
    pub largest: usize,
    /// How many are on their way at most.
    pub tiles: usize,
    bytes: u64,
}

/// The largest tiles for which every device has memory: the same stages for each.
pub(super) fn choose_for_all<T: Sample>(
    sites: &[&Site],
    transform: &Transform,
) -> Result<Vec<Choice>> {
    let bytes = transform.len() * size_of::<T>();
    let bytes = match sites.len() {
        1 => MOST_BYTES,
        devices => (bytes / (FOR_EACH * devices)).clamp(LEAST_FOR_EACH, MOST_BYTES),
    };
    let mut most = bytes / size_of::<T>();
    loop {
        let choice = |site: &&Site| {
            let is_same = |other: &&&Site| Arc::ptr_eq(&other.shared, &site.shared);
            choose::<T>(site, sites.iter().filter(is_same).count(), transform, most)
        };
        let choices = all_of(sites.iter().map(choice))?;
        let least = choices.iter().map(|choice| choice.most).min();
        if choices.iter().all(|choice| Some(choice.most) == least) {
            return Ok(choices);
        }
        most = least.unwrap_or(most);
    }
}

/// All of them, or the error of the engine that needs most: where it is the memory of one device,
/// what it says is enough for all of them. First what no limit can mend.
fn all_of(choices: impl Iterator<Item = Result<Choice>>) -> Result<Vec<Choice>> {
    let (good, bad): (Vec<_>, Vec<_>) = choices.partition(Result::is_ok);
    let needed = |error: &Error| match error {
        Error::Memory {
            needed,
            used: Some(_),
            ..
        } => *needed,
        _ => u64::MAX,
    };
    match bad.into_iter().filter_map(Result::err).max_by_key(needed) {
        Some(error) => Err(error),
        None => good.into_iter().collect(),
    }
}

/// The largest tiles of at most so many samples for which there is memory, where so
/// many engines have the same.
fn choose<T: Sample>(
    site: &Site,
    engines: usize,
    transform: &Transform,
    most: usize,
) -> Result<Choice> {
    let shared = &site.shared;
    let memory = shared.memory();
    let free = memory.limit.saturating_sub(memory.used) / engines as u64;
    let (tiles, samples): (_, fn(usize, usize) -> usize) = match is_copied(site) {
        true => (conveyor::TILES, Conveyor::<T>::samples),
        false => (SLOTS, |tiles, largest| 2 * tiles * largest),
    };
    let largest_array = shared.device.info().largest_array();
    // Of what the smallest tiles need, and their largest arrays.
    let (mut least, mut least_array) = (None, 0);
    for tiles in [tiles, 1] {
        let mut most = most.min(transform.len());
        // Some transforms have no tiles as small as that.
        while most < transform.len() && stages(transform, T::TYPE, most).is_none() {
            most = transform.len().min(2 * most);
        }
        while let Some(stages) = stages(transform, T::TYPE, most) {
            let choice = Choice::of::<T>(site, most, stages, tiles, samples)?;
            let largest = (choice.largest * size_of::<T>()) as u64;
            if largest > largest_array {
                least_array = largest;
            } else if choice.bytes > free {
                let known = least.unwrap_or(choice.bytes);
                least = Some(choice.bytes.min(known));
            } else {
                return Ok(choice);
            }
            most = choice.largest.min(most) * 3 / 4;
        }
    }
    let (needed, limit, used) = match least {
        Some(needed) => (needed * engines as u64, memory.limit, Some(memory.used)),
        None => (least_array, largest_array, None),
    };
    Err(Error::Memory {
        what: "the transform in the smallest tiles".to_owned(),
        device: shared.device.to_string(),
        needed,
        limit,
        used,
    })
}

impl Choice {
    fn of<T: Sample>(
        site: &Site,
        most: usize,
        stages: Vec<Stage>,
        tiles: usize,
        samples: fn(usize, usize) -> usize,
    ) -> Result<Self> {
        let builder = Builder {
            site,
            wanted: None,
            on_trial: None,
        };
        let (mut largest, mut scratch) = (0, 0);
        for stage in &stages {
            for (shape, _) in stage.shapes() {
                let part = stage.transform().with_shape(shape);
                largest = largest.max(part.len());
                let of = |direction| builder.scratch(&Problem::new(&part, T::TYPE, direction));
                let (forward, inverse) = (of(Direction::Forward)?, of(Direction::Inverse)?);
                let both = forward.into_iter().zip(inverse);
                scratch += both.map(|(one, other)| one.max(other)).sum::<usize>();
            }
        }
        let samples = samples(tiles, largest) + scratch;
        Ok(Choice {
            most,
            stages,
            largest,
            tiles,
            bytes: samples as u64 * size_of::<T>() as u64,
        })
    }
}

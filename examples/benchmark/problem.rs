//! What is measured: every combination of the arguments.

use crate::arguments::Arguments;
use crate::common::case::check_memory;
use crate::common::cli::{DirectionArgument, Result, Shape};
use wavelift::{Layout, SampleType, Transform, Wavelet};

/// A transform to measure. One result of the reference serves for all devices and strategies.
pub struct Problem {
    pub transform: Transform,
    pub sample: SampleType,
    pub direction: DirectionArgument,
}

impl Problem {
    pub fn name(&self) -> String {
        let (wavelet, levels) = (self.transform.wavelet(), self.transform.level_count());
        let (sample, direction) = (self.sample, self.direction.name());
        format!("{wavelet} {sample} {direction} {levels} {}", self.shape())
    }

    pub fn shape(&self) -> String {
        let (shape, axes) = (self.transform.shape(), self.transform.chosen_axes());
        let along = match axes.len() == shape.len() {
            true => String::new(),
            false => format!(" along {axes:?}"),
        };
        let layout = match self.transform.coefficient_layout() {
            Layout::Mallat => String::new(),
            other => format!(" {other}"),
        };
        let boundary = match self.transform.boundary_rule() {
            own if own == self.transform.wavelet().boundary() => String::new(),
            other => format!(" {other}"),
        };
        format!("{shape:?}{along}{layout}{boundary}")
    }
}

/// Every combination of the arguments that exists, and a note for each that does not.
pub fn problems(arguments: &Arguments) -> Result<(Vec<Problem>, Vec<String>)> {
    let (mut problems, mut left_out) = (Vec::new(), Vec::new());
    for wavelet in &arguments.wavelets {
        for &sample in &arguments.samples {
            if sample.is_served_by(wavelet) {
                problems.extend(problems_of(arguments, wavelet.clone(), sample)?);
            } else {
                left_out.push(format!("left out: {wavelet} has no steps for {sample}"));
            }
        }
    }
    if problems.is_empty() && !left_out.is_empty() {
        return Err(format!("nothing to measure; {}", left_out.join("; ")).into());
    }
    Ok((problems, left_out))
}

fn problems_of(
    arguments: &Arguments,
    wavelet: Wavelet,
    sample: SampleType,
) -> Result<Vec<Problem>> {
    let mut problems = Vec::new();
    for Shape { lengths, axes } in arguments.shapes() {
        for &levels in &arguments.levels {
            let transform = Transform::new(wavelet.clone(), lengths.clone());
            let transform = transform.axes(axes.clone()).levels(levels);
            transform.check()?;
            check_memory(&transform)?;
            let boundaries = match arguments.boundaries.as_slice() {
                [] => &[transform.boundary_rule()],
                named => named,
            };
            for (&boundary, &layout) in boundaries.iter().flat_map(|boundary| {
                arguments
                    .layouts
                    .iter()
                    .map(move |layout| (boundary, layout))
            }) {
                problems.extend(arguments.directions.iter().map(|&direction| Problem {
                    transform: transform.clone().boundary(boundary).layout(layout),
                    sample,
                    direction,
                }));
            }
        }
    }
    Ok(problems)
}

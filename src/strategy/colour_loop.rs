//! `single_loop` for two axes of pictures whose pixels have a few samples side by side
//! (cl/cpu/pixels_in_vectors.cl).

use super::planning::planner::Offer;
use super::planning::todo::Todo;
use super::shared::cpu::MOST_SAMPLES;
use super::{Strategy, single_loop};
use crate::device::DeviceKind;

pub(super) use super::single_loop::TUNABLES;

/// Colours on devices that have other ways for more, and no vectors to fill.
const FEW: usize = 4;

pub(super) fn offer(todo: &Todo) -> Offer {
    let most = match todo.target.device.kind {
        DeviceKind::Cpu => MOST_SAMPLES,
        DeviceKind::Gpu | DeviceKind::Accelerator => FEW,
    };
    match todo.coloured_picture(most as i64) {
        Some(picture) => {
            let (geometry, colours) = (picture.geometry, picture.colours);
            single_loop::offer_of(todo, Strategy::ColourLoop, geometry, colours)
        }
        None => Offer::no(format!(
            "it takes two axes before an inner batch of 2 to {most}, in one piece, and rows of at most 2^30 samples"
        )),
    }
}

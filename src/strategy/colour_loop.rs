//! `single_loop` for two axes of pictures whose pixels have a few samples side by side (cl/cpu/pixels_in_vectors.cl).

use super::planner::{Offer, Todo};
use super::{Strategy, single_loop};

pub(super) use super::single_loop::TUNABLES;

pub(super) fn offer(todo: &Todo) -> Offer {
    match todo.coloured_picture(4) {
        Some(picture) => {
            let (geometry, colours) = (picture.geometry, picture.colours);
            single_loop::offer_of(todo, Strategy::ColourLoop, geometry, colours)
        }
        None => Offer::no("it takes two axes before an inner batch of 2 to 4, in one piece"),
    }
}

//! Tests of whole designs, without a device: what the planner composes of what the solvers offer.

mod arguments;
mod arrays;
pub(super) mod cases;
mod coverage;
pub(super) mod host;
mod host_pictures;
mod model;
mod refusals;
mod walks;

use super::Strategy;

#[test]
fn names_round_trip() {
    for &strategy in Strategy::ALL {
        assert_eq!(strategy.name().parse(), Ok(strategy));
    }
}

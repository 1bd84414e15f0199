//! What the planner and the strategies speak of: problems, what is left of them, designs, costs,
//! and sizes that are tuned.

pub(super) mod binding;
pub(super) mod cost;
pub(super) mod design;
pub(super) mod planner;
pub(super) mod todo;
pub(super) mod tuning;

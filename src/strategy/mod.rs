//! How to compute a transform: solvers turn what is left of a problem into passes, the planner composes them. All of it
//! is plain data that can be compared, printed and counted without a device.

mod design;
mod in_place;
mod planner;
mod register_block;
mod separable;
mod single_loop;
mod stepwise;
mod streamed;
mod tuning;
mod vector_passes;
mod vectors;

pub(crate) use design::{Array, Kernel, Launch, Pass, Problem, Target};
pub(crate) use in_place::{InPlace, plan_in_place};
pub(crate) use planner::plan;
pub use tuning::Tunable;
pub(crate) use tuning::Tuning;

use crate::names::named;
use planner::{Offer, Todo};

macro_rules! strategies {
    ($($(#[$doc:meta])* $variant:ident $name:literal $solver:ident;)*) => {
        /// A way to compute (a part of) a transform on a device.
        ///
        /// A transform is a list of levels, and each level a list of axes. What one strategy does not do well it leaves to
        /// the next: a plan can compute a volume's pictures with one and its third axis with another.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Strategy {
            $($(#[$doc])* $variant,)*
        }

        impl Strategy {
            /// All strategies, in the order in which the planner asks them.
            pub const ALL: &'static [Strategy] = &[$(Strategy::$variant),*];

            /// The name, as [`FromStr`](std::str::FromStr) reads it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Strategy::$variant => $name,)*
                }
            }

            /// The sizes that can be tuned for this strategy, by lines of a tuning file.
            pub const fn tunables(self) -> &'static [Tunable] {
                match self {
                    $(Strategy::$variant => $solver::TUNABLES,)*
                }
            }

            /// How much of what is left this strategy takes, and by which passes.
            fn offer(self, todo: &Todo) -> Offer {
                match self {
                    $(Strategy::$variant => $solver::offer(todo),)*
                }
            }
        }
    };
}

// A line for each: the variant, its name, the module that solves. The planner asks them in this order.
strategies! {
    /// One pass over memory per level of pictures, or for two levels of large ones: sub-groups sweep along strips of
    /// columns, both axes in registers. Preferred on GPUs.
    Streamed "streamed" streamed;
    /// The same idea for CPU devices: one work-item per strip, rows in cache, explicit vectors (Barina and Zemcik).
    /// Preferred on CPUs.
    SingleLoop "single_loop" single_loop;
    /// One pass over memory per level of pictures: each sub-group lifts a block of 64 columns and a few rows, and the halo
    /// around it, in its registers (Enfedaque et al.).
    RegisterBlock "register_block" register_block;
    /// A pass over memory per axis: rows by Blazewicz's four pairs per work-item, other axes by the sliding window of Kucis
    /// et al.; on CPU devices both in vectors.
    Separable "separable" separable;
    /// One launch per lifting step, in place in global memory. Slow, and right for everything.
    Stepwise "stepwise" stepwise;
}

named!(Strategy, "strategy");

#[cfg(test)]
mod tests;

//! How to compute a transform: strategies turn what is left of a problem into passes, the
//! planner composes them. All of it is plain data that can be compared, printed and
//! counted without a device.

mod boxes_in_cache;
mod colour_loop;
mod in_place;
mod planning;
mod pyramid;
mod register_block;
mod register_columns;
mod register_lines;
mod register_planes;
mod register_rows;
mod separable;
mod shared;
mod short_columns;
mod single_loop;
mod stepwise;
mod streamed;
mod streamed_colours;
mod streamed_volumes;
mod tiles;
mod vectors;
mod whole_boxes;

pub(crate) use in_place::{InPlace, plan_in_place};
pub use planning::cost::Cost;
pub(crate) use planning::design::{
    Array, Arrays, Design, Kernel, LARGEST_VECTOR, Launch, MOST_ARRIVALS, Pass, Problem, Regions,
    Target, define,
};
pub(crate) use planning::planner::plan;
pub use planning::tuning::Tunable;
pub(crate) use planning::tuning::Tuning;
pub use separable::passes::{ColumnPass, RowPass};
pub(crate) use tiles::{Move, Stage, Tile, stages};

use crate::error::{Error, Result};
use planning::planner::Offer;
use planning::todo::Todo;

macro_rules! strategies {
    ($($(#[$doc:meta])* $variant:ident
        $({ $($(#[$field_doc:meta])* $field:ident: $Pass:ident,)* })? $name:literal $module:ident;)*
    ) => {
        /// A way to compute (a part of) a transform on a device.
        ///
        /// A transform is a list of levels, and each level a list of axes. What one strategy does
        /// not do well it leaves to the next: a plan can compute a volume's pictures with one and
        /// its third axis with another.
        ///
        /// A strategy is written by its name, [`Strategy::Separable`] with its passes as in
        /// `separable:one_pair+exchanged`, first the one for rows and then the one for columns;
        /// plain `separable` is `separable:four_pairs+four_pairs`. Passes can also be named by
        /// their labels in Kucis et al. (2014), as in `separable:Horiz-Laan2009+Vert-Laan2009`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Strategy {
            $($(#[$doc])* $variant $({ $($(#[$field_doc])* $field: $Pass,)* })?,)*
        }

        impl Strategy {
            /// All strategies, in the order in which the planner asks them; [`Strategy::Separable`]
            /// once, with the passes that it has by default.
            pub const ALL: &'static [Strategy] =
                &[$(Strategy::$variant $({ $($field: $Pass::ALL[0],)* })?),*];

            /// The name without passes: `separable` for all combinations of them.
            /// [`Display`](std::fmt::Display) writes them too.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Strategy::$variant { .. } => $name,)*
                }
            }

            /// The sizes that can be tuned for this strategy, by lines of a tuning file.
            /// Those of [`Strategy::Separable`] are of its row pass, and a line holds for
            /// that one with any column pass.
            pub const fn tunables(self) -> &'static [Tunable] {
                match self {
                    $(Strategy::$variant { .. } => $module::TUNABLES,)*
                }
            }

            /// How much of what is left this strategy takes, and by which passes.
            fn offer(self, todo: &Todo) -> Offer {
                match self {
                    $(Strategy::$variant $({ $($field,)* })? => $module::offer(todo $($(, $field)*)?),)*
                }
            }
        }
    };
}

// A line for each: the variant, its name, the module that solves. The planner
// asks them in this order.
strategies! {
    /// One pass over memory for several levels of small pictures: each work-group computes by
    /// itself all that it needs of every level. Preferred for small and narrow pictures on GPUs,
    /// and for the coarse levels of others but the largest.
    Pyramid "pyramid" pyramid;
    /// One pass over memory for all levels of boxes that a work-group holds whole in local memory:
    /// tiny pictures and small volumes. Preferred for these on GPUs.
    WholeBoxes "whole_boxes" whole_boxes;
    /// One pass over memory per level of pictures: each sub-group lifts a block of a
    /// few rows, and the halo around it, in its registers (Enfedaque et al.). Preferred
    /// for small pictures on GPUs.
    RegisterBlock "register_block" register_block;
    /// One pass over memory per level of pictures, or for two levels of large ones: sub-groups
    /// sweep along strips of columns, both axes in registers. Preferred on GPUs.
    Streamed "streamed" streamed;
    /// The same idea for pictures whose pixels are 2 to 8 samples side by side: colours, or complex
    /// numbers. Preferred on GPUs, but for pixels of many bytes.
    StreamedColours "streamed_colours" streamed_colours;
    /// One pass over memory per level of planes that stand side by side in memory, as those of
    /// pixels with many samples or of two outer axes of a volume: each work-item sweeps down a few
    /// columns of one plane, both axes in registers. Preferred on GPUs.
    RegisterPlanes "register_planes" register_planes;
    /// One pass over memory per level of volumes: work-groups sweep along the outermost of three
    /// axes. Preferred for volumes of 64 x 64 x 64 and more on NVIDIA's GPUs.
    StreamedVolumes "streamed_volumes" streamed_volumes;
    /// The idea of `streamed` for CPU devices: one work-item per strip, rows in cache, explicit
    /// vectors (Barina and Zemcik). Preferred on CPUs.
    SingleLoop "single_loop" single_loop;
    /// The same for pictures whose pixels are 2 to 16 samples side by side. Preferred on CPUs.
    ColourLoop "colour_loop" colour_loop;
    /// One pass over memory for several levels of lines that stand side by side: each of them, or a
    /// tile of it, in the registers of one work-item. Preferred on GPUs where no picture is left:
    /// for many short lines, and on NVIDIA's for several levels of a megasample and more of long
    /// ones.
    RegisterLines "register_lines" register_lines;
    /// One pass over memory for several levels of rows, or of lines that stand side by side: in
    /// local memory, and in runs that work-items have in their registers. Preferred on GPUs where
    /// no picture is left: for rows, and on NVIDIA's for several levels of other lines.
    RegisterRows "register_rows" register_rows;
    /// One pass over memory for an axis whose lines stand side by side: work-items sweep along
    /// neighbouring lines, a pipeline in registers. Preferred on GPUs where no picture is left.
    RegisterColumns "register_columns" register_columns;
    /// A pass over memory per axis in vectors: neighbours along rows, or across columns. Short
    /// rows, narrow pictures and few columns by all their levels in the caches, a box of them in
    /// each element of a vector, and many short columns in registers. Preferred on CPUs where no
    /// wide picture is left.
    Vectors "vectors" vectors;
    /// A pass over memory per axis, by any of the methods that Kucis et al. (2014) compare. By
    /// default, and everywhere the same, rows by Blazewicz's four pairs per work-item and other
    /// axes by the sliding window of Kucis et al.
    Separable {
        /// For lines along the innermost axis.
        rows: RowPass,
        /// For all other lines.
        columns: ColumnPass,
    } "separable" separable;
    /// One launch per lifting step, in place in global memory. Slow, and right for everything.
    Stepwise "stepwise" stepwise;
}

impl Strategy {
    /// [`Strategy::Separable`] with the passes that it has by default.
    pub const SEPARABLE: Strategy = Strategy::Separable {
        rows: RowPass::FourPairs,
        columns: ColumnPass::FourPairs,
    };

    /// [`Strategy::Separable`] with each of its passes once: each row pass beside the default
    /// column pass, then each other column pass beside the default row pass.
    pub fn each_pass() -> impl Iterator<Item = Strategy> {
        let rows = RowPass::ALL.iter().map(|&rows| rows.into());
        let columns = ColumnPass::ALL[1..].iter().map(|&columns| columns.into());
        rows.chain(columns)
    }

    /// [`Strategy::Separable`] with every row pass beside every column pass.
    pub fn combinations() -> impl Iterator<Item = Strategy> {
        RowPass::ALL.iter().flat_map(|&rows| {
            let columns = ColumnPass::ALL.iter();
            columns.map(move |&columns| Strategy::Separable { rows, columns })
        })
    }

    /// Whether its passes take pixels on the signal side; for others these become samples first.
    fn takes_pixels(self) -> bool {
        matches!(
            self,
            Strategy::Pyramid
                | Strategy::WholeBoxes
                | Strategy::RegisterBlock
                | Strategy::Streamed
                | Strategy::StreamedColours
                | Strategy::RegisterPlanes
                | Strategy::StreamedVolumes
                | Strategy::SingleLoop
                | Strategy::ColourLoop
                | Strategy::RegisterLines
                | Strategy::RegisterRows
                | Strategy::RegisterColumns
                | Strategy::Vectors
        )
    }

    /// Whether sizes that are tuned for one of the two are the other's as well.
    fn shares_sizes(self, other: Strategy) -> bool {
        match (self, other) {
            (Strategy::Separable { rows: own, .. }, Strategy::Separable { rows, .. }) => {
                own == rows
            }
            _ => self == other,
        }
    }
}

/// With the default column pass.
impl From<RowPass> for Strategy {
    fn from(rows: RowPass) -> Self {
        let columns = ColumnPass::FourPairs;
        Strategy::Separable { rows, columns }
    }
}

/// With the default row pass.
impl From<ColumnPass> for Strategy {
    fn from(columns: ColumnPass) -> Self {
        let rows = RowPass::FourPairs;
        Strategy::Separable { rows, columns }
    }
}

impl std::fmt::Display for Strategy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Strategy::Separable { rows, columns } if *self != Strategy::SEPARABLE => {
                f.pad(&format!("{}:{rows}+{columns}", self.name()))
            }
            _ => f.pad(self.name()),
        }
    }
}

impl std::str::FromStr for Strategy {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        let mut plain = Self::ALL.iter().filter(|strategy| strategy.name() == word);
        if let Some(strategy) = plain.next() {
            return Ok(*strategy);
        }
        let passes = word
            .strip_prefix("separable:")
            .and_then(|passes| passes.split_once('+'));
        let Some((rows, columns)) = passes else {
            let mut names: Vec<&str> = Self::ALL.iter().map(|strategy| strategy.name()).collect();
            names.push("separable:ROWS+COLUMNS");
            return Err(Error::unknown("strategy", &names, word));
        };
        Ok(Strategy::Separable {
            rows: rows.parse()?,
            columns: columns.parse()?,
        })
    }
}

#[cfg(test)]
mod tests;

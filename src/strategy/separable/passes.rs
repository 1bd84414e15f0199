//! The passes of `separable`: the ways of the papers to lift the lines of one axis.

use crate::error::Error;

/// An enum of passes, with a line for each: the variant, its name, and the label that
/// Kucis et al. give it, if any.
macro_rules! passes {
    ($(#[$about:meta])* $T:ident $what:literal {
        $($(#[$doc:meta])* $variant:ident $name:literal $($label:literal)?;)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $T {
            $($(#[$doc])* $variant,)*
        }

        impl $T {
            /// All of them; the first is the default.
            pub const ALL: &'static [$T] = &[$($T::$variant),*];

            /// The name, as [`FromStr`](std::str::FromStr) reads it.
            pub const fn name(self) -> &'static str {
                match self {
                    $($T::$variant => $name,)*
                }
            }

            /// The label of this method in Kucis et al. (2014), where they compare it.
            /// [`FromStr`](std::str::FromStr) reads it as well.
            pub fn label(self) -> Option<&'static str> {
                let labels: &[&str] = match self {
                    $($T::$variant => &[$($label)?],)*
                };
                labels.first().copied()
            }
        }

        impl std::fmt::Display for $T {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $T {
            type Err = Error;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                let is_meant = |pass: &&Self| pass.name() == word || pass.label() == Some(word);
                Self::ALL.iter().find(is_meant).copied().ok_or_else(|| {
                    let names = Self::ALL.iter().map(|pass| pass.name());
                    let labels = Self::ALL.iter().filter_map(|pass| pass.label());
                    Error::unknown($what, &names.chain(labels).collect::<Vec<_>>(), word)
                })
            }
        }
    };
}

passes! {
    /// How [`Strategy::Separable`](crate::strategy::Strategy::Separable) lifts the lines of the innermost
    /// axis, whose samples are neighbours in memory.
    RowPass "row pass" {
        /// Blazewicz et al. (2012), the fastest row pass of Kucis et al. (2014): each work-item
        /// lifts four pairs in its registers, and with them the pairs around that their results
        /// depend on. Work-items exchange nothing: for CDF 9/7 each loads 15 samples for 8 results.
        FourPairs "four_pairs" "Horiz-Blazewicz2012-4";
        /// Blazewicz et al. (2012): the same with one pair for each work-item, 9 samples
        /// for 2 results of CDF 9/7.
        OnePair "one_pair" "Horiz-Blazewicz2012-1";
        /// Van der Laan et al. (2011): a work-group lifts a stretch of a row in local memory, with
        /// a barrier after each step, and computes hardly anything twice.
        Exchanged "exchanged" "Horiz-Laan2009";
        /// Galiano et al. (2011): each work-item computes one pair of results by the taps of the
        /// two filters, without lifting. For real samples alone: lifting rounds integers at every
        /// step, and no filter does.
        Convolution "convolution" "Horiz-Galiano2011";
    }
}

passes! {
    /// How [`Strategy::Separable`](crate::strategy::Strategy::Separable) lifts the lines of all other axes,
    /// whose neighbours in memory are other lines.
    ColumnPass "column pass" {
        /// Kucis et al. (2014): a work-group sweeps down 32 columns with a window of, for
        /// CDF 9/7, 71 rows; in it each work-item lifts four pairs in its registers, as
        /// in [`RowPass::FourPairs`].
        FourPairs "four_pairs" "Vert-Proposed";
        /// Van der Laan et al. (2009, 2011): a window of 16 new rows of 32 columns slides down.
        /// Work-items share intermediate results in local memory, with a barrier after each step,
        /// and the window carries the unfinished ones along.
        Exchanged "exchanged" "Vert-Laan2009";
        /// Blazewicz et al. (2012): the columns are transposed, lifted as rows by
        /// [`RowPass::FourPairs`], and transposed back. This needs two more arrays of the
        /// level's size on the device.
        Transposed "transposed" "Vert-Blazewicz2012";
        /// Galiano et al. (2011): as [`RowPass::Convolution`], in a window
        /// that slides down 32 columns.
        Convolution "convolution";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_have_names_and_the_labels_of_the_paper() {
        for (label, pass) in [
            ("Horiz-Galiano2011", RowPass::Convolution),
            ("Horiz-Blazewicz2012-1", RowPass::OnePair),
            ("Horiz-Blazewicz2012-4", RowPass::FourPairs),
            ("Horiz-Laan2009", RowPass::Exchanged),
        ] {
            assert_eq!(label.parse(), Ok(pass));
            assert_eq!(pass.to_string().parse(), Ok(pass));
        }
        for (label, pass) in [
            ("Vert-Laan2009", ColumnPass::Exchanged),
            ("Vert-Blazewicz2012", ColumnPass::Transposed),
            ("Vert-Proposed", ColumnPass::FourPairs),
            ("convolution", ColumnPass::Convolution),
        ] {
            assert_eq!(label.parse(), Ok(pass));
            assert_eq!(pass.to_string().parse(), Ok(pass));
        }
        assert_eq!(ColumnPass::Convolution.label(), None);
    }

    #[test]
    fn errors_say_what_was_wanted_and_what_was_found() {
        let refused = "Vert-Laan2009".parse::<RowPass>().unwrap_err();
        assert_eq!(
            refused.to_string(),
            "unknown row pass `Vert-Laan2009`, expected one of four_pairs, one_pair, exchanged, convolution, \
             Horiz-Blazewicz2012-4, Horiz-Blazewicz2012-1, Horiz-Laan2009, Horiz-Galiano2011"
        );
        let refused = "one_pair".parse::<ColumnPass>().unwrap_err().to_string();
        assert!(
            refused.contains("unknown column pass `one_pair`"),
            "{refused}"
        );
        assert!(refused.contains("transposed") && refused.contains("Vert-Proposed"));
    }
}

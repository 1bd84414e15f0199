//! Reading and printing enums by the names of their variants.

/// Implements `Display` and `FromStr` for an enum that has `ALL` and `name()`; `what` names the
/// kind of choice in errors.
macro_rules! named {
    ($T:ty, $what:literal) => {
        impl std::fmt::Display for $T {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $T {
            type Err = crate::error::Error;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                let known = Self::ALL.iter().find(|choice| choice.name() == word);
                known.copied().ok_or_else(|| {
                    let names: Vec<&str> = Self::ALL.iter().map(|choice| choice.name()).collect();
                    crate::error::Error::unknown($what, &names, word)
                })
            }
        }
    };
}
pub(crate) use named;

//! Sizes, candidates for them, and the search among the candidates. Nothing here knows a device.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// Sizes by name. The library's own sizes stand for those that are not named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes(BTreeMap<String, usize>);

impl Sizes {
    /// These sizes with one of them changed or added.
    pub fn with(&self, name: &str, size: usize) -> Self {
        let mut sizes = self.0.clone();
        sizes.insert(name.to_owned(), size);
        Sizes(sizes)
    }

    /// Whether no size is named, so that all are the library's own.
    pub fn are_defaults(&self) -> bool {
        self.0.is_empty()
    }
}

/// Writes the sizes as a line of a tuning file has them.
impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.0.iter().map(|(name, size)| format!("{name}={size}"));
        f.pad(&words.collect::<Vec<_>>().join(" "))
    }
}

/// Candidates for each size, in the order in which the sizes are tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid(pub Vec<(String, Vec<usize>)>);

impl Grid {
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The part of this grid whose names another grid has too.
    pub fn of(&self, other: &Grid) -> Self {
        let known = |(name, _): &&(String, Vec<usize>)| other.names().any(|known| known == name);
        Grid(self.0.iter().filter(known).cloned().collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromStr for Grid {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut grid: Vec<(String, Vec<usize>)> = Vec::new();
        for word in text.split_whitespace() {
            let wrong = || format!("expected NAME=SIZE,SIZE like PAIRS=4,8, found `{word}`");
            let (name, sizes) = word.split_once('=').ok_or_else(wrong)?;
            let sizes = sizes.split(',').map(|size| match size.parse() {
                Ok(size) if (1..1 << 20).contains(&size) => Ok(size),
                _ => Err(wrong()),
            });
            if grid.iter().any(|(known, _)| known == name) {
                return Err(format!("{name} is listed twice"));
            }
            grid.push((name.to_owned(), sizes.collect::<Result<_, _>>()?));
        }
        match grid.is_empty() {
            true => Err("expected NAME=SIZE,SIZE like PAIRS=4,8, found nothing".to_owned()),
            false => Ok(Grid(grid)),
        }
    }
}

/// The ratio to the best score so far that other sizes must exceed to replace the best sizes.
const STEP: f64 = 1.02;

/// Searches for the sizes with the best score, one size at a time. Starting from the defaults, each
/// size in turn is set to the best of its candidates if that is better by [`STEP`], until a whole
/// round changes nothing. `score` is called again for sizes that it has already been called for.
pub fn search<E>(grid: &Grid, mut score: impl FnMut(&Sizes) -> Result<f64, E>) -> Result<Sizes, E> {
    let mut best = (score(&Sizes::default())?, Sizes::default());
    loop {
        let before = best.1.clone();
        for (name, candidates) in &grid.0 {
            let mut found = best.clone();
            for &size in candidates {
                let sizes = best.1.with(name, size);
                let score = score(&sizes)?;
                if score > found.0 {
                    found = (score, sizes);
                }
            }
            if found.0 > STEP * best.0 {
                best = found;
            }
        }
        if best.1 == before {
            return Ok(best.1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(grid: &str, score: impl Fn(&Sizes) -> f64) -> (String, usize) {
        let mut asked = Vec::new();
        let best = search(&grid.parse().unwrap(), |sizes| {
            asked.push(sizes.to_string());
            Ok::<_, ()>(score(sizes))
        });
        asked.sort();
        asked.dedup();
        (best.unwrap().to_string(), asked.len())
    }

    fn at(sizes: &Sizes, name: &str) -> f64 {
        sizes.0.get(name).copied().unwrap_or(2) as f64
    }

    #[test]
    fn sizes_that_help_only_after_others_are_found_in_a_later_round() {
        // B is worth nothing until C is set.
        let score = |sizes: &Sizes| 1.0 + at(sizes, "C") + (at(sizes, "C") - 2.0) * at(sizes, "B");
        let (best, asked) = found("B=1,2,4 C=1,2,8", score);
        assert_eq!(best, "B=4 C=8");
        assert!(asked < 4 * 4, "{asked}");
    }

    #[test]
    fn the_best_candidate_is_taken_not_the_first_that_is_better() {
        let score = |sizes: &Sizes| 1.0 + at(sizes, "A") / 100.0;
        assert_eq!(found("A=5,9,7", score).0, "A=9");
    }

    #[test]
    fn what_is_better_by_less_than_a_step_is_left() {
        let score = |sizes: &Sizes| 1.0 + at(sizes, "A") / 1000.0;
        assert_eq!(found("A=1,3,9", score), (String::new(), 4));
    }

    #[test]
    fn sizes_that_cannot_run_have_no_score_and_are_skipped() {
        let score = |sizes: &Sizes| match at(sizes, "A") as usize {
            4 => 0.0,
            size => size as f64,
        };
        assert_eq!(found("A=4,8", score).0, "A=8");
    }

    #[test]
    fn errors_end_the_search() {
        let grid = "A=1".parse().unwrap();
        assert_eq!(search(&grid, |_| Err::<f64, _>("lost")), Err("lost"));
    }

    #[test]
    fn grids_are_read_or_refused() {
        let grid: Grid = "FILLING=1,2  PAIRS=4".parse().unwrap();
        assert_eq!(grid.names().collect::<Vec<_>>(), ["FILLING", "PAIRS"]);
        let other = "STRIP=64 FILLING=8".parse().unwrap();
        assert_eq!(grid.of(&other), "FILLING=1,2".parse().unwrap());
        assert!(grid.of(&"STRIP=64".parse().unwrap()).is_empty());
        for bad in [
            "",
            "PAIRS",
            "PAIRS=",
            "PAIRS=4,",
            "PAIRS=0",
            "PAIRS=1048576",
            "PAIRS=x",
            "A=1 A=2",
        ] {
            assert!(bad.parse::<Grid>().is_err(), "{bad}");
        }
    }
}

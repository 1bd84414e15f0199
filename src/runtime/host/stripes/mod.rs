//! Pictures in stripes of rows, so that one goes up while another one comes down.
//!
//! The finest level is done stripe by stripe, by plans for pictures of a few rows: each stripe
//! with as many more rows above and below as its results depend on, of whose results nothing is
//! used. What such a plan takes for the border of a picture spoils no more. The other levels
//! have a quarter of the samples and are done as a whole, behind the stripes, or for the
//! inverse in front of them.

mod computing;
mod steps;

use super::copies::{At, Rows};
use crate::error::Result;
use crate::lifting::reach::Reach;
use crate::runtime::context::Site;
use crate::runtime::plan::Plan;
use crate::strategy::{Regions, Strategy};
use crate::transform::{Layout, Transform};
use crate::wavelet::{Boundary, Sample};
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a stripe, and how many stripes it takes to be faster than a whole picture. Pinned
/// arrays of 8192 x 8192 in f32 take 6.2 to 6.3 ms on the host of an NVIDIA H100 by stripes of so
/// many bytes and of twice as many, 6.3 to 6.6 by half as many.
const STRIPE_BYTES: usize = 8 << 20;
const LEAST_STRIPES: usize = 4;

/// Pairs of rows come in so many, so that every stripe starts at a multiple of 16 bytes.
const PAIRS: usize = 4;

/// A picture's finest level in stripes, and the rest as a whole.
pub struct Stripes<T: Sample> {
    height: usize,
    width: usize,
    stripes: Vec<Stripe<T>>,
    /// The levels but the finest.
    rest: Option<Plan<T>>,
    /// Samples of the largest stripe with its neighbours' rows, in whole rows, so that each output
    /// starts at the first column.
    largest: usize,
}

/// Pairs of rows, with those of its neighbours that results depend on.
struct Stripe<T: Sample> {
    own: Range<usize>,
    all: Range<usize>,
    plan: Arc<Plan<T>>,
}

/// How many pairs of rows a stripe has where a transform goes in stripes.
pub fn pairs_of_stripes<T: Sample>(site: &Site, transform: &Transform) -> Option<usize> {
    let &[height, width] = transform.shape() else {
        return None;
    };
    let pairs = STRIPE_BYTES / size_of::<T>() / 2 / width.max(1);
    let pairs = pairs.max(1).next_multiple_of(PAIRS);
    // Stripes of few rows would be mostly their neighbours'.
    let is_short = halo::<T>(transform).is_some_and(|halo| halo * 4 <= pairs);
    let is_fit = is_short && height / 2 / pairs >= LEAST_STRIPES && can_go::<T>(transform, pairs);
    (site.queue.takes_parts() && is_fit).then_some(pairs)
}

/// Whether a transform can go in stripes of so many pairs of rows.
fn can_go<T: Sample>(transform: &Transform, pairs: usize) -> bool {
    let &[height, width] = transform.shape() else {
        return false;
    };
    // The first rows of periodic pictures depend on the last.
    transform.boundary_rule() != Boundary::Periodic
        && transform.coefficient_layout() == Layout::Mallat
        && transform.chosen_axes() == [0, 1]
        && transform.level_count() > 0
        && width > 1
        && height / 2 >= 2 * pairs
        && halo::<T>(transform).is_some_and(|halo| halo <= pairs)
}

/// How many pairs of its neighbours' rows a stripe needs on either side.
fn halo<T: Sample>(transform: &Transform) -> Option<usize> {
    let stencils = T::TYPE.stencils(transform.wavelet())?;
    let [forward, inverse] =
        Reach::of_both_directions(&stencils).map(|reach| reach.halo_of_a_cut());
    Some(forward.max(inverse).next_multiple_of(PAIRS))
}

impl<T: Sample> Stripes<T> {
    /// Builds the plans. The transform can go in stripes of so many pairs or a few
    /// more, all of about as many.
    pub fn new(
        site: &Site,
        transform: &Transform,
        wanted: Option<Strategy>,
        pairs: usize,
    ) -> Result<Self> {
        let (height, width) = (transform.shape()[0], transform.shape()[1]);
        let halo = halo::<T>(transform).unwrap_or(pairs);
        let levels = |shape, count| {
            let part = Transform::new(transform.wavelet().clone(), shape)
                .boundary(transform.boundary_rule())
                .levels(count);
            Plan::built(site, &part, &Regions::dense(&part), None, wanted, None)
        };
        let all = height.div_ceil(2);
        let count = all / pairs;
        let start = |number| match number == count {
            true => all,
            false => all * number / count / PAIRS * PAIRS,
        };
        let mut stripes: Vec<Stripe<T>> = Vec::new();
        for number in 0..count {
            let own = start(number)..start(number + 1);
            let with_halo = own.start.saturating_sub(halo)..(own.end + halo).min(all);
            let rows = rows_of(&with_halo, height).len();
            let is_like = |stripe: &&Stripe<T>| stripe.plan.transform().shape() == [rows, width];
            let plan = match stripes.iter().find(is_like) {
                Some(stripe) => stripe.plan.clone(),
                None => Arc::new(levels([rows, width], 1)?),
            };
            stripes.push(Stripe {
                own,
                all: with_halo,
                plan,
            });
        }
        let has_rest = transform.level_count() > 1;
        let low = [all, width.div_ceil(2)];
        let rest = has_rest.then(|| levels(low, transform.level_count() - 1));
        let rows = stripes
            .iter()
            .map(|stripe| stripe.plan.transform().shape()[0]);
        let most = rows.max().unwrap_or(0).next_multiple_of(16);
        Ok(Stripes {
            height,
            width,
            stripes,
            rest: rest.transpose()?,
            largest: most * width,
        })
    }

    /// Samples of the arrays that a picture goes over.
    pub fn arrays(&self) -> [usize; 5] {
        let low = self.rest.as_ref().map_or(0, |rest| rest.transform().len());
        let outputs = self.stripes.len() * self.largest;
        [self.height * self.width, outputs, self.largest, low, low]
    }

    /// Bytes of so many samples.
    fn bytes(samples: usize) -> usize {
        samples * size_of::<T>()
    }

    /// From this row and column on, in an array as wide as the picture.
    fn at(&self, first: usize, row: usize, column: usize) -> At {
        At {
            first: Self::bytes(first + row * self.width + column),
            pitch: Self::bytes(self.width),
        }
    }

    /// From this row on, in an array of low columns.
    fn low_at(&self, row: usize) -> At {
        let pitch = Self::bytes(self.width.div_ceil(2));
        At {
            first: row * pitch,
            pitch,
        }
    }

    /// The rows and columns of low and of high pairs of rows: those that are low along both axes go
    /// with the rest, if there is one.
    fn halves(&self, pairs: &Range<usize>) -> [(Range<usize>, usize); 2] {
        let (low, high) = (pairs.clone(), pairs.start..pairs.end.min(self.height / 2));
        let column = match self.rest {
            Some(_) => self.width.div_ceil(2),
            None => 0,
        };
        [(low, column), (high, 0)]
    }

    fn rows(&self, pairs: &Range<usize>, column: usize) -> Rows {
        Rows {
            count: pairs.len(),
            bytes: Self::bytes(self.width - column),
        }
    }

    fn low_rows(&self, count: usize) -> Rows {
        Rows {
            count,
            bytes: Self::bytes(self.width.div_ceil(2)),
        }
    }
}

/// The rows of pairs, of which the last may have one.
fn rows_of(pairs: &Range<usize>, height: usize) -> Range<usize> {
    2 * pairs.start..(2 * pairs.end).min(height)
}

#[cfg(test)]
mod tests;

//! The steps of a picture in stripes: which rows are copied when, and from where to where.

use super::{Stripe, Stripes, rows_of};
use crate::runtime::host::copies::Heading;
use crate::runtime::host::route::{RowCopy, Step};
use crate::wavelet::{Direction, Sample};
use std::ops::Range;

/// The arrays of a picture in stripes: what comes up, what goes down, one stripe, and the low rows
/// and columns with their transform.
const FROM: usize = 0;
const TO: usize = 1;
const LOW_BANDS: usize = 4;

impl<T: Sample> Stripes<T> {
    /// All steps: stripes come down while later ones go up.
    pub fn steps(&self, direction: Direction) -> Vec<Step> {
        let [ups, downs] = [Heading::ToDevice, Heading::ToHost].map(|heading| {
            let is_signal = (heading == Heading::ToDevice) == (direction == Direction::Forward);
            let copies =
                self.stripes
                    .iter()
                    .enumerate()
                    .map(move |(number, stripe)| match is_signal {
                        true => vec![self.samples_of(stripe, number, heading)],
                        false => self.coefficients_of(stripe, number, heading),
                    });
            let steps = |copies: Vec<RowCopy>| copies.into_iter().map(Step::Copy).collect();
            copies.map(steps).collect::<Vec<Vec<_>>>()
        });
        let count = self.stripes.len();
        let rest = self.rest.as_ref().map(|_| Step::Compute(count));
        let mut steps = Vec::new();
        if let (Some(rest), Direction::Inverse) = (rest, direction) {
            steps.push(Step::Copy(self.rest_of(Heading::ToDevice)));
            steps.push(rest);
        }
        // Each needs its neighbours' rows.
        steps.extend(ups.iter().take(2).flatten());
        for (number, down) in downs.iter().enumerate() {
            steps.push(Step::Compute(number));
            let later = ups.get(number + 2).into_iter().flatten();
            interleave(&mut steps, later, down.iter());
        }
        if let (Some(rest), Direction::Forward) = (rest, direction) {
            steps.push(rest);
            steps.push(Step::Copy(self.rest_of(Heading::ToHost)));
        }
        steps
    }

    /// The copy of a stripe's samples. On their way back they stand in an output of the stripe's
    /// own, behind rows of its neighbour.
    fn samples_of(&self, stripe: &Stripe<T>, number: usize, heading: Heading) -> RowCopy {
        let rows = rows_of(&stripe.own, self.height);
        let host = self.at(0, rows.start, 0);
        let (array, at) = match heading {
            Heading::ToDevice => (FROM, host),
            Heading::ToHost => {
                let row = rows.start - 2 * stripe.all.start;
                (TO, self.at(number * self.largest, row, 0))
            }
        };
        RowCopy {
            heading,
            array,
            rows: self.rows(&rows, 0),
            at,
            host,
        }
    }

    /// The copies of a stripe's coefficients but for those that go with the rest.
    fn coefficients_of(&self, stripe: &Stripe<T>, number: usize, heading: Heading) -> Vec<RowCopy> {
        let pairs = self.height.div_ceil(2);
        // In a stripe high rows come behind its low ones, in the picture behind all.
        let starts = [(0, 0), (stripe.all.len(), pairs)];
        let halves = self.halves(&stripe.own).into_iter().zip(starts);
        let copy = |((half, column), (here, there)): ((Range<usize>, usize), _)| {
            let host = self.at(0, there + half.start, column);
            let (array, at) = match heading {
                Heading::ToDevice => (FROM, host),
                Heading::ToHost => {
                    let row = here + half.start - stripe.all.start;
                    (TO, self.at(number * self.largest, row, column))
                }
            };
            RowCopy {
                heading,
                array,
                rows: self.rows(&half, column),
                at,
                host,
            }
        };
        let copies = halves.map(copy).filter(|copy| copy.rows.count > 0);
        copies.collect()
    }

    /// The copy of the coefficients of all levels but the finest.
    fn rest_of(&self, heading: Heading) -> RowCopy {
        RowCopy {
            heading,
            array: LOW_BANDS,
            rows: self.low_rows(self.height.div_ceil(2)),
            at: self.low_at(0),
            host: self.at(0, 0, 0),
        }
    }
}

/// Appends one of these and one of those in turn.
fn interleave<'a>(
    steps: &mut Vec<Step>,
    mut these: impl Iterator<Item = &'a Step>,
    mut those: impl Iterator<Item = &'a Step>,
) {
    loop {
        let both = [these.next(), those.next()];
        if both == [None, None] {
            return;
        }
        steps.extend(both.into_iter().flatten());
    }
}

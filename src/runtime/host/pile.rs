//! The tiles of a stage, which the devices of a group take from one pile: whoever finishes
//! one takes the next, so that a device has as many as its speed is worth. Where shares are
//! fixed each has its own first.
//!
//! A tile is one device's at a time. What a device had taken when it failed is for others only when
//! no thread of its own copies any more.

use crate::error::{Error, Result};
use crate::runtime::lock::{lock, wait};
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};
use std::thread;

pub(super) struct Pile {
    state: Mutex<State>,
    change: Condvar,
}

/// Tiles by their numbers in the stage, devices by their places in the group.
struct State {
    /// What any device may take, and before that, each alone.
    any: VecDeque<usize>,
    own: Vec<VecDeque<usize>>,
    /// What each has taken and is not done with, the oldest first.
    taken: Vec<VecDeque<usize>>,
    done: u64,
    /// Devices that take tiles.
    working: usize,
    failures: Vec<(usize, Error)>,
    /// Why nobody takes any more, though tiles are left.
    stopped: Option<Error>,
}

impl Pile {
    /// So many tiles for so many devices, in these proportions where they are fixed.
    pub fn new(tiles: usize, devices: usize, shares: Option<&[u32]>) -> Self {
        let any = if shares.is_none() { 0..tiles } else { 0..0 };
        let mut own = vec![VecDeque::new(); devices];
        let shares = shares.unwrap_or_default();
        let sum = |shares: &[u32]| shares.iter().map(|&share| u128::from(share)).sum::<u128>();
        let end = |shares_before| tiles as u128 * shares_before / sum(shares);
        for (device, own) in own.iter_mut().enumerate().take(shares.len()) {
            let range = end(sum(&shares[..device]))..end(sum(&shares[..=device]));
            own.extend(range.map(|tile| tile as usize));
        }
        Pile {
            state: Mutex::new(State {
                any: any.collect(),
                own,
                taken: vec![VecDeque::new(); devices],
                done: 0,
                working: 0,
                failures: Vec::new(),
                stopped: None,
            }),
            change: Condvar::new(),
        }
    }

    /// A device begins to take tiles.
    pub fn start(&self, device: usize) -> Working<'_> {
        lock(&self.state).working += 1;
        Working {
            pile: self,
            device,
            has_ended: false,
        }
    }

    /// The next tile for a device, if there is any.
    pub fn take(&self, device: usize) -> Option<usize> {
        let state = &mut *lock(&self.state);
        if state.stopped.is_some() {
            return None;
        }
        let own = state.own[device].pop_front();
        let tile = own.or_else(|| state.any.pop_front())?;
        state.taken[device].push_back(tile);
        Some(tile)
    }

    /// A device is done with the oldest tile that it has taken; how many are done in all. An
    /// error where all are to stop.
    pub fn settle(&self, device: usize) -> Result<u64> {
        let state = &mut *lock(&self.state);
        state.taken[device].pop_front();
        state.done += 1;
        self.change.notify_all();
        match &state.stopped {
            Some(error) => Err(error.clone()),
            None => Ok(state.done),
        }
    }

    /// Waits until more than so many tiles are done, and says how many; none where no device is at
    /// work any more, or all are to stop.
    pub fn more_than(&self, told: u64) -> Option<u64> {
        let mut state = lock(&self.state);
        while state.done <= told && state.working > 0 && state.stopped.is_none() {
            state = wait(&self.change, state);
        }
        (state.done > told && state.stopped.is_none()).then_some(state.done)
    }

    /// Nobody takes any more.
    pub fn stop(&self, why: Error) {
        lock(&self.state).stopped.get_or_insert(why);
    }

    /// When no device is at work: those that failed since the last time, and whether tiles are
    /// left, which any may take then.
    ///
    /// # Errors
    /// Why all stopped.
    pub fn failures(&self) -> Result<(Vec<(usize, Error)>, bool)> {
        let State {
            any,
            own,
            failures,
            stopped,
            ..
        } = &mut *lock(&self.state);
        any.extend(own.iter_mut().flat_map(|own| own.drain(..)));
        match stopped.take() {
            Some(error) => Err(error),
            None => Ok((std::mem::take(failures), !any.is_empty())),
        }
    }
}

/// A device that takes tiles, and the thread that has it do so. Dropped in a panic, also after its
/// end, it stops all others.
pub(super) struct Working<'p> {
    pile: &'p Pile,
    device: usize,
    has_ended: bool,
}

impl Working<'_> {
    /// The device takes no more tiles. Where it failed, nothing of it moves any more, and what it
    /// was not done with is for others; but what would fail by any device stops all.
    pub fn end(&mut self, result: Result<()>) {
        let state = &mut *lock(&self.pile.state);
        if let Err(error) = result {
            state.any.extend(state.taken[self.device].drain(..));
            state.any.extend(state.own[self.device].drain(..));
            match error.is_of_device() {
                true => state.failures.push((self.device, error)),
                false => drop(state.stopped.get_or_insert(error)),
            }
        }
        state.working -= 1;
        self.has_ended = true;
        self.pile.change.notify_all();
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        let state = &mut *lock(&self.pile.state);
        state.working -= usize::from(!self.has_ended);
        if thread::panicking() {
            state.stopped.get_or_insert(Error::Cancelled {
                what: "the transform",
            });
        }
        self.pile.change.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device_error() -> Error {
        Error::OpenCl {
            call: "clFinish",
            name: "CL_OUT_OF_RESOURCES".to_owned(),
            code: -5,
        }
    }

    #[test]
    fn fixed_shares_come_first() {
        let pile = Pile::new(7, 3, Some(&[2, 0, 1]));
        let (mut one, other) = (pile.start(0), pile.start(2));
        let all = |device| -> Vec<usize> { std::iter::from_fn(|| pile.take(device)).collect() };
        assert_eq!(all(1), []);
        assert_eq!(all(0), [0, 1, 2, 3]);
        assert_eq!(pile.settle(0).unwrap(), 1);
        // What it is not done with is for any.
        one.end(Err(device_error()));
        assert_eq!(all(1), [1, 2, 3]);
        assert_eq!(pile.more_than(0), Some(1));
        // The third took nothing: there was no thread for it.
        drop(other);
        assert_eq!(pile.more_than(1), None);
        let (failures, is_left) = pile.failures().unwrap();
        assert_eq!((failures, is_left), (vec![(0, device_error())], true));
        assert_eq!(all(1), [4, 5, 6]);
        for done in 2..8 {
            assert_eq!(pile.settle(1).unwrap(), done);
        }
        assert_eq!(pile.failures().unwrap(), (Vec::new(), false));
    }

    #[test]
    fn every_tile_is_shared_out() {
        for tiles in 0..20 {
            for shares in [
                &[1][..],
                &[0, 3],
                &[u32::MAX, u32::MAX, 1],
                &[1, 1, 1, 1, 1],
            ] {
                let pile = Pile::new(tiles, shares.len(), Some(shares));
                let of = |device| std::iter::from_fn(|| pile.take(device)).collect::<Vec<_>>();
                let all = (0..shares.len()).flat_map(of);
                assert!(all.eq(0..tiles), "{tiles} {shares:?}");
            }
        }
    }

    #[test]
    fn what_no_device_can_help_stops_all() {
        let pile = Pile::new(5, 2, None);
        let (mut one, mut other) = (pile.start(0), pile.start(1));
        assert_eq!((pile.take(0), pile.take(1)), (Some(0), Some(1)));
        let error = Error::Cancelled { what: "a test" };
        one.end(Err(error.clone()));
        assert_eq!((pile.take(1), pile.more_than(0)), (None, None));
        assert_eq!(pile.settle(1), Err(error.clone()));
        other.end(Err(error.clone()));
        assert_eq!(pile.failures(), Err(error));
    }

    #[test]
    fn a_panic_of_the_caller_stops_all() {
        let pile = Pile::new(5, 2, None);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut one = pile.start(0);
            one.end(Ok(()));
            panic!("a test")
        }));
        assert!(panicked.is_err());
        assert_eq!((pile.take(1), pile.more_than(0)), (None, None));
    }
}

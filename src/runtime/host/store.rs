//! Where the arrays of a transform in tiles stand: in slices, or in files.

use super::file::{Samples, SinkFile, SourceFile};
use super::past_caches;
use super::shared_slice::SharedSlice;
use crate::error::Result;
use crate::transform::zeroed;
use crate::wavelet::Sample;
use std::slice;

/// Lines of fewer bytes go through the caches.
const LEAST_BYTES: usize = 512;

/// What a [`TiledPlan`](super::TiledPlan) reads: samples in a slice, or in a file.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Source<'a, T: Sample> {
    /// A slice.
    Slice(&'a [T]),
    /// A file.
    File(&'a SourceFile<T>),
}

/// What a [`TiledPlan`](super::TiledPlan) writes: samples in a slice, or in a new file.
#[derive(Debug)]
#[non_exhaustive]
pub enum Sink<'a, T: Sample> {
    /// A slice.
    Slice(&'a mut [T]),
    /// A new file.
    File(&'a mut SinkFile<T>),
}

impl<T: Sample> Source<'_, T> {
    pub(super) fn len(&self) -> usize {
        match self {
            Source::Slice(slice) => slice.len(),
            Source::File(file) => file.0.len(),
        }
    }
}

impl<T: Sample> Sink<'_, T> {
    pub(super) fn len(&self) -> usize {
        match self {
            Sink::Slice(slice) => slice.len(),
            Sink::File(file) => file.samples.len(),
        }
    }

    /// The same for a while.
    pub(super) fn lend(&mut self) -> Sink<'_, T> {
        match self {
            Sink::Slice(slice) => Sink::Slice(slice),
            Sink::File(file) => Sink::File(file),
        }
    }

    /// Says whether all of it is written, or only some: then a file is not to be finished.
    pub(super) fn set_torn(&mut self, is_torn: bool) {
        if let Sink::File(file) = self {
            file.is_torn = is_torn;
        }
    }

    /// An array of its own, all zero, where this one is.
    pub(super) fn another(&self, what: &'static str, len: usize) -> Result<Owned<T>> {
        Ok(match self {
            Sink::Slice(_) => Owned::Slice(zeroed(what, len)?),
            Sink::File(file) => Owned::File(file.another(len)?),
        })
    }
}

impl<'a, T: Sample> From<&'a [T]> for Source<'a, T> {
    fn from(slice: &'a [T]) -> Self {
        Source::Slice(slice)
    }
}

impl<'a, T: Sample> From<&'a Vec<T>> for Source<'a, T> {
    fn from(samples: &'a Vec<T>) -> Self {
        Source::Slice(samples)
    }
}

impl<'a, T: Sample> From<&'a SourceFile<T>> for Source<'a, T> {
    fn from(file: &'a SourceFile<T>) -> Self {
        Source::File(file)
    }
}

impl<'a, T: Sample> From<&'a mut [T]> for Sink<'a, T> {
    fn from(slice: &'a mut [T]) -> Self {
        Sink::Slice(slice)
    }
}

impl<'a, T: Sample> From<&'a mut Vec<T>> for Sink<'a, T> {
    fn from(samples: &'a mut Vec<T>) -> Self {
        Sink::Slice(samples)
    }
}

impl<'a, T: Sample> From<&'a mut SinkFile<T>> for Sink<'a, T> {
    fn from(file: &'a mut SinkFile<T>) -> Self {
        Sink::File(file)
    }
}

/// What a transform has for itself.
pub(super) enum Owned<T: Sample> {
    Slice(Vec<T>),
    File(SinkFile<T>),
}

impl<T: Sample> Owned<T> {
    pub fn as_sink(&mut self) -> Sink<'_, T> {
        match self {
            Owned::Slice(samples) => Sink::Slice(samples),
            Owned::File(file) => Sink::File(file),
        }
    }
}

/// Samples that several threads read, or write, each its own part.
pub(super) enum Store<'a, T> {
    Slice(SharedSlice<'a, T>),
    File(&'a Samples<T>),
}

impl<T> Clone for Store<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Store<'_, T> {}

impl<'a, T: Sample> Store<'a, T> {
    /// To be read only.
    pub fn of(source: Source<'a, T>) -> Self {
        match source {
            Source::Slice(slice) => Store::Slice(SharedSlice::of(slice)),
            Source::File(file) => Store::File(&file.0),
        }
    }

    pub fn of_mut(sink: Sink<'a, T>) -> Self {
        match sink {
            Sink::Slice(slice) => Store::Slice(SharedSlice::of_mut(slice)),
            Sink::File(file) => Store::File(&file.samples),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Store::Slice(slice) => slice.len(),
            Store::File(file) => file.len(),
        }
    }

    /// Copies samples that stand so far apart here to others, or from them.
    ///
    /// # Safety
    /// All of these samples are there, here and there; those that are copied are not written
    /// meanwhile; those to which they go may be written, and are used by nobody else.
    pub unsafe fn copy(
        self,
        (at, apart): (usize, usize),
        (other, other_apart): (*mut T, usize),
        samples: usize,
        is_out: bool,
    ) -> Result<()> {
        match self {
            Store::Slice(slice) => {
                let here = slice.at(at);
                let (from, to) = match is_out {
                    true => ((here.cast_const(), apart), (other, other_apart)),
                    false => ((other.cast_const(), other_apart), (here, apart)),
                };
                // SAFETY: by the caller's promise.
                unsafe { copy_line(from, to, samples, !is_out) };
                Ok(())
            }
            Store::File(file) if is_out => {
                if other_apart == 1 {
                    // SAFETY: by the caller's promise.
                    let to = unsafe { slice::from_raw_parts_mut(other, samples) };
                    return file.read((at, apart), to);
                }
                let mut line = zeroed("a line of a file", samples)?;
                file.read((at, apart), &mut line)?;
                // SAFETY: by the caller's promise.
                unsafe { copy_line((line.as_ptr(), 1), (other, other_apart), samples, false) };
                Ok(())
            }
            Store::File(file) => {
                if other_apart == 1 {
                    // SAFETY: by the caller's promise: they may be samples that can only be read.
                    let from = unsafe { slice::from_raw_parts(other, samples) };
                    return file.write((at, apart), from);
                }
                let mut line = zeroed("a line of a file", samples)?;
                // SAFETY: by the caller's promise.
                unsafe { copy_line((other, other_apart), (line.as_mut_ptr(), 1), samples, false) };
                file.write((at, apart), &line)
            }
        }
    }
}

/// Copies samples from where they are so far apart to where they are so far apart.
///
/// # Safety
/// On both sides there are so many samples; those to which they go are used by nobody else.
unsafe fn copy_line<T: Copy>(
    (from, from_apart): (*const T, usize),
    (to, to_apart): (*mut T, usize),
    samples: usize,
    is_for_later: bool,
) {
    // SAFETY: by the caller's promise.
    unsafe {
        if [from_apart, to_apart] != [1, 1] {
            for i in 0..samples {
                *to.add(i * to_apart) = *from.add(i * from_apart);
            }
        } else if is_for_later && samples * size_of::<T>() >= LEAST_BYTES {
            past_caches::copy(from.cast(), to.cast(), samples * size_of::<T>());
        } else {
            to.copy_from_nonoverlapping(from, samples);
        }
    }
}

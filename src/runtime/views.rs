//! Views: regions of arrays on a device, which plans work on and which can be
//! copied to and from the host.

use super::array::{DeviceArray, overlap};
use super::context::Shared;
use super::host::ask_for_huge_pages;
use super::queue::{Access, Uses};
use super::transfer::Transfer;
use crate::error::{Error, Result, check_length};
use crate::strategy::LARGEST_VECTOR;
use crate::transform::{Band, Region, Transform, zeroed};
use crate::wavelet::Element;
use std::sync::{Arc, MutexGuard};

/// A region of a [`DeviceArray`], to be read: by [`DeviceArray::view`], [`DeviceArray::slice`], or
/// a whole array by `From`.
#[derive(Clone, Debug)]
pub struct DeviceView<'a, T: Element> {
    array: &'a DeviceArray<T>,
    region: Region,
}

/// A region of a [`DeviceArray`], to be written: by [`DeviceArray::view_mut`],
/// [`DeviceArray::slice_mut`], [`DeviceArray::view_pair`], or a whole array by `From`.
#[derive(Debug)]
pub struct DeviceViewMut<'a, T: Element> {
    /// Nothing else writes the region, nor reads it, as long as this borrows it.
    array: &'a DeviceArray<T>,
    region: Region,
}

impl<'a, T: Element> From<&'a DeviceArray<T>> for DeviceView<'a, T> {
    /// All samples, in one piece.
    fn from(array: &'a DeviceArray<T>) -> Self {
        DeviceView::new(array, Region::dense([array.len()]))
    }
}

impl<'a, T: Element> From<&'a mut DeviceArray<T>> for DeviceView<'a, T> {
    /// All samples, in one piece.
    fn from(array: &'a mut DeviceArray<T>) -> Self {
        DeviceView::from(&*array)
    }
}

impl<'a, T: Element> From<&'a mut DeviceArray<T>> for DeviceViewMut<'a, T> {
    /// All samples, in one piece.
    fn from(array: &'a mut DeviceArray<T>) -> Self {
        DeviceViewMut::new(array, Region::dense([array.len()]))
    }
}

impl<'a, T: Element> DeviceView<'a, T> {
    /// The region lies within the array.
    pub(super) fn new(array: &'a DeviceArray<T>, region: Region) -> Self {
        DeviceView { array, region }
    }

    /// Returns where the samples stand in the array.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// Returns the view of a sub-band of the coefficients of `transform`, which this view is of.
    ///
    /// # Errors
    /// As [`Region::band`]. The view of a whole array has one axis; [`DeviceArray::view`] gives
    /// it the transform's shape.
    pub fn band(&self, transform: &Transform, level: u32, band: Band) -> Result<DeviceView<'a, T>> {
        let region = self.region.band(transform, level, band)?;
        Ok(DeviceView::new(self.array, region))
    }

    /// Copies the samples to the host, in row-major order, after everything enqueued on the array
    /// so far, and waits for them.
    ///
    /// # Errors
    /// [`Error::HostMemory`] if the host cannot hold them; [`Error::Handle`] for a foreign
    /// buffer that the host may not read; [`Error::OpenCl`] if copying fails, or the last run
    /// that wrote the array did.
    pub fn download(&self) -> Result<Vec<T>> {
        let mut samples = zeroed("the samples", self.region.len())?;
        ask_for_huge_pages(&mut samples);
        self.download_into(&mut samples)?;
        Ok(samples)
    }

    /// Copies the samples into an existing slice on the host, in row-major order, after everything
    /// enqueued on the array so far, and waits for them. Samples that are not neighbours in memory
    /// go by `clEnqueueReadBufferRect`.
    ///
    /// # Errors
    /// [`Error::Length`] if `samples` has another length than the view; [`Error::Handle`] for a
    /// foreign buffer that the host may not read; [`Error::OpenCl`] if copying fails, or the last
    /// run that wrote the array did.
    pub fn download_into(&self, samples: &mut [T]) -> Result<()> {
        check_length("the slice", samples.len(), self.region.len())?;
        self.array.transfer(&self.region, Transfer::ToHost(samples))
    }
}

impl<'a, T: Element> DeviceViewMut<'a, T> {
    /// The region lies within the array; nothing else uses it.
    pub(super) fn new(array: &'a DeviceArray<T>, region: Region) -> Self {
        DeviceViewMut { array, region }
    }

    /// Returns where the samples stand in the array.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// Returns the same view for a shorter time, so that this one can be used again.
    pub fn reborrow(&mut self) -> DeviceViewMut<'_, T> {
        DeviceViewMut::new(self.array, self.region.clone())
    }

    /// Replaces the samples by those of a slice on the host, in row-major order, after
    /// everything enqueued on the array so far, and waits until they are copied. The rest of
    /// the array stays as it is.
    ///
    /// # Errors
    /// [`Error::Length`] if `samples` has another length than the view; [`Error::Handle`] for a
    /// foreign buffer that the host may not write; [`Error::OpenCl`] if copying fails.
    pub fn write(&mut self, samples: &[T]) -> Result<()> {
        check_length("the slice", samples.len(), self.region.len())?;
        self.array
            .transfer(&self.region, Transfer::ToDevice(samples))
    }

    pub(super) fn as_view(&self) -> DeviceView<'_, T> {
        DeviceView::new(self.array, self.region.clone())
    }
}

/// A region that a plan was made for.
pub(super) struct Planned {
    region: Region,
    /// What kernels take for granted of the address of the first sample, in bytes.
    alignment: usize,
}

impl Planned {
    /// A plan's region, whose kernels take of its offset what vectors need; where `any` offset
    /// does, no more than a sample.
    pub fn new<T: Element>(region: &Region, any: bool) -> Self {
        let bytes = region.offset().wrapping_mul(size_of::<T>());
        let alignment = match any {
            true => size_of::<T>(),
            false => 1 << (bytes | LARGEST_VECTOR).trailing_zeros(),
        };
        Planned {
            region: region.clone(),
            alignment,
        }
    }

    /// The region as a design takes it, which needs no more of its offset than its alignment.
    pub fn designed<T: Element>(region: &Region) -> Region {
        let period = LARGEST_VECTOR / size_of::<T>();
        region.clone().at(region.offset() % period)
    }

    pub fn region(&self) -> &Region {
        &self.region
    }

    /// Whether the first sample may be at this address.
    pub fn takes_address(&self, address: usize) -> bool {
        address.is_multiple_of(self.alignment)
    }

    /// How many samples after its place in the design a view starts, if a plan for this region
    /// works on it; `what` names it in errors.
    pub fn offset_of<T: Element>(
        &self,
        view: &DeviceView<T>,
        shared: &Arc<Shared>,
        what: &'static str,
        written: bool,
    ) -> Result<i64> {
        view.array.check_context(shared, what)?;
        view.array.check_use(what, written)?;
        let (wanted, found) = (&self.region, &view.region);
        if wanted.is_dense() && found.is_dense() {
            check_length(what, found.len(), wanted.len())?;
        } else if !wanted.is_like(found) {
            let shown = |region: &Region| {
                format!("shape {:?}, strides {:?}", region.shape(), region.strides())
            };
            return Err(Error::Shape {
                what,
                expected: format!("what the plan was made for, {}", shown(wanted)),
                got: shown(found),
            });
        }
        let memory = view.array.memory;
        let place = memory.offset + found.offset();
        check_alignment(
            what,
            memory.start.wrapping_add(place * size_of::<T>()),
            self.alignment,
        )?;
        Ok(place as i64 - Planned::designed::<T>(wanted).offset() as i64)
    }
}

/// Checks that an address, or a place in memory that is aligned to all that matters, is a
/// multiple of so many bytes.
pub(super) fn check_alignment(what: &'static str, address: usize, needed: usize) -> Result<()> {
    if address.is_multiple_of(needed) {
        return Ok(());
    }
    Err(Error::Misaligned {
        what,
        needed,
        found: 1 << address.trailing_zeros(),
    })
}

/// Checks that an input and an output share no memory, also through two buffers.
pub(super) fn check_apart<I: Element, O: Element>(
    input: &DeviceView<I>,
    output: &DeviceView<O>,
) -> Result<()> {
    if input.array.memory.root != output.array.memory.root {
        return Ok(());
    }
    // Of elements of two sizes: in bytes, from the first to the last.
    let overlaps = match size_of::<I>() == size_of::<O>() {
        true => input.in_memory().meets(&output.in_memory()),
        false => {
            let [from, to] = [input.bytes(), output.bytes()];
            from.start < to.end && to.start < from.end
        }
    };
    match overlaps {
        true => Err(overlap("the input", "the output")),
        false => Ok(()),
    }
}

/// The last uses of an input and an output, locked; those of one array once.
pub(super) struct BothUses<'a> {
    input: Option<MutexGuard<'a, Uses>>,
    output: MutexGuard<'a, Uses>,
}

impl<'a> BothUses<'a> {
    pub fn of<I: Element, O: Element>(
        input: &DeviceView<'a, I>,
        output: &DeviceView<'a, O>,
    ) -> Self {
        let [from, to]: [*const (); 2] = [
            (&raw const *input.array).cast(),
            (&raw const *output.array).cast(),
        ];
        // In the order of their addresses: two threads may use two arrays the other way round.
        if from < to {
            let input = Some(input.array.uses());
            let output = output.array.uses();
            return BothUses { input, output };
        }
        let is_one = from == to;
        let output = output.array.uses();
        BothUses {
            input: (!is_one).then(|| input.array.uses()),
            output,
        }
    }

    pub fn list(&mut self) -> Vec<(&mut Uses, Access)> {
        let input = self.input.as_deref_mut().map(|uses| (uses, Access::Read));
        input
            .into_iter()
            .chain([(&mut *self.output, Access::Write)])
            .collect()
    }
}

impl<'a, T: Element> DeviceView<'a, T> {
    pub(super) fn array(&self) -> &'a DeviceArray<T> {
        self.array
    }

    /// The region in the memory that the array is of.
    fn in_memory(&self) -> Region {
        let memory = self.array.memory;
        let first = memory.start / size_of::<T>() + memory.offset;
        self.region.clone().at(first + self.region.offset())
    }

    /// The bytes of that from the first sample to the last.
    fn bytes(&self) -> std::ops::Range<usize> {
        let region = self.in_memory();
        region.offset() * size_of::<T>()..region.end() * size_of::<T>()
    }
}

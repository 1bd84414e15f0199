//! Where the kernels of a plan count the work-groups that have arrived (cl/core/arrivals.cl).

use super::array::DeviceArray;
use super::context::Site;
use crate::error::Result;
use crate::strategy::MOST_ARRIVALS;

/// The counters of one plan. Its runs take turns, as all of them write the plan's scratch arrays:
/// by the order of its queue, or by events. So one launch counts at a time; plans on other queues
/// have counters of their own.
///
/// They go on from launch to launch, which is told how far they can be: what one that was cut
/// off has not counted, the next makes up for. No launch depends on how another ended, which
/// the host may not know yet.
pub(super) struct Arrivals {
    pub places: DeviceArray<i32>,
    /// How many were counted in each place, at most.
    counted: i32,
}

impl Arrivals {
    pub fn new(site: &Site) -> Result<Self> {
        let places = DeviceArray::new(&site.shared, &site.queue, MOST_ARRIVALS)?;
        places.set_up_zeros()?;
        let counted = 0;
        Ok(Arrivals { places, counted })
    }

    /// Counts a launch of so many work-groups. Returns how many were counted before, at most.
    ///
    /// # Errors
    /// Those of new counters, which stand in for what cannot count so far,
    /// or was never set to zero.
    pub fn count(&mut self, site: &Site, groups: usize) -> Result<i32> {
        let groups = groups as i32;
        if self.counted.checked_add(groups).is_none() || self.places.uses().has_failed() {
            *self = Arrivals::new(site)?;
        }
        let before = self.counted;
        self.counted += groups;
        Ok(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::devices_if_any;
    use crate::runtime::engine::Engine;

    #[test]
    fn counters_begin_again_before_they_overflow() {
        for device in devices_if_any() {
            let engine = Engine::new(&device).unwrap();
            let mut arrivals = Arrivals::new(&engine.site).unwrap();
            arrivals.places.write(&[7; MOST_ARRIVALS]).unwrap();
            arrivals.counted = i32::MAX - 5;
            let before = |arrivals: &mut Arrivals, groups| arrivals.count(&engine.site, groups);
            assert_eq!(before(&mut arrivals, 5), Ok(i32::MAX - 5));
            assert_eq!(arrivals.places.download().unwrap(), [7; MOST_ARRIVALS]);
            assert_eq!(before(&mut arrivals, 6), Ok(0));
            assert_eq!(before(&mut arrivals, 1), Ok(6));
            assert_eq!(arrivals.places.download().unwrap(), [0; MOST_ARRIVALS]);
        }
    }
}

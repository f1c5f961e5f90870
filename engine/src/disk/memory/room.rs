//! How full the disk of a machine is.

use super::MemoryDisk;

/// The use of a disk, as its machine tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Bytes in use: the files' lengths and what others have.
    pub used: u64,
    /// The size of the disk; `None` for one without limit.
    pub capacity: Option<u64>,
}

impl Room {
    /// The use of `disk`.
    pub fn of(disk: &MemoryDisk) -> Self {
        Self { used: disk.used().saturating_add(disk.other()), capacity: disk.capacity() }
    }

    /// The use in whole per cents, rounded up, as 4.9.8 reads it (`UtilAll.getDiskPartitionSpaceUsedPercent`); 0
    /// without a limit.
    pub fn used_percent(self) -> u32 {
        let Some(capacity) = self.capacity else { return 0 };
        let (used, whole) = (u128::from(self.used), u128::from(capacity.max(self.used).max(1)));
        u32::try_from((used * 100).div_ceil(whole)).unwrap_or(100)
    }

    /// The same as the ratio that the store compares, 0 to 1.
    pub fn ratio(self) -> f64 {
        f64::from(self.used_percent()) / 100.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn use_is_rounded_up_to_whole_per_cents() {
        let percent = |used, capacity| Room { used, capacity }.used_percent();
        assert_eq!(percent(750, Some(1000)), 75);
        assert_eq!(percent(751, Some(1000)), 76);
        assert_eq!((percent(0, Some(1000)), percent(1, Some(1000)), percent(5, None)), (0, 1, 0));
        assert_eq!(percent(2000, Some(1000)), 100, "a disk that shrank below its files");
        assert_eq!(percent(u64::MAX, Some(u64::MAX)), 100);
    }
}

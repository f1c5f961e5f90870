//! Why the store refuses reads or writes.

use super::step::Flag;

/// The set of reasons (`RunningFlags`): bit 0 not readable, 1 not writeable, 2 ConsumeQueue error, 3 index error, 4 disk
/// full. 4.9.8 never clears the two error bits without a restart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunningFlags(u32);

const NOT_READABLE: u32 = 1;
const NOT_WRITEABLE: u32 = 1 << 1;
const LOGICS_QUEUE_ERROR: u32 = 1 << 2;
const INDEX_FILE_ERROR: u32 = 1 << 3;
const DISK_FULL: u32 = 1 << 4;

impl RunningFlags {
    /// The bits as 4.9.8 prints them.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Whether pulls are answered.
    pub fn is_readable(self) -> bool {
        self.0 & NOT_READABLE == 0
    }

    /// Whether puts are taken.
    pub fn is_writeable(self) -> bool {
        self.0 & (NOT_WRITEABLE | LOGICS_QUEUE_ERROR | DISK_FULL | INDEX_FILE_ERROR) == 0
    }

    /// Whether units are written: like [`RunningFlags::is_writeable`], but a full disk does not matter.
    pub fn is_consume_queue_writeable(self) -> bool {
        self.0 & (NOT_WRITEABLE | LOGICS_QUEUE_ERROR | INDEX_FILE_ERROR) == 0
    }

    /// Whether this reason stands.
    pub fn has(self, flag: Flag) -> bool {
        self.0 & bit(flag) != 0
    }

    /// Adds a reason; `true` if it is new.
    pub fn raise(&mut self, flag: Flag) -> bool {
        let new = !self.has(flag);
        self.0 |= bit(flag);
        new
    }

    /// Takes a reason away; `true` if it stood.
    pub fn clear(&mut self, flag: Flag) -> bool {
        let old = self.has(flag);
        self.0 &= !bit(flag);
        old
    }
}

fn bit(flag: Flag) -> u32 {
    match flag {
        Flag::NotReadable => NOT_READABLE,
        Flag::NotWriteable => NOT_WRITEABLE,
        Flag::WriteLogicsQueueError => LOGICS_QUEUE_ERROR,
        Flag::WriteIndexFileError => INDEX_FILE_ERROR,
        Flag::DiskFull => DISK_FULL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_stops_puts_and_not_units() {
        let mut flags = RunningFlags::default();
        assert!(flags.raise(Flag::DiskFull));
        assert!(!flags.raise(Flag::DiskFull));
        assert!(flags.is_readable() && !flags.is_writeable() && flags.is_consume_queue_writeable());
        assert!(flags.clear(Flag::DiskFull));
        assert!(flags.is_writeable());
    }

    #[test]
    fn an_index_error_stops_puts_and_units() {
        let mut flags = RunningFlags::default();
        flags.raise(Flag::WriteIndexFileError);
        assert!(flags.is_readable() && !flags.is_writeable() && !flags.is_consume_queue_writeable());
        assert_eq!(flags.bits(), 0x8);
    }
}

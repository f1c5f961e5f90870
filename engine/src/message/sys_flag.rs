//! The bits of a record's SYSFLAG (`MessageSysFlag`).

use serde::{Deserialize, Serialize};

use super::Host;

/// The body is compressed, by the kind that [`compression`] names.
pub const COMPRESSED: i32 = 0x1;
/// The tags text holds several tags; it changes nothing in the broker.
pub const MULTI_TAGS: i32 = 0x2;
/// Not part of a transaction.
pub const TRANSACTION_NOT: i32 = 0;
/// A half message.
pub const TRANSACTION_PREPARED: i32 = 0x4;
/// The final message of a committed transaction.
pub const TRANSACTION_COMMIT: i32 = 0x8;
/// A rolled-back transaction; also the mask of the two transaction bits.
pub const TRANSACTION_ROLLBACK: i32 = 0xC;
/// BORNHOST is an IPv6 address.
pub const BORNHOST_V6: i32 = 0x10;
/// STOREHOSTADDRESS is an IPv6 address.
pub const STOREHOSTADDRESS_V6: i32 = 0x20;
/// Reserved by 4.9.8.
pub const NEED_UNWRAP: i32 = 0x40;
/// Reserved by 4.9.8.
pub const INNER_BATCH: i32 = 0x80;
/// The body is an LZ4 frame.
pub const COMPRESSION_LZ4: i32 = 0x100;
/// The body is a ZSTD frame.
pub const COMPRESSION_ZSTD: i32 = 0x200;
/// The body is a zlib stream; the default of the clients.
pub const COMPRESSION_ZLIB: i32 = 0x300;
/// The three bits of the compression type.
pub const COMPRESSION_MASK: i32 = 0x700;

/// How the body of a message with the [`COMPRESSED`] bit is compressed (`CompressionType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Compression {
    /// LZ4 frame format.
    Lz4,
    /// ZSTD.
    Zstd,
    /// A zlib stream with its header.
    Zlib,
}

/// The compression type in the flag, whether or not [`COMPRESSED`] is set (`MessageSysFlag.getCompressionType`).
/// No type at all is zlib, as messages of older versions are; the values 4 to 7 are `None`, where Java throws.
pub fn compression(sys_flag: i32) -> Option<Compression> {
    match sys_flag & COMPRESSION_MASK {
        COMPRESSION_LZ4 => Some(Compression::Lz4),
        COMPRESSION_ZSTD => Some(Compression::Zstd),
        0 | COMPRESSION_ZLIB => Some(Compression::Zlib),
        _ => None,
    }
}

/// Whether the body is compressed.
pub fn is_compressed(sys_flag: i32) -> bool {
    sys_flag & COMPRESSED != 0
}

/// The flag with the transaction bits replaced (`MessageSysFlag.resetTransactionValue`).
pub fn with_transaction(sys_flag: i32, transaction: TransactionType) -> i32 {
    (sys_flag & !TRANSACTION_ROLLBACK) | transaction.bits()
}

/// The flag with the two IPv6 bits as the hosts are.
pub fn with_hosts(sys_flag: i32, born_host: &Host, store_host: &Host) -> i32 {
    let mut flag = sys_flag & !(BORNHOST_V6 | STOREHOSTADDRESS_V6);
    if born_host.is_v6() {
        flag |= BORNHOST_V6;
    }
    if store_host.is_v6() {
        flag |= STOREHOSTADDRESS_V6;
    }
    flag
}

/// Bytes of BORNHOST in a record of this flag: 8, or 20 for IPv6.
pub fn born_host_len(sys_flag: i32) -> usize {
    if sys_flag & BORNHOST_V6 == 0 { Host::V4_LEN } else { Host::V6_LEN }
}

/// Bytes of STOREHOSTADDRESS in a record of this flag: 8, or 20 for IPv6.
pub fn store_host_len(sys_flag: i32) -> usize {
    if sys_flag & STOREHOSTADDRESS_V6 == 0 { Host::V4_LEN } else { Host::V6_LEN }
}

/// What a record is in a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TransactionType {
    /// No transaction, or the plain message of one.
    Not,
    /// A half message: it takes no queue offset and gets no ConsumeQueue unit.
    Prepared,
    /// The final message of a committed transaction.
    Commit,
    /// A rolled-back one: no queue offset, no ConsumeQueue unit, no index entry.
    Rollback,
}

impl TransactionType {
    /// The type in a sysFlag (`MessageSysFlag.getTransactionValue`).
    pub fn of(sys_flag: i32) -> Self {
        match sys_flag & TRANSACTION_ROLLBACK {
            TRANSACTION_NOT => Self::Not,
            TRANSACTION_PREPARED => Self::Prepared,
            TRANSACTION_COMMIT => Self::Commit,
            _ => Self::Rollback,
        }
    }

    /// Its bits in a sysFlag.
    pub fn bits(self) -> i32 {
        match self {
            Self::Not => TRANSACTION_NOT,
            Self::Prepared => TRANSACTION_PREPARED,
            Self::Commit => TRANSACTION_COMMIT,
            Self::Rollback => TRANSACTION_ROLLBACK,
        }
    }

    /// Whether a record of this type takes a queue offset and is given a ConsumeQueue unit.
    pub fn takes_queue_offset(self) -> bool {
        matches!(self, Self::Not | Self::Commit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compression_types() {
        assert_eq!(compression(0x1), Some(Compression::Zlib), "older versions name no type");
        assert_eq!(compression(0x301), Some(Compression::Zlib));
        assert_eq!(compression(0x101), Some(Compression::Lz4));
        assert_eq!(compression(0x201), Some(Compression::Zstd));
        for unknown in [0x401, 0x501, 0x601, 0x701] {
            assert_eq!(compression(unknown), None);
        }
    }

    #[test]
    fn transaction_bits() {
        for (flag, transaction, takes) in [
            (0, TransactionType::Not, true),
            (0x305, TransactionType::Prepared, false),
            (0x38, TransactionType::Commit, true),
            (-1, TransactionType::Rollback, false),
        ] {
            assert_eq!(TransactionType::of(flag), transaction);
            assert_eq!(transaction.takes_queue_offset(), takes);
            assert_eq!(with_transaction(flag, transaction), flag);
        }
        assert_eq!(with_transaction(0x305, TransactionType::Commit), 0x309);
    }

    #[test]
    fn host_bits_follow_the_hosts() {
        let v4: Host = "10.0.0.1:10911".parse().expect("a host");
        let v6: Host = "[::1]:10911".parse().expect("a host");
        assert_eq!(with_hosts(0x301, &v6, &v4), 0x311);
        assert_eq!(with_hosts(0x331, &v4, &v6), 0x321);
        assert_eq!((born_host_len(0x10), store_host_len(0x10)), (20, 8));
        assert_eq!((born_host_len(0x20), store_host_len(0x20)), (8, 20));
    }
}

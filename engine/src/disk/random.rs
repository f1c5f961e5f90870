//! Random operations on any disk.

use proptest::prelude::*;

use super::{Disk, DiskError, FileId, ReadAt};

/// Files are named by small ids and [`NAMES`], so that many operations meet and many fail.
#[derive(Clone, Debug)]
pub(super) enum Op {
    Create { name: u8, len: u64 },
    Write { file: u8, offset: u64, len: u16, byte: u8 },
    Window { file: u8, offset: u64, len: u16, byte: u8 },
    Flush { file: u8, offset: u64, len: u64 },
    SetLen { file: u8, len: u64 },
    Rename { file: u8, name: u8 },
    Delete { file: u8 },
    Lock { file: u8 },
    Unlock { file: u8 },
}

pub(super) fn op() -> impl Strategy<Value = Op> {
    let offset = || prop_oneof![0..20_u64, 4090..4100_u64, 16_380..16_390_u64, 0..40_000_u64];
    let any = any::<u8>;
    prop_oneof![
        (any(), offset()).prop_map(|(name, len)| Op::Create { name, len }),
        (any(), offset(), 0..20_000_u16, any()).prop_map(|(file, offset, len, byte)| Op::Write {
            file,
            offset,
            len,
            byte
        }),
        (any(), offset(), 0..99_u16, any()).prop_map(|(file, offset, len, byte)| Op::Window {
            file,
            offset,
            len,
            byte
        }),
        (any(), offset(), offset()).prop_map(|(file, offset, len)| Op::Flush { file, offset, len }),
        (any(), offset()).prop_map(|(file, len)| Op::SetLen { file, len }),
        (any(), any()).prop_map(|(file, name)| Op::Rename { file, name }),
        any().prop_map(|file| Op::Delete { file }),
        any().prop_map(|file| Op::Lock { file }),
        any().prop_map(|file| Op::Unlock { file }),
    ]
}

/// Some lie below each other, and some are bad.
const NAMES: [&str; 9] = ["a", "b/c", "b/d", "b/d/e", "b", "f/g/h", "../x", "", "/a"];

/// Does one operation and tells how it went.
pub(super) fn act(disk: &mut impl Disk, op: &Op) -> Result<u64, DiskError> {
    let id = |n: u8| FileId(u32::from(n) % 6);
    let name = |n: u8| NAMES[usize::from(n) % NAMES.len()];
    match *op {
        Op::Create { name: n, len } => disk.create(name(n), len).map(|file| file.0.into()),
        Op::Write { file, offset, len, byte } => disk.write_at(id(file), offset, &vec![byte; len.into()]).map(|()| 0),
        Op::Window { file, offset, len, byte } => {
            let bytes = vec![byte; len.into()];
            match disk.window_mut(id(file), offset, len.into()) {
                Some(window) => window.copy_from_slice(&bytes),
                None => disk.write_at(id(file), offset, &bytes)?,
            }
            Ok(0)
        }
        Op::Flush { file, offset, len } => disk.flush(id(file), offset, len).map(|()| 0),
        Op::SetLen { file, len } => disk.set_len(id(file), len).map(|()| 0),
        Op::Rename { file, name: n } => disk.rename(id(file), name(n)).map(|()| 0),
        Op::Delete { file } => disk.delete(id(file)).map(|()| 0),
        Op::Lock { file } => disk.try_lock(id(file)).map(u64::from),
        Op::Unlock { file } => disk.unlock(id(file)).map(|()| 0),
    }
}

/// Everything but the times.
pub(super) fn contents(disk: &impl ReadAt) -> Vec<(String, Vec<u8>)> {
    let read = |file| {
        let mut bytes = vec![0xAA; disk.meta(file).unwrap().len as usize];
        disk.read_at(file, 0, &mut bytes).unwrap();
        bytes
    };
    disk.files().into_iter().map(|(path, file)| (path, read(file))).collect()
}

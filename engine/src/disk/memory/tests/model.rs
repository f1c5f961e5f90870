//! Random operations on a disk and on the plainest model of one: two vectors of bytes for each file.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// Offsets are taken near these, where pages, OS pages and leaves end.
const EDGES: [u64; 6] = [0, 4096, 16_384, 2 << 20, (2 << 20) + 16_384, 3 << 20];

#[derive(Clone, Debug)]
enum Op {
    Create { name: u8, len: u64 },
    Write { file: u8, offset: u64, len: u16, byte: u8, window: bool },
    Flush { file: u8, offset: u64, len: u64 },
    SetLen { file: u8, len: u64 },
    Rename { file: u8, name: u8 },
    Delete { file: u8 },
    Clone,
    SwapWithClone,
    PowerLoss { seed: u64 },
}

fn offset() -> impl Strategy<Value = u64> {
    (0..EDGES.len(), -300_i64..300).prop_map(|(edge, by)| EDGES[edge].saturating_add_signed(by))
}

fn op() -> impl Strategy<Value = Op> {
    let any_len = prop_oneof![0..20_000_u64, Just(u64::MAX), 0..4_u64 << 20];
    prop_oneof![
        2 => (any::<u8>(), offset()).prop_map(|(name, len)| Op::Create { name, len }),
        8 => (any::<u8>(), offset(), prop_oneof![0..40_u16, 0..40_000_u16], 0..4_u8, any::<bool>())
            .prop_map(|(file, offset, len, byte, window)| Op::Write { file, offset, len, byte, window }),
        4 => (any::<u8>(), offset(), any_len).prop_map(|(file, offset, len)| Op::Flush { file, offset, len }),
        2 => (any::<u8>(), offset()).prop_map(|(file, len)| Op::SetLen { file, len }),
        1 => (any::<u8>(), any::<u8>()).prop_map(|(file, name)| Op::Rename { file, name }),
        1 => any::<u8>().prop_map(|file| Op::Delete { file }),
        1 => Just(Op::Clone),
        1 => Just(Op::SwapWithClone),
        1 => any::<u64>().prop_map(|seed| Op::PowerLoss { seed }),
    ]
}

#[derive(Clone, Default)]
struct Model {
    /// By name: id, cache image, stable image.
    files: BTreeMap<String, (FileId, Vec<u8>, Vec<u8>)>,
    made: u32,
}

/// What the policy of this test does to a page: anything that depends on the page and the seed alone.
fn fate(page: DirtyPage, seed: u64) -> Survives {
    match (u64::from(page.file.0).wrapping_add(page.number)).wrapping_mul(seed | 1) >> 62 {
        0 => Survives::All,
        1 => Survives::Head((seed % 9 * 512) as u16),
        _ => Survives::Nothing,
    }
}

impl Model {
    fn pick(&self, n: u8) -> Option<String> {
        self.files.keys().nth(usize::from(n) % self.files.len().max(1)).cloned()
    }

    fn check(&self, disk: &MemoryDisk) {
        let names: Vec<(String, FileId)> = self.files.iter().map(|(name, file)| (name.clone(), file.0)).collect();
        assert_eq!(disk.files(), names);
        assert_eq!(disk.used(), self.files.values().map(|file| file.1.len() as u64).sum::<u64>());
        for (id, cache, stable_bytes) in self.files.values() {
            assert_eq!(disk.meta(*id).unwrap().len, cache.len() as u64);
            assert!(read(disk, *id, 0, cache.len()) == *cache, "cache image of {id:?}");
            assert!(stable(disk, *id, 0, cache.len()) == *stable_bytes, "stable image of {id:?}");
            let dirty = disk.dirty_ranges(*id).unwrap();
            let differs = |page: usize| {
                let range = page * OS_PAGE_SIZE..((page + 1) * OS_PAGE_SIZE).min(cache.len());
                cache[range.clone()] != stable_bytes[range]
            };
            for page in (0..cache.len().div_ceil(OS_PAGE_SIZE)).filter(|page| differs(*page)) {
                let at = (page * OS_PAGE_SIZE) as u64;
                assert!(dirty.iter().any(|range| range.contains(&at)), "page {page} of {id:?} is dirty");
            }
        }
    }
}

fn run(ops: Vec<Op>) {
    let (mut disk, mut model) = (MemoryDisk::new(), Model::default());
    let (mut other_disk, mut other_model) = (disk.clone(), model.clone());
    for op in ops {
        match op {
            Op::Create { name, len } => {
                let path = format!("f{}", name % 4);
                let made = disk.create(&path, len);
                if model.files.contains_key(&path) {
                    assert_eq!(made.unwrap_err().kind, DiskErrorKind::AlreadyExists);
                } else {
                    let bytes = vec![0; len as usize];
                    assert_eq!(made, Ok(FileId(model.made)));
                    model.files.insert(path, (FileId(model.made), bytes.clone(), bytes));
                    model.made += 1;
                }
            }
            Op::Write { file, offset, len, byte, window } => {
                let Some((id, cache, _)) = model.pick(file).and_then(|name| model.files.get_mut(&name)) else {
                    continue;
                };
                let (start, end) = (offset as usize, offset as usize + usize::from(len));
                let fits = end <= cache.len();
                if let Some(place) = disk.window_mut(*id, offset, usize::from(len)).filter(|_| window) {
                    assert!(fits);
                    place.fill(byte);
                } else {
                    assert_eq!(disk.write_at(*id, offset, &vec![byte; usize::from(len)]).is_ok(), fits);
                }
                if fits {
                    cache[start..end].fill(byte);
                }
            }
            Op::Flush { file, offset, len } => {
                let Some((id, cache, stable)) = model.pick(file).and_then(|name| model.files.get_mut(&name)) else {
                    continue;
                };
                let end = offset.checked_add(len).filter(|end| *end <= cache.len() as u64);
                assert_eq!(disk.flush(*id, offset, len).is_ok(), end.is_some());
                if let Some(end) = end.filter(|end| *end > offset) {
                    let start = offset as usize / OS_PAGE_SIZE * OS_PAGE_SIZE;
                    let end = (end as usize).next_multiple_of(OS_PAGE_SIZE).min(cache.len());
                    stable[start..end].copy_from_slice(&cache[start..end]);
                }
            }
            Op::SetLen { file, len } => {
                let Some((id, cache, stable)) = model.pick(file).and_then(|name| model.files.get_mut(&name)) else {
                    continue;
                };
                disk.set_len(*id, len).unwrap();
                cache.resize(len as usize, 0);
                stable.resize(len as usize, 0);
            }
            Op::Rename { file, name } => {
                let Some(from) = model.pick(file) else { continue };
                let to = format!("f{}", name % 4);
                let mut entry = model.files.remove(&from).unwrap();
                disk.rename(entry.0, &to).unwrap();
                if to != from {
                    entry.2.clone_from(&entry.1);
                }
                model.files.insert(to, entry);
            }
            Op::Delete { file } => {
                let Some(name) = model.pick(file) else { continue };
                disk.delete(model.files.remove(&name).unwrap().0).unwrap();
            }
            Op::Clone => (other_disk, other_model) = (disk.clone(), model.clone()),
            Op::SwapWithClone => {
                std::mem::swap(&mut disk, &mut other_disk);
                std::mem::swap(&mut model, &mut other_model);
            }
            Op::PowerLoss { seed } => {
                for page in disk.dirty_pages() {
                    let (_, cache, stable) = model.files.values_mut().find(|file| file.0 == page.file).unwrap();
                    let start = page.number as usize * OS_PAGE_SIZE;
                    let end = (start + OS_PAGE_SIZE).min(cache.len());
                    let kept = match fate(page, seed) {
                        Survives::All => end,
                        Survives::Head(len) => (start + usize::from(len)).min(end),
                        Survives::Nothing => start,
                    };
                    stable[start..kept].copy_from_slice(&cache[start..kept]);
                }
                for (_, cache, stable) in model.files.values_mut() {
                    cache.clone_from(stable);
                }
                disk.power_loss_where(|page| fate(page, seed));
                assert_eq!(disk.dirty_pages(), []);
            }
        }
    }
    model.check(&disk);
    other_model.check(&other_disk);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_operations_do_what_they_do_to_two_plain_vectors(ops in prop::collection::vec(op(), 1..40)) {
        run(ops);
    }
}

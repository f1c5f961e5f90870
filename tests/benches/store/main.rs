//! The store's speed, each figure beside its limit: what the same bytes cost without a store. Run by `cargo xtask bench`.
//!
//! Everything happens on one thread, over a [`MemoryDisk`](rocketscope_engine::disk::MemoryDisk) without trace and
//! journal; the elements that criterion counts are messages, or queries. Times are processor time of that thread, so that what else the machine does matters
//! little; absolute figures still belong to one machine, and only the ratios of one run can be compared.

mod append;
mod bench;
mod clock;
mod dispatch;
mod fixture;
mod get_message;
mod messages;
mod query;
mod ratios;

use std::time::Duration;

use criterion::Criterion;

use self::bench::Bench;

fn main() {
    let criterion = Criterion::default()
        .sample_size(10)
        .nresamples(10_000)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    let mut bench = Bench::new(criterion);
    append::bench(&mut bench);
    dispatch::bench(&mut bench);
    get_message::bench(&mut bench);
    query::bench(&mut bench);
    bench.finish();
}

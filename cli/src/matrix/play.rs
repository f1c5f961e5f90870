//! Many threads that play the forks of one matrix.

use std::collections::BTreeMap;
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::{Result, ensure};
use rocketscope_engine::matrix::{Cell, Matrix};

/// Plays every cell on `jobs` threads, and says how many seconds that took. The cells come in their order, whatever
/// the threads do.
pub(super) fn play(matrix: &Matrix, jobs: usize) -> Result<(Vec<Cell>, f64)> {
    let began = Instant::now();
    let mut pieces: BTreeMap<usize, Vec<Cell>> = BTreeMap::new();
    // So few forks wait that the worlds in them cost no memory to speak of.
    let (to_workers, forks) = sync_channel(2 * jobs);
    let forks = &Mutex::new(forks);
    thread::scope(|scope| {
        let (to_us, done) = channel();
        let walk = matrix.clone();
        scope.spawn(move || {
            for fork in walk.enumerate() {
                // Nobody listens any more once a worker is gone, which the end of the scope tells.
                if to_workers.send(fork).is_err() {
                    break;
                }
            }
        });
        for _ in 0..jobs {
            let to_us = to_us.clone();
            scope.spawn(move || {
                loop {
                    let next = forks.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((place, fork)) = next else { break };
                    if to_us.send((place, fork.collect())).is_err() {
                        break;
                    }
                }
            });
        }
        drop(to_us);
        pieces.extend(done);
    });
    let cells: Vec<Cell> = pieces.into_values().flatten().collect();
    ensure!(cells.len() as u64 == matrix.cells(), "a thread ended before its time");
    Ok((cells, began.elapsed().as_secs_f64()))
}

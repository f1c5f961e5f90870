//! The clock of the benchmarks.

use std::time::Duration;

/// Time that this thread has spent on a processor, its page faults included. What another process takes is not in it.
#[cfg(unix)]
fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

/// Time on the wall, where a thread's own cannot be had.
#[cfg(not(unix))]
fn thread_time() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

/// How long `work` takes. Asking the clock takes a fraction of a microsecond: hand in thousands of messages.
pub(crate) fn timed(work: impl FnOnce()) -> Duration {
    let start = thread_time();
    work();
    thread_time().saturating_sub(start)
}

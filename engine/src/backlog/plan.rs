//! What the model is asked about.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A consumer group, what comes in, and what it has to consume with. Everything is a whole number, so that two plans
/// are the same exactly when their numbers are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Plan {
    /// Messages behind at the start, over all queues: 0 to 10^10.
    pub behind: u64,
    /// Messages that come in, per second: 0 to 10^7.
    pub in_per_s: u32,
    /// How that rate changes.
    pub arrival: Arrival,
    /// Queues of the topic: 1 to 1024.
    pub queues: u32,
    /// Percent of all messages, of those behind and of those to come, that belong to keys of the first queue. The rest
    /// is spread evenly over all queues: 0 to 100.
    pub skew_percent: u32,
    /// Whether the listener is orderly: one thread per queue at most (`ConsumeMessageOrderlyService`).
    pub orderly: bool,
    /// Instances of the group: 1 to 1000.
    pub instances: u32,
    /// Threads of each that call the listener (`consumeThreadMin`): 1 to 1000, as `checkConfig` allows.
    pub threads: u32,
    /// Cores of each: 1 to 256.
    pub cores: u32,
    /// T1, what a message computes, in microseconds: 0 to 60 s.
    pub cpu_us: u32,
    /// T2, what a call waits for others, in microseconds: 0 to 60 s. T1 and T2 must not both be 0.
    pub wait_us: u32,
    /// Messages that one call handles (`consumeMessageBatchMaxSize`): 1 to 1024, as `checkConfig` allows.
    pub batch: u32,
    /// Connections to the database for the whole group, 1 to 100000; absent, there are always enough.
    pub connections: Option<u32>,
    /// Percent of T2 for which a call holds a connection: 0 to 100.
    pub held_percent: u32,
    /// Messages per second that a throttle lets the whole group take, 1 to 10^7; absent, there is none.
    pub permits_per_s: Option<u32>,
    /// How far to look, in seconds: 1 to 7 days.
    pub horizon_s: u32,
}

/// How the rate at which messages come in changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Arrival {
    /// It does not.
    #[default]
    Steady,
    /// Bursts at another rate.
    Bursts {
        /// Messages per second in a burst: 0 to 10^7.
        peak_per_s: u32,
        /// When the first begins, in seconds.
        from_s: u32,
        /// How long each lasts, in seconds, at least 1.
        lasts_s: u32,
        /// From the beginning of one to that of the next, in seconds: at least 60 and not shorter than a burst. 0 is a
        /// single burst.
        every_s: u32,
    },
    /// Drawn anew every second, or every 3600th of the horizon if that is longer; all values of the range are equally
    /// likely.
    Random {
        /// How far from the mean the range reaches to both sides, in percent of it: 0 to 100.
        swing_percent: u32,
        /// Seed of the draws.
        seed: u64,
    },
}

/// Why a plan cannot be looked into.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PlanError {
    /// A number lies outside its range.
    #[error("{field} must be between {min} and {max}, not {value}")]
    OutOfRange {
        /// The field, by its serialised name.
        field: String,
        /// What it was.
        value: u64,
        /// The smallest that is allowed.
        min: u64,
        /// The largest that is allowed.
        max: u64,
    },
    /// T1 and T2 are both 0: a call that takes no time has no rate.
    #[error("T1 and T2 cannot both be 0")]
    NoTime,
}

/// The longest T1 or T2.
const CALL_US_MAX: u64 = 60_000_000;
/// The largest rate.
const PER_S_MAX: u64 = 10_000_000;
/// The furthest horizon: a week.
const HORIZON_S_MAX: u64 = 7 * 86_400;

impl Default for Plan {
    /// Six million behind, 2000 a second in, and 1500 out: 120 threads that need 80 ms for each message.
    fn default() -> Self {
        Self {
            behind: 6_000_000,
            in_per_s: 2000,
            arrival: Arrival::Steady,
            queues: 16,
            skew_percent: 0,
            orderly: false,
            instances: 4,
            threads: 30,
            cores: 4,
            cpu_us: 2000,
            wait_us: 78_000,
            batch: 1,
            connections: None,
            held_percent: 100,
            permits_per_s: None,
            horizon_s: 3600,
        }
    }
}

impl Plan {
    /// Finds the first number that lies outside its range.
    pub fn check(&self) -> Result<(), PlanError> {
        let fields: [(&str, u64, u64, u64); 13] = [
            ("behind", self.behind, 0, 10_000_000_000),
            ("inPerS", self.in_per_s.into(), 0, PER_S_MAX),
            ("queues", self.queues.into(), 1, 1024),
            ("skewPercent", self.skew_percent.into(), 0, 100),
            ("instances", self.instances.into(), 1, 1000),
            ("threads", self.threads.into(), 1, 1000),
            ("cores", self.cores.into(), 1, 256),
            ("cpuUs", self.cpu_us.into(), 0, CALL_US_MAX),
            ("waitUs", self.wait_us.into(), 0, CALL_US_MAX),
            ("batch", self.batch.into(), 1, 1024),
            ("heldPercent", self.held_percent.into(), 0, 100),
            ("horizonS", self.horizon_s.into(), 1, HORIZON_S_MAX),
            ("connections", self.connections.unwrap_or(1).into(), 1, 100_000),
        ];
        for (field, value, min, max) in fields {
            within(field, value, min, max)?;
        }
        within("permitsPerS", self.permits_per_s.unwrap_or(1).into(), 1, PER_S_MAX)?;
        self.arrival.check()?;
        if self.cpu_us == 0 && self.wait_us == 0 { Err(PlanError::NoTime) } else { Ok(()) }
    }

    /// How long a call of the listener takes with a full batch, in microseconds.
    pub(super) fn call_us(&self) -> u64 {
        u64::from(self.batch) * u64::from(self.cpu_us) + u64::from(self.wait_us)
    }
}

impl Arrival {
    fn check(self) -> Result<(), PlanError> {
        match self {
            Self::Steady => Ok(()),
            Self::Bursts { peak_per_s, from_s, lasts_s, every_s } => {
                within("peakPerS", peak_per_s.into(), 0, PER_S_MAX)?;
                within("fromS", from_s.into(), 0, HORIZON_S_MAX)?;
                within("lastsS", lasts_s.into(), 1, HORIZON_S_MAX)?;
                if every_s == 0 {
                    return Ok(());
                }
                within("everyS", every_s.into(), u64::from(lasts_s).max(60), HORIZON_S_MAX)
            }
            Self::Random { swing_percent, .. } => within("swingPercent", swing_percent.into(), 0, 100),
        }
    }
}

fn within(field: &str, value: u64, min: u64, max: u64) -> Result<(), PlanError> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    Err(PlanError::OutOfRange { field: field.to_owned(), value, min, max })
}

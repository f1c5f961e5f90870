//! The numbers of a plan that have a slider: what they are called, where the slider stops, how they are read and set.

use rocketscope_engine::backlog::{Arrival, Plan};

use super::scale::round_values;

/// A number of a plan.
pub(super) struct Field {
    /// Its serialised name, which the catalogue and the errors of the engine know it by.
    pub(super) name: &'static str,
    /// The unit's key in the catalogue.
    pub(super) unit: &'static str,
    /// Digits after the point as it is shown; the plan counts in parts of that.
    pub(super) decimals: u32,
    /// Where the slider stops.
    pub(super) stops: fn() -> Vec<u64>,
    /// Reads it; 0 where the plan has none.
    pub(super) get: fn(&Plan) -> u64,
    /// Sets it, in a plan that has one.
    pub(super) set: fn(&mut Plan, u64),
}

impl Field {
    /// Whether its unit stands beside it; what is counted is told by the label alone.
    pub(super) fn says_unit(&self) -> bool {
        ["per-second", "ms", "percent", "seconds"].contains(&self.unit)
    }
}

/// What does not fit in 32 bits is too large for every field: the engine says how large it may be.
fn small(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn percent() -> Vec<u64> {
    (0..=20).map(|step| step * 5).collect()
}

fn milliseconds() -> Vec<u64> {
    let mut stops = vec![0];
    stops.extend(round_values(100, 10_000_000));
    stops
}

fn seconds() -> Vec<u64> {
    vec![
        10, 30, 60, 120, 300, 600, 900, 1200, 1800, 2700, 3600, 5400, 7200, 10_800, 14_400, 21_600, 28_800, 43_200,
        64_800, 86_400, 172_800, 259_200, 432_000, 604_800,
    ]
}

fn seconds_from_zero() -> Vec<u64> {
    std::iter::once(0).chain(seconds()).collect()
}

pub(super) const BEHIND: Field = Field {
    name: "behind",
    unit: "messages",
    decimals: 0,
    stops: || [0].into_iter().chain(round_values(1000, 100_000_000)).collect(),
    get: |plan| plan.behind,
    set: |plan, value| plan.behind = value,
};

pub(super) const IN_PER_S: Field = Field {
    name: "inPerS",
    unit: "per-second",
    decimals: 0,
    stops: || [0].into_iter().chain(round_values(10, 100_000)).collect(),
    get: |plan| plan.in_per_s.into(),
    set: |plan, value| plan.in_per_s = small(value),
};

pub(super) const QUEUES: Field = Field {
    name: "queues",
    unit: "queues",
    decimals: 0,
    stops: || vec![1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 256],
    get: |plan| plan.queues.into(),
    set: |plan, value| plan.queues = small(value),
};

pub(super) const SKEW: Field = Field {
    name: "skewPercent",
    unit: "percent",
    decimals: 0,
    stops: percent,
    get: |plan| plan.skew_percent.into(),
    set: |plan, value| plan.skew_percent = small(value),
};

pub(super) const INSTANCES: Field = Field {
    name: "instances",
    unit: "instances",
    decimals: 0,
    stops: || (1..=12).chain([16, 20, 24, 32, 48, 64, 100]).collect(),
    get: |plan| plan.instances.into(),
    set: |plan, value| plan.instances = small(value),
};

pub(super) const THREADS: Field = Field {
    name: "threads",
    unit: "threads",
    decimals: 0,
    stops: || round_values(1, 1000),
    get: |plan| plan.threads.into(),
    set: |plan, value| plan.threads = small(value),
};

pub(super) const CORES: Field = Field {
    name: "cores",
    unit: "cores",
    decimals: 0,
    stops: || vec![1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64],
    get: |plan| plan.cores.into(),
    set: |plan, value| plan.cores = small(value),
};

pub(super) const BATCH: Field = Field {
    name: "batch",
    unit: "messages",
    decimals: 0,
    stops: || vec![1, 2, 4, 8, 10, 16, 20, 32, 64, 100, 128, 256],
    get: |plan| plan.batch.into(),
    set: |plan, value| plan.batch = small(value),
};

pub(super) const CPU: Field = Field {
    name: "cpuUs",
    unit: "ms",
    decimals: 3,
    stops: milliseconds,
    get: |plan| plan.cpu_us.into(),
    set: |plan, value| plan.cpu_us = small(value),
};

pub(super) const WAIT: Field = Field {
    name: "waitUs",
    unit: "ms",
    decimals: 3,
    stops: milliseconds,
    get: |plan| plan.wait_us.into(),
    set: |plan, value| plan.wait_us = small(value),
};

pub(super) const CONNECTIONS: Field = Field {
    name: "connections",
    unit: "connections",
    decimals: 0,
    stops: || round_values(1, 2000),
    get: |plan| plan.connections.unwrap_or_default().into(),
    set: |plan, value| plan.connections = Some(small(value)),
};

pub(super) const HELD: Field = Field {
    name: "heldPercent",
    unit: "percent",
    decimals: 0,
    stops: percent,
    get: |plan| plan.held_percent.into(),
    set: |plan, value| plan.held_percent = small(value),
};

pub(super) const PERMITS: Field = Field {
    name: "permitsPerS",
    unit: "per-second",
    decimals: 0,
    stops: || round_values(10, 100_000),
    get: |plan| plan.permits_per_s.unwrap_or_default().into(),
    set: |plan, value| plan.permits_per_s = Some(small(value)),
};

pub(super) const HORIZON: Field = Field {
    name: "horizonS",
    unit: "seconds",
    decimals: 0,
    stops: seconds,
    get: |plan| plan.horizon_s.into(),
    set: |plan, value| plan.horizon_s = small(value),
};

pub(super) const PEAK: Field = Field {
    name: "peakPerS",
    unit: "per-second",
    decimals: 0,
    stops: || round_values(10, 100_000),
    get: |plan| if let Arrival::Bursts { peak_per_s, .. } = plan.arrival { peak_per_s.into() } else { 0 },
    set: |plan, value| {
        if let Arrival::Bursts { peak_per_s, .. } = &mut plan.arrival {
            *peak_per_s = small(value);
        }
    },
};

pub(super) const FROM: Field = Field {
    name: "fromS",
    unit: "seconds",
    decimals: 0,
    stops: seconds_from_zero,
    get: |plan| if let Arrival::Bursts { from_s, .. } = plan.arrival { from_s.into() } else { 0 },
    set: |plan, value| {
        if let Arrival::Bursts { from_s, .. } = &mut plan.arrival {
            *from_s = small(value);
        }
    },
};

pub(super) const LASTS: Field = Field {
    name: "lastsS",
    unit: "seconds",
    decimals: 0,
    stops: seconds,
    get: |plan| if let Arrival::Bursts { lasts_s, .. } = plan.arrival { lasts_s.into() } else { 0 },
    set: |plan, value| {
        if let Arrival::Bursts { lasts_s, .. } = &mut plan.arrival {
            *lasts_s = small(value);
        }
    },
};

pub(super) const EVERY: Field = Field {
    name: "everyS",
    unit: "seconds",
    decimals: 0,
    stops: || std::iter::once(0).chain(seconds().into_iter().filter(|seconds| *seconds >= 60)).collect(),
    get: |plan| if let Arrival::Bursts { every_s, .. } = plan.arrival { every_s.into() } else { 0 },
    set: |plan, value| {
        if let Arrival::Bursts { every_s, .. } = &mut plan.arrival {
            *every_s = small(value);
        }
    },
};

pub(super) const SWING: Field = Field {
    name: "swingPercent",
    unit: "percent",
    decimals: 0,
    stops: percent,
    get: |plan| if let Arrival::Random { swing_percent, .. } = plan.arrival { swing_percent.into() } else { 0 },
    set: |plan, value| {
        if let Arrival::Random { swing_percent, .. } = &mut plan.arrival {
            *swing_percent = small(value);
        }
    },
};

pub(super) const SEED: Field = Field {
    name: "seed",
    unit: "none",
    decimals: 0,
    stops: || (1..=100).collect(),
    get: |plan| if let Arrival::Random { seed, .. } = plan.arrival { seed } else { 0 },
    set: |plan, value| {
        if let Arrival::Random { seed, .. } = &mut plan.arrival {
            *seed = value;
        }
    },
};

/// Every field.
const ALL: [&Field; 20] = [
    &BEHIND,
    &IN_PER_S,
    &PEAK,
    &FROM,
    &LASTS,
    &EVERY,
    &SWING,
    &SEED,
    &CPU,
    &WAIT,
    &BATCH,
    &INSTANCES,
    &THREADS,
    &CORES,
    &QUEUES,
    &SKEW,
    &CONNECTIONS,
    &HELD,
    &PERMITS,
    &HORIZON,
];

/// The field of that serialised name.
pub(super) fn named(name: &str) -> Option<&'static Field> {
    ALL.into_iter().find(|field| field.name == name)
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::backlog::{Arrival, Plan};

    use super::ALL;
    use crate::i18n::{Lang, Text};

    #[test]
    fn every_field_has_a_label_and_a_unit() {
        for text in Lang::ALL.map(Text::new) {
            for field in ALL {
                assert!(text.has(&format!("backlog.field.{}", field.name)), "{}", field.name);
                assert!(text.has(&format!("backlog.unit.{}", field.unit)), "{}", field.unit);
            }
        }
    }

    /// Every stop of every slider is a value that the engine takes, and comes back from the plan.
    #[test]
    fn every_stop_can_be_set() {
        let bursts = Arrival::Bursts { peak_per_s: 1, from_s: 0, lasts_s: 1, every_s: 0 };
        let random = Arrival::Random { swing_percent: 1, seed: 1 };
        for field in ALL {
            let arrival = if ["swingPercent", "seed"].contains(&field.name) { random } else { bursts };
            let stops = (field.stops)();
            assert!(stops.is_sorted_by(|one, next| one < next), "{}", field.name);
            for stop in stops {
                let mut plan = Plan { arrival, ..Plan::default() };
                (field.set)(&mut plan, stop);
                assert_eq!((field.get)(&plan), stop, "{}", field.name);
                assert_eq!(plan.check(), Ok(()), "{}", field.name);
            }
        }
    }
}

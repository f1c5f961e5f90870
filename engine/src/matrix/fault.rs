//! The kinds of crashes.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::sim::Survives;

/// What happens to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Fault {
    /// The process is killed: its memory is gone, the page cache stays.
    Kill,
    /// The machine loses its power: memory and page cache are gone.
    PowerLoss {
        /// What is left of the pages that were not flushed.
        survives: Survives,
    },
    /// The process is killed in the middle of a write: half of its bytes are in the page cache.
    TornWrite,
}

/// A text that names no fault.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` is none of kill, tornWrite, powerLoss:flushed, powerLoss:everything, powerLoss:prefix:PAGES, \
     powerLoss:torn:PAGES:SECTORS (1 to 7), powerLoss:random:SEED"
)]
pub struct NoSuchFault(pub String);

impl Fault {
    /// Whether only what the disk loses tells it from a kill, so that a node without a disk has no use for it.
    pub const fn needs_disk(self) -> bool {
        !matches!(self, Self::Kill)
    }

    /// What a power loss leaves; `None` if only the process ends.
    pub const fn survives(self) -> Option<Survives> {
        match self {
            Self::PowerLoss { survives } => Some(survives),
            Self::Kill | Self::TornWrite => None,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kill => f.write_str("kill"),
            Self::TornWrite => f.write_str("tornWrite"),
            Self::PowerLoss { survives } => match survives {
                Survives::Flushed => f.write_str("powerLoss:flushed"),
                Survives::Everything => f.write_str("powerLoss:everything"),
                Survives::Prefix { pages } => write!(f, "powerLoss:prefix:{pages}"),
                Survives::Torn { pages, sectors } => write!(f, "powerLoss:torn:{pages}:{sectors}"),
                Survives::Random { seed } => write!(f, "powerLoss:random:{seed}"),
            },
        }
    }
}

impl FromStr for Fault {
    type Err = NoSuchFault;

    fn from_str(text: &str) -> Result<Self, NoSuchFault> {
        let power = |survives| Some(Self::PowerLoss { survives });
        let words: Vec<&str> = text.split(':').collect();
        let fault = match words.as_slice() {
            ["kill"] => Some(Self::Kill),
            ["tornWrite"] => Some(Self::TornWrite),
            ["powerLoss", "flushed"] => power(Survives::Flushed),
            ["powerLoss", "everything"] => power(Survives::Everything),
            ["powerLoss", "prefix", pages] => pages.parse().ok().and_then(|pages| power(Survives::Prefix { pages })),
            ["powerLoss", "torn", pages, sectors] => {
                let numbers = pages.parse().ok().zip(sectors.parse().ok().filter(|sectors| (1..8).contains(sectors)));
                numbers.and_then(|(pages, sectors)| power(Survives::Torn { pages, sectors }))
            }
            ["powerLoss", "random", seed] => seed.parse().ok().and_then(|seed| power(Survives::Random { seed })),
            _ => None,
        };
        fault.ok_or_else(|| NoSuchFault(text.to_owned()))
    }
}

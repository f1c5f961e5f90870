//! The first difference between two runs.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use super::{
    Refused, past,
    reading::{Reader, Reading},
};
use crate::sim::{ActionError, History, TraceEvent};

/// Where two runs part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// When: the earlier of the two turns' beginnings, microseconds.
    pub at_us: i64,
    /// The node whose turn differs.
    pub node: String,
    /// Its service, or `learner`.
    pub service: String,
    /// The first run's turn; absent: it has none like the second's.
    pub first: Option<Side>,
    /// The second run's turn; absent: it has none like the first's.
    pub second: Option<Side>,
    /// Why the second run could not do the action of the first's turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<ActionError>,
}

/// One run's turn at the first difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Side {
    /// The event.
    pub event: Box<TraceEvent>,
    /// Number of the first step that the other run's turn has not, or has otherwise; absent if that has more.
    pub step: Option<u32>,
}

impl Difference {
    fn of(first: Option<(&Arc<TraceEvent>, Reading)>, second: Option<(&Arc<TraceEvent>, Reading)>) -> Option<Self> {
        let place = match (&first, &second) {
            (Some((first, one)), Some((second, other))) => {
                if one == other {
                    return None;
                }
                let at = one.steps.iter().zip(&other.steps).position(|((_, one), (_, other))| one != other);
                let at = at.unwrap_or_else(|| one.steps.len().min(other.steps.len()));
                return Some(Self {
                    at_us: first.at_us.min(second.at_us),
                    node: first.node.clone(),
                    service: first.service.clone(),
                    first: Some(Side::at(first, one, at)),
                    second: Some(Side::at(second, other, at)),
                    refused: None,
                });
            }
            (Some((event, _)), None) | (None, Some((event, _))) => Arc::clone(event),
            (None, None) => return None,
        };
        let side =
            |turn: Option<(&Arc<TraceEvent>, Reading)>| turn.map(|(event, reading)| Side::at(event, &reading, 0));
        Some(Self {
            at_us: place.at_us,
            node: place.node.clone(),
            service: place.service.clone(),
            first: side(first),
            second: side(second),
            refused: None,
        })
    }

    fn refusal(event: &Arc<TraceEvent>, refused: &Refused) -> Self {
        Self {
            at_us: event.at_us.min(refused.at_us),
            node: event.node.clone(),
            service: event.service.clone(),
            first: Some(Side { event: Box::new(event.as_ref().clone()), step: None }),
            second: None,
            refused: Some(refused.error.clone()),
        }
    }
}

impl Side {
    fn at(event: &Arc<TraceEvent>, reading: &Reading, place: usize) -> Self {
        Self { event: Box::new(event.as_ref().clone()), step: reading.steps.get(place).map(|(index, _)| *index) }
    }
}

/// The turns of a lane.
type Lanes<'h> = BTreeMap<(&'h str, &'h str), Vec<&'h Arc<TraceEvent>>>;

fn lanes<'h>(past: &'h [Arc<TraceEvent>], without: &[Refused]) -> Lanes<'h> {
    let mut lanes = Lanes::new();
    for event in past {
        if !without.iter().any(|refused| refused.seq == event.seq) {
            lanes.entry((&event.node, &event.service)).or_default().push(event);
        }
    }
    lanes
}

/// The earliest difference of two runs that both are at their ends.
pub(super) fn difference(first: &History, second: &History, refused: &[Refused]) -> Option<Difference> {
    let reader = Reader::new(first.world(), second.world());
    let (one, other) = (past(first), past(second));
    let (one, other) = (lanes(&one, refused), lanes(&other, &[]));
    let names: BTreeSet<_> = one.keys().chain(other.keys()).collect();
    let of_lanes = names.into_iter().filter_map(|lane| {
        let (one, other) = (one.get(lane), other.get(lane));
        lane_difference(&reader, one.map_or(&[], Vec::as_slice), other.map_or(&[], Vec::as_slice))
    });
    let of_refused = refused.iter().filter_map(|refused| Some(Difference::refusal(first.event(refused.seq)?, refused)));
    of_lanes.chain(of_refused).min_by_key(|difference| {
        let seq = difference.first.as_ref().or(difference.second.as_ref()).map(|side| side.event.seq);
        (difference.at_us, seq)
    })
}

fn lane_difference(reader: &Reader, one: &[&Arc<TraceEvent>], other: &[&Arc<TraceEvent>]) -> Option<Difference> {
    let mut one = one.iter().filter_map(|event| Some((*event, reader.read(event)?)));
    let mut other = other.iter().filter_map(|event| Some((*event, reader.read(event)?)));
    loop {
        let (first, second) = (one.next(), other.next());
        if first.is_none() && second.is_none() {
            return None;
        }
        if let Some(difference) = Difference::of(first, second) {
            return Some(difference);
        }
    }
}

//! The actions of one run on another cluster.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::sim::{
    Action, ActionError, Cluster, ClusterError, EventKind, History, NodeActor, NodeState, TraceEvent, World,
};

/// Events that the second run takes at most.
const EVENTS_MAX: u64 = 100_000;

/// How much later an action is done at most, once its time has come, because what it waits for does not come about,
/// microseconds.
const LATE_MAX_US: i64 = 60_000_000;

/// An action that the second run could not do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Refused {
    /// Its event in the first run.
    pub seq: u64,
    /// When it was to be done in the second run, microseconds.
    pub at_us: i64,
    /// The action.
    pub action: Action,
    /// Why it was refused.
    pub error: ActionError,
}

/// A run made of another's actions.
pub(super) struct Played {
    /// The run, up to its last action.
    pub(super) history: History,
    /// What it could not do.
    pub(super) refused: Vec<Refused>,
}

/// What can be seen of a node from outside.
struct Seen {
    node: String,
    state: NodeState,
    /// Results of sends and pulls, answers, and calls of the listener that are over.
    counts: [usize; 4],
}

/// Plays the actions of `first`, on its whole branch, on `cluster`.
pub(super) fn play(first: &History, cluster: &Cluster, seed: u64) -> Result<Played, ClusterError> {
    let mut history = History::new(cluster, seed)?;
    let mut shown = first.clone();
    let mut refused = Vec::new();
    // How much later than in the first run things are done by now.
    let mut late_us = 0_i64;
    for logged in first.actions() {
        shown.seek(logged.at);
        let then_us = shown.world().now_us();
        let target_us = then_us.saturating_add(late_us);
        run_until(&mut history, target_us, logged.at.checked_sub(1).and_then(|last| shown.event(last)));
        wait_for_all(&mut history, &seen(shown.world()), target_us);
        let now_us = history.world().now_us();
        late_us = late_us.max(now_us.saturating_sub(then_us));
        if let Err(error) = history.act(logged.action.clone()) {
            refused.push(Refused { seq: logged.at, at_us: now_us, action: logged.action.clone(), error });
        }
    }
    Ok(Played { history, refused })
}

/// Everything up to a time, and that time itself, to the millisecond. Of what happens at the very time no more happens
/// than up to an event like `last`, after which the action was done: so two runs that have not parted yet are acted in at
/// the same place.
fn run_until(history: &mut History, target_us: i64, last: Option<&Arc<TraceEvent>>) {
    history.run_until_us(target_us.saturating_sub(1), left(history));
    let is_last = |history: &History| {
        let now = history.position().checked_sub(1).and_then(|seq| history.event(seq));
        now.zip(last)
            .is_some_and(|(now, last)| (&now.node, &now.service, &now.what) == (&last.node, &last.service, &last.what))
    };
    while !(is_last(history) && history.world().now_us() >= target_us) {
        let in_time = history.next_event_us().is_some_and(|next_us| next_us <= target_us);
        if !in_time || left(history) == 0 || history.step().is_none() {
            break;
        }
    }
    let ms = target_us.saturating_sub(history.world().now_us()).div_euclid(1000);
    if ms <= 0 || history.act(Action::Wait { ms }).is_err() {
        return;
    }
    let most = left(history);
    history.run(most, |world, event| event.what == EventKind::Alarm && target_us - world.now_us() < 1000);
}

/// Goes on until everything that was seen is there, or that cannot be waited for any longer.
fn wait_for_all(history: &mut History, wanted: &[Seen], target_us: i64) {
    let latest_us = target_us.saturating_add(LATE_MAX_US);
    while !wanted.iter().all(|seen| seen.is_there(history.world())) {
        let in_time = history.next_event_us().is_some_and(|next_us| next_us <= latest_us);
        if history.at_rest() || !in_time || left(history) == 0 || history.step().is_none() {
            return;
        }
    }
}

const fn left(history: &History) -> u64 {
    EVENTS_MAX.saturating_sub(history.position())
}

fn seen(world: &World) -> Vec<Seen> {
    let nodes = world.nodes();
    nodes.map(|node| Seen { node: node.name.to_owned(), state: node.state, counts: counts(node.actor) }).collect()
}

fn counts(actor: &NodeActor) -> [usize; 4] {
    let NodeActor::Client(client) = actor else { return [0; 4] };
    let calls = client.push().map_or(0, |push| push.consumed().iter().filter(|call| call.ended_us.is_some()).count());
    [client.sent().len(), client.pulls().len(), client.answers().len(), calls]
}

impl Seen {
    /// Whether it can be seen in a world too. A node that is not there is not waited for.
    fn is_there(&self, world: &World) -> bool {
        let Some(node) = world.nodes().find(|node| node.name == self.node) else { return true };
        let counts = counts(node.actor);
        node.state == self.state && counts.iter().zip(self.counts).all(|(count, wanted)| *count >= wanted)
    }
}

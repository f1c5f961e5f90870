//! The world: the clock, the event queue, the nodes and the network.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    Action, Begin, Cluster, ClusterError, Imports, NodeActor, TraceEvent,
    cluster::fail,
    crash::{Trap, TurnTrap},
    lane::{Lane, Parked, Work, WorkKind},
    limits,
    lives::Life,
    network::Network,
    polls::Polls,
    queue::{Entry, Key, NodeId, Pending, Queue},
};
use crate::node::{ConnId, Service, Streams};

/// How long before virtual time 0 a settled cluster was started, microseconds.
const SETTLING_US: i64 = 60_000_000;

/// Turns that an action before the run may take to come to rest.
const PREPARE_MAX: u32 = 1_000_000;

/// After so many turns in a row in which nothing was done, nothing ever will be.
const SILENT_MAX: u32 = 1_000_000;

/// The name that events without a node go by.
pub const WORLD: &str = "world";

/// A node in its world.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) name: Arc<str>,
    /// `ip`, without a port.
    pub(super) ip: std::net::Ipv4Addr,
    /// What its wall clock shows at virtual time 0, milliseconds since the epoch.
    pub(super) wall_at_zero_ms: i64,
    pub(super) actor: NodeActor,
    pub(super) streams: Streams,
    /// Each shared by copies of the world until one of them changes it.
    pub(super) lanes: BTreeMap<Service, Arc<Lane>>,
    /// The whole process stands still.
    pub(super) paused: bool,
    /// There is no process.
    pub(super) down: bool,
    /// The machine has no power.
    pub(super) off: bool,
    /// The process is launched: its start in the queue.
    pub(super) launch: Option<Key>,
    /// A crash that waits for a turn with enough writes.
    pub(super) trap: Option<Trap>,
    /// A crash that waits for a turn of a service.
    pub(super) turn_trap: Option<TurnTrap>,
    /// Its processes so far.
    pub(super) lives: Vec<Life>,
}

impl Node {
    /// When its wall clock begins to show `wall_ms`.
    pub(super) const fn us_at_wall(&self, wall_ms: i64) -> i64 {
        wall_ms.saturating_sub(self.wall_at_zero_ms).saturating_mul(1000)
    }

    pub(super) const fn wall_ms(&self, at_us: i64) -> i64 {
        self.wall_at_zero_ms.saturating_add(at_us.div_euclid(1000))
    }
}

/// A deterministic world: a pure function of its description, its seed and the actions done to it.
///
/// It is plain data: `Clone` is cheap (the disks share their pages), and the clone goes the same way as the original.
#[derive(Clone, Debug)]
pub struct World {
    pub(super) cluster: Arc<Cluster>,
    pub(super) seed: u64,
    pub(super) now_us: i64,
    /// Events so far: the next one's number.
    pub(super) events: u64,
    pub(super) hash: u64,
    /// Nobody reads the trace.
    pub(super) muted: bool,
    pub(super) queue: Queue,
    pub(super) nodes: Vec<Node>,
    /// Node by `ip:port`.
    pub(super) servers: Arc<BTreeMap<String, NodeId>>,
    /// Broker by the `ip:port` of its replication.
    pub(super) ha_servers: Arc<BTreeMap<String, NodeId>>,
    /// Name by `ip:port`, for the trace.
    pub(super) names: Arc<BTreeMap<String, Arc<str>>>,
    pub(super) network: Network,
    pub(super) parked: BTreeSet<(NodeId, Service)>,
    /// How often something has changed that parked exchanges depend on.
    pub(super) disturbances: u64,
    /// Long polling that passes unseen.
    pub(super) polls: Polls,
    /// Heartbeats of replication that pass unseen, by who sends them and the connection.
    pub(super) parked_streams: BTreeMap<(NodeId, Service, ConnId), Parked>,
}

impl World {
    /// Builds a cluster. With [`Begin::Settled`] the start-up is over: it took place in the 60 s before virtual time 0.
    pub fn new(cluster: &Cluster, seed: u64) -> Result<Self, ClusterError> {
        Self::with_imports(cluster, seed, &Imports::default())
    }

    /// The same with the stores that its brokers begin on, those that were brought along.
    pub fn with_imports(cluster: &Cluster, seed: u64, imports: &Imports) -> Result<Self, ClusterError> {
        let settled = cluster.begin == Begin::Settled;
        let mut world = super::build::build(cluster, seed, imports, if settled { -SETTLING_US } else { 0 })?;
        let later = |node: &Node| cluster.consumers.iter().any(|spec| spec.down && *spec.name == *node.name);
        let launched = world.nodes.iter().enumerate().filter(|(_, node)| !later(node)).map(|(id, _)| id);
        for id in launched.collect::<Vec<_>>() {
            world.launch(id, None);
        }
        if settled {
            while world.queue.next_us().is_some_and(|next_us| next_us <= 0) {
                world.tick();
            }
            world.now_us = 0;
            world.settle();
            for (place, action) in cluster.before.iter().enumerate() {
                world.prepare(action).map_err(|cause| fail(&format!("before[{place}]"), cause))?;
            }
            world.begin_run();
        } else if !cluster.before.is_empty() {
            return Err(fail("before", "a cold start begins with nothing done"));
        }
        Ok(world)
    }

    /// Does something before the run begins, and lets it come to rest. The cause if it cannot be done, or does not.
    fn prepare(&mut self, action: &Action) -> Result<(), String> {
        self.act(action.clone()).map_err(|error| error.to_string())?;
        for _ in 0..PREPARE_MAX {
            if self.at_rest() {
                return Ok(());
            }
            self.tick();
        }
        Err(format!("the world is not at rest after {PREPARE_MAX} turns"))
    }

    /// What has happened so far belongs to no run: events are numbered from here on.
    fn begin_run(&mut self) {
        self.events = 0;
        self.hash = 0;
        for node in &mut self.nodes {
            if let Some(broker) = node.actor.broker_mut() {
                broker.forget_start_event();
            }
        }
    }

    /// Runs on until one event has happened, and tells it. `None`: nothing is going to happen any more, or not within
    /// a hundred years, or not for a million turns in a row.
    pub fn step(&mut self) -> Option<TraceEvent> {
        for _ in 0..SILENT_MAX {
            if self.queue.next_us().is_none_or(|next_us| next_us > limits::TIME_MAX_US) {
                return None;
            }
            if let Some(event) = self.tick() {
                return Some(event);
            }
        }
        None
    }

    /// Takes the next entry of the queue. Turns in which nothing was done are no events.
    fn tick(&mut self) -> Option<TraceEvent> {
        self.meet_polls();
        let ((at_us, _), entry) = self.queue.pop()?;
        self.now_us = self.now_us.max(at_us);
        self.settle();
        match entry.what {
            Pending::Start(node) => return self.start(node, entry.cause),
            Pending::Lane(node, service) => return self.lane_turn(node, service),
            Pending::Arrive(flight) => self.arrive(*flight),
            Pending::Unsent(call) => self.unsent(call, entry.cause),
            Pending::Unopened(node, service) => {
                let Entry { cause, housekeeping, .. } = entry;
                self.deliver(node, service, Work { kind: WorkKind::Unopened, cause, housekeeping });
            }
            Pending::Timeout(call) => self.time_out(call),
            Pending::Idle(conn) => self.idle(conn),
            Pending::Unheard(conn, way) => self.give_up_unheard(conn, way),
            Pending::Alarm => return Some(self.alarm(entry.cause)),
        }
        None
    }

    /// Lets no trace be kept from here on, for worlds of which only the end counts. They go the same way: events are
    /// numbered as ever, but have no steps and no writes, their hash stands still, and of the start of a broker it is only
    /// known which event it was.
    pub const fn mute(&mut self) {
        self.muted = true;
    }

    /// Runs on until one event has happened, and tells it, or until the world is at rest.
    pub fn step_to_rest(&mut self) -> Option<TraceEvent> {
        while !self.at_rest() && self.queue.next_us().is_some_and(|next_us| next_us <= limits::TIME_MAX_US) {
            if let Some(event) = self.tick() {
                return Some(event);
            }
        }
        None
    }

    /// Runs until nothing is pending but periodic housekeeping, or until the next event would lie beyond `horizon_us`.
    pub fn run_to_rest(&mut self, horizon_us: i64) -> Vec<TraceEvent> {
        let mut events = Vec::new();
        while !self.at_rest() && self.queue.next_us().is_some_and(|next_us| next_us <= horizon_us) {
            events.extend(self.tick());
        }
        events
    }

    /// Whether nothing is pending but periodic housekeeping: flush, persistence, registration, heartbeat, expiry.
    pub fn at_rest(&self) -> bool {
        self.queue.at_rest()
    }

    /// Virtual time, microseconds. 0 is where the scenario begins.
    pub const fn now_us(&self) -> i64 {
        self.now_us
    }

    /// The world's wall clock, milliseconds since the epoch.
    pub fn wall_ms(&self) -> i64 {
        self.cluster.start_ms.saturating_add(self.now_us.div_euclid(1000))
    }

    /// When the next thing in the queue happens; it need not become an event.
    pub fn next_us(&self) -> Option<i64> {
        self.queue.next_us()
    }

    /// How many events have happened: the number that the next one gets.
    pub const fn events(&self) -> u64 {
        self.events
    }

    /// Hash over every event so far.
    pub const fn trace_hash(&self) -> u64 {
        self.hash
    }

    /// What the world was built from.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// The seed of its generators.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    pub(super) fn node_id(&self, name: &str) -> Option<NodeId> {
        self.nodes.iter().position(|node| &*node.name == name)
    }

    pub(super) fn lane_mut(&mut self, node: NodeId, service: Service) -> Option<&mut Lane> {
        self.nodes.get_mut(node)?.lanes.get_mut(&service).map(Arc::make_mut)
    }

    pub(super) fn name(&self, node: NodeId) -> String {
        self.nodes.get(node).map_or_else(|| WORLD.to_owned(), |node| node.name.to_string())
    }
}

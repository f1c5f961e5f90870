//! The network is TCP: connections open, close, break and idle out; bytes are in order on each.

use std::collections::{BTreeMap, VecDeque};

use bytes::Bytes;

use super::queue::{Key, NodeId};
use crate::{
    node::{CallId, ConnId, Manner, Service},
    wire::{Request, RequestCode, Response},
};

/// A connection on which nothing has moved for so long is closed (`serverChannelMaxIdleTimeSeconds`).
pub(super) const IDLE_US: i64 = 120_000_000;

/// How long a connection may take to stand (`connectTimeoutMillis`).
pub(super) const CONNECT_TIMEOUT_US: i64 = 3_000_000;

/// How long TCP sends bytes again that nobody acknowledges, before it gives their connection up (`tcp_retries2` = 15 of
/// Linux: 924.6 s from the first attempt on).
pub(super) const RETRANSMIT_US: i64 = 924_600_000;

/// The first port that a client's connection gets.
const FIRST_PORT: i32 = 50_000;

/// The direction of bytes on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    ToServer,
    ToClient,
}

impl Way {
    pub(super) const fn index(self) -> usize {
        self as usize
    }
}

/// What arrives in one piece.
#[derive(Clone, Debug)]
pub(super) enum Frame {
    Request {
        request: Request,
        call: Option<CallId>,
    },
    Response {
        call: CallId,
        response: Response,
    },
    /// A connection for replication stands.
    Opened,
    /// Bytes on a connection for replication.
    Bytes {
        bytes: Bytes,
        /// What they are, for pictures.
        label: String,
    },
    /// The far end has closed; everything that it sent has arrived before.
    Fin,
}

/// A frame between leaving and arriving.
#[derive(Clone, Debug)]
pub(super) struct Flight {
    pub(super) id: u64,
    pub(super) conn: ConnId,
    pub(super) way: Way,
    pub(super) frame: Frame,
    pub(super) leaves_us: i64,
    pub(super) cause: Option<u64>,
    pub(super) housekeeping: bool,
}

impl Conn {
    pub(super) const fn far(&self, node: NodeId) -> NodeId {
        if self.client == node { self.server } else { self.client }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Conn {
    pub(super) client: NodeId,
    pub(super) server: NodeId,
    pub(super) client_port: i32,
    /// It is one for replication.
    pub(super) stream: bool,
    /// The end that has closed it; the other end does not know yet.
    pub(super) closed_by: Option<NodeId>,
    /// When its handshake is over.
    pub(super) ready_us: i64,
    pub(super) last_io_us: i64,
    /// The last arrival in each direction: nothing overtakes it.
    pub(super) last_arrival_us: [i64; 2],
    /// Parked exchanges that go over it.
    pub(super) parked: u32,
    /// An idle check is in the queue.
    pub(super) idle_check: bool,
    /// When the oldest bytes left that nobody has acknowledged, in each direction; of connections for replication only.
    /// Those for requests are closed as idle long before it matters.
    pub(super) unheard_us: [Option<i64>; 2],
    /// What has arrived at a stalled link, in order.
    pub(super) held: [VecDeque<Flight>; 2],
}

/// A request that an answer is waited for.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) node: NodeId,
    pub(super) service: Service,
    pub(super) conn: Option<ConnId>,
    pub(super) addr: String,
    pub(super) code: RequestCode,
    pub(super) manner: Manner,
    pub(super) timeout_ms: i64,
    pub(super) deadline: Option<Key>,
    pub(super) housekeeping: bool,
}

/// The state of the way between two nodes; absent from the table: it carries bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// Connections are broken, and no new one stands.
    Cut,
    /// Bytes wait; new connections get no answer.
    Stalled,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Network {
    pub(super) conns: BTreeMap<ConnId, Conn>,
    pub(super) calls: BTreeMap<CallId, Call>,
    links: BTreeMap<(NodeId, NodeId), Link>,
    next_conn: u64,
    next_flight: u64,
    pub(super) next_call: u64,
}

impl Network {
    /// The open connection for requests from `client` to `server`.
    pub(super) fn find(&self, client: NodeId, server: NodeId) -> Option<ConnId> {
        let mut conns = self.conns.iter();
        conns
            .find(|(_, conn)| {
                conn.client == client && conn.server == server && conn.closed_by.is_none() && !conn.stream
            })
            .map(|(id, _)| *id)
    }

    /// A connection whose handshake is over at `ready_us`.
    pub(super) fn open(&mut self, client: NodeId, server: NodeId, ready_us: i64) -> ConnId {
        let id = ConnId(self.next_conn);
        let client_port = FIRST_PORT.saturating_add(i32::try_from(self.next_conn % 10_000).unwrap_or(0));
        self.next_conn += 1;
        self.conns.insert(
            id,
            Conn {
                client,
                server,
                client_port,
                stream: false,
                closed_by: None,
                ready_us,
                last_io_us: ready_us,
                last_arrival_us: [ready_us; 2],
                parked: 0,
                idle_check: false,
                unheard_us: [None; 2],
                held: [VecDeque::new(), VecDeque::new()],
            },
        );
        id
    }

    /// The same, for replication.
    pub(super) fn open_stream(&mut self, client: NodeId, server: NodeId, ready_us: i64) -> ConnId {
        let id = self.open(client, server, ready_us);
        if let Some(conn) = self.conns.get_mut(&id) {
            conn.stream = true;
        }
        id
    }

    pub(super) fn flight_id(&mut self) -> u64 {
        let id = self.next_flight;
        self.next_flight += 1;
        id
    }

    pub(super) fn link(&self, a: NodeId, b: NodeId) -> Option<Link> {
        self.links.get(&(a.min(b), a.max(b))).copied()
    }

    pub(super) fn set_link(&mut self, a: NodeId, b: NodeId, link: Option<Link>) {
        let key = (a.min(b), a.max(b));
        match link {
            Some(link) => self.links.insert(key, link),
            None => self.links.remove(&key),
        };
    }

    /// The connections of a node.
    pub(super) fn of(&self, node: NodeId) -> Vec<ConnId> {
        let ends = |conn: &Conn| conn.client == node || conn.server == node;
        self.conns.iter().filter(|(_, conn)| ends(conn)).map(|(id, _)| *id).collect()
    }

    /// The connections between two nodes, in either direction.
    pub(super) fn between(&self, a: NodeId, b: NodeId) -> Vec<ConnId> {
        let joins = |conn: &Conn| (conn.client == a && conn.server == b) || (conn.client == b && conn.server == a);
        self.conns.iter().filter(|(_, conn)| joins(conn)).map(|(id, _)| *id).collect()
    }
}

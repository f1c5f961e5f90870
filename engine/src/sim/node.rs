//! The kinds of nodes.

use serde::{Deserialize, Serialize};

use crate::{broker::Broker, client::Client, database::Database, namesrv::NameServer, node::Actor};

/// A node of any kind.
#[derive(Clone, Debug)]
pub enum NodeActor {
    /// A NameServer.
    NameServer(Box<NameServer>),
    /// A broker.
    Broker(Box<Broker>),
    /// A producer or a consumer.
    Client(Box<Client>),
    /// A database of applications.
    Database(Box<Database>),
}

impl NodeActor {
    pub(super) fn as_actor(&self) -> &dyn Actor {
        match self {
            Self::NameServer(node) => node.as_ref(),
            Self::Broker(node) => node.as_ref(),
            Self::Client(node) => node.as_ref(),
            Self::Database(node) => node.as_ref(),
        }
    }

    pub(super) fn as_actor_mut(&mut self) -> &mut dyn Actor {
        match self {
            Self::NameServer(node) => node.as_mut(),
            Self::Broker(node) => node.as_mut(),
            Self::Client(node) => node.as_mut(),
            Self::Database(node) => node.as_mut(),
        }
    }
}

/// Where a node's process is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum NodeState {
    /// It runs.
    Up,
    /// It has been launched, and takes no requests yet.
    Starting,
    /// It ends in good order, and takes no requests any more.
    Stopping,
    /// There is no process.
    Down,
}

impl NodeState {
    /// The name used in scripts and views.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Starting => "starting",
            Self::Stopping => "stopping",
            Self::Down => "down",
        }
    }
}

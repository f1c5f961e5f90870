//! The kinds of nodes.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{broker::Broker, client::Client, database::Database, namesrv::NameServer, node::Actor};

/// A node of any kind. Copies of a world share it until one of them changes it.
#[derive(Clone, Debug)]
pub enum NodeActor {
    /// A NameServer.
    NameServer(Arc<NameServer>),
    /// A broker.
    Broker(Arc<Broker>),
    /// A producer or a consumer.
    Client(Arc<Client>),
    /// A database of applications.
    Database(Arc<Database>),
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
            Self::NameServer(node) => Arc::<NameServer>::make_mut(node),
            Self::Broker(node) => Arc::<Broker>::make_mut(node),
            Self::Client(node) => Arc::<Client>::make_mut(node),
            Self::Database(node) => Arc::<Database>::make_mut(node),
        }
    }

    /// The broker, to be changed; `None`: it is something else.
    pub(super) fn broker_mut(&mut self) -> Option<&mut Broker> {
        match self {
            Self::Broker(node) => Some(Arc::make_mut(node)),
            _ => None,
        }
    }

    /// The client, to be changed; `None`: it is something else.
    pub(super) fn client_mut(&mut self) -> Option<&mut Client> {
        match self {
            Self::Client(node) => Some(Arc::make_mut(node)),
            _ => None,
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

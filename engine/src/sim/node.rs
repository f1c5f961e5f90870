//! The kinds of nodes.

use crate::{broker::Broker, client::Client, namesrv::NameServer, node::Actor};

/// A node of any kind.
#[derive(Clone, Debug)]
pub enum NodeActor {
    /// A NameServer.
    NameServer(Box<NameServer>),
    /// A broker.
    Broker(Box<Broker>),
    /// A producer or a consumer.
    Client(Box<Client>),
}

impl NodeActor {
    pub(super) fn as_actor(&self) -> &dyn Actor {
        match self {
            Self::NameServer(node) => node.as_ref(),
            Self::Broker(node) => node.as_ref(),
            Self::Client(node) => node.as_ref(),
        }
    }

    pub(super) fn as_actor_mut(&mut self) -> &mut dyn Actor {
        match self {
            Self::NameServer(node) => node.as_mut(),
            Self::Broker(node) => node.as_mut(),
            Self::Client(node) => node.as_mut(),
        }
    }
}

//! The mechanisms of Apache RocketMQ 4.9.8 as one deterministic library.
//!
//! No clock, no threads, no network, no statics: everything that happens is a function of the bytes, the
//! configuration and the actions handed in. Files of the machine are touched only in [`disk::native`] (feature
//! `native`). The modules stand on each other in this order, and each uses only those before it:
//!
//! [`message`], [`fastjson`], [`disk`], [`planted`], [`store`], [`filter`], [`wire`], [`node`], [`namesrv`], [`broker`],
//! [`backlog`], [`database`], [`client`], [`sim`], [`lesson`], [`ledger`], [`link`], [`matrix`],
//! [`compare`], [`view`].

pub mod backlog;
pub mod broker;
pub mod client;
pub mod compare;
pub mod database;
pub mod disk;
pub mod fastjson;
pub mod filter;
pub mod ledger;
pub mod lesson;
pub mod link;
pub mod matrix;
pub mod message;
pub mod namesrv;
pub mod node;
pub mod planted;
pub mod sim;
pub mod store;
pub mod view;
pub mod wire;

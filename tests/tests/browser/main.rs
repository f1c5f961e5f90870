//! The page in a real Chromium. Every test finds a browser that keeps nothing of another one.

mod actions;
mod backlog;
mod bench;
mod cluster;
mod compare;
mod consumers;
mod dropping;
mod embed;
mod explorer;
mod faults;
mod hashes;
mod history;
mod large;
mod ledger;
mod lesson;
mod links;
mod matrix;
mod menu;
mod recovery;
mod routes;
mod sandbox;
mod settings;
mod transactions;
mod trouble;
mod world;

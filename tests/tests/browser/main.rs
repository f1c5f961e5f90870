//! The page in a real Chromium. Every test has a browser of its own with an empty profile.

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

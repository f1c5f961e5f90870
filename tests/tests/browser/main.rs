//! The page in a real Chromium. Every test has a browser of its own with an empty profile.

mod bench;
mod dropping;
mod explorer;
mod large;
mod lesson;
mod menu;
mod routes;
mod sandbox;
mod settings;
mod trouble;

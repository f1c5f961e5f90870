//! The page in a real Chromium. Every test has a browser of its own with an empty profile.

mod bench;
mod explorer;
mod lesson;
mod routes;
mod sandbox;
mod settings;

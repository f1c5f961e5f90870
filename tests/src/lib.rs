//! Helpers shared by the whole-product tests.

pub mod browser;
pub mod cases;
pub mod golden;
pub mod rng;
pub mod soak;
pub mod trace;

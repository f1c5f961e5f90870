//! Helpers shared by the whole-product tests.

pub mod golden;

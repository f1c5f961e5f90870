//! Helpers shared by the whole-product tests.

#[cfg(not(target_arch = "wasm32"))]
pub mod browser;
#[cfg(not(target_arch = "wasm32"))]
pub mod golden;
pub mod trace;

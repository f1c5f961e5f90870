//! Helpers shared by the whole-product tests.

#[cfg(not(target_arch = "wasm32"))]
pub mod browser;
#[cfg(not(target_arch = "wasm32"))]
pub mod cases;
#[cfg(not(target_arch = "wasm32"))]
pub mod golden;
pub mod rng;
#[cfg(not(target_arch = "wasm32"))]
pub mod soak;
pub mod trace;

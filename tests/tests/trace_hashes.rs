//! The same runs give the same traces in a browser as on the machine that the browser runs on.
//!
//! `cargo xtask test` computes the hashes natively and hands them to the build for WebAssembly, where this test runs.
#![cfg(target_arch = "wasm32")]

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

// The page runs the engine in a worker too.
wasm_bindgen_test_configure!(run_in_dedicated_worker);

/// What the native build computed, one line per scenario.
const NATIVE: &str = env!("ROCKETSCOPE_TRACE_HASHES");

#[wasm_bindgen_test]
fn traces_equal_the_native_ones() {
    assert!(!NATIVE.trim().is_empty(), "no native trace to compare with");
    assert_eq!(rocketscope_tests::trace::report().trim(), NATIVE.trim());
}

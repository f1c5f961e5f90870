//! The RocketScope page.
//!
//! One wasm file serves three purposes: loaded by the page it draws it, loaded by the worker it runs the engine and
//! answers the page's queries, imported by another page it is the engine as a module. Components take views and
//! callbacks; everything that RocketMQ does is in the engine.

#![allow(unreachable_pub, reason = "a component's properties are as public as the component, whose module is not")]

pub mod app;
pub mod backend;
pub mod components;
pub mod fatal;
pub mod i18n;
mod js;
pub mod keys;
pub mod route;
pub mod screens;
pub mod state;

/// Serves the page from a worker, or draws it; for whoever imports the file as a module, does neither.
pub fn run() {
    if js::is_library() {
        console_error_panic_hook::set_once();
        return;
    }
    if backend::serve().is_some() {
        return;
    }
    fatal::install();
    yew::Renderer::<app::App>::new().render();
}

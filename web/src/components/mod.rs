//! The pieces of the page. Each takes views and callbacks; none knows how RocketMQ works.

mod header;
mod help;
mod icon;
pub mod store;
pub mod tabs;

pub use header::Header;
pub use help::Help;
pub use icon::{Glyph, Icon};

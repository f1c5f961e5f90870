//! The pieces of the page. Each takes views and callbacks; none knows how RocketMQ works.

pub mod aim;
pub mod backlog;
mod cells;
pub mod cluster;
pub mod compare;
mod dialog;
mod embed;
pub mod faults;
pub mod form;
mod header;
mod help;
mod icon;
pub mod lessons;
pub mod markdown;
pub mod matrix;
mod menu;
mod name;
pub mod narrate;
pub mod past;
pub mod recovery;
pub mod resize;
pub mod sandbox;
pub mod share;
pub mod store;
pub mod tabs;
pub mod verdict;
pub mod workbench;
pub mod world;

pub use dialog::Dialog;
pub use embed::EmbedBar;
pub use header::Header;
pub use help::Help;
pub use icon::{Glyph, Icon};
pub use name::name;

//! The screens: they ask, and hand views to the components.

mod backlog;
mod explorer;
mod run;
mod workbench;

pub use backlog::Backlog;
pub use explorer::Explorer;
pub use workbench::Workbench;

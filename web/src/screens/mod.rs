//! The screens: they ask, and hand views to the components.

mod explorer;
mod run;
mod workbench;

pub use explorer::Explorer;
pub use workbench::Workbench;

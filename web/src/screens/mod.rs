//! The screens: they ask, and hand views to the components.

mod backlog;
mod compare;
mod explorer;
mod keep;
mod matrix;
mod matrix_run;
mod run;
mod workbench;

pub use backlog::Backlog;
pub use compare::Compare;
pub use explorer::Explorer;
pub use matrix::CrashMatrixScreen;
pub use matrix_run::{Results, use_crash_matrix};
pub use workbench::Workbench;

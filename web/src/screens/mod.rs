//! The screens: they ask, and hand views to the components.

mod explorer;

pub use explorer::Explorer;

//! Two runs side by side.

mod bar;
mod change;
mod choose;
mod ends;
mod found;
mod side;

pub use bar::{Bar, moment_of};
pub use change::sentence;
pub use choose::Choose;
pub use ends::EndsTable;
pub use found::Found;
pub use side::Side;

//! The backlog lab's pieces: controls, the sentence, the curve, and what bounds it.

mod chart;
mod controls;
mod field;
mod formulas;
mod number;
mod presets;
mod resources;
mod scale;
mod table;
mod verdict;

pub use chart::Chart;
pub use controls::Controls;
pub use formulas::Formulas;
pub use presets::Presets;
pub use resources::Resources;
pub use table::CurveTable;
pub use verdict::Verdict;

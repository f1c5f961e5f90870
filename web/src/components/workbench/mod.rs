//! The workbench: a running world, seen from all sides.

mod broken;
mod lane;
mod lesson;
mod log;
mod offers;
mod questions;
mod ruler;
mod saying;
mod stage;
mod stage_database;
mod stage_layout;
mod stage_nodes;
mod timeline;
mod transport;

pub use broken::{BrokenAlert, PlantedNote};
pub use lesson::{LessonPane, Wish};
pub use log::Log;
pub use ruler::Rulers;
pub use saying::Saying;
pub use stage::StageView;
pub use timeline::TimelineView;
pub use transport::{Move, MoveButton, Speed, Transport};

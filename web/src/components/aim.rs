//! The parts of the fault menu, and how it is opened from anywhere on the page.

use rocketscope_engine::view::world::NodeKind;
use yew::Callback;

use crate::components::Glyph;

/// A part of the menu.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Section {
    /// Kill, stop, start, a second process.
    #[default]
    Process,
    /// Power loss.
    Power,
    /// A crash between two writes of a turn, or in the middle of one.
    Write,
    /// A kill right before a turn of a service.
    Turn,
    /// Disk full, slow, refusing.
    Disk,
    /// Bits flipped, files deleted and cut.
    Files,
    /// The wall clock set to another time.
    Clock,
    /// Connections cut and held up.
    Links,
}

impl Section {
    const ALL: [Self; 8] =
        [Self::Process, Self::Power, Self::Write, Self::Turn, Self::Disk, Self::Files, Self::Clock, Self::Links];

    /// The parts that a node of this kind has.
    pub fn of(kind: NodeKind) -> impl Iterator<Item = Self> {
        let has_disk = kind == NodeKind::Broker;
        Self::ALL
            .into_iter()
            .filter(move |section| has_disk || !matches!(section, Self::Write | Self::Disk | Self::Files))
    }

    /// Its name in the catalogue and for tests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Power => "power",
            Self::Write => "write",
            Self::Turn => "before",
            Self::Disk => "disk",
            Self::Files => "files",
            Self::Clock => "clock",
            Self::Links => "links",
        }
    }

    /// Its icon.
    pub fn glyph(self) -> Glyph {
        match self {
            Self::Process => Glyph::Process,
            Self::Power => Glyph::Power,
            Self::Write => Glyph::Cut,
            Self::Turn => Glyph::Kill,
            Self::Disk => Glyph::Disk,
            Self::Files => Glyph::File,
            Self::Clock => Glyph::Clock,
            Self::Links => Glyph::Link,
        }
    }
}

/// What the menu is opened for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aim {
    /// The node; the one that was last chosen without.
    pub node: Option<String>,
    /// The part.
    pub section: Section,
    /// A file of the node's disk.
    pub file: Option<String>,
    /// A byte of it.
    pub at: Option<u64>,
}

/// How the menu is opened from elsewhere on the page; absent where nothing runs.
#[derive(Clone, PartialEq)]
pub struct FaultContext {
    /// Open it for this.
    pub on_aim: Callback<Aim>,
}

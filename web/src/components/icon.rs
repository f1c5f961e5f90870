//! Icons: strokes on a 16 × 16 grid in the colour of the text beside them. They never stand for a word alone: the
//! control that holds one has a name.

use yew::{Html, Properties, component, html};

/// Which picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glyph {
    /// A half-hatched disc.
    Auto,
    /// A sun.
    Light,
    /// A moon.
    Dark,
    /// A question mark.
    Help,
    /// A cross.
    Close,
    /// A small angle to the right.
    Right,
    /// A small angle downwards.
    Down,
    /// To the very start.
    First,
    /// To the very end.
    Last,
    /// One step back.
    Back,
    /// One step on.
    Step,
    /// Two steps on: run.
    Run,
    /// Two bars.
    Pause,
    /// A folder.
    Folder,
    /// A sheet of paper.
    File,
    /// An archive.
    Archive,
    /// A tick.
    Tick,
    /// A circle not ticked yet.
    Todo,
    /// A triangle with an exclamation mark.
    Warn,
    /// A magnifying glass.
    Find,
    /// An arrow round.
    Reset,
    /// A light bulb.
    Hint,
    /// An arrow to the left.
    Previous,
    /// An arrow to the right.
    Next,
    /// A flask.
    Sample,
    /// A bolt.
    Fault,
    /// A chip with its legs.
    Process,
    /// The sign of a power switch.
    Power,
    /// Scissors.
    Cut,
    /// A disk of three platters.
    Disk,
    /// A clock.
    Clock,
    /// Two links of a chain.
    Link,
    /// A crossed circle.
    Kill,
    /// A square.
    Stop,
    /// Two sheets, one over the other.
    Twice,
    /// A plaster.
    Mend,
    /// A bin.
    Expire,
    /// A lost thing: a crossed square.
    Lost,
    /// A plus sign.
    Add,
    /// Boxes joined by lines.
    Cluster,
    /// Two arrows that pass each other.
    Swap,
    /// An arrow that bends back.
    Undo,
    /// An arrow that bends forth.
    Redo,
    /// A line that parts from another.
    Branch,
    /// An arrow out of a tray.
    Share,
}

impl Glyph {
    /// The strokes, and whether they are filled.
    fn path(self) -> (&'static str, bool) {
        match self {
            Self::Auto => {
                ("M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2zM8 2.2v11.6M8 5h3.6M8 8h5.6M8 11h3.6", false)
            }
            Self::Light => (
                "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3.1 3.1l1.1 \
                 1.1M11.8 11.8l1.1 1.1M3.1 12.9l1.1-1.1M11.8 4.2l1.1-1.1",
                false,
            ),
            Self::Dark => ("M13.4 9.8A5.8 5.8 0 0 1 6.2 2.6a5.8 5.8 0 1 0 7.2 7.2z", false),
            Self::Help => ("M5.6 6a2.4 2.4 0 1 1 3.5 2.2c-.8.4-1.1.8-1.1 1.6M8 12.4v.2", false),
            Self::Close => ("M3.5 3.5l9 9M12.5 3.5l-9 9", false),
            Self::Right => ("M6.5 4l4 4-4 4", false),
            Self::Down => ("M4 6.5l4 4 4-4", false),
            Self::First => ("M3.5 3.5v9M12.5 3.5L6 8l6.5 4.5z", true),
            Self::Last => ("M12.5 3.5v9M3.5 3.5L10 8l-6.5 4.5z", true),
            Self::Back => ("M11 3.5L4.5 8l6.5 4.5z", true),
            Self::Step => ("M5 3.5L11.5 8 5 12.5z", true),
            Self::Run => ("M2.5 3.8L8 8l-5.5 4.2zM8 3.8L13.5 8 8 12.2z", true),
            Self::Pause => ("M5.5 3.5v9M10.5 3.5v9", false),
            Self::Folder => {
                ("M1.8 4.2c0-.6.4-1 1-1h3.4l1.6 1.9h5.4c.6 0 1 .4 1 1v5.7c0 .6-.4 1-1 1H2.8c-.6 0-1-.4-1-1z", false)
            }
            Self::File => ("M4 1.8h5.2L12.5 5v9.2H4zM9.2 1.8V5h3.3", false),
            Self::Archive => ("M2 3h12v3H2zM3 6v7.2h10V6M6.5 8.6h3", false),
            Self::Tick => ("M3 8.4l3.4 3.4L13 4.6", false),
            Self::Todo => ("M8 2.8a5.2 5.2 0 1 0 0 10.4A5.2 5.2 0 0 0 8 2.8z", false),
            Self::Warn => ("M8 2.2l6.4 11.3H1.6zM8 6.4v3.4M8 11.6v.2", false),
            Self::Find => ("M7 2.4a4.6 4.6 0 1 0 0 9.2 4.6 4.6 0 0 0 0-9.2zM10.4 10.4l3.4 3.4", false),
            Self::Reset => ("M3.2 6.2A5.2 5.2 0 1 1 2.8 9M2.8 2.8v3.6h3.6", false),
            Self::Hint => ("M5.9 10.6a4.2 4.2 0 1 1 4.2 0c-.4.3-.6.7-.6 1.2H6.5c0-.5-.2-.9-.6-1.2zM6.5 13.8h3", false),
            Self::Previous => ("M13 8H3.2M7 3.8L2.8 8 7 12.2", false),
            Self::Next => ("M3 8h9.8M9 3.8L13.2 8 9 12.2", false),
            Self::Fault => ("M9.2 1.6L3.4 9h4.2l-.8 5.4L12.6 7H8.4z", true),
            Self::Process => (
                "M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 \
                 9.5H14",
                false,
            ),
            Self::Power => ("M8 1.8v5.4M4.6 4a5.4 5.4 0 1 0 6.8 0", false),
            Self::Cut => (
                "M4.2 2.6a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6zM4.2 9.8a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 \
                 0-3.6zM5.7 5.4l8 6M5.7 10.6l8-6",
                false,
            ),
            Self::Disk => (
                "M2.5 4.2c0-1.1 2.5-2 5.5-2s5.5.9 5.5 2-2.5 2-5.5 2-5.5-.9-5.5-2zM2.5 4.2v7.6c0 1.1 2.5 2 5.5 \
                 2s5.5-.9 5.5-2V4.2M2.5 8c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2",
                false,
            ),
            Self::Clock => ("M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.8V8l2.4 1.6", false),
            Self::Link => (
                "M6.6 9.4l2.8-2.8M5.4 7L3.6 8.8a2.4 2.4 0 0 0 3.4 3.4L8.8 10.4M7.2 5.6L9 3.8a2.4 2.4 0 0 1 3.4 \
                 3.4L10.6 9",
                false,
            ),
            Self::Kill => ("M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM5.6 5.6l4.8 4.8M10.4 5.6l-4.8 4.8", false),
            Self::Stop => ("M4 4h8v8H4z", false),
            Self::Twice => ("M2.5 5h7.5v8.5H2.5zM5.5 5V2.5H13.5V11H10", false),
            Self::Mend => ("M9.6 2.6l3.8 3.8-7 7-3.8-3.8zM6.2 6l3.8 3.8M8 7.9v.2", false),
            Self::Expire => ("M2.5 4h11M6 4V2.5h4V4M4 4l.7 9.5h6.6L12 4M6.7 6.8v4M9.3 6.8v4", false),
            Self::Lost => ("M3 3h10v10H3zM5.6 5.6l4.8 4.8M10.4 5.6l-4.8 4.8", false),
            Self::Add => ("M8 3v10M3 8h10", false),
            Self::Cluster => ("M5.5 2h5v3.5h-5zM1.5 10.5h5V14h-5zM9.5 10.5h5V14h-5zM8 5.5v2.5M4 10.5V8h8v2.5", false),
            Self::Swap => ("M5 13V3M2.4 5.6L5 3l2.6 2.6M11 3v10M8.4 10.4L11 13l2.6-2.6", false),
            Self::Undo => ("M5.5 3L2.5 6l3 3M2.5 6h7a3.8 3.8 0 0 1 0 7.6H6", false),
            Self::Redo => ("M10.5 3l3 3-3 3M13.5 6h-7a3.8 3.8 0 0 0 0 7.6H10", false),
            Self::Branch => ("M2 4.5h12M5 4.5c2 0 2 7 4.5 7H14", false),
            Self::Share => ("M8 10V2.2M5 4.8l3-2.8 3 2.8M4.5 7.5H3v6.3h10V7.5h-1.5", false),
            Self::Sample => {
                ("M5.4 2h5.2M6.2 2v3.6L3 12.2c-.4.9.1 1.8 1.1 1.8h7.8c1 0 1.5-.9 1.1-1.8L9.8 5.6V2M4.6 9.4h6.8", false)
            }
        }
    }
}

/// Properties of [`Icon`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Which picture.
    pub glyph: Glyph,
}

/// An icon, hidden from assistive technology.
#[component]
pub fn Icon(props: &Props) -> Html {
    let (path, filled) = props.glyph.path();
    html! {
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
            <path d={path} fill={if filled { "currentColor" } else { "none" }} />
        </svg>
    }
}

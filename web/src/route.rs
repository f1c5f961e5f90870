//! Where the reader is: the part of the address behind `#`.
//!
//! A screen, and within it a place in a store: `#/lesson/01?tab=disk&file=commitlog/00000000000000000000&at=1200`.
//! Every link of the page is such an address, so the browser's own back and forward work everywhere.

use std::fmt::{self, Write};

use rocketscope_engine::backlog::Plan;

/// A screen of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Screen {
    /// A lesson, by its number as written in its folder's name.
    Lesson(String),
    /// The sandbox.
    Sandbox,
    /// The store explorer.
    Explorer,
    /// The crash matrix.
    Matrix {
        /// The world of one of its cells, rather than the matrix itself.
        world: bool,
    },
    /// Two runs side by side.
    Compare {
        /// Which of those that are ready; absent: it is to be chosen.
        preset: Option<String>,
    },
    /// The backlog lab.
    Backlog {
        /// What it looks into.
        plan: Box<Plan>,
        /// What the address says beyond that and cannot be read.
        unread: Vec<String>,
    },
}

/// A place in a store or in the running world: what the inspector shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The files, and one of them at a byte.
    Disk {
        /// Path from the store's root; `None` shows the tree alone.
        file: Option<String>,
        /// Byte in the file.
        at: Option<u64>,
    },
    /// A record by its physical offset in the CommitLog.
    Record {
        /// Physical offset, bytes.
        at: i64,
    },
    /// The ConsumeQueues, one of them, a unit of it.
    Queues {
        /// Topic and queue id.
        queue: Option<(String, i32)>,
        /// Queue offset.
        unit: Option<i64>,
    },
    /// The index files, one of them, a slot of it.
    Index {
        /// Path from the store's root.
        file: Option<String>,
        /// Slot number.
        slot: Option<i32>,
    },
    /// The chain of a key through the index.
    Chain {
        /// Topic.
        topic: String,
        /// Key.
        key: String,
    },
    /// What recovery did, or would do.
    Recovery,
    /// What happened, event by event.
    Log,
    /// What is wrong with the store.
    Problems,
    /// Who knows which topic to be where.
    Routes,
    /// A producer from inside.
    Producer {
        /// Its node; `None` is the first.
        node: Option<String>,
    },
    /// A consumer group from inside.
    Consumers {
        /// The group; `None` is the first.
        group: Option<String>,
    },
    /// The delay levels of a broker.
    Delay,
    /// The transactions of a broker.
    Transactions,
    /// The databases of applications.
    Databases,
    /// What became of every message.
    Ledger,
}

/// A screen and a place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The screen.
    pub screen: Screen,
    /// The place in its store.
    pub place: Place,
}

impl Default for Route {
    fn default() -> Self {
        Self { screen: Screen::Lesson("01".to_owned()), place: Place::default() }
    }
}

impl Default for Place {
    fn default() -> Self {
        Self::Disk { file: None, at: None }
    }
}

impl Screen {
    /// The backlog lab with a plan.
    pub fn backlog(plan: Plan) -> Self {
        Self::Backlog { plan: Box::new(plan), unread: Vec::new() }
    }
}

impl Route {
    /// The screen at its start.
    pub fn screen(screen: Screen) -> Self {
        Self { screen, place: Place::default() }
    }

    /// The same screen at another place.
    #[must_use]
    pub fn to(&self, place: Place) -> Self {
        Self { screen: self.screen.clone(), place }
    }

    /// Reads an address; one that names no screen is the first lesson, a place that says nothing is the files.
    pub fn parse(hash: &str) -> Self {
        let address = hash.trim_start_matches('#').trim_start_matches('/');
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let mut names = path.split('/');
        let screen = match (names.next(), names.next()) {
            (Some("sandbox"), _) => Screen::Sandbox,
            (Some("explorer"), _) => Screen::Explorer,
            (Some("matrix"), within) => Screen::Matrix { world: within == Some("world") },
            (Some("compare"), _) => {
                return Self::screen(Screen::Compare { preset: value(query, "preset") });
            }
            (Some("backlog"), _) => {
                let pairs = query.split('&').filter(|pair| !pair.is_empty());
                let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
                let pairs = pairs.map(|(key, value)| (unescape(key), unescape(value)));
                let (plan, unread) = Plan::default().with_pairs(pairs);
                return Self::screen(Screen::Backlog { plan: Box::new(plan), unread });
            }
            (Some("lesson"), Some(id)) if !id.is_empty() => Screen::Lesson(unescape(id)),
            _ => return Self::default(),
        };
        Self { screen, place: Place::parse(query) }
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.screen {
            Screen::Lesson(id) => write!(f, "#/lesson/{}", escape(id))?,
            Screen::Sandbox => f.write_str("#/sandbox")?,
            Screen::Explorer => f.write_str("#/explorer")?,
            Screen::Matrix { world: false } => f.write_str("#/matrix")?,
            Screen::Matrix { world: true } => f.write_str("#/matrix/world")?,
            Screen::Compare { preset } => {
                f.write_str("#/compare")?;
                return preset.as_ref().map_or(Ok(()), |preset| write!(f, "?preset={}", escape(preset)));
            }
            Screen::Backlog { plan, .. } => {
                f.write_str("#/backlog")?;
                for (index, (key, value)) in plan.pairs().into_iter().enumerate() {
                    write!(f, "{}{}={}", if index == 0 { '?' } else { '&' }, escape(&key), escape(&value))?;
                }
                return Ok(());
            }
        }
        self.place.fmt(f)
    }
}

/// The value of a name in the part of an address behind `?`.
fn value(query: &str, name: &str) -> Option<String> {
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| unescape(value))
}

impl Place {
    fn parse(query: &str) -> Self {
        let value = |name: &str| value(query, name);
        match value("tab").as_deref() {
            Some("record") => match value("at").and_then(|at| at.parse().ok()) {
                Some(at) => Self::Record { at },
                None => Self::default(),
            },
            Some("queues") => {
                let id = value("queue").and_then(|id| id.parse().ok());
                let unit = value("unit").and_then(|unit| unit.parse().ok());
                Self::Queues { queue: value("topic").zip(id), unit }
            }
            Some("index") => match value("topic").zip(value("key")) {
                Some((topic, key)) => Self::Chain { topic, key },
                None => Self::Index { file: value("file"), slot: value("slot").and_then(|slot| slot.parse().ok()) },
            },
            Some("recovery") => Self::Recovery,
            Some("log") => Self::Log,
            Some("problems") => Self::Problems,
            Some("routes") => Self::Routes,
            Some("producer") => Self::Producer { node: value("node") },
            Some("consumers") => Self::Consumers { group: value("group") },
            Some("delay") => Self::Delay,
            Some("transactions") => Self::Transactions,
            Some("databases") => Self::Databases,
            Some("ledger") => Self::Ledger,
            _ => Self::Disk { file: value("file"), at: value("at").and_then(|at| at.parse().ok()) },
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disk { file: None, .. } => Ok(()),
            Self::Disk { file: Some(file), at } => {
                write!(f, "?tab=disk&file={}", escape(file))?;
                at.map_or(Ok(()), |at| write!(f, "&at={at}"))
            }
            Self::Record { at } => write!(f, "?tab=record&at={at}"),
            Self::Queues { queue, unit } => {
                f.write_str("?tab=queues")?;
                if let Some((topic, id)) = queue {
                    write!(f, "&topic={}&queue={id}", escape(topic))?;
                }
                unit.map_or(Ok(()), |unit| write!(f, "&unit={unit}"))
            }
            Self::Index { file, slot } => {
                f.write_str("?tab=index")?;
                if let Some(file) = file {
                    write!(f, "&file={}", escape(file))?;
                }
                slot.map_or(Ok(()), |slot| write!(f, "&slot={slot}"))
            }
            Self::Chain { topic, key } => write!(f, "?tab=index&topic={}&key={}", escape(topic), escape(key)),
            Self::Recovery => f.write_str("?tab=recovery"),
            Self::Log => f.write_str("?tab=log"),
            Self::Problems => f.write_str("?tab=problems"),
            Self::Routes => f.write_str("?tab=routes"),
            Self::Producer { node: None } => f.write_str("?tab=producer"),
            Self::Producer { node: Some(node) } => write!(f, "?tab=producer&node={}", escape(node)),
            Self::Consumers { group: None } => f.write_str("?tab=consumers"),
            Self::Consumers { group: Some(group) } => write!(f, "?tab=consumers&group={}", escape(group)),
            Self::Delay => f.write_str("?tab=delay"),
            Self::Transactions => f.write_str("?tab=transactions"),
            Self::Databases => f.write_str("?tab=databases"),
            Self::Ledger => f.write_str("?tab=ledger"),
        }
    }
}

/// The run that an address asks for: the text of a link.
pub fn link_in(hash: &str) -> Option<String> {
    let (_, query) = hash.split_once('?')?;
    let text = query.split('&').find_map(|pair| pair.strip_prefix("r="))?;
    Some(unescape(text)).filter(|text| !text.is_empty())
}

/// The address of a screen that asks for a run.
pub fn with_link(screen: Screen, text: &str) -> String {
    format!("{}?r={text}", Route::screen(screen))
}

/// Percent-encodes what has a meaning in an address of ours, and what an address cannot hold.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => out.push(byte as char),
            _ => {
                // Writing to a String cannot fail.
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// Undoes [`escape`]; what is no valid escape stands for itself.
fn unescape(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let code =
            if byte == b'%' { text.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok()) } else { None };
        out.push(code.unwrap_or(byte));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use rocketscope_engine::backlog::{Plan, presets};

    use super::{Place, Route, Screen, link_in, with_link};

    #[test]
    fn every_route_survives_its_address() {
        let places = [
            Place::default(),
            Place::Disk { file: Some("consumequeue/%RETRY%组&x=1/0/000".to_owned()), at: Some(1200) },
            Place::Record { at: 1350 },
            Place::Queues { queue: None, unit: None },
            Place::Queues { queue: Some(("Order Topic".to_owned(), 3)), unit: Some(7) },
            Place::Index { file: Some("index/20261129195133464".to_owned()), slot: Some(12) },
            Place::Chain { topic: "T".to_owned(), key: "a#b?c=d".to_owned() },
            Place::Recovery,
            Place::Log,
            Place::Problems,
            Place::Routes,
            Place::Producer { node: None },
            Place::Producer { node: Some("shop-1".to_owned()) },
            Place::Consumers { group: None },
            Place::Consumers { group: Some("order_group".to_owned()) },
            Place::Delay,
            Place::Transactions,
            Place::Databases,
            Place::Ledger,
        ];
        let matrix = [false, true].map(|world| Screen::Matrix { world });
        for screen in [Screen::Lesson("01".to_owned()), Screen::Sandbox, Screen::Explorer].into_iter().chain(matrix) {
            for place in &places {
                let route = Route { screen: screen.clone(), place: place.clone() };
                assert_eq!(Route::parse(&route.to_string()), route, "{route}");
            }
        }
    }

    #[test]
    fn a_comparison_survives_its_address() {
        for preset in [None, Some("record-key".to_owned())] {
            let route = Route::screen(Screen::Compare { preset });
            assert_eq!(Route::parse(&route.to_string()), route, "{route}");
        }
        assert_eq!(Route::screen(Screen::Compare { preset: None }).to_string(), "#/compare");
    }

    #[test]
    fn a_plan_of_the_backlog_lab_survives_its_address() {
        for preset in presets() {
            let route = Route::screen(Screen::backlog(preset.plan));
            assert_eq!(Route::parse(&route.to_string()), route, "{route}");
        }
        assert_eq!(Route::screen(Screen::backlog(Plan::default())).to_string(), "#/backlog");
        let threads = Plan { threads: 100, ..Plan::default() };
        assert_eq!(Route::screen(Screen::backlog(threads.clone())).to_string(), "#/backlog?threads=100");
        // What cannot be read is kept, to be told.
        let unread = vec!["colour=red".to_owned(), "x=".to_owned()];
        let screen = Screen::Backlog { plan: Box::new(threads), unread };
        assert_eq!(Route::parse("#/backlog?threads=100&colour=red&x"), Route::screen(screen));
    }

    #[test]
    fn an_address_may_ask_for_a_run() {
        let address = with_link(Screen::Sandbox, "UlMB-_0");
        assert_eq!(address, "#/sandbox?r=UlMB-_0");
        assert_eq!(
            (Route::parse(&address), link_in(&address)),
            (Route::screen(Screen::Sandbox), Some("UlMB-_0".into()))
        );
        let placed = "#/lesson/01?tab=record&at=1200&r=UlMB";
        assert_eq!((Route::parse(placed).place, link_in(placed)), (Place::Record { at: 1200 }, Some("UlMB".into())));
        for none in ["#/lesson/01", "#/sandbox?tab=disk&file=r", "#/sandbox?r=", "#/sandbox?bar=UlMB"] {
            assert_eq!(link_in(none), None, "{none}");
        }
    }

    #[test]
    fn what_names_no_screen_is_the_first_lesson() {
        for hash in ["", "#", "#/", "#/nowhere", "#/lesson", "#/lesson/"] {
            assert_eq!(Route::parse(hash), Route::default(), "{hash}");
        }
    }

    #[test]
    fn a_broken_escape_stands_for_itself() {
        assert_eq!(
            Route::parse("#/explorer?tab=disk&file=%4&at=x").place,
            Place::Disk { file: Some("%4".to_owned()), at: None }
        );
        // A multi-byte character right behind a percent sign must not be cut in two.
        assert_eq!(
            Route::parse("#/explorer?tab=disk&file=%组").place,
            Place::Disk { file: Some("%组".to_owned()), at: None }
        );
    }
}

//! How the values of the configuration are written.

use serde::{Deserialize, Serialize};

/// When an appended message is forced to the disk (`FlushDiskType`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum FlushDiskType {
    /// The producer is answered after the flush.
    SyncFlush,
    /// The producer is answered at once; a service flushes later.
    #[default]
    AsyncFlush,
}

/// What this broker is to the others of its name (`BrokerRole`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum BrokerRole {
    /// A master that answers without waiting for a slave.
    #[default]
    AsyncMaster,
    /// A master that waits for a slave's acknowledgement.
    SyncMaster,
    /// A copy that refuses writes of producers.
    Slave,
}

impl BrokerRole {
    /// The name that 4.9.8 uses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AsyncMaster => "ASYNC_MASTER",
            Self::SyncMaster => "SYNC_MASTER",
            Self::Slave => "SLAVE",
        }
    }
}

/// How one type of value is written in a configuration file.
pub(super) trait Value: Sized {
    /// What a reader is told when the text cannot be read.
    const EXPECTS: &'static str;

    fn read(text: &str) -> Option<Self>;

    fn write(&self) -> String;
}

impl Value for i32 {
    const EXPECTS: &'static str = "a whole number of 32 bits";

    fn read(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Value for i64 {
    const EXPECTS: &'static str = "a whole number of 64 bits";

    fn read(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Value for f64 {
    const EXPECTS: &'static str = "a number such as 0.85";

    fn read(text: &str) -> Option<Self> {
        text.parse().ok().filter(|number: &f64| number.is_finite())
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Value for bool {
    const EXPECTS: &'static str = "true or false";

    fn read(text: &str) -> Option<Self> {
        if text.eq_ignore_ascii_case("true") {
            Some(true)
        } else if text.eq_ignore_ascii_case("false") {
            Some(false)
        } else {
            None
        }
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Value for String {
    const EXPECTS: &'static str = "text";

    fn read(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }

    fn write(&self) -> String {
        self.clone()
    }
}

/// An absent text is `null` in 4.9.8 and empty in a file.
impl Value for Option<String> {
    const EXPECTS: &'static str = "text";

    fn read(text: &str) -> Option<Self> {
        Some((!text.is_empty()).then(|| text.to_owned()))
    }

    fn write(&self) -> String {
        self.clone().unwrap_or_default()
    }
}

impl Value for FlushDiskType {
    const EXPECTS: &'static str = "ASYNC_FLUSH or SYNC_FLUSH";

    fn read(text: &str) -> Option<Self> {
        match text {
            "SYNC_FLUSH" => Some(Self::SyncFlush),
            "ASYNC_FLUSH" => Some(Self::AsyncFlush),
            _ => None,
        }
    }

    fn write(&self) -> String {
        match self {
            Self::SyncFlush => "SYNC_FLUSH",
            Self::AsyncFlush => "ASYNC_FLUSH",
        }
        .to_owned()
    }
}

impl Value for BrokerRole {
    const EXPECTS: &'static str = "ASYNC_MASTER, SYNC_MASTER or SLAVE";

    fn read(text: &str) -> Option<Self> {
        match text {
            "ASYNC_MASTER" => Some(Self::AsyncMaster),
            "SYNC_MASTER" => Some(Self::SyncMaster),
            "SLAVE" => Some(Self::Slave),
            _ => None,
        }
    }

    fn write(&self) -> String {
        match self {
            Self::AsyncMaster => "ASYNC_MASTER",
            Self::SyncMaster => "SYNC_MASTER",
            Self::Slave => "SLAVE",
        }
        .to_owned()
    }
}

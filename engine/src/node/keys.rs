//! Configuration by RocketMQ's own keys.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A key that is not known, or a value that it cannot have.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum KeyError {
    /// Nobody knows the key.
    #[error("`{key}` is not a key of this node")]
    Unknown {
        /// The key.
        key: String,
    },
    /// The value cannot be read.
    #[error("`{key}` = `{value}`: expected {wanted}")]
    Value {
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// What was expected.
        wanted: String,
    },
}

/// A value that a key can have.
pub(crate) trait KeyValue: Sized {
    const WANTED: &'static str;

    fn read(text: &str) -> Option<Self>;
}

impl KeyValue for i32 {
    const WANTED: &'static str = "a whole number";

    fn read(text: &str) -> Option<Self> {
        text.trim().parse().ok()
    }
}

impl KeyValue for i64 {
    const WANTED: &'static str = "a whole number";

    fn read(text: &str) -> Option<Self> {
        text.trim().parse().ok()
    }
}

impl KeyValue for bool {
    const WANTED: &'static str = "true or false";

    fn read(text: &str) -> Option<Self> {
        text.trim().parse().ok()
    }
}

impl KeyValue for String {
    const WANTED: &'static str = "text";

    fn read(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
}

/// A key of a configuration, with its value as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfigKey {
    /// The key, as RocketMQ's configuration files have it.
    pub key: String,
    /// Its value; lists with commas between their parts.
    pub value: String,
    /// What a value may be, in English, as errors say it.
    pub wanted: String,
}

impl KeyValue for Vec<i64> {
    const WANTED: &'static str = "whole numbers with commas between them";

    fn read(text: &str) -> Option<Self> {
        text.split(',').map(i64::read).collect()
    }
}

/// A struct of configuration values with 4.9.8's defaults, each under its RocketMQ key.
macro_rules! config_keys {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $field:ident: $type:ty = $key:literal, $default:expr;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name {
            $($(#[$doc])* #[doc = concat!(" Key `", $key, "`.")] pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $name {
            /// Sets the value of a key.
            pub fn set(&mut self, key: &str, value: &str) -> Result<(), $crate::node::KeyError> {
                match key {
                    $($key => {
                        self.$field = $crate::node::read_value(key, value)?;
                        Ok(())
                    })*
                    _ => Err($crate::node::KeyError::Unknown { key: key.to_owned() }),
                }
            }

            /// Every key with its present value, in order.
            pub fn keys(&self) -> Vec<$crate::node::ConfigKey> {
                vec![$($crate::node::config_key($key, &self.$field),)*]
            }
        }
    };
}

pub(crate) use config_keys;

pub(crate) fn read_value<T: KeyValue>(key: &str, value: &str) -> Result<T, KeyError> {
    T::read(value).ok_or_else(|| KeyError::Value {
        key: key.to_owned(),
        value: value.to_owned(),
        wanted: T::WANTED.to_owned(),
    })
}

pub(crate) fn config_key<T: KeyValue + Serialize>(key: &str, value: &T) -> ConfigKey {
    let text = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let value = match serde_json::to_value(value) {
        Ok(serde_json::Value::Array(parts)) => parts.iter().map(text).collect::<Vec<_>>().join(","),
        Ok(value) => text(&value),
        // Numbers, texts and lists of them always have a value.
        Err(_) => String::new(),
    };
    ConfigKey { key: key.to_owned(), value, wanted: T::WANTED.to_owned() }
}

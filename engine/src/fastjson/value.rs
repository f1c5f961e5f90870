//! Values.

use std::borrow::Cow;

/// A JSON value. Objects keep their entries in order, be a key there twice. Texts are borrowed where they can be: from
/// what was read, or from the table that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer that a Java `long` holds.
    Int(i64),
    /// Any other number, as its text.
    Float(Cow<'a, str>),
    /// A string.
    Str(Cow<'a, str>),
    /// A list.
    Array(Vec<Value<'a>>),
    /// A bean or map. A key is a [`Value::Str`], or in a map a [`Value::Int`] or [`Value::Object`].
    Object(Vec<(Value<'a>, Value<'a>)>),
}

impl<'a> Value<'a> {
    /// An object with string keys.
    pub fn object<K: Into<Cow<'a, str>>, V: Into<Value<'a>>>(entries: impl IntoIterator<Item = (K, V)>) -> Self {
        Self::Object(entries.into_iter().map(|(key, value)| (Self::Str(key.into()), value.into())).collect())
    }

    /// The value of an object under a string key; of a key that is there twice, the last.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().rev().find(|entry| entry.0.as_str() == Some(key)).map(|entry| &entry.1)
    }

    /// The entries of an object in their order; none of any other value.
    pub fn entries(&self) -> &[(Self, Self)] {
        match self {
            Self::Object(entries) => entries,
            _ => &[],
        }
    }

    /// The items of an array; none of any other value.
    pub fn items(&self) -> &[Self] {
        match self {
            Self::Array(items) => items,
            _ => &[],
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The number, also where it stands in a string: fastjson casts one where a number is asked for
    /// (`TypeUtils.castToLong`).
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            Self::Str(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// The number, if a Java `int` holds it.
    pub fn as_i32(&self) -> Option<i32> {
        self.as_i64()?.try_into().ok()
    }

    /// The truth value.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i32> for Value<'_> {
    fn from(value: i32) -> Self {
        Self::Int(value.into())
    }
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Self::Str(value.into())
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(value: &'a String) -> Self {
        Self::Str(value.into())
    }
}

impl From<String> for Value<'_> {
    fn from(value: String) -> Self {
        Self::Str(value.into())
    }
}

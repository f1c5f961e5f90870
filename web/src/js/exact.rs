//! Plain data between Rust and JavaScript: as JSON has it, with numbers that stay exact.
//!
//! JavaScript's numbers are exact up to 2^53 - 1. A 64-bit number crosses as a `number` where it is one of those, and as
//! a `BigInt` beyond; on the way in both are taken. `null` stays `null`, and objects are plain objects.

use serde::de::DeserializeOwned;
use serde::ser::{SerializeMap as _, SerializeSeq as _};
use serde::{Serialize, Serializer};
use serde_json::{Number, Value};
use wasm_bindgen::JsValue;

/// The largest whole number that JavaScript's numbers hold exactly, `Number.MAX_SAFE_INTEGER`.
const SAFE_MAX: i64 = (1 << 53) - 1;

/// Data on its way to JavaScript.
pub(super) fn to_js(value: &impl Serialize) -> Result<JsValue, String> {
    let value = serde_json::to_value(value).map_err(|error| error.to_string())?;
    let serializer = serde_wasm_bindgen::Serializer::new()
        .serialize_maps_as_objects(true)
        .serialize_missing_as_null(true)
        .serialize_large_number_types_as_bigints(true);
    Exact(&value).serialize(&serializer).map_err(|error| error.to_string())
}

/// Data from JavaScript.
pub(super) fn from_js<T: DeserializeOwned>(value: JsValue) -> Result<T, String> {
    read(serde_wasm_bindgen::from_value(value).map_err(|error| error.to_string())?)
}

/// What a value says, or what of it cannot be, with its place.
fn read<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_path_to_error::deserialize(value).map_err(|error| error.to_string())
}

/// A value whose numbers are written as JavaScript can hold them.
struct Exact<'v>(&'v Value);

/// How a number crosses.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Crossing {
    Number(f64),
    Signed(i64),
    Unsigned(u64),
}

impl Crossing {
    fn of(number: &Number) -> Self {
        match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) if (-SAFE_MAX..=SAFE_MAX).contains(&whole) => Self::Number(whole as f64),
            (_, Some(whole)) => Self::Unsigned(whole),
            (Some(whole), _) => Self::Signed(whole),
            (None, None) => Self::Number(number.as_f64().unwrap_or(f64::NAN)),
        }
    }
}

impl Serialize for Exact<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_none(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::String(value) => serializer.serialize_str(value),
            Value::Number(number) => match Crossing::of(number) {
                Crossing::Number(value) => serializer.serialize_f64(value),
                Crossing::Signed(value) => serializer.serialize_i64(value),
                Crossing::Unsigned(value) => serializer.serialize_u64(value),
            },
            Value::Array(parts) => {
                let mut sequence = serializer.serialize_seq(Some(parts.len()))?;
                for part in parts {
                    sequence.serialize_element(&Exact(part))?;
                }
                sequence.end()
            }
            Value::Object(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    map.serialize_entry(name, &Exact(value))?;
                }
                map.end()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use rocketscope_engine::matrix::Fault;
    use rocketscope_engine::sim::NameServerSpec;

    use super::{Crossing, SAFE_MAX, read};

    #[test]
    fn what_cannot_be_is_told_with_its_place() {
        let error = |value| read::<Vec<NameServerSpec>>(value).expect_err("it cannot be");
        assert_eq!(
            error(json!([{ "name": "a" }, { "name": 5 }])),
            "[1].name: invalid type: integer `5`, expected a string"
        );
        let error = read::<Vec<Fault>>(json!([{ "kind": "kill" }, { "kind": "flood" }])).expect_err("no such fault");
        assert!(error.starts_with("[1].kind: unknown variant `flood`"), "{error}");
        assert_eq!(read::<Vec<Fault>>(json!([{ "kind": "kill" }])), Ok(vec![Fault::Kill]));
    }

    #[test]
    fn numbers_are_numbers_as_long_as_they_are_exact() {
        let crossing = |value: serde_json::Value| Crossing::of(value.as_number().expect("a number"));
        assert_eq!(crossing(json!(SAFE_MAX)), Crossing::Number(9_007_199_254_740_991.0));
        assert_eq!(crossing(json!(-SAFE_MAX)), Crossing::Number(-9_007_199_254_740_991.0));
        assert_eq!(crossing(json!(SAFE_MAX + 1)), Crossing::Unsigned(9_007_199_254_740_992));
        assert_eq!(crossing(json!(-SAFE_MAX - 1)), Crossing::Signed(-9_007_199_254_740_992));
        assert_eq!(crossing(json!(i64::MIN)), Crossing::Signed(i64::MIN));
        assert_eq!(crossing(json!(u64::MAX)), Crossing::Unsigned(u64::MAX));
        assert_eq!(crossing(json!(0.5)), Crossing::Number(0.5));
    }
}

//! What nodes say to each other: requests and responses as typed commands, with the 4.9.8 codes and field names.

mod code;

pub use code::{RequestCode, ResponseCode};

//! The JSON that fastjson writes.

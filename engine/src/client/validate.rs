//! What a producer refuses before anything is sent (`Validators`).

use super::{NewMessage, exception::Exception};
use crate::{
    message::java,
    wire::{NOT_ALLOWED_SEND_TOPICS, ResponseCode},
};

/// The longest topic, in UTF-16 units.
const TOPIC_MAX: usize = 127;

/// `Validators.checkMessage`. Of a batch, the body is what its entries were encoded to.
pub(super) fn check_message(message: &NewMessage, max_message_size: i32) -> Result<(), Exception> {
    check_topic(&message.topic)?;
    check_body(message.body.len(), max_message_size)
}

pub(super) fn check_topic(topic: &str) -> Result<(), Exception> {
    if java::is_blank(topic) {
        return Err(Exception::client("The specified topic is blank"));
    }
    if java::utf16_len(topic) > TOPIC_MAX {
        return Err(Exception::client(&format!("The specified topic is longer than topic max length {TOPIC_MAX}.")));
    }
    if !topic.chars().all(|char| char.is_ascii_alphanumeric() || "%|_-".contains(char)) {
        let text =
            format!("The specified topic[{topic}] contains illegal characters, allowing only ^[%|a-zA-Z0-9_-]+$");
        return Err(Exception::client(&text));
    }
    if NOT_ALLOWED_SEND_TOPICS.contains(&topic) {
        return Err(Exception::client(&format!("Sending message to topic[{topic}] is forbidden.")));
    }
    Ok(())
}

pub(super) fn check_body(len: usize, max_message_size: i32) -> Result<(), Exception> {
    let illegal = |text: &str| Err(Exception::refused(ResponseCode::MessageIllegal, text));
    if len == 0 {
        return illegal("the message body length is zero");
    }
    if i32::try_from(len).is_ok_and(|len| len <= max_message_size) {
        return Ok(());
    }
    illegal(&format!("the message body size over max value, MAX: {max_message_size}"))
}

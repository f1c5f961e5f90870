//! What the client throws, with the words of 4.9.8: `MQClientException`, `MQBrokerException`, the remoting exceptions.

use serde::{Deserialize, Serialize};

use crate::{node::CallError, wire::ResponseCode};

/// `ClientErrorCode`.
pub(super) mod error_code {
    /// The broker cannot be connected to.
    pub(crate) const CONNECT_BROKER: i32 = 10001;
    /// The broker did not answer in time.
    pub(crate) const ACCESS_BROKER_TIMEOUT: i32 = 10002;
    /// No address is known for the broker.
    pub(crate) const BROKER_NOT_EXIST: i32 = 10003;
    /// No NameServer is configured.
    pub(crate) const NO_NAME_SERVER: i32 = 10004;
    /// No route can be had for the topic.
    pub(crate) const NOT_FOUND_TOPIC: i32 = 10005;
}

/// What `MQClientException` says of itself as long as nobody sets a code.
const NO_CODE: i32 = -1;

/// The cause inside an exception.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cause {
    /// The exception's short name.
    pub name: String,
    /// Its message.
    pub message: String,
}

/// An exception on its way to the application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exception {
    /// Its short name.
    pub(super) name: &'static str,
    pub(super) message: String,
    /// `responseCode` of those exceptions that have one.
    pub(super) code: Option<i32>,
    pub(super) cause: Option<Box<Cause>>,
}

impl Exception {
    /// An exception without a code of its own.
    pub(super) const fn plain(name: &'static str, message: String) -> Self {
        Self { name, message, code: None, cause: None }
    }

    /// `new MQClientException(text, cause)`: no code yet.
    pub(super) fn client(text: &str) -> Self {
        Self { code: Some(NO_CODE), ..Self::plain("MQClientException", advised(text)) }
    }

    /// `new MQClientException(code, text)`.
    pub(super) fn refused(code: ResponseCode, text: &str) -> Self {
        let code = code.value();
        let text = advised(&format!("CODE: {code}  DESC: {text}"));
        Self { code: Some(code), ..Self::plain("MQClientException", text) }
    }

    /// `MQBrokerException` of the broker at `addr`, where it says that.
    pub(super) fn broker(code: ResponseCode, remark: Option<&str>, addr: Option<&str>) -> Self {
        let broker = addr.map(|addr| format!(" BROKER: {addr}")).unwrap_or_default();
        let text = format!("CODE: {}  DESC: {}{broker}", code.value(), remark.unwrap_or("null"));
        Self { code: Some(code.value()), ..Self::plain("MQBrokerException", advised(&text)) }
    }

    /// What a call ended with that got no answer.
    pub(super) fn remoting(error: &CallError) -> Self {
        Self::plain(error.exception(), error.to_string())
    }

    /// `RemotingTooMuchRequestException`: the time was over before the request could leave.
    pub(super) fn too_late(text: impl Into<String>) -> Self {
        Self::plain("RemotingTooMuchRequestException", text.into())
    }

    /// Sets the code (`setResponseCode`).
    pub(super) fn with_code(self, code: i32) -> Self {
        Self { code: Some(code), ..self }
    }

    /// Gives it a cause.
    pub(super) fn caused_by(self, cause: &Self) -> Self {
        let cause = Cause { name: cause.name.to_owned(), message: cause.message.clone() };
        Self { cause: Some(Box::new(cause)), ..self }
    }

    /// The code of an `MQClientException` that tells of this one as the last after all attempts; without one for what
    /// `sendDefaultImpl` does not list.
    pub(super) fn code_when_last(&self) -> i32 {
        match self.name {
            "MQBrokerException" => self.code.unwrap_or(NO_CODE),
            "RemotingConnectException" => error_code::CONNECT_BROKER,
            "RemotingTimeoutException" => error_code::ACCESS_BROKER_TIMEOUT,
            "MQClientException" => error_code::BROKER_NOT_EXIST,
            _ => NO_CODE,
        }
    }
}

/// `FAQUrl.attachDefaultURL`: only where no advice is given yet.
fn advised(text: &str) -> String {
    if text.contains("\nSee ") {
        return text.to_owned();
    }
    format!("{text}\nFor more information, please visit the url, http://rocketmq.apache.org/docs/faq/")
}

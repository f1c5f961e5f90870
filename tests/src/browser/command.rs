//! Chromium's own additions to WebDriver: the console, and its developer tools' protocol.

use fantoccini::wd::WebDriverCompatibleCommand;
use http::Method;
use serde_json::{Value, json};
use url::{ParseError, Url};

/// A command of chromedriver's that WebDriver does not have.
#[derive(Debug)]
pub(super) enum Chromium {
    /// The console's lines since the last time.
    Console,
    /// A method of the developer tools' protocol.
    Tools { method: &'static str, params: Value },
}

impl WebDriverCompatibleCommand for Chromium {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        let command = match self {
            Self::Console => "se/log",
            Self::Tools { .. } => "goog/cdp/execute",
        };
        base.join(&format!("session/{}/{command}", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        let body = match self {
            Self::Console => json!({ "type": "browser" }),
            Self::Tools { method, params } => json!({ "cmd": method, "params": params }),
        };
        (Method::POST, Some(body.to_string()))
    }
}

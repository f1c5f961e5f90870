//! A running browser, which one test after the other has to itself.
//!
//! Starting one takes longer than many a test. So a browser whose test has passed waits for the next one, which finds it
//! as if it had just been started: with an empty tab, at an origin that has no data yet. That of a failed test is ended.

use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, Result};
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use super::command::Chromium as Command;
use super::driver::{self, Driver};

/// Those that wait for their next test. They end with the process, by their drivers' guards.
static IDLE: Mutex<Vec<Chromium>> = Mutex::new(Vec::new());

/// A browser and everything that keeps it running.
pub(super) struct Chromium {
    client: Client,
    /// Where the client's requests are sent by.
    runtime: Runtime,
    _driver: Driver,
}

impl Chromium {
    /// A browser with an empty tab and no data of `origin`.
    pub(super) fn take(origin: &str) -> Result<Self> {
        loop {
            let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(idle) = idle else { return Self::start() };
            // One that cannot be cleared is ended.
            if idle.runtime.block_on(idle.clear(origin)).is_ok() {
                return Ok(idle);
            }
        }
    }

    fn start() -> Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let driver = Driver::start()?;
        let client = runtime
            .block_on(
                ClientBuilder::new(HttpConnector::new())
                    .capabilities(driver::capabilities(driver.profile()))
                    .connect(&driver.address()),
            )
            .context("the browser does not start")?;
        Ok(Self { client, runtime, _driver: driver })
    }

    /// Where a test's waiting is done.
    pub(super) fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// WebDriver.
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// Lets the next test have it.
    pub(super) fn give_back(self) {
        if Driver::GUARDED {
            IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(self);
        } else {
            self.end();
        }
    }

    /// Ends it; that it is gone already is no error.
    pub(super) fn end(self) {
        let _ = self.runtime.block_on(self.client.close());
    }

    /// What is set for a page, its size and what it is told to prefer, goes with its tab.
    async fn clear(&self, origin: &str) -> Result<()> {
        let old = self.client.windows().await?;
        let fresh = self.client.new_window(true).await?.handle;
        for window in old {
            self.client.switch_to_window(window).await?;
            self.client.close_window().await?;
        }
        self.client.switch_to_window(fresh).await?;
        // Ports come again, and cookies know none.
        let data = json!({ "origin": origin, "storageTypes": "all" });
        self.client.issue_cmd(Command::Tools { method: "Storage.clearDataForOrigin", params: data }).await?;
        self.client.delete_all_cookies().await?;
        self.client.issue_cmd(Command::Console).await?;
        Ok(())
    }
}

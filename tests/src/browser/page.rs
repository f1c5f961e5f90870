//! The page under test: going somewhere, waiting for something, reading it, using it.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use fantoccini::elements::Element;
use fantoccini::{Client, Locator};
use serde_json::{Value, json};

use super::command::Chromium;
use super::look::WIDE;
use super::server::{Requests, Server};

/// How long a thing that should appear is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often it is looked for.
const GLANCE: Duration = Duration::from_millis(50);

/// Keeps the numbers of the questions that the page's worker has not answered. A question's answer is drawn, and what
/// that makes the page ask is asked, before this hears of the answer: the page's own hearer comes first.
const UNANSWERED: &str = "
    window.unanswered = new Set();
    const heard = new WeakSet();
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message, ...rest) {
        if (!heard.has(this)) {
            heard.add(this);
            this.addEventListener('message', ({ data }) => window.unanswered.delete(data?.id));
        }
        if (message?.id !== undefined) window.unanswered.add(message.id);
        return post.call(this, message, ...rest);
    };
";

/// A tab of a browser, for one site.
pub struct Page {
    client: Client,
    address: String,
    requests: Requests,
}

impl Page {
    /// The browser's tab; nothing is open in it yet.
    pub(super) async fn new(client: Client, server: &Server) -> Result<Self> {
        let page = Self { client, address: server.address(), requests: server.requests() };
        page.resize(WIDE).await?;
        page.before_load(UNANSWERED).await?;
        Ok(page)
    }

    /// WebDriver itself, for what has no helper here.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Opens the page at a route, say `#/lesson/01`, or `""` for its beginning. A route on the page that is open
    /// already is followed without loading it anew; [`Page::reload`] does that.
    pub async fn open(&self, route: &str) -> Result<()> {
        Ok(self.client.goto(&format!("{}{route}", self.address)).await?)
    }

    /// Loads the page anew, as F5 does.
    pub async fn reload(&self) -> Result<()> {
        Ok(self.client.refresh().await?)
    }

    /// The route that the address bar shows, `#` included; empty without one.
    pub async fn route(&self) -> Result<String> {
        let url = self.client.current_url().await?;
        Ok(url.fragment().map(|fragment| format!("#{fragment}")).unwrap_or_default())
    }

    /// Waits until a CSS selector finds something that is displayed, and returns the first such element.
    pub async fn wait(&self, selector: &str) -> Result<Element> {
        let since = Instant::now();
        loop {
            for element in self.client.find_all(Locator::Css(selector)).await? {
                // An element that was replaced since then is looked for again.
                if element.is_displayed().await.unwrap_or(false) {
                    return Ok(element);
                }
            }
            ensure!(since.elapsed() < PATIENCE, "`{selector}` does not appear");
            tokio::time::sleep(GLANCE).await;
        }
    }

    /// Waits until a CSS selector finds nothing that is displayed.
    pub async fn wait_gone(&self, selector: &str) -> Result<()> {
        let script = "return ![...document.querySelectorAll(arguments[0])].some(e => e.checkVisibility());";
        self.until(script, vec![json!(selector)], || format!("`{selector}` stays")).await
    }

    /// Waits until the text of something that a CSS selector finds contains `text`.
    pub async fn wait_text(&self, selector: &str, text: &str) -> Result<()> {
        let script = "return [...document.querySelectorAll(arguments[0])]
                        .some(e => (e.innerText ?? e.textContent).includes(arguments[1]));";
        let waited = self.until(script, vec![json!(selector), json!(text)], || {
            format!("`{selector}` does not come to say `{text}`")
        });
        match waited.await {
            Ok(()) => Ok(()),
            Err(error) => Err(error.context(format!("it says {:?}", self.texts(selector).await?))),
        }
    }

    /// Waits until a script returns true.
    pub async fn wait_true(&self, script: &str) -> Result<()> {
        self.until(script, Vec::new(), || format!("`{script}` does not become true")).await
    }

    /// Waits until the page's worker has answered everything that it was asked, and all of it is drawn: every panel shows
    /// the same moment of the run.
    pub async fn wait_settled(&self) -> Result<()> {
        self.wait_true("return window.unanswered.size === 0;").await.context("the worker goes on answering")
    }

    async fn until(&self, script: &str, args: Vec<Value>, otherwise: impl Fn() -> String) -> Result<()> {
        let since = Instant::now();
        while self.client.execute(script, args.clone()).await? != json!(true) {
            if since.elapsed() >= PATIENCE {
                bail!(otherwise());
            }
            tokio::time::sleep(GLANCE).await;
        }
        Ok(())
    }

    /// The text of the first element that a CSS selector finds, waited for.
    pub async fn text(&self, selector: &str) -> Result<String> {
        Ok(self.wait(selector).await?.text().await?)
    }

    /// The texts of all elements that a CSS selector finds now.
    pub async fn texts(&self, selector: &str) -> Result<Vec<String>> {
        let script = "return [...document.querySelectorAll(arguments[0])].map(e => e.innerText ?? e.textContent);";
        let texts = self.client.execute(script, vec![json!(selector)]).await?;
        Ok(serde_json::from_value(texts)?)
    }

    /// How many elements a CSS selector finds now.
    pub async fn count(&self, selector: &str) -> Result<usize> {
        Ok(self.client.find_all(Locator::Css(selector)).await?.len())
    }

    /// An attribute of the first element that a CSS selector finds, waited for.
    pub async fn attribute(&self, selector: &str, name: &str) -> Result<Option<String>> {
        Ok(self.wait(selector).await?.attr(name).await?)
    }

    /// A computed style of the first element that a CSS selector finds, waited for.
    pub async fn style(&self, selector: &str, property: &str) -> Result<String> {
        Ok(self.wait(selector).await?.css_value(property).await?)
    }

    /// Clicks the first displayed element that a CSS selector finds, waited for.
    pub async fn click(&self, selector: &str) -> Result<()> {
        self.wait(selector).await?.click().await.with_context(|| format!("cannot click `{selector}`"))
    }

    /// Clicks the first displayed button, link or tab whose text contains `text`, waited for.
    pub async fn click_text(&self, text: &str) -> Result<()> {
        let script =
            "const found = [...document.querySelectorAll('button, a, summary, label, [role=button], [role=tab]')]
                        .find(e => e.checkVisibility() && (e.innerText ?? '').includes(arguments[0]));
                      found?.click();
                      return found !== undefined;";
        self.until(script, vec![json!(text)], || format!("there is no button or link `{text}`")).await
    }

    /// Hands files, or one folder, to a file input; the input itself may be hidden.
    pub async fn choose(&self, selector: &str, paths: &[&Path]) -> Result<()> {
        let root = self.tools("DOM.getDocument", json!({ "depth": 0 })).await?;
        let query = json!({ "nodeId": root["root"]["nodeId"], "selector": selector });
        let found = self.tools("DOM.querySelector", query).await?;
        ensure!(found["nodeId"] != json!(0), "there is no file input `{selector}`");
        let files: Vec<_> = paths.iter().map(std::path::absolute).collect::<Result<_, _>>()?;
        self.tools("DOM.setFileInputFiles", json!({ "nodeId": found["nodeId"], "files": files })).await?;
        Ok(())
    }

    /// Drops files or folders on the first element that a CSS selector finds, as a person drags them from their desktop.
    pub async fn drop_on(&self, selector: &str, paths: &[&Path]) -> Result<()> {
        self.wait(selector).await?;
        let middle = "const box = document.querySelector(arguments[0]).getBoundingClientRect();
                      return [box.left + box.width / 2, box.top + box.height / 2];";
        let middle = self.client.execute(middle, vec![json!(selector)]).await?;
        let files: Vec<_> = paths.iter().map(std::path::absolute).collect::<Result<_, _>>()?;
        for kind in ["dragEnter", "dragOver", "drop"] {
            let data = json!({ "items": [], "files": files, "dragOperationsMask": 1 });
            let params = json!({ "type": kind, "x": middle[0], "y": middle[1], "data": data });
            self.tools("Input.dispatchDragEvent", params).await?;
        }
        Ok(())
    }

    /// Runs a script in every page before any of the page's own, from the next load on.
    pub async fn before_load(&self, script: &str) -> Result<()> {
        self.tools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script })).await?;
        Ok(())
    }

    /// What a script returns: `return document.title`.
    pub async fn eval(&self, script: &str) -> Result<Value> {
        Ok(self.client.execute(script, Vec::new()).await?)
    }

    /// The element that has the focus, as its tag, id and text: `button#step "step"`.
    pub async fn focused(&self) -> Result<String> {
        let script = "const e = document.activeElement;
                      const id = e.id ? '#' + e.id : '';
                      return e.tagName.toLowerCase() + id + ' ' + JSON.stringify((e.innerText ?? '').trim().slice(0, 40));";
        let focused = self.eval(script).await?;
        Ok(focused.as_str().unwrap_or_default().to_owned())
    }

    /// A value in the page's local storage.
    pub async fn stored(&self, key: &str) -> Result<Option<String>> {
        let value = self.client.execute("return localStorage.getItem(arguments[0]);", vec![json!(key)]).await?;
        Ok(value.as_str().map(str::to_owned))
    }

    /// Puts a value into the page's local storage.
    pub async fn store(&self, key: &str, value: &str) -> Result<()> {
        let script = "localStorage.setItem(arguments[0], arguments[1]);";
        self.client.execute(script, vec![json!(key), json!(value)]).await?;
        Ok(())
    }

    /// The console's lines since the last call, each with its level.
    pub async fn console(&self) -> Result<Vec<String>> {
        let entries = self.client.issue_cmd(Chromium::Console).await?;
        let entries = entries.as_array().context("the driver sent no console")?;
        let line = |entry: &Value| format!("{} {}", entry["level"], entry["message"]).replace('"', "");
        Ok(entries.iter().map(line).collect())
    }

    /// Fails if the console has shown an error since the last call: a failed load, an exception, `console.error`.
    pub async fn no_console_errors(&self) -> Result<()> {
        let errors: Vec<String> = self.console().await?.into_iter().filter(|line| line.starts_with("SEVERE")).collect();
        ensure!(errors.is_empty(), "the console shows errors:\n{}", errors.join("\n"));
        Ok(())
    }

    /// What has been asked of the site so far, by page and worker, each as its method and path. Nothing else can be
    /// reached: the site's policy forbids it, and a breach is an error on the console.
    pub fn requests(&self) -> Vec<String> {
        self.requests.list()
    }

    /// A method of the developer tools' protocol.
    pub async fn tools(&self, method: &'static str, params: Value) -> Result<Value> {
        self.client.issue_cmd(Chromium::Tools { method, params }).await.with_context(|| format!("{method} failed"))
    }
}

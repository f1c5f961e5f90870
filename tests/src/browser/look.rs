//! How the page looks: its size, the reader's preferences, and pictures of it.

use std::path::Path;

use anyhow::{Context as _, Result};
use base64::Engine as _;
use serde_json::json;

use super::page::Page;

/// A laptop's window: width and height in CSS pixels.
pub const WIDE: (u32, u32) = (1440, 900);

/// A phone's.
pub const NARROW: (u32, u32) = (390, 844);

/// What a picture shows, and in which form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picture {
    /// What the window shows, as PNG.
    Window,
    /// The page down to its end, as PNG.
    Whole,
    /// What the window shows, as WebP of this quality (0 to 100): small enough for the repository.
    Small(u8),
}

impl Page {
    /// Makes the window this large; narrower than a phone's 500 pixels also works, which a real window does not.
    pub async fn resize(&self, (width, height): (u32, u32)) -> Result<()> {
        let params = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.tools("Emulation.setDeviceMetricsOverride", params).await?;
        Ok(())
    }

    /// Sets what the system is said to prefer: dark or light, and whether things may move.
    pub async fn prefer(&self, dark: bool, reduced_motion: bool) -> Result<()> {
        let features = json!([
            { "name": "prefers-color-scheme", "value": if dark { "dark" } else { "light" } },
            { "name": "prefers-reduced-motion", "value": if reduced_motion { "reduce" } else { "no-preference" } },
        ]);
        self.tools("Emulation.setEmulatedMedia", json!({ "features": features })).await?;
        Ok(())
    }

    /// Writes a picture of the page.
    pub async fn shoot(&self, path: &Path, picture: Picture) -> Result<()> {
        let params = match picture {
            Picture::Window => json!({ "format": "png" }),
            Picture::Whole => json!({ "format": "png", "captureBeyondViewport": true, "clip": self.extent().await? }),
            Picture::Small(quality) => json!({ "format": "webp", "quality": quality }),
        };
        let answer = self.tools("Page.captureScreenshot", params).await?;
        let data = answer["data"].as_str().context("the browser sent no picture")?;
        let bytes = base64::engine::general_purpose::STANDARD.decode(data)?;
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Whether something sticks out to the right, so that the page would scroll sideways.
    pub async fn overflows_sideways(&self) -> Result<bool> {
        let wider = "const e = document.documentElement; return e.scrollWidth > e.clientWidth;";
        Ok(self.eval(wider).await? == json!(true))
    }

    async fn extent(&self) -> Result<serde_json::Value> {
        self.eval(
            "const e = document.documentElement;
             return { x: 0, y: 0, width: e.scrollWidth, height: e.scrollHeight, scale: 1 };",
        )
        .await
    }
}

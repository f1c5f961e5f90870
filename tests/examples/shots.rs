//! Photographs the page: `shots FOR_REVIEW FOR_README`, two folders.
//!
//! `cargo xtask shots` builds the page and calls this.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use rocketscope_tests::browser::{self, Key, NARROW, Page, Picture, WIDE};
use serde_json::json;

/// How long the page is left alone before a picture, so that nothing is in the middle of a movement.
const SETTLE: Duration = Duration::from_millis(700);

/// The size of the README's picture.
const README: (u32, u32) = (1280, 800);

/// One picture of a screen.
struct Shot {
    name: &'static str,
    lang: &'static str,
    theme: &'static str,
    size: (u32, u32),
    scene: Scene,
}

/// What is on the screen.
#[derive(Clone, Copy)]
enum Scene {
    /// Lesson 01 after this many steps.
    Lesson(usize),
    /// The explorer before anything is chosen.
    Explorer,
    /// The explorer with a store that the real broker wrote.
    Store,
    /// The sandbox.
    Sandbox,
}

const SHOTS: [Shot; 9] = [
    Shot { name: "wide", lang: "en", theme: "light", size: WIDE, scene: Scene::Lesson(14) },
    Shot { name: "dark", lang: "en", theme: "dark", size: WIDE, scene: Scene::Lesson(14) },
    Shot { name: "chinese", lang: "zh", theme: "light", size: WIDE, scene: Scene::Lesson(14) },
    Shot { name: "narrow", lang: "en", theme: "light", size: NARROW, scene: Scene::Lesson(14) },
    Shot { name: "narrow-chinese-dark", lang: "zh", theme: "dark", size: NARROW, scene: Scene::Lesson(14) },
    Shot { name: "explorer", lang: "en", theme: "light", size: WIDE, scene: Scene::Explorer },
    Shot { name: "store", lang: "en", theme: "light", size: WIDE, scene: Scene::Store },
    Shot { name: "store-dark", lang: "en", theme: "dark", size: WIDE, scene: Scene::Store },
    Shot { name: "sandbox", lang: "en", theme: "light", size: WIDE, scene: Scene::Sandbox },
];

fn main() -> Result<()> {
    let mut folders = std::env::args_os().skip(1).map(PathBuf::from);
    let review = folders.next().context("the first argument names the folder for the reviewers' pictures")?;
    let readme = folders.next().context("the second argument names the folder for the README's picture")?;
    browser::try_run(async |page| {
        for shot in &SHOTS {
            let path = review.join(format!("{}.png", shot.name));
            take(page, shot, &path, Picture::Window).await.with_context(|| shot.name)?;
        }
        let shot = Shot { name: "screenshot", lang: "en", theme: "light", size: README, scene: Scene::Lesson(14) };
        take(page, &shot, &readme.join("screenshot.webp"), Picture::Small(82)).await
    })
}

async fn take(page: &Page, shot: &Shot, path: &Path, picture: Picture) -> Result<()> {
    page.resize(shot.size).await?;
    page.prefer(shot.theme == "dark", true).await?;
    page.open("").await?;
    let settings = json!({ "lang": shot.lang, "theme": shot.theme, "hexadecimal": false });
    page.store("rocketscope.settings", &settings.to_string()).await?;
    page.open(match shot.scene {
        Scene::Lesson(_) => "#/lesson/01",
        Scene::Explorer | Scene::Store => "#/explorer",
        Scene::Sandbox => "#/sandbox",
    })
    .await?;
    page.reload().await?;
    page.wait("main").await?;
    match shot.scene {
        Scene::Lesson(steps) => {
            tokio::time::sleep(SETTLE).await;
            for _ in 0..steps {
                page.press(Key::Right).await?;
                tokio::time::sleep(SETTLE / 5).await;
            }
        }
        Scene::Store => {
            let store = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/basic.zip");
            page.choose("input[type=file]:not([webkitdirectory])", &[&store]).await?;
        }
        Scene::Explorer | Scene::Sandbox => {}
    }
    tokio::time::sleep(SETTLE).await;
    page.shoot(path, picture).await?;
    println!("{}", path.display());
    Ok(())
}

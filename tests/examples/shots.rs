//! Photographs the page: `shots FOR_REVIEW FOR_README [NAME ...]`, two folders, and which pictures alone to take.
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

/// The offers of lesson 01 to take, and how many steps to go after each: the last stops in the middle of things.
const PLAY: [(&str, usize); 4] = [("m1", 8), ("m2", 8), ("m3", 8), ("resume", 1)];

/// Where the inspector looks in lesson 01: at the record of M2.
const RECORD: &str = "#/lesson/01?tab=disk&file=commitlog/00000000000000000000&at=1200";

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
    /// Lesson 01: three messages are in the log, and reput has dispatched the first.
    Lesson,
    /// The explorer before anything is chosen.
    Explorer,
    /// The explorer with a store that the real broker wrote.
    Store,
    /// The sandbox.
    Sandbox,
    /// The menu of lessons, over lesson 01.
    Menu,
    /// The fault menu over the sandbox, open at a part of it, in the middle of a send.
    Faults(&'static str),
    /// The sandbox's broker right after a power loss took what was not flushed.
    PowerLost,
    /// The Recovery tab after the start that followed.
    Recovery,
    /// What a start would do to the sample store.
    DryRun,
}

const SHOTS: [Shot; 22] = [
    Shot { name: "wide", lang: "en", theme: "light", size: WIDE, scene: Scene::Lesson },
    Shot { name: "dark", lang: "en", theme: "dark", size: WIDE, scene: Scene::Lesson },
    Shot { name: "chinese", lang: "zh", theme: "light", size: WIDE, scene: Scene::Lesson },
    Shot { name: "narrow", lang: "en", theme: "light", size: NARROW, scene: Scene::Lesson },
    Shot { name: "narrow-chinese-dark", lang: "zh", theme: "dark", size: NARROW, scene: Scene::Lesson },
    Shot { name: "explorer", lang: "en", theme: "light", size: WIDE, scene: Scene::Explorer },
    Shot { name: "store", lang: "en", theme: "light", size: WIDE, scene: Scene::Store },
    Shot { name: "store-dark", lang: "en", theme: "dark", size: WIDE, scene: Scene::Store },
    Shot { name: "sandbox", lang: "en", theme: "light", size: WIDE, scene: Scene::Sandbox },
    Shot { name: "menu", lang: "en", theme: "light", size: WIDE, scene: Scene::Menu },
    Shot { name: "narrow-menu", lang: "zh", theme: "dark", size: NARROW, scene: Scene::Menu },
    Shot { name: "fault-process", lang: "en", theme: "light", size: WIDE, scene: Scene::Faults("process") },
    Shot { name: "fault-write", lang: "en", theme: "dark", size: WIDE, scene: Scene::Faults("write") },
    Shot { name: "fault-power-chinese", lang: "zh", theme: "light", size: WIDE, scene: Scene::Faults("power") },
    Shot { name: "fault-disk", lang: "en", theme: "light", size: WIDE, scene: Scene::Faults("disk") },
    Shot { name: "narrow-fault-files", lang: "en", theme: "light", size: NARROW, scene: Scene::Faults("files") },
    Shot {
        name: "narrow-fault-chinese-dark",
        lang: "zh",
        theme: "dark",
        size: NARROW,
        scene: Scene::Faults("process"),
    },
    Shot { name: "power-lost", lang: "en", theme: "light", size: WIDE, scene: Scene::PowerLost },
    Shot { name: "recovery", lang: "en", theme: "light", size: WIDE, scene: Scene::Recovery },
    Shot { name: "recovery-chinese-dark", lang: "zh", theme: "dark", size: WIDE, scene: Scene::Recovery },
    Shot { name: "narrow-recovery", lang: "en", theme: "light", size: NARROW, scene: Scene::Recovery },
    Shot { name: "dry-run", lang: "en", theme: "light", size: WIDE, scene: Scene::DryRun },
];

fn main() -> Result<()> {
    let mut folders = std::env::args_os().skip(1).map(PathBuf::from);
    let review = folders.next().context("the first argument names the folder for the reviewers' pictures")?;
    let readme = folders.next().context("the second argument names the folder for the README's picture")?;
    let names: Vec<String> = std::env::args().skip(3).collect();
    let wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    browser::try_run(async |page| {
        for shot in SHOTS.iter().filter(|shot| wanted(shot.name)) {
            let path = review.join(format!("{}.png", shot.name));
            take(page, shot, &path, Picture::Window).await.with_context(|| shot.name)?;
        }
        if !wanted("screenshot") {
            return Ok(());
        }
        let shot = Shot { name: "screenshot", lang: "en", theme: "light", size: README, scene: Scene::Lesson };
        take(page, &shot, &readme.join("screenshot.webp"), Picture::Small(82)).await
    })
}

/// Events of a start that are enough for its recovery and some dispatch.
const STARTING: usize = 6;

/// Two messages sent, the second so lately that nothing of it is flushed; the last event is its append.
async fn write_unflushed(page: &Page) -> Result<()> {
    for _ in 0..2 {
        page.click("[data-testid=send]").await?;
        for _ in 0..40 {
            page.press(Key::Right).await?;
            tokio::time::sleep(SETTLE / 8).await;
            if page.texts(".saying-who").await?.iter().any(|who| who.contains("put")) {
                break;
            }
        }
    }
    Ok(())
}

/// Takes a deed of the fault menu, by its part and its name.
async fn fault(page: &Page, section: &str, deed: &str) -> Result<()> {
    page.click("[data-testid=fault]").await?;
    page.click(&format!("[data-testid='fault:{section}']")).await?;
    page.click(&format!("[data-testid='{deed}']")).await?;
    page.wait_gone("[data-testid=fault-menu]").await
}

async fn lose_power(page: &Page) -> Result<()> {
    fault(page, "power", "fault-power").await
}

async fn take(page: &Page, shot: &Shot, path: &Path, picture: Picture) -> Result<()> {
    // A lesson is played in a window wide enough for all of its columns.
    page.resize(WIDE).await?;
    page.prefer(shot.theme == "dark", true).await?;
    page.open("").await?;
    page.wait("main").await?;
    let settings = json!({ "lang": shot.lang, "theme": shot.theme, "hexadecimal": false });
    page.store("rocketscope.settings", &settings.to_string()).await?;
    page.open(match shot.scene {
        Scene::Lesson | Scene::Menu => "#/lesson/01",
        Scene::Explorer | Scene::Store | Scene::DryRun => "#/explorer",
        Scene::Sandbox | Scene::Faults(_) | Scene::PowerLost | Scene::Recovery => "#/sandbox",
    })
    .await?;
    page.reload().await?;
    page.wait("main").await?;
    match shot.scene {
        Scene::Lesson => {
            for (offer, steps) in PLAY {
                page.click(&format!("[data-testid='offer:{offer}']")).await?;
                for _ in 0..steps {
                    page.press(Key::Right).await?;
                    tokio::time::sleep(SETTLE / 8).await;
                }
            }
            page.open(RECORD).await?;
        }
        Scene::Store => {
            page.click("[data-testid=open-sample]").await?;
            page.wait("[data-testid=tree]").await?;
        }
        Scene::DryRun => {
            page.click("[data-testid=open-sample]").await?;
            page.click("[data-testid=tab-recovery]").await?;
            page.click("[data-testid=dry-run]").await?;
            page.wait("[data-testid=recovery]").await?;
        }
        Scene::Faults(_) => write_unflushed(page).await?,
        Scene::PowerLost => {
            write_unflushed(page).await?;
            lose_power(page).await?;
        }
        Scene::Recovery => {
            write_unflushed(page).await?;
            lose_power(page).await?;
            fault(page, "process", "fault-start").await?;
            for _ in 0..STARTING {
                page.press(Key::Right).await?;
                tokio::time::sleep(SETTLE / 8).await;
            }
            page.open("#/sandbox?tab=recovery").await?;
            page.wait("[data-testid=recovery]").await?;
        }
        Scene::Explorer | Scene::Sandbox | Scene::Menu => {}
    }
    page.resize(shot.size).await?;
    match shot.scene {
        Scene::Menu => page.click("[data-testid=nav-lessons]").await?,
        Scene::Faults(section) => {
            page.click("[data-testid=fault]").await?;
            page.click(&format!("[data-testid='fault:{section}']")).await?;
        }
        _ => {}
    }
    tokio::time::sleep(SETTLE).await;
    page.shoot(path, picture).await?;
    println!("{}", path.display());
    Ok(())
}

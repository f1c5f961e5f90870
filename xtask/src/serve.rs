//! `cargo xtask serve`: build the page, serve it here, rebuild when a file changes.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::page::{PageTools, QUICK};
use crate::say;
use crate::workspace::Workspace;

const FIRST_PORT: u16 = 8080;

/// Serves until stopped by Ctrl-C.
pub(crate) fn serve(workspace: &Workspace, port: Option<u16>, open: bool) -> Result<()> {
    let port = match port {
        Some(port) => port,
        None => free_port().context("no free port from 8080 to 8099; name one with --port")?,
    };
    let page = PageTools::ensure(workspace)?;

    say::heading("Building the page (the first time takes a few minutes)");
    let site = workspace.target.join("site/serve");
    let index = site.join("index.html");
    if index.exists() {
        // Its coming back tells that the build has succeeded.
        std::fs::remove_file(&index)?;
    }
    std::thread::spawn(move || announce(port, &index));

    let show = open && has_display();
    page.trunk()
        .args(["serve", "--skip-version-check", "--cargo-profile", QUICK, "--address", "127.0.0.1"])
        .args(["--port".to_owned(), port.to_string(), format!("--open={show}"), "--dist".to_owned()])
        .arg(site)
        .run()
}

/// Waits for the server and prints the address last, where it is seen.
fn announce(port: u16, index: &Path) {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    while TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_err() {
        std::thread::sleep(Duration::from_millis(200));
    }
    if !index.exists() {
        say::note("the page did not build (see above); it is built again when a file changes");
        while !index.exists() {
            std::thread::sleep(Duration::from_millis(500));
        }
    }
    // After the lines that Trunk prints about its own addresses.
    std::thread::sleep(Duration::from_millis(300));
    println!("\n{}    (Ctrl-C stops it)\n", say::bold(&format!("RocketScope is at http://localhost:{port}/")));
}

fn free_port() -> Option<u16> {
    (FIRST_PORT..FIRST_PORT + 20).find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok())
}

/// Whether a browser opened here would be seen by the person who asked.
fn has_display() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if set("CI") || set("SSH_CONNECTION") {
        return false;
    }
    cfg!(any(windows, target_os = "macos")) || set("DISPLAY") || set("WAYLAND_DISPLAY")
}

//! A static host in a few lines: what the page is served by in the tests.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, Result};

/// The site lies below this path, so that an address that is not relative is found out.
const BELOW: &str = "/some/project/";

/// A server of one folder, until dropped.
pub(super) struct Server {
    address: SocketAddr,
    stopped: Arc<AtomicBool>,
}

impl Server {
    /// Serves `site` on a free port of this machine.
    pub(super) fn start(site: PathBuf) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no free port for the site")?;
        let address = listener.local_addr()?;
        let stopped = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stopped);
        let site = Arc::new(site);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if seen.load(Ordering::Relaxed) {
                    return;
                }
                let site = Arc::clone(&site);
                // A browser that goes away in the middle of an answer is no error.
                std::thread::spawn(move || answer(stream, &site).ok());
            }
        });
        Ok(Self { address, stopped })
    }

    /// Where the page is.
    pub(super) fn address(&self) -> String {
        format!("http://{}{BELOW}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        // Wakes the listener, so that it sees the flag.
        drop(TcpStream::connect(self.address));
    }
}

/// Answers one request and closes the connection.
fn answer(mut stream: TcpStream, site: &Path) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?.take(16 * 1024));
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }

    let path = request.split_whitespace().nth(1).unwrap_or("/");
    let (status, kind, body) = match file(site, path) {
        Some((kind, body)) => ("200 OK", kind, body),
        None => ("404 Not Found", "text/plain", format!("there is no {path}").into_bytes()),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    if !request.starts_with("HEAD ") {
        stream.write_all(&body)?;
    }
    stream.flush()
}

/// Type and bytes of the file at a request's path, or `None` if the site has no such file.
fn file(site: &Path, path: &str) -> Option<(&'static str, Vec<u8>)> {
    let path = path.split(['?', '#']).next()?.strip_prefix(BELOW)?;
    let path = Path::new(if path.is_empty() { "index.html" } else { path });
    if !path.components().all(|component| matches!(component, Component::Normal(_))) {
        return None;
    }
    let kind = match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("json" | "webmanifest") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("webp") => "image/webp",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("txt" | "md" | "toml") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    };
    Some((kind, std::fs::read(site.join(path)).ok()?))
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;

    use super::{BELOW, Server};

    fn get(server: &Server, path: &str) -> String {
        let mut stream = TcpStream::connect(server.address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn files_come_with_their_types_and_nothing_else_comes() {
        let site = tempfile::tempdir().unwrap();
        std::fs::write(site.path().join("index.html"), "<p>hello").unwrap();
        std::fs::write(site.path().join("a.wasm"), "code").unwrap();
        let server = Server::start(site.path().to_owned()).unwrap();

        let index = get(&server, BELOW);
        assert!(index.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/html"), "{index}");
        assert!(index.ends_with("\r\n\r\n<p>hello"), "{index}");
        assert!(get(&server, &format!("{BELOW}a.wasm?x=1")).contains("Content-Type: application/wasm\r\n"));
        for absent in ["/", "/a.wasm", "/some/project/b.js", "/some/project/../project/a.wasm"] {
            assert!(get(&server, absent).starts_with("HTTP/1.1 404"), "{absent}");
        }
    }
}

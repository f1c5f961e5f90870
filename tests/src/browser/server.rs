//! A static host in a few lines: what the page is served by in the tests.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result};

/// The site lies below this path, so that an address that is not relative is found out.
const BELOW: &str = "/some/project/";

/// What a browser is told of the site: it is whole, and nothing of the page, its worker included, comes from elsewhere
/// or goes elsewhere. A breach shows on the console as an error.
const POLICY: &str = "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; \
                      style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The requests that came in so far, each as its method and path, oldest first.
#[derive(Clone, Default)]
pub(super) struct Requests(Arc<Mutex<Vec<String>>>);

impl Requests {
    fn note(&self, line: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    pub(super) fn list(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A server of one folder, until dropped.
pub(super) struct Server {
    address: SocketAddr,
    stopped: Arc<AtomicBool>,
    requests: Requests,
}

impl Server {
    /// Serves `site` on a free port of this machine.
    pub(super) fn start(site: PathBuf) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no free port for the site")?;
        let address = listener.local_addr()?;
        let stopped = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stopped);
        let site = Arc::new(site);
        let requests = Requests::default();
        let noted = requests.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if seen.load(Ordering::Relaxed) {
                    return;
                }
                let (site, noted) = (Arc::clone(&site), noted.clone());
                // A browser that goes away in the middle of an answer is no error.
                std::thread::spawn(move || answer(stream, &site, &noted).ok());
            }
        });
        Ok(Self { address, stopped, requests })
    }

    /// What it is asked for; goes on filling.
    pub(super) fn requests(&self) -> Requests {
        self.requests.clone()
    }

    /// Scheme, host and port.
    pub(super) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Where the page is.
    pub(super) fn address(&self) -> String {
        format!("{}{BELOW}", self.origin())
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
fn answer(mut stream: TcpStream, site: &Path, noted: &Requests) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?.take(16 * 1024));
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }

    let mut words = request.split_whitespace();
    let (method, path) = (words.next().unwrap_or("?"), words.next().unwrap_or("/"));
    noted.note(format!("{method} {path}"));
    let (status, kind, body) = match file(site, path) {
        Some((kind, body)) => ("200 OK", kind, body),
        None => ("404 Not Found", "text/plain", format!("there is no {path}").into_bytes()),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\nContent-Security-Policy: {POLICY}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    if method != "HEAD" {
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
        let requests = server.requests().list();
        assert_eq!(requests[..2], ["GET /some/project/", "GET /some/project/a.wasm?x=1"]);
        assert_eq!(requests.len(), 6);
    }
}

//! The worker's side: one question after the other.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, DedicatedWorkerGlobalScope, File, MessageEvent};

use super::desk::Desk;
use super::fetch::{FetchedFile, Fetcher, Stream};
use super::folder::{Content, Folder};
use super::protocol::{OpenError, Opening, Reply, Request};
use super::unzip;

/// Serves the page from inside a worker; `None` if this is no worker.
pub fn serve() -> Option<()> {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().dyn_into().ok()?;
    let teller = scope.clone();
    std::panic::set_hook(Box::new(move |info| {
        console_error_panic_hook::hook(info);
        let message = js_sys::Object::new();
        // If even this fails, the console has the cause.
        let _ = Reflect::set(&message, &"fault".into(), &info.to_string().into());
        let _ = teller.post_message(&message);
    }));
    if super::matrix::serve() {
        return Some(());
    }
    let desk = Rc::new(RefCell::new(Desk::default()));
    let answerer = scope.clone();
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let data = event.data();
        let Some((reply, file)) = hear(&mut desk.borrow_mut(), &data) else { return };
        let Ok(text) = serde_json::to_string(&reply) else { return };
        let message = js_sys::Object::new();
        let _ = Reflect::set(&message, &"id".into(), &field(&data, "id"));
        let _ = Reflect::set(&message, &"text".into(), &text.into());
        if let Some(file) = file {
            let _ = Reflect::set(&message, &"file".into(), &file);
        }
        let _ = answerer.post_message(&message);
    });
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    let ready = js_sys::Object::new();
    let _ = Reflect::set(&ready, &"ready".into(), &JsValue::TRUE);
    scope.post_message(&ready).ok()
}

fn field(data: &JsValue, name: &str) -> JsValue {
    Reflect::get(data, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

/// Takes a message of the page, and answers with a file beside the answer where one belongs to it; `None` for a message
/// that is not ours.
fn hear(desk: &mut Desk, data: &JsValue) -> Option<(Reply, Option<Blob>)> {
    let request: Request = serde_json::from_str(&field(data, "text").as_string()?).ok()?;
    let reply = match request {
        Request::Export { node } => {
            return Some(match desk.export(&node) {
                Ok((exported, file)) => (Reply::Exported(Ok(exported)), Some(file)),
                Err(error) => (Reply::Exported(Err(error)), None),
            });
        }
        Request::Ask(query) => Reply::Answer(Box::new(desk.answer(query))),
        Request::Choose { root } => Reply::Opened(desk.choose(root)),
        Request::Open(opening) => {
            let files = field(data, "files").dyn_into::<Array>().unwrap_or_default();
            Reply::Opened(open(&opening, &files).and_then(|folder| desk.open(opening.name(), folder)))
        }
    };
    Some((reply, None))
}

fn open(opening: &Opening, files: &Array) -> Result<Folder, OpenError> {
    let fetcher = Fetcher::new().map_err(OpenError::Unreadable)?;
    let fetched = files.iter().zip(0..).filter_map(|(file, id)| {
        let modified = file.dyn_ref::<File>().map_or(0, |file| file.last_modified() as i64);
        let blob = file.dyn_into::<Blob>().ok()?;
        Some(FetchedFile::new(Rc::clone(&fetcher), id, blob, modified))
    });
    match opening {
        Opening::Directory { paths, .. } => {
            let files: Vec<_> =
                paths.iter().cloned().zip(fetched.map(|file| Rc::new(file) as Rc<dyn Content>)).collect();
            if files.is_empty() { Err(OpenError::Empty) } else { Ok(Folder::new(files)) }
        }
        Opening::Zip { .. } => match { fetched }.next() {
            Some(file) => unzip::unzip(Stream::new(file), unzip::LIMIT),
            None => Err(OpenError::Empty),
        },
    }
}

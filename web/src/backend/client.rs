//! The page's side.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use futures_channel::oneshot;
use js_sys::{Array, Reflect};
use rocketscope_engine::view::{Answer, Failure, Query};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::protocol::{ExportError, Exported, OpenError, Opened, Opening, Reply, Request};
use crate::fatal;

/// The worker, and the questions that it has not answered yet.
#[derive(Clone)]
pub struct Backend {
    link: Rc<Link>,
}

impl PartialEq for Backend {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.link, &other.link)
    }
}

struct Link {
    worker: Worker,
    ready: Cell<bool>,
    /// Messages that wait for the worker to be ready.
    held: RefCell<Vec<JsValue>>,
    waiting: RefCell<BTreeMap<u32, oneshot::Sender<(Reply, JsValue)>>>,
    next: Cell<u32>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskError {
    /// The engine's word.
    Failed(Failure),
    /// The worker is gone; the page says so in its own way.
    Gone,
}

impl Backend {
    /// Starts the worker.
    ///
    /// # Panics
    ///
    /// Where the browser has no workers: the page cannot work without one, and a panic is how it says so.
    pub fn start() -> Self {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = match Worker::new_with_options("./worker.js", &options) {
            Ok(worker) => worker,
            Err(cause) => panic!("no worker: {cause:?}"),
        };
        let link = Rc::new(Link {
            worker,
            ready: Cell::new(false),
            held: RefCell::default(),
            waiting: RefCell::default(),
            next: Cell::new(0),
        });
        let hearer = Rc::downgrade(&link);
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            if let Some(link) = hearer.upgrade() {
                link.hear(&event.data());
            }
        });
        // A worker that cannot even load says so here, and no more than that.
        let on_error = Closure::<dyn FnMut(ErrorEvent)>::new(|event: ErrorEvent| {
            let message = Reflect::get(&event, &"message".into()).ok().and_then(|message| message.as_string());
            fatal::show(&message.unwrap_or_else(|| "worker.js could not be loaded".to_owned()));
        });
        link.worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        on_error.forget();
        link.worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        on_message.forget();
        Self { link }
    }

    /// Asks, and waits for the answer.
    pub async fn ask(&self, query: Query) -> Result<Answer, AskError> {
        match self.send(&Request::Ask(query), None).await {
            Some((Reply::Answer(answer), _)) => match *answer {
                Answer::Failed(failure) => Err(AskError::Failed(failure)),
                answer => Ok(answer),
            },
            _ => Err(AskError::Gone),
        }
    }

    /// Opens a store in place of the one that is open. On an error the one before stays open.
    pub async fn open(&self, opening: Opening, files: Array) -> Result<Opened, OpenError> {
        self.opened(&Request::Open(opening), Some(files)).await
    }

    /// Looks at another of the stores found in what is open.
    pub async fn choose(&self, root: String) -> Result<Opened, OpenError> {
        self.opened(&Request::Choose { root }, None).await
    }

    async fn opened(&self, request: &Request, files: Option<Array>) -> Result<Opened, OpenError> {
        match self.send(request, files).await {
            Some((Reply::Opened(opened), _)) => opened,
            _ => Err(OpenError::Unreadable("the worker is gone".to_owned())),
        }
    }

    /// Packs the disk of a broker of the running world: what was packed, and the archive.
    pub async fn export(&self, node: String) -> Result<(Exported, Blob), ExportError> {
        match self.send(&Request::Export { node }, None).await {
            Some((Reply::Exported(exported), file)) => {
                let file = file.dyn_into().map_err(|_| ExportError::Failed("no archive came".to_owned()));
                Ok((exported?, file?))
            }
            _ => Err(ExportError::Failed("the worker is gone".to_owned())),
        }
    }

    /// The answer, and the file beside it if there is one.
    async fn send(&self, request: &Request, files: Option<Array>) -> Option<(Reply, JsValue)> {
        let text = serde_json::to_string(request).ok()?;
        let id = self.link.next.get();
        self.link.next.set(id.wrapping_add(1));
        let message = js_sys::Object::new();
        Reflect::set(&message, &"id".into(), &id.into()).ok()?;
        Reflect::set(&message, &"text".into(), &text.into()).ok()?;
        if let Some(files) = files {
            Reflect::set(&message, &"files".into(), &files).ok()?;
        }
        let (sender, receiver) = oneshot::channel();
        self.link.waiting.borrow_mut().insert(id, sender);
        if self.link.ready.get() {
            self.link.worker.post_message(&message).ok()?;
        } else {
            self.link.held.borrow_mut().push(message.into());
        }
        receiver.await.ok()
    }
}

impl Link {
    fn hear(&self, data: &JsValue) {
        let field = |name: &str| Reflect::get(data, &name.into()).unwrap_or(JsValue::UNDEFINED);
        if let Some(cause) = field("fault").as_string() {
            fatal::show(&cause);
        } else if field("ready").is_truthy() {
            self.ready.set(true);
            for message in self.held.take() {
                // It fails only on what cannot be copied, and these are texts and files.
                let _ = self.worker.post_message(&message);
            }
        } else if let (Some(id), Some(text)) = (field("id").as_f64(), field("text").as_string()) {
            let waiting = self.waiting.borrow_mut().remove(&(id as u32));
            match (waiting, serde_json::from_str(&text)) {
                // The asker may have lost interest.
                (Some(sender), Ok(reply)) => drop(sender.send((reply, field("file")))),
                (_, Err(cause)) => fatal::show(&format!("an answer that cannot be read: {cause}")),
                (None, Ok(_)) => {}
            }
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

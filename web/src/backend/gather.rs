//! Gathering the files of what the reader picked or dropped.

use js_sys::{Array, Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, DataTransfer, File, FileList, FileSystemDirectoryEntry, FileSystemEntry, FileSystemFileEntry, Response,
};

use super::Opening;

/// What is to be opened, with its files.
pub struct Gathered {
    /// What it is.
    pub opening: Opening,
    /// The files beside it.
    pub files: Array,
}

/// The files of a directory input, or the one of an archive input.
pub fn from_list(list: &FileList) -> Option<Gathered> {
    let files: Vec<File> = (0..list.length()).filter_map(|index| list.get(index)).collect();
    let placed: Vec<_> = files.into_iter().map(|file| (relative_path(&file), file)).collect();
    from_files(&placed)
}

/// The path that a directory input gives to each file, the directory's own name first; a single file's name.
fn relative_path(file: &File) -> String {
    let path = Reflect::get(file, &"webkitRelativePath".into()).ok().and_then(|path| path.as_string());
    path.filter(|path| !path.is_empty()).unwrap_or_else(|| file.name())
}

fn from_files(placed: &[(String, File)]) -> Option<Gathered> {
    let (first, file) = placed.first()?;
    if placed.len() == 1 && is_archive(file) {
        return Some(Gathered { opening: Opening::Zip { name: file.name() }, files: Array::of1(file) });
    }
    // The name of the directory itself is not part of the paths in it, unless several things were dropped together.
    let top = first.split_once('/').map(|(top, _)| top.to_owned());
    let shared = top.filter(|top| placed.iter().all(|(path, _)| path.split('/').next() == Some(top.as_str())));
    let name = shared.clone().unwrap_or_else(|| "…".to_owned());
    let inside = |path: &str| match &shared {
        Some(top) => path.get(top.len() + 1..).unwrap_or_default().to_owned(),
        None => path.to_owned(),
    };
    let paths = placed.iter().map(|(path, _)| inside(path)).collect();
    Some(Gathered { opening: Opening::Directory { name, paths }, files: placed.iter().map(|(_, file)| file).collect() })
}

fn is_archive(file: &File) -> bool {
    let name = file.name().to_ascii_lowercase();
    std::path::Path::new(&name).extension().is_some_and(|extension| extension == "zip" || extension == "jar")
}

/// The things in a drop. They must be taken during the event: afterwards the browser has forgotten them.
pub fn entries(transfer: &DataTransfer) -> Vec<FileSystemEntry> {
    let items = transfer.items();
    (0..items.length()).filter_map(|index| items.get(index)?.webkit_get_as_entry().ok().flatten()).collect()
}

/// The files of dropped things, directories walked.
pub async fn from_entries(entries: Vec<FileSystemEntry>) -> Result<Option<Gathered>, JsValue> {
    let mut placed = Vec::new();
    let mut left = entries;
    while let Some(entry) = left.pop() {
        if entry.is_directory() {
            left.extend(children(entry.unchecked_into()).await?);
        } else {
            let path = entry.full_path().trim_start_matches('/').to_owned();
            placed.push((path, file(entry.unchecked_into()).await?));
        }
    }
    Ok(from_files(&placed))
}

async fn children(directory: FileSystemDirectoryEntry) -> Result<Vec<FileSystemEntry>, JsValue> {
    let reader = directory.create_reader();
    let mut found = Vec::new();
    loop {
        // A reader hands out a hundred or so at a time, and nothing at the end.
        let some = called_back(|done, failed| reader.read_entries_with_callback_and_callback(done, failed)).await?;
        let some: Array = some.dyn_into()?;
        if some.length() == 0 {
            return Ok(found);
        }
        found.extend(some.iter().map(JsCast::unchecked_into::<FileSystemEntry>));
    }
}

async fn file(entry: FileSystemFileEntry) -> Result<File, JsValue> {
    called_back(|done, failed| {
        entry.file_with_callback_and_callback(done, failed);
        Ok(())
    })
    .await?
    .dyn_into()
}

/// Waits for a function that takes two callbacks, as the browser's older interfaces do.
async fn called_back(call: impl Fn(&Function, &Function) -> Result<(), JsValue>) -> Result<JsValue, JsValue> {
    let promise = Promise::new(&mut |done, failed| {
        if let Err(cause) = call(&done, &failed) {
            // Telling the promise of it cannot fail.
            let _ = failed.call1(&JsValue::UNDEFINED, &cause);
        }
    });
    JsFuture::from(promise).await
}

/// The sample store that comes with the page.
pub async fn sample() -> Result<Gathered, JsValue> {
    let response: Response = JsFuture::from(gloo::utils::window().fetch_with_str("./sample.zip")).await?.dyn_into()?;
    if !response.ok() {
        return Err(format!("{} {}", response.status(), response.status_text()).into());
    }
    let blob: Blob = JsFuture::from(response.blob()?).await?.dyn_into()?;
    Ok(Gathered { opening: Opening::Zip { name: "sample".to_owned() }, files: Array::of1(&blob) })
}

//! Run files: written for the reader, and read from what they picked or dropped.

use js_sys::{Array, Reflect};
use rocketscope_engine::link::FILE_EXTENSION;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, File, FileList, HtmlElement, Url};

/// Hands a file to the reader, who saves it as any download. Whether the browser took it.
pub(super) fn save(name: &str, content: &str) -> bool {
    save_blob(name, Blob::new_with_str_sequence(&Array::of1(&content.into()))).is_ok()
}

/// The same of bytes.
pub(super) fn save_blob(name: &str, blob: Result<Blob, JsValue>) -> Result<(), JsValue> {
    let url = Url::create_object_url_with_blob(&blob?)?;
    let anchor: HtmlElement = gloo::utils::document().create_element("a")?.dyn_into()?;
    anchor.set_attribute("href", &url)?;
    anchor.set_attribute("download", name)?;
    anchor.click();
    // The download has begun, and holds what it needs.
    Url::revoke_object_url(&url)
}

/// The name of a run file.
pub(super) fn name(lesson: Option<&str>) -> String {
    format!("{}.{FILE_EXTENSION}", lesson.unwrap_or("sandbox"))
}

/// Copies a text. Whether the browser let it: it need not, where the page is not served securely or the reader said no.
pub(super) async fn copy(text: &str) -> bool {
    let navigator = gloo::utils::window().navigator();
    // Asked for on a page that is not served securely, it is not there at all.
    if !Reflect::get(&navigator, &"clipboard".into()).is_ok_and(|clipboard| clipboard.is_object()) {
        return false;
    }
    JsFuture::from(navigator.clipboard().write_text(text)).await.is_ok()
}

/// The run file in a drop or a choice of files, if it is one such file alone.
pub fn dropped_run(files: Option<FileList>) -> Option<File> {
    let file = files.filter(|files| files.length() == 1)?.get(0)?;
    file.name().to_ascii_lowercase().ends_with(&format!(".{FILE_EXTENSION}")).then_some(file)
}

/// What a run file holds; what cannot be read holds no link, and is refused as that.
pub async fn read_run(file: File) -> String {
    JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string()).unwrap_or_default()
}

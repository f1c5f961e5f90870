//! Knowing how large an element is, whatever changes it: the window, a column that appears, a font.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver};
use yew::{Callback, NodeRef, hook, use_effect_with};

/// Calls back with the element's width and height, pixels, at first and after every change.
#[hook]
pub fn use_resize(node: NodeRef, on_resize: Callback<(i32, i32)>) {
    use_effect_with((node, on_resize), |(node, on_resize)| {
        let (element, on_resize) = (node.cast::<Element>(), on_resize.clone());
        let watched = element.clone();
        let tell = Closure::<dyn FnMut()>::new(move || {
            if let Some(element) = &watched {
                on_resize.emit((element.client_width(), element.client_height()));
            }
        });
        let observer = ResizeObserver::new(tell.as_ref().unchecked_ref()).ok();
        if let (Some(observer), Some(element)) = (&observer, &element) {
            observer.observe(element);
        }
        move || {
            if let Some(observer) = observer {
                observer.disconnect();
            }
            drop(tell);
        }
    });
}

//! Lists that are longer than any element of a browser can be high: only the rows in sight are drawn.

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, WheelEvent};
use yew::{
    Callback, Children, Html, Properties, component, html, use_callback, use_effect_with, use_mut_ref, use_node_ref,
    use_state_eq,
};

use crate::components::resize::use_resize;

/// Browsers stop at some tens of millions of pixels; far below that, positions are still exact.
const MAX_HEIGHT: f64 = 4_000_000.0;

/// A list in a box.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Extent {
    rows: u64,
    row_px: f64,
    view_px: f64,
}

impl Extent {
    fn full_height(self) -> f64 {
        self.rows as f64 * self.row_px
    }

    /// Whether the list is too long to give every row its own pixels.
    fn scaled(self) -> bool {
        self.full_height() > MAX_HEIGHT
    }

    fn height(self) -> f64 {
        self.full_height().min(MAX_HEIGHT)
    }

    /// Rows that fit whole.
    fn page(self) -> u64 {
        (self.view_px / self.row_px).floor().max(1.0) as u64
    }

    /// The last first row that still fills the box.
    fn last_first(self) -> u64 {
        self.rows.saturating_sub(self.page())
    }

    /// What is in sight when the box is scrolled to `top`.
    fn window_at(self, top: f64) -> Window {
        let count = self.page() + 2;
        if self.scaled() {
            let range = (self.height() - self.view_px).max(1.0);
            let part = (top / range).clamp(0.0, 1.0);
            let first = (part * self.last_first() as f64).round() as u64;
            return Window { first: first.min(self.last_first()), count, shift: 0 };
        }
        let first = (top / self.row_px).floor().max(0.0);
        Window { first: first as u64, count, shift: (top - first * self.row_px).round() as u32 }
    }

    /// Where the box is scrolled to when `first` is its first row.
    fn top_of(self, first: u64) -> f64 {
        if self.scaled() {
            let range = (self.height() - self.view_px).max(1.0);
            return first as f64 / self.last_first().max(1) as f64 * range;
        }
        first as f64 * self.row_px
    }
}

/// The rows in sight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The first row in sight.
    pub first: u64,
    /// How many, whole and partly.
    pub count: u64,
    /// Pixels of the first row that are out of sight.
    pub shift: u32,
}

/// Properties of [`Scroller`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Rows in all.
    pub rows: u64,
    /// Height of a row, pixels.
    pub row_px: u32,
    /// What is in sight, as last told by `on_window`.
    pub window: Window,
    /// Something else is in sight now.
    pub on_window: Callback<Window>,
    /// A row to bring into sight whenever it changes.
    #[prop_or_default]
    pub reveal: Option<u64>,
    /// Keys pressed in the list; answers whether it took the key.
    #[prop_or_default]
    pub on_key: Option<Callback<KeyboardEvent, bool>>,
    /// What the list is.
    pub label: String,
    /// The rows of `window`.
    pub children: Children,
}

/// A list of which only the rows in sight are drawn.
#[component]
pub fn Scroller(props: &Props) -> Html {
    let node = use_node_ref();
    // The first row of a scaled list moves by single rows, finer than its scroll position can tell.
    let fine = use_mut_ref(|| None::<u64>);
    let seen = use_mut_ref(Window::default);
    *seen.borrow_mut() = props.window;
    let (rows, row_px) = (props.rows, f64::from(props.row_px));
    let measure = {
        let node = node.clone();
        move || {
            let element = node.cast::<Element>()?;
            let view_px = f64::from(element.client_height());
            Some((Extent { rows, row_px, view_px }, element))
        }
    };

    let on_window = props.on_window.clone();
    let tell = {
        let measure = measure.clone();
        let fine = fine.clone();
        move || {
            let Some((extent, element)) = measure() else { return };
            let top = f64::from(element.scroll_top());
            let mut window = extent.window_at(top);
            let mut fine = fine.borrow_mut();
            match *fine {
                Some(first) if (extent.top_of(first) - top).abs() < 1.5 => window.first = first,
                _ => *fine = None,
            }
            on_window.emit(window);
        }
    };
    let go = {
        let measure = measure.clone();
        let fine = fine.clone();
        let tell = tell.clone();
        move |first: u64| {
            let Some((extent, element)) = measure() else { return };
            let first = first.min(extent.last_first());
            if extent.scaled() {
                *fine.borrow_mut() = Some(first);
            }
            element.set_scroll_top(extent.top_of(first) as i32);
            tell();
        }
    };

    let on_scroll = {
        let tell = tell.clone();
        Callback::from(move |_: yew::Event| tell())
    };
    use_effect_with((rows, props.row_px), {
        let tell = tell.clone();
        move |_| tell()
    });
    let height = use_state_eq(|| 0);
    let on_resize = use_callback((), {
        let height = height.setter();
        move |(_, pixels): (i32, i32), ()| height.set(pixels)
    });
    use_resize(node.clone(), on_resize);
    use_effect_with(*height, {
        let tell = tell.clone();
        move |_| tell()
    });
    use_effect_with((props.reveal, rows, *height), {
        let (measure, go) = (measure.clone(), go.clone());
        let shown = props.window;
        move |(reveal, ..): &(Option<u64>, u64, i32)| {
            let (Some(row), Some((extent, _))) = (*reveal, measure()) else { return };
            if extent.view_px < 1.0 {
                return;
            }
            let seen = shown.first..shown.first + extent.page().saturating_sub(1);
            if !seen.contains(&row) {
                go(row.saturating_sub(extent.page() / 3));
            }
        }
    });

    // The framework listens at the body, where browsers do not let a wheel be stopped; so this one listens here.
    use_effect_with((rows, props.row_px), {
        let (measure, go, seen) = (measure.clone(), go.clone(), seen.clone());
        move |_| {
            let listener = measure().filter(|(extent, _)| extent.scaled()).map(|(extent, element)| {
                let options = EventListenerOptions::enable_prevent_default();
                EventListener::new_with_options(&element, "wheel", options, move |event| {
                    let Some(event) = event.dyn_ref::<WheelEvent>() else { return };
                    let rows = (event.delta_y() / extent.row_px).round() as i64;
                    if rows != 0 && !event.ctrl_key() {
                        event.prevent_default();
                        go(seen.borrow().first.saturating_add_signed(rows));
                    }
                })
            });
            move || drop(listener)
        }
    });
    let on_key = use_callback((props.on_key.clone(), props.window.first), {
        move |event: KeyboardEvent, (on_key, first)| {
            if on_key.as_ref().is_some_and(|on_key| on_key.emit(event.clone())) {
                event.prevent_default();
                return;
            }
            let Some((extent, _)) = measure() else { return };
            let to = match event.key().as_str() {
                "ArrowDown" => first + 1,
                "ArrowUp" => first.saturating_sub(1),
                "PageDown" => first + extent.page(),
                "PageUp" => first.saturating_sub(extent.page()),
                "Home" => 0,
                "End" => extent.last_first(),
                _ => return,
            };
            // A key pressed on a link in a row is the link's.
            let own = event
                .target()
                .is_some_and(|target| target.dyn_ref::<Element>().is_some_and(|e| e.has_attribute("data-scroller")));
            if own {
                event.prevent_default();
                go(to);
            }
        }
    });

    let all_px = Extent { rows, row_px, view_px: 0.0 }.height();
    html! {
        <div
            ref={node}
            class="scroller"
            role="region"
            aria-label={props.label.clone()}
            tabindex="0"
            data-scroller=""
            onscroll={on_scroll}
            onkeydown={on_key}
        >
            <div class="scroller-all" style={format!("height:{all_px}px")}>
                <div class="scroller-rows" style={format!("transform:translateY(-{}px)", props.window.shift)}>
                    { props.children.clone() }
                </div>
            </div>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::{Extent, MAX_HEIGHT, Window};

    #[test]
    fn a_short_list_scrolls_by_pixels() {
        let extent = Extent { rows: 100, row_px: 20.0, view_px: 205.0 };
        assert_eq!(extent.window_at(0.0), Window { first: 0, count: 12, shift: 0 });
        assert_eq!(extent.window_at(47.0), Window { first: 2, count: 12, shift: 7 });
        assert!((extent.top_of(2) - 40.0).abs() < f64::EPSILON);
    }

    #[test]
    fn a_gibibyte_of_hex_reaches_its_last_row() {
        let extent = Extent { rows: (1 << 30) / 16, row_px: 22.0, view_px: 440.0 };
        assert!(extent.scaled());
        assert!((extent.height() - MAX_HEIGHT).abs() < f64::EPSILON);
        assert_eq!(extent.window_at(0.0).first, 0);
        assert_eq!(extent.window_at(MAX_HEIGHT - 440.0).first, extent.rows - 20);
        for first in [0, 1, 12_345, extent.rows / 2, extent.rows - 20] {
            let back = extent.window_at(extent.top_of(first)).first;
            assert!(back.abs_diff(first) <= 1, "{first} came back as {back}");
        }
    }

    #[test]
    fn an_empty_list_has_a_window() {
        let extent = Extent { rows: 0, row_px: 20.0, view_px: 0.0 };
        assert_eq!(extent.window_at(0.0).first, 0);
        assert_eq!(extent.last_first(), 0);
    }
}

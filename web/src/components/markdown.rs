//! Prose of lessons as page.

use pulldown_cmark::{Event, Parser, html};
use yew::{AttrValue, Html, Properties, component};

/// Properties of [`Markdown`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The prose.
    pub text: String,
}

/// Prose. HTML in it is shown as the text that it is.
#[component]
pub fn Markdown(props: &Props) -> Html {
    Html::from_html_unchecked(AttrValue::from(format!("<div class=\"prose\">{}</div>", render(&props.text))))
}

fn render(text: &str) -> String {
    let events = Parser::new(text).map(|event| match event {
        Event::Html(raw) | Event::InlineHtml(raw) => Event::Text(raw),
        event => event,
    });
    let mut out = String::new();
    html::push_html(&mut out, events);
    out
}

#[cfg(test)]
mod tests {
    use super::render;

    #[test]
    fn marks_become_elements_and_html_stays_text() {
        assert_eq!(render("**a** `b`"), "<p><strong>a</strong> <code>b</code></p>\n");
        assert_eq!(render("<script>x</script>"), "&lt;script&gt;x&lt;/script&gt;");
    }
}

//! The keyboard.

use anyhow::{Result, bail};
use fantoccini::actions::{InputSource as _, KeyAction, KeyActions};
use fantoccini::key::Key;
use serde_json::json;

use super::page::Page;

/// How often Tab is pressed on the way to an element: more than the page ever has of them.
const TABS: usize = 400;

impl Page {
    /// Presses and releases a key, wherever the focus is.
    pub async fn press(&self, key: Key) -> Result<()> {
        self.press_with(&[], key).await
    }

    /// Presses a key while others are held: `press_with(&[Key::Shift], Key::Tab)`.
    pub async fn press_with(&self, held: &[Key], key: Key) -> Result<()> {
        let held: Vec<char> = held.iter().map(|key| char::from(*key)).collect();
        self.strike(&held, &[key.into()]).await
    }

    /// Types a letter while keys are held: `type_with(&[Key::Control], 'z')`.
    pub async fn type_with(&self, held: &[Key], letter: char) -> Result<()> {
        let held: Vec<char> = held.iter().map(|key| char::from(*key)).collect();
        self.strike(&held, &[letter]).await
    }

    /// Types text, key by key, wherever the focus is: a shortcut's letter, or into the focused field.
    pub async fn type_text(&self, text: &str) -> Result<()> {
        let keys: Vec<char> = text.chars().collect();
        self.strike(&[], &keys).await
    }

    /// Goes on with Tab alone until the focus is on something that a CSS selector finds and whose text contains `text`.
    pub async fn tab_to(&self, selector: &str, text: &str) -> Result<()> {
        let script = "const e = document.activeElement;
                      return e.matches(arguments[0]) && (e.innerText ?? '').includes(arguments[1]);";
        for _ in 0..TABS {
            self.press(Key::Tab).await?;
            if self.client().execute(script, vec![json!(selector), json!(text)]).await? == json!(true) {
                return Ok(());
            }
        }
        bail!("Tab does not lead to `{selector}` with `{text}`; it led to {}", self.focused().await?)
    }

    async fn strike(&self, held: &[char], keys: &[char]) -> Result<()> {
        let down = held.iter().map(|value| KeyAction::Down { value: *value });
        let strokes =
            keys.iter().flat_map(|value| [KeyAction::Down { value: *value }, KeyAction::Up { value: *value }]);
        let up = held.iter().rev().map(|value| KeyAction::Up { value: *value });
        let actions = down.chain(strokes).chain(up).fold(KeyActions::new("keyboard".to_owned()), KeyActions::then);
        Ok(self.client().perform_actions(actions).await?)
    }
}

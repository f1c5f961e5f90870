//! Recovery, walked on the bytes: the newest start of a simulated broker, or what a start would do to an opened store.

mod bytes;
mod tab;
mod verdict;
mod walk;

use rocketscope_engine::view::recovery::{PhaseKind, RecoveryItem, RecoveryPicture};
use yew::{Html, Properties, component, html};

use crate::components::store::num;
use crate::i18n::{Text, name_of, use_text};
use crate::route::Place;

pub use tab::{BrokerRecovery, DryRun};

use verdict::Verdict;
use walk::Walk;

/// Properties of [`RecoveryPane`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// What was done.
    pub picture: RecoveryPicture,
    /// What stands above it.
    pub title: String,
    /// What can be done beside reading.
    #[prop_or_default]
    pub actions: Html,
}

/// A recovery: the verdict, where it began and ended and why, and every step on its bytes.
#[component]
pub fn RecoveryPane(props: &Props) -> Html {
    let text = use_text();
    let picture = &props.picture;
    html! {
        <div class="pane recovery" data-testid="recovery">
            <div class="recovery-head">
                <h2 class="label">{ props.title.clone() }</h2>
                { props.actions.clone() }
            </div>
            <p class="narration" data-testid="recovery-how">{ how(picture, &text) }</p>
            if let (Some(begin), Some(end), Some(why)) = (picture.begin, picture.end, picture.why) {
                <p class="narration" data-testid="recovery-scan">
                    { text.rich("recovery.scanned", &[
                        ("begin", num(begin, Some(Place::Record { at: begin }))),
                        ("end", num(end, None)),
                        ("why", Html::from(text.get(&format!("value.{}", name_of(&why))))),
                    ]) }
                </p>
            }
            <Numbers picture={picture.clone()} />
            <Verdict findings={picture.verdict.clone()} />
            <Walk phases={picture.phases.clone()} />
        </div>
    }
}

fn how(picture: &RecoveryPicture, text: &Text) -> Html {
    if !picture.loaded {
        return Html::from(text.get("recovery.unloaded"));
    }
    text.rich(if picture.clean { "recovery.clean" } else { "recovery.unclean" }, &[])
}

#[derive(Clone, PartialEq, Properties)]
struct NumbersProps {
    picture: RecoveryPicture,
}

/// How much was done, as far as anything was.
#[component]
fn Numbers(props: &NumbersProps) -> Html {
    let text = use_text();
    let numbers = &props.picture.numbers;
    let tiles = [
        ("recovery.records", numbers.records_accepted),
        ("recovery.dispatched", numbers.records_dispatched),
        ("recovery.units", numbers.units_written),
        ("recovery.index", numbers.index_entries),
        ("recovery.cut", numbers.units_cut),
        ("recovery.dropped", numbers.index_files_dropped),
        ("recovery.files", numbers.log_files_deleted + numbers.queue_files_deleted),
    ];
    html! {
        <dl class="tiles">
            { for tiles.into_iter().filter(|(_, count)| *count > 0).map(|(key, count)| html! {
                <div key={key} class="tile"><dt>{ text.get(key) }</dt><dd class="mono">{ count }</dd></div>
            }) }
        </dl>
    }
}

/// The items of all phases in a row, each with its phase.
fn items(picture: &[rocketscope_engine::view::recovery::RecoveryPhase]) -> Vec<(PhaseKind, &RecoveryItem)> {
    picture.iter().flat_map(|phase| phase.items.iter().map(|item| (phase.kind, item))).collect()
}

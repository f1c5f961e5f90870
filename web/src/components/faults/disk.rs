//! The disk: what is wrong with it, how large it is and how full.

use rocketscope_engine::disk::memory::Fault;
use rocketscope_engine::sim::Action;
use rocketscope_engine::view::world::{DiskPicture, NodeFacts, NodePicture};
use yew::{Callback, Html, MouseEvent, Properties, component, html, use_state_eq};

use super::deed::Deed;
use super::survives::NumberField;
use crate::components::form::Input;
use crate::components::store::format;
use crate::components::{Glyph, Icon};
use crate::i18n::{Text, use_text};

/// The faults, by their names in scripts.
const FAULTS: [&str; 5] = ["full", "writeError", "flushError", "slowFlush", "slowWrite"];

/// Bytes of a gigabyte as disks are sold.
const GB: u64 = 1_000_000_000;

/// Properties of [`Panel`].
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// The broker.
    pub node: NodePicture,
    /// Do something.
    pub on_act: Callback<Action>,
}

/// What can be done to a disk.
#[component]
pub fn Panel(props: &Props) -> Html {
    let text = use_text();
    let NodeFacts::Broker { disk, .. } = &props.node.facts else { return html! {} };
    let broker = props.node.name.clone();
    let mend = props.on_act.reform({
        let broker = broker.clone();
        move |()| Action::MendDisk { broker: broker.clone() }
    });
    let expired = props.on_act.reform({
        let broker = broker.clone();
        move |()| Action::DeleteExpired { broker: broker.clone() }
    });
    html! {
        <>
            <p class="dim small" data-testid="fault-disk">{ says(disk, &text) }</p>
            <Break broker={broker.clone()} on_act={props.on_act.clone()} />
            <Deed
                glyph={Glyph::Mend}
                title={text.get("fault.mend")}
                says={Html::from(text.get("fault.mend-means"))}
                off={disk.faults.is_empty()}
                on_do={mend}
                id="fault-mend"
            />
            <Size {broker} disk={disk.clone()} on_act={props.on_act.clone()} />
            <Deed
                glyph={Glyph::Expire}
                title={text.get("fault.expire")}
                says={text.rich("fault.expire-means", &[])}
                on_do={expired}
                id="fault-expire"
            />
        </>
    }
}

/// How full the disk is, and what is wrong with it.
pub fn says(disk: &DiskPicture, text: &Text) -> String {
    let mut said = match disk.capacity_bytes {
        None => text.get("disk.unlimited"),
        Some(capacity) => {
            text.fill("disk.used", &[("percent", &disk.used_percent), ("capacity", &format::size(capacity))])
        }
    };
    if disk.full {
        said = format!("{said} {}", text.get("disk.marked"));
    }
    for fault in &disk.faults {
        said = format!("{said} {}", fault_words(fault, text));
    }
    said
}

/// A fault of the engine's words, `slowFlush 6000 ms commitlog`, in the reader's.
fn fault_words(fault: &str, text: &Text) -> String {
    let (name, rest) = fault.split_once(' ').unwrap_or((fault, ""));
    let known = FAULTS.contains(&name);
    let (ms, path) = match (name, rest.split_once(" ms")) {
        ("slowFlush" | "slowWrite", Some((ms, path))) => (ms, path.trim()),
        _ => ("", rest),
    };
    let path = if path.is_empty() { text.get("disk.all-files") } else { path.to_owned() };
    if known { text.fill(&format!("disk.{name}-is"), &[("ms", &ms), ("path", &path)]) } else { fault.to_owned() }
}

#[derive(Clone, PartialEq, Properties)]
struct BreakProps {
    broker: String,
    on_act: Callback<Action>,
}

/// The choice of a fault.
#[component]
fn Break(props: &BreakProps) -> Html {
    let text = use_text();
    let chosen = use_state_eq(|| FAULTS[0]);
    let ms = use_state_eq(|| "6000".to_owned());
    let path = use_state_eq(String::new);
    let number = ms.trim().parse::<i64>().ok().filter(|ms| *ms > 0);
    let below = path.trim().to_owned();
    let fault = match (*chosen, number) {
        ("full", _) => Some(Fault::Full { path: below }),
        ("writeError", _) => Some(Fault::WriteError { path: below }),
        ("flushError", _) => Some(Fault::FlushError { path: below }),
        ("slowFlush", Some(ms)) => Some(Fault::SlowFlush { ms, path: below }),
        (_, Some(ms)) => Some(Fault::SlowWrite { ms, path: below }),
        (_, None) => None,
    };
    let on_click = {
        let (on_act, broker, fault) = (props.on_act.clone(), props.broker.clone(), fault.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(fault) = fault.clone() {
                on_act.emit(Action::DiskFault { broker: broker.clone(), fault });
            }
        })
    };
    html! {
        <fieldset class="survives">
            <legend>{ text.get("fault.disk-breaks") }</legend>
            { for FAULTS.iter().map(|name| {
                let here = *chosen == *name;
                let chosen = chosen.clone();
                html! {
                    <div key={*name} class="choice-row">
                        <label>
                            <input
                                type="radio"
                                name="disk-fault"
                                checked={here}
                                onchange={Callback::from(move |_: yew::Event| chosen.set(name))}
                                data-testid={format!("disk:{name}")}
                            />
                            <span>
                                <b>{ text.get(&format!("disk.{name}")) }</b>
                                <span class="dim small">{ text.get(&format!("disk.{name}-means")) }</span>
                            </span>
                        </label>
                        if here && matches!(*name, "slowFlush" | "slowWrite") {
                            <div class="choice-numbers">
                                <NumberField
                                    id="ms"
                                    label={text.get("fault.ms")}
                                    value={(*ms).clone()}
                                    bad={number.is_none()}
                                    on_change={Callback::from({ let ms = ms.clone(); move |to| ms.set(to) })}
                                />
                            </div>
                        }
                    </div>
                }
            }) }
            <Input
                id="fault-below"
                label={text.get("fault.below")}
                value={(*path).clone()}
                placeholder={text.get("disk.all-files")}
                on_change={Callback::from({ let path = path.clone(); move |to| path.set(to) })}
            />
            <button
                type="button"
                class="button danger"
                disabled={fault.is_none()}
                onclick={on_click}
                data-testid="fault-break"
            >
                <Icon glyph={Glyph::Fault} />{ text.get("fault.break") }
            </button>
        </fieldset>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct SizeProps {
    broker: String,
    disk: DiskPicture,
    on_act: Callback<Action>,
}

/// How large the disk is and how full. An empty field leaves that as it is.
#[component]
fn Size(props: &SizeProps) -> Html {
    let text = use_text();
    let capacity = use_state_eq(String::new);
    let percent = use_state_eq(String::new);
    let read = |words: &str| match words.trim() {
        "" => Ok(None),
        words => words.parse::<u64>().map(Some),
    };
    let (bytes, used) = (read(&capacity), read(&percent));
    let bytes = bytes.map(|some| some.map(|gb| gb.saturating_mul(GB)));
    let used = used.ok().map(|some| some.map(|percent| u32::try_from(percent).unwrap_or(u32::MAX)));
    let ready = matches!((&bytes, &used), (Ok(bytes), Some(used)) if bytes.is_some() || used.is_some());
    let action = Action::SetDisk {
        broker: props.broker.clone(),
        capacity_bytes: bytes.clone().unwrap_or_default(),
        percent: used.unwrap_or_default(),
    };
    let on_click = props.on_act.reform(move |_: MouseEvent| action.clone());
    html! {
        <fieldset class="survives">
            <legend>{ text.get("fault.size") }</legend>
            <p class="dim small">{ text.rich("fault.size-means", &[]) }</p>
            <div class="choice-numbers">
                <NumberField
                    id="percent"
                    label={text.get("fault.percent")}
                    value={(*percent).clone()}
                    bad={used.is_none()}
                    on_change={Callback::from({ let percent = percent.clone(); move |to| percent.set(to) })}
                />
                <NumberField
                    id="capacity"
                    label={text.get("fault.capacity")}
                    value={(*capacity).clone()}
                    bad={bytes.is_err()}
                    on_change={Callback::from({ let capacity = capacity.clone(); move |to| capacity.set(to) })}
                />
                <button type="button" class="button" disabled={!ready} onclick={on_click} data-testid="fault-size">
                    { text.get("fault.set") }
                </button>
            </div>
        </fieldset>
    }
}

#[cfg(test)]
mod tests {
    use super::fault_words;
    use crate::i18n::{Lang, Text};

    #[test]
    fn faults_are_told_in_the_readers_words() {
        let text = Text::new(Lang::En);
        assert_eq!(fault_words("slowFlush 6000 ms commitlog", &text), "A flush takes 6000 ms longer: commitlog.");
        assert_eq!(fault_words("slowWrite 1500 ms", &text), "A write takes 1500 ms longer: all files.");
        assert_eq!(fault_words("full", &text), "It counts as full: all files.");
        assert_eq!(fault_words("writeError index", &text), "Writing fails: index.");
        assert_eq!(fault_words("gremlins", &text), "gremlins");
    }
}

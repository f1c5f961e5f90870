//! The past of a run and where it stops: undo and redo, branches, breakpoints.

mod bar;
mod branches;
mod draft;
mod form;
mod words;

use rocketscope_engine::lesson::Breakpoint;
use rocketscope_engine::node::Service;
use rocketscope_engine::view::world::Lane;

pub use bar::PastBar;
pub use branches::Drawing;

/// The breakpoint at every turn of a lane's service; `None` for what is no service.
pub fn of_lane(lane: &Lane) -> Option<Breakpoint> {
    let service = Service::ALL.iter().copied().find(|service| service.name() == lane.service)?;
    Some(Breakpoint::Service { node: Some(lane.node.clone()), service })
}

/// The breakpoints with one more, or without it if it is among them.
pub fn toggled(breakpoints: &[Breakpoint], one: &Breakpoint) -> Vec<Breakpoint> {
    let mut others: Vec<Breakpoint> = breakpoints.iter().filter(|other| *other != one).cloned().collect();
    if others.len() == breakpoints.len() {
        others.push(one.clone());
    }
    others
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_has_a_breakpoint_that_goes_on_and_off() {
        let lane = |service: &str| Lane { node: "broker-a".to_owned(), service: service.to_owned() };
        let reput = of_lane(&lane("reput")).unwrap();
        assert_eq!(reput, Breakpoint::Service { node: Some("broker-a".to_owned()), service: Service::Reput });
        assert_eq!(of_lane(&lane("learner")), None);
        let put = of_lane(&lane("put")).unwrap();
        let both = toggled(std::slice::from_ref(&put), &reput);
        assert_eq!(both, [put.clone(), reput.clone()]);
        assert_eq!(toggled(&both, &put), [reput]);
    }
}

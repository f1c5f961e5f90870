//! Lesson 14: a ConsumeQueue that reached the disk before the records that it points to.

use super::*;

#[test]
fn the_queue_is_cut_back_and_its_numbers_are_given_again() {
    let mut run = lesson("14-cq-ahead");
    run.solve().expect("the solution plays");
    let unit = |at: i64| int(&run, &format!("broker-a.unit.OrderTopic/0.{at}.physicalOffset"));
    // M9, M10 and M11 lie where M6, M7 and M8 lay.
    assert_eq!([4, 5, 6, 7, 8].map(unit), [Some(800), Some(1000), Some(1200), Some(1400), None]);
    let told = |field: &str| {
        [0, 1, 2, 3, 4, 5].map(|at| int(&run, &format!("producer.result.{at}.{field}")).expect("it was answered"))
    };
    assert_eq!(told("physicalOffset"), [1000, 1200, 1400, 1000, 1200, 1400]);
    assert_eq!(told("queueOffset"), [5, 6, 7, 5, 6, 7]);
    assert_eq!(int(&run, "broker-a.recovery.end"), Some(1000));
}

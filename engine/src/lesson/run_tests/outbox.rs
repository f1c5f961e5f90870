//! Lesson 30: what a crash between database and broker leaves, and what an outbox makes of it.

use super::*;

/// Five orders, by hand: 1001 both, 1002 only a row, 1003 only a message, 1004 both once the relay runs, 1005 a row and
/// two messages. The warehouse makes a parcel for each message, and then one for each event. With the broker down, 1006 is a
/// row and later a message, and 1007 is nothing; the broker asks about 1008, which is both.
#[test]
fn an_outbox_loses_nothing_and_sends_at_least_once() {
    let mut run = lesson("30-outbox");
    run.solve().expect("the solution plays");
    let order = |id: i64| value(&run, &format!("order-db.row.orders.{id}.state")).is_some();
    let orders = [1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008].map(order);
    assert_eq!(orders, [true, true, false, true, true, true, false, true]);
    let world = run.history().world();
    let received = world.client("warehouse").expect("a consumer").received();
    let keys: Vec<&str> = received.iter().filter_map(|message| message.keys.as_deref()).collect();
    assert_eq!(keys, ["paid-1001", "paid-1003", "paid-1004", "paid-1005", "paid-1005"]);
    assert_ne!(received[3].msg_id, received[4].msg_id);

    let text = |text: &str| Some(Value::Text(text.to_owned()));
    let told = |number: usize| value(&run, &format!("shop.application.{number}.state"));
    assert_eq!([0, 1, 2, 3].map(told), [text("done"), text("crashed"), text("crashed"), text("crashed")]);
    assert_eq!(told(4), text("done"));
    assert_eq!(value(&run, "warehouse.application.last.cause"), text("duplicate entry `paid-1005` for `seen.event`"));
    assert_eq!(int(&run, "order-db.outbox.rows"), Some(3));
    assert_eq!(int(&run, "order-db.transactions.rows"), Some(1));
    assert_eq!(int(&run, "broker-a.queue.OrderTopic/0.max"), Some(7));
    assert_eq!(int(&run, "ship-db.parcels.rows"), Some(1));
}

#[test]
fn the_engine_answers_the_questions_of_the_outbox() {
    let mut run = lesson("30-outbox");
    run.solve().expect("the solution plays");
    let truths = [
        ("messages-1002", "1"),
        ("row-1003", "2"),
        ("told-1004", "crashed"),
        ("messages-1004", "3"),
        ("messages-1005", "5"),
        ("parcels", "1"),
        ("orders-down", "5"),
        ("messages-1008", "7"),
    ];
    for (question, answer) in truths {
        assert_eq!(truth(&mut run, question), answer, "{question}");
    }
}

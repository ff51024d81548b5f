//! Per-key order: nothing of a key is handed out while an earlier job of it waits or is leased.

use super::rig::{Rig, at};
use crate::action::Letters;
use crate::event::{End, Reason, Spot, What};
use crate::ids::{Job, OrderKey};
use crate::policy::Point;
use crate::request::JobState;

const KEY: u32 = 5;
const OTHER: u32 = 6;

/// A queue in order by key with three jobs of one key, 0 to 2.
fn three_of_a_key(settings: &str) -> Rig {
    let mut rig = Rig::new(&format!("order key; lease 3s; backoff 1s; {settings}"));
    rig.enqueue_of_key(KEY, 3);
    rig
}

fn gap(job: u32) -> What {
    What::Gap { key: OrderKey(KEY), j: Job(job) }
}

#[test]
fn a_leased_head_holds_its_key_and_no_other() {
    let mut rig = three_of_a_key("");
    rig.enqueue_of_key(OTHER, 30);
    let head = rig.claim(1).expect("the head");
    let mut others = 0;
    while let Some(delivery) = rig.claim(2) {
        assert_eq!(delivery.key, OrderKey(OTHER));
        rig.finish(&delivery);
        others += 1;
        rig.renew(&head).expect("live");
    }
    assert_eq!((head.job, others), (Job(0), 30));
    rig.finish(&head);
    let second = rig.claim(2).expect("the next of the key");
    assert_eq!((second.job, rig.claimed(3)), (Job(1), None));
    rig.finish(&second);
    assert_eq!(rig.claimed(3), Some(2));
}

#[test]
fn a_head_holds_its_key_while_it_is_delayed_backs_off_or_comes_back() {
    let mut rig = Rig::new("order key; lease 3s; backoff 2s,1");
    rig.enqueue_with(KEY, at(1_000));
    rig.enqueue_with(KEY, at(0));
    assert_eq!((rig.ready(), rig.claimed(1)), (0, None));
    rig.pass_to(1_000);
    let head = rig.claim(1).expect("due");
    assert_eq!(head.job, Job(0));
    rig.fail(&head);
    assert_eq!((rig.ready(), rig.claimed(1)), (0, None));
    rig.pass_to_next();
    rig.claim(1).expect("after the backoff");
    rig.pass_to_next();
    assert_eq!((rig.claimed(1), rig.claimed(2)), (Some(0), None));
}

#[test]
fn an_acked_head_or_its_zombie_does_not_hold_the_key() {
    let mut rig = three_of_a_key("");
    let zombie = rig.claim(1).expect("the head");
    rig.pass_to(3_000);
    let again = rig.claim(2).expect("redelivered");
    rig.ack(&again);
    assert_eq!((rig.state(0), rig.claimed(3)), (JobState::Unprotected, Some(1)));
    rig.ended(&zombie, End::RefusedAck);
    assert_eq!(rig.claimed(4), None);
}

#[test]
fn a_key_goes_on_past_a_dead_head_and_that_is_a_gap() {
    let mut rig = three_of_a_key("attempts 1");
    let head = rig.claim(1).expect("the head");
    rig.fail(&head);
    let dead = What::Dead { j: Job(0), reason: Reason::Failed("card declined".into()), tries: 1, max: Some(1) };
    assert_eq!(rig.events()[1..], [dead, gap(0)]);
    assert_eq!(rig.claimed(2), Some(1));
}

#[test]
fn a_dead_head_holds_its_key_under_block_until_it_is_redriven() {
    let mut rig = three_of_a_key("attempts 1; on-dead block");
    let head = rig.claim(1).expect("the head");
    rig.ended(&head, End::Crashed(Spot::In(Point::Work)));
    rig.pass_to(3_000);
    assert_eq!((rig.dead(), rig.claimed(2), rig.ready(), rig.next_due()), (vec![0], None, 0, None));
    assert!(!rig.events().contains(&gap(0)));
    rig.redrive(Letters::All);
    let again = rig.claim(2).expect("redriven");
    assert_eq!((again.job, rig.claimed(3)), (Job(0), None));
    rig.finish(&again);
    assert_eq!(rig.claimed(3), Some(1));
}

#[test]
fn switching_from_block_to_skip_lets_the_key_go_on_with_a_gap() {
    let mut rig = three_of_a_key("attempts 1; on-dead block");
    let head = rig.claim(1).expect("the head");
    rig.fail(&head);
    rig.events();
    rig.set("on-dead skip");
    assert_eq!(rig.events()[1..], [gap(0)]);
    assert_eq!(rig.claimed(2), Some(1));
}

#[test]
fn switching_from_skip_to_block_holds_the_keys_of_the_dead() {
    let mut rig = three_of_a_key("attempts 1");
    let head = rig.claim(1).expect("the head");
    rig.fail(&head);
    assert_eq!(rig.ready(), 1);
    rig.set("on-dead block");
    assert_eq!((rig.ready(), rig.claimed(2)), (0, None));
}

#[test]
fn a_redriven_job_goes_before_the_later_jobs_of_its_key_that_wait() {
    let mut rig = three_of_a_key("attempts 1");
    let head = rig.claim(1).expect("the head");
    rig.fail(&head);
    let second = rig.claim(1).expect("the next");
    rig.redrive(Letters::All);
    assert_eq!(rig.claimed(2), Some(0));
    rig.finish(&second);
    assert_eq!((rig.ready(), rig.claimed(3)), (0, None));
}

#[test]
fn order_can_be_switched_on_and_off_while_jobs_are_under_way() {
    let mut rig = Rig::new("lease 3s");
    for id in 0..6 {
        rig.enqueue_with(id % 2, at(0));
    }
    let deliveries: Vec<_> = (1..=3).filter_map(|worker| rig.claim(worker)).collect();
    rig.set("order key");
    assert_eq!((rig.ready(), rig.claimed(4)), (0, None));
    rig.finish(&deliveries[1]);
    assert_eq!(rig.claimed(4), Some(3));
    rig.finish(&deliveries[0]);
    assert_eq!(rig.claimed(5), None, "job 2 of the same key is still out");
    rig.set("order none");
    assert_eq!((rig.claimed(5), rig.claimed(6)), (Some(4), Some(5)));
}

#[test]
fn lowering_the_maximum_under_order_leaves_a_gap_and_frees_the_key() {
    let mut rig = three_of_a_key("backoff 30s");
    let head = rig.claim(1).expect("the head");
    rig.fail(&head);
    rig.events();
    rig.set("attempts 1");
    let dead = What::Dead { j: Job(0), reason: Reason::AttemptsLowered, tries: 1, max: Some(1) };
    assert_eq!(rig.events()[1..], [dead, gap(0)]);
    assert_eq!(rig.claimed(2), Some(1));
}

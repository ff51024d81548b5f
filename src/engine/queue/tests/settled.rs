//! An ack settles a job for good.

use super::rig::Rig;
use crate::action::Letters;
use crate::engine::queue::Acked;
use crate::event::{End, Spot, What};
use crate::ids::{Job, Worker};
use crate::policy::Point;
use crate::request::JobState;

#[test]
fn an_acked_job_is_unprotected_until_its_delivery_has_ended() {
    let mut rig = Rig::new("ack before");
    rig.enqueue();
    let delivery = rig.claim(1).expect("a ready job");
    assert_eq!(rig.ack(&delivery), Acked::Accepted);
    assert_eq!((rig.state(0), rig.next_due()), (JobState::Unprotected, None));
    rig.ended(&delivery, End::Crashed(Spot::After(Point::Ack)));
    assert_eq!((rig.state(0), rig.tally().done), (JobState::Done, 1));
}

#[test]
fn a_job_that_a_zombie_still_works_on_is_unprotected() {
    let mut rig = Rig::new("lease 3s");
    rig.enqueue();
    let zombie = rig.claim(1).expect("a ready job");
    rig.pass_to(3_000);
    let second = rig.claim(2).expect("redelivered");
    rig.finish(&second);
    assert_eq!((rig.state(0), rig.tally().working), (JobState::Unprotected, 1));
    rig.ended(&zombie, End::RefusedAck);
    assert_eq!((rig.state(0), rig.tally().working), (JobState::Done, 0));
}

#[test]
fn a_second_ack_of_the_delivery_that_settled_the_job_is_repeated_however_late() {
    let mut rig = Rig::new("lease 3s");
    rig.enqueue();
    let zombie = rig.claim(1).expect("a ready job");
    rig.pass_to(3_000);
    let second = rig.claim(2).expect("redelivered");
    assert_eq!(rig.ack(&second), Acked::Accepted);
    assert_eq!(rig.ack(&second), Acked::Repeated);
    rig.ended(&second, End::Done);
    rig.events();
    rig.pass_to(1_000_000);
    assert_eq!((rig.ack(&second), rig.ack(&zombie)), (Acked::Repeated, Acked::Stale));
    let (j, repeated, stale) = (Job(0), second.token, zombie.token);
    assert_eq!(
        rig.events(),
        [What::AckRepeated { w: Worker(2), j, k: repeated }, What::AckStale { w: Worker(1), j, k: stale }]
    );
}

#[test]
fn nothing_moves_a_settled_job() {
    let mut rig = Rig::new("lease 3s");
    rig.enqueue();
    let delivery = rig.claim(1).expect("a ready job");
    rig.finish(&delivery);
    rig.events();
    assert!(!rig.nack(&delivery));
    assert_eq!(rig.renew(&delivery), None);
    rig.release(&delivery);
    assert_eq!((rig.redrive(Letters::All), rig.redrive(Letters::One(Job(0)))), (0, 0));
    rig.set("attempts 1");
    rig.pass_to(1_000_000);
    assert_eq!((rig.state(0), rig.claimed(2)), (JobState::Done, None));
    let (w, j, k) = (Worker(1), Job(0), delivery.token);
    let events = rig.events();
    assert_eq!(events[..2], [What::NackStale { w, j, k }, What::RenewalStale { w, k }]);
    assert_eq!(events.len(), 3, "and the policy: {events:?}");
}

#[test]
fn a_job_is_never_done_and_dead() {
    let mut rig = Rig::new("lease 3s; attempts 1");
    rig.enqueue();
    let delivery = rig.claim(1).expect("a ready job");
    rig.stand_at(3_000);
    assert_eq!(rig.ack(&delivery), Acked::Stale);
    rig.ended(&delivery, End::RefusedAck);
    assert_eq!((rig.state(0), rig.dead()), (JobState::Dead, vec![0]));
    assert_eq!((rig.ack(&delivery), rig.nack(&delivery)), (Acked::Stale, false));
    assert_eq!((rig.tally().done, rig.tally().dead), (0, 1));
}

#[test]
fn a_delivery_that_ends_twice_is_reported_and_not_counted_below_zero() {
    let mut rig = Rig::new("");
    rig.enqueue();
    let delivery = rig.claim(1).expect("a ready job");
    rig.finish(&delivery);
    let complaint = rig.ended_again(&delivery).expect_err("a contradiction");
    assert!(complaint.starts_with("I4"), "{complaint}");
    assert_eq!(rig.tally().working, 0);
}

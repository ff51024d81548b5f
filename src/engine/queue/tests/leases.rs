//! A lease holds until its deadline, and only its token can ack, nack or renew.

use super::rig::{Rig, at};
use crate::engine::queue::Acked;
use crate::event::{End, Spot, What};
use crate::ids::{Job, Worker};
use crate::policy::Point;
use crate::request::JobState;
use crate::time::Span;

#[test]
fn a_lease_holds_while_now_is_before_its_deadline_and_not_a_moment_longer() {
    let mut rig = Rig::new("lease 3s");
    rig.enqueue();
    let first = rig.claim(1).expect("a ready job");
    assert_eq!((first.deadline, rig.next_due()), (at(3_000), Some(at(3_000))));
    rig.pass_to(2_999);
    assert_eq!((rig.claimed(2), rig.events()), (None, vec![]));
    rig.pass_to(3_000);
    assert_eq!(rig.events(), [What::Expired { w: Worker(1), j: Job(0), k: first.token }]);
    let second = rig.claim(2).expect("redelivered at once");
    assert_eq!((second.job, second.attempt), (first.job, 2));
    assert!(second.token > first.token);
}

#[test]
fn what_is_due_expires_before_an_ack_of_the_same_moment() {
    let mut rig = Rig::new("lease 3s");
    rig.enqueue();
    let delivery = rig.claim(1).expect("a ready job");
    rig.stand_at(3_000);
    assert_eq!(rig.ack(&delivery), Acked::Stale);
    let (w, j, k) = (Worker(1), Job(0), delivery.token);
    assert_eq!(rig.events(), [What::Expired { w, j, k }, What::AckStale { w, j, k }]);
    assert_eq!(rig.state(0), JobState::Waiting);
}

#[test]
fn a_renewal_grants_a_full_lease_from_its_own_moment() {
    let mut rig = Rig::new("lease 3s");
    rig.enqueue();
    let delivery = rig.claim(1).expect("a ready job");
    rig.pass_to(1_000);
    assert_eq!(rig.renew(&delivery), Some(at(4_000)));
    rig.pass_to(3_999);
    assert_eq!(rig.state(0), JobState::Leased);
    rig.pass_to(4_000);
    assert_eq!(rig.renew(&delivery), None);
    let (w, k) = (Worker(1), delivery.token);
    let renewed = What::Renewed { w, k, deadline: at(4_000) };
    assert_eq!(rig.events(), [renewed, What::Expired { w, j: Job(0), k }, What::RenewalStale { w, k }]);
}

#[test]
fn a_planned_lease_ends_as_planned_and_no_renewal_moves_it() {
    let mut rig = Rig::new("lease 3s");
    rig.enqueue_planned(at(8_000));
    rig.pass_to(500);
    let first = rig.claim(1).expect("a ready job");
    let claimed = rig.all_events().pop().expect("an event");
    let What::Claimed { deadline, lease, .. } = claimed else { panic!("{claimed:?}") };
    assert_eq!((deadline, lease, first.deadline, first.renewable), (at(8_000), Span::millis(7_500), at(8_000), false));
    rig.pass_to(4_000);
    assert_eq!(rig.renew(&first), Some(at(8_000)));
    rig.pass_to(7_999);
    assert_eq!((rig.state(0), rig.next_due()), (JobState::Leased, Some(at(8_000))));
    rig.pass_to(8_000);
    let second = rig.claim(2).expect("redelivered");
    assert_eq!((second.attempt, second.deadline, second.renewable), (2, at(11_000), true), "as any other");
    rig.pass_to(10_000);
    assert_eq!(rig.renew(&second), Some(at(13_000)));
}

#[test]
fn a_plan_that_has_passed_when_the_job_is_handed_out_is_void() {
    let mut rig = Rig::new("lease 3s");
    rig.enqueue_planned(at(1_000));
    rig.stand_at(1_000);
    let late = rig.claim(1).expect("a ready job");
    assert_eq!((late.deadline, late.renewable), (at(4_000), true));
}

#[test]
fn leases_run_out_in_the_order_of_their_deadlines_and_of_one_moment_the_older_token_first() {
    let mut rig = Rig::new("lease 3s");
    rig.enqueue_many(4);
    let deliveries: Vec<_> = (1..=4).filter_map(|worker| rig.claim(worker)).collect();
    rig.pass_to(1_000);
    rig.renew(&deliveries[0]);
    rig.events();
    rig.stand_at(9_000);
    rig.claim(1);
    let jobs: Vec<u32> = rig.events().iter().filter_map(What::job).map(|job| job.0).collect();
    assert_eq!(jobs, [1, 2, 3, 0]);
}

#[test]
fn a_delivery_keeps_the_lease_it_started_with_when_the_policy_changes() {
    let mut rig = Rig::new("lease 3s");
    rig.enqueue_many(2);
    let before = rig.claim(1).expect("a ready job");
    rig.set("lease 10s");
    let after = rig.claim(2).expect("a ready job");
    assert_eq!((before.policy.lease.to_string(), after.policy.lease.to_string()), ("3s".into(), "10s".into()));
    rig.pass_to(1_000);
    assert_eq!(rig.renew(&before), Some(at(4_000)));
    assert_eq!(rig.renew(&after), Some(at(11_000)));
}

#[test]
fn a_late_ack_never_settles_the_delivery_of_a_successor() {
    let mut rig = Rig::new("lease 2s; attempts 5");
    rig.enqueue();
    let a = rig.claim(1).expect("a ready job");
    rig.pass_to(2_000);
    let b = rig.claim(2).expect("redelivered");
    rig.pass_to(3_000);
    assert_eq!(rig.ack(&a), Acked::Stale);
    rig.ended(&a, End::RefusedAck);
    assert_eq!((rig.state(0), rig.tally().working), (JobState::Leased, 1));
    rig.pass_to(3_500);
    rig.finish(&b);
    assert_eq!((rig.state(0), rig.fate(0).attempts), (JobState::Done, 2));
}

#[test]
fn a_late_heartbeat_never_takes_a_lease_back() {
    let mut rig = Rig::new("lease 3s");
    rig.enqueue();
    let a = rig.claim(1).expect("a ready job");
    rig.pass_to(3_000);
    let b = rig.claim(2).expect("redelivered");
    rig.pass_to(6_000 - 1);
    rig.events();
    assert_eq!(rig.renew(&a), None);
    assert_eq!(rig.events(), [What::RenewalStale { w: Worker(1), k: a.token }]);
    assert_eq!(rig.next_due(), Some(b.deadline));
    assert_eq!(rig.ack(&b), Acked::Accepted);
}

#[test]
fn a_late_heartbeat_does_not_revive_a_lease_that_nobody_has_taken_over() {
    let mut rig = Rig::new("lease 3s");
    rig.enqueue();
    let a = rig.claim(1).expect("a ready job");
    rig.pass_to(3_001);
    assert_eq!(rig.renew(&a), None);
    assert_eq!((rig.state(0), rig.next_due()), (JobState::Waiting, None));
}

#[test]
fn time_that_goes_back_moves_no_deadline() {
    let mut rig = Rig::new("lease 3s; backoff 1s,1");
    rig.enqueue();
    rig.pass_to(5_000);
    let delivery = rig.claim(1).expect("a ready job");
    rig.stand_at(1_000);
    assert_eq!(rig.renew(&delivery), Some(at(8_000)));
    rig.enqueue();
    let other = rig.claim(2).expect("a ready job");
    assert_eq!(other.deadline, at(8_000));
    assert!(rig.nack(&other));
    let until = rig.next_due().expect("backing off");
    assert!(until >= at(6_000) && until <= at(6_200), "{until:?}");
    assert_eq!(rig.ack(&delivery), Acked::Accepted);
}

#[test]
fn the_queue_does_not_see_a_crash_and_lets_the_lease_run() {
    let mut rig = Rig::new("lease 3s");
    rig.enqueue();
    let delivery = rig.claim(1).expect("a ready job");
    rig.pass_to(500);
    rig.ended(&delivery, End::Crashed(Spot::In(Point::Work)));
    assert_eq!((rig.state(0), rig.tally().working, rig.claimed(2)), (JobState::Leased, 0, None));
    rig.pass_to(3_000);
    assert_eq!(rig.claimed(2), Some(0));
}

#[test]
fn a_released_lease_leaves_its_job_waiting_with_the_try_counted() {
    let mut rig = Rig::new("attempts 1");
    rig.enqueue();
    let delivery = rig.claim(1).expect("a ready job");
    rig.ended(&delivery, End::Quit);
    rig.release(&delivery);
    let (w, j, k) = (Worker(1), Job(0), delivery.token);
    assert_eq!(rig.events(), [What::Released { w, j, k }]);
    assert_eq!((rig.state(0), rig.fate(0).attempts, rig.next_due()), (JobState::Waiting, 1, None));
    rig.release(&delivery);
    assert_eq!(rig.events(), []);
}

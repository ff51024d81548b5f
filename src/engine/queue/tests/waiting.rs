//! A job that waits holds no lease, and among the ready the lowest id goes first.

use super::rig::{Rig, at};
use crate::event::What;
use crate::request::JobState;

#[test]
fn a_job_that_is_not_due_holds_no_lease() {
    let mut rig = Rig::new("lease 2s");
    rig.enqueue_with(0, at(5_000));
    for millis in [0, 2_000, 4_999] {
        rig.pass_to(millis);
        assert_eq!((rig.claimed(1), rig.state(0)), (None, JobState::Waiting));
    }
    assert_eq!(rig.next_due(), Some(at(5_000)));
    rig.pass_to(5_000);
    let delivery = rig.claim(1).expect("due");
    assert_eq!((delivery.attempt, delivery.deadline), (1, at(7_000)));
    rig.finish(&delivery);
    assert!(!rig.events().iter().any(|what| matches!(what, What::Expired { .. })));
}

#[test]
fn a_redelivered_job_goes_ahead_of_jobs_never_tried() {
    let mut rig = Rig::new("lease 3s");
    rig.enqueue_many(10);
    assert_eq!((1..=3).filter_map(|worker| rig.claimed(worker)).collect::<Vec<_>>(), [0, 1, 2]);
    rig.pass_to(3_000);
    assert_eq!((1..=4).filter_map(|worker| rig.claimed(worker)).collect::<Vec<_>>(), [0, 1, 2, 3]);
}

#[test]
fn jobs_become_ready_by_their_due_times_and_are_delivered_by_their_ids() {
    let mut rig = Rig::new("");
    for due in [9_000, 1_000, 5_000, 1_000] {
        rig.enqueue_with(0, at(due));
    }
    rig.pass_to(1_000);
    assert_eq!((rig.ready(), rig.claimed(1)), (2, Some(1)));
    rig.pass_to(9_000);
    assert_eq!((1..=3).filter_map(|worker| rig.claimed(worker)).collect::<Vec<_>>(), [0, 2, 3]);
}

#[test]
fn a_due_time_in_the_past_is_told_as_it_is_and_the_job_is_ready() {
    let mut rig = Rig::new("");
    rig.pass_to(1_000);
    rig.enqueue_with(0, at(400));
    assert_eq!(rig.claimed(1), Some(0));
    let due = rig.all_events().into_iter().find_map(|what| match what {
        What::Enqueued { due, .. } => Some(due),
        _ => None,
    });
    assert_eq!(due, Some(at(400)));
}

#[test]
fn tokens_grow_with_every_delivery_of_the_whole_queue() {
    let mut rig = Rig::new("lease 3s; attempts unlimited");
    rig.enqueue_many(3);
    let mut tokens = Vec::new();
    for round in 1..=4 {
        tokens.extend((1..=3).filter_map(|worker| rig.claim(worker)).map(|delivery| delivery.token.0));
        rig.pass_to(3_000 * round);
    }
    assert_eq!(tokens, (1..=12).collect::<Vec<u64>>());
}

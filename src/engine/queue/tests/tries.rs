//! Tries, backoff, the DLQ and its redrive.

use super::rig::{Rig, at};
use crate::action::Letters;
use crate::engine::queue::Acked;
use crate::event::{End, Reason, Spot, What};
use crate::ids::{Job, Worker};
use crate::policy::{Point, SettingName};
use crate::request::JobState;
use crate::time::Span;

#[test]
fn a_maximum_of_m_means_m_starts_and_then_the_dlq() {
    for max in [1, 2, 3, 5] {
        let mut rig = Rig::new(&format!("attempts {max}; backoff 0"));
        rig.enqueue();
        let mut starts = 0;
        while let Some(delivery) = rig.claim(1) {
            starts += 1;
            assert_eq!(delivery.attempt, starts);
            rig.fail(&delivery);
        }
        assert_eq!((starts, rig.dead(), rig.tally().done), (max, vec![0], 0));
        let reason = Reason::Failed("card declined".into());
        assert_eq!(rig.events().last(), Some(&What::Dead { j: Job(0), reason, tries: max, max: Some(max) }));
    }
}

#[test]
fn a_job_that_kills_its_worker_uses_up_its_tries_and_harms_no_other() {
    let mut rig = Rig::new("lease 1s; attempts 3");
    rig.enqueue_many(100);
    let mut deaths = 0;
    while rig.tally().waiting + rig.tally().leased > 0 {
        while let Some(delivery) = rig.claim(1) {
            if delivery.job == Job(7) {
                deaths += 1;
                rig.ended(&delivery, End::Crashed(Spot::In(Point::Work)));
            } else {
                rig.finish(&delivery);
            }
        }
        if rig.next_due().is_some() {
            rig.pass_to_next();
        }
    }
    assert_eq!((deaths, rig.dead(), rig.tally().done), (3, vec![7], 99));
    assert_eq!(rig.fate(7).reason.as_deref(), Some("crashed in work"));
    assert!(rig.now() <= at(3_000));
}

#[test]
fn the_last_expiry_dead_letters_without_waiting_for_a_claim() {
    let mut rig = Rig::new("lease 3s; attempts 1");
    rig.enqueue();
    let delivery = rig.claim(1).expect("a ready job");
    rig.pass_to(3_000);
    let (w, j, k) = (Worker(1), Job(0), delivery.token);
    let dead = What::Dead { j, reason: Reason::LeaseExpired, tries: 1, max: Some(1) };
    assert_eq!(rig.events(), [What::Expired { w, j, k }, dead]);
    assert_eq!(rig.ready(), 0);
}

#[test]
fn the_reason_is_the_cause_noted_on_the_last_token_else_that_the_lease_ran_out() {
    for (end, reason) in [
        (End::Crashed(Spot::After(Point::Effect)), "crashed after effect"),
        (End::Crashed(Spot::In(Point::Work)), "crashed in work"),
        (End::Failed("no route".into()), "failed: no route"),
        (End::Done, "lease expired"),
        (End::Fenced, "lease expired"),
    ] {
        let mut rig = Rig::new("lease 3s; attempts 2");
        rig.enqueue();
        let first = rig.claim(1).expect("a ready job");
        rig.ended(&first, End::Crashed(Spot::After(Point::Key)));
        rig.pass_to(3_000);
        let last = rig.claim(1).expect("redelivered");
        rig.ended(&last, end);
        rig.pass_to(6_000);
        assert_eq!(rig.fate(0).reason.as_deref(), Some(reason));
    }
}

#[test]
fn a_cause_noted_after_the_expiry_changes_no_reason() {
    let mut rig = Rig::new("lease 3s; attempts 1");
    rig.enqueue();
    let zombie = rig.claim(1).expect("a ready job");
    rig.pass_to(3_000);
    rig.ended(&zombie, End::Crashed(Spot::In(Point::Work)));
    assert_eq!(rig.fate(0).reason.as_deref(), Some("lease expired"));
}

#[test]
fn a_nacked_job_backs_off_by_its_tries_and_a_lease_that_ran_out_does_not() {
    let mut rig = Rig::new("lease 3s; attempts 9");
    rig.enqueue();
    for seconds in [1, 2, 4, 8, 16, 30, 30] {
        let delivery = rig.claim(1).expect("a ready job");
        rig.fail(&delivery);
        assert_eq!((rig.ready(), rig.claimed(1)), (0, None));
        let waited = rig.next_due().expect("backing off").since(rig.now());
        let base = Span::seconds(seconds);
        let longest = base.scaled(6, 5).min(Span::seconds(30));
        assert!(waited >= base && waited <= longest, "{waited} after {seconds} s");
        rig.pass_to_next();
    }
    rig.claim(1).expect("a ready job");
    rig.pass_to_next();
    assert_eq!(rig.ready(), 1);
}

#[test]
fn a_stale_nack_changes_nothing() {
    let mut rig = Rig::new("lease 3s");
    rig.enqueue();
    let a = rig.claim(1).expect("a ready job");
    rig.pass_to(3_000);
    let b = rig.claim(2).expect("redelivered");
    rig.events();
    assert!(!rig.nack(&a));
    assert_eq!(rig.events(), [What::NackStale { w: Worker(1), j: Job(0), k: a.token }]);
    assert_eq!((rig.state(0), rig.ack(&b)), (JobState::Leased, Acked::Accepted));
}

#[test]
fn two_jobs_that_fail_together_come_back_apart() {
    let mut rig = Rig::new("");
    rig.enqueue_many(2);
    let deliveries: Vec<_> = (1..=2).filter_map(|worker| rig.claim(worker)).collect();
    deliveries.iter().for_each(|delivery| rig.fail(delivery));
    let untils: Vec<_> = rig
        .events()
        .into_iter()
        .filter_map(|what| match what {
            What::Nacked { until, .. } => until,
            _ => None,
        })
        .collect();
    assert_eq!(untils.len(), 2);
    assert_ne!(untils[0], untils[1]);
}

#[test]
fn a_redrive_gives_a_fresh_budget_and_keeps_the_count() {
    let mut rig = Rig::new("attempts 2; backoff 1s,2");
    rig.enqueue_with(3, at(0));
    for attempt in 1..=2 {
        let delivery = rig.claim(1).expect("a ready job");
        assert_eq!(delivery.attempt, attempt);
        rig.fail(&delivery);
        rig.pass_to(10_000 * u64::from(attempt));
    }
    assert_eq!(rig.dead(), [0]);
    rig.events();
    assert_eq!(rig.redrive(Letters::One(Job(0))), 1);
    assert_eq!(rig.events(), [What::Redriven { j: Job(0) }]);
    let third = rig.claim(1).expect("ready at once");
    assert_eq!((third.attempt, third.key.0), (3, 3));
    rig.fail(&third);
    let waited = rig.next_due().expect("backing off").since(rig.now());
    assert!(waited < Span::millis(1_201), "the wait starts from its base again, not {waited}");
    rig.pass_to_next();
    let fourth = rig.claim(1).expect("a ready job");
    rig.fail(&fourth);
    assert_eq!((rig.dead(), rig.fate(0).attempts), (vec![0], 4));
}

#[test]
fn a_redrive_of_what_is_not_dead_does_nothing() {
    let mut rig = Rig::new("");
    assert_eq!(rig.redrive(Letters::All), 0);
    rig.enqueue();
    assert_eq!((rig.redrive(Letters::One(Job(0))), rig.redrive(Letters::One(Job(9)))), (0, 0));
    assert_eq!(rig.events(), []);
}

#[test]
fn a_redrive_of_all_is_told_job_by_job_and_delivered_lowest_first() {
    let mut rig = Rig::new("attempts 1");
    rig.enqueue_many(4);
    let deliveries: Vec<_> = (1..=3).filter_map(|worker| rig.claim(worker)).collect();
    deliveries.iter().rev().for_each(|delivery| rig.fail(delivery));
    assert_eq!(rig.dead(), [0, 1, 2]);
    assert_eq!(rig.redrive(Letters::All), 3);
    assert_eq!((1..=4).filter_map(|worker| rig.claimed(worker)).collect::<Vec<_>>(), [0, 1, 2, 3]);
}

#[test]
fn lowering_the_maximum_dead_letters_waiting_jobs_that_have_used_it_up() {
    let mut rig = Rig::new("attempts 3; lease 3s; backoff 30s");
    rig.enqueue_many(4);
    // Job 0 backs off after one try, job 1 waits after one, job 2 is on its first try, job 3 has had none.
    let first = rig.claim(1).expect("a ready job");
    rig.fail(&first);
    rig.claim(2).expect("a ready job");
    rig.pass_to(1_000);
    let third = rig.claim(3).expect("a ready job");
    rig.pass_to(3_000);
    assert_eq!(rig.ready(), 2);
    rig.events();
    rig.set("attempts 1");
    let dead = |id| What::Dead { j: Job(id), reason: Reason::AttemptsLowered, tries: 1, max: Some(1) };
    let switch = What::Policy { what: SettingName::Attempts, from: "3".into(), to: "1".into() };
    assert_eq!(rig.events(), [switch, dead(0), dead(1)]);
    assert_eq!((rig.next_due(), rig.claimed(1)), (Some(third.deadline), Some(3)));
    rig.pass_to(4_000);
    assert_eq!(rig.fate(2).reason.as_deref(), Some("lease expired"));
}

#[test]
fn an_unlimited_budget_never_ends_and_a_dead_job_stays_dead_when_it_is_raised() {
    let mut rig = Rig::new("attempts 1; backoff 0");
    rig.enqueue();
    let delivery = rig.claim(1).expect("a ready job");
    rig.fail(&delivery);
    rig.set("attempts unlimited");
    assert_eq!((rig.dead(), rig.claimed(1)), (vec![0], None));
    rig.redrive(Letters::All);
    for _ in 0..50 {
        let delivery = rig.claim(1).expect("a ready job");
        rig.fail(&delivery);
    }
    assert_eq!((rig.fate(0).attempts, rig.dead()), (51, vec![]));
}

#[test]
fn a_setting_that_is_in_force_already_is_no_switch() {
    let mut rig = Rig::new("attempts 3");
    rig.set("attempts 3");
    assert_eq!(rig.events(), []);
}

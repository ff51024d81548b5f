//! Policy switches under way: a delivery keeps what it started with, the next one has the new policy, and what is said
//! to hold from now on does. The same on both drivers.
//!
//! The usual lab has jobs of 12 s under a lease of 12 s, fifty times as fast as the clock.

mod support;

use onceish::event::{Event, Finish, Reason, What};
use onceish::policy::{Dedup, SettingName};
use support::{Ended, Lab, is, lab};

fn jobs(n: u32, workers: u16) -> Lab {
    lab(n).workers(workers).work("12s").with("lease 12s").speed(50.0)
}

/// What happened to this job, as names of events, in order.
fn life(ended: &Ended, job: u32) -> Vec<&'static str> {
    let told = |event: &Event| match event.what {
        What::Effect { .. } => Some("effect"),
        What::Key { .. } => Some("key"),
        What::Acked { .. } => Some("acked"),
        What::Recognised { .. } => Some("recognised"),
        What::Dead { .. } => Some("dead"),
        _ => None,
    };
    let of_job = ended.events.iter().filter(|event| event.what.job().is_some_and(|j| j.0 == job));
    of_job.filter_map(told).collect()
}

#[test]
fn every_setting_can_be_switched_and_says_from_what_to_what() {
    let switches = [
        "ack before",
        "dedup none",
        "key attempt",
        "lease 45s",
        "renew off",
        "attempts unlimited",
        "order key",
        "on-dead block",
        "on-lost-lease abort",
        "fence on",
        "backoff 2s,3,60s",
    ];
    assert_eq!(switches.len(), SettingName::ALL.len(), "each setting is switched");
    let script =
        switches.iter().zip(1_u32..).fold(lab(1).speed(100.0), |lab, (switch, at)| lab.at(f64::from(at), switch));
    script.at(20.0, "enqueue 1").on_both(|ended| {
        let policy = |event: &Event| match &event.what {
            What::Policy { what, from, to } => Some(format!("{what} {from} -> {to}")),
            _ => None,
        };
        let told: Vec<String> = ended.events.iter().filter_map(policy).collect();
        let words =
            |text: &String| text.split_once(" -> ").is_some_and(|(from, to)| !from.ends_with(&format!(" {to}")));
        assert!(told.len() == switches.len() && told.iter().all(words), "{told:?}");
        ended.comes_at(&(1..=11).map(f64::from).collect::<Vec<_>>(), |what| matches!(what, What::Policy { .. }));
        assert_eq!(life(ended, 0), ["effect", "key", "acked"], "the first job ran under the first policy");
        assert_eq!(life(ended, 1), ["acked", "effect"], "the last one under the last");
        told
    });
}

#[test]
fn a_delivery_keeps_the_program_it_started_with_when_the_policy_is_switched() {
    jobs(2, 1).at(3.0, "dedup none").on_both(|ended| {
        assert_eq!(life(ended, 0), ["effect", "key", "acked"], "the delivery under way writes its key");
        assert_eq!(life(ended, 1), ["effect", "acked"], "the next one has none to write");
    });
    jobs(2, 1).dedup(Dedup::None).at(3.0, "ack before").on_both(|ended| {
        assert_eq!(life(ended, 0), ["effect", "acked"]);
        assert_eq!(life(ended, 1), ["acked", "effect"]);
        ended.comes_at(&[12.0, 12.0], is::acked);
    });
}

#[test]
fn a_key_that_changes_with_every_attempt_no_longer_recognises_what_comes_after_the_switch() {
    // Both jobs die behind their commit. The first is redelivered under its old key and recognised, the second is not.
    let lab = jobs(2, 1).speed(25.0).crash("ids:0,1@commit").at(16.0, "mark old key").at(30.0, "key attempt");
    lab.on_both(|ended| {
        // Job 0 is out from 0 to 12 s; its last beat was at 11.4 s, so it is back at 23.4 s. Meanwhile job 1 is out from
        // 12 to 24 s; its last beat was at 23.4 s.
        ended.comes_at(&[0.0, 12.0, 24.0, 36.0], is::claimed);
        assert_eq!(life(ended, 0), ["effect", "key", "recognised", "acked"]);
        assert_eq!(life(ended, 1), ["effect", "key", "effect", "key", "acked"]);
        assert_eq!(ended.fates(), (0, 1, 1));
    });
}

#[test]
fn a_new_lease_holds_from_the_next_delivery_on_and_the_old_one_is_renewed_as_it_was_granted() {
    jobs(2, 1).at(2.0, "lease 30s").on_both(|ended| {
        let spans =
            |is: fn(&What) -> Option<u64>| ended.events.iter().filter_map(|event| is(&event.what)).collect::<Vec<_>>();
        let leases = spans(|what| match what {
            What::Claimed { lease, .. } => Some(lease.0 / 1_000_000_000),
            _ => None,
        });
        assert_eq!(leases, [12, 30]);
        let renewed = |event: &Event| match event.what {
            What::Renewed { k, deadline, .. } => Some((k.0, deadline.since(event.at).0 / 1_000_000_000)),
            _ => None,
        };
        let mut renewed: Vec<(u64, u64)> = ended.events.iter().filter_map(renewed).collect();
        renewed.dedup();
        assert_eq!(renewed, [(1, 12), (2, 30)], "each by the lease that it was granted");
        // A third means 3.8 s of 12 and 9.5 s of 30.
        ended.ticks_at(&[3.8, 7.6, 11.4, 12.0 + 9.5], is::renewed);
    });
}

#[test]
fn without_renewal_a_lease_holds_only_its_own_length_from_the_next_delivery_on() {
    jobs(2, 2).workers(1).work("18s").with("attempts 1").at(2.0, "renew off").on_both(|ended| {
        ended.ticks_at(&[3.8, 7.6, 11.4, 15.2], is::renewed);
        let later = ended.events[ended.place(is::acked)..].iter().filter(|event| is::renewed(&event.what));
        assert_eq!(later.count(), 0, "the first delivery is renewed to its end, the second never");
        // The second is out from 18 s on, and its lease of 12 s ends 6 s before its work.
        ended.comes_at(&[18.0 + 12.0], is::expired);
        ended.comes_at(&[18.0, 36.0], is::effect);
        assert_eq!((ended.counts().dead, ended.counts().dead_applied), (1, 1));
    });
}

#[test]
fn a_lowered_maximum_buries_at_once_what_waits_with_its_budget_used_up() {
    jobs(1, 1).fail("ids:0@work").with("backoff 20s,1,20s").at(22.0, "attempts 1").on_both(|ended| {
        ended.comes_at(&[12.0], is::nacked);
        ended.comes_at(&[22.0], |what| matches!(what, What::Dead { reason: Reason::AttemptsLowered, tries: 1, .. }));
        assert_eq!(ended.claims(), 1);
    });
}

#[test]
fn a_raised_maximum_gives_a_job_under_way_its_further_tries() {
    let lab = jobs(0, 1).work("0").with("attempts 1, backoff 5s,1,5s").at(1.0, "poison fail").at(2.0, "redrive all");
    // It dies at its first try and, redriven, at once again; with a maximum of 3 it is tried at 10, 15 and 20 s.
    lab.at(9.0, "attempts 3").at(10.0, "redrive all").on_both(|ended| {
        ended.comes_at(&[1.0, 2.0, 10.0, 15.0, 20.0], is::claimed);
        ended.comes_at(&[1.0, 2.0, 20.0], is::dead);
    });
}

#[test]
fn order_by_key_holds_for_all_that_waits_from_the_switch_on() {
    // Two jobs of the one key are out already. The other two go one after the other.
    jobs(4, 2).change(|setup| setup.workload.keys = 1).at(2.0, "order key").on_both(|ended| {
        ended.comes_at(&[0.0, 0.0, 12.0, 24.0], is::claimed);
        ended.comes_at(&[12.0, 12.0, 24.0, 36.0], is::acked);
    });
    jobs(4, 2).change(|setup| setup.workload.keys = 1).with("order key").at(2.0, "order none").on_both(|ended| {
        ended.comes_at(&[0.0, 2.0, 12.0, 14.0], is::claimed);
    });
}

#[test]
fn a_dead_head_blocks_its_key_or_is_skipped_as_the_policy_of_the_moment_says() {
    let lab = || jobs(3, 1).change(|setup| setup.workload.keys = 1).with("order key, attempts 1").fail("ids:0@work");
    let gaps = |ended: &Ended| ended.count(|what| matches!(what, What::Gap { .. }));
    lab().on_both(|ended| {
        ended.comes_at(&[12.0], is::dead);
        ended.comes_at(&[0.0, 12.0, 24.0], is::claimed);
        assert_eq!((gaps(ended), ended.counts().once), (1, 2));
    });
    lab().at(2.0, "on-dead block").on_both(|ended| {
        assert_eq!((ended.how.clone(), gaps(ended), ended.claims()), (Finish::Stuck, 0, 1));
        let why = |what: &What| matches!(what, What::Stuck { why } if &**why == "what is left is blocked by its key");
        assert_eq!(ended.count(why), 1);
    });
    // Redriven, the head goes first; or the switch back lets the key go on without it.
    lab().at(2.0, "on-dead block").at(30.0, "redrive all").on_both(|ended| {
        ended.comes_at(&[0.0, 30.0, 42.0, 54.0], is::claimed);
        assert_eq!((gaps(ended), ended.fates()), (0, (0, 3, 0)));
    });
    lab().at(2.0, "on-dead block").at(30.0, "on-dead skip").on_both(|ended| {
        ended.comes_at(&[0.0, 30.0, 42.0], is::claimed);
        assert_eq!((gaps(ended), ended.counts().once), (1, 2));
    });
}

#[test]
fn a_worker_gives_up_a_lost_lease_by_the_policy_of_the_moment() {
    // Cut from the queue it neither renews nor takes the job again.
    let lab = || jobs(1, 2).work("36s").dedup(Dedup::None).at(1.0, "cut holder queue");
    lab().at(2.0, "on-lost-lease abort").on_both(|ended| {
        ended.comes_at(&[12.0], is::gave_up);
        assert_eq!(ended.fates(), (0, 1, 0));
    });
    let late = lab().at(20.0, "on-lost-lease abort");
    late.on_both(|ended| {
        ended.comes_at(&[20.0], is::gave_up);
        ended.comes_at(&[12.0 + 36.0], is::effect);
        assert_eq!(ended.fates(), (0, 1, 0), "a zombie already, it gives up at the switch");
    });
}

#[test]
fn a_fence_is_checked_for_deliveries_that_start_after_it_is_put_up() {
    // The holder writes 36 s after its successor; its delivery is older than the fence.
    let lab = |fence: f64| {
        let lab = jobs(1, 2).work("24s").dedup(Dedup::None);
        let lab = if fence == 0.0 { lab.with("fence on") } else { lab.at(fence, "fence on") };
        lab.at(2.0, "stall holder").at(2.0, "slow holder x3").at(90.0, "heal holder")
    };
    lab(0.0).on_both(|ended| assert_eq!((ended.count(is::fenced), ended.fates()), (1, (0, 1, 0))));
    lab(1.0).on_both(|ended| assert_eq!((ended.count(is::fenced), ended.fates()), (0, (0, 0, 1))));
}

#[test]
fn a_new_backoff_holds_for_the_next_failure() {
    let lab = jobs(1, 1).work("0").with("attempts 3").fail("1@work");
    // It fails at 0 s under the old one and at 10 s under the new one.
    lab.with("backoff 10s,1,10s").at(2.0, "backoff 25s,1,25s").on_both(|ended| {
        ended.comes_at(&[0.0, 10.0, 35.0], is::claimed);
        ended.comes_at(&[35.0], is::dead);
    });
}

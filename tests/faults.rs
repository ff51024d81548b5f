//! Each fault on a running lab: what stops, and what goes on. The same script and the same claims on real threads and
//! in virtual time, where every moment is exact.
//!
//! The usual lab has one job of 24 s under a lease of 12 s, whose beats come every 3.8 s: three fit in a lease, the third
//! at 95 % of it. Fifty times as fast as the clock its lease is 240 ms on threads, and what a body relies on is further
//! apart than 150 ms.

mod support;

use onceish::event::{By, End, Fault, Finish, Hold, Reason, Spot, What};
use onceish::policy::{AckOrder, Dedup, Point, Program};
use onceish::setup::Poison;
use onceish::time::Span;
use support::{Ended, Lab, is, lab};

/// Two workers and one job of this length under a lease of 12 s.
fn job_of(work: &str, dedup: Dedup) -> Lab {
    lab(1).workers(2).dedup(dedup).with("lease 12s").work(work).speed(50.0)
}

fn long_job(dedup: Dedup) -> Lab {
    job_of("24s", dedup)
}

#[test]
fn a_stalled_heartbeat_makes_two_overlapping_deliveries_and_a_stale_ack() {
    long_job(Dedup::None).at(1.0, "stall holder").on_both(|ended| {
        let first = ended.holder();
        ended.comes_at(&[12.0], is::expired);
        ended.comes_at(&[0.0, 12.0], is::claimed);
        ended.comes_at(&[24.0], is::by(first, is::ack_stale));
        ended.comes_at(&[24.0, 24.0 + 12.0], is::effect);
        let second_claim = ended.place(is::by_another(first, is::claimed));
        let first_end = ended.place(is::by(first, |what| matches!(what, What::Ended { .. })));
        assert!(second_claim < first_end, "the deliveries overlap");
        assert_eq!(ended.fates(), (0, 0, 1), "both wrote");
    });
}

#[test]
fn a_stalled_heartbeat_is_harmless_when_the_sink_recognises_duplicates() {
    long_job(Dedup::Transactional).at(1.0, "stall holder").on_both(|ended| {
        assert_eq!(ended.fates(), (0, 1, 0));
        ended.comes_at(&[36.0], is::recognised);
    });
}

/// Cuts the holder from the queue and slows it down, so that its successor, who starts at 12 s, writes at 36 s and thus
/// first: the holder has done 1 s and needs 69 s for the other 23. Heals it at 80 s.
fn partitioned(lab: Lab) -> Lab {
    lab.at(1.0, "cut holder queue").at(1.0, "slow holder x3").at(80.0, "heal holder")
}

#[test]
fn a_partitioned_zombie_writes_twice_without_dedup() {
    partitioned(long_job(Dedup::None)).on_both(|ended| {
        let first = ended.holder();
        ended.comes_at(&[0.0, 12.0], is::claimed);
        ended.comes_about(&[36.0, 70.0], is::effect);
        ended.comes_at(&[80.0], is::by(first, is::ack_stale));
        assert!(ended.count(is::by(first, is::beat_lost)) > 0, "its renewals do not arrive");
        assert_eq!(ended.fates(), (0, 0, 1));
    });
}

#[test]
fn a_partitioned_zombie_is_recognised_in_a_transaction() {
    partitioned(long_job(Dedup::Transactional)).on_both(|ended| {
        ended.comes_about(&[70.0], is::by(ended.holder(), is::recognised));
        assert_eq!((ended.fates(), ended.claims()), ((0, 1, 0), 2));
    });
}

#[test]
fn a_partitioned_zombie_is_refused_by_the_fence_when_its_successor_wrote_first() {
    partitioned(long_job(Dedup::None).with("fence on")).on_both(|ended| {
        ended.comes_about(&[70.0], is::by(ended.holder(), is::fenced));
        assert_eq!((ended.fates(), ended.claims()), ((0, 1, 0), 2));
        assert_eq!(
            (ended.count(is::acked), ended.count(is::ack_stale)),
            (1, 0),
            "a fenced delivery ends without an ack"
        );
    });
}

#[test]
fn a_zombie_that_writes_before_its_successor_is_rightly_accepted_by_the_fence() {
    long_job(Dedup::None).with("fence on").at(1.0, "stall holder").on_both(|ended| {
        ended.comes_at(&[24.0, 36.0], is::effect);
        assert_eq!((ended.fates(), ended.count(is::fenced)), ((0, 0, 1), 0), "the fence cannot know what comes later");
    });
}

#[test]
fn a_claim_over_a_cut_link_waits_and_is_granted_once_after_healing() {
    let script = lab(0).workers(1).speed(100.0).at(1.0, "cut w1 queue").at(2.0, "enqueue 1").at(20.0, "heal w1 queue");
    script.on_both(|ended| {
        ended.comes_at(&[20.0], is::claimed);
        assert_eq!(ended.count(|what| matches!(what, What::Held { what: Hold::Claim, .. })), 1);
        assert_eq!(ended.fates(), (0, 1, 0));
    });
}

#[test]
fn a_pause_longer_than_the_lease_wakes_a_zombie() {
    long_job(Dedup::None).at(1.0, "pause holder for 18s").on_both(|ended| {
        let first = ended.holder();
        ended.comes_at(&[1.0 + 18.0], is::healed(Fault::Pause));
        ended.comes_at(&[12.0], is::expired);
        ended.comes_at(&[19.0 + 23.0], is::by(first, is::effect));
        ended.comes_at(&[12.0 + 24.0], is::by_another(first, is::effect));
        let (slept, woke) = (ended.place(is::begun(Fault::Pause)), ended.place(is::healed(Fault::Pause)));
        assert!(ended.place(is::expired) < woke, "its lease ran out while it slept");
        let renewed = is::by(first, is::renewed);
        assert!(!ended.events[slept..woke].iter().any(|event| renewed(&event.what)), "a sleeper does not renew");
        assert_eq!(ended.fates(), (0, 0, 1));
    });
}

#[test]
fn a_worker_that_sleeps_is_handed_no_job() {
    let script = lab(0).workers(2).speed(100.0).at(1.0, "pause w1").at(2.0, "enqueue 3").at(20.0, "heal w1 pause");
    script.on_both(|ended| {
        let slept = ended.place(is::begun(Fault::Pause));
        let woke = ended.place(is::healed(Fault::Pause));
        let claimed = ended.events[slept..woke].iter().filter(|event| is::claimed(&event.what));
        let workers: Vec<_> = claimed.map(|event| event.what.worker().expect("a worker").to_string()).collect();
        assert_eq!(workers, ["w2", "w2", "w2"]);
        assert_eq!(ended.fates(), (0, 3, 0));
    });
}

#[test]
fn a_hang_holds_its_job_and_goes_on_renewing() {
    long_job(Dedup::None).at(1.0, "hang holder").at(36.0, "heal holder hang").on_both(|ended| {
        assert_eq!((ended.claims(), ended.fates()), (1, (0, 1, 0)), "nobody else got the job");
        ended.comes_about(&[36.0 + 23.0], is::effect);
        assert!(ended.count(is::renewed) >= 9, "it renews long past the time that its work takes");
        if ended.virtually {
            // One every 3.8 s up to 59 s.
            assert_eq!(ended.count(is::renewed), 15);
        }
    });
}

#[test]
fn a_hang_that_nobody_heals_leaves_a_headless_run_stuck() {
    long_job(Dedup::None).at(1.0, "hang holder").on_both(|ended| {
        assert_eq!(ended.how, Finish::Stuck);
        assert_eq!((ended.fates(), ended.counts().pending), ((0, 0, 0), 1));
        let why = |what: &What| matches!(what, What::Stuck { why } if &**why == "of 2 workers 1 hung");
        ended.comes_at(&[1.0], why);
        assert_eq!(ended.board.stuck(), Some("of 2 workers 1 hung"), "it is still said after the end");
    });
}

#[test]
fn a_killed_worker_leaves_its_lease_to_run_out_and_the_job_goes_to_another() {
    long_job(Dedup::None).respawn(None).at(2.0, "kill holder").on_both(|ended| {
        let end = End::Crashed(Spot::In(Point::Work));
        let crashed = |what: &What| matches!(what, What::Ended { how, by: Some(By::Operator), .. } if *how == end);
        ended.comes_at(&[2.0], crashed);
        ended.comes_at(&[12.0], is::expired);
        ended.comes_at(&[0.0, 12.0], is::claimed);
        assert_eq!(ended.fates(), (0, 1, 0), "killed in the middle of its work: a clean retry");
    });
}

#[test]
fn a_kill_at_random_strikes_the_same_workers_on_both_drivers() {
    let script = lab(4).workers(4).with("lease 12s").work("24s").speed(50.0).respawn(None);
    let script =
        script.at(1.0, "kill random").at(1.5, "kill random").at(2.0, "stall random").at(2.5, "pause random for 1s");
    script.on_both(|ended| {
        assert_eq!(ended.count(is::died), 2);
        let struck = ended.events.iter().filter(|event| matches!(event.what, What::Died { .. } | What::Fault { .. }));
        struck.map(|event| event.what.worker()).collect::<Vec<_>>()
    });
}

#[test]
fn an_armed_worker_dies_at_its_point_and_a_disarmed_one_does_not() {
    long_job(Dedup::EffectThenKey).at(1.0, "kill holder at effect").on_both(|ended| {
        ended.comes_at(&[24.0], is::died);
        assert_eq!(ended.fates(), (0, 0, 1), "died between effect and key");
    });
    long_job(Dedup::EffectThenKey).at(1.0, "kill holder at effect").at(2.0, "disarm holder").on_both(|ended| {
        assert_eq!(ended.count(|what| matches!(what, What::Disarmed { .. })), 1);
        assert_eq!((ended.fates(), ended.claims()), ((0, 1, 0), 1));
    });
}

/// One worker that is armed before it gets its job. It is back at once, and gets the job again when the lease ends.
fn armed_at(ack: AckOrder, dedup: Dedup, point: Point) -> Lab {
    let lab = lab(0).workers(1).ack(ack).dedup(dedup).with("lease 20s").speed(100.0);
    lab.at(1.0, &format!("kill w1 at {point}")).at(2.0, "enqueue 1")
}

#[test]
fn a_kill_by_hand_at_any_point_gives_what_a_crash_list_gives_there() {
    let mut cells = 0;
    for (ack, dedup) in AckOrder::ALL.iter().flat_map(|ack| Dedup::ALL.map(|dedup| (*ack, dedup))) {
        for point in Program::of(ack, dedup).points() {
            let by_hand = armed_at(ack, dedup, point).simulate();
            let by_list = lab(1).workers(1).ack(ack).dedup(dedup);
            let by_list = by_list.crash(&format!("ids:0@{point}")).simulate();
            assert_eq!((by_hand.count(is::died), by_list.count(is::died)), (1, 1), "{ack}/{dedup} at {point}");
            assert_eq!(by_hand.fates(), by_list.fates(), "{ack}/{dedup} at {point}");
            cells += 1;
        }
    }
    assert!(cells > 70, "{cells} cells");
}

#[test]
fn a_kill_by_hand_lands_in_the_gaps_that_do_harm_on_threads_too() {
    let harmful = [
        (AckOrder::Before, Dedup::None, Point::Ack, (1, 0, 0)),
        (AckOrder::Before, Dedup::None, Point::Work, (1, 0, 0)),
        (AckOrder::After, Dedup::None, Point::Effect, (0, 0, 1)),
        (AckOrder::After, Dedup::KeyThenEffect, Point::Key, (1, 0, 0)),
        (AckOrder::After, Dedup::Transactional, Point::Key, (0, 1, 0)),
        (AckOrder::After, Dedup::PerWorker, Point::Commit, (0, 0, 1)),
    ];
    for (ack, dedup, point, fates) in harmful {
        armed_at(ack, dedup, point).on_both(|ended| {
            ended.comes_at(&[2.0], is::died);
            assert_eq!(ended.fates(), fates, "{ack}/{dedup} at {point}");
        });
    }
}

#[test]
fn a_worker_cut_from_the_sink_waits_there_renewing_and_writes_once_after_healing() {
    let script = job_of("9s", Dedup::None).at(1.0, "cut holder sink").at(36.0, "heal holder sink");
    script.on_both(|ended| {
        let held = |what: &What| matches!(what, What::Held { what: Hold::Sink, .. });
        ended.comes_at(&[9.0], held);
        ended.comes_at(&[36.0], is::effect);
        assert_eq!((ended.claims(), ended.fates()), (1, (0, 1, 0)));
        let after = ended.events[ended.place(held)..].iter().filter(|event| is::renewed(&event.what)).count();
        assert!(after >= 4, "{after} renewals while it waits");
    });
}

#[test]
fn a_worker_that_loses_its_lease_while_cut_from_the_sink_waits_on_as_a_zombie_or_gives_up() {
    let script = |policy: &str| {
        let lab = job_of("9s", Dedup::None).with(policy).at(1.0, "cut holder sink").at(1.0, "cut holder queue");
        lab.at(40.0, "heal holder")
    };
    script("on-lost-lease continue").on_both(|ended| {
        ended.comes_at(&[21.0, 40.0], is::effect);
        assert_eq!((ended.fates(), ended.count(is::ack_stale)), ((0, 0, 1), 1));
    });
    script("on-lost-lease abort").on_both(|ended| {
        ended.comes_at(&[12.0], is::by(ended.holder(), is::gave_up));
        ended.comes_at(&[21.0], is::effect);
        assert_eq!((ended.fates(), ended.claims()), ((0, 1, 0), 2));
    });
}

#[test]
fn a_slow_worker_takes_n_times_as_long_and_renews_all_the_while() {
    job_of("12s", Dedup::Transactional).at(3.0, "slow holder x3").on_both(|ended| {
        let (claimed, slowed) = (ended.time(is::claimed), ended.time(is::begun(Fault::Slow)));
        let left = Span::seconds(12).saturating_sub(slowed.since(claimed));
        let took = ended.time(is::worked).since(slowed);
        assert!(took >= left.scaled(3, 1), "{took} for {left} of work at a third of the pace");
        assert_eq!(ended.claims(), 1, "its lease was renewed");
        ended.comes_about(&[3.0 + 3.0 * 9.0], is::worked);
    });
}

#[test]
fn a_worker_that_is_slow_for_a_while_goes_on_at_its_old_pace() {
    job_of("12s", Dedup::Transactional).at(3.0, "slow holder x3 for 9s").on_both(|ended| {
        ended.comes_at(&[3.0 + 9.0], is::healed(Fault::Slow));
        assert_eq!((ended.claims(), ended.fates()), (1, (0, 1, 0)));
        // 3 s are done before, 3 s in the 9 s at a third of the pace, and 6 s after.
        ended.comes_about(&[12.0 + 6.0], is::worked);
    });
}

#[test]
fn a_lost_ack_is_the_commonest_duplicate() {
    job_of("9s", Dedup::None).at(1.0, "lose acks 100%").at(18.0, "heal all acks").on_both(|ended| {
        ended.comes_at(&[9.0], is::ack_lost);
        // The last beat before the ack came at 7.6 s.
        ended.comes_at(&[0.0, 7.6 + 12.0], is::claimed);
        assert_eq!(ended.fates(), (0, 0, 1));
        let done = |what: &What| matches!(what, What::Ended { how: End::Done, .. });
        assert_eq!(ended.count(done), 2, "neither could know");
    });
}

#[test]
fn a_job_that_is_applied_and_never_acked_dies_applied() {
    lab(5).workers(2).change(|setup| setup.lose_acks = "100%".parse().expect("a rate")).on_both(|ended| {
        let counts = ended.counts();
        assert_eq!((counts.dead, counts.dead_applied, counts.once), (5, 5, 5));
        assert_eq!(ended.claims(), 15, "three tries each");
    });
}

#[test]
fn lost_beats_let_a_lease_run_out_under_a_worker_at_work() {
    long_job(Dedup::None).with("attempts 1").at(1.0, "lose beats 100%").on_both(|ended| {
        ended.comes_at(&[12.0], is::expired);
        ended.comes_at(&[24.0], is::effect);
        assert!(ended.count(is::beat_lost) >= 4, "it goes on beating");
        let reason = |what: &What| matches!(what, What::Dead { reason: Reason::LeaseExpired, .. });
        assert_eq!((ended.count(reason), ended.counts().dead_applied), (1, 1));
        if ended.virtually {
            ended.comes_at(&[3.8, 7.6, 11.4, 15.2, 19.0, 22.8], is::beat_lost);
            assert_eq!(ended.count(is::renewed), 0);
        }
    });
}

/// Thirty of a hundred answers are lost; which ones is drawn from the seed, so it is the same on both drivers.
fn deaf(dedup: Dedup) -> Lab {
    lab(200).workers(4).dedup(dedup).change(|setup| setup.lose_replies = "30%".parse().expect("a rate"))
}

#[test]
fn a_lost_answer_writes_again_unless_the_transaction_recognises_itself() {
    for dedup in [Dedup::None, Dedup::EffectThenKey] {
        deaf(dedup).on_both(|ended| {
            let lost = ended.count(is::reply_lost);
            assert!(lost > 0 && ended.fates().2 > 0, "{dedup}: {lost} answers lost");
            (lost, ended.fates())
        });
    }
    deaf(Dedup::Transactional).on_both(|ended| {
        let lost = ended.count(is::reply_lost);
        assert_eq!(ended.fates(), (0, 200, 0));
        assert_eq!(ended.count(is::recognised), lost, "each asked again and was known");
        lost
    });
}

#[test]
fn answers_are_lost_from_the_moment_somebody_says_so_and_no_longer_when_healed() {
    let script = lab(1).workers(1).dedup(Dedup::None).work("9s").with("lease 12s").speed(50.0);
    script.at(1.0, "lose replies 99.9%").at(18.0, "heal all").at(19.0, "enqueue 1").on_both(|ended| {
        let lost = ended.count(is::reply_lost);
        assert!(lost >= 1, "the sink's first answer was lost");
        assert_eq!(ended.count(is::effect), 2 + lost, "each answer that is lost is one more row");
        assert_eq!(ended.fates(), (0, 1, 1), "nothing was lost for the second job");
        lost
    });
}

#[test]
fn a_worker_that_gives_up_when_its_lease_is_gone_writes_nothing_after_it() {
    let lab = long_job(Dedup::None).with("on-lost-lease abort, attempts unlimited");
    lab.at(1.0, "stall holder").at(14.0, "heal holder stall").on_both(|ended| {
        ended.comes_at(&[12.0], is::gave_up);
        ended.comes_at(&[12.0 + 24.0], is::effect);
        assert_eq!((ended.fates(), ended.claims()), ((0, 1, 0), 2));
    });
}

#[test]
fn a_renewal_after_the_lease_is_gone_is_refused_and_moves_nothing() {
    let lab = long_job(Dedup::Transactional).at(1.0, "stall holder").at(1.0, "slow holder x2");
    lab.at(20.0, "heal holder stall").on_both(|ended| {
        let first = ended.holder();
        assert!(ended.count(is::by(first, |what| matches!(what, What::RenewalStale { .. }))) >= 1);
        ended.comes_at(&[36.0], is::by_another(first, is::acked));
        assert_eq!((ended.claims(), ended.fates()), (2, (0, 1, 0)), "the lease stayed with its new owner");
        if ended.virtually {
            // It would beat every 3.8 s. The first beat after healing is the one at 22.8 s, the last before it is done at
            // 1 + 2 x 23 = 47 s the one at 45.6 s.
            let beats = [22.8, 26.6, 30.4, 34.2, 38.0, 41.8, 45.6];
            ended.comes_at(&beats, is::by(first, |what| matches!(what, What::RenewalStale { .. })));
        }
    });
}

#[test]
fn poison_that_crashes_kills_exactly_n_workers_and_lands_in_the_dlq_with_its_reason() {
    lab(100).workers(4).poison(1, Poison::Crash).with("lease 1s, attempts 3").on_both(|ended| {
        assert_eq!(ended.count(|what| matches!(what, What::Died { by: By::Poison, .. })), 3);
        let counts = ended.counts();
        assert_eq!((counts.once, counts.dead, counts.dead_applied), (99, 1, 0), "the others are unharmed");
        ended.comes_at(&[0.0, 1.0, 2.0], is::died);
        ended.comes_at(&[3.0], is::dead);
        let dead = |event: &onceish::event::Event| match &event.what {
            What::Dead { j, reason, tries, .. } => Some((*j, reason.clone(), *tries)),
            _ => None,
        };
        let dead: Vec<_> = ended.events.iter().filter_map(dead).collect();
        assert_eq!((&dead[0].1, dead[0].2), (&Reason::Crashed(Spot::In(Point::Work)), 3));
        dead
    });
}

#[test]
fn poison_that_fails_is_nacked_backs_off_and_dies_with_its_words() {
    lab(20).workers(2).poison(1, Poison::Fail).with("backoff 1s,2,30s").on_both(|ended| {
        assert_eq!(ended.count(|what| matches!(what, What::Nacked { until: Some(_), .. })), 2);
        assert_eq!(ended.count(|what| matches!(what, What::Nacked { until: None, .. })), 1);
        assert_eq!(ended.count(is::died), 0, "a failure kills nobody");
        assert_eq!(ended.sql("SELECT count(*) FROM jobs WHERE state = 'dead' AND reason LIKE '%card declined%'"), 1);
        let waits = ended.events.iter().filter_map(|event| match event.what {
            What::Nacked { until: Some(until), .. } => Some(until.since(event.at)),
            _ => None,
        });
        let waits: Vec<Span> = waits.collect();
        assert!((Span::seconds(1)..=Span::millis(1_200)).contains(&waits[0]), "1 s and at most a fifth of jitter");
        assert!((Span::seconds(2)..=Span::millis(2_400)).contains(&waits[1]), "2 s and at most a fifth of jitter");
        waits
    });
}

#[test]
fn a_handler_that_panics_is_one_failed_delivery_on_a_living_worker() {
    lab(20).workers(2).poison(1, Poison::Panic).with("attempts 1").on_both(|ended| {
        assert_eq!((ended.count(is::died), ended.count(is::failed)), (0, 1));
        assert_eq!((ended.counts().once, ended.counts().dead), (19, 1));
    });
}

#[test]
fn poison_by_hand_takes_the_next_id_and_does_what_it_says() {
    let script = lab(3).workers(2).with("attempts 1, lease 20s").speed(100.0);
    let script = script.at(1.0, "poison fail").at(2.0, "poison panic").at(3.0, "poison crash");
    script.on_both(|ended| {
        let dead = |event: &onceish::event::Event| match &event.what {
            What::Dead { j, reason, .. } => Some((j.0, reason.clone())),
            _ => None,
        };
        let dead: Vec<_> = ended.events.iter().filter_map(dead).collect();
        assert_eq!(dead.iter().map(|(job, _)| *job).collect::<Vec<_>>(), [3, 4, 5]);
        assert_eq!(dead[2].1, Reason::Crashed(Spot::In(Point::Work)));
        ended.comes_at(&[1.0, 2.0, 3.0 + 20.0], is::dead);
        assert_eq!((ended.count(is::died), ended.counts().once), (1, 3));
        dead
    });
}

#[test]
fn a_failure_at_any_point_leaves_what_a_death_there_leaves() {
    let fates = |ack: AckOrder, dedup: Dedup, change: &dyn Fn(Lab) -> Lab| {
        change(lab(1).workers(2).ack(ack).dedup(dedup)).simulate().fates()
    };
    // What a worker remembers dies with it and not with a failure, so per-worker is left out.
    let dedups = Dedup::ALL.into_iter().filter(|dedup| *dedup != Dedup::PerWorker);
    for (ack, dedup) in dedups.flat_map(|dedup| AckOrder::ALL.iter().map(move |ack| (*ack, dedup))) {
        for point in Program::of(ack, dedup).points() {
            let strike = format!("ids:0@{point}");
            let failed = fates(ack, dedup, &|lab| lab.fail(&strike));
            assert_eq!(failed, fates(ack, dedup, &|lab| lab.crash(&strike)), "{ack}/{dedup} at {point}");
        }
    }
}

#[test]
fn a_failure_list_strikes_every_first_attempt_and_the_board_counts_whom_it_struck() {
    for (point, twice) in [("work", 0), ("effect", 3)] {
        lab(20).workers(4).dedup(Dedup::None).fail(&format!("ids:1,5,7@{point}")).on_both(|ended| {
            assert_eq!(ended.board.struck(), [(3, 3)], "{point}");
            assert_eq!(
                ended.fates(),
                (0, 20 - twice, twice),
                "{point}: a failure behind the effect leaves it standing"
            );
            let failed = |what: &What| matches!(what, What::Ended { how: End::Failed(_), by: Some(By::List), .. });
            assert_eq!(ended.count(failed), 3, "{point}");
        });
    }
}

#[test]
fn rates_strike_the_same_attempts_on_both_drivers() {
    let lab = lab(400).workers(4).dedup(Dedup::None).crash("10%@effect").fail("10%@work").crash("5%@claim");
    lab.change(|setup| setup.lose_acks = "10%".parse().expect("a rate")).on_both(|ended: &Ended| {
        let counters = ended.board.counters();
        assert!(counters.crashes > 20 && counters.nacked > 20 && counters.acks_lost > 20, "{counters:?}");
        let figures = [counters.crashes, counters.nacked, counters.acks_lost, counters.deliveries, counters.effects];
        (figures, ended.fates(), counters.dead, counters.dead_applied)
    });
}

#[test]
fn a_dead_worker_is_back_after_its_time_with_a_new_generation() {
    long_job(Dedup::Transactional).workers(1).respawn(Some(Span::seconds(5))).at(2.0, "kill w1").on_both(|ended| {
        let back = |what: &What| matches!(what, What::Spawned { generation: 2, .. });
        ended.comes_at(&[2.0], is::died);
        ended.comes_at(&[2.0 + 5.0], back);
        ended.comes_at(&[0.0, 12.0], is::claimed);
        assert_eq!(ended.fates(), (0, 1, 0));
    });
}

#[test]
fn without_a_worker_left_a_run_is_stuck() {
    lab(3).workers(2).respawn(None).crash("ids:0,1,2@claim").on_both(|ended| {
        assert_eq!(ended.how, Finish::Stuck);
        assert_eq!(ended.count(|what| matches!(what, What::Stuck { why } if &**why == "no worker is left")), 1);
    });
}

#[test]
fn an_older_job_that_writes_late_overwrites_a_newer_value_unless_values_have_versions() {
    for (values, overtaken, outdated) in [("off", 0, 0), ("last-write", 1, 0), ("versioned", 0, 1)] {
        let lab = lab(2).workers(2).work("12s").with("lease 12s").speed(50.0).change(|setup| {
            setup.policy.values = values.parse().expect("a choice");
            setup.workload.keys = 1;
        });
        // The first job is job 0. It is written at 3 + 3 x 9 = 30 s, 18 s after job 1.
        lab.at(3.0, "slow holder x3").on_both(|ended| {
            let counters = ended.board.counters();
            assert_eq!((counters.overtaken, counters.outdated), (overtaken, outdated), "{values}");
            assert_eq!(ended.fates(), (0, 2, 0), "the ledger has both, whatever the value is");
        });
    }
}

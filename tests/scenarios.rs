//! What the lab is for: failures that a person should have seen, each in virtual time with the figures that arithmetic
//! gives.
//!
//! The usual pace: four workers, jobs of 250 ms (so 16 a second), a lease T of 6 s with beats every 1.9 s, three tries.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use onceish::board::{Board, Light};
use onceish::event::{End, Event, Finish, Spot, What};
use onceish::page;
use onceish::policy::{AckOrder, Dedup, Point};
use onceish::setup::{Driver, Poison};
use onceish::time::Span;
use support::{Ended, Lab, is, lab};

/// Jobs without work of which the page's list strikes these: 2,000 jobs and about 2 % of them.
const BATCH: u32 = 2_000;

fn struck() -> u64 {
    page::crashes().range(..BATCH).count() as u64
}

fn batch(ack: AckOrder, dedup: Dedup, point: Point) -> Ended {
    let ended = lab(BATCH).workers(4).ack(ack).dedup(dedup).crash(&format!("page@{point}")).simulate();
    assert_eq!(ended.board.struck(), [(struck(), struck())], "the fault really struck");
    ended
}

/// The usual pace.
fn live(jobs: u32) -> Lab {
    lab(jobs).workers(4).work("250ms").with("lease 6s, attempts 3")
}

/// Whether `count` is within five standard deviations of what so many draws with this probability give.
#[track_caller]
fn drawn(count: usize, draws: usize, probability: f64) {
    let mean = draws as f64 * probability;
    let deviation = (mean * (1.0 - probability)).sqrt();
    let off = (count as f64 - mean).abs() / deviation;
    assert!(off < 5.0, "{count} of {draws} where {mean:.1} with a deviation of {deviation:.1} are expected");
}

#[test]
fn ack_first_loses_what_was_under_way_and_monitoring_stays_green() {
    let ended = batch(AckOrder::Before, Dedup::None, Point::Ack);
    let (lost, _, twice) = ended.fates();
    assert_eq!((lost, twice), (struck(), 0));
    let operator = ended.board.operator(ended.board.now());
    let lights = [operator.backlog_light, operator.flow_light, operator.errors_light, operator.dead_light];
    assert_eq!(lights, [Light::Ok; 4], "all green");
    assert_eq!((operator.errors, operator.dead, operator.backlog), (0, 0, 0));
}

#[test]
fn ack_last_doubles_the_very_jobs_that_ack_first_loses() {
    let first = batch(AckOrder::Before, Dedup::None, Point::Ack);
    let last = batch(AckOrder::After, Dedup::None, Point::Effect);
    assert_eq!(last.fates(), (0, u64::from(BATCH) - struck(), struck()));
    assert_eq!(last.board.harm().twice, first.board.harm().lost);
    assert_eq!(last.claims() as u64, u64::from(BATCH) + struck(), "each of them was delivered once more");
}

#[test]
fn a_death_before_the_effect_is_harmless() {
    let ended = batch(AckOrder::After, Dedup::None, Point::Claim);
    assert_eq!(ended.fates(), (0, u64::from(BATCH), 0));
    assert_eq!(ended.claims() as u64, u64::from(BATCH) + struck());
}

/// Kills a random worker every 770 ms, 400 times, while all are at work, with a gap of this length between effect and ack.
fn killed_at_random(gap: Span) -> (usize, usize) {
    let kills = 400;
    let lab = lab(4_000).workers(4).dedup(Dedup::None).work("250ms~50%").with("lease 6s, attempts unlimited");
    let lab = (1..=kills).fold(lab, |lab, n| lab.at(f64::from(n) * 0.77, "kill random"));
    let ended = lab.change(|setup| setup.gap = gap).simulate();
    let after_effect = End::Crashed(Spot::After(Point::Effect));
    let harmful = ended.count(|what| matches!(what, What::Ended { how, .. } if *how == after_effect));
    assert_eq!(ended.count(is::died), kills as usize);
    assert_eq!(ended.board.counters().extra_effects, harmful as u64, "each is one effect too many");
    (harmful, kills as usize)
}

#[test]
fn a_kill_at_random_does_harm_with_the_part_of_time_that_a_job_spends_between_effect_and_ack() {
    // e / (w + e): 2 ms of 252 ms, and 250 ms of 500 ms.
    let (harmful, kills) = killed_at_random(Span::millis(2));
    assert!(harmful <= 12, "{harmful}; 3.2 are expected, and more than 12 once in 20,000 runs");
    let (harmful, kills_of_wide) = killed_at_random(Span::millis(250));
    assert_eq!(kills, kills_of_wide);
    drawn(harmful, kills, 0.5);
}

#[test]
fn two_writes_lose_or_double_by_their_order_and_one_transaction_does_neither() {
    let jobs = u64::from(BATCH);
    let effect_first = batch(AckOrder::After, Dedup::EffectThenKey, Point::Effect);
    assert_eq!(effect_first.fates(), (0, jobs - struck(), struck()));
    let key_first = batch(AckOrder::After, Dedup::KeyThenEffect, Point::Key);
    assert_eq!(key_first.fates(), (struck(), jobs - struck(), 0));
    assert_eq!(key_first.board.harm().lost, effect_first.board.harm().twice, "the same jobs");
    assert_eq!(key_first.board.operator(key_first.board.now()).errors, 0, "and silently");
    for (point, hits) in [(Point::Claim, 0), (Point::Work, 0), (Point::Check, 0), (Point::Effect, 0), (Point::Key, 0)]
        .into_iter()
        .chain([(Point::Commit, struck())])
    {
        let ended = batch(AckOrder::After, Dedup::Transactional, point);
        assert_eq!(ended.fates(), (0, jobs, 0), "{point}");
        assert_eq!(ended.claims() as u64, jobs + struck(), "{point}: still delivered more than once");
        assert_eq!(ended.board.counters().dedup_hits, hits, "{point}: recognised, or a clean retry");
    }
}

#[test]
fn a_key_that_is_not_the_jobs_own_recognises_nothing() {
    for key in ["attempt", "random"] {
        let lab = lab(BATCH).workers(4).with(&format!("key {key}")).crash("page@commit");
        let ended = lab.simulate();
        assert_eq!(ended.fates(), (0, u64::from(BATCH) - struck(), struck()), "key {key}");
        assert_eq!(ended.board.counters().dedup_hits, 0, "key {key}");
    }
}

#[test]
fn what_a_worker_remembers_dies_with_it() {
    let ended = batch(AckOrder::After, Dedup::PerWorker, Point::Key);
    assert_eq!(ended.fates().2, struck());
}

#[test]
fn what_one_worker_remembers_is_unknown_to_the_other_three() {
    // Every fifth job fails behind what its worker remembers of it; whoever is free next gets it again.
    let ids: Vec<String> = (0..BATCH).step_by(5).map(|id| id.to_string()).collect();
    let lab = lab(BATCH).workers(4).dedup(Dedup::PerWorker).work("250ms~50%").with("lease 6s");
    let ended = lab.fail(&format!("ids:{}@key", ids.join(","))).simulate();
    assert_eq!(ended.board.struck(), [(400, 400)]);
    let (twice, recognised) = (ended.fates().2 as usize, ended.count(is::recognised));
    assert_eq!(twice + recognised, 400);
    drawn(twice, 400, 3.0 / 4.0);
}

#[test]
fn a_dead_letter_that_was_applied_is_applied_again_when_it_is_replayed_after_the_keys_are_gone() {
    // Each job is applied at its first try; its two further tries are recognised, and none of its acks arrives.
    let twenty = |dedup: Dedup| {
        let lab = lab(20).workers(4).dedup(dedup).with("lease 6s, attempts 3").at(0.0, "mark every ack is lost");
        let lab = lab.change(|setup| setup.lose_acks = "100%".parse().expect("a rate"));
        lab.at(100.0, "heal all acks").at(101.0, "redrive all").simulate()
    };
    let until =
        |ended: &Ended, at: f64| -> Board { ended.events.iter().take_while(|event| event.at.seconds() < at).collect() };
    let forgetful = twenty(Dedup::Ttl(Span::seconds(60)));
    let before = until(&forgetful, 100.0).counters();
    assert_eq!((before.dead, before.dead_applied, before.once, before.dedup_hits), (20, 20, 20, 40));
    assert_eq!(forgetful.fates(), (0, 0, 20), "all 20 twice");
    let durable = twenty(Dedup::Transactional);
    assert_eq!(durable.fates(), (0, 20, 0));
    assert_eq!(durable.board.counters().dedup_hits, 60, "two tries and one replay of each");
}

/// How long each job works, by what was told at its first delivery.
fn works(ended: &Ended) -> BTreeMap<u32, f64> {
    let first = |event: &Event| match event.what {
        What::Claimed { j, n: 1, work, .. } => Some((j.0, work.as_seconds())),
        _ => None,
    };
    ended.events.iter().filter_map(first).collect()
}

#[test]
fn a_lease_shorter_than_the_tail_doubles_the_tail_and_never_accepts_its_acks() {
    for lease in [5, 15, 30] {
        let lab = lab(BATCH).workers(32).dedup(Dedup::None).work("page").with("renew off, attempts 2");
        let ended = lab.with(&format!("lease {lease}s")).simulate();
        let lease = f64::from(lease);
        let long: BTreeSet<u32> =
            works(&ended).iter().filter(|(_, work)| **work > lease).map(|(job, _)| *job).collect();
        let twice: BTreeSet<u32> = ended.board.harm().twice.iter().map(|job| job.0).collect();
        assert_eq!(twice, long, "exactly the jobs that work longer than {lease} s");
        assert_eq!(ended.counts().dead_applied, long.len() as u64, "applied, and in the DLQ all the same");
        assert_eq!(ended.count(is::ack_stale), 2 * long.len());
        drawn(long.len(), BATCH as usize, 0.95 * (-lease / 2.0).exp() + 0.05 * (-lease / 40.0).exp());
    }
}

/// Forty-second jobs on a worker each, under a lease of 6 s.
fn forty_seconds(jobs: u32, renew: &str) -> Lab {
    lab(jobs).workers(250).work("40s").with(&format!("lease 6s, attempts unlimited, renew {renew}"))
}

#[test]
fn a_third_of_the_lease_renews_in_time_and_twice_the_lease_never() {
    let thirds = forty_seconds(100, "1/3").simulate();
    assert_eq!((thirds.claims(), thirds.count(is::expired)), (100, 0));
    let late = |renew: &str| forty_seconds(100, renew).with("attempts 2").dedup(Dedup::None).simulate().fates();
    assert_eq!(late("2x"), (0, 0, 100), "every job that is longer than its lease, as without renewal");
    assert_eq!(late("2x"), late("off"));
}

/// The probability that among `n` beats three in a row are lost, each with probability `p`.
fn three_in_a_row(n: u32, p: f64) -> f64 {
    // The probabilities that the last 0, 1 and 2 beats were lost and never three.
    let alive = (0..n).fold([1.0, 0.0, 0.0], |[a, b, c], _| [(1.0 - p) * (a + b + c), p * a, p * b]);
    1.0 - alive.iter().sum::<f64>()
}

#[test]
fn one_beat_in_five_lost_takes_the_lease_from_one_job_in_nine_that_needs_twenty() {
    // Three beats fit in a lease, so it runs out when three in a row are lost. A job of 40 s beats 21 times, each 1.9 s;
    // were the 19th, 20th and 21st lost, the lease of the 18th at 34.2 s would still hold at 40 s. So 20 beats count.
    let probability = three_in_a_row(20, 0.2);
    assert!((0.105..0.115).contains(&probability), "{probability}");
    let ended =
        forty_seconds(2_000, "1/3").change(|setup| setup.lose_beats = "20%".parse().expect("a rate")).simulate();
    let first = |event: &Event| match event.what {
        What::Claimed { n: 1, k, .. } => Some(k),
        _ => None,
    };
    let first: BTreeSet<_> = ended.events.iter().filter_map(first).collect();
    let lost = ended.count(|what| matches!(what, What::Expired { k, .. } if first.contains(k)));
    drawn(lost, 2_000, probability);
    assert_eq!(ended.fates(), (0, 2_000, 0), "a transaction recognises them all");
}

/// Two jobs of 5 s under a lease of 3 s; the second, on w2, loses its heartbeat after its first beat at 0.95 s.
fn stalled(dedup: Dedup) -> Lab {
    lab(2).workers(3).dedup(dedup).work("5s").with("lease 3s").at(1.5, "stall w2")
}

#[test]
fn a_worker_whose_heartbeat_stalls_works_on_beside_its_successor() {
    let ended = stalled(Dedup::None).simulate();
    ended.comes_at(&[0.0, 0.0, 0.95 + 3.0], is::claimed);
    ended.comes_at(&[5.0, 5.0, 3.95 + 5.0], is::effect);
    assert_eq!(ended.fates(), (0, 1, 1));
    assert_eq!(stalled(Dedup::Transactional).simulate().fates(), (0, 2, 0));
}

#[test]
fn a_worker_that_gives_up_its_lost_lease_wastes_its_work_and_doubles_nothing() {
    let ended = stalled(Dedup::None).with("on-lost-lease abort").simulate();
    ended.comes_at(&[3.95], is::gave_up);
    ended.comes_at(&[5.0, 3.95 + 5.0], is::effect);
    assert_eq!((ended.fates(), ended.claims()), ((0, 2, 0), 3), "3.95 s of work and one delivery too many");
    // The race that remains: it stands between effect and ack when the lease ends.
    let late = lab(2).workers(3).dedup(Dedup::None).work("3900ms").with("lease 3s, on-lost-lease abort");
    let late = late.change(|setup| setup.gap = Span::millis(200)).at(1.5, "stall w2").simulate();
    late.comes_at(&[3.95], is::gave_up);
    assert_eq!(late.fates(), (0, 1, 1), "the effect was committed at 3.9 s");
}

#[test]
fn a_fence_stops_a_zombie_that_comes_second_and_cannot_stop_one_that_comes_first() {
    // w1 is cut from the queue at 1 s. Its successor works from 6 to 15 s; w1 writes at 9 s, or at 25 s when it is slow.
    let cut = |fence: &str, slow: bool| {
        let lab = lab(1).workers(2).dedup(Dedup::None).work("9s").with("lease 6s").with(fence).at(1.0, "cut w1 queue");
        let lab = if slow { lab.at(1.0, "slow w1 x3") } else { lab };
        lab.at(40.0, "heal w1").simulate()
    };
    for (fence, slow, twice, fenced, stale) in [
        ("fence off", true, 1, 0, 1),
        ("fence on", true, 0, 1, 0),
        ("fence off", false, 1, 0, 1),
        ("fence on", false, 1, 0, 1),
    ] {
        let ended = cut(fence, slow);
        let counters = ended.board.counters();
        let seen = (counters.duplicated, counters.fenced, counters.stale_acks);
        assert_eq!(seen, (twice, fenced, stale), "{fence}, the zombie comes {}", if slow { "second" } else { "first" });
    }
}

#[test]
fn a_pause_of_two_leases_makes_one_double_effect_and_a_fence_none() {
    // Asleep from 1 to 13 s, w1 is done at 13 + 8 = 21 s; its successor works from 6 to 15 s.
    let paused = |fence: &str| {
        let lab = lab(1).workers(2).dedup(Dedup::None).work("9s").with("lease 6s").with(fence);
        lab.at(1.0, "pause w1 for 12s").simulate()
    };
    let unfenced = paused("fence off");
    unfenced.comes_at(&[15.0, 21.0], is::effect);
    assert_eq!(unfenced.fates(), (0, 0, 1));
    let fenced = paused("fence on");
    fenced.comes_at(&[21.0], is::fenced);
    assert_eq!(fenced.fates(), (0, 1, 0));
}

#[test]
fn the_queue_knows_which_attempt_won_and_the_ledger_has_both() {
    let lab = lab(1).workers(2).dedup(Dedup::None).work("9s").with("lease 6s").at(1.0, "cut w1 queue");
    let ended = lab.at(1.0, "slow w1 x3").at(40.0, "heal w1").on(Driver::Simulation).run();
    assert_eq!(ended.sql("SELECT count(*) FROM jobs WHERE state = 'done' AND attempts = 2"), 1, "the job looks clean");
    assert_eq!(ended.sql("SELECT count(*) FROM effects WHERE job = 0"), 2, "the ledger does not");
    let operator = ended.board.operator(ended.board.now());
    assert_eq!((operator.errors, operator.dead, ended.board.counters().stale_acks), (0, 0, 1));
}

/// Jobs that had arrived and were never handed out at this moment.
fn backlog(ended: &Ended, at: f64) -> i64 {
    let step = |event: &Event| match event.what {
        What::Enqueued { .. } => 1,
        What::Claimed { n: 1, .. } => -1,
        _ => 0,
    };
    ended.events.iter().take_while(|event| event.at.seconds() <= at).map(step).sum()
}

#[test]
fn one_worker_of_four_killed_is_noticed_when_its_lease_ends_and_the_backlog_grows_meanwhile() {
    // 14 jobs a second arrive; four workers do 16, three do 12.
    let lab = live(0).change(|setup| {
        (setup.workload.jobs, setup.workload.rate) = (None, Some(14.0));
        setup.workload.stream_for = Some(Span::seconds(60));
    });
    let ended = lab.respawn(None).at(10.0, "kill w2").at(40.0, "restart w2").simulate();
    assert!(backlog(&ended, 9.9) <= 1, "four workers keep up");
    let detected = ended.time(is::expired).seconds() - ended.time(is::died).seconds();
    assert!((5.75..=6.0).contains(&detected), "{detected} s: a job of 250 ms is never renewed, so what is left of T");
    let grown = backlog(&ended, 40.0) - backlog(&ended, 10.0);
    assert!((59..=62).contains(&grown), "2 a second for 30 s, and the one that came back: {grown}");
    let drained = backlog(&ended, 40.0) - backlog(&ended, 59.9);
    assert!((38..=41).contains(&drained), "2 a second for 20 s: {drained}");
    assert_eq!((ended.how.clone(), ended.fates()), (Finish::Drained, (0, 840, 0)));
}

#[test]
fn a_job_that_kills_its_worker_takes_them_all_one_lease_after_the_other_unless_tries_are_bounded() {
    // It dies in the middle of its 250 ms; the next worker gets it when the lease of the one before ends.
    let poisoned =
        |attempts: &str| live(100).with(attempts).respawn(None).at(10.0, "poison crash").at(11.0, "enqueue 20");
    let unlimited = poisoned("attempts unlimited").simulate();
    unlimited.comes_at(&[10.125, 16.125, 22.125, 28.125], is::died);
    assert_eq!(unlimited.how, Finish::Stuck);
    assert_eq!(unlimited.board.stuck(), Some("no worker is left"));
    let bounded = poisoned("attempts 3").simulate();
    bounded.comes_at(&[10.125, 16.125, 22.125], is::died);
    bounded.comes_at(&[10.0 + 18.0], is::dead);
    assert_eq!((bounded.counts().once, bounded.counts().dead), (120, 1), "the others are unharmed");
}

#[test]
fn a_job_that_kills_its_worker_blocks_its_key_for_as_many_leases_as_it_has_tries() {
    // Of key 0 there are the jobs 0, 2, 4, 6 and 8, and job 2 is the poison; key 1 has the odd ones.
    let lab = live(2).with("order key").change(|setup| setup.workload.keys = 2);
    let ended = lab.at(0.0, "poison crash").at(0.0, "enqueue 7").simulate();
    let claims = |keys: u32| {
        let claimed = |event: &Event| match event.what {
            What::Claimed { j, .. } if j.0 % 2 == keys => Some((j.0, event.at.seconds())),
            _ => None,
        };
        ended.events.iter().filter_map(claimed).collect::<Vec<_>>()
    };
    let blocked = [(0, 0.0), (2, 0.25), (2, 6.25), (2, 12.25), (4, 18.25), (6, 18.5), (8, 18.75)];
    assert_eq!(claims(0), blocked, "behind the dead letter the key goes on");
    assert_eq!(claims(1), [(1, 0.0), (3, 0.25), (5, 0.5), (7, 0.75), (9, 1.0)], "the other key flows");
    assert_eq!((ended.board.counters().order_gaps, ended.counts().dead), (1, 1));
}

#[test]
fn a_redelivery_overtakes_and_the_older_value_wins_unless_values_have_versions() {
    // w1 sleeps with job 0 from 1 to 13 s. w2 does job 1 until 9 s and then job 0, whose lease ended at 6 s, until 18 s.
    let overtaking = |values: &str| {
        let lab = lab(2).workers(2).work("9s").with("lease 6s").at(1.0, "pause w1 for 12s").change(|setup| {
            setup.workload.keys = 1;
            setup.policy.values = values.parse().expect("a choice");
        });
        let ended = lab.on(Driver::Simulation).run();
        ended.comes_at(&[9.0, 18.0], is::effect);
        ended.comes_at(&[13.0 + 8.0], is::recognised);
        let counters = ended.board.counters();
        (counters.overtaken, counters.outdated, ended.sql("SELECT job FROM key_values"))
    };
    assert_eq!(overtaking("last-write"), (1, 0, 0), "the final value is that of job 0: wrong");
    assert_eq!(overtaking("versioned"), (0, 1, 1), "the value of job 1 stands");
}

#[test]
fn a_dlq_that_nobody_reads_is_silent_and_a_redrive_without_a_fix_costs_every_try_again() {
    let ended = lab(40).workers(4).poison(40, Poison::Fail).with("attempts 3").at(60.0, "redrive all").simulate();
    let board: Board = ended.events.iter().take_while(|event| event.at.seconds() < 60.0).collect();
    let before = board.operator(onceish::time::Instant::START + Span::seconds(60));
    assert_eq!((before.dead, before.dead_light, before.errors_light), (40, Light::Ok, Light::Ok), "old and silent");
    assert_eq!(board.counters().deliveries, 120);
    let after = ended.board.counters();
    assert_eq!((after.deliveries, after.redriven, after.dead), (120 + 40 * 3, 40, 40));
}

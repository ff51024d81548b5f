//! Each fault on a running lab: what stops, and what goes on.

mod support;

use onceish::event::{By, End, Event, Fault, Finish, Hold, Reason, Spot, What};
use onceish::ids::{Job, Worker};
use onceish::policy::{Dedup, Point};
use onceish::setup::Poison;
use onceish::time::Span;
use support::{Ended, Lab, Run, lab};

/// One job of 10 s and two workers under a lease of 4 s, twenty times as fast as the clock.
fn long_job(dedup: Dedup) -> Lab {
    lab(1).workers(2).dedup(dedup).with("lease 4s").work("10s").speed(20.0)
}

/// The worker that got the first job.
fn holder(run: &Run) -> Worker {
    let mut holder = None;
    run.when("somebody claims the job", |events| {
        holder = events.iter().find_map(|event| match event.what {
            What::Claimed { w, .. } => Some(w),
            _ => None,
        });
        holder.is_some()
    });
    holder.expect("just seen")
}

fn position(ended: &Ended, is: impl Fn(&What) -> bool) -> usize {
    ended.events.iter().position(|event| is(&event.what)).expect("it happened")
}

fn claims(ended: &Ended) -> usize {
    ended.count(|what| matches!(what, What::Claimed { .. }))
}

#[test]
fn a_stalled_heartbeat_makes_two_overlapping_deliveries_and_a_stale_ack() {
    let run = long_job(Dedup::None).start();
    let first = holder(&run);
    run.act(&format!("stall {first}"));
    let ended = run.end();
    assert_eq!(claims(&ended), 2);
    assert_eq!(ended.count(|what| matches!(what, What::AckStale { w, .. } if *w == first)), 1);
    assert_eq!(ended.fates(), (0, 0, 1), "both wrote");
    let second_claim = ended.events.iter().rposition(|event| matches!(event.what, What::Claimed { .. }));
    let first_end = position(&ended, |what| matches!(what, What::Ended { w, .. } if *w == first));
    assert!(second_claim.expect("claimed twice") < first_end, "the deliveries overlap");
}

#[test]
fn a_stalled_heartbeat_is_harmless_when_the_sink_recognises_duplicates() {
    let run = long_job(Dedup::Transactional).start();
    let first = holder(&run);
    run.act(&format!("stall {first}"));
    let ended = run.end();
    assert_eq!(ended.fates(), (0, 1, 0));
    assert_eq!(ended.count(|what| matches!(what, What::Recognised { .. })), 1);
}

/// Cuts the holder from the queue and slows it down, so that its successor writes first; heals it when it has written
/// or was refused.
fn partition(lab: Lab) -> Ended {
    let run = lab.interactive().start();
    let first = holder(&run);
    run.act(&format!("cut {first} queue")).act(&format!("slow {first} x4"));
    run.sees("the zombie tried to write", |what| match what {
        What::Held { w, what: Hold::Ack, .. } | What::Fenced { w, .. } => *w == first,
        _ => false,
    });
    run.act(&format!("heal {first}"));
    run.sees("all is settled", |what| *what == What::Drained);
    let ended = run.quit();
    assert_eq!(claims(&ended), 2, "the queue gave the job to somebody else");
    assert!(ended.count(|what| matches!(what, What::BeatLost { w, .. } if *w == first)) > 0);
    ended
}

#[test]
fn a_partitioned_zombie_writes_twice_without_dedup() {
    let ended = partition(long_job(Dedup::None));
    assert_eq!(ended.fates(), (0, 0, 1));
    assert_eq!(ended.count(|what| matches!(what, What::AckStale { .. })), 1, "its late ack is refused");
}

#[test]
fn a_partitioned_zombie_is_recognised_in_a_transaction() {
    let ended = partition(long_job(Dedup::Transactional));
    assert_eq!(ended.fates(), (0, 1, 0));
    assert_eq!(ended.count(|what| matches!(what, What::Recognised { .. })), 1);
}

#[test]
fn a_partitioned_zombie_is_refused_by_the_fence_when_its_successor_wrote_first() {
    let ended = partition(long_job(Dedup::None).with("fence on"));
    assert_eq!(ended.fates(), (0, 1, 0));
    assert_eq!(ended.count(|what| matches!(what, What::Fenced { .. })), 1);
    let acks = ended.count(|what| matches!(what, What::Acked { .. } | What::AckStale { .. }));
    assert_eq!(acks, 1, "a fenced delivery ends without an ack");
}

#[test]
fn a_zombie_that_writes_before_its_successor_is_rightly_accepted_by_the_fence() {
    let run = long_job(Dedup::None).with("fence on").start();
    let first = holder(&run);
    run.act(&format!("stall {first}"));
    let ended = run.end();
    assert_eq!(ended.fates(), (0, 0, 1), "the fence cannot know what comes later");
}

#[test]
fn a_pause_longer_than_the_lease_wakes_a_zombie() {
    let run = long_job(Dedup::None).start();
    let first = holder(&run);
    run.act(&format!("pause {first} for 8s"));
    let ended = run.end();
    assert_eq!(ended.fates(), (0, 0, 1));
    let expired = position(&ended, |what| matches!(what, What::Expired { .. }));
    let woke = position(&ended, |what| matches!(what, What::Healed { what: Fault::Pause, .. }));
    assert!(expired < woke, "its lease ran out while it slept");
    let renewed = ended.events[..expired].iter().filter(|e| matches!(e.what, What::Renewed { w, .. } if w == first));
    let slept = position(&ended, |what| matches!(what, What::Fault { what: Fault::Pause, .. }));
    let after = renewed.filter(|event| event.at > ended.events[slept].at).count();
    assert_eq!(after, 0, "a sleeper does not renew");
}

#[test]
fn a_hang_holds_its_job_and_goes_on_renewing() {
    let run = long_job(Dedup::None).interactive().start();
    let first = holder(&run);
    run.act(&format!("hang {first}"));
    let beats = |events: &[Event]| events.iter().filter(|e| matches!(e.what, What::Renewed { .. })).count();
    run.when("it renews long past the time its work takes", |events| beats(events) >= 12);
    run.act(&format!("heal {first} hang"));
    run.sees("all is settled", |what| *what == What::Drained);
    let ended = run.quit();
    assert_eq!((claims(&ended), ended.fates()), (1, (0, 1, 0)), "nobody else got the job");
}

#[test]
fn a_hang_that_nobody_heals_leaves_a_headless_run_stuck() {
    let run = lab(1).workers(2).work("10s").start();
    let first = holder(&run);
    run.act(&format!("hang {first}"));
    let ended = run.end();
    assert_eq!(ended.how, Finish::Stuck);
    assert_eq!(ended.fates(), (0, 0, 0));
    assert_eq!(ended.counts().pending, 1);
}

#[test]
fn a_killed_worker_leaves_its_lease_to_run_out_and_the_job_goes_to_another() {
    let run = long_job(Dedup::None).respawn(None).start();
    let first = holder(&run);
    run.act(&format!("kill {first}"));
    let ended = run.end();
    let end = End::Crashed(Spot::In(Point::Work));
    let crashed = |what: &What| matches!(what, What::Ended { how, by: Some(By::Operator), .. } if *how == end);
    let died = position(&ended, crashed);
    let expired = position(&ended, |what| matches!(what, What::Expired { .. }));
    let again = ended.events.iter().rposition(|event| matches!(event.what, What::Claimed { .. })).expect("claimed");
    assert!(died < expired && expired < again, "death, then the end of the lease, then the next claim");
    assert_eq!(ended.fates(), (0, 1, 0), "killed in the middle of its work: a clean retry");
}

#[test]
fn an_armed_worker_dies_at_its_point_and_a_disarmed_one_does_not() {
    let run = long_job(Dedup::EffectThenKey).start();
    let first = holder(&run);
    run.act(&format!("kill {first} at effect"));
    let ended = run.end();
    assert_eq!(ended.fates(), (0, 0, 1), "died between effect and key");
    let run = long_job(Dedup::EffectThenKey).start();
    let first = holder(&run);
    run.act(&format!("kill {first} at effect")).act(&format!("disarm {first}"));
    let ended = run.end();
    assert_eq!((ended.fates(), claims(&ended)), ((0, 1, 0), 1));
}

#[test]
fn a_worker_cut_from_the_sink_waits_there_renewing_and_writes_once_after_healing() {
    let run = long_job(Dedup::None).interactive().start();
    let first = holder(&run);
    run.act(&format!("cut {first} sink"));
    run.sees("its request is held", |what| matches!(what, What::Held { what: Hold::Sink, .. }));
    let beats = |events: &[Event]| {
        let held = events.iter().position(|e| matches!(e.what, What::Held { .. })).unwrap_or(events.len());
        events[held..].iter().filter(|e| matches!(e.what, What::Renewed { .. })).count()
    };
    run.when("it renews while it waits", |events| beats(events) >= 4);
    run.act(&format!("heal {first} sink"));
    run.sees("all is settled", |what| *what == What::Drained);
    let ended = run.quit();
    assert_eq!((claims(&ended), ended.fates()), (1, (0, 1, 0)));
}

#[test]
fn a_slow_worker_takes_n_times_as_long_and_renews_all_the_while() {
    let run = lab(1).workers(1).with("lease 4s").work("2s").speed(20.0).start();
    let first = holder(&run);
    run.act(&format!("slow {first} x10"));
    let ended = run.end();
    let claimed = ended.events[position(&ended, |what| matches!(what, What::Claimed { .. }))].at;
    let slowed = ended.events[position(&ended, |what| matches!(what, What::Fault { .. }))].at;
    let done = ended.events[position(&ended, |what| matches!(what, What::Stepped { p: Point::Work, .. }))].at;
    let left = Span::seconds(2).saturating_sub(slowed.since(claimed));
    let took = done.since(slowed);
    assert!(took >= left.scaled(10, 1), "{took} for {left} of work at a tenth of the pace");
    assert_eq!(claims(&ended), 1, "its lease was renewed");
}

#[test]
fn a_lost_ack_is_the_commonest_duplicate() {
    let run = lab(1).workers(2).dedup(Dedup::None).work("1s").speed(20.0).with("lease 4s").start();
    run.act("lose acks 100%");
    run.sees("the ack is lost", |what| matches!(what, What::AckLost { .. }));
    run.act("heal all acks");
    let ended = run.end();
    assert_eq!(ended.fates(), (0, 0, 1));
    assert_eq!(ended.count(|what| matches!(what, What::Ended { how: End::Done, .. })), 2, "neither could know");
}

#[test]
fn a_job_that_is_applied_and_never_acked_dies_applied() {
    let mut lab = lab(5).workers(2);
    lab.setup.lose_acks = "100%".parse().expect("a rate");
    let ended = lab.run();
    let counts = ended.counts();
    assert_eq!((counts.dead, counts.dead_applied, counts.once), (5, 5, 5));
    assert_eq!(claims(&ended), 15, "three tries each");
}

#[test]
fn lost_beats_let_a_lease_run_out_under_a_worker_at_work() {
    let mut lab = long_job(Dedup::None);
    lab.setup.lose_beats = "100%".parse().expect("a rate");
    let ended = lab.with("attempts 1").run();
    assert_eq!(ended.count(|what| matches!(what, What::Expired { .. })), 1);
    assert!(ended.count(|what| matches!(what, What::BeatLost { .. })) >= 4);
    assert_eq!(ended.count(|what| matches!(what, What::Renewed { .. })), 0);
}

#[test]
fn a_lost_answer_writes_again_unless_the_transaction_recognises_itself() {
    for (dedup, name) in [(Dedup::None, "none"), (Dedup::EffectThenKey, "effect-then-key")] {
        let mut lab = lab(200).workers(4).dedup(dedup);
        lab.setup.lose_replies = "30%".parse().expect("a rate");
        let ended = lab.run();
        let lost = ended.count(|what| matches!(what, What::ReplyLost { .. }));
        assert!(lost > 0 && ended.fates().2 > 0, "{name}: {lost} answers lost");
    }
    let mut lab = lab(200).workers(4).dedup(Dedup::Transactional);
    lab.setup.lose_replies = "30%".parse().expect("a rate");
    let ended = lab.run();
    assert_eq!(ended.fates(), (0, 200, 0));
    let lost = ended.count(|what| matches!(what, What::ReplyLost { .. }));
    assert_eq!(ended.count(|what| matches!(what, What::Recognised { .. })), lost, "each asked again and was known");
}

#[test]
fn a_worker_that_gives_up_when_its_lease_is_gone_writes_nothing_after_it() {
    let run = long_job(Dedup::None).with("on-lost-lease abort, attempts unlimited").start();
    let first = holder(&run);
    run.act(&format!("stall {first}"));
    run.sees("it gives up", |what| matches!(what, What::Ended { how: End::LeaseLost, .. }));
    run.act(&format!("heal {first} stall"));
    let ended = run.end();
    let gave_up = ended.events.iter().filter_map(|event| match event.what {
        What::Ended { how: End::LeaseLost, k, .. } => Some(k),
        _ => None,
    });
    for token in gave_up {
        assert_eq!(ended.count(|what| matches!(what, What::Effect { k, .. } if *k == token)), 0);
    }
    assert_eq!(ended.fates(), (0, 1, 0));
}

#[test]
fn a_renewal_after_the_lease_is_gone_is_refused_and_moves_nothing() {
    let run = long_job(Dedup::Transactional).start();
    let first = holder(&run);
    run.act(&format!("stall {first}")).act(&format!("slow {first} x6"));
    run.when("somebody else has the job", |events| {
        events.iter().filter(|event| matches!(event.what, What::Claimed { .. })).count() == 2
    });
    run.act(&format!("heal {first} stall"));
    let ended = run.end();
    assert!(ended.count(|what| matches!(what, What::RenewalStale { w, .. } if *w == first)) >= 1);
    let second = ended.events.iter().rev().find_map(|event| match event.what {
        What::Claimed { w, .. } => Some(w),
        _ => None,
    });
    let acked = |what: &What| matches!(what, What::Acked { w, .. } if Some(*w) == second);
    assert_eq!(ended.count(acked), 1, "the lease stayed with its new owner through its ack");
    assert_eq!(ended.fates(), (0, 1, 0));
}

#[test]
fn poison_that_crashes_kills_exactly_n_workers_and_lands_in_the_dlq_with_its_reason() {
    let ended = lab(100).workers(4).poison(1, Poison::Crash).with("lease 1s, attempts 3").run();
    assert_eq!(ended.count(|what| matches!(what, What::Died { by: By::Poison, .. })), 3);
    let counts = ended.counts();
    assert_eq!((counts.once, counts.dead, counts.dead_applied), (99, 1, 0), "the others are unharmed");
    let reason = ended.events.iter().find_map(|event| match &event.what {
        What::Dead { reason, tries, .. } => Some((reason.clone(), *tries)),
        _ => None,
    });
    assert_eq!(reason, Some((Reason::Crashed(Spot::In(Point::Work)), 3)));
}

#[test]
fn poison_that_fails_is_nacked_backs_off_and_dies_with_its_words() {
    let ended = lab(20).workers(2).poison(1, Poison::Fail).run();
    assert_eq!(ended.count(|what| matches!(what, What::Nacked { until: Some(_), .. })), 2);
    assert_eq!(ended.count(|what| matches!(what, What::Nacked { until: None, .. })), 1);
    assert_eq!(ended.count(|what| matches!(what, What::Died { .. })), 0, "a failure kills nobody");
    assert_eq!(ended.sql("SELECT count(*) FROM jobs WHERE state = 'dead' AND reason LIKE '%card declined%'"), 1);
}

#[test]
fn a_handler_that_panics_is_one_failed_delivery_on_a_living_worker() {
    let ended = lab(20).workers(2).poison(1, Poison::Panic).with("attempts 1").run();
    assert_eq!(ended.count(|what| matches!(what, What::Died { .. })), 0);
    assert_eq!(ended.count(|what| matches!(what, What::Ended { how: End::Failed(_), .. })), 1);
    assert_eq!((ended.counts().once, ended.counts().dead), (19, 1));
}

#[test]
fn a_redrive_runs_a_dead_job_again_with_a_fresh_budget() {
    let run = lab(5).workers(2).poison(1, Poison::Crash).with("lease 1s, attempts 3").interactive().start();
    let deaths = |events: &[Event]| events.iter().filter(|e| matches!(e.what, What::Died { .. })).count();
    run.sees("the poison is dead", |what| matches!(what, What::Dead { .. }));
    run.act("redrive all");
    run.when("it died again", |events| events.iter().filter(|e| matches!(e.what, What::Dead { .. })).count() == 2);
    run.when("it had three tries each time", |events| deaths(events) == 6);
    let ended = run.quit();
    let dead = dead_job(&ended);
    let tries = ended.events.iter().filter_map(|event| match event.what {
        What::Claimed { n, j, .. } if Some(j) == dead => Some(n),
        _ => None,
    });
    let tries: Vec<u32> = tries.collect();
    assert_eq!(tries, [1, 2, 3, 4, 5, 6], "the budget is fresh, the count goes on");
}

fn dead_job(ended: &Ended) -> Option<Job> {
    ended.events.iter().find_map(|event| match event.what {
        What::Dead { j, .. } => Some(j),
        _ => None,
    })
}

#[test]
fn a_delivery_keeps_the_program_it_started_with_when_the_policy_is_switched() {
    let run = lab(2).workers(1).with("lease 30s").work("4s").speed(20.0).start();
    holder(&run);
    run.act("dedup none");
    let ended = run.end();
    let keys = ended.count(|what| matches!(what, What::Key { .. }));
    assert_eq!(keys, 1, "the delivery under way wrote its key, the next one had none to write");
    let switched = position(&ended, |what| matches!(what, What::Policy { .. }));
    assert!(switched < position(&ended, |what| matches!(what, What::Key { .. })));
}

#[test]
fn a_dead_worker_stays_dead_until_it_is_restarted_and_its_memory_is_empty() {
    let run = lab(1).workers(1).dedup(Dedup::PerWorker).work("1s").speed(20.0).respawn(None).with("lease 4s");
    let run = run.interactive().start();
    holder(&run);
    run.act("kill w1 at ack");
    run.sees("it dies", |what| matches!(what, What::Died { back: None, .. }));
    run.act("restart w1");
    run.sees("it is back", |what| matches!(what, What::Spawned { generation: 2, .. }));
    let ended = run.quit();
    assert_eq!(ended.fates(), (0, 1, 0));
}

#[test]
fn without_a_worker_left_a_run_is_stuck() {
    let ended = lab(3).workers(2).respawn(None).crash("ids:0,1,2@claim").run();
    assert_eq!(ended.how, Finish::Stuck);
    assert!(ended.count(|what| matches!(what, What::Stuck { why } if &**why == "no worker is left")) == 1);
}

#[test]
fn quitting_lets_deliveries_under_way_end_and_leaves_the_rest_ready() {
    let run = lab(10).workers(2).with("lease 4s").work("10s").speed(20.0).start();
    run.when("both are at work", |events| {
        events.iter().filter(|event| matches!(event.what, What::Claimed { .. })).count() == 2
    });
    let ended = run.quit();
    assert_eq!(ended.how, Finish::Quit);
    assert_eq!(ended.count(|what| matches!(what, What::Acked { .. })), 2, "renewed to the end, not redelivered");
    assert_eq!(ended.sql("SELECT count(*) FROM jobs WHERE state = 'done'"), 2);
    assert_eq!(ended.sql("SELECT count(*) FROM jobs WHERE state = 'waiting'"), 8);
}

#[test]
fn quitting_without_grace_gives_leases_back_and_kills_no_job() {
    let run = lab(4).workers(2).work("1h").start();
    run.when("both are at work", |events| {
        events.iter().filter(|event| matches!(event.what, What::Claimed { .. })).count() == 2
    });
    run.handle.quit(std::time::Duration::ZERO);
    let ended = run.end();
    assert_eq!(ended.count(|what| matches!(what, What::Ended { how: End::Quit, .. })), 2);
    assert_eq!(ended.count(|what| matches!(what, What::Released { .. })), 2);
    assert_eq!(ended.sql("SELECT count(*) FROM jobs WHERE state = 'waiting'"), 4, "never done, never dead");
}

/// Steps on: a worker that is still on its way to its gap is waited for.
fn step(run: &Run) {
    loop {
        let mut before = 0;
        let actions = |events: &[Event]| events.iter().filter(|e| matches!(e.what, What::Action { .. })).count();
        run.when("the actions so far are told", |events| {
            before = actions(events);
            true
        });
        run.act("step");
        let mut done = false;
        run.when("the step is told", |events| {
            let last = events.iter().rev().find(|event| matches!(event.what, What::Action { .. }));
            done = matches!(last.map(|event| &event.what), Some(What::Action { refused: false, .. }));
            actions(events) > before
        });
        if done {
            return;
        }
    }
}

#[test]
fn stopped_time_holds_every_worker_at_its_next_gap_and_a_step_lets_one_pass() {
    let run = lab(0).workers(1).dedup(Dedup::None).interactive().start();
    run.act("stop").act("enqueue 1");
    run.sees("it has the job", |what| matches!(what, What::Claimed { .. }));
    step(&run);
    run.sees("the work is done", |what| matches!(what, What::Stepped { p: Point::Work, .. }));
    step(&run);
    run.sees("the effect is written", |what| matches!(what, What::Effect { .. }));
    step(&run);
    run.sees("it is acked", |what| matches!(what, What::Acked { .. }));
    let ended = run.quit();
    let stopped = position(&ended, |what| matches!(what, What::Stopped));
    let acked = position(&ended, |what| matches!(what, What::Acked { .. }));
    assert_eq!(ended.events[stopped].at, ended.events[acked].at, "no time passed");
}

#[test]
fn an_action_that_does_nothing_says_why() {
    let run = lab(0).workers(2).interactive().start();
    for (text, came) in [
        ("heal w1", "nothing to heal on w1"),
        ("restart w2", "w2 is alive; x kills it"),
        ("disarm w1", "w1 is not armed"),
        ("redrive all", "the DLQ is empty"),
        ("redrive 7", "job 7 is not in the DLQ"),
        ("dedup transactional", "dedup is transactional already"),
        ("kill w9", "there is no w9"),
        ("go", "time goes already"),
    ] {
        run.act(text);
        run.sees(text, |what| matches!(what, What::Action { came: said, refused: true, .. } if &**said == came));
    }
    run.quit();
}

#[test]
fn a_failure_list_strikes_every_first_attempt_and_the_board_counts_whom_it_struck() {
    for (point, twice) in [("work", 0), ("effect", 3)] {
        let ended = lab(20).workers(4).dedup(Dedup::None).fail(&format!("ids:1,5,7@{point}")).run();
        assert_eq!(ended.board.struck(), [(3, 3)], "{point}");
        assert_eq!(ended.fates(), (0, 20 - twice, twice), "{point}: a failure behind the effect leaves it standing");
        let failed = |what: &What| matches!(what, What::Ended { how: End::Failed(_), by: Some(By::List), .. });
        assert_eq!(ended.count(failed), 3, "{point}");
    }
}

//! What an operator does to a running lab besides breaking it, and how runs end: the same on both drivers.

mod support;

use std::time::Duration;

use onceish::event::{End, Event, Fault, Finish, What};
use onceish::policy::{Dedup, Point};
use onceish::setup::Driver;
use onceish::time::Span;
use support::{Ended, Lab, is, lab};

/// A lab for idle moments: nothing runs but what the script enqueues, and a lease is 200 ms on threads.
fn quiet(workers: u16) -> Lab {
    lab(0).workers(workers).with("lease 20s").speed(100.0)
}

/// The numbers of the attempts, in order.
fn attempts(ended: &Ended) -> Vec<u32> {
    let number = |event: &Event| match event.what {
        What::Claimed { n, .. } => Some(n),
        _ => None,
    };
    ended.events.iter().filter_map(number).collect()
}

#[test]
fn jobs_by_hand_take_the_next_ids_and_are_ready_at_once() {
    lab(2).workers(2).speed(100.0).at(5.0, "enqueue 3").at(10.0, "enqueue 1").on_both(|ended| {
        ended.comes_at(&[0.0, 0.0, 5.0, 5.0, 5.0, 10.0], |what| matches!(what, What::Enqueued { .. }));
        ended.comes_at(&[0.0, 0.0, 5.0, 5.0, 5.0, 10.0], is::claimed);
        assert_eq!(ended.sql("SELECT max(job) FROM jobs"), 5);
        assert_eq!(ended.fates(), (0, 6, 0));
    });
}

#[test]
fn a_redrive_runs_a_dead_job_again_with_a_fresh_budget() {
    let script = quiet(2).with("attempts 2, backoff 0").at(1.0, "poison fail").at(10.0, "redrive 0");
    script.at(20.0, "redrive all").at(30.0, "redrive 7").on_both(|ended| {
        ended.comes_at(&[1.0, 10.0, 20.0], is::dead);
        assert_eq!(attempts(ended), [1, 2, 3, 4, 5, 6], "the budget is fresh each time, the count goes on");
        let refused = |what: &What| matches!(what, What::Action { refused: true, .. });
        ended.comes_at(&[30.0], refused);
        assert_eq!((ended.counts().dead, ended.board.counters().redriven), (1, 2));
    });
}

#[test]
fn a_redriven_job_that_kills_its_worker_costs_three_workers_each_time() {
    // Each death is noticed when its lease of 20 s runs out.
    let script = quiet(2).with("attempts 3").at(1.0, "poison crash").at(85.0, "redrive all");
    script.on_both(|ended| {
        ended.comes_at(&[1.0, 21.0, 41.0, 85.0, 105.0, 125.0], is::died);
        ended.comes_at(&[61.0, 145.0], is::dead);
        assert_eq!(attempts(ended), [1, 2, 3, 4, 5, 6]);
    });
}

#[test]
fn a_dead_worker_stays_dead_until_it_is_restarted_and_its_memory_is_empty() {
    // It dies with what it remembers, so its successor in the same slot applies the job again.
    let lab = lab(1).workers(1).dedup(Dedup::PerWorker).work("9s").respawn(None).with("lease 12s").speed(50.0);
    lab.at(1.0, "kill w1 at key").at(18.0, "restart w1").on_both(|ended| {
        ended.comes_at(&[9.0], |what| matches!(what, What::Died { back: None, .. }));
        ended.comes_at(&[18.0], |what| matches!(what, What::Spawned { generation: 2, .. }));
        // The last beat before the death came at 7.6 s.
        ended.comes_at(&[0.0, 7.6 + 12.0], is::claimed);
        assert_eq!(ended.fates(), (0, 0, 1));
    });
}

#[test]
fn healing_all_ends_every_fault_and_every_loss() {
    let script = quiet(3).at(1.0, "stall w1").at(1.0, "pause w2").at(1.0, "cut w3 queue").at(1.0, "cut w3 sink");
    let script = script.at(2.0, "slow all x2").at(2.0, "hang w1").at(2.0, "lose beats 50%").at(2.0, "lose acks 50%");
    script.at(3.0, "lose replies 50%").at(20.0, "heal all").at(21.0, "enqueue 20").on_both(|ended| {
        for fault in Fault::ALL {
            assert_eq!(ended.count(is::begun(*fault)), ended.count(is::healed(*fault)), "{fault}");
        }
        assert_eq!(ended.count(|what| matches!(what, What::Healed { .. })), 11, "5 by name, 3 slow, 3 losses");
        assert_eq!((ended.fates(), ended.claims()), ((0, 20, 0), 20));
    });
}

#[test]
fn stopped_time_holds_every_worker_at_its_next_gap_and_a_step_lets_one_pass() {
    let script = quiet(1).dedup(Dedup::None).at(1.0, "stop").at(1.0, "enqueue 1");
    let script = script.at(1.0, "step").at(1.0, "step").at(1.0, "step").at(9.0, "go");
    script.on_both(|ended| {
        let told = |what: &What| match what {
            What::Action { text, refused: false, .. } if &**text == "step" => Some("step"),
            What::Stopped => Some("stopped"),
            What::Going => Some("going"),
            What::Claimed { .. } => Some("claimed"),
            What::Stepped { p: Point::Work, .. } => Some("worked"),
            What::Effect { .. } => Some("effect"),
            What::Acked { .. } => Some("acked"),
            _ => None,
        };
        let told: Vec<&str> = ended.events.iter().filter_map(|event| told(&event.what)).collect();
        let steps = ["stopped", "claimed", "step", "worked", "step", "effect", "step", "acked", "going"];
        assert_eq!(told, steps);
        let (stopped, acked) = (ended.time(|what| *what == What::Stopped), ended.time(is::acked));
        assert_eq!(stopped, acked, "no time passed");
        assert_eq!(ended.how, Finish::Drained);
    });
}

#[test]
fn time_that_is_stopped_and_let_go_again_costs_no_lab_time() {
    let lab = lab(2).workers(2).work("24s").with("lease 12s").speed(50.0);
    // While time stands no moment of lab time comes, so what is planned for later is done at once.
    lab.at(5.0, "stop").at(9.0, "go").on_both(|ended| {
        ended.comes_at(&[5.0], |what| *what == What::Going);
        ended.comes_at(&[24.0, 24.0], is::effect);
        assert_eq!((ended.claims(), ended.fates()), (2, (0, 2, 0)), "no lease ran out meanwhile");
    });
}

/// One job of 100 s with beats at 38 and 76 s.
fn slow_beats() -> Lab {
    lab(1).workers(1).work("100s").with("lease 120s").speed(50.0)
}

#[test]
fn a_step_with_nobody_at_a_gap_moves_time_to_the_next_moment() {
    slow_beats().at(1.0, "stop").at(1.0, "step").at(1.0, "step").at(1.0, "go").on_both(|ended| {
        ended.comes_at(&[38.0, 76.0], is::renewed);
        ended.comes_at(&[38.0, 76.0], |what| matches!(what, What::Jumped { .. }));
        ended.comes_at(&[76.0], |what| *what == What::Going);
        ended.comes_at(&[100.0], is::effect);
    });
}

#[test]
fn a_jump_moves_time_to_the_next_moment_and_changes_no_outcome() {
    slow_beats().at(1.0, "jump").at(40.0, "jump").on_both(|ended| {
        ended.comes_at(&[38.0, 76.0], |what| matches!(what, What::Jumped { .. }));
        ended.comes_at(&[38.0, 76.0], is::renewed);
        ended.comes_at(&[100.0], is::effect);
        assert_eq!(ended.claims(), 1);
    });
}

#[test]
fn another_speed_changes_no_moment_of_lab_time() {
    lab(1).workers(1).work("24s").with("lease 12s").speed(25.0).at(5.0, "speed 60").at(6.0, "mark fast").on_both(
        |ended| {
            ended.comes_at(&[5.0], |what| *what == What::Speed { x: 60.0 });
            ended.comes_at(&[24.0], is::effect);
            assert_eq!((ended.claims(), ended.fates()), (1, (0, 1, 0)));
            ended.board.marks().iter().map(|(_, text)| text.clone()).collect::<Vec<_>>()
        },
    );
}

#[test]
fn an_action_that_does_nothing_says_why() {
    let acts = [
        ("heal w1", "nothing to heal on w1"),
        ("heal w1 stall", "w1 has no stall to heal"),
        ("heal all", "nothing to heal"),
        ("restart w2", "w2 is alive; x kills it"),
        ("disarm w1", "w1 is not armed"),
        ("kill w1 at check", "this program has no point check; it has claim, work, effect, ack"),
        ("redrive all", "the DLQ is empty"),
        ("redrive 7", "job 7 is not in the DLQ"),
        ("dedup none", "dedup is none already"),
        ("kill w9", "there is no w9"),
        ("go", "time goes already"),
    ];
    let script = acts.iter().fold(quiet(2).dedup(Dedup::None), |lab, (text, _)| lab.at(1.0, text));
    script.on_both(|ended| {
        let said = ended.events.iter().filter_map(|event| match &event.what {
            What::Action { text, came, refused: true, .. } => Some((&**text, &**came)),
            _ => None,
        });
        assert_eq!(said.collect::<Vec<_>>(), acts);
    });
}

/// One worker with one job of 18 s under a lease of 20 s that is not renewed.
fn one_job() -> Lab {
    lab(1).workers(1).work("18s").with("lease 20s, renew off").speed(50.0)
}

#[test]
fn a_run_goes_on_while_anything_is_planned_and_then_ends_as_it_stands() {
    lab(1).workers(1).speed(100.0).at(30.0, "mark late").on_both(|ended| {
        ended.comes_at(&[30.0], |what| matches!(what, What::Marked { .. }));
        assert_eq!(ended.how, Finish::Drained);
    });
    // What would be stuck for good is not while somebody is to heal it.
    let asleep = one_job().at(1.0, "pause w1");
    asleep.clone().at(40.0, "heal w1").on_both(|ended| {
        assert_eq!((ended.how.clone(), ended.claims(), ended.fates()), (Finish::Drained, 2, (0, 1, 0)));
    });
    asleep.on_both(|ended| assert_eq!(ended.how, Finish::Stuck));
}

#[test]
fn a_lab_that_gets_a_job_while_it_is_stuck_says_again_that_it_is() {
    let script =
        lab(1).workers(1).respawn(None).speed(100.0).at(1.0, "mark start").at(2.0, "kill w1").at(3.0, "enqueue 1");
    script.on_both(|ended| {
        ended.comes_at(&[3.0], |what| matches!(what, What::Stuck { why } if &**why == "no worker is left"));
        assert_eq!(ended.board.stuck(), Some("no worker is left"));
    });
    let again = one_job().respawn(None).at(2.0, "kill w1");
    again.at(30.0, "enqueue 1").at(40.0, "mark end").on_both(|ended| {
        ended.comes_at(&[20.0, 30.0], |what| matches!(what, What::Stuck { .. }));
        assert_eq!(ended.board.stuck(), Some("no worker is left"), "a new job does not hide it");
    });
}

#[test]
fn that_no_more_messages_are_lost_moves_no_lab_that_is_stuck() {
    let script = one_job().respawn(None).at(2.0, "kill w1");
    script.at(30.0, "lose acks 20%").at(35.0, "heal all acks").at(40.0, "mark end").on_both(|ended| {
        ended.comes_at(&[20.0], |what| matches!(what, What::Stuck { .. }));
        assert_eq!(ended.board.stuck(), Some("no worker is left"));
    });
}

// Quitting has a grace in real time, and virtual time none: so each driver has its own claims about it.

#[test]
fn quitting_lets_deliveries_under_way_end_and_leaves_the_rest_ready() {
    let run = lab(10).workers(2).with("lease 4s").work("10s").speed(20.0).start();
    run.when("both are at work", |events| events.iter().filter(|event| is::claimed(&event.what)).count() == 2);
    let ended = run.quit();
    assert_eq!(ended.how, Finish::Quit);
    assert_eq!(ended.count(is::acked), 2, "renewed to the end, not redelivered");
    assert_eq!(ended.sql("SELECT count(*) FROM jobs WHERE state = 'done'"), 2);
    assert_eq!(ended.sql("SELECT count(*) FROM jobs WHERE state = 'waiting'"), 8);
}

#[test]
fn quitting_without_grace_gives_leases_back_and_kills_no_job() {
    let run = lab(4).workers(2).work("1h").start();
    run.when("both are at work", |events| events.iter().filter(|event| is::claimed(&event.what)).count() == 2);
    run.handle.quit(Duration::ZERO);
    let ended = run.end();
    assert_eq!(ended.count(|what| matches!(what, What::Ended { how: End::Quit, .. })), 2);
    assert_eq!(ended.count(|what| matches!(what, What::Released { .. })), 2);
    assert_eq!(ended.sql("SELECT count(*) FROM jobs WHERE state = 'waiting'"), 4, "never done, never dead");
}

#[test]
fn quitting_virtual_time_abandons_what_is_under_way_at_once() {
    let endless = |lab: Lab| {
        lab.change(|setup| (setup.workload.jobs, setup.workload.rate) = (None, Some(10.0))).work("250ms~50%")
    };
    let run = endless(lab(0)).on(Driver::Simulation).workers(4).start();
    run.when("it is well under way", |events| events.len() > 5_000);
    run.handle.quit(Duration::from_secs(30));
    let ended = run.end();
    assert_eq!(ended.how, Finish::Quit);
    let aborted = ended.count(|what| matches!(what, What::Ended { how: End::Quit, .. }));
    assert_eq!(ended.count(|what| matches!(what, What::Released { .. })), aborted, "each lease is given back");
    let counters = ended.board.counters();
    assert_eq!(counters.leased + counters.unprotected, 0);
    assert_eq!((counters.done + counters.waiting, counters.lost), (counters.enqueued, 0), "the rest waits");
}

#[test]
fn that_nothing_is_left_to_do_is_told_once_whoever_comes_back_afterwards() {
    let lab = lab(1).workers(2).work("3s").respawn(Some(Span::seconds(5))).speed(50.0);
    lab.at(2.0, "kill all").at(30.0, "mark late").on_both(|ended| {
        let count = |is: fn(&What) -> bool| ended.events.iter().filter(|event| is(&event.what)).count();
        assert_eq!(count(|what| matches!(what, What::Spawned { generation: 2, .. })), 2, "both come back");
        assert_eq!(count(|what| matches!(what, What::Drained)), 1);
    });
    let again = one_job().respawn(Some(Span::seconds(5))).at(20.0, "kill w1").at(40.0, "mark late");
    again.on_both(|ended| {
        let drained = ended.events.iter().filter(|event| event.what == What::Drained).count();
        assert_eq!(drained, 1, "its worker died and came back when the job was done");
    });
}

//! At risk: an effect is in the ledger, the job is not settled, and a redelivery would not be recognised.

use super::{Script, seconds};
use crate::policy::Point;
use crate::time::Span;

fn at_risk(script: &Script) -> u64 {
    let counted = script.board.counters().at_risk;
    assert_eq!(script.board.truth(script.now()).at_risk.0, counted);
    counted
}

fn why(script: &Script) -> &'static str {
    script.board.truth(script.now()).at_risk.1.expect("a job is at risk").1
}

#[test]
fn without_dedup_a_job_is_at_risk_from_its_effect_to_its_ack() {
    let mut script = Script::under("dedup none");
    script.enqueue(1).claim(1, 0).work(1);
    assert_eq!(at_risk(&script), 0);
    script.effect(1);
    assert_eq!(at_risk(&script), 1);
    assert_eq!(why(&script), "effect written, not acked");
    script.done(1);
    assert_eq!(at_risk(&script), 0);
}

#[test]
fn with_two_writes_a_job_is_at_risk_between_them() {
    let mut script = Script::under("dedup effect-then-key");
    script.enqueue(1).claim(1, 0).work(1).no_key(1).effect(1);
    assert_eq!((at_risk(&script), why(&script)), (1, "effect written, key not"));
    script.key(1);
    assert_eq!(at_risk(&script), 0);
}

#[test]
fn a_death_leaves_the_job_at_risk_until_somebody_has_done_it_again() {
    let mut script = Script::under("dedup effect-then-key, lease 3s");
    script.enqueue(1).claim(1, 0).work(1).no_key(1).effect(1).killed_after(1, Point::Effect);
    assert_eq!(at_risk(&script), 1);
    script.at(3.0).expire(1);
    assert_eq!(at_risk(&script), 1);
    script.claim(2, 0).work(2).no_key(2).effect(2).key(2);
    assert_eq!(at_risk(&script), 0);
}

#[test]
fn a_switch_of_the_memory_puts_what_is_under_way_at_risk_and_back() {
    let mut script = Script::under("dedup transactional");
    script.enqueue(1).claim(1, 0).work(1).apply(1);
    assert_eq!(at_risk(&script), 0);
    script.switch("dedup window:10");
    assert_eq!((at_risk(&script), why(&script)), (1, "effect written, id forgotten"));
    script.switch("dedup effect-then-key");
    assert_eq!(at_risk(&script), 0, "the three with durable keys share one table");
    script.switch("dedup none");
    assert_eq!(at_risk(&script), 1);
}

#[test]
fn a_key_that_is_not_the_jobs_id_is_never_found_again() {
    for key in ["attempt", "random"] {
        let mut script = Script::under(&format!("dedup transactional, key {key}"));
        script.enqueue(1).claim(1, 0).work(1).apply(1);
        assert_eq!((at_risk(&script), why(&script)), (1, "effect written, its key never matches"));
        script.switch("key job");
        assert_eq!((at_risk(&script), why(&script)), (1, "effect written, key not"));
    }
    let mut script = Script::under("dedup transactional");
    script.enqueue(1).claim(1, 0).work(1).apply(1).switch("key attempt");
    assert_eq!(at_risk(&script), 1);
    script.switch("key job");
    assert_eq!(at_risk(&script), 0);
}

#[test]
fn a_window_of_two_forgets_an_id_when_two_others_came_after_it() {
    let mut script = Script::under("dedup window:2, lease 30s");
    script.enqueue(4).claim(1, 0).work(1).apply(1).ack_lost(1);
    script.whole_life(1, 1);
    assert_eq!(at_risk(&script), 0);
    script.whole_life(1, 2);
    assert_eq!(at_risk(&script), 1);
    let job = script.board.truth(script.now()).at_risk.1.expect("one").0;
    assert_eq!(job.0, 0);
    script.switch("dedup window:100");
    assert_eq!(at_risk(&script), 1, "what a window has pruned away does not come back");
}

#[test]
fn every_key_takes_a_place_in_the_window() {
    let mut script = Script::under("dedup window:2, lease 30s");
    script.enqueue(2).claim(1, 0).work(1).apply(1).ack_lost(1);
    script.switch("key attempt").claim(1, 1).work(1).apply(1).done(1).switch("key job");
    assert_eq!(at_risk(&script), 0);
    script.enqueue(1).whole_life(1, 2);
    assert_eq!(at_risk(&script), 1);
}

#[test]
fn a_record_that_was_taken_back_takes_no_place() {
    let mut script = Script::under("dedup window:2, lease 30s");
    script.enqueue(3).claim(1, 0).work(1).apply(1).ack_lost(1);
    script.claim(1, 1).work(1).effect(1).key(1).undone(1).apply(1).done(1);
    assert_eq!(at_risk(&script), 0);
    script.whole_life(1, 2);
    assert_eq!(at_risk(&script), 1);
}

#[test]
fn a_ttl_forgets_an_id_when_it_is_that_old() {
    let mut script = Script::under("dedup ttl:10s, lease 30s");
    script.enqueue(1).at(5.0).claim(1, 0).work(1).apply(1);
    assert_eq!(script.board.truth(seconds(14.9)).at_risk.0, 0);
    assert_eq!(script.board.truth(seconds(15.0)).at_risk.0, 1);
}

#[test]
fn window_and_ttl_share_one_memory() {
    let mut script = Script::under("dedup window:5, lease 30s");
    script.enqueue(1).claim(1, 0).work(1).apply(1).switch("dedup ttl:10s");
    assert_eq!(at_risk(&script), 0);
}

#[test]
fn under_per_worker_a_job_is_at_risk_unless_every_living_worker_remembers_it() {
    let mut script = Script::under("dedup per-worker, lease 3s");
    script.enqueue(1).claim(1, 0).work(1).effect(1).commit(1).remember(1);
    assert_eq!((at_risk(&script), why(&script)), (1, "effect written, not all workers know"));
    script.died(2, crate::event::By::Operator);
    assert_eq!(at_risk(&script), 0, "w1 is the only one that could get it, and it remembers");
    script.back(2);
    assert_eq!(at_risk(&script), 1);
}

#[test]
fn what_a_worker_remembers_dies_with_its_generation() {
    let mut script = Script::of("dedup per-worker, lease 3s", |setup| setup.workers = 1);
    script.enqueue(1).claim(1, 0).work(1).effect(1).commit(1).remember(1);
    assert_eq!(at_risk(&script), 0);
    script.killed_after(1, Point::Key);
    assert_eq!(at_risk(&script), 1);
    script.at(5.0).back(1);
    assert_eq!(at_risk(&script), 1);
}

#[test]
fn dead_and_done_jobs_are_settled_and_not_at_risk() {
    let mut script = Script::under("dedup none, lease 3s, attempts 1");
    script.enqueue(1).claim(1, 0).work(1).effect(1).killed_after(1, Point::Effect);
    script.at(3.0).expire(1).dead(0, crate::event::Reason::Crashed(crate::event::Spot::After(Point::Effect)));
    assert_eq!(at_risk(&script), 0);
    script.redrive(0);
    assert_eq!(at_risk(&script), 1);
    assert_eq!(script.board.truth(script.now() + Span::seconds(1)).at_risk.0, 1);
}

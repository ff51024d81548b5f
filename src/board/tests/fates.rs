//! Every job is once, twice, lost, dead or pending, and the queue's places add up beside it.

use super::{Script, jobs};
use crate::board::Counters;
use crate::event::{By, End, Reason, Spot};
use crate::policy::Point;

/// Lost, once, twice, pending, dead without an effect.
fn fates(script: &Script) -> (u64, u64, u64, u64, u64) {
    let c = script.board.counters();
    assert_eq!(c.lost + c.once + c.duplicated + c.pending + c.dead_unapplied(), c.enqueued);
    assert_eq!(c.waiting + c.leased + c.unprotected + c.done + c.dead, c.enqueued);
    assert_eq!(c.effects, c.once + c.duplicated + c.extra_effects);
    assert_eq!(script.board.violations(), [] as [String; 0]);
    (c.lost, c.once, c.duplicated, c.pending, c.dead_unapplied())
}

#[test]
fn a_job_is_pending_until_its_effect_and_then_once() {
    let mut script = Script::under("dedup none");
    script.enqueue(2).claim(1, 0).work(1);
    assert_eq!(fates(&script), (0, 0, 0, 2, 0));
    script.effect(1);
    assert_eq!(fates(&script), (0, 1, 0, 1, 0));
    script.done(1);
    assert_eq!(fates(&script), (0, 1, 0, 1, 0));
}

#[test]
fn a_death_after_the_effect_gives_two_effects() {
    let mut script = Script::under("dedup none, lease 3s");
    script.enqueue(1).claim(1, 0).work(1).effect(1).killed_after(1, Point::Effect);
    script.at(3.0).expire(1).claim(2, 0).work(2).effect(2);
    assert_eq!(fates(&script), (0, 0, 1, 0, 0));
    script.done(2);
    let c = script.board.counters();
    assert_eq!((c.effects, c.extra_effects, c.deliveries, c.redeliveries, c.expirations), (2, 1, 2, 1, 1));
    assert_eq!((c.crashes, c.deaths, c.acked), (1, 1, 1));
    assert_eq!(script.board.harm().twice.iter().copied().collect::<Vec<_>>(), jobs(&[0]));
}

#[test]
fn a_third_effect_is_a_second_extra_of_the_same_job() {
    let mut script = Script::under("dedup none, lease 3s");
    script.enqueue(1);
    for s in [0.0, 3.0, 6.0] {
        script.at(s).claim(1, 0).work(1).effect(1).ack_lost(1).at(s + 3.0).expire(1);
    }
    assert_eq!(fates(&script), (0, 0, 1, 0, 0));
    assert_eq!(script.board.counters().extra_effects, 2);
}

#[test]
fn an_ack_before_the_work_leaves_the_job_unprotected_and_a_death_loses_it() {
    let mut script = Script::under("ack before, dedup none");
    script.enqueue(1).claim(1, 0).ack(1);
    assert_eq!(script.board.counters().unprotected, 1);
    assert_eq!(fates(&script), (0, 0, 0, 1, 0));
    script.killed_after(1, Point::Ack);
    assert_eq!(fates(&script), (1, 0, 0, 0, 0));
    assert_eq!(script.board.counters().done, 1, "lost is a part of done");
    assert_eq!(script.board.harm().lost.iter().copied().collect::<Vec<_>>(), jobs(&[0]));
}

#[test]
fn an_acked_job_is_not_lost_while_a_zombie_still_works_on_it() {
    let mut script = Script::under("dedup key-then-effect, lease 3s");
    script.enqueue(1).claim(1, 0).work(1).no_key(1).key(1);
    script.at(3.0).expire(1).claim(2, 0).work(2).found(2).done(2);
    let c = script.board.counters();
    assert_eq!((c.unprotected, c.done), (1, 0), "the zombie may still write its effect");
    assert_eq!(fates(&script), (0, 0, 0, 1, 0));
    let mut written = script.clone();
    written.effect(1).ack_stale(1);
    assert_eq!(fates(&written), (0, 1, 0, 0, 0));
    assert_eq!(written.board.counters().done, 1);
    script.killed_after(1, Point::Key);
    assert_eq!(fates(&script), (1, 0, 0, 0, 0));
}

#[test]
fn a_dead_job_with_an_effect_is_once_and_dead_applied() {
    let mut script = Script::under("dedup transactional, lease 3s, attempts 1");
    script.enqueue(2).claim(1, 0).work(1).apply(1).killed_after(1, Point::Commit);
    script.claim(2, 1).work(2).fail_for_good(2);
    script.at(3.0).expire(1).dead(0, Reason::Crashed(Spot::After(Point::Commit)));
    assert_eq!(fates(&script), (0, 1, 0, 0, 1));
    let c = script.board.counters();
    assert_eq!((c.dead, c.dead_applied), (2, 1));
    let letters = script.board.dead_letters();
    let told: Vec<(u32, bool, &str)> =
        letters.iter().map(|letter| (letter.job.0, letter.applied, letter.words.as_str())).collect();
    assert_eq!(told, [(1, false, "\"card declined\""), (0, true, "w1 died after commit")], "oldest first");
}

#[test]
fn a_zombie_that_writes_after_its_job_is_dead_makes_it_applied() {
    let mut script = Script::under("dedup none, lease 3s, attempts 1");
    script.enqueue(1).claim(1, 0).work(1).at(3.0).expire(1).dead(0, Reason::LeaseExpired);
    assert_eq!(fates(&script), (0, 0, 0, 0, 1));
    script.at(4.0).effect(1).ack_stale(1);
    assert_eq!(fates(&script), (0, 1, 0, 0, 0));
    assert_eq!(script.board.counters().dead_applied, 1);
}

#[test]
fn a_redrive_brings_a_dead_job_back_to_pending_with_a_fresh_budget() {
    let mut script = Script::under("dedup none, attempts 1");
    script.enqueue(1).claim(1, 0).work(1).fail_for_good(1);
    script.at(1.0).redrive(0);
    assert_eq!(fates(&script), (0, 0, 0, 1, 0));
    assert!(script.board.dead_letters().is_empty());
    script.claim(2, 0).work(2).fail_for_good(2);
    assert_eq!(fates(&script), (0, 0, 0, 0, 1));
    assert_eq!(script.board.dead_letters()[0].redriven, 1);
    assert_eq!(script.board.counters().redriven, 1);
}

#[test]
fn what_a_failed_commit_had_recorded_is_taken_back() {
    let mut script = Script::under("dedup transactional, lease 3s");
    script.enqueue(1).claim(1, 0).work(1).effect(1).key(1);
    assert_eq!(fates(&script), (0, 1, 0, 0, 0));
    script.undone(1);
    assert_eq!(fates(&script), (0, 0, 0, 1, 0));
    assert_eq!(script.board.counters().effects, 0);
    script.killed_at_work(1).at(3.0).expire(1).claim(2, 0).work(2).apply(2).done(2);
    assert_eq!(fates(&script), (0, 1, 0, 0, 0));
}

#[test]
fn a_failed_key_leaves_the_effect_of_the_transaction_before_it() {
    let mut script = Script::under("dedup effect-then-key, lease 3s");
    script.enqueue(1).claim(1, 0).work(1).no_key(1).effect(1).key(1).undone(1);
    assert_eq!(fates(&script), (0, 1, 0, 0, 0));
    assert_eq!(script.board.counters().at_risk, 1, "the effect stands and its key does not");
}

#[test]
fn taking_a_duplicate_back_takes_its_harm_back() {
    let mut script = Script::under("dedup effect-then-key, lease 3s");
    script.enqueue(1).claim(1, 0).work(1).no_key(1).effect(1).killed_after(1, Point::Effect);
    script.at(3.0).expire(1).claim(2, 0).work(2).no_key(2).effect(2);
    assert_eq!(script.board.anomalies().len(), 1);
    assert_eq!(script.board.verdict().word, crate::board::Word::Broken);
    script.undone(2);
    assert_eq!(fates(&script), (0, 1, 0, 0, 0));
    assert!(script.board.harm().twice.is_empty());
    assert!(script.board.anomalies().is_empty());
    assert_eq!(script.board.verdict().word, crate::board::Word::KeptSoFar);
    assert_eq!(script.board.truth(script.now()).twice, (0, Vec::new()));
}

#[test]
fn a_recognition_and_a_refusal_are_taken_back_too() {
    let mut script = Script::under("dedup transactional, lease 3s");
    script.enqueue(1).claim(1, 0).work(1).apply(1).at(3.0).expire(1);
    script.claim(2, 0).work(2).found(2);
    assert_eq!(script.board.counters().dedup_hits, 1);
    script.undone(2);
    assert_eq!(script.board.counters().dedup_hits, 0);
    let (w, j, k) = script.hand(2);
    script.tell(crate::event::What::Fenced { w, j, k });
    assert_eq!((script.board.counters().fenced, script.board.anomalies().len()), (1, 1));
    script.undone(2);
    assert_eq!((script.board.counters().fenced, script.board.anomalies().len()), (0, 0));
}

#[test]
fn a_run_that_is_left_counts_what_it_gave_back() {
    let mut script = Script::under("dedup none");
    script.enqueue(2).claim(1, 0).end(1, End::Quit);
    let (w, j, k) = script.hand(1);
    script.tell(crate::event::What::Released { w, j, k });
    let c: Counters = script.board.counters();
    assert_eq!((c.aborted, c.released, c.waiting, c.leased), (1, 1, 2, 0));
    assert_eq!(fates(&script), (0, 0, 0, 2, 0));
}

#[test]
fn a_list_is_counted_by_the_first_attempts_that_it_struck() {
    let mut script = Script::of("dedup none, lease 3s", |setup| {
        setup.workload.jobs = Some(3);
        setup.crash = vec!["ids:0,2,9@effect".parse().expect("a list"), "page@work".parse().expect("a list")];
        setup.fail = vec!["5%@work".parse().expect("a rate"), "ids:1@effect".parse().expect("a list")];
    });
    script.enqueue(3);
    assert_eq!(script.board.struck(), [(0, 2), (0, 0), (0, 1)], "job 9 and the page's 16 never come");
    script.claim(1, 0).work(1).effect(1);
    script.end_by(1, End::Crashed(Spot::After(Point::Effect)), Some(By::List)).died(1, By::List);
    script.claim(2, 1).work(2).effect(2).end_by(2, End::Failed("no".into()), Some(By::List));
    assert_eq!(script.board.struck(), [(1, 2), (0, 0), (1, 1)]);
    script.at(3.0).expire(1).claim(2, 0).work(2).effect(2);
    script.end_by(2, End::Crashed(Spot::After(Point::Effect)), Some(By::List)).died(2, By::List);
    assert_eq!(script.board.struck()[0], (1, 2), "a list strikes first attempts only");
}

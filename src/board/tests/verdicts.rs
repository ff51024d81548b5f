//! The verdict: who is charged with a duplicate or a loss, and what nothing can whitewash.

use super::Script;
use crate::board::Word;
use crate::event::{Fault, Finish};
use crate::policy::{Point, Promise};

fn word(script: &Script) -> Word {
    script.board.verdict().word
}

/// Job 0 is applied by w1, which dies behind `point`; then w2 applies it again.
fn applied_twice(settings: &str) -> Script {
    let mut script = Script::under(settings);
    script.enqueue(1).claim(1, 0).work(1).effect(1).killed_after(1, Point::Effect);
    script.at(30.0).expire(1).claim(2, 0).work(2).effect(2).done(2);
    script
}

#[test]
fn a_duplicate_keeps_at_least_once_and_breaks_effectively_once() {
    let kept = applied_twice("dedup none");
    assert_eq!(word(&kept), Word::KeptSoFar);
    assert_eq!(kept.board.verdict().promise, Promise::AtLeastOnce);
    let broken = applied_twice("dedup effect-then-key");
    assert_eq!(word(&broken), Word::Broken);
    assert_eq!(broken.board.verdict().why, "1 job was applied twice");
}

#[test]
fn a_loss_keeps_at_most_once_and_a_duplicate_breaks_it() {
    let mut script = Script::under("ack before, dedup none");
    script.enqueue(1).claim(1, 0).ack(1).killed_after(1, Point::Ack);
    assert_eq!(word(&script), Word::KeptSoFar);
    assert_eq!(script.board.verdict().promise, Promise::AtMostOnce);
    let mut script = Script::under("ack before, dedup none");
    script.enqueue(1).claim(1, 0).ack(1).work(1).effect(1).reply_lost(1).effect(1);
    assert_eq!(word(&script), Word::Broken);
}

#[test]
fn a_duplicate_is_charged_to_the_policy_that_made_the_effect_before_it() {
    let mut script = Script::under("dedup none, lease 3s");
    script.enqueue(2).claim(1, 0).work(1).effect(1).ack_lost(1);
    script.switch("dedup transactional").at(3.0).expire(1);
    script.claim(2, 0).work(2).apply(2).done(2);
    assert_eq!(script.board.counters().duplicated, 1);
    assert_eq!(word(&script), Word::KeptSoFar, "the first effect was made under at-least-once");

    let mut script = Script::under("dedup transactional, lease 3s");
    script.enqueue(1).claim(1, 0).work(1).apply(1).killed_after(1, Point::Commit);
    script.switch("dedup none").at(3.0).expire(1).claim(2, 0).work(2).effect(2).done(2);
    assert_eq!(word(&script), Word::Broken, "no switch whitewashes");
    let verdict = script.board.verdict();
    assert_eq!(verdict.promise, Promise::AtLeastOnce);
    assert_eq!(verdict.why, "1 job was applied twice under effectively-once");
}

#[test]
fn a_loss_is_charged_to_the_delivery_whose_key_was_found() {
    let mut script = Script::under("dedup key-then-effect, lease 3s");
    script.enqueue(1).claim(1, 0).work(1).no_key(1).key(1).killed_after(1, Point::Key);
    script.switch("ack before").at(3.0).expire(1).claim(2, 0).ack(2).work(2).found(2);
    script.end(2, crate::event::End::Done);
    assert_eq!(script.board.counters().lost, 1);
    assert_eq!(word(&script), Word::Broken, "the key was written under effectively-once");
    assert_eq!(script.board.verdict().why, "1 job was lost under effectively-once");
}

#[test]
fn a_loss_without_a_found_key_is_charged_to_the_ack() {
    let mut script = Script::under("ack before, dedup none");
    script.enqueue(1).claim(1, 0).ack(1);
    script.switch("ack after").killed_after(1, Point::Ack);
    assert_eq!(script.board.verdict().promise, Promise::AtLeastOnce);
    assert_eq!(word(&script), Word::KeptSoFar, "the ack was made under at-most-once");
}

#[test]
fn a_verdict_is_unknown_until_something_puts_the_promise_to_the_test() {
    let mut script = Script::under("dedup none");
    script.enqueue(2).whole_life(1, 0);
    assert_eq!(word(&script), Word::Unknown);
    let mut quiet = script.clone();
    quiet.whole_life(1, 1).finish(Finish::Drained);
    assert_eq!(word(&quiet), Word::Unknown);
    assert_eq!(quiet.board.verdict().why, "nothing was put to the test");
    script.fault(1, Fault::Stall);
    assert_eq!(word(&script), Word::KeptSoFar);
    script.whole_life(1, 1).finish(Finish::Drained);
    assert_eq!(word(&script), Word::Kept);
}

#[test]
fn a_drained_run_has_kept_its_promise_until_something_is_enqueued_again() {
    let mut script = Script::under("dedup none");
    script.enqueue(1).fault(1, Fault::Stall).whole_life(1, 0);
    assert_eq!(word(&script), Word::KeptSoFar);
    script.tell(crate::event::What::Drained);
    assert_eq!(word(&script), Word::Kept);
    let mut left = script.clone();
    left.finish(Finish::Quit);
    assert_eq!(word(&left), Word::Kept, "it was left when nothing was left to do");
    script.enqueue(1);
    assert_eq!(word(&script), Word::KeptSoFar);
    script.finish(Finish::Quit);
    assert_eq!(word(&script), Word::Unknown);
}

#[test]
fn a_run_that_could_not_drain_is_unknown_unless_it_is_broken() {
    for how in [Finish::Stuck, Finish::Quit, Finish::Failed("disk full".into()), Finish::Violated] {
        let mut script = Script::under("dedup none");
        script.enqueue(1).fault(1, Fault::Hang).finish(how.clone());
        assert_eq!(word(&script), Word::Unknown, "{how:?}");
        let mut broken = applied_twice("dedup effect-then-key");
        broken.finish(how.clone());
        assert_eq!(word(&broken), Word::Broken, "{how:?}");
    }
}

#[test]
fn a_stuck_run_is_unknown_until_something_moves_again() {
    let mut script = Script::under("dedup none, lease 3s");
    script.enqueue(1).claim(1, 0).fault(1, Fault::Hang);
    script.tell(crate::event::What::Stuck { why: "w1 hangs".into() });
    assert_eq!(script.board.stuck(), Some("w1 hangs"));
    assert_eq!(word(&script), Word::Unknown);
    script.renew(1);
    assert!(script.board.stuck().is_some(), "a renewal moves nothing");
    script.heal(1, Fault::Hang);
    assert_eq!(script.board.stuck(), None);
    assert_eq!(word(&script), Word::KeptSoFar);
}

#[test]
fn the_sentence_counts_jobs_and_not_effects() {
    let mut script = Script::under("dedup effect-then-key, lease 3s");
    script.enqueue(3);
    for job in [0, 1] {
        for n in 0..3 {
            script.at(f64::from(job) * 20.0 + f64::from(n) * 3.0).claim(1, job).work(1).no_key(1).effect(1).ack_lost(1);
            script.at(f64::from(job) * 20.0 + f64::from(n + 1) * 3.0).expire(1);
        }
    }
    assert_eq!(script.board.counters().extra_effects, 4);
    assert_eq!(script.board.verdict().why, "2 jobs were applied twice");
}

#[test]
fn a_delivery_answers_for_the_policy_that_was_in_force_when_it_was_handed_out() {
    let mut script = Script::under("dedup none, lease 3s");
    script.enqueue(1).switch("dedup effect-then-key").claim(1, 0).switch("dedup none");
    script.work(1).no_key(1).effect(1).killed_after(1, Point::Effect);
    script.at(3.0).expire(1).claim(2, 0).work(2).effect(2).done(2);
    assert_eq!(word(&script), Word::Broken);
    assert_eq!(script.board.verdict().why, "1 job was applied twice under effectively-once");
}

#[test]
fn an_effect_that_was_taken_back_answers_for_nothing() {
    let mut script = Script::under("dedup none, lease 3s");
    script
        .enqueue(1)
        .claim(1, 0)
        .work(1)
        .at(3.0)
        .expire(1)
        .switch("dedup effect-then-key")
        .claim(2, 0)
        .work(2)
        .no_key(2);
    script.effect(1).effect(2).undone(1);
    assert_eq!(script.board.counters().duplicated, 0);
    script.effect(1);
    assert_eq!(word(&script), Word::Broken, "the effect that stood before it is that of effect-then-key");
}

//! Every contradiction is told in a sentence, changes nothing that it contradicts, and is never a panic.

use super::Script;
use crate::event::{End, Event, What};
use crate::ids::{Job, OrderKey, Row, Token, Worker};
use crate::policy::Promise;
use crate::time::Instant;

/// The breach that `what` adds to a sound log, and whether the sums still hold.
fn breach(script: &mut Script, what: What) -> String {
    assert_eq!(script.board.violations(), [] as [String; 0], "the log was sound before");
    script.tell(what);
    let c = script.board.counters();
    assert_eq!(c.waiting + c.leased + c.unprotected + c.done + c.dead, c.enqueued);
    assert_eq!(c.lost + c.once + c.duplicated + c.pending + c.dead_unapplied(), c.enqueued);
    script.board.violations().join("; ")
}

fn two_jobs() -> Script {
    let mut script = Script::under("dedup none, lease 3s, attempts 2");
    script.enqueue(2).claim(1, 0);
    script
}

#[test]
fn a_leased_job_cannot_be_handed_out_again() {
    let (deadline, lease, work) = (Instant(9), crate::time::Span(9), crate::time::Span(0));
    let what = What::Claimed { w: Worker(2), j: Job(0), n: 2, k: Token(2), deadline, lease, work };
    let told = breach(&mut two_jobs(), what);
    assert_eq!(told, "I1: job 0 was claimed while it was leased");
}

#[test]
fn tokens_only_grow() {
    let (deadline, lease, work) = (Instant(9), crate::time::Span(9), crate::time::Span(0));
    let what = What::Claimed { w: Worker(2), j: Job(1), n: 1, k: Token(1), deadline, lease, work };
    assert_eq!(breach(&mut two_jobs(), what), "I3: token 1 was handed out after token 1");
}

#[test]
fn a_worker_has_one_delivery_at_a_time() {
    let (deadline, lease, work) = (Instant(9), crate::time::Span(9), crate::time::Span(0));
    let what = What::Claimed { w: Worker(1), j: Job(1), n: 1, k: Token(2), deadline, lease, work };
    assert_eq!(breach(&mut two_jobs(), what), "w1 was handed job 1 before its delivery of job 0 ended");
}

#[test]
fn no_job_is_handed_out_beyond_its_budget() {
    let mut script = two_jobs();
    for s in [1.0, 2.0] {
        script.at(s).fail(1).at(s + 1.0).claim(1, 0);
    }
    let told = script.board.violations().join("; ");
    assert_eq!(told, "I4: job 0 was handed out for the 3th time since its last redrive, and 2 were allowed");
}

#[test]
fn attempts_count_up_over_redrives() {
    let mut script = Script::under("dedup none, attempts 1");
    script.enqueue(1).claim(1, 0).work(1).fail_for_good(1).redrive(0).claim(2, 0);
    assert_eq!(script.board.violations(), [] as [String; 0]);
    let mut script = two_jobs();
    let (deadline, lease, work) = (Instant(9), crate::time::Span(9), crate::time::Span(0));
    let what = What::Claimed { w: Worker(2), j: Job(1), n: 7, k: Token(2), deadline, lease, work };
    assert_eq!(breach(&mut script, what), "I4: job 1 had 0 attempts and was handed out as attempt 7");
}

#[test]
fn nothing_is_applied_that_was_never_enqueued() {
    let what = What::Effect { w: Worker(1), j: Job(77), k: Token(1), row: Row(1) };
    assert_eq!(breach(&mut two_jobs(), what), "I5: job 77 was never enqueued");
    let what = What::Enqueued { j: Job(9), key: OrderKey(0), due: Instant(0), poison: None };
    assert_eq!(breach(&mut two_jobs(), what), "I5: job 9 was enqueued where job 2 was due");
}

#[test]
fn a_message_of_a_delivery_that_the_worker_does_not_have_changes_nothing() {
    let (w, j, k) = (Worker(2), Job(0), Token(1));
    let messages = [
        What::Acked { w, j, k },
        What::Effect { w, j, k, row: Row(1) },
        What::Key { w, j, k },
        What::Recognised { w, j, k },
        What::Ended { w, j, k, how: End::Done, by: None },
        What::Renewed { w, k, deadline: Instant(9) },
    ];
    for what in messages {
        let mut script = two_jobs();
        let told = breach(&mut script, what.clone());
        assert!(told.contains("w2 with token 1, which is not its delivery"), "{what:?}: {told}");
        assert_eq!(script.board.counters().pending, 2);
    }
}

#[test]
fn a_done_job_never_moves_again() {
    let mut done = Script::under("dedup none, lease 3s");
    done.enqueue(1).whole_life(1, 0);
    let (w, j, k) = done.hand(1);
    let reason = crate::event::Reason::LeaseExpired;
    let moves = [
        (What::Expired { w, j, k }, "I3: expired with token 1, which is not the live lease of job 0"),
        (What::Released { w, j, k }, "I3: released with token 1, which is not the live lease of job 0"),
        (What::Redriven { j }, "I1: job 0 was redriven while it was done"),
        (What::Dead { j, reason, tries: 1, max: None }, "I1: job 0 was dead-lettered while it was done"),
    ];
    for (what, words) in moves {
        assert_eq!(breach(&mut done.clone(), what), words);
    }
}

#[test]
fn a_delivery_ends_once() {
    let mut script = two_jobs();
    script.end(1, End::Done);
    let (w, j, k) = script.hand(1);
    let told = breach(&mut script, What::Ended { w, j, k, how: End::Done, by: None });
    assert_eq!(told, "ended by w1 with token 1, which is not its delivery");
}

#[test]
fn unknown_workers_and_backward_time_are_told() {
    assert_eq!(
        breach(&mut two_jobs(), What::Spawned { w: Worker(0), generation: 1 }),
        "the log names w0, and there is no such worker"
    );
    let mut script = two_jobs();
    script.at(2.0).enqueue(1).at(1.0).enqueue(1);
    assert_eq!(script.board.violations(), ["time went back from 2000000000 to 1000000000 ns"]);
    assert_eq!(script.board.now(), super::seconds(2.0));
}

#[test]
fn a_log_begins_with_its_start_and_has_one() {
    let mut board = crate::board::Board::new();
    board.fold(&Event { at: Instant(0), what: What::Drained });
    assert_eq!(board.violations(), ["the log has an event `before the first` out of its place"]);
    let mut script = two_jobs();
    let start = script.events[0].what.clone();
    assert_eq!(breach(&mut script, start), "the log has an event `started` out of its place");
    assert_eq!(script.board.counters().enqueued, 2);
}

#[test]
fn a_violation_that_the_run_tells_is_kept_once() {
    let mut script = two_jobs();
    for _ in 0..3 {
        script.tell(What::Violated { text: "I1: nine jobs are eight".into() });
    }
    assert_eq!(script.board.violations(), ["I1: nine jobs are eight"]);
    assert_eq!(script.board.verdict().promise, Promise::AtLeastOnce);
}

#[test]
fn a_broken_log_fills_no_memory() {
    let mut script = two_jobs();
    for job in 0..10_000 {
        script.tell(What::Redriven { j: Job(job + 100) });
    }
    assert_eq!(script.board.violations().len(), 64);
}

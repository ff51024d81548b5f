//! What the screen says of each worker: state, step, part of the work, lease, beat, faults.

use super::{Script, seconds};
use crate::board::{StepView, WorkerState, WorkerView};
use crate::event::{By, Fault, Hold, What};
use crate::ids::Worker;
use crate::policy::Point;
use crate::time::Span;

fn worker(script: &Script, w: u16, s: f64) -> WorkerView {
    script.board.workers(seconds(s))[Worker(w).index()].clone()
}

#[test]
fn a_worker_is_idle_then_at_work_and_walks_its_program() {
    let mut script = Script::under("dedup effect-then-key, lease 3s");
    script.work_takes(4.0).enqueue(1);
    assert_eq!(worker(&script, 1, 0.0).state, WorkerState::Idle);
    assert_eq!(worker(&script, 1, 0.0).step, StepView::Nowhere);
    script.claim(1, 0);
    assert_eq!(worker(&script, 1, 1.0).state, WorkerState::Working);
    assert_eq!(worker(&script, 1, 1.0).step, StepView::In(Point::Work, Some(0.25)));
    script.at(4.0).work(1);
    assert_eq!(worker(&script, 1, 4.0).step, StepView::In(Point::Check, None));
    script.no_key(1);
    assert_eq!(worker(&script, 1, 4.0).step, StepView::In(Point::Effect, None));
    script.effect(1);
    assert_eq!(worker(&script, 1, 4.0).step, StepView::In(Point::Key, None));
    script.key(1);
    assert_eq!(worker(&script, 1, 4.0).step, StepView::In(Point::Ack, None));
    script.done(1);
    assert_eq!(worker(&script, 1, 4.0).state, WorkerState::Idle);
}

#[test]
fn in_a_bracket_the_commit_belongs_to_the_last_statement() {
    let mut script = Script::under("dedup transactional");
    script.enqueue(1).claim(1, 0).work(1);
    assert_eq!(worker(&script, 1, 0.0).step, StepView::In(Point::Check, None));
    script.effect(1).key(1);
    assert_eq!(worker(&script, 1, 0.0).step, StepView::In(Point::Key, None));
    script.commit(1);
    assert_eq!(worker(&script, 1, 0.0).step, StepView::In(Point::Ack, None));
}

#[test]
fn the_work_of_an_early_ack_begins_after_it() {
    let mut script = Script::under("ack before, dedup none, lease 3s");
    script.work_takes(4.0).enqueue(1).claim(1, 0);
    assert_eq!(worker(&script, 1, 1.0).step, StepView::In(Point::Ack, None));
    script.at(1.0).ack(1);
    let view = worker(&script, 1, 3.0);
    assert_eq!((view.state, view.step), (WorkerState::Working, StepView::In(Point::Work, Some(0.5))));
    assert_eq!(view.delivery.expect("at it").lease, None, "it was acked first");
}

#[test]
fn the_work_stands_while_its_worker_sleeps_or_hangs_and_slows_down() {
    let mut script = Script::under("dedup none, lease 30s");
    script.work_takes(10.0).enqueue(1).claim(1, 0);
    let part = |script: &Script, s| match worker(script, 1, s).step {
        StepView::In(Point::Work, Some(part)) => part,
        step => panic!("{step:?}"),
    };
    script.at(2.0).fault(1, Fault::Pause);
    assert_eq!(worker(&script, 1, 3.0).state, WorkerState::Asleep);
    assert_eq!(part(&script, 5.0), 0.2);
    script.at(5.0).heal(1, Fault::Pause).fault_by(1, Fault::Slow, 4.0);
    assert_eq!(part(&script, 9.0), 0.3, "four seconds at a quarter");
    script.at(9.0).fault(1, Fault::Hang);
    assert_eq!(worker(&script, 1, 9.0).state, WorkerState::Hung);
    assert_eq!(part(&script, 20.0), 0.3);
    assert_eq!(worker(&script, 1, 20.0).faults, [(Fault::Hang, 1.0), (Fault::Slow, 4.0)]);
    script.at(20.0).heal(1, Fault::Hang).heal(1, Fault::Slow);
    assert_eq!(part(&script, 27.0), 1.0);
}

#[test]
fn a_worker_whose_lease_ran_out_is_a_zombie_without_a_lease() {
    let mut script = Script::under("dedup none, lease 3s");
    script.enqueue(1).claim(1, 0);
    assert_eq!(worker(&script, 1, 1.0).delivery.expect("at it").lease, Some((Span::seconds(2), Span::seconds(3))));
    script.at(2.0).renew(1);
    assert_eq!(worker(&script, 1, 3.0).delivery.expect("at it").lease, Some((Span::seconds(2), Span::seconds(3))));
    assert_eq!(worker(&script, 1, 3.0).last_beat, Some(Span::seconds(1)));
    script.at(5.0).expire(1);
    let view = worker(&script, 1, 5.0);
    assert_eq!(view.state, WorkerState::Zombie);
    assert_eq!(view.delivery.expect("still at it").lease, None);
}

#[test]
fn a_dead_worker_shows_what_it_died_at_while_that_lease_holds() {
    let mut script = Script::under("dedup effect-then-key, lease 3s");
    script.enqueue(1).at(36.0).claim(1, 0).at(38.9).work(1).no_key(1).effect(1).killed_after(1, Point::Effect);
    let view = worker(&script, 1, 38.95);
    assert_eq!((view.state, view.step), (WorkerState::Dead, StepView::After(Point::Effect)));
    let delivery = view.delivery.expect("its lease holds");
    assert_eq!((delivery.job.0, delivery.attempt, delivery.token.0), (0, 1, 1));
    assert_eq!(view.back, Some(Span::from_seconds(4.95)));
    script.at(39.0).expire(1);
    let view = worker(&script, 1, 40.3);
    assert_eq!(view.delivery, None);
    assert_eq!(view.back, Some(Span::from_seconds(3.6)));
    script.at(43.9).back(1);
    let view = worker(&script, 1, 43.9);
    assert_eq!((view.state, view.step, view.back), (WorkerState::Idle, StepView::Nowhere, None));
}

#[test]
fn a_zombie_that_dies_leaves_no_delivery_behind() {
    let mut script = Script::under("dedup none, lease 3s");
    script.enqueue(1).claim(1, 0).at(3.0).expire(1).at(4.0).killed_at_work(1);
    let view = worker(&script, 1, 4.0);
    assert_eq!((view.state, view.delivery), (WorkerState::Dead, None));
}

#[test]
fn a_worker_killed_in_its_work_shows_how_far_it_was() {
    let mut script = Script::under("dedup none, lease 30s");
    script.work_takes(4.0).enqueue(1).claim(1, 0).at(3.0).killed_at_work(1);
    assert_eq!(worker(&script, 1, 9.0).step, StepView::In(Point::Work, Some(0.75)));
}

#[test]
fn a_request_at_a_cut_link_is_held_until_the_link_is_healed() {
    let mut script = Script::under("dedup none, lease 30s");
    script.enqueue(1).claim(1, 0).fault(1, Fault::CutSink).work(1);
    assert_eq!(worker(&script, 1, 0.0).state, WorkerState::Working);
    let (w, _, k) = script.hand(1);
    script.tell(What::Held { w, k: Some(k), what: Hold::Sink });
    assert_eq!(worker(&script, 1, 0.0).state, WorkerState::Held(Hold::Sink));
    script.renew(1);
    assert_eq!(worker(&script, 1, 0.0).state, WorkerState::Held(Hold::Sink), "it renews while it waits");
    script.heal(1, Fault::CutSink);
    assert_eq!(worker(&script, 1, 0.0).state, WorkerState::Working);
    script.fault(2, Fault::CutQueue).tell(What::Held { w: Worker(2), k: None, what: Hold::Claim });
    assert_eq!(worker(&script, 2, 0.0).state, WorkerState::Held(Hold::Claim));
    script.heal(2, Fault::CutQueue);
    assert_eq!(worker(&script, 2, 0.0).state, WorkerState::Idle);
}

#[test]
fn a_delivery_keeps_the_program_it_started_with() {
    let mut script = Script::under("dedup none, lease 30s");
    script.enqueue(1).claim(1, 0).switch("dedup transactional").work(1);
    assert_eq!(worker(&script, 1, 0.0).step, StepView::In(Point::Effect, None), "no check in its program");
}

#[test]
fn an_armed_point_shows_until_it_springs_or_is_taken_back() {
    let mut script = Script::under("dedup none, lease 30s");
    script.enqueue(1).tell(What::Armed { w: Worker(1), point: Point::Effect });
    assert_eq!(worker(&script, 1, 0.0).armed, Some(Point::Effect));
    script.tell(What::Disarmed { w: Worker(1), point: Point::Effect });
    assert_eq!(worker(&script, 1, 0.0).armed, None);
    script.claim(1, 0).killed_after(1, Point::Claim);
    assert_eq!(worker(&script, 1, 0.0).armed, None);
}

#[test]
fn everybody_is_gone_when_the_run_is_over() {
    let mut script = Script::under("dedup none");
    script.died(2, By::Operator).finish(crate::event::Finish::Drained);
    assert!(script.board.workers(script.now()).iter().all(|view| view.state == WorkerState::Gone));
}

//! The timeline's material: bars with their leases and rests, marks in the order of time, captions.

use super::{Script, seconds};
use crate::board::{Bar, MarkKind};
use crate::event::{By, End, Fault, Spot, What};
use crate::ids::{Token, Worker};
use crate::policy::Point;

fn marks(script: &Script, w: u16) -> String {
    script.board.lane(Worker(w)).marks.iter().map(|mark| mark.kind.name()).collect()
}

fn notes(script: &Script) -> Vec<&str> {
    script.board.notes().iter().map(|note| note.text.as_str()).collect()
}

fn bar(script: &Script, w: u16, index: usize) -> Bar {
    script.board.lane(Worker(w)).bars[index].clone()
}

#[test]
fn a_healthy_delivery_is_one_bar_from_claim_to_ack() {
    let mut script = Script::under("dedup effect-then-key, lease 3s");
    script.enqueue(1).at(1.0).claim(1, 0).at(2.0).renew(1).at(4.0).work(1).no_key(1).effect(1).key(1).done(1);
    let bar = bar(&script, 1, 0);
    assert_eq!((bar.from, bar.lease_until, bar.ended), (seconds(1.0), Some(seconds(4.0)), Some(seconds(4.0))));
    assert_eq!(bar.deadline, seconds(5.0), "the deadline that the renewal gave it");
    assert_eq!((bar.token, bar.job.0, bar.attempt, bar.acked_first), (Token(1), 0, 1, false));
    assert_eq!(marks(&script, 1), "+EKA");
}

#[test]
fn a_dead_workers_bar_ends_at_its_death_and_its_lease_at_the_deadline() {
    let mut script = Script::under("dedup effect-then-key, lease 3s");
    script.enqueue(1).claim(1, 0).at(1.0).work(1).no_key(1).effect(1).killed_after(1, Point::Effect);
    script.at(3.01).expire(1).at(3.02).claim(2, 0).at(6.0).work(2).no_key(2).effect(2).key(2).done(2);
    let bar = bar(&script, 1, 0);
    assert_eq!((bar.ended, bar.lease_until), (Some(seconds(1.0)), Some(seconds(3.0))));
    assert_eq!(marks(&script, 1), "EX!");
    let expired = script.board.lane(Worker(1)).marks[2];
    assert_eq!((expired.at, expired.token), (seconds(3.0), Some(Token(1))), "at the deadline, not when it was noticed");
    assert_eq!(marks(&script, 2), "#KA");
    assert_eq!(notes(&script), ["X w1 at effect"]);
}

#[test]
fn marks_stay_in_the_order_of_time() {
    let mut script = Script::under("dedup none, lease 3s");
    script.enqueue(2).claim(1, 0).at(1.0).killed_at_work(1).at(2.5).back(1).at(2.6).claim(1, 1);
    script.at(3.2).renew(1).expire_token(Worker(1), crate::ids::Job(0), Token(1)).effect(1);
    let times: Vec<_> = script.board.lane(Worker(1)).marks.iter().map(|mark| mark.at).collect();
    assert!(times.is_sorted());
    assert_eq!(marks(&script, 1), "xr!+E", "the lease ran out at 3.0, before the renewal");
}

#[test]
fn what_the_operator_does_is_a_small_letter_and_what_happens_by_itself_a_capital() {
    let mut script = Script::under("dedup none, lease 30s");
    script.enqueue(2).claim(1, 0).killed_at_work(1).at(1.0).back(1);
    script.claim(2, 1).end_by(2, End::Crashed(Spot::After(Point::Claim)), Some(By::Rate)).died(2, By::Rate);
    assert_eq!(marks(&script, 1), "xr");
    assert_eq!(marks(&script, 2), "X");
    assert_eq!(notes(&script), ["x w1", "X w2 at claim"]);
}

#[test]
fn faults_have_their_keys_as_marks_and_healing_has_its_own() {
    let mut script = Script::under("dedup none");
    let faults = [Fault::Stall, Fault::Pause, Fault::CutQueue, Fault::CutSink, Fault::Hang, Fault::Slow];
    for fault in faults {
        script.fault_by(1, fault, 3.0);
    }
    script.heal(1, Fault::Stall);
    assert_eq!(marks(&script, 1), "szpPhlu");
    assert_eq!(notes(&script), ["s w1", "z w1", "p w1", "P w1", "h w1", "l w1 x3", "u w1"]);
    script.tell(What::Fault { w: None, what: Fault::LoseAcks, factor: 0.2, until: None });
    assert_eq!(notes(&script).last(), Some(&"lose acks 0.2"));
    assert_eq!(marks(&script, 1), "szpPhlu", "lost messages are on no lane");
}

#[test]
fn a_death_that_ends_a_fault_is_no_healing() {
    let mut script = Script::under("dedup none");
    script.fault(1, Fault::Stall).died(1, By::Operator).heal(1, Fault::Stall);
    assert_eq!(marks(&script, 1), "sx");
    assert_eq!(notes(&script), ["s w1", "x w1"]);
    assert!(script.board.workers(script.now())[0].faults.is_empty());
}

#[test]
fn a_switch_is_drawn_through_all_lanes() {
    let mut script = Script::under("dedup none");
    script.at(2.0).switch("fence on").switch("dedup effect-then-key");
    let switches: Vec<(&str, bool)> =
        script.board.notes().iter().map(|note| (note.text.as_str(), note.switch)).collect();
    assert_eq!(switches, [("fence on", true), ("dedup effect-then-key", true)]);
}

#[test]
fn a_bar_shows_when_its_worker_rested() {
    let mut script = Script::under("dedup none, lease 30s");
    script.enqueue(2).claim(1, 0).at(1.0).fault(1, Fault::Pause).at(2.0).heal(1, Fault::Pause);
    script.at(3.0).fault(1, Fault::Hang);
    assert_eq!(bar(&script, 1, 0).rests, [(seconds(1.0), Some(seconds(2.0))), (seconds(3.0), None)]);
    script.at(4.0).heal(1, Fault::Hang).work(1).effect(1).done(1);
    assert_eq!(bar(&script, 1, 0).rests[1], (seconds(3.0), Some(seconds(4.0))));
}

#[test]
fn a_hang_is_a_rest_only_while_there_is_work() {
    let mut script = Script::under("dedup none, lease 30s");
    script.enqueue(2).claim(1, 0).work(1).at(1.0).fault(1, Fault::Hang);
    assert!(bar(&script, 1, 0).rests.is_empty(), "its work is behind it");
    script.effect(1).done(1).at(2.0).claim(1, 1);
    assert_eq!(bar(&script, 1, 1).rests, [(seconds(2.0), None)]);
}

#[test]
fn a_late_zombie_leaves_its_marks_on_its_own_lane() {
    let mut script = Script::under("dedup none, lease 3s");
    script.enqueue(1).claim(1, 0).fault(1, Fault::Stall).at(3.0).expire(1).claim(2, 0).work(2).effect(2).done(2);
    let (w, _, k) = script.hand(1);
    script.at(4.0).tell(What::RenewalStale { w, k }).work(1).effect(1).ack_stale(1);
    assert_eq!(marks(&script, 1), "s!S#S");
    let bar = bar(&script, 1, 0);
    assert_eq!((bar.lease_until, bar.ended), (Some(seconds(3.0)), Some(seconds(4.0))));
    let kinds: Vec<&str> = script.board.anomalies().iter().map(|anomaly| anomaly.kind.name()).collect();
    assert_eq!(kinds, ["stale", "twice", "stale"]);
    assert!(script.board.anomalies().iter().all(|anomaly| anomaly.worker == Worker(1)));
}

#[test]
fn a_loss_is_marked_where_it_was_decided() {
    let mut script = Script::under("ack before, dedup none");
    script.enqueue(1).claim(1, 0).ack(1).killed_after(1, Point::Ack);
    assert_eq!(marks(&script, 1), "ALX");
    assert!(bar(&script, 1, 0).acked_first);
}

#[test]
fn what_was_not_heard_is_marked() {
    let mut script = Script::under("dedup none, lease 30s");
    script.enqueue(1).claim(1, 0);
    let (w, _, k) = script.hand(1);
    script.tell(What::BeatLost { w, k }).work(1).effect(1).reply_lost(1).effect(1).ack_lost(1);
    assert_eq!(marks(&script, 1), "?E?#?");
}

#[test]
fn a_lane_is_bounded_and_forgets_its_oldest() {
    let mut script = Script::under("dedup none");
    script.enqueue(5_000);
    for job in 0..5_000 {
        script.whole_life(1, job);
    }
    let lane = script.board.lane(Worker(1));
    assert_eq!((lane.bars.len(), lane.marks.len()), (2_000, 8_000));
    assert_eq!(lane.bars[0].job.0, 3_000);
    assert_eq!(lane.marks.back().expect("marks").kind, MarkKind::Acked);
    assert!(script.board.lane(Worker(0)).bars.is_empty() && script.board.lane(Worker(9)).bars.is_empty());
}

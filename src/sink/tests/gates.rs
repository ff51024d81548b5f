//! The gate: one inside, nobody starved, nobody held who wants to leave.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use super::desk::{Notes, delivery, effects, store};
use crate::policy::Dedup;
use crate::request::{Fact, Host, Sink, Transacted};
use crate::sink::gate::{Gate, Manner, Pass};
use crate::sink::lock::Caller;
use crate::time::Instant;

#[test]
fn who_is_killed_while_waiting_at_the_gate_has_done_nothing() {
    let store = store();
    let mut session = store.session().expect("a session");
    let mut inside = Notes::default();
    let pass = store.home.gate.enter(&mut Caller::new(&mut inside)).expect("the gate is open");
    let mut notes = Notes { patience: Some(0), ..Notes::default() };
    let bracket = delivery(1, 1, Dedup::Transactional).bracket();
    assert_eq!(session.transact(&bracket, &mut notes), Ok(Transacted::Interrupted));
    assert_eq!((notes.facts.len(), notes.locked_out, effects(&store)), (0, 0, 0));
    drop(pass);
    assert_eq!(session.transact(&bracket, &mut notes), Ok(Transacted::Applied), "an open gate is not waited at");
}

#[test]
fn a_plain_look_for_a_key_does_not_pass_the_gate() {
    let store = store();
    let mut session = store.session().expect("a session");
    let mut inside = Notes::default();
    let _pass = store.home.gate.enter(&mut Caller::new(&mut inside)).expect("the gate is open");
    let check = delivery(1, 1, Dedup::EffectThenKey).transactions().remove(0);
    let mut notes = Notes { patience: Some(0), ..Notes::default() };
    assert_eq!(session.transact(&check, &mut notes), Ok(Transacted::Applied));
}

#[test]
fn once_the_slice_is_over_who_leaves_cannot_come_straight_back_before_a_waiter() {
    let gate = Gate::new(Manner { slice: Duration::ZERO, ..Manner::CHOSEN });
    let tried = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let first = gate.enter(&mut Caller::new(&mut Notes::default())).expect("open");
        scope.spawn(|| {
            let _pass = gate.enter(&mut Caller::new(&mut Notes::default())).expect("handed over");
            wait_until(|| tried.load(Ordering::SeqCst));
        });
        wait_until(|| gate.waiting() == 1);
        drop(first);
        let mut hasty = Notes { patience: Some(0), ..Notes::default() };
        let back = gate.enter(&mut Caller::new(&mut hasty));
        tried.store(true, Ordering::SeqCst);
        assert!(back.is_none(), "the gate had been handed over");
    });
}

/// A host that leaves the gate for somebody else while it is asked whether it gives up, and then does give up.
struct LateToLeave<'g>(Option<Pass<'g>>);

impl Host for LateToLeave<'_> {
    fn now(&mut self) -> Instant {
        Instant::START
    }
    fn interrupted(&mut self) -> bool {
        self.0 = None;
        true
    }
    fn locked_out(&mut self) {}
    fn facts(&mut self, _: &[Fact]) {}
    fn undone(&mut self) {}
}

#[test]
fn who_gives_up_just_as_the_gate_is_handed_over_passes_it_on() {
    let gate = Gate::new(Manner { slice: Duration::ZERO, ..Manner::CHOSEN });
    let inside = gate.enter(&mut Caller::new(&mut Notes::default())).expect("open");
    let mut late = LateToLeave(Some(inside));
    assert!(gate.enter(&mut Caller::new(&mut late)).is_none(), "it gave up");
    let mut hasty = Notes { patience: Some(0), ..Notes::default() };
    assert!(gate.enter(&mut Caller::new(&mut hasty)).is_some(), "and nobody holds the gate");
}

fn wait_until(holds: impl Fn() -> bool) {
    while !holds() {
        std::thread::yield_now();
    }
}

#[test]
fn one_at_a_time_is_inside_however_many_give_up() {
    let gate = Gate::new(Manner {
        slice: Duration::from_micros(20),
        naps: (Duration::from_micros(10), Duration::from_micros(10)),
    });
    let (occupied, entered, left) = (AtomicBool::new(false), AtomicU32::new(0), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for thread in 0..8_u32 {
            let (gate, occupied, entered, left) = (&gate, &occupied, &entered, &left);
            scope.spawn(move || {
                for round in 0..2_000 {
                    let hasty = (thread + round) % 3 == 0;
                    let mut notes = Notes { patience: hasty.then_some(0), ..Notes::default() };
                    match gate.enter(&mut Caller::new(&mut notes)) {
                        None => left.fetch_add(1, Ordering::Relaxed),
                        Some(_pass) => {
                            assert!(!occupied.swap(true, Ordering::SeqCst), "somebody else is inside");
                            std::thread::yield_now();
                            occupied.store(false, Ordering::SeqCst);
                            entered.fetch_add(1, Ordering::Relaxed)
                        }
                    };
                }
            });
        }
    });
    assert_eq!(entered.into_inner() + left.into_inner(), 16_000);
    assert!(gate.enter(&mut Caller::new(&mut Notes { patience: Some(0), ..Notes::default() })).is_some());
}

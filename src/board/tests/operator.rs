//! The operator's view follows messages and processes, and never the ledger.

use super::{Script, seconds};
use crate::board::{Light, OperatorView};
use crate::event::{By, Fault, What};
use crate::ids::Worker;
use crate::policy::Point;
use crate::time::Span;

fn view(script: &Script, s: f64) -> OperatorView {
    script.board.operator(seconds(s))
}

fn lights(view: &OperatorView) -> [Light; 5] {
    [view.backlog_light, view.flow_light, view.workers_light, view.errors_light, view.dead_light]
}

#[test]
fn all_is_green_while_a_job_is_lost_and_another_applied_twice() {
    let mut script = Script::of("ack before, dedup none", |setup| setup.workers = 1);
    script.enqueue(2).claim(1, 0).ack(1).killed_after(1, Point::Ack).at(5.0).back(1);
    script.claim(1, 1).ack(1).work(1).effect(1).reply_lost(1).effect(1).end(1, crate::event::End::Done);
    let c = script.board.counters();
    assert_eq!((c.lost, c.duplicated), (1, 1));
    assert_eq!(lights(&view(&script, 5.0)), [Light::Ok; 5]);
}

#[test]
fn after_a_failure_of_the_run_no_worker_is_up() {
    let mut script = Script::under("dedup none");
    script.enqueue(1).claim(1, 0);
    assert_eq!((view(&script, 0.1).up, view(&script, 0.1).workers_light), (2, Light::Ok));
    script.finish(crate::event::Finish::Failed("disk full".into()));
    assert_eq!((view(&script, 0.1).up, view(&script, 0.1).workers_light), (0, Light::Bad));
}

#[test]
fn the_view_is_the_same_whatever_the_sink_tells() {
    let mut heard = Script::under("dedup none, lease 3s");
    heard.enqueue(3).claim(1, 0).work(1).effect(1).reply_lost(1).effect(1).done(1).claim(2, 1).work(2);
    let mut deaf = Script::under("dedup none, lease 3s");
    deaf.enqueue(3).claim(1, 0).work(1).done(1).claim(2, 1).work(2);
    assert_eq!(view(&heard, 4.0), view(&deaf, 4.0));
}

#[test]
fn the_backlog_tells_how_long_the_oldest_ready_job_has_waited() {
    let mut script = Script::under("dedup none, lease 3s");
    script.at(1.0).enqueue(1);
    assert_eq!(view(&script, 1.0).oldest, Some(Span::ZERO));
    script.at(2.0).enqueue(2);
    let at = view(&script, 3.0);
    assert_eq!((at.backlog, at.oldest), (3, Some(Span::seconds(2))));
    script.claim(1, 0);
    assert_eq!(view(&script, 3.0).oldest, Some(Span::seconds(1)));
    script.claim(2, 1).at(4.0).fail(2);
    let at = view(&script, 4.5);
    assert_eq!((at.backlog, at.oldest), (2, Some(Span::from_seconds(2.5))), "job 1 backs off until 5");
    script.claim(2, 2);
    assert_eq!(view(&script, 4.5).oldest, None, "nothing is ready");
    assert_eq!(view(&script, 6.0).oldest, Some(Span::seconds(1)));
    script.at(5.0).expire(1);
    assert_eq!(view(&script, 5.5).oldest, Some(Span::from_seconds(0.5)), "both came back at 5");
    assert_eq!(view(&script, 5.5).backlog_light, Light::Ok);
    assert_eq!(view(&script, 15.1).backlog_light, Light::Look);
}

#[test]
fn a_delayed_job_waits_without_ageing_until_it_is_due() {
    let mut script = Script::under("dedup none");
    let due = seconds(5.0);
    script.tell(What::Enqueued { j: crate::ids::Job(0), key: crate::ids::OrderKey(0), due, poison: None });
    assert_eq!((view(&script, 4.0).backlog, view(&script, 4.0).oldest), (1, None));
    assert_eq!(view(&script, 7.0).oldest, Some(Span::seconds(2)));
}

#[test]
fn rates_are_those_of_the_last_ten_seconds() {
    let mut script = Script::under("dedup none");
    for s in 0..20 {
        script.at(f64::from(s)).enqueue(1).whole_life(1, s);
    }
    let at = view(&script, 19.0);
    assert_eq!((at.arrivals, at.acks), (1.0, 1.0));
    assert_eq!(view(&script, 40.0).arrivals, 0.0);
    assert_eq!(script.board.rates(seconds(19.0), 3).effects, [1, 1, 1]);
}

#[test]
fn a_worker_is_silent_after_one_and_a_half_beats_with_a_job_in_hand() {
    let mut script = Script::under("dedup none, lease 3s, renew 1s");
    script.enqueue(1).claim(1, 0).at(1.0).renew(1);
    assert_eq!((view(&script, 2.4).up, view(&script, 2.4).silent), (2, None));
    let at = view(&script, 2.6);
    assert_eq!((at.up, at.workers_light), (1, Light::Look));
    assert_eq!(at.silent, Some((Worker(1), Span::from_seconds(1.6))));
    script.at(3.0).renew(1);
    assert_eq!(view(&script, 3.0).up, 2);
    script.done(1);
    assert_eq!(view(&script, 60.0).up, 2, "an idle worker need not be heard");
}

#[test]
fn a_zombie_whose_renewals_are_refused_is_heard() {
    let mut script = Script::under("dedup none, lease 3s, renew 1s");
    script.enqueue(1).claim(1, 0).fault(1, Fault::Stall).at(3.0).expire(1);
    assert_eq!(view(&script, 3.5).up, 1);
    let (w, _, k) = script.hand(1);
    script.at(4.0).tell(What::RenewalStale { w, k });
    assert_eq!(view(&script, 4.5).up, 2);
}

#[test]
fn without_renewal_silence_says_nothing() {
    let mut script = Script::under("dedup none, lease 3s, renew off");
    script.enqueue(1).claim(1, 0);
    assert_eq!(view(&script, 2.9).up, 2);
}

#[test]
fn a_death_is_known_at_once_and_its_silence_counts_from_the_last_word() {
    let mut script = Script::under("dedup none, lease 3s, renew 1s");
    script.enqueue(1).at(38.0).claim(1, 0).at(38.07).renew(1).at(38.9).killed_at_work(1);
    let at = view(&script, 40.27);
    assert_eq!((at.up, at.workers), (1, 2));
    assert_eq!(at.silent, Some((Worker(1), Span::from_seconds(2.2))));
    script.died(2, By::Operator);
    assert_eq!(view(&script, 40.3).workers_light, Light::Bad, "nobody is up");
    script.at(43.9).back(1).back(2);
    assert_eq!((view(&script, 43.9).up, view(&script, 43.9).workers_light), (2, Light::Ok));
}

#[test]
fn failures_are_errors_for_ten_seconds_and_dead_letters_are_news_as_long() {
    let mut script = Script::under("dedup none, attempts 1");
    script.enqueue(1).at(5.0).claim(1, 0).work(1).fail_for_good(1);
    let at = view(&script, 6.0);
    assert_eq!((at.errors_recent, at.errors, at.errors_light), (1, 1, Light::Look));
    assert_eq!((at.dead, at.dead_newest, at.dead_light), (1, Some(Span::seconds(1)), Light::Look));
    let at = view(&script, 26.7);
    assert_eq!((at.errors_recent, at.errors, at.errors_light), (0, 1, Light::Ok));
    assert_eq!((at.dead_newest, at.dead_light), (Some(Span::from_seconds(21.7)), Light::Ok));
    script.at(27.0).redrive(0);
    assert_eq!((view(&script, 27.0).dead, view(&script, 27.0).dead_newest, view(&script, 27.0).backlog), (0, None, 1));
}

#[test]
fn latencies_are_from_ready_to_claim_and_from_claim_to_ack() {
    let mut script = Script::under("dedup none, lease 30s");
    script.enqueue(2).at(1.0).claim(1, 0).at(3.0).work(1).effect(1).done(1).claim(1, 1);
    let rates = script.board.rates(script.now(), 1);
    let close = |got: Span, wanted: f64| (got.as_seconds() - wanted).abs() < wanted / 50.0;
    let (p50, p99) = rates.wait.expect("two waits");
    assert!(close(p50, 1.0) && close(p99, 3.0), "{p50} {p99}");
    assert!(close(rates.service.expect("one ack").0, 2.0));
}

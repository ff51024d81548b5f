//! A run as people see it: a worker dies between its two writes, and what each pane says then and four seconds later.

use super::{Script, jobs, seconds};
use crate::board::{Light, Word};
use crate::ids::Worker;
use crate::policy::{Point, Promise};
use crate::time::Span;

/// Six jobs on three workers: job 0 done, job 1 dead after three failures, job 2 applied by w2, which died before
/// the key; jobs 3 and 4 under way, job 5 waiting since 39.1.
fn at_risk() -> Script {
    let mut script = Script::of("dedup effect-then-key, lease 3s", |setup| setup.workers = 3);
    script.work_takes(3.0).at(10.0).enqueue(2).whole_life(1, 0);
    for s in [12.0, 14.0] {
        script.at(s).claim(1, 1).work(1).fail(1);
    }
    script.at(18.6).claim(1, 1).work(1).fail_for_good(1);
    script.at(36.07).enqueue(3).claim(2, 2).at(37.07).renew(2).at(38.07).renew(2);
    script.at(38.9).work(2).no_key(2).effect(2).killed_after(2, Point::Effect);
    script.at(39.1).enqueue(1).at(39.4).claim(1, 3).at(39.94).claim(3, 4);
    script
}

#[test]
fn nothing_is_wrong_yet_and_one_job_is_at_risk() {
    let script = at_risk();
    let now = seconds(40.3);
    let c = script.board.counters();
    assert_eq!((c.lost, c.once, c.duplicated, c.pending, c.dead_unapplied()), (0, 2, 0, 3, 1));
    assert_eq!((c.waiting, c.leased, c.unprotected, c.done, c.dead), (1, 3, 0, 1, 1));
    assert_eq!((c.effects, c.extra_effects, c.at_risk), (2, 0, 1));
    let verdict = script.board.verdict();
    assert_eq!((verdict.word, verdict.promise), (Word::KeptSoFar, Promise::EffectivelyOnce));
    let truth = script.board.truth(now);
    assert_eq!((truth.lost.0, truth.twice.0, truth.rows), (0, 0, 2));
    assert_eq!(truth.at_risk.1.map(|(job, why)| (job.0, why)), Some((2, "effect written, key not")));
    let operator = script.board.operator(now);
    assert_eq!(operator.workers_light, Light::Look);
    assert_eq!((operator.up, operator.workers), (2, 3));
    assert_eq!(operator.silent, Some((Worker(2), Span::from_seconds(2.23))));
    assert_eq!((operator.backlog, operator.oldest), (1, Some(Span::from_seconds(1.2))));
    assert_eq!((operator.errors_recent, operator.errors, operator.redeliveries), (0, 3, 2));
    assert_eq!((operator.dead, operator.dead_newest), (1, Some(Span::from_seconds(21.7))));
    assert_eq!((operator.errors_light, operator.dead_light), (Light::Ok, Light::Ok));
}

#[test]
fn four_seconds_later_the_left_pane_is_green_and_the_right_one_is_not() {
    let mut script = at_risk();
    script.at(41.07).expire(2).at(41.1).claim(3, 2);
    assert_eq!(script.board.violations().len(), 1, "w3 has a job in hand");
    let mut script = at_risk();
    script.at(40.5).work(3).no_key(3).effect(3).key(3).done(3);
    script.at(41.07).expire(2).at(41.1).claim(3, 2).at(42.1).renew(3).renew(1);
    script.at(43.52).work(3).no_key(3).effect(3).key(3).done(3).at(43.9).back(2).renew(1);
    let now = seconds(44.3);
    let c = script.board.counters();
    assert_eq!((c.lost, c.once, c.duplicated, c.pending, c.dead_unapplied()), (0, 2, 1, 2, 1));
    assert_eq!((c.effects, c.extra_effects, c.at_risk), (4, 1, 0));
    assert_eq!(script.board.verdict().word, Word::Broken);
    assert_eq!(script.board.verdict().why, "1 job was applied twice");
    assert_eq!(script.board.truth(now).twice, (1, jobs(&[2])));
    let operator = script.board.operator(now);
    assert_eq!((operator.up, operator.workers_light, operator.errors_light), (3, Light::Ok, Light::Ok));
    assert_eq!((operator.flow_light, operator.dead_light), (Light::Ok, Light::Ok));
    let anomaly = script.board.anomalies()[0];
    assert_eq!((anomaly.at, anomaly.job.0, anomaly.worker), (seconds(43.52), 2, Worker(3)));
}

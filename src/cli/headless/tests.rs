//! Runs without a screen, held against runs that were written down by hand.

use std::sync::Condvar;

use super::*;
use crate::event::{End, Event, Finish, What};
use crate::ids::{Job, OrderKey, Row, Token, Worker};
use crate::policy::Point;
use crate::request::FinalCounts;
use crate::setup::Setup;
use crate::time::{Instant, Span};

/// A run that was written down beforehand. With `patient`, its last event comes only when somebody quits.
struct Scripted {
    consumers: Mutex<Vec<Consumer>>,
    script: Vec<What>,
    patient: bool,
    quits: Mutex<Vec<Duration>>,
    quit: Condvar,
    violations: Mutex<Vec<String>>,
}

impl Scripted {
    fn new(script: Vec<What>, patient: bool) -> Arc<Scripted> {
        Arc::new(Scripted {
            consumers: Mutex::default(),
            script,
            patient,
            quits: Mutex::default(),
            quit: Condvar::new(),
            violations: Mutex::default(),
        })
    }

    fn show(&self, whats: &[What]) {
        let events: Vec<Event> = whats.iter().map(|what| Event { at: Instant::START, what: what.clone() }).collect();
        locked(&self.consumers).iter_mut().for_each(|consumer| consumer(&events));
    }
}

impl Lab for Scripted {
    fn quit(&self, grace: Duration) {
        locked(&self.quits).push(grace);
        self.quit.notify_all();
    }

    fn violated(&self, text: String) {
        locked(&self.violations).push(text);
        self.quit(Duration::ZERO);
    }

    fn wait(&self) {
        let (last, before) = self.script.split_last().expect("a script has an end");
        self.show(before);
        if self.patient {
            let none = |quits: &mut Vec<Duration>| quits.is_empty();
            drop(self.quit.wait_while(locked(&self.quits), none).expect("nobody panicked"));
        }
        self.show(std::slice::from_ref(last));
    }
}

const W1: Worker = Worker(1);

fn started(jobs: u32) -> Vec<What> {
    let mut setup = Setup::headless(7);
    setup.workload.jobs = Some(jobs);
    setup.workers = 1;
    vec![What::Started { setup: Box::new(setup), run: 1 }, What::Spawned { w: W1, generation: 1 }]
}

/// Job `j` arrives, is applied as row `j + 1`, and is done.
fn applied(j: u32) -> Vec<What> {
    let (w, j, k) = (W1, Job(j), Token(u64::from(j) + 1));
    let (deadline, lease, work) = (Instant(30_000_000_000), Span::seconds(30), Span::ZERO);
    vec![
        What::Enqueued { j, key: OrderKey(j.0 % 8), due: Instant::START, poison: None },
        What::Claimed { w, j, n: 1, k, deadline, lease, work },
        What::Stepped { w, k, p: Point::Work },
        What::Effect { w, j, k, row: Row(i64::from(j.0) + 1) },
        What::Key { w, j, k },
        What::Stepped { w, k, p: Point::Commit },
        What::Acked { w, j, k },
        What::Ended { w, j, k, how: End::Done, by: None },
    ]
}

/// The end of a run of `jobs` that were all applied once, as SQL counts it.
fn finished(how: Finish, jobs: u64) -> What {
    let counts = FinalCounts { enqueued: jobs, rows: jobs, applied: jobs, once: jobs, ..FinalCounts::default() };
    What::Finished { how, counts: Some(Box::new(counts)) }
}

fn two_jobs(how: Finish) -> Vec<What> {
    let mut script = started(2);
    script.extend(applied(0));
    script.extend(applied(1));
    script.extend((how == Finish::Drained).then_some(What::Drained));
    script.push(finished(how, 2));
    script
}

/// What was written, shared with whoever reads it afterwards.
#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        locked(&self.0).write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A stdout that fails in this way.
struct Failing(io::ErrorKind);

impl Write for Failing {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn run<W: Write + Send + 'static>(
    lab: &Arc<Scripted>,
    telling: Telling,
    signals: &[Signal],
    out: W,
) -> Result<u8, Failure> {
    let (heard, ears) = unbounded();
    signals.iter().for_each(|signal| heard.send(*signal).expect("listened to"));
    let prepared = Prepared { setup: Setup::headless(7), warnings: Vec::new() };
    let order = Order { prepared: &prepared, telling, database: None, signals: ears, progress: false, recorder: None };
    headless(&order, out, |consumers| {
        *locked(&lab.consumers) = consumers;
        Ok(lab.clone())
    })
}

fn told(lab: &Arc<Scripted>, telling: Telling, signals: &[Signal]) -> (u8, String) {
    let paper = Paper::default();
    let code = run(lab, telling, signals, paper.clone()).expect("a paper takes everything");
    let text = String::from_utf8(locked(&paper.0).clone()).expect("text");
    (code, text)
}

#[test]
fn a_run_to_its_end_is_reported_from_its_events() {
    let (code, text) = told(&Scripted::new(two_jobs(Finish::Drained), false), Telling::Report, &[]);
    assert_eq!(code, 0, "{text}");
    assert!(text.starts_with("onceish run   2 jobs, 1 worker, threads, SQLite, seed 7, "), "{text}");
    assert!(text.contains("\nonce               2         2   100.00 %\n"), "{text}");
    assert!(text.ends_with("\nexit 0    nothing was put to the test\n"), "{text}");
}

#[test]
fn witnesses_that_disagree_are_reported_and_exit_1() {
    let mut script = two_jobs(Finish::Drained);
    *script.last_mut().expect("an end") = finished(Finish::Drained, 3);
    let (code, text) = told(&Scripted::new(script, false), Telling::Report, &[]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("\nonce               2         3"), "{text}");
}

#[test]
fn plain_tells_every_event_and_then_the_report() {
    let script = two_jobs(Finish::Drained);
    let (_, text) = told(&Scripted::new(script.clone(), false), Telling::Plain, &[]);
    let (lines, report) = text.split_once("\n\n").expect("both parts");
    assert_eq!(lines.lines().count(), script.len(), "{text}");
    assert!(report.starts_with("onceish run"), "{report}");
}

#[test]
fn a_signal_drains_within_its_grace_and_gives_its_code() {
    for (signal, code, grace) in
        [(Signal::Interrupt, 130, GRACE), (Signal::Terminate, 143, GRACE), (Signal::HangUp, 129, GRACE_AFTER_HANG_UP)]
    {
        let lab = Scripted::new(two_jobs(Finish::Quit), true);
        let (exit, text) = told(&lab, Telling::Report, &[signal]);
        assert_eq!(exit, code, "{text}");
        assert!(text.lines().last().expect("an end").starts_with(&format!("exit {code}  ")), "{text}");
        assert_eq!(*locked(&lab.quits), [grace]);
    }
}

#[test]
fn a_second_signal_does_not_wait() {
    let mut first = None;
    let lab = Scripted::new(two_jobs(Finish::Quit), true);
    end_by(&mut first, Signal::Interrupt, lab.as_ref());
    end_by(&mut first, Signal::Terminate, lab.as_ref());
    assert_eq!(*locked(&lab.quits), [GRACE, Duration::ZERO]);
    assert_eq!(first, Some(Signal::Interrupt), "the first one names the exit code");
}

#[test]
fn a_violated_invariant_ends_the_run_and_exits_1() {
    let mut script = started(2);
    script.extend(applied(0));
    script.push(What::Effect { w: W1, j: Job(9), k: Token(9), row: Row(2) });
    script.push(finished(Finish::Violated, 1));
    let lab = Scripted::new(script, true);
    let (code, text) = told(&lab, Telling::Report, &[]);
    assert_eq!(code, 1, "{text}");
    assert_eq!(locked(&lab.violations).len(), 1, "the run is told once");
    assert!(text.contains("\nVIOLATED  "), "{text}");
}

#[test]
fn a_reader_that_went_away_ends_the_run_quietly_and_a_full_disk_does_not() {
    for (kind, code) in [(io::ErrorKind::BrokenPipe, 0), (io::ErrorKind::StorageFull, 4)] {
        let lab = Scripted::new(two_jobs(Finish::Quit), true);
        let failure = run(&lab, Telling::Plain, &[], Failing(kind)).expect_err("stdout failed");
        assert_eq!((failure.code(), locked(&lab.quits).len()), (code, 1));
        let lab = Scripted::new(two_jobs(Finish::Drained), false);
        assert_eq!(run(&lab, Telling::Json, &[], Failing(kind)).expect_err("stdout failed").code(), code);
    }
}

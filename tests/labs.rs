//! Labs are run and judged: what holds, what does not, and what was never put to the test; on both drivers alike.

use std::sync::Arc;

use onceish::cli::lab::runs::{Order, Ran, until};
use onceish::driver::plan::{Cue, Plan};
use onceish::event::{By, Event};
use onceish::lab::{self, Director, Judgement, Lab, Outcome, Shipped, Trigger, course};
use onceish::setup::Driver;
use onceish::time::Instant;

/// What a judgement says of a lab that was run.
struct Judged {
    ran: Ran,
    judgement: Judgement,
}

impl Judged {
    fn outcome(&self) -> (Outcome, &str) {
        (self.judgement.outcome, &self.judgement.why)
    }

    fn figure(&self, text: &str) -> f64 {
        let lab = small(&format!("[[expect]]\nthat = \"{text} == 0\"\n"));
        match &lab.expects[0].that {
            lab::Test::Compare(figure, ..) => lab::value(figure, &self.ran.watches, 0).expect("a figure"),
            other => panic!("{other:?} compares nothing"),
        }
    }

    /// The steps that came, in order, with their moments in lab seconds.
    fn said(&self) -> Vec<(u32, f64)> {
        let told = self.ran.watches[0].board().narration().iter();
        told.filter(|told| matches!(told.line, onceish::board::Line::Said { .. }))
            .map(|told| (told.step, told.at.seconds()))
            .collect()
    }
}

fn read(name: &str, text: &str) -> Lab {
    let read = lab::read(name, text.as_bytes());
    let problems: Vec<String> = read.problems.iter().map(|problem| lab::render(problem, name, text)).collect();
    read.lab.unwrap_or_else(|| panic!("{}", problems.concat()))
}

/// Ten jobs on two workers, of which the first attempts at two die behind their effect: two jobs are applied twice.
fn small(rest: &str) -> Lab {
    with(rest, "")
}

/// The same with more in its set-up.
fn with(rest: &str, setup: &str) -> Lab {
    let head = "title = \"Small\"\nteaches = \"nothing\"\nseed = 1\n";
    let base = "[setup]\njobs = 10\nworkers = 2\ndedup = \"none\"\ncrash = [\"ids:1,5@effect\"]\n";
    let step = if rest.contains("[[step]]") { "" } else { "[[step]]\nsay = \"Look.\"\n" };
    read("small", &format!("{head}{base}{setup}\n{rest}{step}"))
}

fn expect(text: &str) -> String {
    format!("[[expect]]\nthat = \"{text}\"\n")
}

fn on(mut lab: Lab, driver: Driver, speed: f64) -> Lab {
    for variant in &mut lab.variants {
        variant.setup.driver = driver;
        variant.setup.speed = speed;
    }
    lab
}

type PlanOf = dyn Fn(Director) -> Box<dyn Plan> + Sync;

fn run_with(lab: Lab, answers: &[(u32, &str)], plan_of: &PlanOf) -> Judged {
    let lab = Arc::new(lab);
    let answers: Vec<(u32, String)> = answers.iter().map(|(step, text)| (*step, (*text).to_owned())).collect();
    let plan = |variant| plan_of(Director::new(lab.clone(), variant, answers.clone()));
    let order = Order { plan: &plan, recorder: None, one_by_one: false, progress: false, on_signal: &|| () };
    let ran = until(&lab, &order, &crossbeam_channel::never());
    assert_eq!(ran.failed(), None, "{}", lab.name);
    Judged { judgement: lab::judge(&lab, &ran.watches), ran }
}

fn virtually(lab: Lab) -> Judged {
    run_with(on(lab, Driver::Simulation, 1.0), &[], &|director| Box::new(director))
}

/// Runs a lab on both drivers, and wants these figures to be the same.
fn on_both(lab: &Lab, figures: &[&str]) -> [Judged; 2] {
    let virtual_run = virtually(lab.clone());
    let real = run_with(on(lab.clone(), Driver::Threads, 20.0), &[], &|director| Box::new(director));
    for figure in figures {
        assert_eq!(real.figure(figure), virtual_run.figure(figure), "{figure} differs between the drivers");
    }
    let steps = |judged: &Judged| judged.said().into_iter().map(|(step, _)| step).collect::<Vec<_>>();
    assert_eq!(steps(&real), steps(&virtual_run), "the same steps come in the same order");
    [virtual_run, real]
}

#[test]
fn what_holds_is_held_and_what_does_not_is_broken() {
    let held = virtually(small(&(expect("duplicated == 2 and lost == 0") + &expect("effects == jobs + 2"))));
    assert_eq!(held.outcome(), (Outcome::Held, "all 2 expectations hold"));
    let broken = virtually(small(&(expect("duplicated == 2") + &expect("lost == 2"))));
    assert_eq!(broken.outcome(), (Outcome::Broken, "lost == 2 does not hold: 0"));
    let checked = &broken.judgement.expects[1];
    assert_eq!((checked.wanted.as_str(), checked.got.as_str(), checked.held), ("2", "0", Some(false)));
}

#[test]
fn an_expectation_may_be_missed_by_its_tolerance_and_no_more() {
    let within = |by: &str| virtually(small(&format!("{}tolerance = {by}\n", expect("duplicated == 4")))).outcome().0;
    assert_eq!(
        [within("2"), within("1"), within("\"50%\""), within("\"25%\"")],
        [Outcome::Held, Outcome::Broken, Outcome::Held, Outcome::Broken,]
    );
}

#[test]
fn a_lab_whose_fault_did_not_strike_is_inconclusive_however_well_it_holds() {
    let must = "[[must_happen]]\nthat = \"fenced == 1\"\n";
    let judged = virtually(small(&(expect("duplicated == 2") + must)));
    assert_eq!(judged.outcome(), (Outcome::Inconclusive, "fenced == 1 had to happen, and came to 0"));
    let broken = virtually(small(&(expect("duplicated == 3") + must)));
    assert_eq!(broken.outcome().0, Outcome::Broken, "what does not hold comes first");
}

#[test]
fn a_lab_whose_list_of_deaths_struck_only_some_of_its_jobs_is_inconclusive_however_well_it_holds() {
    // The first attempt at job 5 fails in its work, so that it never comes to the point at which it was to die.
    let judged = virtually(with(&expect("duplicated == 1"), "fail = [\"ids:5@work\"]"));
    assert_eq!(judged.judgement.expects[0].held, Some(true));
    assert_eq!(judged.outcome().0, Outcome::Inconclusive, "{:?}", judged.outcome());
    assert!(judged.outcome().1.ends_with("struck 1 of 2 jobs"), "{:?}", judged.outcome());
}

#[test]
fn a_lab_with_a_step_that_never_comes_is_inconclusive() {
    let step = "[[step]]\nwhen = \"fenced w1\"\nsay = \"Fenced.\"\n";
    let judged = virtually(small(&(expect("duplicated == 2") + step)));
    assert_eq!(judged.outcome(), (Outcome::Inconclusive, "step 1 never came"));
    assert_eq!(judged.judgement.missed, [0]);
}

#[test]
fn a_step_that_comes_too_late_does_not_come() {
    let step = |within: &str| format!("[[step]]\nwhen = \"expired\"\nwithin = \"{within}\"\nsay = \"Over.\"\n");
    let outcome = |within: &str| virtually(small(&(expect("duplicated == 2") + &step(within)))).outcome().0;
    assert_eq!(outcome("29s"), Outcome::Inconclusive, "the lease has 30 s");
    assert_eq!(outcome("30s"), Outcome::Held);
}

#[test]
fn a_run_that_is_cut_short_is_no_pass_unless_the_lab_says_so() {
    let expects = expect("duplicated == 0 and done == 8");
    let short = virtually(with(&expects, "until = \"10s\""));
    assert_eq!(short.outcome().0, Outcome::Inconclusive, "{:?}", short.outcome());
    assert!(short.outcome().1.contains("cut short"), "{:?}", short.outcome());
    assert_eq!(virtually(with(&expects, "until = \"10s\"\ncut = true")).outcome().0, Outcome::Held);
    let long = virtually(with(&expect("duplicated == 2"), "until = \"40s\""));
    assert_eq!(long.outcome().0, Outcome::Held, "all was settled by then: {:?}", long.outcome());
    assert_eq!(long.ran.watches[0].ended().map(Instant::seconds), Some(40.0));
}

#[test]
fn a_run_that_is_stuck_is_inconclusive_unless_the_lab_says_so() {
    let stuck = |cut: &str| {
        let step = "[[step]]\nat = \"1s\"\ndo = \"cut all queue\"\n";
        let lab = with(&(expect("done == 0") + step), &format!("work = \"5s\"\n{cut}"));
        virtually(lab).outcome().0
    };
    assert_eq!(stuck("cut = true"), Outcome::Held);
    assert_eq!(stuck(""), Outcome::Inconclusive);
}

/// Kills a worker at the first event, as somebody would.
struct Meddler(Director, bool, &'static str);

impl Plan for Meddler {
    fn next(&self) -> Instant {
        self.0.next()
    }

    fn due(&mut self, until: Instant) -> Vec<Cue> {
        self.0.due(until)
    }

    fn listens(&self) -> bool {
        true
    }

    fn heard(&mut self, events: &[Event]) -> Vec<Cue> {
        let mut cues = self.0.heard(events);
        if !std::mem::replace(&mut self.1, true) {
            cues.push(Cue::Act(onceish::action::parse(self.2).expect("an action"), By::Operator));
        }
        cues
    }
}

#[test]
fn a_run_that_somebody_interfered_with_is_not_judged() {
    let meddled = |with: &'static str| {
        let lab = on(small(&expect("duplicated == 2")), Driver::Simulation, 1.0);
        run_with(lab, &[], &move |director| Box::new(Meddler(director, false, with)))
    };
    let killed = meddled("kill w1");
    assert_eq!(killed.outcome().0, Outcome::Inconclusive);
    assert_eq!(killed.outcome().1, "somebody did \"kill w1\" at 0.00 s, so the lab does not judge it");
    assert_eq!(meddled("mark here").outcome().0, Outcome::Held, "a mark changes nothing");
    assert_eq!(meddled("speed 2").outcome().0, Outcome::Held, "nor does the pace");
}

/// Ends the run as soon as a lease runs out.
struct Leaver(Director);

impl Plan for Leaver {
    fn next(&self) -> Instant {
        self.0.next()
    }

    fn due(&mut self, until: Instant) -> Vec<Cue> {
        self.0.due(until)
    }

    fn listens(&self) -> bool {
        true
    }

    fn heard(&mut self, events: &[Event]) -> Vec<Cue> {
        let mut cues = self.0.heard(events);
        if events.iter().any(|event| event.what.name() == "expired") {
            cues.push(Cue::End);
        }
        cues
    }
}

#[test]
fn what_is_expected_of_a_run_that_was_left_before_its_end_is_no_pass_even_where_a_lab_ends_unsettled() {
    let lab = with(&expect("duplicated == 0"), "until = \"31s\"\ncut = true");
    let leaving = |lab| run_with(on(lab, Driver::Simulation, 1.0), &[], &|director| Box::new(Leaver(director)));
    let left = leaving(lab);
    assert_eq!(left.ran.watches[0].ended().map(Instant::seconds), Some(30.0), "when a lease of 30 s runs out");
    assert_eq!(left.figure("duplicated"), 0.0, "the second attempts are still to come");
    assert_eq!(left.judgement.expects[0].held, None);
    assert_eq!(left.outcome(), (Outcome::Inconclusive, "the run was cut short"));
    let drained = leaving(small(&expect("duplicated == 0")));
    assert_eq!((drained.outcome().0, drained.judgement.expects[0].held), (Outcome::Inconclusive, None));
}

#[test]
fn what_always_has_to_hold_is_judged_after_every_event() {
    let always = |that: &str| {
        let judged = virtually(small(&format!("{}always = true\n", expect(that))));
        (judged.outcome().0, judged.judgement.expects[0].got.clone())
    };
    assert_eq!(always("duplicated <= 2").0, Outcome::Held);
    assert_eq!(always("leased <= 1").0, Outcome::Broken, "two workers hold two jobs at once, if not at the end");
    assert_eq!(always("expirations == 0"), (Outcome::Broken, "1 at 30.00 s".to_owned()));
}

#[test]
fn what_is_expected_after_a_step_is_judged_as_that_step_comes() {
    let step = "[[step]]\nid = \"over\"\nwhen = \"expired j1\"\nsay = \"Over.\"\n";
    let after = |that: &str| {
        let judged = virtually(small(&format!("{step}{}after = \"over\"\n", expect(that))));
        judged.outcome().0
    };
    assert_eq!(after("duplicated == 0 and effects == 10"), Outcome::Held);
    assert_eq!(after("duplicated == 2"), Outcome::Broken, "it is so at the end, and was not so then");
}

#[test]
fn the_jobs_that_one_policy_loses_are_those_that_the_other_doubles() {
    let variants =
        "[[variant]]\nname = \"a\"\nack = \"before\"\ncrash = [\"ids:1,5@ack\"]\n[[variant]]\nname = \"b\"\n";
    let judged = virtually(small(&(variants.to_owned() + &expect("jobs(a.lost) == jobs(b.duplicated)"))));
    assert_eq!(judged.outcome().0, Outcome::Held, "{:?}", judged.judgement.expects);
    assert_eq!(judged.judgement.expects[0].got, "2 and 2 jobs, 2 of them the same");
    let other = virtually(small(&(variants.to_owned() + &expect("jobs(a.lost) == jobs(b.lost)"))));
    assert_eq!(other.outcome().0, Outcome::Broken);
    let in_turn = virtually(small(&(variants.to_owned() + &expect("deaths == 2") + &expect("duplicated == 0"))));
    assert_eq!(in_turn.judgement.expects[0].got, "a 2, b 2");
    assert_eq!(in_turn.judgement.expects[1].held, Some(false), "it has to hold of every run");
}

#[test]
fn what_is_done_before_the_run_strikes_the_first_delivery() {
    let text = "title = \"Before\"\nteaches = \"nothing\"\nseed = 1\n\
                [setup]\njobs = 4\nworkers = 2\nwork = \"1s\"\ndedup = \"none\"\n\
                [[step]]\ndo = [\"kill w1 at effect\", \"kill w2 at effect\"]\n";
    let lab = read("before", &(text.to_owned() + &expect("deaths == 2 and duplicated == 2")));
    let figures = ["deaths", "duplicated", "effects", "done"];
    for judged in on_both(&lab, &figures) {
        assert_eq!(judged.outcome().0, Outcome::Held, "{:?}", judged.outcome());
    }
}

#[test]
fn a_step_knows_the_attempts_that_began_before_it_listened() {
    let steps = "[[step]]\nid = \"again\"\nwhen = \"claimed n2\"\nsay = \"again\"\n\
                 [[step]]\nafter = \"again\"\nwhen = \"acked j1 n2\"\nsay = \"done\"\n";
    let [virtual_run, _] = on_both(&small(steps), &["deliveries"]);
    assert_eq!(virtual_run.judgement.missed, [0_usize; 0]);
}

#[test]
fn a_drained_run_goes_on_when_a_step_puts_its_dead_letters_back() {
    let steps = "[[step]]\nwhen = \"drained\"\nwait = \"5s\"\ndo = \"redrive all\"\nid = \"back\"\n\
                 [[step]]\nafter = \"back\"\nwhen = \"drained\"\nsay = \"Again.\"\n";
    let lab = with(steps, "poison = \"2:fail\"\nmax-attempts = 2");
    let [virtual_run, real] = on_both(&lab, &["redriven", "failed", "dead", "done", "deliveries"]);
    assert_eq!(virtual_run.figure("redriven"), 2.0);
    assert_eq!(virtual_run.figure("failed"), 8.0, "2 jobs, 2 tries, and 2 more");
    assert_eq!(real.judgement.missed, [0_usize; 0]);
}

#[test]
fn idle_time_is_jumped_over_no_farther_than_to_the_next_step() {
    let steps = "[[step]]\nat = \"10s\"\nsay = \"ten\"\n[[step]]\nat = \"20s\"\ndo = \"enqueue 5\"\n";
    let lab = small(&(steps.to_owned() + &expect("time(expired) >= 30")));
    let [virtual_run, real] = on_both(&lab, &["enqueued", "done", "duplicated"]);
    assert_eq!(virtual_run.said(), [(1, 10.0), (2, 20.0)]);
    assert_eq!(virtual_run.figure("time(expired)"), 30.0);
    let late = real.said()[0].1;
    assert!((10.0..20.0).contains(&late), "{late}");
    let alone = "[[step]]\nat = \"20s\"\ndo = \"enqueue 5\"\n";
    let done_at_once = read(
        "idle",
        &format!(
            "title = \"Idle\"\nteaches = \"nothing\"\nseed = 1\n[setup]\njobs = 5\n{alone}{}",
            expect("done == 10")
        ),
    );
    let [virtual_run, real] = on_both(&done_at_once, &["enqueued", "done", "deliveries"]);
    assert_eq!([virtual_run.outcome().0, real.outcome().0], [Outcome::Held; 2]);
}

#[test]
fn steps_of_one_moment_come_in_the_order_of_the_file_and_those_that_repeat_come_so_often() {
    let steps = "[[step]]\nat = \"2s\"\nsay = \"one\"\n[[step]]\nat = \"2s\"\nsay = \"two\"\n\
                 [[step]]\nat = \"1s\"\nrepeat = 3\nevery = \"2s\"\nsay = \"three\"\n\
                 [[step]]\nid = \"first\"\nsay = \"four\"\n[[step]]\nafter = \"first\"\nwait = \"4s\"\nsay = \"five\"\n";
    let lab = small(steps);
    let [virtual_run, _] = on_both(&lab, &["deliveries"]);
    let wanted = [(4, 0.0), (3, 1.0), (1, 2.0), (2, 2.0), (3, 3.0), (5, 4.0), (3, 5.0)];
    assert_eq!(virtual_run.said(), wanted);
}

#[test]
fn what_follows_a_step_is_counted_from_there_on() {
    let steps = "[[step]]\nid = \"a\"\nwhen = \"count(claimed) == 3\"\nsay = \"three\"\n\
                 [[step]]\nid = \"b\"\nafter = \"a\"\nwhen = \"count(claimed) == 3\"\nsay = \"six\"\n\
                 [[step]]\nafter = \"b\"\nwhen = \"claimed n2\"\nsay = \"again\"\n";
    let lab = with(&(steps.to_owned() + &expect("deliveries == 6") + "after = \"b\"\n"), "");
    let [virtual_run, _] = on_both(&with(steps, ""), &["deliveries"]);
    assert_eq!(virtual_run.said().iter().map(|(step, _)| *step).collect::<Vec<_>>(), [1, 2, 3]);
    let judged = virtually(lab);
    assert_eq!(judged.outcome().0, Outcome::Held, "{:?}", judged.judgement.expects);
}

#[test]
fn answers_given_before_the_run_are_recorded_as_its_steps_ask_and_graded_by_its_figures() {
    let step = "[[step]]\n[step.ask]\ntext = \"How many?\"\nanswer = \"duplicated\"\nbetween = [0, 10]\nwhy = \"So.\"\n\
                [[step]]\nwhen = \"expired\"\n[step.ask]\ntext = \"Lost?\"\nchoices = [\"No\", \"Yes\"]\nanswer = \"a\"\n\
                proof = \"lost == 0\"\nwhy = \"So.\"\n";
    let lab = on(small(step), Driver::Simulation, 1.0);
    let judged = run_with(lab.clone(), &[(1, "3"), (2, "a")], &|director| Box::new(director));
    let answers = judged.ran.watches[0].answers();
    assert_eq!(answers.iter().map(|(step, text)| (*step, text.as_str())).collect::<Vec<_>>(), [(1, "3"), (2, "a")]);
    assert_eq!(judged.outcome().0, Outcome::Held, "what somebody answers is no part of the judgement");
    let graded = |place: usize| {
        let ask = lab.steps[place].ask.as_ref().expect("it asks");
        let step = lab::number_of(place);
        lab::grade(ask, answers.get(&step).map(String::as_str), &judged.ran.watches, 0)
    };
    assert_eq!((graded(0).right, graded(0).measured.as_str()), (Some(false), "2"));
    assert_eq!(graded(1).right, Some(true));
    let unproved = step.replace("lost == 0", "lost == 1");
    assert_eq!(virtually(small(&unproved)).outcome().0, Outcome::Broken, "a right choice has to be borne out");
}

fn shipped(lab: &Shipped) -> Lab {
    read(lab.name, lab.text)
}

#[test]
fn every_lab_of_the_course_holds_in_virtual_time() {
    for each in course() {
        let judged = virtually(shipped(each));
        assert_eq!(judged.outcome().0, Outcome::Held, "{}: {}", each.name, judged.outcome().1);
        let asked = shipped(each).steps.iter().any(|step| step.trigger == Trigger::Before || step.ask.is_some());
        assert!(asked, "{} says or asks something", each.name);
    }
}

#[test]
fn every_lab_of_the_course_whose_figures_hold_on_threads_holds_there() {
    for each in course() {
        let lab = shipped(each);
        if lab.driver == Some(Driver::Simulation) {
            continue;
        }
        let judged = run_with(on(lab, Driver::Threads, 10.0), &[], &|director| Box::new(director));
        assert_eq!(judged.outcome().0, Outcome::Held, "{}: {}", each.name, judged.outcome().1);
    }
}

/// For each lab of the course what its mechanism rests on, as its file has it, and what breaks it.
const FLIPS: &[(&str, &str, &str)] = &[
    ("01-ack-first", "ack = \"before\"", "ack = \"after\""),
    ("02-ack-last", "ack = \"after\"", "ack = \"before\""),
    ("03-harmless-crash", "ack = \"after\"", "ack = \"before\""),
    ("04-killed-at-random", "dedup = \"none\"", "dedup = \"transactional\""),
    ("05-two-writes", "dedup = \"effect-then-key\"", "dedup = \"transactional\""),
    ("06-one-transaction", "dedup = \"transactional\"", "dedup = \"transactional\"\nkey = \"attempt\""),
    ("07-unstable-key", "key = \"attempt\"", "key = \"job\""),
    ("08-memory-in-the-worker", "dedup = \"per-worker\"", "dedup = \"transactional\""),
    ("09-bounded-window", "dedup = \"window:1000\"", "dedup = \"transactional\""),
    ("10-replay-after-the-window", "dedup = \"ttl:10m\"", "dedup = \"transactional\""),
    ("11-shorter-than-the-tail", "renew = \"off\"", "renew = \"1/3\""),
    ("12-renewal", "renew = \"2x\"", "renew = \"1/3\""),
    ("13-stalled-heartbeat", "dedup = \"transactional\"", "dedup = \"none\""),
    ("14-cut-off-zombie", "fence = \"on\"", "fence = \"off\""),
    ("15-long-pause", "fence = \"on\"", "fence = \"off\""),
    ("16-two-fences", "fence = \"on\"", "fence = \"off\""),
    ("17-giving-up", "on-lost-lease = \"abort\"", "on-lost-lease = \"continue\""),
    ("18-one-of-four", "lease = \"6s\"", "lease = \"9s\""),
    ("19-poison", "max-attempts = 3", "max-attempts = \"unlimited\""),
    ("20-poison-in-order", "on-dead = \"block\"", "on-dead = \"skip\""),
    ("21-overtaken", "order = \"key\"", "order = \"none\""),
    ("22-dlq-nobody-reads", "max-attempts = 3", "max-attempts = 2"),
];

#[test]
fn every_lab_of_the_course_fails_when_its_mechanism_is_broken() {
    for each in course() {
        let flip = FLIPS.iter().find(|(name, ..)| *name == each.name);
        let (_, from, to) = flip.unwrap_or_else(|| panic!("{} has nothing that breaks it", each.name));
        assert!(each.text.contains(from), "{} does not rest on {from}", each.name);
        let judged = virtually(read(each.name, &each.text.replace(from, to)));
        assert_eq!(judged.outcome().0, Outcome::Broken, "{} with {to}: {}", each.name, judged.outcome().1);
    }
}

//! Whether a lab holds: what was expected of its runs beside what came of them.
//!
//! What is untrue comes before what is inconclusive, and nothing passes that was not tested: a fault that had to strike
//! and did not, a step that never came, a run that was cut short or that somebody interfered with.

use super::figure::{Figure, Harmed, Test};
use super::model::{Answer, Expect, Lab, Until};
use super::number_of;
use super::value::{Among, test_holds};
use super::watch::{Watch, Which};
use super::words;
use crate::event::Finish;
use crate::text::counted;
use crate::time::Instant;

/// How a lab came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything holds, and was put to the test.
    Held,
    /// Something does not hold.
    Broken,
    /// Nothing can be said.
    Inconclusive,
}

/// How a lab came out, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// In a word.
    pub outcome: Outcome,
    /// Why, in a sentence.
    pub why: String,
    /// What was expected, in the order of the file, and behind it what the right choices were to be borne out by.
    pub expects: Vec<Checked>,
    /// What had to happen.
    pub must_happen: Vec<Checked>,
    /// Steps that did not come, or not as often as they were to, by their places.
    pub missed: Vec<usize>,
    /// When somebody first interfered with a run, and how.
    pub interfered: Option<(Instant, String)>,
}

/// Something that had to hold, beside what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// It as it is written.
    pub text: String,
    /// What it says, in words; may be empty.
    pub says: String,
    /// What was wanted.
    pub wanted: String,
    /// What came of it.
    pub got: String,
    /// Whether it held; `None` when it could not be judged.
    pub held: Option<bool>,
}

/// Judges the runs of a lab, one watch for each variant in their order.
pub fn judge(lab: &Lab, watches: &[Watch]) -> Judgement {
    let judged = judged(lab, watches);
    let check = |(place, expect): (usize, &Expect), which: fn(usize) -> Which| {
        checked(lab, expect, which(place), watches, judged)
    };
    let mut expects: Vec<Checked> = lab.expects.iter().enumerate().map(|expect| check(expect, Which::Expect)).collect();
    expects.extend(proofs(lab, watches, judged));
    let must_happen = lab.must_happen.iter().enumerate().map(|must| check(must, Which::MustHappen)).collect();
    let mut judgement = Judgement {
        outcome: Outcome::Held,
        why: String::new(),
        expects,
        must_happen,
        missed: missed(lab, watches),
        interfered: watches.iter().find_map(|watch| watch.interfered().cloned()),
    };
    (judgement.outcome, judgement.why) = decide(lab, watches, &judgement);
    judgement
}

fn decide(lab: &Lab, watches: &[Watch], judgement: &Judgement) -> (Outcome, String) {
    let each = |why: &dyn Fn(&Watch) -> Option<String>| {
        let runs = watches.iter().enumerate();
        runs.into_iter().find_map(|(variant, watch)| why(watch).map(|why| named(lab, variant, &why)))
    };
    let untrue = each(&untrue);
    let broken = untrue.or_else(|| broken(&judgement.expects));
    if let Some(why) = broken {
        return (Outcome::Broken, why);
    }
    let interfered = judgement
        .interfered
        .as_ref()
        .map(|(at, what)| format!("somebody did \"{what}\" at {:.2} s, so the lab does not judge it", at.seconds()));
    let unproved = judgement.must_happen.iter().find(|must| must.held != Some(true));
    let unproved = || unproved.map(|must| format!("{} had to happen, and came to {}", must.text, must.got));
    let missing = || judgement.missed.first().map(|place| format!("step {} never came", number_of(*place)));
    let unjudged = || judgement.expects.iter().find(|expect| expect.held.is_none());
    let unjudged = || unjudged().map(|expect| format!("{} could not be judged", expect.text));
    let why = interfered
        .or_else(|| each(&|watch| unfinished(lab, watch)))
        .or_else(unproved)
        .or_else(missing)
        .or_else(unjudged);
    match why {
        Some(why) => (Outcome::Inconclusive, why),
        None => (Outcome::Held, held(judgement)),
    }
}

fn held(judgement: &Judgement) -> String {
    match judgement.expects.len() {
        0 => "nothing was expected".to_owned(),
        1 => "what was expected came".to_owned(),
        n => format!("all {n} expectations hold"),
    }
}

/// What is said of one of several runs names it.
fn named(lab: &Lab, variant: usize, why: &str) -> String {
    match lab.variants.get(variant) {
        Some(of) if lab.variants.len() > 1 => format!("{}: {why}", of.name),
        _ => why.to_owned(),
    }
}

/// The first expectation that does not hold, and how many more there are.
fn broken(expects: &[Checked]) -> Option<String> {
    let mut broken = expects.iter().filter(|expect| expect.held == Some(false));
    let first = broken.next()?;
    let more = match broken.count() as u64 {
        0 => String::new(),
        n => format!("; and {} more", counted(n, "expectation", "expectations")),
    };
    Some(format!("{} does not hold: {}{more}", first.text, first.got))
}

/// The run's figures cannot be trusted.
fn untrue(watch: &Watch) -> Option<String> {
    let board = watch.board();
    if let Some(violation) = board.violations().first() {
        return Some(format!("an invariant did not hold: {violation}"));
    }
    match board.finished() {
        Some((Finish::Violated, _)) => Some("an invariant did not hold".to_owned()),
        Some((Finish::Failed(_), _)) | None => None,
        Some(_) => (!board.witnesses_agree()).then(|| "board and SQL disagree".to_owned()),
    }
}

/// Why the run did not come to its end, if it did not.
fn unfinished(lab: &Lab, watch: &Watch) -> Option<String> {
    let board = watch.board();
    match board.finished() {
        None => Some("the run never came to its end".to_owned()),
        Some((Finish::Failed(why), _)) => Some(format!("the run failed: {why}")),
        Some((Finish::Violated, _)) => Some("an invariant did not hold".to_owned()),
        Some((Finish::Stuck, _)) if !lab.cut => {
            Some(format!("stuck, {}", board.stuck().unwrap_or("nothing could move what is unsettled")))
        }
        Some((Finish::Quit, _)) if !came_to_its_end(lab, watch) => Some("the run was cut short".to_owned()),
        Some((Finish::Quit, _)) if !lab.cut && !watch.settled() => {
            Some("the run was cut short, since not all was settled in time".to_owned())
        }
        Some(_) if !lab.cut => unstruck(watch),
        Some(_) => None,
    }
}

/// A list of the set-up that did not strike all its jobs.
fn unstruck(watch: &Watch) -> Option<String> {
    let board = watch.board();
    let lists = board.setup()?.lists().zip(board.struck());
    let missed = lists.into_iter().find(|(_, (struck, had_to))| struck < had_to);
    missed.map(|((strike, _), (struck, had_to))| format!("{strike} struck {struck} of {had_to} jobs"))
}

/// True unless somebody ended the run before its time.
fn came_to_its_end(lab: &Lab, watch: &Watch) -> bool {
    match (watch.board().finished(), lab.until) {
        (Some((Finish::Quit, _)), Until::Drained) => false,
        (Some((Finish::Quit, _)), Until::At(until)) => watch.ended().is_some_and(|ended| ended >= until),
        (Some((Finish::Failed(_), _)) | None, _) => false,
        _ => true,
    }
}

/// True when the runs can be judged by how they stood at their end: all came to it, and nobody interfered.
fn judged(lab: &Lab, watches: &[Watch]) -> bool {
    let judged = |watch: &Watch| watch.interfered().is_none() && came_to_its_end(lab, watch);
    watches.len() == lab.variants.len() && watches.iter().all(judged)
}

fn missed(lab: &Lab, watches: &[Watch]) -> Vec<usize> {
    let came = |place: usize, times: u32| {
        let runs = watches.iter().filter(|watch| lab.steps[place].is_in(watch.variant()));
        runs.into_iter().all(|watch| watch.times(number_of(place)) >= times)
    };
    let places = lab.steps.iter().enumerate().filter(|(place, step)| !came(*place, step.times));
    places.map(|(place, _)| place).collect()
}

/// What the right choices were to be borne out by.
fn proofs(lab: &Lab, watches: &[Watch], judged: bool) -> Vec<Checked> {
    let asks = lab.steps.iter().enumerate().filter_map(|(place, step)| Some((place, step, step.ask.as_ref()?)));
    let proofs = asks.filter_map(|(place, step, ask)| match &ask.answer {
        Answer::Choice { proof: Some(proof), .. } => Some((place, step.variants.first().copied(), proof)),
        _ => None,
    });
    proofs
        .map(|(place, variant, proof)| {
            let text = format!("the answer to step {}", number_of(place));
            let here = variant.unwrap_or_default();
            at_the_end(proof, &[here], lab, watches, judged, Checked { text, ..Checked::default() })
        })
        .collect()
}

fn checked(lab: &Lab, expect: &Expect, which: Which, watches: &[Watch], judged: bool) -> Checked {
    let empty = Checked { text: expect.text.clone(), says: expect.says.clone(), ..Checked::default() };
    let variants = match expect.variant {
        Some(variant) => vec![variant],
        None if asks_in_turn(&expect.that) => (0..lab.variants.len()).collect(),
        None => vec![0],
    };
    match (expect.always, expect.after) {
        (false, None) => at_the_end(&expect.that, &variants, lab, watches, judged, empty),
        _ => on_the_way(lab, expect, which, &variants, watches, empty),
    }
}

impl Default for Checked {
    fn default() -> Checked {
        let (text, says, wanted, got) = Default::default();
        Checked { text, says, wanted, got, held: None }
    }
}

fn at_the_end(test: &Test, variants: &[usize], lab: &Lab, watches: &[Watch], judged: bool, empty: Checked) -> Checked {
    let runs = |here: usize| Among { watches, here };
    let got = variants.iter().map(|here| (*here, words::got(test, &runs(*here))));
    let got = together(lab, got.collect());
    let held = judged.then(|| variants.iter().all(|here| test_holds(test, &runs(*here))));
    let wanted = variants.first().map(|here| words::wanted(test, &runs(*here))).unwrap_or_default();
    Checked { wanted, got, held, ..empty }
}

/// What was judged on the way: as a step came, or after every event.
fn on_the_way(
    lab: &Lab,
    expect: &Expect,
    which: Which,
    variants: &[usize],
    watches: &[Watch],
    empty: Checked,
) -> Checked {
    let has_it = |variant: &&usize| expect.after.is_none_or(|step| lab.steps[step].is_in(**variant));
    let (mut got, mut wanted, mut held) = (Vec::new(), None, Some(true));
    for variant in variants.iter().filter(has_it) {
        let Some(watch) = watches.get(*variant) else {
            held = held.filter(|held| !held);
            continue;
        };
        let runs = Among { watches, here: *variant };
        let begun = expect.after.is_none_or(|step| watch.came(number_of(step)));
        match watch.stood(which) {
            Some(stood) => {
                got.push((*variant, stood.got.clone()));
                wanted = Some(stood.wanted.clone());
                held = if stood.held { held } else { Some(false) };
            }
            None if expect.always && begun && watch.ended().is_some() => {
                got.push((*variant, words::got(&expect.that, &runs)));
            }
            None => {
                got.push((*variant, "the step never came".to_owned()));
                held = held.filter(|held| !held);
            }
        }
    }
    let wanted = wanted.unwrap_or_else(|| {
        variants.first().map(|here| words::wanted(&expect.that, &Among { watches, here: *here })).unwrap_or_default()
    });
    let wanted = if expect.always { format!("always {wanted}") } else { wanted };
    Checked { wanted, got: together(lab, got), held, ..empty }
}

/// What came of it in each run, with the run's name where there are several.
fn together(lab: &Lab, got: Vec<(usize, String)>) -> String {
    match got.as_slice() {
        [(_, one)] => one.clone(),
        many => {
            let named = many.iter().map(|(variant, got)| match lab.variants.get(*variant) {
                Some(variant) => format!("{} {got}", variant.name),
                None => got.clone(),
            });
            named.collect::<Vec<_>>().join(", ")
        }
    }
}

/// True when a test is about a run that it does not name, so that it is asked of every run in turn.
fn asks_in_turn(test: &Test) -> bool {
    let harmed = |(of, _): &(Option<usize>, Harmed)| of.is_none();
    match test {
        Test::Compare(left, _, right, _) => figure_asks(left) || figure_asks(right),
        Test::Happened(of, _) => of.is_none(),
        Test::SameJobs(left, right) => harmed(left) || harmed(right),
        Test::Not(inner) => asks_in_turn(inner),
        Test::And(left, right) | Test::Or(left, right) => asks_in_turn(left) || asks_in_turn(right),
    }
}

fn figure_asks(figure: &Figure) -> bool {
    match figure {
        Figure::Number(_) => false,
        Figure::Counter(of, _) | Figure::Peak(of, _) => of.is_none(),
        Figure::Count(of, _) | Figure::First(of, _) | Figure::Last(of, _) => of.is_none(),
        Figure::Both(left, _, right) => figure_asks(left) || figure_asks(right),
    }
}

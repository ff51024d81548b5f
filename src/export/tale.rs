//! What a recording comes to, gathered once for whoever tells it: set-up, actions and what came of them, questions and
//! answers, figures, verdict, and the stories of jobs that came to harm.

use std::collections::BTreeMap;

use super::differences::Differences;
use super::judged::{Judged, judged};
use super::{is_told, title};
use crate::board::{Board, Counters, Line, Story, Word};
use crate::event::{By, Finish, What};
use crate::ids::Job;
use crate::lab::{Checked, Graded, Judgement, Outcome};
use crate::recording::{Damage, Place, Player};
use crate::text::{count, counted};
use crate::time::Instant;
use crate::tui::words::policy as words;

/// Actions and marks that are told one by one.
const MOST_ACTS: usize = 200;
/// Stories that are told.
const MOST_STORIES: usize = 12;

/// Something that was done or noted.
#[derive(Clone, Debug, PartialEq)]
pub struct Act {
    /// When.
    pub at: Instant,
    /// Who.
    pub who: &'static str,
    /// What, in the words of the grammar; for a mark its text.
    pub text: String,
    /// What came of it at once, in words.
    pub came: String,
    /// What happened until the next one, in words; empty if nothing that counts.
    pub then: String,
}

/// A question of a lab, and what was answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The step of the lab.
    pub step: u32,
    /// The question.
    pub question: String,
    /// The first answer, if there was one.
    pub answer: Option<String>,
    /// What the run gave, and whether the answer was right; empty where that cannot be said.
    pub measured: String,
}

/// Something that a lab expected, beside what came.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// What was expected, and what it says in words.
    pub what: String,
    /// What came.
    pub got: String,
    /// `holds`, `does not hold` or `not judged`.
    pub held: &'static str,
}

/// What a recording comes to.
#[derive(Clone, Debug)]
pub struct Tale {
    /// What was run.
    pub title: String,
    /// The run in short: what drove it, how many workers, how long it lasted.
    pub facts: String,
    /// What a worker does, in sentences.
    pub policy: String,
    /// What the set-up has that the defaults do not.
    pub differences: Differences,
    /// What was done, in order.
    pub acts: Vec<Act>,
    /// How many more acts there were.
    pub more_acts: usize,
    /// What was asked.
    pub asked: Vec<Asked>,
    /// What the lab expected, if one was run that can be judged from one recording.
    pub expected: Vec<Expected>,
    /// How the lab came out, in a sentence; empty if none was judged.
    pub outcome: String,
    /// The counters at the end that are not 0, by name.
    pub counters: Vec<(String, u64)>,
    /// The verdict, with its promise and why.
    pub verdict: String,
    /// How the run ended, and whether the witnesses agreed.
    pub end: String,
    /// Why the jobs that came to harm did.
    pub stories: Vec<Story>,
    /// How many more jobs came to harm.
    pub more_stories: usize,
}

impl Tale {
    /// Gathers the tale of a recording.
    ///
    /// # Errors
    /// When the recording has changed since it was opened.
    pub fn of(player: &mut Player) -> Result<Tale, Damage> {
        let (acts, more_acts) = acts(player)?;
        let judged = judged(player)?;
        let last = player.last();
        let setup = &player.header().setup;
        let (stories, more_stories) = stories(last);
        let facts = [
            setup.driver.to_string(),
            counted(u64::from(setup.workers), "worker", "workers"),
            counted(last.counters().enqueued, "job", "jobs"),
            format!("{:.2} s of lab time", player.ends().seconds()),
            counted(player.len() as u64, "event", "events"),
            player.header().program.clone(),
        ];
        Ok(Tale {
            title: title(player),
            facts: facts.join(", "),
            policy: policy(last, player),
            differences: Differences::of(setup),
            acts,
            more_acts,
            asked: asked(last, judged.as_ref()),
            expected: judged.iter().flat_map(|judged| expected(&judged.judgement)).collect(),
            outcome: judged.as_ref().map(|judged| outcome(&judged.judgement)).unwrap_or_default(),
            counters: counters(&last.counters()),
            verdict: verdict(last),
            end: end(player),
            stories,
            more_stories,
        })
    }
}

/// The verdict in a sentence: `BROKEN: effectively-once was promised, and 2 jobs were applied twice`.
pub fn verdict(board: &Board) -> String {
    let verdict = board.verdict();
    let promise = verdict.promise;
    match (verdict.word, verdict.why.as_str()) {
        (word, "") => format!("{word}: {promise} was promised"),
        (Word::Broken, why) => format!("BROKEN: {promise} was promised, and {why}"),
        (word, why) => format!("{word}: {promise} was promised; {why}"),
    }
}

/// The fates of all jobs so far, in words: `lost 0, once 43, twice 0, pending 5, dead 1 of 49 jobs`.
pub fn fates(board: &Board) -> String {
    let n = board.counters();
    let fates = [n.lost, n.once, n.duplicated, n.pending, n.dead_unapplied(), n.enqueued].map(count);
    let [lost, once, twice, pending, dead, all] = fates;
    format!("lost {lost}, once {once}, twice {twice}, pending {pending}, dead {dead} of {all} jobs")
}

/// The counters that are not 0, by name, in the order of their definition.
pub fn counters(counters: &Counters) -> Vec<(String, u64)> {
    // A map of JSON would sort them by name.
    let Ok(text) = serde_json::to_string(counters) else { return Vec::new() };
    let pairs = text.trim_matches(['{', '}']).split(',').filter_map(|pair| pair.split_once(':'));
    let figures = pairs.filter_map(|(name, n)| Some((name.trim_matches('"').to_owned(), n.parse().ok()?)));
    figures.filter(|(_, n)| *n > 0).collect()
}

fn policy(last: &Board, player: &Player) -> String {
    let policy = &player.header().setup.policy;
    let rest = format!("{}, {}.", words::tries(policy), words::rest(policy));
    let mut text = format!("{} {} {rest}", words::sentence(policy, false), words::lease(policy, false));
    if last.setup().is_some() && last.policy() != policy {
        text.push_str(" It was changed on the way.");
    }
    text
}

fn acts(player: &mut Player) -> Result<(Vec<Act>, usize), Damage> {
    let mut places: Vec<Place> = player.places().iter().filter(|place| is_told(place)).cloned().collect();
    let more = places.len().saturating_sub(MOST_ACTS);
    let next = places.get(MOST_ACTS).map(|place| place.events - 1);
    places.truncate(MOST_ACTS);
    let mut before = Vec::new();
    for place in &places {
        player.show(place.events - 1)?;
        before.push(player.board().counters());
    }
    before.push(match next {
        Some(next) => {
            player.show(next)?;
            player.board().counters()
        }
        None => player.last().counters(),
    });
    let act = |(i, place): (usize, &Place)| {
        let (who, text, came) = match &place.what {
            What::Action { text, by, came, refused } => {
                let came = if *refused { format!("refused: {came}") } else { came.to_string() };
                (who(*by), text.to_string(), came)
            }
            What::Marked { text } => ("mark", text.to_string(), String::new()),
            _ => return None,
        };
        let then = consequences(&before[i], &before[i + 1]);
        Some(Act { at: place.at, who, text, came, then })
    };
    Ok((places.iter().enumerate().filter_map(act).collect(), more))
}

fn who(by: By) -> &'static str {
    match by {
        By::Operator => "operator",
        By::Lab => "lab",
        other => other.name(),
    }
}

/// What was counted between two moments, the gravest first.
fn consequences(before: &Counters, after: &Counters) -> String {
    let figures = [
        (before.lost, after.lost, "job LOST", "jobs LOST"),
        (before.duplicated, after.duplicated, "job applied TWICE", "jobs applied TWICE"),
        (before.dead, after.dead, "job DEAD", "jobs DEAD"),
        (before.deaths, after.deaths, "worker died", "workers died"),
        (before.failed, after.failed, "delivery failed", "deliveries failed"),
        (before.expirations, after.expirations, "lease ran out", "leases ran out"),
        (before.redeliveries, after.redeliveries, "redelivery", "redeliveries"),
        (before.dedup_hits, after.dedup_hits, "duplicate recognised", "duplicates recognised"),
        (before.fenced, after.fenced, "write fenced", "writes fenced"),
        (before.stale_acks, after.stale_acks, "stale ack refused", "stale acks refused"),
        (before.stale_renewals, after.stale_renewals, "stale renewal refused", "stale renewals refused"),
        (before.acks_lost, after.acks_lost, "ack lost", "acks lost"),
        (before.beats_lost, after.beats_lost, "renewal lost", "renewals lost"),
        (before.replies_lost, after.replies_lost, "answer lost", "answers lost"),
    ];
    let changed = figures.into_iter().filter(|(before, after, ..)| after > before);
    let words: Vec<String> = changed.map(|(before, after, one, many)| counted(after - before, one, many)).collect();
    words.join(", ")
}

fn asked(last: &Board, judged: Option<&Judged>) -> Vec<Asked> {
    let mut asked: BTreeMap<u32, Asked> = BTreeMap::new();
    for line in last.narration() {
        let empty = || Asked { step: line.step, question: String::new(), answer: None, measured: String::new() };
        match line.line {
            Line::Asked => asked.entry(line.step).or_insert_with(empty).question = line.text.clone(),
            Line::Answered => {
                asked.entry(line.step).or_insert_with(empty).answer.get_or_insert_with(|| line.text.clone());
            }
            Line::Said { .. } => {}
        }
    }
    for (step, graded) in judged.iter().flat_map(|judged| &judged.graded) {
        if let Some(asked) = asked.get_mut(step) {
            asked.measured = measured(graded);
        }
    }
    asked.into_values().collect()
}

/// `195, right (162 to 219 counts as right)`.
fn measured(graded: &Graded) -> String {
    let right = match graded.right {
        Some(true) => ", right",
        Some(false) => ", not quite",
        None => "",
    };
    let band = if graded.band.is_empty() { String::new() } else { format!(" ({})", graded.band) };
    let formula = graded.formula.as_ref().map(|formula| format!("; formula: {formula}")).unwrap_or_default();
    format!("{}{right}{band}{formula}", graded.measured)
}

fn expected(judgement: &Judgement) -> Vec<Expected> {
    let all = judgement.expects.iter().chain(&judgement.must_happen);
    let one = |checked: &Checked| {
        let says = if checked.says.is_empty() { String::new() } else { format!(": {}", checked.says) };
        let held = match checked.held {
            Some(true) => "holds",
            Some(false) => "does not hold",
            None => "not judged",
        };
        Expected { what: format!("{}{says}", checked.text), got: checked.got.clone(), held }
    };
    all.map(one).collect()
}

fn outcome(judgement: &Judgement) -> String {
    let word = match judgement.outcome {
        Outcome::Held => "The lab holds",
        Outcome::Broken => "The lab does not hold",
        Outcome::Inconclusive => "The lab is inconclusive",
    };
    if judgement.why.is_empty() { format!("{word}.") } else { format!("{word}: {}", judgement.why) }
}

fn end(player: &Player) -> String {
    let how = match player.last().finished() {
        Some((Finish::Drained, _)) => "The run was settled to the last job.".to_owned(),
        Some((Finish::Stuck, _)) => "The run was stuck.".to_owned(),
        Some((Finish::Quit, _)) => "The run was ended before it was settled.".to_owned(),
        Some((Finish::Violated, _)) => "The run ended since an invariant did not hold.".to_owned(),
        Some((Finish::Failed(why), _)) => format!("The run failed: {why}"),
        None => "The recording ends before the run does.".to_owned(),
    };
    let witnesses = match player.last().finished() {
        Some((_, Some(_))) if player.last().witnesses_agree() => " Board and SQL agree.",
        Some((_, Some(_))) => " Board and SQL DISAGREE.",
        _ => "",
    };
    let torn = if player.torn() { " It is cut off at its end." } else { "" };
    let contradiction =
        player.contradiction().map(|what| format!(" It contradicts itself: {what}.")).unwrap_or_default();
    format!("{how}{witnesses}{torn}{contradiction}")
}

/// The stories of jobs that came to harm, as far as they are kept, and how many more such jobs there are.
fn stories(last: &Board) -> (Vec<Story>, usize) {
    let harm = last.harm();
    let jobs: Vec<Job> = harm.lost.iter().chain(harm.twice.difference(&harm.lost)).copied().collect();
    let stories: Vec<Story> = jobs.iter().filter_map(|job| last.story(*job)).take(MOST_STORIES).collect();
    let more = jobs.len() - stories.len();
    (stories, more)
}

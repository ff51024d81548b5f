//! What could be typed next in the palette, and what it would do: only workers that exist, only gaps that the policy
//! has, only what is possible now.

use crate::action::{Action, VERBS};
use crate::board::{WorkerState, WorkerView};
use crate::event::Fault;
use crate::ids::Worker;
use crate::policy::{Dedup, Policy, SettingName};
use crate::tui::words::fate::standing_at;
use crate::tui::words::policy::{claim, code};

/// A line that could be typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The line so far, or the whole of it.
    pub line: String,
    /// What it does.
    pub says: String,
    /// True if it is an action as it stands.
    pub whole: bool,
}

/// What can be done where the palette is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Everything: a run goes on.
    All,
    /// What concerns time, and the screen: a recording is played.
    Time,
    /// What concerns the screen: nothing runs.
    Screen,
}

impl Reach {
    /// Why an action cannot be done here, if it cannot.
    pub fn refuses(self, action: &Action) -> Option<&'static str> {
        match self {
            Reach::All => None,
            Reach::Time if action.paces() => None,
            Reach::Time => Some(REPLAYED),
            Reach::Screen => Some("nothing runs here; enter starts what is selected"),
        }
    }

    /// True for a verb that can be used here.
    fn has(self, verb: &str) -> bool {
        match self {
            Reach::All => true,
            Reach::Time => ["stop", "go", "step", "speed", "jump"].contains(&verb),
            Reach::Screen => false,
        }
    }
}

/// What is said to whoever would act on a recording.
pub const REPLAYED: &str = "a replay cannot be acted on; onceish rerun runs its actions again";

/// What the run offers.
pub struct Offer<'a> {
    /// The workers.
    pub workers: &'a [WorkerView],
    /// The selected one.
    pub selected: Worker,
    /// The policy in force.
    pub policy: &'a Policy,
    /// The dead letters' ids, oldest first.
    pub dead: Vec<u32>,
    /// What can be done.
    pub reach: Reach,
}

/// What the palette understands beyond actions: it concerns the screen, not the run.
pub const SCREEN_VERBS: [(&str, &str); 4] = [
    ("ascii", "draws plain lines, and line characters again"),
    ("theme", "theme dark, light or mono"),
    ("again", "starts again: same seed, same set-up"),
    ("quit", "leaves, after a short drain"),
];

/// One word that could come next.
struct Word {
    text: String,
    says: String,
    whole: bool,
}

fn word(text: impl Into<String>, says: impl Into<String>) -> Word {
    Word { text: text.into(), says: says.into(), whole: true }
}

fn part(text: impl Into<String>, says: impl Into<String>) -> Word {
    Word { whole: false, ..word(text, says) }
}

/// The lines that could follow `text`, the likeliest first.
pub fn candidates(text: &str, offer: &Offer<'_>) -> Vec<Candidate> {
    let text = text.trim_start();
    let start = text.rfind(' ').map_or(0, |at| at + 1);
    let (before, begun) = text.split_at(start);
    let done: Vec<&str> = before.split_whitespace().collect();
    let words = match done.first() {
        None => verbs(offer.reach),
        Some(verb) => next(verb, &done[1..], offer),
    };
    let begun = begun.to_lowercase();
    let prefix = if done.is_empty() { String::new() } else { format!("{} ", done.join(" ")) };
    let fitting = words.into_iter().filter(|word| word.text.to_lowercase().starts_with(&begun));
    fitting
        .map(|word| Candidate { line: format!("{prefix}{}", word.text), says: word.says, whole: word.whole })
        .collect()
}

fn verbs(reach: Reach) -> Vec<Word> {
    let actions = VERBS.iter().filter(|verb| reach.has(verb.name)).map(|verb| {
        let alone = verb.form == verb.name;
        Word { text: verb.name.to_owned(), says: verb.does.to_owned(), whole: alone }
    });
    let of_use = |name: &str| reach != Reach::Screen || name != "again";
    let screen = SCREEN_VERBS.iter().filter(|(name, _)| of_use(name)).map(|(name, does)| Word {
        text: (*name).to_owned(),
        says: (*does).to_owned(),
        whole: *name != "theme",
    });
    actions.chain(screen).collect()
}

fn next(verb: &str, done: &[&str], offer: &Offer<'_>) -> Vec<Word> {
    match (verb, done) {
        ("kill", [_]) => vec![part("at", "at a gap of the program")],
        ("kill", [_, "at"]) => points(offer),
        ("stall" | "pause" | "hang", [_]) => for_words(),
        ("stall" | "pause" | "hang", [_, "for"]) => spans(),
        ("cut", [_]) => vec![
            word("queue", "claims, renewals and acks wait; work goes on"),
            word("sink", "transactions wait; renewals go on"),
        ],
        ("cut", [_, _]) => for_words(),
        ("cut", [_, _, "for"]) => spans(),
        ("slow", [_]) => ["x2", "x4", "x10"].map(|x| word(x, "times as long")).into(),
        ("slow", [_, _]) => for_words(),
        ("slow", [_, _, "for"]) => spans(),
        ("heal", [who]) => faults_on(who, offer),
        ("kill" | "disarm" | "stall" | "pause" | "hang" | "heal" | "restart" | "slow", []) => who(verb, offer),
        ("cut", []) => who("cut", offer),
        ("lose", []) => vec![
            part("beats", "renewals on their way to the queue"),
            part("acks", "acks on their way to the queue"),
            part("replies", "the sink's answers after its commit"),
        ],
        ("lose", [_]) => ["20%", "50%", "0"].map(|p| word(p, "of them are lost")).into(),
        ("enqueue", []) => ["1", "10", "100"].map(|n| word(n, "jobs at once")).into(),
        ("poison", []) => vec![
            word("fail", "it fails each time and is nacked"),
            word("crash", "it kills its worker each time"),
            word("panic", "its handler panics each time: a failed delivery, no death"),
        ],
        ("redrive", []) => redrive(offer),
        ("speed", []) => ["0.1", "0.5", "1", "2", "4", "10"].map(|x| word(x, "lab seconds in a second")).into(),
        ("theme", []) => ["dark", "light", "mono"].map(|name| word(name, "the screen's colours")).into(),
        (setting, []) => settings(setting, offer),
        _ => Vec::new(),
    }
}

fn for_words() -> Vec<Word> {
    vec![part("for", "for a time; without it, until healed")]
}

fn spans() -> Vec<Word> {
    ["1s", "5s", "10s"].map(|span| word(span, "of lab time")).into()
}

/// The workers, the selected one first.
fn who(verb: &str, offer: &Offer<'_>) -> Vec<Word> {
    let whole = verb != "cut";
    let name = |view: &WorkerView| {
        let (state, _) = crate::tui::view::workers::state(view.state);
        let job = view.delivery.as_ref().map(|d| format!(", job {}", d.job)).unwrap_or_default();
        Word { text: view.worker.to_string(), says: format!("{}{job}", state.to_lowercase()), whole }
    };
    let fit = offer.workers.iter().filter(|view| is_possible(verb, view));
    let (chosen, others): (Vec<_>, Vec<_>) = fit.partition(|view| view.worker == offer.selected);
    let mut words: Vec<Word> = chosen.into_iter().chain(others).map(name).collect();
    if words.is_empty() {
        return words;
    }
    words.push(Word { text: "random".to_owned(), says: "one of the living, by the seed".to_owned(), whole });
    words.push(Word { text: "all".to_owned(), says: "every worker".to_owned(), whole });
    words
}

/// True if something would come of the action on this worker.
fn is_possible(verb: &str, view: &WorkerView) -> bool {
    match verb {
        "restart" => view.state == WorkerState::Dead,
        "disarm" => view.armed.is_some(),
        "heal" => !view.faults.is_empty(),
        _ => !matches!(view.state, WorkerState::Dead | WorkerState::Gone),
    }
}

/// The faults in force on a worker, or on any of them.
fn faults_on(who: &str, offer: &Offer<'_>) -> Vec<Word> {
    let named = |view: &&WorkerView| view.worker.to_string() == who;
    let one = offer.workers.iter().find(named);
    let among = |fault: &&Fault| {
        let has = |view: &WorkerView| view.faults.iter().any(|(what, _)| what == *fault);
        one.map_or_else(|| offer.workers.iter().any(has), has)
    };
    Fault::ALL.iter().filter(among).map(|fault| word(fault.name(), "only this fault")).collect()
}

fn points(offer: &Offer<'_>) -> Vec<Word> {
    let program = offer.policy.program();
    let says = |point| {
        let letter = program.letter(point).map(String::from).unwrap_or_default();
        format!("{letter}  dies {}", standing_at(offer.policy, point))
    };
    program.points().into_iter().map(|point| word(point.name(), says(point))).collect()
}

fn redrive(offer: &Offer<'_>) -> Vec<Word> {
    if offer.dead.is_empty() {
        return Vec::new();
    }
    let mut words = vec![word("all", format!("{} dead letters, each with a fresh budget", offer.dead.len()))];
    words.extend(offer.dead.iter().take(50).map(|job| word(job.to_string(), "back in the queue")));
    words
}

fn settings(name: &str, offer: &Offer<'_>) -> Vec<Word> {
    let Ok(setting) = name.parse::<SettingName>() else { return Vec::new() };
    let values: &[&str] = match setting {
        SettingName::Dedup => return dedups(offer),
        SettingName::Ack => &["before", "after"],
        SettingName::Key => &["job", "attempt", "random"],
        SettingName::Lease => &["1s", "3s", "10s", "30s"],
        SettingName::Renew => &["off", "1/3", "2x"],
        SettingName::Attempts => &["1", "3", "10", "unlimited"],
        SettingName::Order => &["none", "key"],
        SettingName::OnDead => &["skip", "block"],
        SettingName::OnLostLease => &["continue", "abort"],
        SettingName::Fence => &["on", "off"],
        SettingName::Backoff => &["100ms,2,5s", "1s,2,30s"],
    };
    let now = offer.policy.value(setting);
    let says = |value: &str| if value == now { "as it is now".to_owned() } else { format!("now {now}") };
    values.iter().map(|value| word(*value, says(value))).collect()
}

fn dedups(offer: &Offer<'_>) -> Vec<Word> {
    let way = |dedup: Dedup| {
        let with = Policy { dedup, ..offer.policy.clone() };
        word(dedup.to_string(), format!("{}  {}", code(&with.program()), claim(&with)))
    };
    Dedup::ALL.into_iter().map(way).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::parse;
    use crate::board::StepView;

    fn worker(n: u16) -> WorkerView {
        WorkerView {
            worker: Worker(n),
            state: WorkerState::Idle,
            delivery: None,
            step: StepView::Nowhere,
            last_beat: None,
            back: None,
            faults: Vec::new(),
            armed: None,
        }
    }

    fn lines(text: &str) -> Vec<String> {
        let workers = [worker(1), worker(2)];
        let policy = Policy { dedup: Dedup::EffectThenKey, ..Policy::default() };
        let offer =
            Offer { workers: &workers, selected: Worker(2), policy: &policy, dead: vec![31], reach: Reach::All };
        candidates(text, &offer).into_iter().map(|candidate| candidate.line).collect()
    }

    #[test]
    fn only_gaps_that_the_policy_has_are_offered() {
        assert_eq!(
            lines("kill w2 at "),
            [
                "kill w2 at claim",
                "kill w2 at work",
                "kill w2 at check",
                "kill w2 at effect",
                "kill w2 at key",
                "kill w2 at ack"
            ]
        );
        assert_eq!(lines("kill w2 at e"), ["kill w2 at effect"]);
    }

    #[test]
    fn only_workers_that_exist_are_offered_the_selected_one_first() {
        assert_eq!(lines("stall "), ["stall w2", "stall w1", "stall random", "stall all"]);
        assert_eq!(lines("stall w9"), Vec::<String>::new());
    }

    #[test]
    fn only_what_is_possible_now_is_offered() {
        let dead = WorkerView { state: WorkerState::Dead, ..worker(1) };
        let ill = WorkerView { faults: vec![(Fault::Stall, 1.0)], ..worker(2) };
        let (workers, policy) = ([dead, ill, worker(3)], Policy::default());
        let offer = Offer { workers: &workers, selected: Worker(2), policy: &policy, dead: vec![], reach: Reach::All };
        let lines = |text| candidates(text, &offer).into_iter().map(|candidate| candidate.line).collect::<Vec<_>>();
        assert_eq!(lines("restart "), ["restart w1", "restart random", "restart all"]);
        assert_eq!(lines("kill w"), ["kill w2", "kill w3"]);
        assert_eq!(lines("heal w"), ["heal w2"]);
        assert_eq!(lines("heal w2 "), ["heal w2 stall"]);
        assert_eq!(lines("disarm "), Vec::<String>::new());
    }

    #[test]
    fn every_line_that_is_offered_as_whole_is_an_action() {
        let workers = [worker(1), worker(2)];
        let policy = Policy::default();
        let offer =
            Offer { workers: &workers, selected: Worker(2), policy: &policy, dead: vec![31], reach: Reach::All };
        let mut open = vec![String::new()];
        let mut whole = 0;
        while let Some(text) = open.pop() {
            for candidate in candidates(&text, &offer) {
                let first = candidate.line.split(' ').next().unwrap_or_default().to_owned();
                let screen = SCREEN_VERBS.iter().any(|(name, _)| *name == first);
                if candidate.whole && !screen {
                    assert!(parse(&candidate.line).is_ok(), "{}", candidate.line);
                    whole += 1;
                }
                if candidate.line.split(' ').count() < 5 {
                    open.push(format!("{} ", candidate.line));
                }
            }
        }
        assert!(whole > 100, "{whole} whole lines were offered");
    }
}

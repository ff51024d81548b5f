//! From how a run came out to the exit code and its reason.
//!
//! Pure, and the only place where the codes of a run are decided; how it ended matters more than what it found: a run
//! whose disk failed has proved nothing, and a broken promise stays broken however the run ended.

use super::account::Account;
use crate::board::Word;
use crate::event::Finish;

/// An exit code and why it is that one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The exit code.
    pub code: u8,
    /// Why, in words that follow `exit N`.
    pub reason: String,
}

impl Outcome {
    /// The exit code `code`, for this reason.
    pub fn new(code: u8, reason: impl Into<String>) -> Outcome {
        Outcome { code, reason: reason.into() }
    }

    /// The exit code of a run that a signal ended.
    pub fn signalled(signal: Signal) -> Outcome {
        Outcome::new(signal.code(), format!("ended by {}", signal.name()))
    }
}

/// A signal that ends a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The terminal is gone.
    HangUp,
    /// Ctrl-c.
    Interrupt,
    /// A polite request to end.
    Terminate,
}

impl Signal {
    /// 128 and the signal's number.
    pub fn code(self) -> u8 {
        match self {
            Signal::HangUp => 129,
            Signal::Interrupt => 130,
            Signal::Terminate => 143,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Signal::HangUp => "a hang-up",
            Signal::Interrupt => "an interrupt",
            Signal::Terminate => "SIGTERM",
        }
    }
}

/// Judges a run.
pub fn judge(account: &Account) -> Outcome {
    failed(account)
        .or_else(|| untrue(account))
        .or_else(|| broken(account))
        .or_else(|| inconclusive(account))
        .unwrap_or_else(|| Outcome::new(0, held(account)))
}

/// What is wrong with a run that was watched on the screen, where a broken promise is no failure: it failed itself, or
/// its figures cannot be trusted.
pub fn spoilt(account: &Account) -> Option<Outcome> {
    match account.finish {
        None => None,
        Some(_) => failed(account).or_else(|| untrue(account)),
    }
}

/// Files, locks or the disk failed the run, so that its figures prove nothing.
fn failed(account: &Account) -> Option<Outcome> {
    match &account.finish {
        Some(Finish::Failed(why)) => Some(Outcome::new(4, format!("the run failed: {why}"))),
        None => Some(Outcome::new(4, "the run never came to its end")),
        Some(Finish::Drained | Finish::Stuck | Finish::Quit | Finish::Violated) => None,
    }
}

/// An invariant or the witnesses' agreement was broken.
fn untrue(account: &Account) -> Option<Outcome> {
    if let Some(violation) = account.violations.first() {
        return Some(Outcome::new(1, format!("an invariant did not hold: {violation}")));
    }
    if account.finish == Some(Finish::Violated) {
        return Some(Outcome::new(1, "an invariant did not hold"));
    }
    match account.counts {
        None => Some(Outcome::new(4, "SQL could not count the rows, so that there is one witness only")),
        Some(_) if !account.agree => Some(Outcome::new(1, "board and SQL disagree")),
        Some(_) => None,
    }
}

/// The promise was broken.
fn broken(account: &Account) -> Option<Outcome> {
    (account.verdict.word == Word::Broken).then(|| Outcome::new(1, "the promise is broken"))
}

/// The run did not come to a proper end, or its faults did not strike.
fn inconclusive(account: &Account) -> Option<Outcome> {
    match &account.finish {
        Some(Finish::Stuck) => {
            let why = account.stuck.as_deref().unwrap_or("nothing could move what is unsettled");
            return Some(Outcome::new(3, format!("inconclusive: stuck, {why}")));
        }
        Some(Finish::Quit) => return Some(Outcome::new(3, "inconclusive: cut short")),
        _ => {}
    }
    let missed = account.lists().find(|(_, _, (struck, had_to))| struck < had_to);
    missed.map(|(strike, crash, (struck, had_to))| {
        let flag = if crash { "crash" } else { "fail" };
        Outcome::new(3, format!("inconclusive: --{flag} {} struck {struck} of {had_to} jobs", whom(strike)))
    })
}

/// A strike in few words, however many jobs it lists.
fn whom(strike: &crate::setup::Strike) -> String {
    match &strike.whom {
        crate::setup::Whom::Ids(_) => format!("ids@{}", strike.at),
        _ => strike.to_string(),
    }
}

fn held(account: &Account) -> &'static str {
    match account.verdict.word {
        Word::Unknown => "nothing was put to the test",
        _ => "the promise was kept",
    }
}

#[cfg(test)]
mod tests {
    use super::super::account::examples::{one_transaction, two_writes};
    use super::*;

    fn code_of(change: impl FnOnce(&mut Account)) -> (u8, String) {
        let mut account = one_transaction();
        change(&mut account);
        let outcome = judge(&account);
        (outcome.code, outcome.reason)
    }

    #[test]
    fn a_kept_promise_and_a_run_without_a_test_exit_0() {
        assert_eq!(code_of(|_| {}), (0, "the promise was kept".to_owned()));
        let untested = code_of(|account| account.verdict.word = Word::Unknown);
        assert_eq!(untested, (0, "nothing was put to the test".to_owned()));
    }

    #[test]
    fn a_broken_promise_exits_1_even_when_the_run_was_cut_short() {
        assert_eq!(judge(&two_writes()), Outcome::new(1, "the promise is broken"));
        for finish in [Finish::Quit, Finish::Stuck] {
            assert_eq!(judge(&Account { finish: Some(finish), ..two_writes() }).code, 1);
        }
    }

    #[test]
    fn a_violated_invariant_and_witnesses_that_disagree_exit_1() {
        let (code, reason) = code_of(|account| account.violations.push("I2: 3 effects of 4".to_owned()));
        assert_eq!((code, reason.as_str()), (1, "an invariant did not hold: I2: 3 effects of 4"));
        assert_eq!(code_of(|account| account.finish = Some(Finish::Violated)).0, 1);
        assert_eq!(code_of(|account| account.agree = false), (1, "board and SQL disagree".to_owned()));
    }

    #[test]
    fn a_run_that_could_not_drain_is_inconclusive() {
        assert_eq!(code_of(|account| account.finish = Some(Finish::Quit)).0, 3);
        let (code, reason) = code_of(|account| {
            account.finish = Some(Finish::Stuck);
            account.stuck = Some("w1 hangs in job 3".to_owned());
        });
        assert_eq!((code, reason.as_str()), (3, "inconclusive: stuck, w1 hangs in job 3"));
    }

    #[test]
    fn a_list_that_did_not_strike_all_its_jobs_is_inconclusive() {
        let (code, reason) = code_of(|account| account.struck = vec![(397, 398)]);
        assert_eq!((code, reason.as_str()), (3, "inconclusive: --crash page@effect struck 397 of 398 jobs"));
        let (code, reason) = code_of(|account| {
            account.setup.fail.push("2%@work".parse().expect("a strike"));
            account.setup.fail.push("ids:1,2@work".parse().expect("a strike"));
            account.struck = vec![(398, 398), (1, 2)];
        });
        assert_eq!((code, reason.as_str()), (3, "inconclusive: --fail ids@work struck 1 of 2 jobs"));
    }

    #[test]
    fn a_failed_disk_exits_4_whatever_else_was_found() {
        let failed = Account { finish: Some(Finish::Failed("disk full".into())), ..two_writes() };
        assert_eq!(judge(&failed), Outcome::new(4, "the run failed: disk full"));
        assert_eq!(code_of(|account| account.counts = None).0, 4);
        assert_eq!(code_of(|account| account.finish = None).0, 4);
    }

    #[test]
    fn leaving_the_screen_is_a_failure_only_if_the_run_failed_or_cannot_be_trusted() {
        assert_eq!(spoilt(&two_writes()), None, "a broken promise was broken on purpose");
        assert_eq!(spoilt(&Account { finish: None, counts: None, ..two_writes() }), None);
        let cut_short = Account { finish: Some(Finish::Quit), ..two_writes() };
        assert_eq!(spoilt(&cut_short), None);
        assert_eq!(spoilt(&Account { agree: false, ..cut_short.clone() }).map(|outcome| outcome.code), Some(1));
        let failed = Account { finish: Some(Finish::Failed("disk full".into())), ..cut_short };
        assert_eq!(spoilt(&failed).map(|outcome| outcome.code), Some(4));
    }

    #[test]
    fn a_signal_has_the_code_of_its_number() {
        assert_eq!([Signal::HangUp, Signal::Interrupt, Signal::Terminate].map(Signal::code), [129, 130, 143]);
    }
}

//! Tells events line by line, for who has no screen: when, what, and to whom, in the words of the screen's log.
//!
//! Nothing is left out, so that the lines are the whole run. All words that come from outside are cleaned.

use crate::event::{Event, What};
use crate::ids::Job;
use crate::policy::{Policy, Program, Setting};
use crate::text::clean;
use crate::tui::words::event::{Context, tell};

/// Tells the events of one run in their order.
#[derive(Debug)]
pub struct Narrator {
    /// For each job by its number, whether it has an effect.
    applied: Vec<bool>,
    policy: Policy,
    program: Program,
}

impl Narrator {
    /// A narrator of a run that has not begun.
    pub fn new() -> Narrator {
        let policy = Policy::default();
        Narrator { applied: Vec::new(), program: policy.program(), policy }
    }

    /// The next event as a line without its end.
    pub fn line(&mut self, event: &Event) -> String {
        let again = self.notice(&event.what);
        let told = tell(event, Context { program: &self.program, again });
        let line = format!("{:>9.2} {:<7} {}", event.at.seconds(), told.verb, told.words);
        clean(line.trim_end()).into_owned()
    }

    /// Follows the policy and the effects; true for an effect of a job that had one.
    fn notice(&mut self, what: &What) -> bool {
        match what {
            What::Effect { j, .. } => return self.apply(*j),
            What::Started { setup, .. } => self.policy = setup.policy.clone(),
            What::Policy { what, to, .. } => {
                if let Ok(setting) = Setting::parse(*what, to) {
                    self.policy.set(setting);
                }
            }
            _ => return false,
        }
        self.program = self.policy.program();
        false
    }

    /// Notes an effect of a job; true when it had one.
    fn apply(&mut self, job: Job) -> bool {
        let index = usize::try_from(job.0).expect("a job's number fits in memory");
        if self.applied.len() <= index {
            self.applied.resize(index + 1, false);
        }
        std::mem::replace(&mut self.applied[index], true)
    }
}

impl Default for Narrator {
    fn default() -> Narrator {
        Narrator::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{By, End, Spot};
    use crate::ids::{Row, Token, Worker};
    use crate::policy::{Point, SettingName};
    use crate::time::{Instant, Span};

    fn told(whats: Vec<What>) -> Vec<String> {
        let mut narrator = Narrator::new();
        whats.into_iter().map(|what| narrator.line(&Event { at: Instant(38_901_000_000), what })).collect()
    }

    const W2: Worker = Worker(2);

    #[test]
    fn a_delivery_that_dies_after_its_effect_is_told_step_by_step() {
        let (j, k) = (Job(43), Token(46));
        let (deadline, lease, work) = (Instant(41_901_000_000), Span::seconds(3), Span::seconds(2));
        let lines = told(vec![
            What::Claimed { w: W2, j, n: 1, k, deadline, lease, work },
            What::Effect { w: W2, j, k, row: Row(42) },
            What::Ended { w: W2, j, k, how: End::Crashed(Spot::After(Point::Effect)), by: Some(By::List) },
            What::Expired { w: W2, j, k },
            What::Effect { w: Worker(4), j, k: Token(52), row: Row(47) },
        ]);
        let verbs: Vec<&str> = lines.iter().map(|line| line[10..17].trim()).collect();
        assert_eq!(verbs, ["claim", "effect", "crash", "expire", "effect"]);
        assert!(lines.iter().all(|line| line.starts_with("    38.90 ")), "{lines:#?}");
        assert!(lines.iter().all(|line| line.contains("job 43")), "{lines:#?}");
        assert!(!lines[1].contains("SECOND") && lines[4].contains("SECOND"), "{lines:#?}");
    }

    #[test]
    fn points_have_the_letters_of_the_policy_in_force() {
        let armed = || What::Armed { w: W2, point: Point::Effect };
        let switch = What::Policy { what: SettingName::Dedup, from: "transactional".into(), to: "none".into() };
        let lines = told(vec![armed(), switch, armed()]);
        assert!(lines[0].contains("(d)") && lines[2].contains("(c)"), "{lines:#?}");
    }

    #[test]
    fn foreign_words_stay_on_one_line_and_cannot_act_on_the_terminal() {
        let nasty = "card\u{1b}]52;c;x\u{7} declined\u{202e}\nnext";
        let lines = told(vec![
            What::Marked { text: nasty.into() },
            What::Nacked { w: W2, j: Job(1), k: Token(1), until: None, words: nasty.into() },
            What::Stuck { why: nasty.into() },
        ]);
        assert!(lines.iter().all(|line| line.contains("card]52;c;x declined next")), "{lines:?}");
        assert!(lines.iter().all(|line| line.is_ascii() && line.chars().all(|c| !c.is_control())), "{lines:?}");
    }
}

//! What the bar tells of a recording as a whole: its length, what was marked and done in it, and what went wrong.

use crate::action::{self, Action, Link};
use crate::board::{Anomaly, AnomalyKind};
use crate::event::{By, What};
use crate::recording::{Place, Player};
use crate::time::{Instant, Span};

/// A death this soon after a kill by hand is told by the kill.
const AT_ONCE: Span = Span::millis(50);

/// What is known of a recording before it is played.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    /// What was run, as the title row calls it: `sandbox`, or a lab.
    pub name: String,
    /// What was run, as the bar calls it: `sandbox, seed 249`.
    pub title: String,
    /// How many events there are.
    pub events: usize,
    /// When the last of them was.
    pub ends: Instant,
    /// True when the recording ends where its writer was cut off.
    pub cut_off: bool,
    /// True when a lab was run, which says something as it goes on.
    pub narrates: bool,
    /// Where to stop, in order.
    pub stops: Vec<Stop>,
    /// What went wrong, in order.
    pub anomalies: Vec<Anomaly>,
}

/// Something that was marked or done, or a death.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The number of events with this one.
    pub events: usize,
    /// When.
    pub at: Instant,
    /// Its letter: the key that did it.
    pub letter: char,
    /// A few words.
    pub text: String,
}

impl About {
    /// What a player's recording is about, under these names.
    pub fn of(player: &Player, name: String, title: String) -> About {
        About {
            name,
            title,
            events: player.len(),
            ends: player.ends(),
            cut_off: player.torn(),
            narrates: player.header().lab.is_some(),
            stops: stops(player.places()),
            anomalies: player.anomalies().iter().copied().collect(),
        }
    }

    /// How many stops are among the first `events`.
    pub fn stops_until(&self, events: usize) -> usize {
        self.stops.partition_point(|stop| stop.events <= events)
    }

    /// How many anomalies are among the first `events`.
    pub fn anomalies_until(&self, events: usize) -> usize {
        self.anomalies.partition_point(|anomaly| shown_with(anomaly) <= events)
    }
}

/// The number of events with an anomaly's own.
pub fn shown_with(anomaly: &Anomaly) -> usize {
    usize::try_from(anomaly.seq).unwrap_or(usize::MAX).saturating_add(1)
}

/// The letter of an anomaly on a lane and on the bar.
pub fn letter_of(kind: AnomalyKind) -> char {
    match kind {
        AnomalyKind::Twice => '#',
        AnomalyKind::Lost => 'L',
        AnomalyKind::Stale => 'S',
        AnomalyKind::Fenced => 'F',
    }
}

/// What can be stopped at among the places of a recording.
pub(super) fn stops(places: &[Place]) -> Vec<Stop> {
    let mut stops: Vec<Stop> = Vec::new();
    let mut killed: Option<(String, Instant)> = None;
    for place in places {
        let told = match &place.what {
            What::Marked { text } => Some(('m', text.to_string())),
            What::Action { refused: true, .. } => None,
            What::Action { text, .. } => {
                let done = action::parse(text).ok();
                if let Some(Action::Kill(who, None)) = &done {
                    killed = Some((who.to_string(), place.at));
                }
                deed(text, done)
            }
            What::Died { w, by, .. } => {
                let by_hand = matches!(by, By::Operator | By::Lab);
                let told = killed
                    .as_ref()
                    .is_some_and(|(who, at)| (who == "all" || *who == w.to_string()) && place.at.since(*at) <= AT_ONCE);
                (!(by_hand && told)).then(|| ('X', format!("X {w} died")))
            }
            _ => None,
        };
        if let Some((letter, text)) = told {
            stops.push(Stop { events: place.events, at: place.at, letter, text });
        }
    }
    stops
}

/// The letter and the words of what somebody did; `None` for what only concerned time, and for marks, which have an
/// event of their own.
fn deed(text: &str, done: Option<Action>) -> Option<(char, String)> {
    let Some(done) = done else { return Some(('*', text.to_owned())) };
    if !done.interferes() && !matches!(done, Action::Answer(..)) {
        return None;
    }
    let letter = letter(&done);
    // A key's letter stands for the verb, as it does above the lanes.
    let rest = text.split_once(' ').map_or("", |(_, rest)| rest);
    Some((letter, if is_fault(&done) { format!("{letter} {rest}") } else { text.to_owned() }))
}

fn is_fault(action: &Action) -> bool {
    use Action::{Cut, Hang, Heal, Kill, Pause, Restart, Slow, Stall};
    matches!(action, Kill(..) | Stall(..) | Pause(..) | Hang(..) | Cut(..) | Slow(..) | Heal(..) | Restart(..))
}

/// The key of an action.
fn letter(action: &Action) -> char {
    use crate::policy::Setting;
    match action {
        Action::Kill(_, None) => 'x',
        Action::Kill(..) | Action::Disarm(_) => 'X',
        Action::Stall(..) => 's',
        Action::Pause(..) => 'z',
        Action::Hang(..) => 'h',
        Action::Cut(_, Link::Queue, _) => 'p',
        Action::Cut(_, Link::Sink, _) => 'P',
        Action::Slow(..) => 'l',
        Action::Heal(..) => 'u',
        Action::Restart(_) => 'r',
        Action::Enqueue(_) => 'e',
        Action::Poison(_) => 'b',
        Action::Redrive(_) => 'R',
        Action::Set(Setting::Dedup(_)) => 'd',
        Action::Set(Setting::Ack(_)) => 'a',
        Action::Set(_) => 'c',
        Action::Mark(_) => 'm',
        Action::Answer(..) => '=',
        Action::Lose(..) | Action::Stop | Action::Go | Action::Step | Action::Speed(_) | Action::Jump => '*',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Worker;

    fn second(s: u64) -> Instant {
        Instant::START + Span::seconds(s)
    }

    fn did(events: usize, s: u64, text: &str) -> Place {
        let what = What::Action { text: text.into(), by: By::Operator, came: "".into(), refused: false };
        Place { events, at: second(s), what }
    }

    fn died(events: usize, s: u64, w: u16, by: By) -> Place {
        Place { events, at: second(s), what: What::Died { w: Worker(w), generation: 1, by, back: None } }
    }

    #[test]
    fn deeds_marks_and_deaths_are_stops_and_what_concerns_time_is_none() {
        let places = [
            did(1, 1, "stop"),
            did(2, 2, "kill w4"),
            died(3, 2, 4, By::Operator),
            did(4, 5, "kill w2 at effect"),
            died(5, 7, 2, By::Operator),
            did(6, 8, "dedup transactional"),
            did(7, 9, "mark here"),
            Place { events: 8, at: second(9), what: What::Marked { text: "here".into() } },
            died(9, 10, 1, By::Rate),
        ];
        let told: Vec<(usize, char, String)> =
            stops(&places).into_iter().map(|stop| (stop.events, stop.letter, stop.text)).collect();
        let wanted = [
            (2, 'x', "x w4"),
            (4, 'X', "X w2 at effect"),
            (5, 'X', "X w2 died"),
            (6, 'd', "dedup transactional"),
            (8, 'm', "here"),
            (9, 'X', "X w1 died"),
        ];
        assert_eq!(told, wanted.map(|(events, letter, text)| (events, letter, text.to_owned())));
    }

    #[test]
    fn what_was_refused_did_nothing() {
        let what = What::Action { text: "kill w9".into(), by: By::Operator, came: "no w9".into(), refused: true };
        assert_eq!(stops(&[Place { events: 1, at: second(1), what }]), []);
    }
}

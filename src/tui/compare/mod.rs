//! Two policies side by side, on one stream, under the same faults: the same deliveries, and what comes of them.
//!
//! Whatever is done is done to both sides; only the policies cannot be changed, since they are what is compared. Worker,
//! timeline, palette and choosers are those of the sandbox ([`App`], the desk here), asked of the side that is looked
//! at; this adds the sides, the jobs whose fate differs, and one job on both sides.

mod difference;
mod frame;
mod layout;
mod side;
mod stories;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use self::difference::Difference;
use self::layout::Places;
use self::stories::Opened;
use super::app::{App, Layer, answer_since, failure, workers_of};
use super::keys::{self, Command, Context, Direction, Key, Stroke};
use super::panel::Panel;
use super::theme::Look;
use super::timeline::{Extent, TimelineState};
use super::view::help::{Help, Subject};
use super::watch::{Effect, Moment, View};
use crate::action::Action;
use crate::board::Board;
use crate::ids::Job;
use crate::time::Instant;

/// What is said to whoever would change a policy.
const REFUSED: &str = "the policies are what is compared; all else hits both sides";

/// The keys that mean something here, those of the comparison first.
const CONTEXTS: [Context; 3] = [Context::Compare, Context::Screen, Context::Run];

/// What the operator looks at in a comparison.
pub struct Compare {
    /// Worker, timeline, palette, choosers and the bottom line.
    desk: App,
    /// The side that is looked at.
    side: usize,
    /// The job that was gone to, among those that differ.
    job: Option<Job>,
    /// The job that is looked at on both sides.
    opened: Option<Opened>,
    /// How many events of each side were taken in.
    seen: [u64; 2],
    /// True once the length of a cell was chosen for the lease.
    fitted: bool,
}

/// Everything a frame of a comparison is drawn from.
struct Sight<'a> {
    compare: &'a Compare,
    sides: [Moment<'a>; 2],
    now: Instant,
    /// How much time both timelines have room for.
    extent: Extent,
    places: &'a Places,
}

impl Compare {
    /// A view of a comparison that starts.
    pub fn new(look: Look) -> Compare {
        let mut desk = App::new(look, Rect::ZERO);
        desk.focus = Panel::Timeline;
        Compare { desk, side: 0, job: None, opened: None, seen: [0; 2], fitted: false }
    }

    /// The place of the chosen job among those that differ: the one gone to, else the last.
    fn chosen(&self, all: &[Difference]) -> Option<usize> {
        let gone_to = self.job.and_then(|job| all.iter().position(|found| found.job == job));
        gone_to.or(all.len().checked_sub(1))
    }

    /// Takes in what has happened: a run that was taken back, the words for what came of actions, a failure.
    fn absorb(&mut self, sides: [Moment<'_>; 2]) {
        let boards = sides.map(|side| side.board);
        if boards.iter().zip(self.seen).any(|(board, seen)| board.seq() < seen) {
            self.desk.taken_back(sides[0]);
            let arrived = boards[0].counters().enqueued;
            self.opened = self.opened.filter(|opened| u64::from(opened.job.0) < arrived);
        }
        let said = [0, 1].map(|side| answer_since(boards[side], self.seen[side]));
        self.seen = boards.map(Board::seq);
        if let Some(words) = in_one(said) {
            self.desk.message = Some(words);
        } else if self.desk.message.is_none() {
            self.desk.message = boards.into_iter().find_map(failure);
        }
        if let (Some(setup), false) = (boards[0].setup(), self.fitted) {
            self.desk.timeline = TimelineState::fitting(setup.policy.lease);
            self.fitted = true;
        }
    }

    /// What a key does here that it does not do in the sandbox; `None` for all others.
    fn own(&mut self, command: Command, sides: [Moment<'_>; 2]) -> Option<Vec<Effect>> {
        match command {
            Command::NextPanel | Command::PreviousPanel => self.side = 1 - self.side,
            Command::NextAnomaly | Command::PreviousAnomaly => self.go_to(command == Command::NextAnomaly, sides),
            Command::In | Command::Explain => self.open(sides),
            Command::Out => self.out(),
            Command::Move(direction) => return self.scroll(direction, sides),
            Command::Dedup | Command::Ack | Command::Change => self.say(REFUSED),
            Command::Truth => self.say("a comparison is the truth of both sides; the sandbox can hide it"),
            Command::Filter => self.say("nothing to filter here; n and N go through the jobs that differ"),
            Command::Help => self.desk.layer = Some(Layer::Help(Help::about(Subject::Compare))),
            Command::Focus(_) => {}
            _ => return None,
        }
        Some(Vec::new())
    }

    fn say(&mut self, words: &str) {
        self.desk.message = Some(words.to_owned());
    }

    /// The next or previous job whose fate differs, around the end; both timelines go to where it came to harm.
    fn go_to(&mut self, forward: bool, sides: [Moment<'_>; 2]) {
        let boards = sides.map(|side| side.board);
        let all = difference::differences(boards[0], boards[1]);
        if all.is_empty() {
            return self.say("no job differs so far");
        }
        let last = all.len() - 1;
        let next = match (self.job.and(self.chosen(&all)), forward) {
            (None, _) => last,
            (Some(here), true) => {
                if here == last {
                    0
                } else {
                    here + 1
                }
            }
            (Some(here), false) => here.checked_sub(1).unwrap_or(last),
        };
        let job = all[next].job;
        self.job = Some(job);
        self.desk.look.selected = Some(job);
        if let Some(opened) = &mut self.opened {
            *opened = Opened { job, scroll: 0 };
        }
        let found = boards.iter().flat_map(|board| board.anomalies()).filter(|anomaly| anomaly.job == job);
        if let Some(anomaly) = found.min_by_key(|anomaly| anomaly.at).copied() {
            self.desk.worker = anomaly.worker.index();
            self.desk.look_at(anomaly.at, None, sides[self.side]);
        }
    }

    /// One job on both sides: the one that was gone to, else the one in the hands of the selected worker.
    fn open(&mut self, sides: [Moment<'_>; 2]) {
        if self.opened.take().is_some() {
            return;
        }
        let all = difference::differences(sides[0].board, sides[1].board);
        let differs = self.chosen(&all).map(|chosen| all[chosen].job);
        let in_hand = || self.desk.selected_job(sides[self.side]);
        match differs.filter(|_| self.job.is_some()).or_else(in_hand).or(differs) {
            Some(job) => {
                self.opened = Some(Opened { job, scroll: 0 });
                self.desk.look.selected = Some(job);
            }
            None => self.say("no job here to explain; select a worker at work"),
        }
    }

    /// One layer out: the job, then the choice.
    fn out(&mut self) {
        if self.opened.take().is_none() {
            self.job = None;
            self.desk.look.selected = None;
        }
    }

    /// Scrolls the stories while they are open.
    fn scroll(&mut self, direction: Direction, sides: [Moment<'_>; 2]) -> Option<Vec<Effect>> {
        let opened = self.opened.as_mut()?;
        let width = usize::from(self.desk.width() / 2).saturating_sub(3).max(1);
        let last = stories::length(sides.map(|side| side.board), opened.job, width).saturating_sub(1);
        let step: isize = match direction {
            Direction::Up => -1,
            Direction::Down => 1,
            Direction::PageUp => -10,
            Direction::PageDown => 10,
            Direction::Home => isize::MIN,
            Direction::End => isize::MAX,
            Direction::Left | Direction::Right => return None,
        };
        opened.scroll = opened.scroll.saturating_add_signed(step).min(last);
        Some(Vec::new())
    }

    /// An action that would change a policy is refused, wherever it comes from.
    fn allow(&mut self, effects: Vec<Effect>) -> Vec<Effect> {
        let sets = |effect: &Effect| matches!(effect, Effect::Act(Action::Set(_)));
        if effects.iter().any(sets) {
            self.say(REFUSED);
        }
        effects.into_iter().filter(|effect| !sets(effect)).collect()
    }
}

#[cfg(test)]
impl Compare {
    /// The job that was gone to.
    pub fn chosen_job(&self) -> Option<Job> {
        self.job
    }
}

/// The jobs whose fate differs.
#[cfg(test)]
pub fn differing(a: &Board, b: &Board) -> Vec<Job> {
    difference::differences(a, b).iter().map(|found| found.job).collect()
}

/// What both sides answer: once if they say the same.
fn in_one(said: [Option<String>; 2]) -> Option<String> {
    match said {
        [Some(a), Some(b)] if a != b => Some(format!("A: {a}   B: {b}")),
        [a, b] => a.or(b),
    }
}

/// The two sides, if there are two.
fn both<'a>(sides: &[Moment<'a>]) -> Option<[Moment<'a>; 2]> {
    sides.first_chunk::<2>().copied()
}

impl View for Compare {
    fn press(&mut self, key: Key, stroke: Stroke, sides: &[Moment<'_>]) -> Vec<Effect> {
        let Some(sides) = both(sides) else { return Vec::new() };
        let command = keys::command(key, &CONTEXTS).filter(|command| stroke == Stroke::Press || command.moves());
        if let (None, Some(command)) = (&self.desk.layer, command) {
            if stroke == Stroke::Press {
                self.desk.message = None;
            }
            if let Some(effects) = self.own(command, sides) {
                return effects;
            }
        }
        let closed = self.desk.layer.is_none();
        let effects = self.desk.press(key, stroke, sides[self.side]);
        if let (true, Some(Layer::Chooser(chooser))) = (closed, &mut self.desk.layer) {
            chooser.title.push_str(", on both sides");
        }
        self.allow(effects)
    }

    fn paste(&mut self, text: &str) {
        self.desk.paste(text);
    }

    fn strikes(&self, key: Key) -> bool {
        View::strikes(&self.desk, key)
    }

    fn draw(&mut self, buffer: &mut Buffer, sides: &[Moment<'_>]) -> Option<Position> {
        let sides = both(sides)?;
        self.desk.resize(buffer.area);
        self.absorb(sides);
        let boards = sides.map(|side| side.board);
        let workers = boards.map(workers_of).into_iter().max().unwrap_or(0);
        if workers > 0 {
            self.desk.worker = self.desk.worker.min(workers - 1);
        }
        let places = Places::of(buffer.area, workers, self.side);
        self.desk.extent = places.map(|places| side::extent(&places.sides, boards, sides[0].now));
        frame::draw(buffer, self, sides)
    }

    fn step_back(&mut self, sides: &[Moment<'_>]) {
        if let Some(sides) = both(sides) {
            self.desk.step_back(sides[self.side]);
        }
    }

    fn message(&mut self) -> &mut Option<String> {
        &mut self.desk.message
    }

    fn leave(&mut self) {
        self.desk.leave();
    }

    fn start_over(&mut self) {
        let (side, mut fresh) = (self.side, Compare::new(self.desk.look));
        self.desk.start_over();
        std::mem::swap(&mut fresh.desk, &mut self.desk);
        *self = Compare { side, ..fresh };
    }
}

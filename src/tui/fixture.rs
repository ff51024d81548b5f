//! A run for the tests of the screen: a small model of the sandbox that writes the events of four workers, and what
//! an operator did to them. Its figures come from its own rules, so a screen's figures can be checked against sums.

use std::collections::{BTreeMap, VecDeque};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::Showing;
use super::app::App;
use super::glyphs::Glyphs;
use super::screen;
use super::theme::{Look, Theme};
use super::watch::Moment;
use crate::board::Board;
use crate::event::{By, End, Event, Reason, Spot, What};
use crate::ids::{Job, OrderKey, Row, Token, Worker};
use crate::policy::{Dedup, Point};
use crate::request::RowCounts;
use crate::setup::Setup;
use crate::time::{Instant, Span};

/// The model's clock moves by this.
const TICK: Span = Span::millis(10);

/// A delivery in a worker's hands.
struct Hand {
    job: Job,
    token: Token,
    done: Instant,
    beat: Instant,
    deadline: Instant,
    attempt: u32,
}

/// A worker's slot.
#[derive(Default)]
struct Slot {
    hand: Option<Hand>,
    back: Option<Instant>,
    armed: bool,
    generation: u32,
}

/// What the operator does.
#[derive(Clone, Copy)]
pub enum Deed {
    /// Kills a worker in its work.
    Kill(u16),
    /// Arms a worker at the gap after the effect.
    Arm(u16),
}

/// The run under way.
pub struct Model {
    /// The fold of what it wrote.
    pub board: Board,
    /// What it wrote.
    pub events: Vec<Event>,
    now: Instant,
    tokens: u64,
    rows: i64,
    jobs: u32,
    ready: VecDeque<(Instant, Job)>,
    orphans: Vec<(Instant, Worker, Job, Token)>,
    keys: Vec<Job>,
    tries: BTreeMap<Job, u32>,
    slots: Vec<Slot>,
    deeds: VecDeque<(Instant, Deed)>,
    dedup: Dedup,
}

pub fn seconds(s: f64) -> Instant {
    Instant::START + Span::from_seconds(s)
}

impl Model {
    /// The sandbox under effect-then-key, with what the operator does and when.
    pub fn new(workers: u16, deeds: &[(f64, Deed)]) -> Model {
        Model::under(Dedup::EffectThenKey, workers, deeds)
    }

    /// The sandbox under effect-then-key or transactional, with what the operator does and when.
    pub fn under(dedup: Dedup, workers: u16, deeds: &[(f64, Deed)]) -> Model {
        let mut setup = Setup::sandbox(249);
        setup.policy.dedup = dedup;
        setup.workers = workers;
        let mut model = Model {
            board: Board::new(),
            events: Vec::new(),
            now: Instant::START,
            tokens: 0,
            rows: 0,
            jobs: 0,
            ready: VecDeque::new(),
            orphans: Vec::new(),
            keys: Vec::new(),
            tries: BTreeMap::new(),
            slots: (0..workers).map(|_| Slot { generation: 1, ..Slot::default() }).collect(),
            dedup,
            deeds: deeds.iter().map(|(at, deed)| (seconds(*at), *deed)).collect(),
        };
        model.tell(What::Started { setup: Box::new(setup), run: 1 });
        for w in 1..=workers {
            model.tell(What::Spawned { w: Worker(w), generation: 1 });
        }
        model
    }

    /// The run of the sandbox pictures: w4 killed at 18.20, w2 armed at 37.00.
    pub fn sandbox(until: f64) -> Model {
        let mut model = Model::new(4, &[(18.2, Deed::Kill(4)), (37.0, Deed::Arm(2))]);
        model.run(until);
        model
    }

    /// Both sides of a comparison: the run of the sandbox pictures under two policies.
    pub fn compared(until: f64) -> [Model; 2] {
        Model::compared_with(&[(18.2, Deed::Kill(4)), (37.0, Deed::Arm(2))], until)
    }

    /// Both sides of a comparison, with what the operator does on both.
    pub fn compared_with(deeds: &[(f64, Deed)], until: f64) -> [Model; 2] {
        [Dedup::EffectThenKey, Dedup::Transactional].map(|dedup| {
            let mut model = Model::under(dedup, 4, deeds);
            model.run(until);
            model
        })
    }

    /// Records any event.
    pub fn tell(&mut self, what: What) {
        let event = Event { at: self.now, what };
        self.board.fold(&event);
        self.events.push(event);
    }

    /// What the operator did, with what came of it.
    pub fn acted(&mut self, text: &str, came: &str) {
        self.tell(What::Action { text: text.into(), by: By::Operator, came: came.into(), refused: false });
    }

    /// This many jobs arrive at once.
    pub fn flood(&mut self, n: u32) {
        for j in (self.jobs..self.jobs + n).map(Job) {
            self.tell(What::Enqueued { j, key: OrderKey(0), due: self.now, poison: None });
        }
        self.jobs += n;
    }

    /// The moment.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// What the screen is given of it.
    pub fn moment(&self) -> Moment<'_> {
        Moment { board: &self.board, now: self.now, showing: Showing::live(&self.board) }
    }

    /// Goes on until this many seconds after the start.
    pub fn run(&mut self, until: f64) {
        while self.now < seconds(until) {
            self.now += TICK;
            self.arrive();
            self.do_deeds();
            self.expire();
            for place in 0..self.slots.len() {
                self.work(Worker::at(place));
            }
            if self.now.0.is_multiple_of(1_000_000_000) {
                self.audit();
            }
        }
    }

    fn audit(&mut self) {
        let c = self.board.counters();
        let counts = RowCounts { row: Row(self.rows), rows: c.effects, jobs: c.effects - c.extra_effects };
        self.tell(What::Audited { counts });
    }

    fn arrive(&mut self) {
        while self.now.seconds() * 1.2 >= f64::from(self.jobs) {
            let j = Job(self.jobs);
            self.jobs += 1;
            self.tell(What::Enqueued { j, key: OrderKey(j.0 % 8), due: self.now, poison: None });
            self.ready.push_back((self.now, j));
        }
    }

    fn do_deeds(&mut self) {
        while self.deeds.front().is_some_and(|(at, _)| *at <= self.now) {
            match self.deeds.pop_front() {
                Some((_, Deed::Kill(w))) => {
                    self.acted(&format!("kill w{w}"), &format!("w{w} is dead; back in 5.0 s"));
                    self.die(Worker(w), Spot::In(Point::Work));
                }
                Some((_, Deed::Arm(w))) => {
                    self.acted(&format!("kill w{w} at effect"), &format!("w{w} will die after effect (d)"));
                    self.slots[Worker(w).index()].armed = true;
                    self.tell(What::Armed { w: Worker(w), point: Point::Effect });
                }
                None => {}
            }
        }
    }

    fn die(&mut self, w: Worker, spot: Spot) {
        let back = self.now + Span::seconds(5);
        let slot = &mut self.slots[w.index()];
        slot.back = Some(back);
        slot.armed = false;
        let generation = slot.generation;
        if let Some(hand) = slot.hand.take() {
            let (j, k) = (hand.job, hand.token);
            self.orphans.push((hand.deadline, w, j, k));
            self.tell(What::Ended { w, j, k, how: End::Crashed(spot), by: Some(By::Operator) });
        }
        self.tell(What::Died { w, generation, by: By::Operator, back: Some(back) });
    }

    fn expire(&mut self) {
        let now = self.now;
        let (due, rest): (Vec<_>, Vec<_>) = self.orphans.drain(..).partition(|(deadline, ..)| *deadline <= now);
        self.orphans = rest;
        for (_, w, j, k) in due {
            self.tell(What::Expired { w, j, k });
            self.ready.push_front((now, j));
        }
    }

    fn work(&mut self, w: Worker) {
        let now = self.now;
        let slot = &mut self.slots[w.index()];
        if slot.back.is_some_and(|back| back <= now) {
            slot.back = None;
            slot.generation += 1;
            let generation = slot.generation;
            self.tell(What::Spawned { w, generation });
            return;
        }
        if slot.back.is_some() {
            return;
        }
        match &mut slot.hand {
            None => self.claim(w),
            Some(hand) if hand.done <= now => self.finish(w),
            Some(hand) if hand.beat <= now => {
                hand.beat += Span::millis(950);
                hand.deadline = now + Span::seconds(3);
                let (k, deadline) = (hand.token, hand.deadline);
                self.tell(What::Renewed { w, k, deadline });
            }
            Some(_) => {}
        }
    }

    /// A job takes 2.4 s to 3.6 s.
    fn work_time(job: Job) -> Span {
        Span::millis(2_400 + u64::from(job.0) * 7_919 % 120 * 10)
    }

    fn claim(&mut self, w: Worker) {
        let Some(at) = self.ready.iter().position(|(due, _)| *due <= self.now) else { return };
        let Some((_, job)) = self.ready.remove(at) else { return };
        self.tokens += 1;
        let attempt = *self.tries.entry(job).and_modify(|n| *n += 1).or_insert(1);
        let (token, now, work) = (Token(self.tokens), self.now, Model::work_time(job));
        let deadline = now + Span::seconds(3);
        let beat = now + Span::millis(950);
        self.slots[w.index()].hand = Some(Hand { job, token, done: now + work, beat, deadline, attempt });
        self.tell(What::Claimed { w, j: job, n: attempt, k: token, deadline, lease: Span::seconds(3), work });
    }

    /// Job 9 always fails; all others are applied, unless their worker dies in the gap.
    fn finish(&mut self, w: Worker) {
        let slot = &self.slots[w.index()];
        let armed = slot.armed;
        let Some(hand) = &slot.hand else { return };
        let (j, k, attempt) = (hand.job, hand.token, hand.attempt);
        if j == Job(9) {
            self.fail(w, j, k, attempt);
            return;
        }
        self.tell(What::Stepped { w, k, p: Point::Work });
        if self.keys.contains(&j) {
            self.tell(What::Recognised { w, j, k });
        } else if self.dedup == Dedup::Transactional {
            if armed {
                self.die(w, Spot::After(Point::Effect));
                return;
            }
            self.commit(w, j, k);
        } else {
            self.tell(What::Stepped { w, k, p: Point::Check });
            self.rows += 1;
            self.tell(What::Effect { w, j, k, row: Row(self.rows) });
            if armed {
                self.die(w, Spot::After(Point::Effect));
                return;
            }
            self.keys.push(j);
            self.tell(What::Key { w, j, k });
        }
        self.tell(What::Acked { w, j, k });
        self.tell(What::Ended { w, j, k, how: End::Done, by: None });
        self.slots[w.index()].hand = None;
    }

    /// Effect and key in one transaction.
    fn commit(&mut self, w: Worker, j: Job, k: Token) {
        self.rows += 1;
        self.keys.push(j);
        self.tell(What::Effect { w, j, k, row: Row(self.rows) });
        self.tell(What::Key { w, j, k });
        self.tell(What::Stepped { w, k, p: Point::Commit });
    }

    fn fail(&mut self, w: Worker, j: Job, k: Token, attempt: u32) {
        let words = || "card declined".into();
        let until = (attempt < 3).then(|| self.now + Span::seconds(u64::from(attempt)));
        self.tell(What::Nacked { w, j, k, until, words: words() });
        match until {
            Some(until) => self.ready.push_back((until, j)),
            None => self.tell(What::Dead { j, reason: Reason::Failed(words()), tries: attempt, max: Some(3) }),
        }
        self.tell(What::Ended { w, j, k, how: End::Failed(words()), by: None });
        self.slots[w.index()].hand = None;
    }
}

/// A view in black and white on a terminal of this size.
pub fn app(width: u16, height: u16, glyphs: Glyphs) -> App {
    App::new(Look::new(Theme::Mono, glyphs), Rect::new(0, 0, width, height))
}

/// The rows of a frame. Every row must be as wide as the terminal.
pub fn rows(app: &App, board: &Board, now: Instant, width: u16, height: u16) -> Vec<String> {
    rows_of(app, Moment { board, now, showing: Showing::live(board) }, width, height)
}

/// The rows of a frame of a moment.
pub fn rows_of(app: &App, shown: Moment<'_>, width: u16, height: u16) -> Vec<String> {
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    screen::draw(&mut buffer, app, shown);
    text(&buffer)
}

/// The rows of a buffer, without the blanks behind wide characters.
pub fn text(buffer: &Buffer) -> Vec<String> {
    let area = buffer.area;
    let row = |y: u16| {
        let mut row = String::new();
        let mut x = 0;
        while x < area.width {
            let symbol = buffer[(x, y)].symbol();
            row.push_str(symbol);
            x += (super::fit::width(symbol) as u16).max(1);
        }
        row
    };
    (0..area.height).map(row).collect()
}

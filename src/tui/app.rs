//! What the operator looks at, and what a key press does to it or to the run.
//!
//! A press changes the view, or comes out as [`Effect`]s for the loop to carry out; nothing here touches the run, the
//! terminal or a clock, so that every key can be tested on a board alone.

mod act;
mod look;
mod rewind;
mod sandbox;
mod walk;

use ratatui::layout::Rect;

pub use self::act::is_fault;
use super::exhibit::Request;
use super::fit::moment as written;
use super::keys::{self, Command as KeyCommand, Context, Key, Stroke};
use super::layout::{Layout, Wants};
use super::overlay::ask::Question;
use super::overlay::complete::{Offer, Reach};
use super::overlay::{Ask, Chooser, Decision, Palette};
use super::panel::Panel;
use super::theme::{Look, Theme};
use super::timeline::{Extent, TimelineState};
use super::view::help::{Help, Subject};
use super::view::log::Filter;
use super::watch::{Effect, Moment};

use crate::action::Action;
use crate::board::Board;
use crate::event::{By, Finish, What};
use crate::ids::{Job, Worker};
use crate::time::Instant;

/// What a chooser, a field or the palette can come to.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// An action.
    Act(Action),
    /// Look at a moment.
    LookAt(Instant),
    /// Filter a panel's list.
    Filter(Panel, String),
    /// From line characters to ASCII, or back.
    SwitchGlyphs,
    /// Another theme.
    Theme(Theme),
    /// Start the run again.
    Again,
    /// Leave.
    Quit,
}

/// What is open on top and takes the keys.
#[derive(Clone, Debug)]
pub enum Layer {
    /// Help.
    Help(Help),
    /// The palette.
    Palette,
    /// A chooser.
    Chooser(Chooser),
    /// A field.
    Ask(Ask),
}

/// The inspector, while it is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inspector {
    /// Whom it explains.
    pub job: Job,
    /// The line of its story under the cursor.
    pub cursor: usize,
    /// True once the cursor was moved; until then the reasons stay in sight.
    pub moved: bool,
}

/// The list of dead letters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeadList {
    /// The selected row.
    pub selected: usize,
    /// True while the selected letter is looked into.
    pub inspecting: bool,
    /// What the list shows.
    pub filter: String,
}

/// The log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogList {
    /// The selected line, by its event; none while the newest show.
    pub selected: Option<u64>,
    /// What the log shows.
    pub filter: Filter,
}

/// Everything the operator can change about the view.
pub struct App {
    /// Theme, glyphs, truth and the selected job.
    pub look: Look,
    /// The focused panel.
    pub focus: Panel,
    /// True while the focused panel takes all below the strip.
    pub zoomed: bool,
    /// The panel in the timeline's place, where panels take turns.
    pub turn: Panel,
    /// The place of the selected worker.
    pub worker: usize,
    /// What the timeline shows.
    pub timeline: TimelineState,
    /// The inspector, if it is open.
    pub inspector: Option<Inspector>,
    /// The dead letters.
    pub dead: DeadList,
    /// The log.
    pub log: LogList,
    /// The first row of the whole program.
    pub program_scroll: usize,
    /// What is open on top.
    pub layer: Option<Layer>,
    /// The palette, for its history too.
    pub palette: Palette,
    /// What came of the last action.
    pub message: Option<String>,
    /// How much time the timeline has room for, where it is not in the sandbox's own place.
    pub extent: Option<Extent>,
    /// What is shown, as the title row calls it.
    pub name: String,
    /// The rows at the bottom of the screen.
    pub foot: u16,
    /// The end of a recording, where one is played; a run has none yet.
    pub ends: Option<Instant>,
    size: Rect,
    last_fault: Option<Action>,
    marks: usize,
    seen: u64,
    leaving: bool,
}

/// How many workers the run has.
pub fn workers_of(board: &Board) -> usize {
    board.setup().map_or(0, |setup| usize::from(setup.workers))
}

/// What came of the operator's latest action, if it is among the events from `seen` on.
pub fn answer_since(board: &Board, seen: u64) -> Option<String> {
    let fresh = board.recent().iter().rev().take_while(|(seq, _)| *seq >= seen);
    let mut came = fresh.filter_map(|(_, event)| match &event.what {
        What::Action { by: By::Operator, came, .. } if !came.is_empty() => Some(came.to_string()),
        _ => None,
    });
    came.next()
}

/// Why the run failed, if it did.
pub fn failure(board: &Board) -> Option<String> {
    match board.finished() {
        Some((Finish::Failed(why), _)) => Some(format!("FAILED {why}")),
        _ => None,
    }
}

impl App {
    /// A view of a run that starts, on a terminal of this size.
    pub fn new(look: Look, size: Rect) -> App {
        App {
            look,
            focus: Panel::Workers,
            zoomed: false,
            turn: Panel::Timeline,
            worker: 0,
            timeline: TimelineState::default(),
            inspector: None,
            dead: DeadList::default(),
            log: LogList::default(),
            program_scroll: 0,
            layer: None,
            palette: Palette::default(),
            message: None,
            extent: None,
            name: "sandbox".to_owned(),
            foot: 1,
            ends: None,
            size,
            last_fault: None,
            marks: 0,
            seen: 0,
            leaving: false,
        }
    }

    /// The same view on a run that starts over: what it showed of the old one is gone.
    pub fn start_over(&mut self) {
        let fresh = App::new(self.look, self.size);
        let palette = std::mem::take(&mut self.palette);
        let last_fault = self.last_fault.take();
        let (focus, worker, foot, name) = (self.focus, self.worker, self.foot, std::mem::take(&mut self.name));
        *self = App { palette, last_fault, focus, worker, foot, name, ..fresh };
        self.look.selected = None;
        self.set_turn();
    }

    /// The columns of the terminal.
    pub fn width(&self) -> u16 {
        self.size.width
    }

    /// Takes in the size of the terminal.
    pub fn resize(&mut self, size: Rect) {
        self.size = size;
    }

    /// True once the operator has asked to leave and the run drains.
    pub fn is_leaving(&self) -> bool {
        self.leaving
    }

    /// True if there is a fault that `f` would repeat.
    pub fn has_fault(&self) -> bool {
        self.last_fault.is_some()
    }

    /// Notes that the run drains.
    pub fn leave(&mut self) {
        self.leaving = true;
    }

    /// Where everything sits for a run of this many workers.
    pub fn layout(&self, workers: usize) -> Option<Layout> {
        Layout::of(self.size, Wants { workers, inspector: self.inspector.is_some(), footer: self.foot })
    }

    /// The first worker that shows, so that the selected one does.
    pub fn first_worker(&self, workers: usize, visible: usize) -> usize {
        (self.worker + 1).saturating_sub(visible).min(workers.saturating_sub(visible))
    }

    /// The place in the timeline's room: its own, or of the panel that has its turn there.
    fn set_turn(&mut self) {
        self.turn = match self.focus {
            Panel::Dead | Panel::Log | Panel::Rates => self.focus,
            Panel::Timeline => Panel::Timeline,
            Panel::Workers | Panel::Program => self.turn,
        };
    }

    /// Takes in what has happened since it last looked: the words for what came of actions. True if there are new ones.
    pub fn absorb(&mut self, moment: Moment<'_>) -> bool {
        let board = moment.board;
        let newest = answer_since(board, self.seen);
        self.keep_up(moment);
        match newest {
            Some(words) => {
                self.message = Some(words);
                true
            }
            None => self.tell_failure(board),
        }
    }

    /// Takes in where the run stands now, and lets go of what it has not come to any more.
    pub fn keep_up(&mut self, moment: Moment<'_>) {
        let board = moment.board;
        if board.seq() < self.seen {
            self.taken_back(moment);
        }
        self.seen = board.seq();
        if board.setup().is_some() {
            self.worker = self.worker.min(workers_of(board).saturating_sub(1));
        }
    }

    /// A run that failed says why for as long as nothing else is said; true if it starts to.
    fn tell_failure(&mut self, board: &Board) -> bool {
        let failed = failure(board).filter(|_| self.message.is_none());
        let starts = failed.is_some();
        self.message = failed.or(self.message.take());
        starts
    }

    /// Takes a key.
    pub fn press(&mut self, key: Key, stroke: Stroke, moment: Moment<'_>) -> Vec<Effect> {
        if stroke == Stroke::Press {
            self.message = None;
        }
        if let Some(command) = keys::command(key, &[Context::Always]) {
            return if stroke == Stroke::Press { self.always(command) } else { Vec::new() };
        }
        if self.layer.is_some() {
            return self.press_layer(key, stroke, moment);
        }
        match keys::command(key, &[Context::Screen, Context::Run]) {
            Some(command) if stroke == Stroke::Press || command.moves() => self.command(command, moment),
            _ => Vec::new(),
        }
    }

    /// Takes a paste: text for the field that is open, and nothing anywhere else.
    pub fn paste(&mut self, text: &str) {
        match &mut self.layer {
            Some(Layer::Palette) => self.palette.paste(text),
            Some(Layer::Ask(ask)) => ask.paste(text),
            Some(Layer::Help(help)) => help.paste(text),
            Some(Layer::Chooser(_)) | None => {}
        }
    }

    fn always(&mut self, command: KeyCommand) -> Vec<Effect> {
        match command {
            KeyCommand::Interrupt => vec![Effect::Ask(Request::Interrupt)],
            KeyCommand::Suspend => vec![Effect::Ask(Request::Suspend)],
            _ => vec![Effect::Ask(Request::Repaint)],
        }
    }

    fn press_layer(&mut self, key: Key, stroke: Stroke, moment: Moment<'_>) -> Vec<Effect> {
        let Some(mut layer) = self.layer.take() else { return Vec::new() };
        let decision = match &mut layer {
            Layer::Help(help) => help.press(key, stroke),
            Layer::Chooser(chooser) => chooser.press(key, stroke),
            Layer::Ask(ask) => ask.press(key, stroke, self.ends.unwrap_or(moment.now)),
            Layer::Palette => {
                let workers = moment.board.workers(moment.now);
                let offer = self.offer(moment.board, &workers);
                let mut palette = std::mem::take(&mut self.palette);
                let decision = palette.press(key, stroke, &offer);
                self.palette = palette;
                decision
            }
        };
        match decision {
            Decision::Open => {
                self.layer = Some(layer);
                Vec::new()
            }
            Decision::Close => Vec::new(),
            Decision::Do(meaning) => self.carry_out(meaning, moment),
        }
    }

    /// What the palette may offer.
    pub fn offer<'a>(&self, board: &'a Board, workers: &'a [crate::board::WorkerView]) -> Offer<'a> {
        Offer {
            workers,
            selected: Worker::at(self.worker),
            policy: board.policy(),
            dead: board.dead_letters().iter().map(|letter| letter.job.0).collect(),
            reach: if self.ends.is_some() { Reach::Time } else { Reach::All },
        }
    }

    fn carry_out(&mut self, meaning: Command, moment: Moment<'_>) -> Vec<Effect> {
        match meaning {
            Command::Act(action) => return self.act(action),
            Command::LookAt(at) if self.ends.is_some() => return vec![Effect::GoTo(at)],
            Command::LookAt(at) => {
                self.look_at(at.min(moment.now), None, moment);
                if at > moment.now {
                    self.message = Some(format!("that is still to come: the run is at {}", written(moment.now)));
                }
            }
            Command::Filter(panel, text) => self.filter(panel, &text),
            Command::SwitchGlyphs => self.switch_glyphs(),
            Command::Theme(theme) => self.look.theme = theme,
            Command::Again => return vec![Effect::Ask(Request::Again)],
            Command::Quit => return vec![Effect::Ask(Request::Quit)],
        }
        Vec::new()
    }

    fn filter(&mut self, panel: Panel, text: &str) {
        if panel == Panel::Dead {
            self.dead.filter = text.to_owned();
            self.dead.selected = 0;
        } else {
            self.log.filter = Filter::read(text);
            self.log.selected = None;
        }
    }

    fn command(&mut self, command: KeyCommand, moment: Moment<'_>) -> Vec<Effect> {
        if let Some(effects) = self.act_command(command, moment) {
            return effects;
        }
        match command {
            KeyCommand::Quit => return vec![Effect::Ask(Request::Quit)],
            KeyCommand::Again => return vec![Effect::Ask(Request::Again)],
            KeyCommand::StepBack => return vec![Effect::Back],
            KeyCommand::Out => self.out(),
            KeyCommand::In => self.enter(moment),
            KeyCommand::Help => self.layer = Some(Layer::Help(Help::about(Subject::Sandbox))),
            KeyCommand::Palette => {
                self.palette.open();
                self.layer = Some(Layer::Palette);
            }
            KeyCommand::Filter => self.ask_filter(),
            KeyCommand::NextPanel => self.focus_on(self.focus.beside(true)),
            KeyCommand::PreviousPanel => self.focus_on(self.focus.beside(false)),
            KeyCommand::Focus(panel) => self.focus_on(panel),
            KeyCommand::Move(direction) => self.walk(direction, moment),
            other => self.look_command(other, moment),
        }
        Vec::new()
    }

    fn focus_on(&mut self, panel: Panel) {
        self.focus = panel;
        self.set_turn();
    }

    fn ask_filter(&mut self) {
        let (panel, text) = match self.focus {
            Panel::Dead => (Panel::Dead, self.dead.filter.clone()),
            _ => (Panel::Log, self.log.filter.text().to_owned()),
        };
        if panel == Panel::Log && self.focus != Panel::Log {
            self.focus_on(Panel::Log);
        }
        self.layer = Some(Layer::Ask(Ask::new(Question::Filter(panel), &text)));
    }

    /// One layer out: the letter that is looked into, the inspector, the zoom, the selection.
    fn out(&mut self) {
        if self.zoomed && self.focus == Panel::Dead && self.dead.inspecting {
            self.dead.inspecting = false;
        } else if self.inspector.take().is_some() {
            self.look.selected = None;
        } else if self.zoomed {
            self.zoomed = false;
        } else if self.log.selected.take().is_none() {
            self.look.selected = None;
        }
    }

    /// True where nothing is open that one layer out would close.
    pub fn is_outermost(&self) -> bool {
        self.layer.is_none() && self.inspector.is_none() && !self.zoomed && self.log.selected.is_none()
    }

    /// One layer in: zoom, then the row.
    fn enter(&mut self, moment: Moment<'_>) {
        match (self.zoomed, self.focus) {
            (false, _) => self.zoomed = true,
            (true, Panel::Dead) => self.dead.inspecting = true,
            (true, _) => self.explain(moment),
        }
    }
}

//! What the keys mean while a recording is played: the sandbox's own, where they only look; those that play; and an
//! answer for those that would act.

use ratatui::layout::Rect;

use super::about::{About, shown_with};
use super::bar::{self, Bar};
use super::{Seek, clock};
use crate::action::Action;
use crate::board::Anomaly;
use crate::time::Instant;
use crate::tui::app::{App, Layer};
use crate::tui::canvas::Canvas;
use crate::tui::exhibit::Request;
use crate::tui::keys::{self, Command, Context, Key, Stroke};
use crate::tui::overlay::complete::{REPLAYED, Reach};
use crate::tui::theme::Look;
use crate::tui::view::help::{Help, Subject};
use crate::tui::watch::{Effect, Moment};

/// The keys that mean something here, those of the player first.
const CONTEXTS: [Context; 3] = [Context::Replay, Context::Screen, Context::Run];

/// What a key comes to beyond the view.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    /// Something that concerns time.
    Act(Action),
    /// One event back.
    Back,
    /// Show another moment; `true` if time is to stand there.
    Seek(Seek, bool),
    /// Ask this of the loop.
    Ask(Request),
}

/// The view of a recording.
pub struct Desk {
    /// Panels, choice, layers and the bottom line, as in the sandbox.
    pub app: App,
    /// The recording.
    pub about: About,
    /// The anomaly that was gone to, until it shows.
    awaited: Option<Anomaly>,
}

impl Desk {
    /// A view of a recording that starts.
    pub fn new(about: About, look: Look) -> Desk {
        let mut app = App::new(look, Rect::ZERO);
        app.name.clone_from(&about.name);
        app.ends = Some(about.ends);
        app.foot = bar::ROWS;
        Desk { app, about, awaited: None }
    }

    /// Takes in the size of the screen and what is shown.
    pub fn take_in(&mut self, size: Rect, moment: Moment<'_>) {
        self.app.foot = bar::ROWS + u16::from(self.about.narrates && size.height >= 24);
        self.app.resize(size);
        self.app.keep_up(moment);
        let arrived = |anomaly: &Anomaly| shown_with(anomaly) as u64 == moment.board.seq();
        if let Some(anomaly) = self.awaited.take_if(|anomaly| arrived(anomaly)) {
            self.app.meet(anomaly, moment);
        }
    }

    /// Takes a key.
    pub fn press(&mut self, key: Key, stroke: Stroke, moment: Moment<'_>) -> Vec<Deed> {
        let command = keys::command(key, &CONTEXTS).filter(|command| stroke == Stroke::Press || command.moves());
        if let (None, Some(command)) = (&self.app.layer, command) {
            if stroke == Stroke::Press {
                self.app.message = None;
            }
            if let Some(deeds) = self.own(command, moment) {
                return deeds;
            }
        }
        let effects = self.app.press(key, stroke, moment);
        effects.into_iter().filter_map(|effect| self.deed(effect)).collect()
    }

    /// What a key does here that it does not do in the sandbox; `None` for all others.
    fn own(&mut self, command: Command, moment: Moment<'_>) -> Option<Vec<Deed>> {
        let shown = usize::try_from(moment.board.seq()).unwrap_or(usize::MAX);
        Some(match command {
            Command::NextMark => self.go_to_stop(Some(self.about.stops_until(shown)), "no later mark"),
            Command::PreviousMark => {
                let before = self.about.stops.partition_point(|stop| stop.events < shown);
                self.go_to_stop(before.checked_sub(1), "no earlier mark")
            }
            Command::NextAnomaly => self.go_to_anomaly(Some(self.about.anomalies_until(shown)), "no later anomaly"),
            Command::PreviousAnomaly => {
                let before = self.about.anomalies.partition_point(|anomaly| shown_with(anomaly) < shown);
                self.go_to_anomaly(before.checked_sub(1), "no earlier anomaly")
            }
            Command::ToStart => self.seek(Seek::Events(0), false),
            Command::ToEnd => self.seek(Seek::Events(self.about.events), false),
            Command::StopGo if moment.showing.stopped && shown >= self.about.events => {
                self.say("the recording ends here; home goes to its start");
                Vec::new()
            }
            Command::Help => {
                self.app.layer = Some(Layer::Help(Help::about(Subject::Replay)));
                Vec::new()
            }
            Command::Mark => {
                self.say("marks are set while a run goes on, not in a replay");
                Vec::new()
            }
            command if command.acts() => {
                self.say(REPLAYED);
                Vec::new()
            }
            _ => return None,
        })
    }

    fn say(&mut self, words: &str) {
        self.app.message = Some(words.to_owned());
    }

    fn seek(&mut self, to: Seek, stand: bool) -> Vec<Deed> {
        self.app.timeline.follow();
        self.app.log.selected = None;
        self.awaited = None;
        vec![Deed::Seek(to, stand)]
    }

    fn go_to_stop(&mut self, place: Option<usize>, none: &str) -> Vec<Deed> {
        let Some(stop) = place.and_then(|place| self.about.stops.get(place)).cloned() else {
            self.say(none);
            return Vec::new();
        };
        self.app.message = Some(format!("{}  {}", clock(stop.at), stop.text));
        self.seek(Seek::Events(stop.events), true)
    }

    fn go_to_anomaly(&mut self, place: Option<usize>, none: &str) -> Vec<Deed> {
        let Some(anomaly) = place.and_then(|place| self.about.anomalies.get(place)).copied() else {
            self.say(if self.about.anomalies.is_empty() { "no anomaly in this recording" } else { none });
            return Vec::new();
        };
        let deeds = self.seek(Seek::Events(shown_with(&anomaly)), true);
        self.awaited = Some(anomaly);
        deeds
    }

    /// What the sandbox's own keys come to here.
    fn deed(&mut self, effect: Effect) -> Option<Deed> {
        match effect {
            Effect::Act(action) => match Reach::Time.refuses(&action) {
                None => Some(Deed::Act(action)),
                Some(why) => {
                    self.say(why);
                    None
                }
            },
            Effect::Back => Some(Deed::Back),
            Effect::GoTo(at) => self.go_to(at),
            Effect::Ask(request) => Some(Deed::Ask(request)),
        }
    }

    fn go_to(&mut self, at: Instant) -> Option<Deed> {
        if at > self.about.ends {
            self.say(&format!("the recording ends at {}", clock(self.about.ends)));
        }
        self.seek(Seek::At(at.min(self.about.ends)), false).pop()
    }

    /// Draws the bar into the rows at the bottom of the screen.
    pub fn draw_bar(&self, canvas: &mut Canvas<'_>, moment: Moment<'_>) {
        let help = matches!(self.app.layer, Some(Layer::Help(_)));
        if help || canvas.height() < bar::ROWS || canvas.width() < crate::tui::layout::LEAST.0 {
            return;
        }
        let message = self.app.message.as_deref();
        let keys = self.app.layer.is_none();
        let bar = Bar { about: &self.about, moment, truth: self.app.look.truth, message, keys };
        let rows = Rect {
            x: 0,
            y: canvas.height().saturating_sub(self.app.foot),
            width: canvas.width(),
            height: self.app.foot,
        };
        bar.draw(&mut canvas.part(rows));
    }
}

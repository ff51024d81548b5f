//! A run that is taken back: what is drawn is a function of the board, the moment and the view, and nothing else.

use std::sync::OnceLock;

use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::key;
use crate::board::Board;
use crate::tui::app::App;
use crate::tui::fixture::{Model, app};
use crate::tui::glyphs::Glyphs;
use crate::tui::keys::Stroke;
use crate::tui::watch::Moment;
use crate::tui::{Badge, Showing, screen};

const SIZE: Rect = Rect::new(0, 0, 120, 36);

/// The run of the sandbox, to its last event.
fn whole() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    MODEL.get_or_init(|| Model::sandbox(50.0))
}

/// A run in virtual time that stands after so many events.
struct Standing {
    board: Board,
}

impl Standing {
    fn after(events: usize) -> Standing {
        Standing { board: whole().events[..events].iter().collect() }
    }

    fn moment(&self) -> Moment<'_> {
        let showing = Showing { badge: Badge::Virtual, stopped: true, speed: 1.0, recorded: false };
        Moment { board: &self.board, now: self.board.now(), showing }
    }

    /// The next frame of a view, as the loop draws it.
    fn frame(&self, app: &mut App) -> Buffer {
        let mut buffer = Buffer::empty(SIZE);
        app.absorb(self.moment());
        screen::draw(&mut buffer, app, self.moment());
        buffer
    }

    fn press(&self, app: &mut App, keys: &str) {
        for c in keys.chars() {
            let _acts_elsewhere = app.press(key(c), Stroke::Press, self.moment());
        }
    }
}

/// Where the two workers die, the lease runs out, the job is applied again, and moments between.
fn moments() -> Vec<usize> {
    let all = whole().events.len();
    let second = |s: u64| whole().events.iter().position(|event| event.at.0 >= s * 1_000_000_000).unwrap_or(all);
    vec![second(1), second(18), second(30), second(38), second(41), second(44), all - 40]
}

/// The first cell that differs, but for the bottom row: it says what came of a step.
fn first_difference(a: &Buffer, b: &Buffer) -> Option<(u16, u16)> {
    let cells = (0..SIZE.height - 1).flat_map(|y| (0..SIZE.width).map(move |x| (x, y)));
    cells.into_iter().find(|place| a[*place] != b[*place])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn as_many_steps_back_as_on_draw_the_same_frames_cell_by_cell(
        start in prop::sample::select(moments()),
        steps in 1usize..40,
        looking in prop::collection::vec(prop::sample::select("123456jkhlnNiwWG()\n\x1b5_^<>t".chars().collect::<Vec<_>>()), 0..12),
    ) {
        let mut app = app(SIZE.width, SIZE.height, Glyphs::UNICODE);
        let first = Standing::after(start);
        first.frame(&mut app);
        first.press(&mut app, &looking.into_iter().collect::<String>());
        let mut on = Vec::new();
        for n in start..=start + steps {
            app.message = None;
            on.push(Standing::after(n).frame(&mut app));
            app.message = None;
        }
        for n in (start..start + steps).rev() {
            app.message = None;
            let back = Standing::after(n).frame(&mut app);
            let forth = &on[n - start];
            prop_assert_eq!(first_difference(&back, forth), None, "after {} events", n);
        }
    }

    #[test]
    fn a_view_of_a_later_moment_never_trips_over_an_earlier_one(
        from in 30usize..2_000,
        to in 0usize..2_000,
        keys in prop::collection::vec(prop::sample::select("12345jkhlnNiwWG()\n\x1b_^<>tFX,.".chars().collect::<Vec<_>>()), 0..20),
    ) {
        let all = whole().events.len();
        let (from, to) = (from.min(all), to.min(from).min(all));
        let mut app = app(SIZE.width, SIZE.height, Glyphs::UNICODE);
        let keys: String = keys.into_iter().collect();
        let (late, early) = (Standing::after(from), Standing::after(to));
        late.frame(&mut app);
        late.press(&mut app, &keys);
        late.frame(&mut app);
        early.frame(&mut app);
        early.press(&mut app, &keys);
        early.frame(&mut app);
    }
}

#[test]
fn what_was_selected_of_the_time_to_come_is_let_go() {
    let mut app = app(SIZE.width, SIZE.height, Glyphs::UNICODE);
    let all = whole().events.len();
    let (late, early) = (Standing::after(all), Standing::after(100));
    late.frame(&mut app);
    late.press(&mut app, "5kkkni");
    assert!(app.inspector.is_some() && app.timeline.seq().is_some() && app.log.selected.is_some());
    early.frame(&mut app);
    assert_eq!((app.inspector, app.look.selected, app.log.selected), (None, None, None));
    assert_eq!((app.timeline.cursor(), app.timeline.is_following()), (None, true));
}

#[test]
fn an_action_that_is_gone_through_again_is_told_again() {
    let mut app = app(SIZE.width, SIZE.height, Glyphs::UNICODE);
    let killed = whole().events.iter().position(|event| event.at.seconds() >= 18.2).expect("the kill") + 1;
    let told = |events: usize, app: &mut App| {
        app.message = None;
        Standing::after(events).frame(app);
        app.message.clone()
    };
    let words = Some("w4 is dead; back in 5.0 s".to_owned());
    assert_eq!(told(killed - 1, &mut app), None);
    assert_eq!(told(killed + 5, &mut app), words);
    assert_eq!(told(killed - 1, &mut app), None, "the way back says nothing of its own");
    assert_eq!(told(killed + 5, &mut app), words);
}

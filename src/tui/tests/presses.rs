//! What keys do: to the run by actions, and to the view.

use super::{key, press};
use crate::action::{Action, Letters, Link, Who};
use crate::event::{By, Fault, Finish, What};
use crate::ids::{Job, Worker};
use crate::policy::{AckOrder, Dedup, Point, Setting};
use crate::tui::app::{App, Layer};
use crate::tui::exhibit::Request;
use crate::tui::fixture::{Deed, Model, app, rows, rows_of, seconds};
use crate::tui::glyphs::Glyphs;
use crate::tui::keys::{Key, Stroke};
use crate::tui::panel::Panel;
use crate::tui::watch::{Effect, Moment};
use crate::tui::{Badge, Showing};

fn view() -> App {
    app(120, 36, Glyphs::UNICODE)
}

fn w(n: u16) -> Who {
    Who::Worker(Worker(n))
}

fn act(action: Action) -> Vec<Effect> {
    vec![Effect::Act(action)]
}

#[test]
fn a_small_letter_acts_at_once_on_the_selected_worker() {
    let model = Model::sandbox(10.0);
    let mut app = view();
    assert_eq!(press(&mut app, &model, "x"), act(Action::Kill(w(1), None)));
    assert_eq!(press(&mut app, &model, "jjs"), act(Action::Stall(w(3), None)));
    assert_eq!(press(&mut app, &model, "z"), act(Action::Pause(w(3), None)));
    assert_eq!(press(&mut app, &model, "p"), act(Action::Cut(w(3), Link::Queue, None)));
    assert_eq!(press(&mut app, &model, "P"), act(Action::Cut(w(3), Link::Sink, None)));
    assert_eq!(press(&mut app, &model, "u"), act(Action::Heal(w(3), None)));
    assert_eq!(press(&mut app, &model, "U"), act(Action::Heal(Who::All, None)));
    assert_eq!(press(&mut app, &model, "e"), act(Action::Enqueue(1)));
}

#[test]
fn the_same_letter_heals_what_is_in_force_on_that_worker_only() {
    let mut model = Model::sandbox(10.0);
    model.tell(What::Fault { w: Some(Worker(1)), what: Fault::Stall, factor: 1.0, until: None });
    let mut app = view();
    assert_eq!(press(&mut app, &model, "s"), act(Action::Heal(w(1), Some(Fault::Stall))));
    assert_eq!(press(&mut app, &model, "z"), act(Action::Pause(w(1), None)));
    assert_eq!(press(&mut app, &model, "js"), act(Action::Stall(w(2), None)));
}

#[test]
fn a_held_key_acts_once_and_goes_on_moving() {
    let model = Model::sandbox(10.0);
    let moment = model.moment();
    let mut app = view();
    assert_eq!(app.press(Key::Char('x'), Stroke::Repeat, moment), []);
    assert_eq!(app.press(Key::Char('e'), Stroke::Repeat, moment), []);
    assert_eq!(app.press(Key::Ctrl('c'), Stroke::Repeat, moment), []);
    app.press(Key::Down, Stroke::Repeat, moment);
    app.press(Key::Down, Stroke::Repeat, moment);
    assert_eq!(app.worker, 2);
}

#[test]
fn a_capital_asks_for_the_letter_of_a_gap() {
    let model = Model::sandbox(10.0);
    let mut app = view();
    assert_eq!(press(&mut app, &model, "jXd"), act(Action::Kill(w(2), Some(Point::Effect))));
    assert_eq!(press(&mut app, &model, "XX"), act(Action::Disarm(w(2))));
    assert_eq!(press(&mut app, &model, "X\x1b"), []);
    assert!(app.layer.is_none());
}

#[test]
fn the_number_of_jobs_starts_empty_and_enter_alone_adds_ten() {
    let model = Model::sandbox(10.0);
    let mut app = view();
    assert_eq!(press(&mut app, &model, "E5\n"), act(Action::Enqueue(5)));
    assert_eq!(press(&mut app, &model, "E\n"), act(Action::Enqueue(10)));
}

#[test]
fn a_moment_that_is_still_to_come_is_said_to_be() {
    let model = Model::sandbox(10.0);
    let mut app = view();
    press(&mut app, &model, "g99999\n");
    assert!(app.message.as_ref().is_some_and(|text| text.starts_with("that is still to come")), "{:?}", app.message);
    press(&mut app, &model, "g5\n");
    assert_eq!(app.message, None);
}

#[test]
fn a_failure_of_the_run_is_said_whole_until_something_else_is() {
    let mut model = Model::sandbox(10.0);
    let why = "connecting to /srv/lab/t.db failed: unable to open database file";
    model.tell(What::Finished { how: Finish::Failed(why.into()), counts: None });
    let mut app = app(80, 24, Glyphs::UNICODE);
    app.absorb(model.moment());
    let shown = rows(&app, &model.board, model.now(), 80, 24);
    assert!(shown.last().is_some_and(|row| row.contains(&format!("FAILED {why}"))), "{shown:#?}");
    press(&mut app, &model, "j");
    app.absorb(model.moment());
    assert!(app.message.is_some_and(|text| text.starts_with("FAILED")));
}

#[test]
fn what_nobody_pressed_is_no_message_and_not_told_as_yours() {
    let mut model = Model::sandbox(10.0);
    let mut app = view();
    app.absorb(model.moment());
    app.message = None;
    model.tell(What::Action { text: "go".into(), by: By::Lab, came: "time goes".into(), refused: false });
    app.absorb(model.moment());
    assert_eq!(app.message, None);
    let shown = rows(&app, &model.board, model.now(), 120, 36).join("\n");
    assert!(!shown.contains("you     time goes"), "{shown}");
}

#[test]
fn inside_a_chooser_letters_mean_its_rows_and_nothing_else() {
    let model = Model::sandbox(10.0);
    let mut app = view();
    assert_eq!(press(&mut app, &model, "dx"), [], "x is no row of the dedup chooser, and kills nobody");
    assert_eq!(press(&mut app, &model, "t"), act(Action::Set(Setting::Dedup(Dedup::Transactional))));
    assert!(app.look.truth, "t chose a row and hid nothing");
    let hour = crate::time::Span::seconds(3_600);
    assert_eq!(press(&mut app, &model, "d___>\n"), act(Action::Set(Setting::Dedup(Dedup::Window(2_000)))));
    assert_eq!(press(&mut app, &model, "d____>l"), act(Action::Set(Setting::Dedup(Dedup::Ttl(hour)))));
}

#[test]
fn the_last_fault_is_repeated_on_whoever_is_selected() {
    let model = Model::sandbox(10.0);
    let mut app = view();
    assert_eq!(press(&mut app, &model, "f"), []);
    assert!(app.message.as_deref().is_some_and(|words| words.contains("no fault")));
    press(&mut app, &model, "Xd");
    assert_eq!(press(&mut app, &model, "jjf"), act(Action::Kill(w(3), Some(Point::Effect))));
    press(&mut app, &model, ":slow w1 x10\n");
    assert_eq!(press(&mut app, &model, "f"), act(Action::Slow(w(3), 10.0, None)));
}

#[test]
fn time_stops_goes_and_steps() {
    let mut model = Model::sandbox(10.0);
    let mut app = view();
    assert_eq!(press(&mut app, &model, " "), act(Action::Stop));
    assert_eq!(press(&mut app, &model, "."), act(Action::Stop), "it stops first");
    assert_eq!(press(&mut app, &model, "+"), act(Action::Speed(2.0)));
    assert_eq!(press(&mut app, &model, "="), act(Action::Speed(2.0)));
    assert_eq!(press(&mut app, &model, "-"), act(Action::Speed(0.5)));
    assert_eq!(press(&mut app, &model, "J"), act(Action::Jump));
    model.tell(What::Stopped);
    assert_eq!(press(&mut app, &model, " "), act(Action::Go));
    assert_eq!(press(&mut app, &model, "."), act(Action::Step));
}

#[test]
fn where_time_cannot_be_taken_back_a_step_back_moves_the_view_and_says_why() {
    let model = Model::sandbox(10.0);
    let mut app = view();
    assert_eq!(press(&mut app, &model, ","), [Effect::Back]);
    assert!(app.timeline.is_following(), "whether the run goes back is for the run to say");
    app.step_back(model.moment());
    assert!(app.message.as_deref().is_some_and(|words| words.contains("threads cannot be run backwards")));
    assert!(!app.timeline.is_following());
    press(&mut app, &model, "G");
    assert!(app.timeline.is_following());
}

#[test]
fn in_virtual_time_the_pace_is_asked_of_what_is_shown_and_not_of_the_board() {
    let mut model = Model::sandbox(10.0);
    model.tell(What::Stopped);
    let mut app = view();
    let goes = Showing { badge: Badge::Virtual, stopped: false, speed: 4.0, recorded: false };
    let mut pressed = |c| app.press(key(c), Stroke::Press, Moment { showing: goes, ..model.moment() });
    assert_eq!(pressed(' '), act(Action::Stop), "time goes, whatever the board was told");
    assert_eq!(pressed('.'), act(Action::Stop));
    assert_eq!(pressed('+'), act(Action::Speed(10.0)));
    let stands = Showing { stopped: true, ..goes };
    let mut pressed = |c| app.press(key(c), Stroke::Press, Moment { showing: stands, ..model.moment() });
    assert_eq!(pressed(' '), act(Action::Go));
    assert_eq!(pressed('.'), act(Action::Step));
    assert_eq!(pressed(','), [Effect::Back]);
}

#[test]
fn the_title_says_what_kind_of_time_it_is_how_fast_it_goes_and_whether_it_stands() {
    let model = Model::sandbox(10.0);
    for (badge, stopped, speed, wanted) in [
        (Badge::Live, false, 1.0, "  LIVE  x1   10.0 s   threads   seed 249"),
        (Badge::Live, true, 1.0, "  LIVE STOPPED  x1   10.0 s   threads   seed 249"),
        (Badge::Virtual, false, 1.0, "  VIRTUAL  x1   10.0 s   threads   seed 249"),
        (Badge::Virtual, true, 0.25, "  VIRTUAL STOPPED  x0.25   10.0 s   threads   seed 249"),
    ] {
        let shown = Moment { showing: Showing { badge, stopped, speed, recorded: false }, ..model.moment() };
        let title = &rows_of(&view(), shown, 120, 36)[0];
        assert!(title.ends_with(&format!("{wanted} ")), "{title}");
    }
}

#[test]
fn the_footer_names_the_steps_where_they_go_both_ways() {
    let model = Model::sandbox(10.0);
    let footer = |badge| {
        let shown = Moment { showing: Showing { badge, stopped: true, speed: 1.0, recorded: false }, ..model.moment() };
        rows_of(&view(), shown, 120, 36)[35].clone()
    };
    assert!(footer(Badge::Virtual).contains(". , step"), "{}", footer(Badge::Virtual));
    assert!(!footer(Badge::Live).contains(". ,"));
}

#[test]
fn ack_goes_to_the_other_place_and_the_grammar_says_which() {
    let model = Model::sandbox(10.0);
    let effects = press(&mut view(), &model, "a");
    assert_eq!(effects, act(Action::Set(Setting::Ack(AckOrder::Before))));
    let Effect::Act(action) = &effects[0] else { panic!("an action") };
    assert_eq!(action.to_string(), "ack before");
}

#[test]
fn redrive_asks_one_or_all_and_says_when_there_is_nothing() {
    let mut app = view();
    assert_eq!(press(&mut app, &Model::sandbox(5.0), "R"), []);
    assert!(app.layer.is_none());
    assert!(app.message.as_deref().is_some_and(|words| words.contains("DLQ is empty")));
    let model = Model::sandbox(30.0);
    assert_eq!(press(&mut app, &model, "R\n"), act(Action::Redrive(Letters::One(Job(9)))));
    assert_eq!(press(&mut app, &model, "Ra"), act(Action::Redrive(Letters::All)));
}

#[test]
fn jobs_are_asked_for_by_number_and_a_wrong_number_stays_open() {
    let model = Model::sandbox(5.0);
    let mut app = view();
    assert_eq!(press(&mut app, &model, "E\x08\x08250\n"), act(Action::Enqueue(250)));
    assert_eq!(press(&mut app, &model, "E\x08\x08x\n"), []);
    assert!(matches!(app.layer, Some(Layer::Ask(_))));
    assert_eq!(
        press(&mut app, &model, "\x1bE\x03"),
        [Effect::Ask(Request::Interrupt)],
        "ctrl-c works in text fields too"
    );
}

#[test]
fn paste_is_not_typing() {
    let model = Model::sandbox(5.0);
    let mut app = view();
    app.paste("xxxx\nq");
    assert_eq!(press(&mut app, &model, ":"), []);
    app.paste("kill\nw2");
    assert_eq!(press(&mut app, &model, "\n"), act(Action::Kill(w(2), None)));
}

#[test]
fn next_anomaly_selects_job_and_worker_and_why_explains_it() {
    let model = Model::sandbox(46.3);
    let mut app = view();
    press(&mut app, &model, "n");
    let anomaly = model.board.anomalies()[0];
    assert_eq!(app.look.selected, Some(anomaly.job));
    assert_eq!((app.worker, app.focus), (anomaly.worker.index(), Panel::Timeline));
    assert_eq!(app.timeline.cursor(), Some(anomaly.at));
    press(&mut app, &model, "i");
    assert_eq!(app.inspector.map(|open| open.job), Some(anomaly.job));
    press(&mut app, &model, "^");
    assert!(app.timeline.cursor().is_some_and(|at| at <= anomaly.at), "the timeline follows the inspector's cursor");
    press(&mut app, &model, "nn");
    assert!(app.message.as_deref().is_some_and(|words| words.contains("no later anomaly")));
}

#[test]
fn esc_comes_out_one_layer_at_a_time_and_never_leaves() {
    let model = Model::sandbox(46.3);
    let mut app = view();
    press(&mut app, &model, "4\n\n?");
    assert!(app.layer.is_some() && app.zoomed && app.dead.inspecting);
    press(&mut app, &model, "\x1b");
    assert!(app.layer.is_none() && app.zoomed && app.dead.inspecting);
    press(&mut app, &model, "\x1b");
    assert!(app.zoomed && !app.dead.inspecting);
    press(&mut app, &model, "\x1b");
    assert!(!app.zoomed);
    assert_eq!(press(&mut app, &model, "\x1b\x1b\x1b"), []);
    assert_eq!(press(&mut app, &model, "q"), [Effect::Ask(Request::Quit)]);
}

#[test]
fn going_to_a_moment_looks_there() {
    let model = Model::sandbox(40.0);
    let mut app = view();
    press(&mut app, &model, "g0:12.5\n");
    assert_eq!(app.timeline.cursor(), Some(seconds(12.5)));
    press(&mut app, &model, "g50%\n");
    assert_eq!(app.timeline.cursor(), Some(seconds(20.0)));
}

#[test]
fn what_came_of_an_action_is_told_until_the_next_key() {
    let mut model = Model::new(4, &[(3.0, Deed::Arm(2))]);
    let mut app = view();
    model.run(2.9);
    assert!(!app.absorb(model.moment()));
    model.run(3.1);
    assert!(app.absorb(model.moment()));
    assert_eq!(app.message.as_deref(), Some("w2 will die after effect (d)"));
    assert!(!app.absorb(model.moment()), "and only once");
    press(&mut app, &model, "j");
    assert_eq!(app.message, None);
}

#[test]
fn digits_and_tab_move_the_focus() {
    let model = Model::sandbox(5.0);
    let mut app = view();
    for (c, panel) in ('1'..='6').zip(Panel::ALL) {
        press(&mut app, &model, &c.to_string());
        assert_eq!(app.focus, panel);
    }
    press(&mut app, &model, "\t");
    assert_eq!(app.focus, Panel::Workers);
    app.press(Key::BackTab, Stroke::Press, model.moment());
    assert_eq!(app.focus, Panel::Rates);
}

#[test]
fn starting_over_keeps_the_look_and_the_history_and_forgets_the_run() {
    let model = Model::sandbox(46.3);
    let mut app = view();
    press(&mut app, &model, "ni:ascii\n:kill w1\n");
    assert_eq!(press(&mut app, &model, ":again\n"), [Effect::Ask(Request::Again)]);
    app.start_over();
    assert!(app.look.glyphs.is_ascii() && app.inspector.is_none() && app.look.selected.is_none());
    assert!(app.timeline.is_following());
    let moment = model.moment();
    press(&mut app, &model, ":");
    app.press(Key::Ctrl('p'), Stroke::Press, moment);
    app.press(Key::Ctrl('p'), Stroke::Press, moment);
    assert_eq!(app.press(key('\n'), Stroke::Press, moment), act(Action::Kill(w(1), None)));
}

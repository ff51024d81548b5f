//! One frame: every part of the screen in its place.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::app::{App, Layer, workers_of};
use super::canvas::{Canvas, Rule};
use super::fit::{cut, moment};
use super::glyphs::Joint;
use super::keys::Context;
use super::layout::{DOCK, Form};
use super::overlay::{Ask, Palette};
use super::panel::Panel;
use super::theme::{Look, Role};
use super::timeline;
use super::view::{Scene, dead, footer, inspector, log, panes, program, rates, small, strip, workers};
use super::watch::Moment;

/// Draws a frame of the run into `buffer` and returns the cell of the text cursor, if a field is open.
pub fn draw(buffer: &mut Buffer, app: &App, shown: Moment<'_>) -> Option<Position> {
    let size = buffer.area;
    let look = app.look;
    let Some(layout) = app.layout(workers_of(shown.board)) else {
        small::draw(buffer, &look);
        return None;
    };
    let scene = Scene::new(shown, app, &layout);
    let mut canvas = Canvas::new(buffer, size, &look);
    if let Some(Layer::Help(help)) = &app.layer {
        return help.draw(&mut canvas, app.focus).map(|(x, y)| Position { x, y });
    }
    strip::draw(&mut canvas.part(layout.strip), &scene);
    let covered = layout.inspector.is_some_and(|place| place == layout.body);
    if covered {
        inspector::draw(&mut canvas.part(layout.body), &scene, false);
    } else if app.zoomed {
        zoomed(&mut canvas, &scene);
    } else {
        panels(&mut canvas, &scene);
    }
    if let (Some(place), false) = (layout.inspector, covered) {
        dock(&mut canvas, &scene);
        inspector::draw(&mut canvas.part(place), &scene, true);
    }
    match &app.layer {
        Some(layer) => {
            let keys = Rect { y: layout.footer.bottom() - 1, height: 1, ..layout.footer };
            overlay(&mut canvas, app, layer, keys, layout.body, shown)
        }
        None => {
            footer::draw(&mut canvas.part(layout.footer), app, shown.showing.badge);
            None
        }
    }
}

/// The panels, each in its place.
fn panels(canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
    let layout = scene.layout;
    panes::draw(&mut canvas.part(layout.panes), scene);
    workers::draw(&mut canvas.part(layout.workers), scene);
    if layout.form != Form::Small {
        let middle = panes::divide(layout.panes.width);
        canvas.joint(middle, layout.workers.y, Joint::Up, scene.app.focus == Panel::Workers);
    }
    if let Some(place) = layout.program {
        program::draw_strip(&mut canvas.part(place), scene);
    }
    in_turn(canvas, scene);
    if let Some(place) = layout.lists {
        lists(canvas, scene, place);
    }
    if let Some(place) = layout.tail {
        log::draw_tail(&mut canvas.part(place), scene);
    }
    if let Some(place) = layout.dock {
        dock(canvas, scene);
        program::draw_whole(&mut canvas.part(place), scene);
    }
}

/// The line between the panels and what is docked at the right, and where rules end at it.
fn dock(canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
    let layout = scene.layout;
    let docked = layout.dock.or(layout.inspector).map_or(DOCK, |place| place.width);
    let x = canvas.width().saturating_sub(docked + 1);
    canvas.column(x, layout.body.y, layout.body.height);
    let focus = scene.app.focus;
    canvas.joint(x, layout.body.y, Joint::Down, scene.app.zoomed);
    if scene.app.zoomed {
        return;
    }
    let turn = if layout.lists.is_some() { Panel::Timeline } else { scene.app.turn };
    canvas.joint(x, layout.workers.y, Joint::Left, focus == Panel::Workers);
    canvas.joint(x, layout.timeline.y, Joint::Left, focus == turn);
    if let Some(place) = layout.program {
        canvas.joint(x, place.y, Joint::Left, focus == Panel::Program);
    }
    if let Some(place) = layout.lists {
        let lists = [Panel::Dead, Panel::Log, Panel::Rates];
        canvas.joint(x, place.y, Joint::Left, place.width < 100 && lists.contains(&focus));
    }
}

/// The timeline, or the panel that has its turn there.
fn in_turn(canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
    let place = scene.layout.timeline;
    let turn = if scene.layout.lists.is_some() { Panel::Timeline } else { scene.app.turn };
    match turn {
        Panel::Dead | Panel::Log | Panel::Rates if place.width >= 100 => lists(canvas, scene, place),
        Panel::Dead => dead::draw(&mut canvas.part(place), scene),
        Panel::Log => log::draw(&mut canvas.part(place), scene, "5 log"),
        Panel::Rates => rates::draw(&mut canvas.part(place), scene),
        _ => lanes(canvas, scene, place),
    }
}

/// The timeline with its rule, in `place`.
fn lanes(canvas: &mut Canvas<'_>, scene: &Scene<'_>, place: Rect) {
    let app = scene.app;
    let focused = app.focus == Panel::Timeline;
    let turns = scene.layout.lists.is_none() && !app.zoomed;
    let mut title = "2 lease timeline".to_owned();
    let extent = timeline::extent(place, scene.board, scene.now, scene.workers.len());
    if let Some(words) = headline(scene, extent).filter(|_| !app.zoomed) {
        title = format!("2 lease timeline  {words}");
    } else if turns && place.width >= 80 {
        title = format!("2 lease timeline  4 dead {}  5 log  6 rates", scene.counters.dead);
    }
    let visible = usize::from(place.height.saturating_sub(2)).min(scene.layout.visible.max(1));
    let visible =
        if app.zoomed { scene.workers.len().min(usize::from(place.height.saturating_sub(2))) } else { visible };
    let first = app.first_worker(scene.workers.len(), visible);
    let mut right = app.timeline.rule_text(usize::from(place.width));
    let range = timeline::range_text(&scene.workers, first, visible);
    let alarm = range.as_ref().is_some_and(|text| text.ends_with('!'));
    if let Some(text) = range {
        right = format!("{right}   {}", text.trim_end_matches(" !"));
    }
    let room = usize::from(place.width).saturating_sub(right.len() + 10);
    let title = cut(&title, room).into_owned();
    canvas.part(place).rule(0, Rule { title: &title, right: &right, focused, alarm });
    let inside = Rect { y: place.y + 1, height: place.height.saturating_sub(1), ..place };
    let look: &Look = &app.look;
    let mut part = canvas.part(inside);
    let (buffer, area) = part.raw();
    timeline::render(buffer, area, scene.board, scene.now, &app.timeline, look, first..first + visible);
}

/// The one thing under the cursor that the rule has room for: a mark or an event at exactly its moment, on the
/// selected worker's lane if there is one, else the first of the cell.
fn headline(scene: &Scene<'_>, extent: timeline::Extent) -> Option<String> {
    let at = scene.app.timeline.cursor()?;
    if let Some((_, text)) = scene.board.marks().iter().find(|(mark, _)| *mark == at) {
        return Some(format!("{} {text}", moment(at)));
    }
    let all = timeline::under_cursor(scene.board, &scene.app.timeline, extent, &scene.app.look);
    let selected = scene.workers.get(scene.app.worker).map(|view| view.worker);
    let exact = || all.iter().filter(|under| under.at == at);
    let on_lane = exact().find(|under| under.worker.is_some() && under.worker == selected);
    on_lane.or_else(|| exact().next()).or(all.first()).map(told)
}

/// One thing under the cursor, in words.
fn told(under: &timeline::Under) -> String {
    let worker = under.worker.map(|worker| format!("{worker} ")).unwrap_or_default();
    format!("{} {worker}{}", under.time(), under.text)
}

/// What lies under the cursor, in words, by time.
fn under(scene: &Scene<'_>, extent: timeline::Extent) -> Vec<String> {
    let all = timeline::under_cursor(scene.board, &scene.app.timeline, extent, &scene.app.look);
    all.iter().map(told).collect()
}

/// Log, dead letters and rates side by side; the log alone where it is narrow, with the others taking turns.
fn lists(canvas: &mut Canvas<'_>, scene: &Scene<'_>, place: Rect) {
    if place.width < 100 {
        narrow_lists(canvas, scene, place);
        return;
    }
    // The log keeps the width that its longest lines need.
    let (dead_width, rates_width) = (29, 35 - 120u16.saturating_sub(place.width).min(5));
    let log_width = place.width - dead_width - rates_width - 2;
    let columns = [log_width, log_width + 1 + dead_width];
    log::draw(&mut canvas.part(Rect { width: log_width, ..place }), scene, "5 log");
    let dead_place = Rect { x: place.x + log_width + 1, width: dead_width, ..place };
    dead::draw(&mut canvas.part(dead_place), scene);
    let rates_place = Rect { x: place.x + columns[1] + 1, width: rates_width, ..place };
    rates::draw(&mut canvas.part(rates_place), scene);
    for x in columns {
        canvas.joint(place.x + x, place.y, Joint::Down, false);
        canvas.column(place.x + x, place.y + 1, place.height.saturating_sub(1));
    }
}

fn narrow_lists(canvas: &mut Canvas<'_>, scene: &Scene<'_>, place: Rect) {
    match scene.app.turn {
        Panel::Dead => dead::draw(&mut canvas.part(place), scene),
        Panel::Rates => rates::draw(&mut canvas.part(place), scene),
        _ => {
            let title = format!("5 log  4 dead {}  6 rates", scene.counters.dead);
            log::draw(&mut canvas.part(place), scene, &title);
        }
    }
}

/// The focused panel on all below the strip.
fn zoomed(canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
    let body = scene.layout.body;
    let place = match scene.layout.inspector {
        Some(dock) if dock != body => Rect { width: body.width.saturating_sub(dock.width + 1), ..body },
        _ => body,
    };
    match scene.app.focus {
        Panel::Workers => workers::draw(&mut canvas.part(place), scene),
        Panel::Timeline => zoomed_timeline(canvas, scene, place),
        Panel::Program => program::draw_whole(&mut canvas.part(place), scene),
        Panel::Dead => dead::draw_whole(&mut canvas.part(place), scene),
        Panel::Log => log::draw(&mut canvas.part(place), scene, "5 log"),
        Panel::Rates => rates::draw(&mut canvas.part(place), scene),
    }
}

/// The timeline, and below it whatever lies under the cursor, one by one.
fn zoomed_timeline(canvas: &mut Canvas<'_>, scene: &Scene<'_>, place: Rect) {
    let wanted = 1 + timeline::layout::Layout::wanted(scene.workers.len()) as u16;
    let height = wanted.min(place.height);
    lanes(canvas, scene, Rect { height, ..place });
    let extent = timeline::extent(place, scene.board, scene.now, scene.workers.len());
    for (y, words) in (place.y + height..place.bottom()).zip(under(scene, extent)) {
        canvas.put(place.x + 1, y, &words, Role::Text);
    }
}

/// Draws what is open on top, over the rows of `body` above the footer.
pub fn overlay(
    canvas: &mut Canvas<'_>,
    app: &App,
    layer: &Layer,
    footer: Rect,
    body: Rect,
    shown: Moment<'_>,
) -> Option<Position> {
    let over = |rows: u16| {
        let height = rows.min(body.height);
        Rect { y: body.bottom() - height, height, ..body }
    };
    match layer {
        Layer::Help(_) => None,
        Layer::Chooser(chooser) => {
            chooser.draw(&mut canvas.part(over(chooser.height())));
            footer::draw_hints(&mut canvas.part(footer), Context::Chooser);
            None
        }
        Layer::Ask(ask) => {
            let place = over(Ask::HEIGHT);
            let (x, y) = ask.draw(&mut canvas.part(place));
            footer::draw_hints(&mut canvas.part(footer), Context::Field);
            Some(Position { x, y: place.y + y })
        }
        Layer::Palette => {
            let place = over(Palette::HEIGHT);
            let workers = shown.board.workers(shown.now);
            let offer = app.offer(shown.board, &workers);
            let (x, y) = app.palette.draw(&mut canvas.part(place), &offer);
            footer::draw_hints(&mut canvas.part(footer), Context::Palette);
            Some(Position { x, y: place.y + y })
        }
    }
}

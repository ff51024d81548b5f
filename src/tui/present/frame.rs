//! One screen of the presenter: few words, the program on a line, and three figures that can be read from afar.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::slides::Slide;
use super::{Present, Sight, digits};
use crate::board::Board;
use crate::event::{End, Spot, What};
use crate::policy::program::Bracket;
use crate::policy::{Line, Point, Program};
use crate::tui::canvas::Canvas;
use crate::tui::fit::width;
use crate::tui::keys::{Command, Context};
use crate::tui::lesson::{centred, draw_way, keys_page};
use crate::tui::theme::Role;
use crate::tui::view::{footer, small};

/// The cell at which everything begins.
const EDGE: u16 = 4;
/// The rows of a screen that has room for all.
const HEIGHT: u16 = 24;
/// The rows at which words, program, question, answer and figures stand, counted from the top of those.
const WORDS: u16 = 4;
const PROGRAM: u16 = 9;
const QUESTION: u16 = 12;
const ANSWER: u16 = 14;
const FIGURES: u16 = 16;
/// The columns between two figures.
const APART: u16 = 21;

/// Draws the screen.
pub fn draw(buffer: &mut Buffer, present: &Present<'_>) {
    let area = buffer.area;
    let look = present.look;
    if area.width < 80 || area.height < HEIGHT {
        small::draw_for(buffer, &look, (80, HEIGHT));
        return;
    }
    let mut canvas = Canvas::new(buffer, area, &look);
    canvas.clear();
    let place = centred(area);
    let mut page = canvas.part(place);
    title(&mut page, present);
    draw_way(&mut page, 1, present.slide().number, present.thoughts());
    let down = (place.height - HEIGHT) / 2;
    let body = Rect { x: 0, y: down, width: place.width, height: HEIGHT - 1 };
    match present.sight {
        Sight::Keys(scroll) => {
            let rows = page.height().saturating_sub(4);
            let text = keys_page::write(&[Context::Presenter], page.width());
            for (y, line) in (3..3 + rows).zip(text.lines.iter().skip(usize::from(scroll))) {
                line.draw(&mut page, y);
            }
        }
        _ => thought(&mut page.part(body), present),
    }
    let bottom = Rect { x: 0, y: page.height() - 1, width: page.width(), height: 1 };
    keys(&mut page.part(bottom), present);
}

fn title(page: &mut Canvas<'_>, present: &Present<'_>) {
    let edge = page.width() - 1;
    let badge = present.run.showing().badge.name();
    let number = format!("{} of {}    {badge}", present.slide().number, present.thoughts());
    let start = page.put_right(edge, 0, &number, Role::Text);
    page.put_within(1, 0, start.saturating_sub(3), &present.stage.lab().title, Role::Strong);
}

fn keys(canvas: &mut Canvas<'_>, present: &Present<'_>) {
    if matches!(present.sight, Sight::Keys(_)) {
        footer::draw_own(canvas, None, &["up down scroll", "esc close"]);
        return;
    }
    let commands =
        [Command::Next, Command::Previous, Command::Truth, Command::FaultAgain, Command::Again, Command::Help];
    let hints: Vec<&str> =
        commands.iter().filter_map(|command| footer::hint_in(Context::Presenter, *command)).collect();
    footer::draw_own(canvas, present.message.as_deref(), &hints);
}

fn thought(canvas: &mut Canvas<'_>, present: &Present<'_>) {
    let slide = present.slide();
    let top = if slide.words.len() > 2 { WORDS - 1 } else { WORDS };
    for (i, line) in slide.words.iter().enumerate() {
        canvas.put(EDGE, top + 2 * i as u16, line, Role::Strong);
    }
    let first = (QUESTION + 1).saturating_sub(slide.question.len() as u16);
    for (y, line) in (first..).zip(&slide.question) {
        canvas.put(EDGE, y, line, Role::Strong);
    }
    for (y, line) in (ANSWER..).zip(&slide.answer) {
        canvas.put(EDGE, y, line, if slide.figures { Role::Accent } else { Role::Dim });
    }
    present.with_moment(|moment| {
        if slide.program {
            program(canvas, moment.board);
        }
        if slide.figures {
            figures(canvas, slide, moment.board);
        }
    });
}

/// The three figures: of the run that is shown, or of the one that the question is about.
fn figures(canvas: &mut Canvas<'_>, slide: &Slide, board: &Board) {
    let counters = board.counters();
    let shown = canvas.look.truth;
    let own = ([counters.lost, counters.once, counters.duplicated], String::new());
    let ([lost, once, twice], whose) = slide.other.as_ref().unwrap_or(&own);
    canvas.put_right(canvas.width() - 1, FIGURES, whose, Role::Dim);
    let all = [("LOST", *lost, true), ("ONCE", *once, false), ("TWICE", *twice, true)];
    for (i, (name, n, harm)) in all.into_iter().enumerate() {
        let x = EDGE + APART * i as u16;
        let role = if harm && n > 0 && shown { Role::Bad } else { Role::Text };
        canvas.put(x, FIGURES, name, role);
        digits::draw(canvas, (x, FIGURES + 1), shown.then_some(n), role);
    }
}

/// The program without its letters, with an `x` where the last worker died.
fn program(canvas: &mut Canvas<'_>, board: &Board) {
    let program = board.program();
    let died = death(board);
    let room = usize::from(canvas.width() - EDGE - 1);
    let laid = [5, 3, 2, 1].into_iter().map(|gap| pieces(program, died, gap));
    let pieces = laid.into_iter().find(|pieces| pieces.iter().map(|(text, _)| width(text)).sum::<usize>() <= room);
    let mut x = EDGE;
    for (text, role) in pieces.unwrap_or_default() {
        x = canvas.put(x, PROGRAM, &text, role);
    }
}

/// Where the last worker died: at a step or in the gap behind it.
fn death(board: &Board) -> Option<Spot> {
    let recent = board.recent().iter().rev();
    let last = recent.filter_map(|(_, event)| match &event.what {
        What::Ended { how: End::Crashed(spot), .. } => Some(*spot),
        _ => None,
    });
    let listed = || board.setup()?.crash.first().map(|strike| Spot::After(strike.at));
    last.into_iter().next().or_else(|| if board.counters().crashes > 0 { listed() } else { None })
}

fn pieces(program: &Program, died: Option<Spot>, gap: usize) -> Vec<(String, Role)> {
    let blank = " ".repeat(gap);
    let narrow = " ".repeat(gap.div_ceil(2));
    let mut pieces = Vec::new();
    let lines = program.lines();
    for (i, line) in lines.iter().enumerate() {
        let (before_commit, after) = deaths(line, died);
        pieces.push((step(line), Role::Text));
        if before_commit {
            pieces.push((format!("{narrow}x"), Role::BadMark));
        }
        if line.commit_letter.is_some() {
            pieces.push(("]".to_owned(), Role::Text));
        }
        if after {
            pieces.push((narrow.clone(), Role::Text));
            pieces.push(("x".to_owned(), Role::BadMark));
            pieces.push((narrow.clone(), Role::Text));
        } else if i + 1 < lines.len() {
            pieces.push((blank.clone(), Role::Text));
        }
    }
    pieces
}

/// Whether a worker died at this step, or before the commit of its bracket; and whether in the gap behind.
fn deaths(line: &Line, died: Option<Spot>) -> (bool, bool) {
    let closes = line.commit_letter.is_some();
    match died {
        Some(Spot::In(point)) => (point == line.point, false),
        Some(Spot::After(Point::Commit)) => (false, closes),
        Some(Spot::After(point)) => (point == line.point && closes, point == line.point && !closes),
        None => (false, false),
    }
}

fn step(line: &Line) -> String {
    let label = line.label.split(' ').next().unwrap_or(line.label);
    match line.bracket {
        Bracket::Alone => format!("[{label}]"),
        Bracket::Opens => format!("[{label}"),
        Bracket::Outside | Bracket::Within | Bracket::Closes => label.to_owned(),
    }
}

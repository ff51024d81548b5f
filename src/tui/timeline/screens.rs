//! Tests of the whole panel: the pictures that the timeline is for.

use std::collections::VecDeque;
use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::cells::{Frame, row};
use super::fixture::{Writer, at, text, window};
use super::layout::Layout;
use super::{Scene, TimelineState, draw, extent, render, under_cursor};
use crate::board::{Board, Lane, MarkKind, Note};
use crate::event::{By, End, Event, Spot, What};
use crate::ids::{Job, OrderKey, Row, Token, Worker};
use crate::policy::Point;
use crate::setup::Setup;
use crate::time::Span;
use crate::tui::glyphs::Glyphs;
use crate::tui::theme::{Look, Theme};

fn panel(
    lanes: &[(&str, Lane)],
    notes: &[(f64, &str)],
    scene: (f64, f64),
    size: (u16, u16),
    glyphs: Glyphs,
) -> Vec<String> {
    let notes: VecDeque<Note> = notes
        .iter()
        .map(|(when, text)| Note { at: at(*when), text: (*text).to_owned(), switch: text.ends_with(" on") })
        .collect();
    let area = Rect::new(0, 0, size.0, size.1);
    let scene = Scene {
        lanes: lanes.iter().map(|(name, lane)| ((*name).to_owned(), name.len() > 2, lane)).collect(),
        margin: 5,
        notes: &notes,
        marks: &[],
        window: window(scene.0, usize::from(size.0) - 6, scene.1),
        cursor: None,
    };
    let mut buf = Buffer::empty(area);
    let layout = Layout::of(usize::from(size.1), lanes.len());
    draw(&mut buf, area, &layout, &scene, &Look::new(Theme::Mono, glyphs));
    (0..size.1).map(|y| (0..size.0).map(|x| buf[(x, y)].symbol()).collect()).collect()
}

/// w1 does its work; job 10 fails there, and w1 applies 11 again, which w3 still works on.
fn healthy() -> Lane {
    Writer::default()
        .claim(7.60, 7, 1)
        .renew(&[8.60, 9.60, 10.60])
        .apply(10.80)
        .claim(11.30, 10, 1)
        .renew(&[12.30, 13.30, 14.30])
        .fail(14.60)
        .claim(15.60, 13, 1)
        .renew(&[16.60, 17.60, 18.60])
        .apply(18.80)
        .claim(18.81, 11, 2)
        .renew(&[19.81, 20.81])
        .apply(21.90)
        .claim(21.91, 15, 1)
        .renew(&[22.91, 23.91])
        .lane()
}

/// w2 is stalled at 9.5, commits job 8 too late for its ack, gets it again and finds it done.
fn stalled() -> Lane {
    Writer::default()
        .claim(8.80, 8, 1)
        .mark(9.50, MarkKind::Stall)
        .expire(11.80)
        .mark(12.05, MarkKind::Effect)
        .mark(12.06, MarkKind::Key)
        .mark(12.07, MarkKind::Stale)
        .end(12.07)
        .claim(12.08, 8, 2)
        .mark(13.30, MarkKind::Heal)
        .renew(&[13.40, 14.40])
        .mark(15.33, MarkKind::Recognised)
        .ack(15.34)
        .claim(15.35, 12, 1)
        .renew(&[16.35, 17.35])
        .apply(18.30)
        .claim(18.31, 10, 2)
        .renew(&[19.31, 20.31])
        .fail(21.10)
        .claim(21.11, 14, 1)
        .renew(&[22.11, 23.11, 24.11])
        .lane()
}

/// w3 is slowed and cut from the queue, works on without a lease, and its late write is fenced.
fn cut_off() -> Lane {
    Writer::default()
        .claim(7.30, 6, 1)
        .renew(&[8.30, 9.30])
        .apply(9.80)
        .claim(9.81, 9, 1)
        .renew(&[10.81, 11.81, 12.81])
        .apply(13.10)
        .claim(13.11, 11, 1)
        .renew(&[14.11])
        .mark(14.30, MarkKind::Slow)
        .mark(14.80, MarkKind::CutQueue)
        .expire(17.11)
        .mark(21.90, MarkKind::Heal)
        .mark(22.05, MarkKind::Fenced)
        .end(22.05)
        .claim(22.10, 10, 3)
        .renew(&[23.10, 24.10])
        .lane()
}

#[test]
fn every_kind_of_line_shows_in_one_small_panel() {
    let lanes = [("w1", healthy()), ("w2", stalled()), ("w3", cut_off())];
    let notes = [(9.5, "s w2"), (12.6, "fence on"), (14.8, "p w3")];
    let drawn = panel(&lanes, &notes, (8.75, 24.4), (80, 5), Glyphs::UNICODE);
    let expected = [
        "        s w2        fence on   p w3                                             ",
        " w1  ═══╪═══╪A 10══╪║══╪═══╪N   13══╪═══╪═══╪A11/2═══╪═══A15═╪═══╪═│         ◊  ",
        " w2  8══s════════◊ES8/2u═══╪═══D12═╪═══╪═══A10/2═══╪══N14═╪═══╪═══╪│          ◊ ",
        " w3  ══╪═A9══╪═══╪══║╪A11═╪l═p════════◊░░░░░░░░░░░░░░░░░░uF10/3═══╪│          ◊ ",
        "          |10                 |15                 |20              |now 24.4    ",
    ];
    assert_eq!(drawn, expected);
}

#[test]
fn plain_characters_take_the_same_cells() {
    let lanes = [("w1", healthy()), ("w2", stalled()), ("w3", cut_off())];
    let drawn = panel(&lanes, &[(12.6, "fence on")], (8.75, 24.4), (80, 5), Glyphs::ASCII);
    let expected = [
        "                    fence on                                                    ",
        " w1  ===+===+A 10==+:==+===+N   13==+===+===+A11/2===+===A15=+===+=|         !  ",
        " w2  8==s========!ES8/2u===+===D12=+===+===A10/2===+==N14=+===+===+|          ! ",
        " w3  ==+=A9==+===+==:+A11=+l=p========!%%%%%%%%%%%%%%%%%%uF10/3===+|          ! ",
        "          |10                 |15                 |20              |now 24.4    ",
    ];
    assert_eq!(drawn, expected);
}

/// w2 writes the effect of job 43, dies before its key, and is back five seconds later.
fn dies_between_two_writes() -> Lane {
    Writer::default()
        .claim(30.07, 35, 1)
        .renew(&[31.07, 32.07])
        .apply(33.10)
        .claim(33.11, 39, 1)
        .renew(&[34.11, 35.11])
        .apply(36.06)
        .claim(36.07, 43, 1)
        .renew(&[37.07, 38.07])
        .mark(38.90, MarkKind::Effect)
        .kill(38.90)
        .expire(41.07)
        .mark(43.90, MarkKind::Restart)
        .claim(43.91, 52, 1)
        .lane()
}

/// w4 applies job 43 again.
fn applies_again() -> Lane {
    Writer::default()
        .claim(31.10, 38, 1)
        .renew(&[32.10, 33.10])
        .apply(34.20)
        .claim(34.26, 42, 1)
        .renew(&[35.26, 36.26, 37.26])
        .apply(37.60)
        .claim(37.70, 46, 1)
        .renew(&[38.70, 39.70, 40.70])
        .apply(41.09)
        .claim(41.10, 43, 2)
        .renew(&[42.10, 43.10])
        .mark(43.52, MarkKind::EffectAgain)
        .mark(43.53, MarkKind::Key)
        .ack(43.54)
        .claim(43.55, 50, 1)
        .lane()
}

fn drawn(lane: &Lane, start: f64, columns: usize, now: f64, truth: bool) -> String {
    let frame = Frame { window: window(start, columns, now), switches: &[], truth, selected: None };
    text(&row(lane, &frame), &Glyphs::UNICODE)
}

#[test]
fn a_dead_worker_holds_its_lease_until_it_runs_out() {
    let lane = dies_between_two_writes();
    assert_eq!(drawn(&lane, 33.0, 61, 44.3, true), "A39═╪═══╪═══A43═╪═══╪══Ex───────◊          r52         ◊     ");
}

#[test]
fn before_its_lease_runs_out_the_deadline_stands_right_of_now() {
    let lane =
        Writer::default().claim(36.07, 43, 1).renew(&[37.07, 38.07]).mark(38.90, MarkKind::Effect).kill(38.90).lane();
    assert_eq!(drawn(&lane, 36.0, 25, 40.3, true), "43══╪═══╪══Ex────│  ◊    ");
}

#[test]
fn the_second_effect_swallows_its_ack() {
    let lane = applies_again();
    assert_eq!(drawn(&lane, 33.0, 61, 44.3, true), "╪═══A42══╪═══╪═══╪A46═╪═══╪═══╪═A43/2═══╪═#50│        ◊      ");
}

#[test]
fn with_the_ledger_hidden_the_second_effect_is_a_mere_ack() {
    let lane = applies_again();
    assert_eq!(drawn(&lane, 33.0, 61, 44.3, false), "╪═══A42══╪═══╪═══╪A46═╪═══╪═══╪═A43/2═══╪═A50│        ◊      ");
}

#[test]
fn the_large_panel_draws_now_through_the_empty_rows_too() {
    let lanes = [("w2x", dies_between_two_writes()), ("w4", applies_again())];
    let drawn = panel(&lanes, &[(38.9, "x w2")], (33.0, 44.3), (67, 6), Glyphs::UNICODE);
    let expected = [
        "                            x w2                                   ",
        " w2x A39═╪═══╪═══A43═╪═══╪══Ex───────◊          r52         ◊      ",
        "                                                  │                ",
        " w4  ╪═══A42══╪═══╪═══╪A46═╪═══╪═══╪═A43/2═══╪═#50│        ◊       ",
        "                                                  │                ",
        "             |35                 |40              |now 44.3        ",
    ];
    assert_eq!(drawn, expected);
}

#[test]
fn what_runs_through_the_lanes_ends_above_the_axis() {
    let lanes = [("w2", dies_between_two_writes()), ("w4", applies_again())];
    let drawn = panel(&lanes, &[(36.6, "fence on")], (33.0, 44.3), (67, 5), Glyphs::UNICODE);
    assert!(drawn[2].contains('║'));
    assert_eq!(drawn[4], "             |35                 |40              |now 44.3        ");
}

/// The fold of a run of three workers in which w2 takes over a job that w1 had applied before it died.
fn taken_over() -> Board {
    use What::{Acked, Claimed, Died, Effect, Ended, Enqueued, Expired, Marked, Renewed, Spawned, Started};
    let (w, j) = ([1, 2, 3].map(Worker), Job(0));
    let setup = Box::new(Setup { workers: 3, ..Setup::sandbox(249) });
    let claimed = |w, n, k, deadline| {
        let work = Span::seconds(2);
        Claimed { w, j, n, k: Token(k), deadline: at(deadline), lease: Span::seconds(3), work }
    };
    let crashed = End::Crashed(Spot::After(Point::Effect));
    let mut events = vec![(0.0, Started { setup, run: 1 })];
    events.extend(w.map(|w| (0.0, Spawned { w, generation: 1 })));
    events.extend([
        (0.1, Enqueued { j, key: OrderKey(0), due: at(0.1), poison: None }),
        (0.1, claimed(w[0], 1, 1, 3.1)),
        (1.05, Renewed { w: w[0], k: Token(1), deadline: at(4.05) }),
        (2.1, Effect { w: w[0], j, k: Token(1), row: Row(1) }),
        (2.1, Ended { w: w[0], j, k: Token(1), how: crashed, by: Some(By::Operator) }),
        (2.1, Died { w: w[0], generation: 1, by: By::Operator, back: None }),
        (3.0, Marked { text: "here".into() }),
        (4.05, Expired { w: w[0], j, k: Token(1) }),
        (4.06, claimed(w[1], 2, 2, 7.06)),
        (5.01, Renewed { w: w[1], k: Token(2), deadline: at(8.01) }),
        (6.06, Effect { w: w[1], j, k: Token(2), row: Row(2) }),
        (6.07, Acked { w: w[1], j, k: Token(2) }),
        (6.07, Ended { w: w[1], j, k: Token(2), how: End::Done, by: None }),
    ]);
    let mut board = Board::new();
    events.into_iter().for_each(|(when, what)| board.fold(&Event { at: at(when), what }));
    board
}

fn rendered(board: &Board, state: &TimelineState, size: (u16, u16), shown: Range<usize>) -> Vec<String> {
    let area = Rect::new(0, 0, size.0, size.1);
    let mut buf = Buffer::empty(area);
    render(&mut buf, area, board, at(7.1), state, &Look::new(Theme::Dark, Glyphs::UNICODE), shown);
    (0..size.1).map(|y| (0..size.0).map(|x| buf[(x, y)].symbol()).collect()).collect()
}

#[test]
fn a_run_that_was_folded_shows_as_it_went() {
    let drawn = rendered(&taken_over(), &TimelineState::default(), (60, 5), 0..3);
    let expected = [
        "             x w1   here                                    ",
        " w1x 0═══╪═══Ex──────◊           │                          ",
        " w2                  0/2═╪═══#   │                          ",
        " w3                              │                          ",
        "     |0                  |5      |now 7.1    |10            ",
    ];
    assert_eq!(drawn, expected);
}

#[test]
fn lanes_that_are_scrolled_away_leave_their_rows_to_captions() {
    let drawn = rendered(&taken_over(), &TimelineState::default(), (60, 3), 1..2);
    assert!(drawn[0].contains("x w1"));
    assert!(drawn[1].starts_with(" w2 "));
    assert_eq!(
        rendered(&taken_over(), &TimelineState::default(), (60, 3), 5..9)[1].trim(),
        "|0                  |5      |now 7.1    |10"
    );
}

#[test]
fn the_cursor_on_an_anomaly_lists_what_happened_there() {
    let board = taken_over();
    let extent = extent(Rect::new(0, 0, 60, 5), &board, at(7.1), 3);
    let mut state = TimelineState::default();
    let look = Look::new(Theme::Dark, Glyphs::UNICODE);
    assert!(under_cursor(&board, &state, extent, &look).is_empty());
    state.next_anomaly(board.anomalies(), extent).expect("the second effect");
    let told: Vec<(String, Option<Worker>, String)> = under_cursor(&board, &state, extent, &look)
        .into_iter()
        .map(|under| (under.time(), under.worker, under.text))
        .collect();
    let w2 = Some(Worker(2));
    let expected = [
        ("6.060".to_owned(), w2, "# effect AGAIN, job 0/2".to_owned()),
        ("6.070".to_owned(), w2, "A acked, job 0/2".to_owned()),
    ];
    assert_eq!(told, expected);
    let axis = &rendered(&board, &state, (60, 5), 0..3)[4];
    assert_eq!(axis.trim_end(), "     |0                  |5  ^6.0            |10");
}

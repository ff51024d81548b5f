//! What holds for every lane, window and size.

use std::collections::VecDeque;

use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::cells::{self, Frame, Glyph, row};
use super::layout::Layout;
use super::seats::{Seat, seats};
use super::state::Extent;
use super::window::Window;
use super::{Scene, TimelineState, draw, lines};
use crate::board::{Bar, Lane, Mark, MarkKind, Note};
use crate::ids::{Job, Token};
use crate::time::{Instant, Span};
use crate::tui::glyphs::Glyphs;
use crate::tui::theme::{Look, Theme};

/// A moment in the first minute, in nanoseconds, crowded enough that marks meet.
fn moment() -> impl Strategy<Value = u64> {
    (0_u64..60_000).prop_map(|millis| millis * 1_000_000)
}

/// A span that is mostly short.
fn short() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), 0_u64..1_000_000_000, 0_u64..10_000_000_000]
}

fn bar() -> impl Strategy<Value = Bar> {
    let ends = (proptest::option::of(short()), proptest::option::of(short()));
    let rests = proptest::collection::vec((short(), proptest::option::of(short())), 0..3);
    (moment(), 0_u32..200, 1_u32..4, short(), ends, rests, any::<bool>()).prop_map(
        |(from, job, attempt, lease, (over, ended), rests, acked_first)| Bar {
            token: Token(0),
            job: Job(job),
            attempt,
            from: Instant(from),
            lease_until: over.map(|span| Instant(from + span)),
            deadline: Instant(from + lease),
            ended: ended.map(|span| Instant(from + span)),
            rests: rests
                .into_iter()
                .map(|(after, length)| (Instant(from + after), length.map(|l| Instant(from + after + l))))
                .collect(),
            acked_first,
        },
    )
}

/// A lane in the order that the board keeps: deliveries by time and token, marks by time.
fn lane() -> impl Strategy<Value = Lane> {
    let kinds = proptest::sample::select(MarkKind::ALL.to_vec());
    let marks = proptest::collection::vec((moment(), kinds, proptest::option::of(1_u64..40)), 0..120);
    (proptest::collection::vec(bar(), 0..40), marks).prop_map(|(mut bars, mut marks)| {
        bars.sort_by_key(|bar| bar.from);
        for (index, bar) in bars.iter_mut().enumerate() {
            bar.token = Token(index as u64 + 1);
        }
        marks.sort_by_key(|(at, _, _)| *at);
        let mark =
            |(at, kind, token): (u64, MarkKind, Option<u64>)| Mark { at: Instant(at), kind, token: token.map(Token) };
        Lane { bars: bars.into(), marks: marks.into_iter().map(mark).collect() }
    })
}

fn window() -> impl Strategy<Value = Window> {
    let cells =
        proptest::sample::select(vec![0_u64, 1_000_000, 10_000_000, 250_000_000, 2_500_000_000, 600_000_000_000]);
    (moment(), cells, 0_usize..220, moment()).prop_map(|(start, cell, columns, now)| Window {
        start: Instant(start),
        cell: Span(cell),
        columns,
        now: Instant(now),
    })
}

fn frame(window: Window, truth: bool) -> Frame<'static> {
    Frame { window, switches: &[2, 5], truth, selected: Some(Job(7)) }
}

/// The marks of the window that are to be seen, seated or not.
fn visible_marks<'a>(lane: &'a Lane, window: &'a Window) -> impl Iterator<Item = &'a Mark> {
    lane.marks.iter().filter(|mark| mark.kind != MarkKind::Renewed && window.column(mark.at).is_some())
}

/// True if another mark of the same delivery in the same cell tells what this one would, or a key's own ack does.
fn is_told_by_another(mark: &Mark, lane: &Lane, window: &Window) -> bool {
    let mut same = lane.marks.iter().filter(|other| other.token == mark.token);
    let mut beside = |kinds: &[MarkKind]| {
        same.any(|other| kinds.contains(&other.kind) && window.place(other.at) == window.place(mark.at))
    };
    match mark.kind {
        MarkKind::Effect => mark.token.is_some() && beside(&[MarkKind::Acked]),
        MarkKind::Acked => mark.token.is_some() && beside(&[MarkKind::Recognised, MarkKind::EffectAgain]),
        MarkKind::Key => same.any(|other| {
            other.at >= mark.at && matches!(other.kind, MarkKind::Acked | MarkKind::Stale | MarkKind::Unheard)
        }),
        _ => false,
    }
}

fn drawn(seats: &[Seat]) -> Vec<&Seat> {
    seats.iter().filter(|seat| !seat.folded).collect()
}

proptest! {
    #[test]
    fn every_row_has_exactly_its_width(lane in lane(), window in window(), truth in any::<bool>()) {
        prop_assert_eq!(row(&lane, &frame(window, truth)).len(), window.columns);
        prop_assert_eq!(cells::gap(&frame(window, truth)).len(), window.columns);
    }

    #[test]
    fn no_mark_is_lost(lane in lane(), window in window()) {
        let mut seated: Vec<Mark> = seats(&lane.marks, &window, |_| true).iter().map(|seat| seat.mark).collect();
        for mark in visible_marks(&lane, &window) {
            match seated.iter().position(|other| other == mark) {
                Some(index) => drop(seated.swap_remove(index)),
                None => prop_assert!(is_told_by_another(mark, &lane, &window), "{mark:?} is nowhere"),
            }
        }
    }

    #[test]
    fn marks_keep_their_order_and_move_three_cells_at_most(lane in lane(), window in window()) {
        let seats = seats(&lane.marks, &window, |_| true);
        let drawn = drawn(&seats);
        prop_assert!(drawn.windows(2).all(|pair| pair[0].place < pair[1].place && pair[0].mark.at <= pair[1].mark.at));
        for seat in &seats {
            let moved = seat.place - window.place(seat.mark.at);
            let at_the_edge = seat.folded && seat.place == window.columns as i64 - 1;
            prop_assert!((0..=3).contains(&moved) || at_the_edge, "{seat:?} moved {moved}");
            prop_assert!(seat.place < window.columns as i64);
        }
    }

    #[test]
    fn a_sign_for_folded_marks_stands_for_two_or_more_and_shares_its_place_with_no_other(
        lane in lane(), window in window(),
    ) {
        let seats = seats(&lane.marks, &window, |_| true);
        for seat in &seats {
            let same = seats.iter().filter(|other| other.place == seat.place);
            if seat.folded {
                prop_assert!(same.clone().count() >= 2 && same.clone().all(|other| other.folded));
            } else {
                prop_assert_eq!(same.count(), 1);
            }
        }
    }

    #[test]
    fn what_has_a_seat_in_sight_is_drawn_there(lane in lane(), window in window()) {
        let row = row(&lane, &frame(window, true));
        prop_assume!(super::sparkline::counts(&lane.bars, &window).is_none());
        for seat in seats(&lane.marks, &window, |_| true) {
            let Some(column) = window.visible(seat.place) else { continue };
            let expected = match seat.mark.kind {
                _ if seat.folded => Glyph::Letter('+'),
                MarkKind::Expired => Glyph::Expiry,
                kind => Glyph::Letter(cells::letter(kind)),
            };
            prop_assert_eq!(row[column].glyph, expected);
        }
    }

    #[test]
    fn a_hidden_ledger_shows_nothing_that_only_it_knows(lane in lane(), window in window()) {
        for cell in row(&lane, &frame(window, false)) {
            prop_assert!(!matches!(cell.glyph, Glyph::Letter('#' | 'L' | 'D')));
        }
    }

    #[test]
    fn right_of_now_there_is_no_line(lane in lane(), window in window()) {
        let now = window.place(window.now);
        for (column, cell) in row(&lane, &frame(window, true)).iter().enumerate() {
            let began_later = lane.bars.iter().any(|bar| window.column(bar.from) == Some(column));
            prop_assert!(column as i64 <= now || began_later || !matches!(cell.glyph, Glyph::Line(_)));
        }
    }

    #[test]
    fn a_line_says_what_held_at_the_middle_of_its_cell(lane in lane(), window in window()) {
        for (column, cell) in row(&lane, &frame(window, true)).iter().enumerate() {
            let Glyph::Line(line) = cell.glyph else { continue };
            let middle = window.middle(column).min(window.now);
            let held = lane.bars.iter().any(|bar| bar.from <= middle && lines::state(bar, middle) == Some(line));
            let first = lane.bars.iter().any(|bar| window.column(bar.from) == Some(column));
            prop_assert!(held || first, "{line:?} in column {column}");
        }
    }

    #[test]
    fn drawing_stays_inside_its_area_whatever_its_size(
        lanes in proptest::collection::vec(lane(), 0..5), window in window(),
        area in (0_u16..90, 0_u16..20, 0_u16..120, 0_u16..16), cursor in proptest::option::of(moment()),
    ) {
        let whole = Rect::new(3, 2, 80, 12);
        let area = Rect::new(area.0, area.1, area.2, area.3).intersection(whole);
        let notes: VecDeque<Note> =
            [(1, "x w4"), (9, "fence on")].map(|(s, text)| Note { at: Instant(s * 1_000_000_000), text: text.to_owned(), switch: s == 9 }).into();
        let mut buf = Buffer::filled(whole, ratatui::buffer::Cell::new("\u{b7}"));
        let scene = Scene {
            lanes: lanes.iter().map(|lane| ("w1x".to_owned(), true, lane)).collect(),
            margin: 5,
            notes: &notes,
            marks: &[],
            window,
            cursor: cursor.map(Instant),
        };
        let layout = Layout::of(usize::from(area.height), lanes.len());
        draw(&mut buf, area, &layout, &scene, &Look::new(Theme::Dark, Glyphs::UNICODE));
        for y in whole.top()..whole.bottom() {
            for x in whole.left()..whole.right() {
                let touched = buf[(x, y)].symbol() != "\u{b7}";
                prop_assert!(!touched || area.contains((x, y).into()), "{x},{y} is outside of {area:?}");
            }
        }
    }

    #[test]
    fn wherever_one_looks_the_cursor_is_in_sight_and_nothing_breaks(
        moves in proptest::collection::vec((0_u8..6, -300_i64..300, moment()), 0..20),
        columns in 0_usize..220, now in moment(), lease in short(),
    ) {
        let extent = Extent { columns, now: Instant(now), lease: Span(lease) };
        let mut state = TimelineState::fitting(extent.lease);
        for (which, cells, at) in moves {
            match which {
                0 => state.step(cells, extent),
                1 => state.goto(Instant(at), None, extent),
                2 => drop(state.wider()),
                3 => drop(state.finer()),
                4 => state.follow(),
                _ => drop(state.goto_mark(&[(Instant(at), String::new())], cells < 0, extent)),
            }
            let window = state.window(extent);
            prop_assert_eq!(window.start.0 % window.cell.0, 0);
            if let (Some(cursor), true) = (state.cursor(), columns > 0) {
                prop_assert!(window.column(cursor).is_some(), "{state:?} {window:?}");
            }
        }
    }
}

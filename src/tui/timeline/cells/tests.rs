//! Lanes by rule: who wins a cell, and what a line says.

use super::*;
use crate::tui::timeline::fixture::{Writer, marks, text, window};

fn frame(start: f64, columns: usize, now: f64) -> Frame<'static> {
    Frame { window: window(start, columns, now), switches: &[], truth: true, selected: None }
}

fn drawn(writer: Writer, frame: &Frame) -> String {
    text(&row(&writer.lane(), frame), &Glyphs::UNICODE)
}

fn roles(writer: Writer, frame: &Frame, role: Role) -> String {
    row(&writer.lane(), frame).iter().map(|cell| if cell.role == role { '*' } else { '.' }).collect()
}

#[test]
fn a_sleeping_worker_holds_its_lease_and_wakes_without_it() {
    let sleeper = || {
        Writer::default()
            .claim(0.1, 5, 1)
            .mark(1.0, MarkKind::Pause)
            .rest(1.0, Some(4.0))
            .expire(3.1)
            .mark(4.0, MarkKind::Heal)
            .mark(5.1, MarkKind::Stale)
            .end(5.1)
    };
    let frame = frame(0.0, 24, 6.0);
    assert_eq!(drawn(sleeper(), &frame), "5═══z───────◊   u░░░S   ");
    assert_eq!(roles(sleeper(), &frame, Role::Dim), ".....*******............");
    assert_eq!(roles(sleeper(), &frame, Role::Bad), ".................***....");
}

#[test]
fn work_after_an_early_ack_is_unprotected_and_worth_a_look() {
    let early = || Writer::default().claim(0.1, 5, 1).ack_first(0.11).mark(2.1, MarkKind::Effect).end(2.1);
    let frame = frame(0.0, 12, 2.9);
    assert_eq!(drawn(early(), &frame), "A5░░░░░░E  │");
    assert_eq!(roles(early(), &frame, Role::Look), "..******....");
}

#[test]
fn a_delivery_shorter_than_half_a_cell_still_shows_its_first_cell() {
    let short = Writer::default().claim(1.01, 1_234_567, 1).lease_over(1.02).end(1.02).claim(1.60, 6, 1);
    assert_eq!(drawn(short, &frame(0.0, 12, 2.1)), "    ═ 6═│   ");
}

#[test]
fn a_label_that_does_not_fit_is_left_out() {
    let pressed = Writer::default().claim(0.1, 43, 2).apply(0.8).claim(0.81, 44, 1).apply(1.3).claim(1.31, 45, 1);
    assert_eq!(drawn(pressed, &frame(0.0, 12, 2.6)), "═══A═A45══│ ");
}

#[test]
fn a_delivery_that_fills_the_window_has_its_label_at_the_left_edge() {
    let long = || Writer::default().claim(0.1, 43, 2).renew(&[1.1, 2.1]);
    assert_eq!(drawn(long(), &frame(1.0, 10, 2.6)), "43/2╪═│   ");
    assert_eq!(drawn(long().ack(2.3).claim(2.4, 5, 1), &frame(1.0, 10, 2.6)), "╪═══╪A5   ");
}

#[test]
fn labels_never_touch() {
    let bare = |writer: Writer| writer.lease_over(0.49).end(0.49).claim(0.51, 44, 1);
    assert_eq!(drawn(bare(Writer::default().claim(0.1, 43, 1)), &frame(0.0, 8, 1.6)), "43════│ ");
}

#[test]
fn a_mark_wins_over_a_label_and_a_label_over_renewal_and_now() {
    let writer = || Writer::default().claim(0.1, 43, 2).renew(&[0.30, 1.1]);
    assert_eq!(drawn(writer(), &frame(0.0, 8, 1.6)), "43/2╪═│ ");
    assert_eq!(drawn(writer().mark(0.6, MarkKind::Stall), &frame(0.0, 8, 1.6)), "═╪s═╪═│ ");
    assert_eq!(drawn(Writer::default().claim(0.1, 43, 2), &frame(0.0, 8, 0.3)), "43/2    ");
}

#[test]
fn a_switch_and_now_run_through_lines_and_renewals() {
    let writer = Writer::default().claim(0.1, 43, 1).renew(&[1.1, 1.6]);
    let frame = Frame { switches: &[1, 4], ..frame(0.0, 8, 1.6) };
    assert_eq!(drawn(writer, &frame), "43══║═│ ");
    assert_eq!(text(&gap(&frame), &Glyphs::ASCII), " :  : | ");
}

#[test]
fn a_deadline_is_right_of_now_even_in_the_cell_of_now() {
    let writer = || Writer::default().claim(0.1, 4, 1);
    assert_eq!(drawn(writer(), &frame(0.0, 14, 3.09)), "4═══════════│◊");
    assert_eq!(drawn(writer(), &frame(0.0, 14, 2.0)), "4═══════│   ◊ ");
    assert_eq!(drawn(writer(), &frame(0.0, 8, 2.5)), "4═══════", "out of sight to the right");
}

#[test]
fn the_lease_of_a_dead_worker_shows_behind_the_delivery_after_it() {
    let writer =
        Writer::default().claim(0.1, 4, 1).kill(1.1).lease_over(3.1).claim(1.6, 5, 1).apply(2.1).claim(4.0, 6, 1);
    assert_eq!(drawn(writer, &frame(0.0, 20, 4.4)), "4═══x─5═A───    6│  ");
}

#[test]
fn more_than_two_deliveries_in_a_cell_become_a_sparkline() {
    let mut writer = Writer::default();
    for n in 0..12 {
        let start = if n < 8 { 0.02 * f64::from(n) } else { 0.5 + 0.02 * f64::from(n - 8) };
        writer = writer.claim(start, n, 1).apply(start + 0.015);
    }
    writer = writer.claim(0.8, 99, 1).mark(0.9, MarkKind::EffectAgain).ack(0.9).claim(1.0, 100, 1).kill(1.05);
    assert_eq!(drawn(writer, &frame(0.0, 20, 1.6)), "█ ▃#x │         ◊   ");
}

#[test]
fn two_deliveries_in_a_cell_are_still_told_apart_and_three_are_not() {
    let burst =
        |count: u32| (0..count).fold(Writer::default(), |writer, n| writer.claim(0.01 + 0.05 * f64::from(n), n, 1));
    assert!(!drawn(burst(2), &frame(0.0, 20, 1.6)).contains('█'));
    assert!(drawn(burst(3), &frame(0.0, 20, 1.6)).starts_with("█     │"));
}

#[test]
fn two_deliveries_in_most_cells_become_a_sparkline_too() {
    let pairs = |cells: u32| {
        (0..2 * cells).fold(Writer::default(), |writer, n| {
            let start = 0.01 + 0.125 * f64::from(n);
            writer.claim(start, n, 1).apply(start + 0.1)
        })
    };
    assert_eq!(drawn(pairs(7), &frame(0.0, 12, 2.1)), "███████ │   ");
    assert!(drawn(pairs(4), &frame(0.0, 12, 2.1)).starts_with("AAAA"));
}

#[test]
fn a_sign_for_folded_marks_is_as_grave_as_the_gravest_of_them() {
    use MarkKind::{EffectAgain, Kill, Unheard};
    let crowd = |last| {
        let kinds = [(0.1, EffectAgain), (0.11, EffectAgain), (0.12, EffectAgain), (0.13, Kill), (0.14, last)];
        Lane { marks: marks(&kinds), ..Lane::default() }
    };
    let sign = |last| row(&crowd(last), &frame(0.0, 8, 1.6))[3];
    assert_eq!((sign(Unheard).glyph, sign(Unheard).role), (Glyph::Letter('+'), Role::Mine));
    assert_eq!(sign(EffectAgain).role, Role::BadMark, "the fourth second effect is in the sign");
}

#[test]
fn a_label_moves_three_cells_at_most() {
    use MarkKind::{Expired, Stale, Unheard};
    let crowd = |kinds: &[MarkKind]| {
        let mut writer = Writer::default().claim(0.01, 1, 1).lease_over(0.2).end(0.2);
        for (n, kind) in kinds.iter().enumerate() {
            writer = writer.mark(0.3 + 0.01 * n as f64, *kind);
        }
        writer.claim(0.4, 5, 1)
    };
    assert_eq!(drawn(crowd(&[Expired, Unheard, Stale]), &frame(0.0, 8, 1.9)), "1◊?S5══│");
    assert_eq!(drawn(crowd(&[Expired, Unheard, Stale, Stale]), &frame(0.0, 8, 1.9)), "1◊?SS══│");
}

#[test]
fn two_live_leases_that_end_in_a_cell_have_one_deadline_there() {
    let both = Writer::default().claim(0.1, 4, 1).kill(0.12).claim(0.15, 5, 1);
    assert_eq!(drawn(both, &frame(0.0, 15, 1.1)), "x5══│       ◊  ");
}

#[test]
fn the_selected_job_is_bold_and_the_rest_steps_back_but_not_what_is_wrong() {
    let lane = Writer::default()
        .claim(0.1, 43, 1)
        .apply(1.1)
        .claim(1.11, 44, 1)
        .mark(2.1, MarkKind::EffectAgain)
        .ack(2.11)
        .lane();
    let frame = Frame { selected: Some(Job(43)), ..frame(0.0, 12, 2.6) };
    let weights: String = row(&lane, &frame)
        .iter()
        .map(|cell| match cell.weight {
            Weight::Plain => '.',
            Weight::Bold => 'b',
            Weight::Dim => 'd',
        })
        .collect();
    assert_eq!(text(&row(&lane, &frame), &Glyphs::UNICODE), "43══A44═# │ ");
    assert_eq!(weights, "bbbbbddd....");
}

#[test]
fn a_hidden_ledger_hides_what_only_it_knows() {
    let writer = || {
        Writer::default()
            .claim(0.1, 4, 2)
            .mark(1.1, MarkKind::Recognised)
            .ack(1.11)
            .claim(1.6, 5, 1)
            .ack_first(1.61)
            .kill(2.1)
            .mark(2.11, MarkKind::Lost)
    };
    assert_eq!(drawn(writer(), &frame(0.0, 12, 2.8)), "4/2═D A5xL │");
    assert_eq!(drawn(writer(), &Frame { truth: false, ..frame(0.0, 12, 2.8) }), "4/2═A A5x  │");
}

//! Rates and latencies: what came in, was acked and was applied a second, and how long jobs waited.

use super::Scene;
use crate::time::{Instant, Span};
use crate::tui::canvas::{Canvas, Rule};
use crate::tui::fit::{self, narrow};
use crate::tui::glyphs::Glyphs;
use crate::tui::panel::Panel;
use crate::tui::theme::Role;

/// Over how many seconds a rate is taken.
const SECONDS: usize = 10;

/// Draws the rates with their rule.
pub fn draw(canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
    let focused = scene.app.focus == Panel::Rates;
    canvas.rule(0, Rule { title: "6 rates", right: "", focused, alarm: false });
    let cells = usize::from(canvas.width().saturating_sub(19)).clamp(4, 600);
    let rates = scene.board.rates(scene.now, cells.max(SECONDS));
    let truth = scene.app.look.truth;
    let operator = scene.board.operator(scene.now);
    series(canvas, 1, "in", operator.arrivals, &rates.arrivals, cells);
    series(canvas, 2, "acked", operator.acks, &rates.acks, cells);
    if truth {
        series(canvas, 3, "effects", mean(&rates.effects, scene.now), &rates.effects, cells);
    } else {
        canvas.put(1, 3, "effects       ?", Role::Text);
    }
    latency(canvas, 4, "wait", rates.wait);
    latency(canvas, 5, "done in", rates.service);
}

fn series(canvas: &mut Canvas<'_>, y: u16, name: &str, rate: f64, values: &[u32], cells: usize) {
    canvas.put(1, y, name, Role::Text);
    canvas.put_right(15, y, &fit::rate(rate), Role::Text);
    let last = &values[values.len().saturating_sub(cells)..];
    canvas.put(17, y, &sparkline(last, &canvas.look.glyphs), Role::Dim);
}

/// The mean of the last ten seconds, or of as many as there have been, as the operator's rates are taken.
fn mean(values: &[u32], now: Instant) -> f64 {
    let last = &values[values.len().saturating_sub(SECONDS)..];
    let span = now.since(Instant::START).as_seconds().clamp(1.0, SECONDS as f64);
    last.iter().map(|n| f64::from(*n)).sum::<f64>() / span
}

/// One cell a value: the lowest level is none at all, the highest the greatest of them.
fn sparkline(values: &[u32], glyphs: &Glyphs) -> String {
    let top = u64::from(values.iter().copied().max().unwrap_or(0).max(3));
    let level = |n: u32| {
        let level = (u64::from(n) * 3).div_ceil(top);
        glyphs.spark[usize::try_from(level).unwrap_or(3).min(3)]
    };
    values.iter().map(|n| level(*n)).collect()
}

fn latency(canvas: &mut Canvas<'_>, y: u16, name: &str, spans: Option<(Span, Span)>) {
    canvas.put(1, y, name, Role::Text);
    let words = match spans {
        Some((median, high)) => format!("p50 {}   p99 {}", narrow(median), narrow(high)),
        None => "unknown".to_owned(),
    };
    canvas.put(9, y, &words, Role::Text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_has_its_top_at_the_greatest_value_and_its_bottom_at_none() {
        assert_eq!(sparkline(&[0, 1, 2, 3], &Glyphs::ASCII), "_-=#");
        assert_eq!(sparkline(&[0, 100, 40, 1], &Glyphs::UNICODE), "▁█▅▃");
        assert_eq!(sparkline(&[0, 0], &Glyphs::ASCII), "__");
    }

    #[test]
    fn a_rate_is_the_mean_of_ten_seconds_or_of_what_there_is_of_them() {
        let at = |s| Instant::START + Span::seconds(s);
        let mut values = vec![100];
        values.extend([1, 1, 1, 1, 2, 1, 1, 1, 1, 2]);
        assert_eq!(mean(&values, at(60)), 1.2);
        assert_eq!(mean(&[0, 0, 0, 0, 0, 0, 0, 2, 1, 3], at(4)), 1.5);
        assert_eq!(mean(&[], at(0)), 0.0);
    }
}

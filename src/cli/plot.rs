//! A plot in characters: what was measured and what was predicted, over one axis, at most 80 by 20.
//!
//! An axis is logarithmic when what lies on it spans more than two decades and is above zero throughout; else it is
//! linear, upright from zero. Values that are no numbers stand side by side.

/// Lines of the plot itself, without the axis below it.
const HEIGHT: usize = 14;
/// Columns of a whole line.
const WIDTH: usize = 78;
/// An axis with more than this between its ends is logarithmic.
const TWO_DECADES: f64 = 100.0;

/// What was measured.
const MEASURED: char = '*';
/// What was predicted.
const PREDICTED: char = '.';
/// Both at one place.
const BOTH: char = 'o';

/// One value and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Dot {
    /// The value, as it is written below the axis.
    pub label: String,
    /// The value as a number; values without one stand side by side.
    pub x: Option<f64>,
    /// What was measured.
    pub measured: f64,
    /// What was predicted, if anything was.
    pub predicted: Option<f64>,
}

/// What stands on an axis, and where.
struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Axis {
    /// The axis that all of `values` fit on. A linear one begins at zero if `from_zero` says so.
    fn of(values: &[f64], from_zero: bool) -> Axis {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let logarithmic = low > 0.0 && high / low > TWO_DECADES;
        let low = if from_zero && !logarithmic { 0.0 } else { low };
        let high = if high > low { high } else { low + 1.0 };
        Axis { low, high, logarithmic }
    }

    /// The place of `value` among `cells` places.
    fn place(&self, value: f64, cells: usize) -> usize {
        let share = if self.logarithmic {
            libm::log(value / self.low) / libm::log(self.high / self.low)
        } else {
            (value - self.low) / (self.high - self.low)
        };
        ((share * (cells - 1) as f64).round() as usize).min(cells - 1)
    }

    /// What stands at the middle of the axis.
    fn middle(&self) -> f64 {
        if self.logarithmic { libm::sqrt(self.low * self.high) } else { f64::midpoint(self.low, self.high) }
    }
}

/// The plot of `dots`, of which `what` was measured at each value of `parameter`.
pub fn plot(dots: &[Dot], parameter: &str, what: &str) -> String {
    let heights: Vec<f64> = dots.iter().flat_map(|dot| dot.predicted.into_iter().chain([dot.measured])).collect();
    let xs: Vec<f64> = dots.iter().enumerate().map(|(n, dot)| dot.x.unwrap_or(n as f64)).collect();
    if dots.is_empty() {
        return String::new();
    }
    let (across, upright) = (Axis::of(&xs, false), Axis::of(&heights, true));
    let marks = [upright.high, upright.middle(), upright.low].map(figure);
    let gutter = marks.iter().map(String::len).max().unwrap_or_default();
    let columns = WIDTH - gutter - 4;
    let places: Vec<usize> = xs.iter().map(|x| across.place(*x, columns)).collect();
    let canvas = canvas(dots, &places, &upright, columns);
    let logarithmic = |axis: &Axis| if axis.logarithmic { " (logarithmic)" } else { "" };
    let mut text = format!("{what}{}\n", logarithmic(&upright));
    for (n, line) in canvas.iter().enumerate() {
        let mark = match n {
            0 => &marks[0],
            n if n == HEIGHT / 2 => &marks[1],
            n if n + 1 == HEIGHT => &marks[2],
            _ => "",
        };
        text += format!("{mark:>gutter$} | {}", line.iter().collect::<String>()).trim_end();
        text += "\n";
    }
    text += &format!("{:gutter$} +-{}\n", "", "-".repeat(columns));
    text += format!("{:gutter$}   {}", "", labels(dots, &places, columns)).trim_end();
    text += &format!("\n{:gutter$}   {parameter}{}   {}\n", "", logarithmic(&across), legend(dots));
    text
}

fn canvas(dots: &[Dot], places: &[usize], upright: &Axis, columns: usize) -> Vec<Vec<char>> {
    let mut canvas = vec![vec![' '; columns]; HEIGHT];
    let line = |value: f64| HEIGHT - 1 - upright.place(value, HEIGHT);
    for (dot, column) in dots.iter().zip(places) {
        if let Some(predicted) = dot.predicted {
            let cell = &mut canvas[line(predicted)][*column];
            *cell = if *cell == MEASURED || *cell == BOTH { BOTH } else { PREDICTED };
        }
        let cell = &mut canvas[line(dot.measured)][*column];
        *cell = if *cell == PREDICTED || *cell == BOTH { BOTH } else { MEASURED };
    }
    canvas
}

/// The values below the axis, as many as have room: the ends first, then from the left.
fn labels(dots: &[Dot], places: &[usize], columns: usize) -> String {
    let mut line = vec![' '; columns];
    let ends = [0, dots.len() - 1].into_iter();
    for n in ends.chain(1..dots.len().saturating_sub(1)) {
        let label: Vec<char> = dots[n].label.chars().collect();
        let start = places[n].saturating_sub(label.len() / 2).min(columns.saturating_sub(label.len()));
        let end = (start + label.len()).min(columns);
        let around = start.saturating_sub(1)..(end + 1).min(columns);
        if line[around].iter().all(|c| *c == ' ') {
            line[start..end].copy_from_slice(&label[..end - start]);
        }
    }
    line.into_iter().collect()
}

fn legend(dots: &[Dot]) -> String {
    if dots.iter().any(|dot| dot.predicted.is_some()) {
        format!("{MEASURED} measured   {PREDICTED} predicted   {BOTH} both")
    } else {
        format!("{MEASURED} measured")
    }
}

/// A figure beside an axis.
fn figure(value: f64) -> String {
    if value >= 10.0 || value.fract() == 0.0 { crate::text::count(value.round() as u64) } else { format!("{value:.2}") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn dots(figures: &[(f64, f64, Option<f64>)]) -> Vec<Dot> {
        let dot = |(x, measured, predicted): &(f64, f64, Option<f64>)| Dot {
            label: x.to_string(),
            x: Some(*x),
            measured: *measured,
            predicted: *predicted,
        };
        figures.iter().map(dot).collect()
    }

    fn is_in_bounds(text: &str) -> bool {
        text.is_ascii() && text.lines().count() <= 20 && text.lines().all(|line| line.len() <= 80)
    }

    #[test]
    fn what_falls_with_its_parameter_falls_from_the_left_to_the_right() {
        let text =
            plot(&dots(&[(0.0, 100.0, Some(100.0)), (5.0, 60.0, Some(50.0)), (10.0, 0.0, None)]), "window", "twice");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "twice");
        assert!(lines[1].starts_with("100 | o"), "{text}");
        assert!(lines[14].starts_with("  0 | ") && lines[14].ends_with('*'), "{text}");
        let column = |mark: char| lines.iter().position(|line| line.len() > 6 && line[6..].contains(mark));
        assert!(column('*') < column('.'), "60 stands above 50: {text}");
        assert!(lines[15].starts_with("    +-----"));
        assert!(lines[16].trim_start().starts_with('0') && lines[16].ends_with("10"), "{text}");
        assert!(is_in_bounds(&text), "{text}");
    }

    #[test]
    fn more_than_two_decades_are_logarithmic() {
        let wide = plot(&dots(&[(1.0, 1.0, None), (10.0, 10.0, None), (1_000.0, 1_000.0, None)]), "x", "y");
        assert!(wide.starts_with("y (logarithmic)\n") && wide.contains("x (logarithmic)"), "{wide}");
        let narrow = plot(&dots(&[(1.0, 0.0, None), (100.0, 1_000.0, None)]), "x", "y");
        assert!(!narrow.contains("logarithmic"), "{narrow}");
    }

    #[test]
    fn values_without_a_number_stand_side_by_side_and_a_single_one_stands_too() {
        let dot = |label: &str, measured| Dot { label: label.into(), x: None, measured, predicted: None };
        let text = plot(&[dot("off", 9.0), dot("1/3", 0.0), dot("2x", 9.0)], "renewal", "twice");
        assert!(
            text.lines().any(|line| line.contains("off") && line.contains("1/3") && line.ends_with("2x")),
            "{text}"
        );
        assert!(is_in_bounds(&plot(&[dot("off", 0.0)], "renewal", "twice")));
    }

    proptest! {
        #[test]
        fn no_figures_break_the_bounds(
            figures in prop::collection::vec((0.0..1e9_f64, 0.0..1e7_f64, prop::option::of(0.0..1e7_f64)), 1..50),
        ) {
            let text = plot(&dots(&figures), "crash-rate", "twice");
            prop_assert!(is_in_bounds(&text), "{}", text);
        }
    }
}

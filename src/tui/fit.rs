//! Text that fits: measuring and cutting by cells, and how figures and times are written on the screen.
//!
//! Everything measures in terminal cells, never in bytes or characters. [`tidy`] goes a little further than
//! [`crate::text::clean`]: it also takes out what makes the width of a text differ from one terminal to the next.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::text::{clean, count};
use crate::time::{Instant, Span};

/// `text` cleaned, and without the joiners, selectors and modifiers over whose width terminals disagree.
pub fn tidy(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(clean(text).chars().filter(|c| !is_fickle(*c)).collect())
}

fn is_fickle(c: char) -> bool {
    let accent = ('\u{300}'..='\u{36f}').contains(&c);
    let emoji_modifier = ('\u{1f3fb}'..='\u{1f3ff}').contains(&c);
    emoji_modifier || (c.width().unwrap_or(0) == 0 && !accent)
}

/// How many cells `text` takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// `text` in at most `cells` cells; what is cut off is shown by a `~` at its end, after a whole character.
pub fn cut(text: &str, cells: usize) -> Cow<'_, str> {
    if width(text) <= cells {
        return Cow::Borrowed(text);
    }
    if cells == 0 {
        return Cow::Borrowed("");
    }
    let mut end = 0;
    for (start, c) in text.char_indices() {
        let next = start + c.len_utf8();
        if width(&text[..next]) > cells - 1 {
            break;
        }
        end = next;
    }
    Cow::Owned(format!("{}~", &text[..end]))
}

/// A number in at most six cells: figures over 99,999 are shortened to `104k`, `1.04M`, `10.4M`.
pub fn short(n: u64) -> String {
    match n {
        0..=99_999 => count(n),
        100_000..=999_999 => format!("{}k", n / 1_000),
        _ => {
            let (unit, letter) = if n < 1_000_000_000 { (1e6, 'M') } else { (1e9, 'G') };
            let value = n as f64 / unit;
            let places = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
            format!("{value:.places$}{letter}")
        }
    }
}

/// A number in at most five cells: like [`short`], but figures over 9,999 are shortened already.
pub fn shorter(n: u64) -> String {
    match n {
        10_000..=99_999 => format!("{}k", n / 1_000),
        _ => short(n),
    }
}

/// A number a second in at most six cells: `1.2/s`, `155/s`, `1.5k/s`, `155k/s`.
pub fn rate(value: f64) -> String {
    match value {
        _ if value < 9.95 => format!("{value:.1}/s"),
        _ if value < 999.5 => format!("{value:.0}/s"),
        _ if value < 9_950.0 => format!("{:.1}k/s", value / 1e3),
        _ if value < 999_500.0 => format!("{:.0}k/s", value / 1e3),
        _ => format!("{:.1}M/s", value / 1e6),
    }
}

/// A length of time as people say it, to a tenth of a second: `2.2 s`, `3 min 10 s`, `2 h 5 min`.
pub fn span(span: Span) -> String {
    let tenths = span.0 / 100_000_000;
    let seconds = tenths / 10;
    match seconds {
        0..=99 => format!("{}.{} s", seconds, tenths % 10),
        100..=3_599 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
    }
}

/// A length of time in at most six cells, for columns: `2.2 s`, `190 s`, `53 min`, `12 h`.
pub fn narrow(span: Span) -> String {
    let tenths = span.0 / 100_000_000;
    match tenths {
        0..=999 => format!("{}.{} s", tenths / 10, tenths % 10),
        1_000..=9_999 => format!("{} s", tenths / 10),
        10_000..=359_999 => format!("{} min", tenths / 600),
        _ => format!("{} h", tenths / 36_000),
    }
}

/// A chosen length of time, as exact as it was chosen, but to three figures at most: `3 s`, `0.95 s`, `0.158 s`,
/// `10 min`.
pub fn chosen(span: Span) -> String {
    let written = span.to_string();
    let unit = written.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(written.len());
    let (number, unit) = written.split_at(unit);
    let digits = number.chars().filter(char::is_ascii_digit).count();
    let seconds = span.as_seconds();
    match span.0 {
        0 => "0 s".to_owned(),
        10_000_000..1_000_000_000 if digits > 3 || span.0.is_multiple_of(10_000_000) => {
            format!("{} s", three_figures(seconds))
        }
        _ if digits <= 3 => format!("{number} {unit}"),
        1..1_000 => format!("{} ns", span.0),
        1_000..1_000_000 => format!("{} us", three_figures(seconds * 1e6)),
        1_000_000..10_000_000 => format!("{} ms", three_figures(seconds * 1e3)),
        _ if seconds < 99.95 => format!("{} s", three_figures(seconds)),
        _ => self::span(span),
    }
}

/// `value` to three figures, without noughts at its end: `0.158`, `61.7`.
fn three_figures(value: f64) -> String {
    let whole = value.log10().floor() as i32;
    let places = usize::try_from((2 - whole).clamp(0, 9)).unwrap_or(0);
    let text = format!("{value:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A moment as the log writes it: seconds with two places, `38.90`.
pub fn moment(at: Instant) -> String {
    let hundredths = at.0 / 10_000_000;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// A moment as titles write it: seconds with one place, `40.3 s`.
pub fn clock(at: Instant) -> String {
    let tenths = at.0 / 100_000_000;
    format!("{}.{} s", count(tenths / 10), tenths % 10)
}

/// `text` broken into lines of at most `cells` cells, at spaces where there are any.
pub fn wrap(text: &str, cells: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let together = width(&line) + 1 + width(word);
        if !line.is_empty() && together > cells {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&cut(word, cells));
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hostile_text_loses_what_a_terminal_would_obey() {
        let hostile = "\u{1b}]52;c;aGk=\u{7}a\u{9b}2Jb\u{202e}c\u{200b}d\te\nf\u{7f}g\u{feff}h\u{200d}i\u{e0041}";
        assert_eq!(tidy(hostile), "]52;c;aGk=a2Jbcd e fghi");
        assert_eq!(tidy("card declined"), "card declined");
        assert_eq!(tidy("\u{2764}\u{fe0f} e\u{301}"), "\u{2764} e\u{301}");
    }

    #[test]
    fn text_is_cut_at_a_whole_character_and_says_so() {
        assert_eq!(cut("after effect", 12), "after effect");
        assert_eq!(cut("after effect", 6), "after~");
        assert_eq!(cut("日本語", 4), "日~");
        assert_eq!(cut("日本語", 5), "日本~");
        assert_eq!(cut("anything", 1), "~");
        assert_eq!(cut("anything", 0), "");
    }

    #[test]
    fn figures_are_written_as_people_read_them() {
        assert_eq!(short(99_999), "99,999");
        assert_eq!(short(104_321), "104k");
        assert_eq!(short(1_040_000), "1.04M");
        assert_eq!(short(10_400_000), "10.4M");
        assert_eq!([shorter(9_999), shorter(34_151), shorter(104_321)], ["9,999", "34k", "104k"]);
    }

    #[test]
    fn times_are_written_to_the_tenth_and_moments_to_the_hundredth() {
        assert_eq!(span(Span::millis(2_250)), "2.2 s");
        assert_eq!(span(Span::seconds(190)), "3 min 10 s");
        assert_eq!(narrow(Span::seconds(190)), "190 s");
        assert_eq!(narrow(Span::seconds(3_200)), "53 min");
        assert_eq!(moment(Instant(38_904_000_000)), "38.90");
        assert_eq!(clock(Instant(40_399_000_000)), "40.3 s");
        assert_eq!(chosen(Span::seconds(3)), "3 s");
        assert_eq!(chosen(Span::millis(950)), "0.95 s");
        assert_eq!(chosen(Span::seconds(600)), "10 min");
    }

    #[test]
    fn a_length_of_time_has_three_figures_at_most() {
        assert_eq!(chosen(Span(158_333_333)), "0.158 s");
        assert_eq!(chosen(Span(15_833_333)), "0.0158 s");
        assert_eq!(chosen(Span(144_733_610)), "0.145 s");
        assert_eq!(chosen(Span(1_583_333)), "1.58 ms");
        assert_eq!(chosen(Span(61_583_333_333)), "61.6 s");
        assert_eq!(chosen(Span::millis(500)), "0.5 s");
        assert_eq!(chosen(Span::millis(2_500)), "2.5 s");
        assert_eq!(chosen(Span::seconds(1_234)), "20 min 34 s");
    }

    #[test]
    fn a_rate_takes_six_cells_at_most() {
        let cases = [
            (1.24, "1.2/s"),
            (30.1, "30/s"),
            (154.6, "155/s"),
            (1_499.0, "1.5k/s"),
            (154_600.0, "155k/s"),
            (1.04e6, "1.0M/s"),
        ];
        for (value, words) in cases {
            assert_eq!(rate(value), words);
        }
    }

    #[test]
    fn sentences_break_at_spaces() {
        assert_eq!(wrap("found none, and did the work again", 12), ["found none,", "and did the", "work again"]);
    }

    proptest! {
        #[test]
        fn cut_text_never_exceeds_its_cells(text in "\\PC{0,30}", cells in 0usize..40) {
            let text = tidy(&text);
            prop_assert!(width(&cut(&text, cells)) <= cells);
        }

        #[test]
        fn short_figures_fit_six_cells(n in any::<u64>()) {
            prop_assert!(n >= 1_000_000_000_000 || short(n).len() <= 6);
        }

        #[test]
        fn cleaned_text_has_no_control_or_direction(text in any::<String>()) {
            let acts = |c: char| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c);
            prop_assert!(!tidy(&text).contains(acts));
        }
    }
}

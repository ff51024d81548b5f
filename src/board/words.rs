//! How figures, moments and places are put into words.

use crate::event::{Reason, Spot};
use crate::ids::Worker;
use crate::policy::Point;
use crate::text::{clean, count as number};
use crate::time::{Instant, Span};

/// `1 job was`, `398 jobs were`.
pub(super) fn jobs_were(n: u64) -> String {
    if n == 1 { "1 job was".to_owned() } else { format!("{} jobs were", number(n)) }
}

/// `one redelivery`, `2 redeliveries`, `0 errors`.
pub(super) fn count(n: u64, one: &str, many: &str) -> String {
    if n == 1 { format!("one {one}") } else { format!("{} {many}", number(n)) }
}

/// `39.07`: seconds since the start, cut and not rounded, as every other place writes a moment: what comes later never
/// stands earlier.
pub(super) fn clock(at: Instant) -> String {
    let hundredths = at.0 / 10_000_000;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// A span that somebody chose: `3 s`, `250 ms`, `10 min`.
pub(super) fn chosen(span: Span) -> String {
    let text = span.to_string();
    let unit = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    if unit == text.len() { "0 s".to_owned() } else { format!("{} {}", &text[..unit], &text[unit..]) }
}

/// A span that was measured: `5.0 s`, or `12 ms` below a tenth of a second.
pub(super) fn measured(span: Span) -> String {
    if span < Span::millis(100) {
        format!("{} ms", (span.0 + 500_000) / 1_000_000)
    } else {
        format!("{:.1} s", span.as_seconds())
    }
}

/// `after effect`, `in work`.
pub(super) fn spot(spot: Spot) -> String {
    match spot {
        Spot::In(Point::Claim) => "in its claim".to_owned(),
        Spot::In(point) => format!("in {point}"),
        Spot::After(point) => format!("after {point}"),
    }
}

/// Words of others, cleaned, in quotation marks and cut after `most` characters.
pub(super) fn quoted(words: &str, most: usize) -> String {
    let words = clean(words);
    if words.chars().count() <= most {
        return format!("\"{words}\"");
    }
    let cut: String = words.chars().take(most - 1).collect();
    format!("\"{cut}~\"")
}

/// The last words of a dead job: `w4 died in work`, `"card declined"`.
pub(super) fn last_words(reason: &Reason, worker: Option<Worker>) -> String {
    let who = worker.map_or_else(|| "its worker".to_owned(), |worker| worker.to_string());
    match reason {
        Reason::Failed(words) => quoted(words, 200),
        Reason::Crashed(place) => format!("{who} died {}", spot(*place)),
        Reason::LeaseExpired => format!("{who} let the lease run out"),
        Reason::AttemptsLowered => "the tries were lowered".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_and_spans_read_as_people_write_them() {
        assert_eq!(jobs_were(1), "1 job was");
        assert_eq!(jobs_were(20_398), "20,398 jobs were");
        assert_eq!(chosen(Span::seconds(3)), "3 s");
        assert_eq!(chosen(Span::millis(950)), "950 ms");
        assert_eq!(measured(Span::seconds(5)), "5.0 s");
        assert_eq!(clock(Instant(39_070_000_000)), "39.07");
    }

    #[test]
    fn words_of_others_lose_what_could_move_a_screen() {
        assert_eq!(quoted("a\u{1b}[2Jb\u{202e}c\nd", 20), "\"a[2Jbc d\"");
        assert_eq!(quoted("declined", 4), "\"dec~\"");
    }
}

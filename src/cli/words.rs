//! How reports put a policy and its figures into words: the same words as the screen, at most 80 columns, ASCII.

use std::path::Path;

use crate::policy::{Dedup, DedupKey, OnDead, Ordering, Policy, Promise, Values};
use crate::setup::Rate;
use crate::text::{clean, count};
use crate::time::{SECOND, Span};
use crate::tui::words::policy as screen;

/// The width that no line of a report passes.
pub const WIDTH: usize = 80;

/// A span as people write it: `3 s`, `0.95 s`, `10 min`, `5 ms`.
pub fn span(span: Span) -> String {
    const MINUTE: u64 = 60 * SECOND;
    const HOUR: u64 = 60 * MINUTE;
    match span.0 {
        0 => "0 s".to_owned(),
        n if n >= HOUR && n.is_multiple_of(HOUR) => format!("{} h", n / HOUR),
        n if n >= 5 * MINUTE && n.is_multiple_of(MINUTE) => format!("{} min", n / MINUTE),
        n if n >= 10_000_000 => format!("{} s", decimals(span.as_seconds())),
        n if n >= 10_000 => format!("{} ms", decimals(n as f64 / 1_000_000.0)),
        n => format!("{} us", decimals(n as f64 / 1_000.0)),
    }
}

/// At most three decimals, and none that say nothing.
fn decimals(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Seconds of the wall clock with two or three figures that matter: `0.21 s`, `4.2 s`, `75 s`.
pub fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => format!("{s:.2} s"),
        s if s < 60.0 => format!("{s:.1} s"),
        s => format!("{} s", count(s as u64)),
    }
}

/// A figure a second: `18,200`, or with a decimal when it is small.
pub fn rate(rate: f64) -> String {
    if rate < 10.0 { format!("{rate:.1}") } else { count(rate.round() as u64) }
}

/// A probability as a percentage: `2 %`.
pub fn percent(rate: Rate) -> String {
    format!("{} %", decimals(rate.value() * 100.0))
}

/// The steps of a worker as the screen says them: `work, write the effect, ack`.
pub fn steps(policy: &Policy) -> String {
    clause(&screen::sentence(policy, false))
}

/// The rest of a policy: lease, renewal, tries, key, fence, and whatever differs from the defaults.
pub fn terms(policy: &Policy) -> String {
    let mut terms = vec![clause(&screen::lease(policy, false)), screen::tries(policy)];
    if policy.dedup != Dedup::None && policy.key == DedupKey::Job {
        terms.push("key = job id".to_owned());
    }
    terms.push(screen::rest(policy));
    if policy.order == Ordering::Key && policy.on_dead == OnDead::Block {
        terms.push("a dead head blocks".to_owned());
    }
    match policy.values {
        Values::Off => {}
        Values::LastWrite => terms.push("the last write wins".to_owned()),
        Values::Versioned => terms.push("values are versioned".to_owned()),
    }
    terms.join("; ")
}

/// A sentence as part of another: without its capital and its point.
fn clause(sentence: &str) -> String {
    let mut chars = sentence.trim_end_matches('.').chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

/// A promise with its proviso: `effectively-once, while it remembers`.
pub fn promise(promise: Promise, policy: &Policy) -> String {
    match policy.proviso() {
        Some(proviso) if policy.promise() == promise => format!("{promise}, {proviso}"),
        _ => promise.to_string(),
    }
}

/// `text` in lines of at most [`WIDTH`] columns, the first after `label` padded to `indent`, the rest indented. A word
/// that is longer than a line stands alone and is not cut, since it may be a path.
pub fn labelled(label: &str, indent: usize, text: &str) -> String {
    let mut lines = vec![format!("{label:<indent$}")];
    let mut empty = true;
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("never empty");
        let room = if empty { line.len() + word.len() } else { line.len() + 1 + word.len() };
        if !empty && room > WIDTH {
            lines.push(format!("{:indent$}{word}", ""));
            continue;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    lines.join("\n") + "\n"
}

/// A path as a shell takes it: in quotation marks where it has to be.
pub fn argument(path: &Path) -> String {
    let text = clean(&path.to_string_lossy()).into_owned();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@=".contains(c);
    if text.chars().all(plain) && !text.is_empty() { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_can_be_copied_into_a_shell() {
        for (path, told) in
            [("/a/b-1.jsonl", "/a/b-1.jsonl"), ("/a b/c", "'/a b/c'"), ("it's", "'it'\\''s'"), ("", "''")]
        {
            assert_eq!(argument(Path::new(path)), told);
        }
    }

    #[test]
    fn times_are_written_as_people_say_them() {
        for (nanos, text) in [
            (3 * SECOND, "3 s"),
            (950_000_000, "0.95 s"),
            (9_500_000_000, "9.5 s"),
            (600 * SECOND, "10 min"),
            (86_400 * SECOND, "24 h"),
            (90 * SECOND, "90 s"),
            (5_000_000, "5 ms"),
            (7_000, "7 us"),
            (0, "0 s"),
        ] {
            assert_eq!(span(Span(nanos)), text);
        }
        assert_eq!([0.21, 4.2, 75.3].map(seconds), ["0.21 s", "4.2 s", "75 s"]);
        assert_eq!([1.2, 18_200.4].map(rate), ["1.2", "18,200"]);
        assert_eq!(percent(Rate::new(0.025).expect("a rate")), "2.5 %");
    }

    #[test]
    fn a_policy_reads_as_the_steps_of_its_worker() {
        let mut policy = Policy { dedup: Dedup::EffectThenKey, lease: Span::seconds(3), ..Policy::default() };
        assert_eq!(steps(&policy), "work, write the effect, write the key (two transactions), ack");
        assert_eq!(terms(&policy), "lease 3 s, renewed every 0.95 s; 3 tries; key = job id; no fence");
        policy.ack = crate::policy::AckOrder::Before;
        policy.dedup = Dedup::None;
        assert_eq!(steps(&policy), "ack, work, write the effect");
        assert!(!terms(&policy).contains("key ="), "without dedup there is no key");
    }

    #[test]
    fn a_proviso_is_part_of_the_promise() {
        let window = Policy { dedup: Dedup::Window(9), ..Policy::default() };
        assert_eq!(promise(window.promise(), &window), "effectively-once, while it remembers");
        assert_eq!(promise(Promise::AtMostOnce, &window), "at-most-once");
    }

    #[test]
    fn long_text_is_broken_at_words_and_never_passes_the_width() {
        let text = labelled("why", 10, &"eleven char".repeat(30));
        assert!(text.lines().all(|line| line.len() <= WIDTH) && text.lines().count() > 3, "{text}");
        assert!(text.starts_with("why       eleven"));
        assert!(text.lines().skip(1).all(|line| line.starts_with("          ") && !line.starts_with("           ")));
        assert_eq!(labelled("exit 0", 10, "kept"), "exit 0    kept\n");
        assert_eq!(labelled("database", 10, &"p".repeat(100)).lines().count(), 1);
    }
}

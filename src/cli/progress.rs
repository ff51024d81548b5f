//! The one line that says how far a headless run has come.
//!
//! Only its wording is here; who shows it rewrites it in place, on a terminal only.

use std::time::Duration;

use super::words;
use crate::board::Counters;
use crate::text::count;

/// The line: `62 %  12,480 of 20,000 jobs  18,900/s  lost 0  twice 0  at risk 248  after 0.7 s`. It has at most 80
/// columns, for which the least important figures are left out.
pub fn line(counters: &Counters, elapsed: Duration) -> String {
    let settled = counters.done + counters.dead;
    let seconds = elapsed.as_secs_f64();
    let rate = if seconds > 0.0 { settled as f64 / seconds } else { 0.0 };
    let share = match (settled * 100).checked_div(counters.jobs) {
        Some(percent) => format!("{percent} %  {} of {} jobs", count(settled), count(counters.jobs)),
        None => format!("{} of {} jobs so far", count(settled), count(counters.enqueued)),
    };
    let mut parts = vec![
        share,
        format!("{}/s", words::rate(rate)),
        format!("lost {}", count(counters.lost)),
        format!("twice {}", count(counters.duplicated)),
        format!("at risk {}", count(counters.at_risk)),
        format!("after {seconds:.1} s"),
    ];
    for least_important in [4, 1] {
        if parts.join("  ").len() > words::WIDTH {
            parts.remove(least_important);
        }
    }
    parts.join("  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_on_its_way_says_its_share_and_its_pace() {
        let counters = Counters { jobs: 20_000, enqueued: 20_000, done: 12_480, at_risk: 248, ..Counters::default() };
        assert_eq!(
            line(&counters, Duration::from_millis(650)),
            "62 %  12,480 of 20,000 jobs  19,200/s  lost 0  twice 0  at risk 248  after 0.7 s"
        );
    }

    #[test]
    fn a_line_that_would_wrap_leaves_out_its_least_important_figures() {
        let all = 10_000_000;
        let counters = Counters { jobs: all, done: all, duplicated: all, lost: 5, at_risk: 1, ..Counters::default() };
        let text = line(&counters, Duration::from_secs(100));
        assert_eq!(text, "100 %  10,000,000 of 10,000,000 jobs  lost 5  twice 10,000,000  after 100.0 s");
    }

    #[test]
    fn an_endless_stream_has_no_share() {
        let counters = Counters { enqueued: 5, done: 3, ..Counters::default() };
        assert!(line(&counters, Duration::ZERO).starts_with("3 of 5 jobs so far  0.0/s"));
    }
}

//! The names of recordings on a shelf: what was run, and when it was begun.
//!
//! A name says at a glance what is in the file, sorts by age among its like, and shows that a file was put there by this
//! program.

/// What every recording's name ends in.
pub(super) const ENDING: &str = ".jsonl";

/// The name of a recording of `what` that was begun at `begun`, in seconds since 1970:
/// `sandbox-s249-20261130T140203Z.jsonl`. `again` tells apart those of one second; the first is 0.
pub(super) fn of(what: &str, begun: u64, again: u32) -> String {
    let what: String = what.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    let suffix = if again == 0 { String::new() } else { format!("-{}", again + 1) };
    format!("{what}-{}{suffix}{ENDING}", stamp(begun))
}

/// What a recording of this name is of, such as `sandbox-s249`; `None` for a name that this program would not give.
pub(super) fn what(name: &str) -> Option<&str> {
    let stem = name.strip_suffix(ENDING)?;
    let (before, last) = stem.rsplit_once('-')?;
    let (what, stamp) = match last.bytes().all(|b| b.is_ascii_digit()) && !last.is_empty() {
        true => before.rsplit_once('-')?,
        false => (before, last),
    };
    let known = |c: char| c.is_ascii_alphanumeric() || c == '-';
    (is_stamp(stamp) && !what.is_empty() && what.chars().all(known)).then_some(what)
}

/// Which of the recordings of one second has this name.
pub(super) fn again(name: &str) -> u32 {
    let number = name.strip_suffix(ENDING).and_then(|stem| stem.rsplit_once('-')).map(|(_, last)| last);
    number.and_then(|number| number.parse().ok()).unwrap_or(1)
}

/// `20261130T140203Z`.
fn is_stamp(text: &str) -> bool {
    let shape = |(place, byte): (usize, u8)| match place {
        8 => byte == b'T',
        15 => byte == b'Z',
        _ => byte.is_ascii_digit(),
    };
    text.len() == 16 && text.bytes().enumerate().all(shape)
}

/// A moment in seconds since 1970, in universal time, as `20261130T140203Z`.
fn stamp(seconds: u64) -> String {
    let (year, month, day) = date(seconds / 86_400);
    let of_day = seconds % 86_400;
    format!("{year:04}{month:02}{day:02}T{:02}{:02}{:02}Z", of_day / 3_600, of_day / 60 % 60, of_day % 60)
}

/// Year, month and day of so many days after the first of 1970.
fn date(mut days: u64) -> (u64, u64, u64) {
    let mut year = 1970;
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    while days >= 365 + u64::from(leap(year)) && year < 9_999 {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days.min(30) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_what_was_run_and_when() {
        assert_eq!(of("sandbox-s249", 1_796_047_323, 0), "sandbox-s249-20261130T140203Z.jsonl");
        assert_eq!(of("lab-08", 0, 1), "lab-08-19700101T000000Z-2.jsonl");
        assert_eq!(of("../a b/c", 0, 0), "abc-19700101T000000Z.jsonl");
    }

    #[test]
    fn recordings_of_one_second_are_told_apart() {
        assert_eq!([0, 1, 11].map(|n| again(&of("lab-08", 5, n))), [1, 2, 12]);
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        for (days, told) in [(0, (1970, 1, 1)), (58, (1970, 2, 28)), (59, (1970, 3, 1)), (364, (1970, 12, 31))] {
            assert_eq!(date(days), told);
        }
        // 2000 and 2024 are leap years, 2100 is none.
        assert_eq!(date(11_016), (2000, 2, 29));
        assert_eq!(date(19_782), (2024, 2, 29));
        assert_eq!(date(47_541), (2100, 3, 1));
        assert!(stamp(u64::MAX).starts_with("9999"));
    }

    #[test]
    fn only_names_that_were_given_here_are_known() {
        for (what_was_run, again) in [("sandbox-s249", 0), ("lab-08", 1), ("lab-two-writes", 12), ("compare-s1", 0)] {
            assert_eq!(what(&of(what_was_run, 1_796_047_323, again)), Some(what_was_run));
        }
        for other in ["notes.jsonl", "a-20261130T140203Z.json", "-20261130T140203Z.jsonl", "a-2026113T140203Z.jsonl"] {
            assert_eq!(what(other), None, "{other}");
        }
    }
}

//! Text for people: what is taken out of foreign words before they are shown, how numbers are written, and which
//! known word comes nearest to a misspelt one.
//!
//! Errors, marks and file names come from outside. Whatever prints one, on a screen, on stdout or in a log, passes it
//! through [`clean`] first. Nothing here knows what the words mean.

use std::borrow::Cow;

/// True for characters that act on a terminal or on the order of the line instead of being seen: control characters
/// (C0, DEL and the 8-bit forms), direction marks, and spaces without a width.
fn is_unsafe(c: char) -> bool {
    let invisible = matches!(c,
        '\u{00ad}' | '\u{061c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    c.is_control() || invisible
}

/// `text` on one line and without what could act on the terminal: tabs and line ends become spaces, other control,
/// direction and zero-width characters are left out.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let shown = |c: char| match c {
        '\t' | '\n' | '\r' | '\u{2028}' | '\u{2029}' => Some(' '),
        c if is_unsafe(c) => None,
        c => Some(c),
    };
    Cow::Owned(text.chars().filter_map(shown).collect())
}

/// `text` cleaned like [`clean`], but with its line ends kept.
pub fn clean_lines(text: &str) -> String {
    text.split('\n').map(clean).collect::<Vec<_>>().join("\n")
}

/// A number with a comma after every three digits: `12,480`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `n` and the right form of a word: `1 job`, `2,000 jobs`.
pub fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// The one of `known` that comes nearest to `word`, if any is near enough to have been meant.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const NEAR: f64 = 0.5;
    let word = word.to_lowercase();
    let likeness = |candidate: &str| strsim::normalized_damerau_levenshtein(&word, candidate);
    let best =
        known.into_iter().map(|candidate| (likeness(candidate), candidate)).fold(None, |best, next| match best {
            Some((likeness, _)) if likeness >= next.0 => best,
            _ => Some(next),
        });
    best.filter(|(likeness, _)| *likeness >= NEAR).map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_that_acts_on_a_terminal_is_left_in_foreign_text() {
        let nasty = "a\u{1b}]52;c;aGk=\u{7}b\u{1b}[2Jc\u{9b}6nd\u{202e}e\u{200b}f\tg\nh\u{7f}i";
        assert_eq!(clean(nasty), "a]52;c;aGk=b[2Jc6ndef g hi");
        assert_eq!(clean("disk full: 3 > 2"), "disk full: 3 > 2");
        assert_eq!(clean_lines("one\u{1b}[2J\ntwo\r"), "one[2J\ntwo ");
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        for (n, text) in
            [(0, "0"), (999, "999"), (1_000, "1,000"), (12_480, "12,480"), (u64::MAX, "18,446,744,073,709,551,615")]
        {
            assert_eq!(count(n), text);
        }
        assert_eq!(counted(1, "job", "jobs"), "1 job");
        assert_eq!(counted(1_000, "job", "jobs"), "1,000 jobs");
    }

    #[test]
    fn the_nearest_word_is_offered_only_when_it_is_near() {
        assert_eq!(nearest("kil", ["stall", "kill", "go"]), Some("kill"));
        assert_eq!(nearest("transactionel", ["none", "transactional"]), Some("transactional"));
        assert_eq!(nearest("xyzzy", ["stall", "kill", "go"]), None);
        assert_eq!(nearest("", ["go"]), None);
    }

    proptest! {
        #[test]
        fn cleaned_text_stays_clean_and_keeps_every_printable_ascii_character(text in "\\PC*|[\\x00-\\xff]*") {
            let once = clean(&text).into_owned();
            prop_assert!(!once.contains(is_unsafe));
            prop_assert_eq!(clean(&once), once.as_str());
            let printable = |s: &str| s.chars().filter(char::is_ascii_graphic).collect::<String>();
            prop_assert_eq!(printable(&text), printable(&once));
        }
    }
}

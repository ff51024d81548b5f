//! Whether an answer is right, and what is shown beside it.

use super::model::{Answer, Ask, Band};
use super::value::{holds, value};
use super::watch::Watch;
use super::words::{maybe, number};

/// A measured figure may be as far as this beyond a band, since figures are sums of decimals.
const ROUNDING: f64 = 1e-9;

/// How an answer came out. All figures are words.
#[derive(Clone, Debug, PartialEq)]
pub struct Graded {
    /// Whether the answer is right; `None` if there is none, or none can be right because the run gave no figure or did
    /// not bear out the right choice.
    pub right: Option<bool>,
    /// What was answered; empty if nothing was.
    pub said: String,
    /// What the run gave: the figure, or the right choice.
    pub measured: String,
    /// The formula, if there is one.
    pub formula: Option<String>,
    /// The formula with its figures.
    pub worked: Option<String>,
    /// What the formula gives.
    pub gives: Option<String>,
    /// What counts as right, such as `179 to 219 counts as right`; empty for a choice.
    pub band: String,
    /// Figures beside the answer.
    pub figures: Vec<Shown>,
}

/// A figure beside an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// What it is called.
    pub name: String,
    /// The figure.
    pub value: String,
    /// Words about it; may be empty.
    pub words: String,
}

/// Grades an answer to `ask` by the runs of its lab, asked about the variant `here`.
pub fn grade(ask: &Ask, answer: Option<&str>, watches: &[Watch], here: usize) -> Graded {
    let (right, said, measured, band) = match &ask.answer {
        Answer::Choice { choices, right, proof } => {
            let chosen = answer.and_then(|text| chosen(text, choices.len()));
            let in_full = |place: usize| format!("{}  {}", letter(place), choices[place].text);
            let proved = proof.as_ref().is_none_or(|proof| holds(proof, watches, here));
            let measured = if proved { in_full(*right) } else { "the run did not bear it out".to_owned() };
            let is_right = chosen.filter(|_| proved).map(|place| place == *right);
            (is_right, chosen.map(in_full), measured, String::new())
        }
        Answer::Number { right, band, .. } => {
            let measured = value(right, watches, here);
            let given = answer.and_then(read_number);
            let within = measured.map(|measured| limits(*band, measured));
            let is_right =
                given.zip(within).map(|(given, (low, high))| given >= low - ROUNDING && given <= high + ROUNDING);
            (is_right, given.map(number), maybe(measured), within.map(in_words).unwrap_or_default())
        }
    };
    let figures = ask.figures.iter().map(|(name, figure, words)| Shown {
        name: name.clone(),
        value: maybe(value(figure, watches, here)),
        words: words.clone(),
    });
    Graded {
        right,
        said: said.unwrap_or_default(),
        measured,
        formula: ask.formula.clone(),
        worked: ask.worked.clone(),
        gives: ask.gives.map(number),
        band,
        figures: figures.collect(),
    }
}

impl Answer {
    /// Reads what somebody answered: a letter or its place for a choice, else a number. What comes back is the answer as
    /// runs record it.
    ///
    /// # Errors
    /// What can be answered, in words.
    pub fn accept(&self, text: &str) -> Result<String, String> {
        match self {
            Answer::Choice { choices, .. } => chosen(text, choices.len()).map(letter).ok_or_else(|| self.takes()),
            Answer::Number { between: (low, high), whole, .. } => {
                let fits = |n: &f64| n >= low && n <= high && (!whole || n.fract() == 0.0);
                read_number(text).filter(fits).map(|n| n.to_string()).ok_or_else(|| self.takes())
            }
        }
    }

    /// What can be answered, such as `a whole number, 0 to 398` or `a letter, a to d`.
    pub fn takes(&self) -> String {
        match self {
            Answer::Choice { choices, .. } => format!("a letter, a to {}", letter(choices.len().saturating_sub(1))),
            Answer::Number { between: (low, high), whole, .. } => {
                let kind = if *whole { "whole number" } else { "number" };
                format!("a {kind}, {} to {}", number(*low), number(*high))
            }
        }
    }
}

/// The place of a choice that was named by its letter or its number.
fn chosen(text: &str, choices: usize) -> Option<usize> {
    let text = text.trim().trim_end_matches([')', '.']);
    let place = match text.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => usize::from(letter.to_ascii_lowercase() - b'a'),
        _ => text.parse::<usize>().ok()?.checked_sub(1)?,
    };
    (place < choices).then_some(place)
}

fn letter(place: usize) -> String {
    let letter = u8::try_from(place).ok().and_then(|place| b'a'.checked_add(place)).unwrap_or(b'z');
    char::from(letter).to_string()
}

/// A number as people write it: commas and underscores between its digits say nothing.
fn read_number(text: &str) -> Option<f64> {
    let plain: String = text.trim().chars().filter(|c| !matches!(c, ',' | '_')).collect();
    let is_plain = plain.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-'));
    plain.parse::<f64>().ok().filter(|_| is_plain)
}

fn limits(band: Band, measured: f64) -> (f64, f64) {
    match band {
        Band::Within(by) => (measured - by, measured + by),
        Band::Share(share) => (measured - share * measured.abs(), measured + share * measured.abs()),
        Band::Between(low, high) => (low, high),
    }
}

fn in_words((low, high): (f64, f64)) -> String {
    match number(low) == number(high) {
        true => format!("{} counts as right", number(low)),
        false => format!("{} to {} counts as right", number(low), number(high)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::figure::{Figure, Pattern, Relation, Test, Tolerance};
    use crate::lab::model::Choice;

    fn asks(answer: Answer) -> Ask {
        Ask {
            text: "How many?".to_owned(),
            answer,
            formula: None,
            worked: None,
            gives: Some(199.0),
            why: "Because.".to_owned(),
            aloud: None,
            note: None,
            figures: vec![("jobs".to_owned(), Figure::Number(20_000.0), "in all".to_owned())],
        }
    }

    fn number_asked(right: Figure, band: Band) -> Ask {
        asks(Answer::Number { between: (0.0, 398.0), whole: true, unit: "jobs".to_owned(), right, band })
    }

    fn choice(proof: Option<Test>) -> Ask {
        let choices = ["Not at all", "Once", "Twice"].map(|text| Choice { text: text.to_owned() }).to_vec();
        asks(Answer::Choice { choices, right: 2, proof })
    }

    #[test]
    fn a_number_is_right_within_its_band_of_what_was_measured() {
        let ask = number_asked(Figure::Number(195.0), Band::Within(20.0));
        let right = |text| grade(&ask, Some(text), &[], 0).right;
        assert_eq!([right("175"), right("215"), right("174"), right("216")], [true, true, false, false].map(Some));
        let graded = grade(&ask, Some("200"), &[], 0);
        assert_eq!((graded.said.as_str(), graded.measured.as_str()), ("200", "195"));
        assert_eq!(graded.band, "175 to 215 counts as right");
        assert_eq!(graded.gives.as_deref(), Some("199"));
        assert_eq!(graded.figures[0].value, "20,000");
        let share = number_asked(Figure::Number(200.0), Band::Share(0.05));
        assert_eq!(grade(&share, Some("210"), &[], 0).right, Some(true));
        assert_eq!(grade(&share, Some("211"), &[], 0).right, Some(false));
        let between = number_asked(Figure::Number(195.0), Band::Between(179.0, 219.0));
        assert_eq!(grade(&between, Some("219"), &[], 0).right, Some(true));
        let exactly = number_asked(Figure::Number(195.0), Band::Within(0.0));
        assert_eq!(grade(&exactly, Some("195"), &[], 0).band, "195 counts as right");
    }

    #[test]
    fn no_answer_and_no_figure_are_neither_right_nor_wrong() {
        let ask = number_asked(Figure::Number(195.0), Band::Within(20.0));
        let graded = grade(&ask, None, &[], 0);
        assert_eq!((graded.right, graded.said.as_str(), graded.measured.as_str()), (None, "", "195"));
        let pattern = Pattern { event: "died", worker: None, job: None, attempt: None };
        let never = number_asked(Figure::First(None, pattern), Band::Within(20.0));
        let graded = grade(&never, Some("200"), &[], 0);
        assert_eq!((graded.right, graded.measured.as_str(), graded.band.as_str()), (None, "nothing", ""));
    }

    #[test]
    fn a_choice_is_right_by_its_letter_and_only_if_the_run_bears_it_out() {
        let graded = grade(&choice(None), Some("c"), &[], 0);
        assert_eq!(
            (graded.right, graded.said.as_str(), graded.measured.as_str()),
            (Some(true), "c  Twice", "c  Twice")
        );
        assert_eq!(grade(&choice(None), Some("b"), &[], 0).right, Some(false));
        let exact = Tolerance::Exact;
        let never = Test::Compare(Figure::Number(1.0), Relation::Equal, Figure::Number(2.0), exact);
        let graded = grade(&choice(Some(never)), Some("c"), &[], 0);
        assert_eq!((graded.right, graded.measured.as_str()), (None, "the run did not bear it out"));
    }

    #[test]
    fn answers_are_accepted_as_people_write_them_and_refused_with_what_can_be_given() {
        let number = number_asked(Figure::Number(1.0), Band::Within(0.0)).answer;
        assert_eq!(number.accept(" 200 "), Ok("200".to_owned()));
        for text in ["399", "-1", "1.5", "two", "", "1e2", "inf", "NaN"] {
            assert_eq!(number.accept(text), Err("a whole number, 0 to 398".to_owned()), "{text}");
        }
        let thousands = Answer::Number {
            between: (0.0, 20_000.0),
            whole: false,
            unit: String::new(),
            right: Figure::Number(0.0),
            band: Band::Within(0.0),
        };
        assert_eq!(thousands.accept("2,442"), Ok("2442".to_owned()));
        assert_eq!(thousands.accept("0.5"), Ok("0.5".to_owned()));
        let choice = choice(None).answer;
        for text in ["c", "C", "3", "c)"] {
            assert_eq!(choice.accept(text), Ok("c".to_owned()), "{text}");
        }
        for text in ["d", "0", "4", "", "twice"] {
            assert_eq!(choice.accept(text), Err("a letter, a to c".to_owned()), "{text}");
        }
    }
}

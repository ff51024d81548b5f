//! Reads tests and figures by recursive descent, one function a rule:
//!
//! ```text
//! any     = all { "or" all }                 sum     = product { ("+" | "-") product }
//! all     = one { "and" one }                product = factor { ("*" | "/") factor }
//! one     = "not" one | "(" any ")"          factor  = "-" factor | "(" sum ")" | number
//!         | pattern | same jobs                      | [variant] counter
//!         | sum relation sum                         | [variant] function "(" ... ")"
//! pattern = [variant] event { wN | jN | nN }
//! ```
//!
//! Some events and counters share a name, such as `acked`: it is the counter where a sign of arithmetic or comparison
//! follows, and the event everywhere else.

use super::lex::{Kind, Token, column, meant, tokens, wrong};
use super::names::{self, BESIDE, EVENTS, FUNCTIONS, LEFT_OUT};
use super::{Scope, Wrong};
use crate::ids::{Job, Worker};
use crate::lab::figure::{Arithmetic, Figure, Harmed, Pattern, Relation, Test, Tolerance};
use crate::setup::MAX_JOBS;
use crate::text::{clean, nearest};

/// The longest text of a test or figure, in characters.
pub const LONGEST: usize = 1_000;
/// How deep parentheses, `not` and `-` may stand in each other.
const DEEPEST: usize = 32;

const RELATIONS: &[(&str, Relation)] = &[
    ("==", Relation::Equal),
    ("!=", Relation::Unequal),
    ("<", Relation::Less),
    ("<=", Relation::AtMost),
    (">", Relation::More),
    (">=", Relation::AtLeast),
];
const SUMS: &[(&str, Arithmetic)] = &[("+", Arithmetic::Plus), ("-", Arithmetic::Minus)];
const PRODUCTS: &[(&str, Arithmetic)] = &[("*", Arithmetic::Times), ("/", Arithmetic::Over)];

/// What is read, and how far.
pub(super) struct Parser<'a> {
    text: &'a str,
    scope: Scope<'a>,
    tokens: Vec<Token<'a>>,
    next: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn of(text: &'a str, scope: Scope<'a>) -> Result<Parser<'a>, Wrong> {
        if text.chars().nth(LONGEST).is_some() {
            return Err(wrong(text, 0, "", format!("it is longer than {LONGEST} characters")));
        }
        Ok(Parser { text, scope, tokens: tokens(text, scope)?, next: 0, depth: 0 })
    }

    /// Reads all of the text by `rule`.
    pub(super) fn whole<T>(mut self, rule: fn(&mut Parser<'a>) -> Result<T, Wrong>) -> Result<T, Wrong> {
        let read = rule(&mut self)?;
        let Some(token) = self.peek() else { return Ok(read) };
        let suggestion = match token.text {
            ")" => None,
            sign if RELATIONS.iter().any(|(relation, _)| *relation == sign) => {
                Some("one comparison stands alone; join several with and".to_owned())
            }
            word => nearest(word, ["and", "or"]).map(meant),
        };
        Err(Wrong { suggestion, ..self.wrong_at(token, format!("{} is too much here", token.text)) })
    }

    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.next).copied()
    }

    /// The text of the token `ahead` of the next one; nothing behind the last.
    fn ahead(&self, ahead: usize) -> &'a str {
        self.tokens.get(self.next + ahead).map_or("", |token| token.text)
    }

    fn wrong_at(&self, token: Token<'_>, message: String) -> Wrong {
        wrong(self.text, token.start, token.text, message)
    }

    /// Takes the next token if it is this word or sign.
    fn take(&mut self, text: &str) -> bool {
        let is_it = self.peek().is_some_and(|token| token.text == text && !matches!(token.kind, Kind::Variant(_)));
        self.next += usize::from(is_it);
        is_it
    }

    /// What the next sign stands for in `table`, and takes it.
    fn take_of<T: Copy>(&mut self, table: &[(&str, T)]) -> Option<T> {
        let sign = self.peek().filter(|token| token.kind == Kind::Sign)?.text;
        let (_, meaning) = table.iter().find(|(text, _)| *text == sign)?;
        self.next += 1;
        Some(*meaning)
    }

    /// `what` belongs where the next token stands.
    fn missing(&self, what: &str) -> Wrong {
        match self.peek() {
            Some(token) => self.wrong_at(token, format!("here belongs {what}, not {}", token.text)),
            None => {
                let end = self.text.trim_end();
                let gap = usize::from(!end.is_empty());
                Wrong {
                    column: column(self.text, end.len()) + gap,
                    len: 1,
                    message: format!("here belongs {what}"),
                    suggestion: None,
                }
            }
        }
    }

    fn expect(&mut self, sign: &str) -> Result<(), Wrong> {
        if self.take(sign) { Ok(()) } else { Err(self.missing(sign)) }
    }

    /// Reads by `rule` one level deeper.
    fn deeper<T>(&mut self, rule: impl FnOnce(&mut Parser<'a>) -> Result<T, Wrong>) -> Result<T, Wrong> {
        if self.depth == DEEPEST {
            return Err(self.missing("less: it is nested too deep"));
        }
        self.depth += 1;
        let read = rule(self);
        self.depth -= 1;
        read
    }

    /// The variant that is named here, if one is.
    fn variant(&mut self) -> Result<Option<usize>, Wrong> {
        let Some(token) = self.peek() else { return Ok(None) };
        let Kind::Variant(place) = token.kind else { return Ok(None) };
        if self.scope.alone {
            let wrong = self
                .wrong_at(token, "this is asked of each run by itself, where no other variant is at hand".to_owned());
            return Err(Wrong { suggestion: Some("leave the variant's name out".to_owned()), ..wrong });
        }
        self.next += 1;
        Ok(Some(place))
    }

    pub(super) fn any(&mut self) -> Result<Test, Wrong> {
        let mut left = self.all()?;
        while self.take("or") {
            left = Test::Or(Box::new(left), Box::new(self.all()?));
        }
        Ok(left)
    }

    fn all(&mut self) -> Result<Test, Wrong> {
        let mut left = self.one()?;
        while self.take("and") {
            left = Test::And(Box::new(left), Box::new(self.one()?));
        }
        Ok(left)
    }

    fn one(&mut self) -> Result<Test, Wrong> {
        if self.take("not") {
            return self.deeper(|parser| Ok(Test::Not(Box::new(parser.one()?))));
        }
        if self.opens_a_test() {
            self.next += 1;
            return self.deeper(|parser| {
                let inside = parser.any()?;
                parser.expect(")").map(|()| inside)
            });
        }
        if self.opens_a_pattern() {
            let variant = self.variant()?;
            return Ok(Test::Happened(variant, self.pattern()?));
        }
        if self.ahead(0) == "jobs" && self.ahead(1) == "(" { self.same_jobs() } else { self.comparison() }
    }

    /// True when the next token opens parentheses behind which no figure goes on.
    fn opens_a_test(&self) -> bool {
        let mut open = 0_usize;
        if self.ahead(0) != "(" {
            return false;
        }
        for (place, token) in self.tokens.iter().enumerate().skip(self.next) {
            match token.text {
                "(" => open += 1,
                ")" => open -= 1,
                _ => {}
            }
            if open == 0 {
                return !self.tokens.get(place + 1).is_some_and(|token| goes_on(token.text));
            }
        }
        true
    }

    /// True when an event is named here, or a word that is none stands where one belongs.
    fn opens_a_pattern(&self) -> bool {
        let variant = usize::from(self.peek().is_some_and(|token| matches!(token.kind, Kind::Variant(_))));
        let (word, behind) = (self.ahead(variant), self.ahead(variant + 1));
        let is_word = self.tokens.get(self.next + variant).is_some_and(|token| token.kind == Kind::Word);
        let is_event = names::event(word).is_some() || LEFT_OUT.iter().any(|(name, _)| *name == word);
        is_word && behind != "(" && (restriction(behind).is_some() || (is_event && !goes_on(behind)))
    }

    fn comparison(&mut self) -> Result<Test, Wrong> {
        let left = self.sum()?;
        let Some(relation) = self.take_of(RELATIONS) else {
            let verdict = matches!(left, Figure::Counter(_, "kept" | "broken"));
            return match verdict {
                true => Ok(Test::Compare(left, Relation::Equal, Figure::Number(1.0), Tolerance::Exact)),
                false => Err(self.missing("a comparison, such as == 3")),
            };
        };
        Ok(Test::Compare(left, relation, self.sum()?, Tolerance::Exact))
    }

    fn same_jobs(&mut self) -> Result<Test, Wrong> {
        let here = self.harmed()?;
        if !self.take("==") {
            return Err(self.missing("== and the jobs of another variant"));
        }
        if self.ahead(0) != "jobs" {
            return Err(self.missing("jobs(VARIANT.lost) or jobs(VARIANT.duplicated)"));
        }
        Ok(Test::SameJobs(here, self.harmed()?))
    }

    fn harmed(&mut self) -> Result<(Option<usize>, Harmed), Wrong> {
        self.next += 1;
        self.expect("(")?;
        let variant = self.variant()?;
        let harm = match self.ahead(0) {
            "lost" => Harmed::Lost,
            "duplicated" => Harmed::Duplicated,
            _ => return Err(self.missing("lost or duplicated, whose jobs are known one by one")),
        };
        self.next += 1;
        self.expect(")").map(|()| (variant, harm))
    }

    pub(super) fn sum(&mut self) -> Result<Figure, Wrong> {
        let mut left = self.product()?;
        while let Some(how) = self.take_of(SUMS) {
            left = Figure::Both(Box::new(left), how, Box::new(self.product()?));
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Figure, Wrong> {
        let mut left = self.factor()?;
        while let Some(how) = self.take_of(PRODUCTS) {
            left = Figure::Both(Box::new(left), how, Box::new(self.factor()?));
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<Figure, Wrong> {
        if self.take("-") {
            let figure = self.deeper(Parser::factor)?;
            return Ok(match figure {
                Figure::Number(n) => Figure::Number(-n),
                other => Figure::Both(Box::new(Figure::Number(0.0)), Arithmetic::Minus, Box::new(other)),
            });
        }
        if self.take("(") {
            return self.deeper(|parser| {
                let inside = parser.sum()?;
                parser.expect(")").map(|()| inside)
            });
        }
        if let Some(Token { kind: Kind::Number(n), .. }) = self.peek() {
            self.next += 1;
            return Ok(Figure::Number(n));
        }
        let variant = self.variant()?;
        match self.peek() {
            Some(token) if token.kind == Kind::Word && self.ahead(1) == "(" => self.function(token, variant),
            Some(token) if token.kind == Kind::Word => Ok(Figure::Counter(variant, self.counter(token)?)),
            _ => Err(self.missing("a figure, such as duplicated or 3")),
        }
    }

    /// Reads the counter's name that `token` is.
    fn counter(&mut self, token: Token<'a>) -> Result<&'static str, Wrong> {
        if let Some(name) = names::figure(token.text) {
            self.next += 1;
            return Ok(name);
        }
        if names::event(token.text).is_some() {
            let wrong = self.wrong_at(token, format!("{} happens and is no figure", token.text));
            let help = format!("count({0}) says how often, time({0}) when first, last({0}) when last", token.text);
            return Err(Wrong { suggestion: Some(help), ..wrong });
        }
        let known = names::counters().iter().chain(BESIDE).chain(FUNCTIONS).copied();
        let known = known.chain(EVENTS.iter().map(|event| event.name));
        let wrong = self.wrong_at(token, format!("no such figure: {}", clean(token.text)));
        Err(Wrong { suggestion: nearest(token.text, known).map(meant), ..wrong })
    }

    fn function(&mut self, token: Token<'a>, variant: Option<usize>) -> Result<Figure, Wrong> {
        if !FUNCTIONS.contains(&token.text) || token.text == "jobs" {
            let (message, suggestion) = match token.text {
                "jobs" => ("jobs(...) stands alone, as in jobs(a.lost) == jobs(b.duplicated)".to_owned(), None),
                other => (format!("no such function: {}", clean(other)), nearest(other, FUNCTIONS.iter().copied())),
            };
            return Err(Wrong { suggestion: suggestion.map(meant), ..self.wrong_at(token, message) });
        }
        self.next += 2;
        let variant = self.variant()?.or(variant);
        let figure = match (token.text, self.peek()) {
            ("peak", Some(inside)) if inside.kind == Kind::Word && !BESIDE.contains(&inside.text) => {
                Figure::Peak(variant, self.counter(inside)?)
            }
            ("peak", _) => return Err(self.missing("a counter, such as waiting")),
            ("count", _) => Figure::Count(variant, self.pattern()?),
            ("time", _) => Figure::First(variant, self.pattern()?),
            _ => Figure::Last(variant, self.pattern()?),
        };
        self.expect(")").map(|()| figure)
    }

    fn pattern(&mut self) -> Result<Pattern, Wrong> {
        let Some(token) = self.peek().filter(|token| token.kind == Kind::Word) else {
            return Err(self.missing("an event, such as claimed w2"));
        };
        let event = names::event(token.text).ok_or_else(|| self.no_event(token))?;
        self.next += 1;
        let mut pattern = Pattern { event: event.name, worker: None, job: None, attempt: None };
        while let Some((what, number)) = restriction(self.ahead(0)) {
            self.restrict(&mut pattern, event, what, number)?;
            self.next += 1;
        }
        Ok(pattern)
    }

    fn no_event(&self, token: Token<'_>) -> Wrong {
        if let Some((_, why)) = LEFT_OUT.iter().find(|(name, _)| *name == token.text) {
            let wrong = self.wrong_at(token, format!("a lab cannot wait for {}", token.text));
            return Wrong { suggestion: Some((*why).to_owned()), ..wrong };
        }
        let known = EVENTS.iter().map(|event| event.name);
        let wrong = self.wrong_at(token, format!("no such event: {}", clean(token.text)));
        Wrong { suggestion: nearest(token.text, known).map(meant), ..wrong }
    }

    /// Narrows `pattern` by the next token, which names a worker, a job or an attempt.
    fn restrict(&self, pattern: &mut Pattern, event: &names::Named, what: char, number: u32) -> Result<(), Wrong> {
        let refuse =
            |message: String| self.peek().map_or_else(|| self.missing("a word"), |token| self.wrong_at(token, message));
        let (has, given, kind) = match what {
            'w' => (event.worker, pattern.worker.is_some(), "worker"),
            'j' => (event.job, pattern.job.is_some(), "job"),
            _ => (event.attempt, pattern.attempt.is_some(), "attempt"),
        };
        if !has || given {
            let why = if given { "is named already" } else { "is no part of it" };
            return Err(refuse(format!("{}: a{} {kind} {why}", event.name, if kind == "attempt" { "n" } else { "" })));
        }
        match what {
            'w' if number == 0 || number > self.scope.workers.into() => {
                return Err(refuse(format!("there is no w{number}: the lab has {} workers", self.scope.workers)));
            }
            'w' => pattern.worker = u16::try_from(number).ok().map(Worker),
            'j' if number >= MAX_JOBS => return Err(refuse(format!("there is no job {number}"))),
            'j' => pattern.job = Some(Job(number)),
            _ if number == 0 => return Err(refuse("attempts are counted from n1".to_owned())),
            _ => pattern.attempt = Some(number),
        }
        Ok(())
    }
}

/// True for what makes the word in front of it a figure.
fn goes_on(sign: &str) -> bool {
    RELATIONS.iter().any(|(text, _)| *text == sign) || SUMS.iter().chain(PRODUCTS).any(|(text, _)| *text == sign)
}

/// `w2`, `j7` or `n3` as its letter and number.
fn restriction(word: &str) -> Option<(char, u32)> {
    let what = word.chars().next().filter(|c| matches!(c, 'w' | 'j' | 'n'))?;
    let digits = &word[1..];
    let number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    number.then(|| (what, digits.parse().unwrap_or(u32::MAX)))
}

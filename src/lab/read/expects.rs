//! What has to come of a lab, and what has to have happened in it.

use toml::de::DeValue;

use super::asks::share;
use super::problem::Findings;
use super::steps::Ids;
use super::table::{Table, number};
use super::{Known, MOST};
use crate::lab::figure::{Relation, Test, Tolerance};
use crate::lab::language;
use crate::lab::model::Expect;

const OF_AN_EXPECT: &[&str] = &["that", "tolerance", "says", "variant", "always", "after"];
const OF_A_MUST: &[&str] = &["that", "tolerance", "says", "variant"];

/// The expectations, and what must happen.
pub(super) fn read(top: &Table<'_>, known: Known<'_>, ids: &Ids, found: &mut Findings) -> (Vec<Expect>, Vec<Expect>) {
    let expects = top.tables("expect", MOST, found);
    let expects = expects.iter().filter_map(|table| expect(table, OF_AN_EXPECT, known, ids, found)).collect();
    let musts = top.tables("must_happen", MOST, found);
    let musts = musts.iter().filter_map(|table| expect(table, OF_A_MUST, known, ids, found)).collect();
    (expects, musts)
}

fn expect(table: &Table<'_>, keys: &[&str], known: Known<'_>, ids: &Ids, found: &mut Findings) -> Option<Expect> {
    table.refuse_unknown(keys, elsewhere, found);
    let variant = table.string("variant", found).and_then(|name| known.place(name.value, &name.at, found));
    let always = table.yes("always", false, found);
    let after = table.string("after", found).and_then(|id| ids.place(&id, found));
    if always {
        table.refuse(&["after"], "what has to hold always is not judged at one step only", found);
    }
    let says = table.line("says", 200, found);
    if !table.has("that") {
        table.lacks("that", "what has to hold, such as duplicated == 0", found);
    }
    let text = table.string("that", found)?;
    let about: Vec<usize> = variant.into_iter().collect();
    let alone = always || table.has("after");
    let test = language::test(text.value, known.scope(&about, alone));
    let test = test.map_err(|wrong| found.wrong(&text.at, wrong)).ok()?;
    let that = with_tolerance(test, table, found);
    Some(Expect { variant, that, text: text.value.trim().to_owned(), says, always, after })
}

fn elsewhere(key: &str) -> Option<&'static str> {
    match key {
        "always" | "after" => Some("what must happen is looked for at the end; an [[expect]] may have it"),
        "when" | "at" | "say" | "do" => Some("it belongs in a [[step]]"),
        _ => None,
    }
}

/// The test with the tolerance that the table gives.
fn with_tolerance(test: Test, table: &Table<'_>, found: &mut Findings) -> Test {
    let Some(value) = table.get("tolerance") else { return test };
    let tolerance = match value.get_ref() {
        DeValue::String(_) => share(value, "tolerance", found).map(Tolerance::Share),
        _ => number(value, "tolerance", found).and_then(|number| {
            if number.value < 0.0 {
                found.error(&number.at, "tolerance is no less than 0", None);
            }
            Some(Tolerance::Within(number.value)).filter(|_| number.value >= 0.0)
        }),
    };
    match (test, tolerance) {
        (Test::Compare(left, Relation::Equal, right, _), tolerance) => {
            Test::Compare(left, Relation::Equal, right, tolerance.unwrap_or(Tolerance::Exact))
        }
        (test, _) => {
            let at = table.key("tolerance").unwrap_or(0..0);
            found.error(&at, "tolerance goes with a single ==", None);
            test
        }
    }
}

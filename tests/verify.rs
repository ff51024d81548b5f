//! `onceish verify` as people and CI run it: the page's tables, figure by figure, and the exit code.

use std::process::{Command, Output};

use serde_json::Value;

fn onceish(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_onceish")).args(args).output().expect("the program runs")
}

/// What `verify` says as JSON, and its exit code.
fn verified(more: &[&str]) -> (Value, Option<i32>) {
    let output = onceish(&[&["verify", "--json"], more].concat());
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (serde_json::from_slice(&output.stdout).expect("one JSON object"), output.status.code())
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The tables of a claim as measured: a line for each row, its figures parted by blanks.
fn measured(claim: &Value) -> Vec<String> {
    let rows = list(claim, "tables").iter().flat_map(|table| list(table, "rows"));
    let figures = |row: &Value| {
        let figures: Vec<String> = list(row, "figures").iter().map(|figure| figure["measured"].to_string()).collect();
        figures.join(" ")
    };
    rows.map(figures).collect()
}

/// The page's figures, claim by claim, as the page prints them; the last claim's second table, where it is wrong, as the
/// work times give it.
const PAGE: [&[&str]; 9] = [
    &["398 19602 0", "23 0 0", "204 0 0", "1001 0 0", "4003 0 0"],
    &["0 19602 398"],
    &["0 20000 0", "398", "0", "398", "398"],
    &["380", "300", "195", "104", "198", "357", "231", "383", "333", "110"],
    &["0", "0", "0", "0", "0", "0", "0", "0"],
    &["398", "0", "398 0", "0 398", "0 0"],
    &["2448", "715", "499"],
    &["233", "0"],
    &["0", "0", "0", "0", "0", "2448", "715", "499", "233", "0"],
];

const ASSEMBLY: [&str; 4] = ["398 19602 0", "0 19602 398", "0 19602 398", "0 20000 0"];

#[test]
fn nine_of_nine_claims_hold_to_the_last_figure() {
    let (found, code) = verified(&[]);
    assert_eq!((code, &found["exit"], &found["format"]), (Some(0), &0.into(), &1.into()), "{found:#}");
    assert_eq!((&found["checked"], &found["hold"], &found["driver"]), (&9.into(), &9.into(), &"simulation".into()));
    let claims = list(&found, "claims");
    assert_eq!(claims.len(), PAGE.len());
    for (claim, page) in claims.iter().zip(PAGE) {
        assert_eq!(claim["outcome"], "pass", "{claim:#}");
        assert_eq!(measured(claim), page, "claim {}", claim["number"]);
        assert!(list(claim, "checks").len() >= 3, "a figure alone is not enough: {claim:#}");
    }
    assert_eq!(
        (&found["assembly"]["outcome"], measured(&found["assembly"])),
        (&"pass".into(), ASSEMBLY.map(str::to_owned).to_vec())
    );
    let findings: Vec<u64> = list(&found, "findings").iter().filter_map(|finding| finding["claim"].as_u64()).collect();
    assert_eq!(findings, [1, 4, 4, 4, 8, 9, 9]);
    assert_eq!(found["digest"].as_str().map(str::len), Some(64));
    let wrong = |figure: &&Value| figure["kind"] == "finding";
    let last =
        list(&claims[8], "tables").iter().flat_map(|table| list(table, "rows")).flat_map(|row| list(row, "figures"));
    assert!(
        last.filter(wrong).all(|figure| figure["page"] == 20_000),
        "renewal at twice the lease, as the page has it"
    );
}

#[test]
#[ignore = "the long form: the same claims on real threads and SQLite files"]
fn threads_and_files_hold_what_does_not_need_virtual_time() {
    let (found, code) = verified(&["--driver", "threads"]);
    assert_eq!((code, &found["checked"], &found["hold"]), (Some(0), &4.into(), &4.into()), "{found:#}");
    for (claim, page) in list(&found, "claims").iter().zip(PAGE) {
        let number = claim["number"].as_u64().expect("a number");
        if [1, 2, 3, 6].contains(&number) {
            assert_eq!(
                (&claim["outcome"], measured(claim)),
                (&"pass".into(), page.iter().map(|row| row.to_string()).collect())
            );
        } else {
            assert_eq!((&claim["outcome"], measured(claim)), (&"not_run".into(), Vec::new()));
        }
    }
    assert!(found["digest"].is_null(), "a log of threads is never the same twice");
}

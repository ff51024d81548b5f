//! Labs from outside and without a screen: what is typed is taken as an answer, what came of it is told in each form, and
//! the exit code says whether the lab held.

mod program;

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};

use program::{Program, flat};

/// A lab in which w2 dies between effect and key. It expects that `wanted` jobs are applied twice, and proves nothing
/// without so many deaths.
fn lab(wanted: u32, deaths: u32) -> String {
    format!(
        r#"
title   = "Two writes"
teaches = "effect and key apart: twice"
seed    = 13
driver  = "simulation"
[setup]
dedup = "effect-then-key"
jobs = 6
workers = 2
work = "1s"
lease = "3s"
[[step]]
do = "kill w2 at effect"
[step.ask]
text = "How many jobs are applied twice?"
answer = "duplicated"
between = [0, 6]
formula = "deaths between the writes"
gives = 1
why = "The effect was there and its key was not."
[[must_happen]]
that = "crashes == {deaths}"
[[expect]]
that = "duplicated == {wanted}"
"#
    )
}

fn beside(text: &str) -> Program {
    let program = Program::new();
    fs::write(program.path("two.toml"), text).expect("written");
    program
}

#[test]
fn the_exit_code_says_whether_a_lab_held_in_every_form() {
    for form in ["--headless", "--plain", "--json"] {
        let code = |text: &str| beside(text).say(&format!("lab two.toml {form}")).code;
        assert_eq!(code(&lab(1, 1)), 0, "{form}: one job is applied twice");
        assert_eq!(code(&lab(0, 1)), 1, "{form}: it is not applied once");
        assert_eq!(code(&lab(1, 2)), 3, "{form}: one worker dies and not two, so nothing is shown");
        assert_eq!(code("title = 3"), 2, "{form}: that is no lab");
    }
}

#[test]
fn a_plain_lab_is_answered_by_what_is_typed_and_asks_again_for_what_its_question_does_not_take() {
    let said = beside(&lab(1, 1)).say_typed("lab two.toml --plain", "many\n7\n1\n");
    assert_eq!(said.code, 0, "{}", said.err);
    let told = flat(&said.out);
    assert!(
        told.contains("0 to 6: many it takes a whole number, 0 to 6: 7 it takes a whole number, 0 to 6: 1"),
        "{told}"
    );
    assert!(told.contains("RIGHT (1 counts as right) you said 1") && told.contains("measured 1 why"), "{told}");
    let wrong = flat(&beside(&lab(1, 1)).say_typed("lab two.toml --plain", "4\n").out);
    assert!(wrong.contains("NOT QUITE") && wrong.contains("you said 4"), "{wrong}");
    let silent = beside(&lab(1, 1)).say("lab two.toml --plain");
    assert_eq!(silent.code, 0, "nobody has to answer");
    assert!(flat(&silent.out).contains("no answer"), "{}", silent.out);
}

#[test]
fn a_lab_as_json_gives_what_was_wanted_and_what_came_of_each_expectation_and_answer() {
    let object = beside(&lab(0, 1)).json("lab two.toml --json --answer 1=1");
    assert_eq!(object["outcome"], "broken");
    assert_eq!(object["exit"]["code"], 1);
    let expect = &object["expects"][0];
    assert_eq!((&expect["wanted"], &expect["got"], &expect["held"]), (&"0".into(), &"1".into(), &false.into()));
    assert_eq!((&object["right"], &object["of"]), (&1.into(), &1.into()));
    assert_eq!(object["answers"][0]["measured"], "1");
    assert_eq!(object["variants"][0]["duplicated"], 1);
    assert_eq!(object["variants"][0]["audit"]["duplicated"], 1, "SQL counts the same");
}

#[test]
fn answers_that_a_lab_does_not_take_are_refused_before_it_runs() {
    for (answer, words) in [
        ("1=7", "step 1 takes a whole number, 0 to 6"),
        ("2=1", "step 2 asks nothing"),
        ("0=1", "expected the number of a step"),
    ] {
        let said = beside(&lab(1, 1)).say(&format!("lab two.toml --headless --answer {answer}"));
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{answer}");
        assert!(flat(&said.err).contains(words), "{answer}: {}", said.err);
    }
}

#[test]
fn a_lab_is_recorded_in_every_form_with_what_it_came_to() {
    for form in ["--headless", "--plain", "--json"] {
        let program = beside(&lab(1, 1));
        assert_eq!(program.say(&format!("lab two.toml {form} --record run.jsonl")).code, 0, "{form}");
        let replayed = program.json("replay run.jsonl --json");
        assert_eq!(replayed["exit"]["code"], 0, "{form}: {replayed}");
        assert_eq!(program.say("explain run.jsonl --all-anomalies").code, 0);
        let again = program.say(&format!("lab two.toml {form} --record run.jsonl"));
        assert_eq!(again.code, 2, "{form}: a recording is never written over");
    }
}

#[test]
fn a_lab_that_is_given_nothing_but_nonsense_goes_on_without_an_answer() {
    let said = beside(&lab(1, 1)).say_typed("lab two.toml --plain", &"nonsense\n".repeat(1_000));
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(said.out.matches("nonsense").count(), 10, "it asks ten times");
    assert!(flat(&said.out).contains("no answer"), "{}", said.out);
}

#[test]
#[cfg(unix)]
fn a_signal_ends_a_lab_that_waits_for_an_answer() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let program = beside(&lab(1, 1));
        let mut child =
            program.command("lab two.toml --plain").stdin(Stdio::piped()).spawn().expect("the program starts");
        let _open = child.stdin.take();
        let mut out = child.stdout.take().expect("it is piped");
        let mut told = Vec::new();
        while !told.ends_with(b"0 to 6: ") {
            let mut byte = [0];
            out.read_exact(&mut byte).expect("it asks");
            told.extend(byte);
        }
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("sent");
        assert!(sent.success());
        assert_eq!(child.wait().expect("it ends").code(), Some(code), "{signal}");
    }
}

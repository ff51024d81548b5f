//! Lab files that are wrong: each kind gets its answer with line and column before anything runs, all at once, and
//! quickly, whatever the file is.

use std::fmt::Write;

use onceish::lab::{Problem, Read, read, render};
use proptest::prelude::*;

/// A lab with nothing wrong about it, in 26 lines.
const GOOD: &str = "\
title = \"Two writes\"
teaches = \"effect and key apart\"
seed = 13
[setup]
jobs = 20
workers = 4
lease = \"5s\"
dedup = \"effect-then-key\"
crash = [\"ids:3@effect\"]
[[step]]
id = \"start\"
say = \"Somebody dies.\"
[[step]]
id = \"died\"
when = \"died\"
within = \"10s\"
do = [\"kill w2 at key\", \"heal all\"]
[step.ask]
text = \"How many are charged twice?\"
between = [0, 20]
answer = \"duplicated\"
why = \"The key was not there.\"
[[expect]]
that = \"duplicated == 1\"
[[must_happen]]
that = \"crashes >= 1\"
";

fn check(text: &str) -> Read {
    read("a-lab", text.as_bytes())
}

/// What is wrong with [`GOOD`] once `from` in it is `to`: line, column, length and words of the only problem.
fn only(from: &str, to: &str) -> (usize, usize, usize, String) {
    assert_eq!(GOOD.matches(from).count(), 1, "{from} stands once in the good lab");
    let Read { lab, problems } = check(&GOOD.replace(from, to));
    assert_eq!(problems.len(), 1, "{to}: {problems:#?}");
    let Problem { line, column, len, what, help, warning } = problems[0].clone();
    assert_eq!(lab.is_some(), warning, "{to}: a lab is whole unless there is an error");
    (line, column, len, format!("{what} | {}", help.unwrap_or_default()))
}

/// Holds that [`GOOD`] with `from` replaced has one problem, there and in these words.
fn holds(from: &str, to: &str, place: (usize, usize, usize), words: &str) {
    let (line, column, len, what) = only(from, to);
    assert_eq!((line, column, len), place, "{to}: {what}");
    assert!(what.contains(words), "{to}: {what}");
}

#[test]
fn a_lab_with_nothing_wrong_is_whole() {
    let Read { lab, problems } = check(GOOD);
    assert_eq!(problems, []);
    let lab = lab.expect("whole");
    assert_eq!((lab.name.as_str(), lab.title.as_str(), lab.text.as_str()), ("a-lab", "Two writes", GOOD));
}

#[test]
fn a_file_without_a_step_is_no_lab_even_when_it_is_empty() {
    for text in ["", "\n\n", "# only a comment\n", "  \t\n", "\u{feff}"] {
        let Read { lab, problems } = check(text);
        assert!(lab.is_none(), "{text:?}");
        assert!(
            problems.iter().any(|problem| problem.what == "no steps" && !problem.warning),
            "{text:?}: {problems:?}"
        );
        assert!(problems.iter().any(|problem| problem.what == "title is missing"), "{text:?}: {problems:?}");
    }
}

#[test]
fn an_unknown_action_is_found_with_its_column_and_the_nearest() {
    holds("\"kill w2 at key\"", "\"kil w2 at key\"", (17, 8, 3), "no such action: kil | did you mean kill?");
    holds("\"heal all\"", "\"heal all slwo\"", (17, 35, 4), "did you mean slow?");
    holds("\"heal all\"", "\"\"", (17, 26, 1), "here belongs an action");
    holds("\"heal all\"", "\"kill \\u0077\\u0039x\"", (17, 31, 13), "is not");
}

#[test]
fn an_action_that_only_somebody_looking_on_can_do_is_refused() {
    for act in ["stop", "go", "step", "answer 1 b"] {
        holds("\"heal all\"", &format!("\"{act}\""), (17, 25, act.len() + 2), "cannot");
    }
}

#[test]
fn a_worker_that_does_not_exist_is_an_error_wherever_it_is_named() {
    holds("kill w2", "kill w5", (17, 13, 2), "there is no w5: there are 4 workers");
    holds("when = \"died\"", "when = \"died w9\"", (15, 14, 2), "there is no w9: the lab has 4 workers");
    holds("\"crashes >= 1\"", "\"count(died w5) >= 1\"", (26, 20, 2), "there is no w5");
}

#[test]
fn a_point_that_cannot_occur_is_an_error_and_a_warning_once_a_step_may_have_changed_the_policy() {
    holds("at key\"", "at remember\"", (17, 19, 8), "remember is not a crash point");
    holds(
        "at key\"",
        "at commit\"",
        (17, 19, 6),
        "no worker stands at commit with ack after and dedup effect-then-key",
    );
    holds("ids:3@effect", "ids:3@commit", (9, 10, 14), "crash ids:3@commit: no worker stands at commit");
    let switch = GOOD.replace("id = \"start\"", "id = \"start\"\ndo = \"dedup transactional\"");
    for (from, line) in [("at key\"", 18), ("ids:3@effect", 9)] {
        let to = if line == 9 { "ids:3@commit" } else { "at commit\"" };
        let Read { lab, problems } = check(&switch.replace(from, to));
        assert!(lab.is_some(), "{problems:?}");
        assert_eq!(problems.iter().map(|p| (p.line, p.warning)).collect::<Vec<_>>(), [(line, true)], "{problems:?}");
    }
    let later = GOOD.replace("at key\"", "at commit\"").replace("\"heal all\"", "\"dedup transactional\"");
    assert!(check(&later).lab.is_none(), "a switch behind the kill does not help it");
}

#[test]
fn a_misspelt_key_is_an_error_with_the_nearest_wherever_it_stands() {
    holds("lease =", "leese =", (7, 1, 5), "no such key: leese | did you mean lease?");
    let Read { problems, .. } = check(&GOOD.replace("teaches =", "teachs ="));
    let told: Vec<_> = problems.iter().map(|problem| (problem.line, problem.what.as_str())).collect();
    assert_eq!(told, [(1, "teaches is missing"), (2, "no such key: teachs")]);
    assert_eq!(problems[1].help.as_deref(), Some("did you mean teaches?"));
}

#[test]
fn a_key_in_the_wrong_place_is_told_where_it_belongs() {
    for (from, to, line, words) in [
        ("seed = 13", "seed = 13\njobs = 3", 4, "it belongs in [setup]"),
        ("workers = 4", "workers = 4\nseed = 3", 7, "it stands at the top of the file"),
        ("within = \"10s\"", "within = \"10s\"\nwhy = \"x\"", 17, "it belongs in [step.ask]"),
        ("that = \"crashes >= 1\"", "that = \"crashes >= 1\"\nalways = true", 27, "an [[expect]] may have it"),
    ] {
        let (found, column, _, what) = only(from, to);
        assert_eq!((found, column), (line, 1), "{to}: {what}");
        assert!(what.contains(words), "{to}: {what}");
    }
}

#[test]
fn a_key_given_twice_is_an_error_where_it_stands_again() {
    holds("lease = \"5s\"", "lease = \"5s\"\nlease = \"6s\"", (8, 1, 5), "this key is there already");
    holds("[[expect]]", "[setup]\n[[expect]]", (23, 2, 5), "this key is there already");
}

#[test]
fn a_slip_in_the_form_of_the_file_has_a_place_too() {
    holds("jobs = 20", "jobs = ", (5, 8, 1), "not TOML");
    holds("lease = \"5s\"", "lease = \"5s", (7, 12, 1), "not TOML");
    let Read { problems, .. } = check(&GOOD.replace("[setup]", "[setup"));
    assert_eq!((problems[0].line, problems[0].column), (4, 7), "{problems:?}");
    assert!(problems[0].what.contains("unclosed table"), "{problems:?}");
}

#[test]
fn a_value_that_its_flag_would_refuse_is_refused_with_what_was_expected() {
    holds("\"effect-then-key\"", "\"effect-then-kye\"", (8, 9, 17), "did you mean effect-then-key?");
    holds("\"5s\"", "5", (7, 9, 1), "lease: expected a duration: a number and a unit");
    holds("workers = 4", "workers = 300", (6, 11, 3), "from 1 to 256");
    holds("workers = 4", "workers = [4]", (6, 11, 3), "not a list");
    holds("jobs = 20", "jobs = { n = 20 }", (5, 8, 10), "not a table");
    holds("ids:3@effect", "ids:3", (9, 10, 7), "expected a strike");
    holds("workers = 4", "rate = nan", (6, 8, 3), "expected jobs a second");
}

#[test]
fn times_have_units_and_limits() {
    for time in ["-1s", "NaNs", "1e308s", "5", "", "inf", "1001h", "99999999999999h"] {
        holds("\"10s\"", &format!("\"{time}\""), (16, 10, time.len() + 2), "within is a time with its unit");
    }
    holds("\"10s\"", "10", (16, 10, 2), "not a whole number");
    holds("\"10s\"", "\"0\"", (16, 10, 3), "longer than 0");
}

#[test]
fn a_step_that_can_never_come_is_an_error() {
    let until = "lease = \"5s\"\nuntil = \"8s\"";
    let with = |step: &str| GOOD.replace("lease = \"5s\"", until).replace("when = \"died\"\nwithin = \"10s\"", step);
    let Read { problems, .. } = check(&with("at = \"9s\""));
    assert_eq!((problems[0].line, problems[0].column), (16, 6), "{problems:?}");
    assert_eq!(problems[0].what, "this step never comes: the run ends at 8s");
    assert!(check(&with("at = \"8s\"")).lab.is_some(), "the last moment is no later than the end");
    assert!(check(&with("at = \"7s\"\nwait = \"2s\"")).lab.is_none(), "its wait takes it behind the end");
}

#[test]
fn steps_that_refer_to_nothing_to_themselves_or_in_a_circle_are_errors() {
    holds("when = \"died\"", "after = \"strat\"", (15, 9, 7), "no step has the id strat | did you mean start?");
    holds("when = \"died\"", "after = \"died\"", (15, 9, 6), "cannot come after itself");
    holds("id = \"died\"", "id = \"start\"", (14, 6, 7), "there is a step start already");
    let circle =
        GOOD.replace("say = \"Somebody dies.\"", "after = \"died\"").replace("when = \"died\"", "after = \"start\"");
    let Read { problems, .. } = check(&circle);
    let lines: Vec<_> = problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [12, 15], "{problems:?}");
    assert!(problems.iter().all(|problem| problem.what.contains("waits for one that waits for it")), "{problems:?}");
}

#[test]
fn a_step_has_one_trigger_and_what_goes_with_it() {
    holds("when = \"died\"", "when = \"died\"\nat = \"5s\"", (15, 1, 4), "a step has one trigger");
    holds("when = \"died\"\n", "", (15, 1, 6), "it needs when or after");
    holds("say = \"Somebody dies.\"", "say = \"x\"\nwait = \"5s\"", (13, 1, 4), "comes before the run");
    holds("within = \"10s\"", "repeat = 3", (16, 1, 6), "repeat needs every");
    holds("within = \"10s\"", "every = \"3s\"", (16, 1, 5), "every needs repeat");
    holds("within = \"10s\"", "repeat = 0\nevery = \"3s\"", (16, 10, 1), "whole number from 1");
}

#[test]
fn unknown_names_in_tests_are_errors_with_the_nearest() {
    holds("duplicated == 1", "dupplicated == 1", (24, 9, 11), "no such figure: dupplicated | did you mean duplicated?");
    holds("when = \"died\"", "when = \"deid\"", (15, 9, 4), "no such figure: deid | did you mean dead?");
    holds("answer = \"duplicated\"", "answer = \"dedup_hit\"", (21, 11, 9), "did you mean dedup_hits?");
    holds("duplicated == 1", "a.duplicated == 1", (24, 9, 1), "this lab has no variants");
}

#[test]
fn what_is_asked_has_a_question_an_answer_and_a_reason_that_fit_together() {
    holds("why = \"The key was not there.\"\n", "", (18, 1, 10), "why is missing");
    holds("between = [0, 20]\n", "", (18, 1, 10), "an ask has choices, or between for a number");
    holds("between = [0, 20]", "between = [20, 0]", (20, 11, 7), "the lesser first");
    holds("between = [0, 20]", "between = [0, nan]", (20, 15, 3), "a number no greater than");
    holds("between = [0, 20]", "between = [0, 20.5]", (20, 11, 9), "whole numbers, unless whole = false");
    holds("answer = \"duplicated\"", "answer = 21", (21, 10, 2), "cannot be given: between is 0 to 20");
    holds("between = [0, 20]", "between = [0, 20]\nband = -1", (21, 8, 2), "no less than 0");
    holds("between = [0, 20]", "between = [0, 20]\nband = [19, 21]", (21, 8, 8), "within between, 0 to 20");
    holds("between = [0, 20]", "between = [0, 20]\nband = \"5\"", (21, 8, 3), "a share such as \"5%\"");
    holds("between = [0, 20]", "between = [0, 20]\nproof = \"kept\"", (21, 1, 5), "goes with choices");
    let choices = "choices = [\"Once\", \"Twice\"]";
    holds("between = [0, 20]", choices, (21, 10, 12), "the letter of a choice, a to b");
    holds(
        "between = [0, 20]\nanswer = \"duplicated\"",
        "choices = [\"Once\"]\nanswer = \"a\"",
        (20, 11, 8),
        "2 to 9 choices",
    );
    let both = format!("{choices}\nunit = \"jobs\"\nanswer = \"b\"");
    holds("between = [0, 20]\nanswer = \"duplicated\"", &both, (21, 1, 4), "it goes with a number");
}

#[test]
fn an_expectation_has_a_test_and_a_tolerance_only_where_it_means_something() {
    holds("that = \"duplicated == 1\"", "says = \"x\"", (23, 1, 10), "that is missing");
    holds(
        "that = \"duplicated == 1\"",
        "that = \"duplicated > 1\"\ntolerance = 2",
        (25, 1, 9),
        "goes with a single ==",
    );
    holds("that = \"duplicated == 1\"", "that = \"lost == 1\"\ntolerance = -2", (25, 13, 2), "no less than 0");
    holds(
        "that = \"duplicated == 1\"",
        "that = \"lost == 1\"\nafter = \"nobody\"",
        (25, 9, 8),
        "no step has the id nobody",
    );
    holds(
        "that = \"duplicated == 1\"",
        "that = \"lost == 1\"\nvariant = \"a\"",
        (25, 11, 3),
        "this lab has no variants",
    );
}

/// The good lab with two variants, and these lines in its second step.
fn varied(step: &str) -> Read {
    let variants =
        "[[variant]]\nname = \"one\"\n[[variant]]\nname = \"key-first\"\nworkers = 2\n[[step]]\nid = \"start\"";
    check(&GOOD.replace("[[step]]\nid = \"start\"", variants).replace("when = \"died\"", step))
}

#[test]
fn steps_and_tests_name_variants_that_exist() {
    assert!(varied("variant = \"one\"\nwhen = \"died w4\"").lab.is_some());
    let first = |step: &str| {
        let Read { problems, .. } = varied(step);
        let problem = problems.into_iter().find(|problem| !problem.warning).expect("an error");
        (problem.line, problem.column, problem.what)
    };
    assert_eq!(first("variant = \"kye-first\"\nwhen = \"died\"").0, 20);
    assert!(first("variant = \"kye-first\"\nwhen = \"died\"").2.contains("no such variant: kye-first"));
    assert_eq!(
        first("when = \"one.died\""),
        (20, 9, "this is asked of each run by itself, where no other variant is at hand".to_owned())
    );
    let of_few = first("variant = \"key-first\"\nwhen = \"died w3\"");
    assert_eq!(of_few, (21, 14, "there is no w3: the lab has 2 workers".to_owned()));
}

#[test]
fn a_step_comes_after_one_that_its_own_run_has() {
    let apart = GOOD
        .replace(
            "[[step]]\nid = \"start\"",
            "[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\n[[step]]\nvariant = \"a\"\nid = \"start\"",
        )
        .replace("when = \"died\"", "variant = [\"a\", \"b\"]\nafter = \"start\"");
    let Read { problems, .. } = check(&apart);
    let told: Vec<_> = problems.iter().map(|p| (p.line, p.column, p.what.as_str())).collect();
    assert_eq!(told, [(21, 9, "the run of b does not have the step start")]);
}

#[test]
fn variants_are_named_apart_and_are_few() {
    let with = |variants: &str| {
        check(&GOOD.replace("[[step]]\nid = \"start\"", &format!("{variants}[[step]]\nid = \"start\"")))
    };
    let first = |variants: &str| with(variants).problems.remove(0);
    assert!(
        first("[[variant]]\nname = \"a\"\n[[variant]]\nname = \"a\"\n").what.contains("there is a variant a already")
    );
    assert!(first("[[variant]]\nsays = \"a\"\n").what.contains("name is missing"));
    for name in ["", "a b", "a.b", "-a", "1st", "a-", "an-awfully-long-name-for-a-variant"] {
        assert!(
            first(&format!("[[variant]]\nname = \"{name}\"\n")).what.contains("letters, digits and hyphens"),
            "{name}"
        );
    }
    let mut many = String::new();
    for n in 0..17 {
        let _into_a_string = write!(many, "[[variant]]\nname = \"v{n}\"\n");
    }
    let problem = first(&many);
    assert_eq!((problem.line, problem.what.as_str()), (10 + 2 * 16, "a lab has at most 16 of [[variant]], not 17"));
}

#[test]
fn checks_of_a_setup_as_a_whole_point_at_the_part_in_words_of_files() {
    holds("workers = 4", "poison = 21", (6, 10, 2), "poison 21 asks for more than the 20 jobs of jobs");
    holds("jobs = 20", "for = \"5s\"", (5, 7, 4), "for without jobs is an endless stream of jobs: it needs a rate");
}

#[test]
fn a_stream_without_an_end_is_never_drained() {
    holds("jobs = 20\n", "base = \"sandbox\"\n", (4, 1, 7), "the stream never ends");
    assert!(check(&GOOD.replace("jobs = 20\n", "base = \"sandbox\"\nuntil = \"60s\"\n")).lab.is_some());
}

#[test]
fn planned_redelivery_is_checked_in_its_form_and_with_the_rest() {
    let wanted = "redeliver-after is { jobs = [LEAST, GREATEST], seed = S }";
    for text in
        ["{ jobs = [5, 3], seed = 1 }", "{ jobs = [1, 3] }", "{ jobs = 3, seed = 1 }", "{ jobs = [0, 3], seed = 1 }"]
    {
        holds("workers = 4", &format!("redeliver-after = {text}"), (6, 19, text.len()), wanted);
    }
    holds("workers = 4", "redeliver-after = { jobs = [1, 3], seed = 1 }", (6, 19, 27), "they need a rate");
}

#[test]
fn texts_have_limits_and_nothing_that_acts_on_a_terminal() {
    let long = "x".repeat(2_001);
    holds("Somebody dies.", &long, (12, 7, 2_003), "2001 characters; at most 2000 fit");
    holds("effect and key apart", &"x".repeat(51), (2, 11, 53), "at most 50 fit");
    holds("effect and key apart", "a\\nb", (2, 11, 6), "teaches is one line");
    holds("Somebody dies.", "a\\u001b[2Jb", (12, 7, 13), "act on a terminal");
    holds("id = \"died\"", &format!("mark = \"{}\"", "x".repeat(201)), (14, 8, 203), "at most 200 fit");
}

#[test]
fn steps_and_expectations_are_at_most_a_thousand() {
    for (what, one) in [("step", "[[step]]\nsay = \"x\"\n"), ("expect", "[[expect]]\nthat = \"lost == 0\"\n")] {
        let Read { problems, .. } = check(&(GOOD.to_owned() + &one.repeat(1_000)));
        let told: Vec<_> = problems.iter().map(|problem| problem.what.as_str()).collect();
        let wanted = format!(
            "a lab has at most 1000 of [[{what}]], not {}",
            1_000 + GOOD.matches(&format!("[[{what}]]")).count()
        );
        assert_eq!(told, [wanted]);
    }
}

#[test]
fn what_proves_nothing_is_warned_of() {
    let Read { lab, problems } = check(&GOOD.replace("[[expect]]\nthat = \"duplicated == 1\"\n", ""));
    assert!(lab.is_some());
    assert!(problems[0].warning && problems[0].what.contains("nothing is expected"), "{problems:?}");
    let Read { lab, problems } = check(&GOOD.replace("[[must_happen]]\nthat = \"crashes >= 1\"\n", ""));
    assert!(lab.is_some());
    assert!(problems[0].warning && problems[0].what.contains("its faults never struck"), "{problems:?}");
}

#[test]
fn all_that_is_wrong_is_told_at_once_in_the_order_of_the_file() {
    let wrong = GOOD
        .replace("lease =", "leese =")
        .replace("kill w2", "kil w2")
        .replace("duplicated == 1", "dupplicated == 1")
        .replace("seed = 13", "seed = -1");
    let Read { lab, problems } = check(&wrong);
    assert!(lab.is_none());
    assert_eq!(problems.iter().map(|problem| problem.line).collect::<Vec<_>>(), [3, 7, 17, 24], "{problems:?}");
}

#[test]
fn a_mark_line_ends_of_either_kind_and_tabs_change_nothing() {
    let clean = check(GOOD).lab.expect("whole");
    let tabs = GOOD.replace(" = ", "\t=\t");
    for text in [format!("\u{feff}{GOOD}"), GOOD.replace('\n', "\r\n"), tabs] {
        let mut lab = check(&text).lab.expect("whole");
        lab.text.clone_from(&clean.text);
        assert_eq!(lab, clean);
        let Read { problems, .. } = check(&text.replace("kill w2", "kil w2"));
        assert_eq!((problems[0].line, problems[0].column), (17, 8), "{problems:?}");
    }
    let wordy = GOOD.replace("\"Somebody dies.\"", "\"\"\"\nSomebody\ndies.\"\"\"");
    let lines = check(&wordy.replace('\n', "\r\n")).lab.expect("whole");
    assert_eq!(lines.steps[0].say, "Somebody\ndies.");
}

#[test]
fn what_is_no_text_is_refused_with_the_byte() {
    let refused = |bytes: Vec<u8>| {
        let Read { lab, problems } = read("a-lab", &bytes);
        assert!(lab.is_none() && problems.len() == 1);
        problems[0].what.clone()
    };
    let at = GOOD.find("Somebody").expect("there");
    let mut nul = GOOD.as_bytes().to_vec();
    nul[at] = 0;
    assert!(refused(nul).contains(&format!("byte {at} is NUL")));
    let mut latin = GOOD.as_bytes().to_vec();
    latin[at] = 0xe9;
    assert!(refused(latin).contains(&format!("byte {at} is not UTF-8")));
    let utf16: Vec<u8> = "\u{feff}title".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(refused(utf16).contains("byte 0 begins UTF-16"));
    assert!(refused(vec![b'#'; (1 << 20) + 1]).contains("longer than 1,048,576 bytes"));
}

/// `part` until 1 MiB is full.
fn megabyte(part: &str) -> String {
    part.repeat((1 << 20) / part.len())
}

#[test]
fn hostile_files_are_refused_without_an_overflow_and_told_in_a_few_lines() {
    let files = [
        megabyte("["),
        format!("x = {}", "[".repeat(1 << 19)),
        megabyte("x=[}\n"),
        megabyte("[["),
        megabyte("a."),
        format!("{}a = 1", "a.".repeat(1 << 18)),
        format!("x = {}", "{a=".repeat(1 << 18)),
        megabyte("a=1\n"),
        megabyte("[a]\n"),
        megabyte("[[step]]\n"),
        format!("x = [{}]", "1,".repeat(1 << 18)),
        megabyte("\u{1}\n"),
        megabyte("\""),
        format!("[{}", "step".repeat(1 << 18)),
        format!("say = \"\"\"{}", "a".repeat((1 << 20) - 20)),
        format!("title = \"{}\"", "x".repeat(1 << 19)),
    ];
    for text in files {
        let began = text.chars().take(12).collect::<String>();
        let Read { lab, problems } = check(&text);
        assert!(lab.is_none(), "{began:?}");
        assert!((1..=101).contains(&problems.len()), "{began:?}: {}", problems.len());
        for problem in &problems {
            let shown = render(problem, "x.toml", &text);
            assert!(shown.len() < 1_000, "{began:?}: {shown}");
        }
    }
}

#[test]
fn nothing_of_a_file_reaches_the_terminal_as_more_than_words() {
    let nasty = "\u{1b}]52;c;aGk=\u{7}\u{9b}2J\u{202e}";
    for text in [
        GOOD.replace("lease =", "\"le\\u001b[2Jase\" ="),
        GOOD.replace("\"5s\"", "\"\\u001b[2J\""),
        GOOD.replace("kill w2", "k\\u001b[2Jill w2"),
        GOOD.replace("duplicated == 1", "dup\\u009b2Jlicated == 1"),
        GOOD.replace("id = \"died\"", "id = \"\\u001b[2J\""),
        GOOD.replace("lease = \"5s\"", &format!("# {nasty}\nleese = \"5s\" # {nasty}")),
    ] {
        let Read { problems, .. } = check(&text);
        assert!(!problems.is_empty(), "{text}");
        for problem in problems {
            let shown = render(&problem, nasty, &text);
            assert!(!shown.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']), "{shown:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let Read { lab, problems } = read("x", &bytes);
        prop_assert!(lab.is_some() || problems.iter().any(|problem| !problem.warning));
    }

    #[test]
    fn no_form_makes_the_reader_panic(text in "[a-c\\[\\]{}=.,\"'#\\\\\n 0-9]{0,80}") {
        let _either_way = read("x", text.as_bytes());
    }

    #[test]
    fn a_good_lab_with_a_part_changed_never_makes_the_reader_panic(
        changes in proptest::collection::vec((0..GOOD.len(), 0..12_usize, proptest::sample::select(vec![
            "", "[", "]", "\"", "\n", "=", "{", "}", "'", "\"\"\"", "1e308", "-1", "nan", "w99", "at", "\\", "\\u12", ".",
            "#", "[[step]]\n", "[step.ask]\n", "variant = \"a\"\n", "\u{e9}", "\u{1b}", "after = \"died\"\n",
        ])), 1..5),
    ) {
        let mut text = GOOD.to_owned();
        for (at, len, new) in changes {
            let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            let end = (at + len..=text.len()).find(|end| text.is_char_boundary(*end)).unwrap_or(text.len());
            text.replace_range(at..end.max(at), new);
        }
        let Read { lab, problems } = check(&text);
        prop_assert!(lab.is_some() || problems.iter().any(|problem| !problem.warning), "{text}");
        for problem in problems {
            prop_assert!(problem.line >= 1 && problem.column >= 1);
            let _shown = render(&problem, "x.toml", &text);
        }
    }
}

/// The guide to writing labs, and the blocks of TOML in it.
const GUIDE: &str = include_str!("../docs/labs.md");

#[test]
fn every_lab_of_the_guide_is_whole_and_draws_no_warning_but_of_what_it_leaves_out() {
    let blocks: Vec<&str> =
        GUIDE.split("```toml\n").skip(1).map(|part| part.split("```").next().expect("an end")).collect();
    assert!(blocks.len() >= 5, "{}", blocks.len());
    for block in blocks {
        let Read { lab, problems } = check(block);
        assert!(lab.is_some(), "{block}\n{problems:#?}");
        let proves = |problem: &Problem| problem.what.starts_with("nothing ");
        assert!(problems.iter().all(proves), "{block}\n{problems:#?}");
    }
}

#[test]
fn the_guide_names_every_event_and_every_key_of_a_setup() {
    let words: Vec<&str> = GUIDE.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').collect();
    for event in onceish::lab::language::names::EVENTS {
        assert!(words.contains(&event.name), "{}", event.name);
    }
    for field in onceish::setup::fields::FIELDS {
        let line = format!("\n{} = ", field.name);
        assert!(GUIDE.contains(&line), "{}", field.name);
    }
}

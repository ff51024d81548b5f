//! The program from outside: what it refuses, what it prints, and the exit code it ends with.

mod program;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Command;

use program::{Program, said};
use serde_json::Value;

/// The line is refused as usage, with all of these words, before anything is done.
fn refused(line: &str, words: &[&str]) {
    refused_as_it_is(&format!("{line} --db kept.db"), words);
}

/// The same for a line of a command that keeps no database.
fn refused_as_it_is(line: &str, words: &[&str]) {
    let program = Program::new();
    let said = program.say(line);
    assert_eq!(said.code, 2, "{line}: {}{}", said.out, said.err);
    for word in words {
        assert!(said.err.contains(word), "{line} should be answered with {word}: {}", said.err);
    }
    assert_eq!(said.out, "", "{line} prints no result");
    let made: Vec<_> = fs::read_dir(program.folder.path()).expect("a folder").collect();
    assert!(made.is_empty(), "{line} leaves no file behind: {made:?}");
}

#[test]
fn a_number_of_workers_out_of_range_is_refused_with_the_range() {
    for workers in ["0", "-1", "2.5", "99999999", "x"] {
        refused(&format!("run --headless --workers {workers}"), &["--workers", "from 1 to 256"]);
    }
}

#[test]
fn a_lease_without_a_unit_or_out_of_range_is_refused_with_the_units() {
    for lease in ["0", "-1s", "5", "1e400s", "25h"] {
        refused(&format!("run --headless --lease {lease}"), &["--lease", "1ms to 24h"]);
    }
    refused("run --headless --lease 5parsecs", &["us, ms, s, min, h"]);
}

#[test]
fn at_least_one_attempt_must_be_allowed() {
    for attempts in ["0", "-3", "18446744073709551616"] {
        refused(&format!("run --headless --max-attempts {attempts}"), &["--max-attempts", "from 1 to"]);
    }
}

#[test]
fn a_rate_is_a_probability_and_never_nan() {
    for rate in ["1.5", "-0.1", "NaN", "inf", "101%"] {
        refused(&format!("run --headless --lose-acks {rate}"), &["--lose-acks", "0 to 1"]);
        refused(&format!("run --headless --crash {rate}@work"), &["--crash", "from 0 to 1"]);
    }
    refused("run --headless --lose-replies 1", &["below 1"]);
}

#[test]
fn a_seed_out_of_range_is_refused_and_not_replaced() {
    for seed in ["abc", "-1", "18446744073709551616"] {
        refused(&format!("run --headless --seed {seed}"), &["--seed", "from 0 to 9223372036854775807"]);
    }
}

#[test]
fn a_number_of_jobs_beyond_the_limit_is_refused_with_the_limit() {
    refused("run --headless --jobs 1000000000000", &["from 1 to 10000000"]);
    refused("run --headless --jobs 5 --poison 6", &["more than the 5 jobs"]);
}

#[test]
fn misspelt_words_are_answered_with_the_nearest_and_exclusive_flags_by_name() {
    refused("run --headless --leese 5s", &["--lease"]);
    refused("rum", &["run"]);
    refused("run --headless --dedup transactionel", &["did you mean transactional?"]);
    refused("run --headless --ack befor", &["'before'"]);
    refused("run --plain --json", &["--plain", "--json"]);
}

#[test]
fn a_crash_point_that_the_policy_lacks_is_refused_with_those_it_has() {
    refused("run --headless --dedup none --crash page@key", &["the points are claim, work, effect, ack"]);
    refused("run --headless --crash page@nowhere", &["one of claim, ack, work, check, effect, key, commit"]);
}

#[test]
fn a_screen_without_a_terminal_is_refused_without_an_escape_byte() {
    let program = Program::new();
    for line in ["", "run", "run --seed 5", "--ascii", "run --db kept.db", "run --driver simulation"] {
        let said = program.say(line);
        assert_eq!(fs::read_dir(program.folder.path()).expect("a folder").count(), 0, "{line} makes no file");
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{line}");
        assert!(said.err.contains("--headless") && said.err.lines().count() == 1, "{}", said.err);
        assert!(!said.err.contains('\u{1b}'), "{:?}", said.err);
    }
}

#[test]
fn virtual_time_gives_the_figures_of_real_threads_and_waits_for_nothing() {
    let said = Program::new().say(
        "run --json --driver simulation --seed 1 --jobs 200 --work 1h --lease 2h --dedup none --crash ids:3,5@effect",
    );
    assert_eq!(said.code, 0, "{}", said.err);
    let json: serde_json::Value = serde_json::from_str(&said.out).expect("one object");
    assert_eq!((json["once"].as_u64(), json["duplicated"].as_u64()), (Some(198), Some(2)));
    assert_eq!(json["driver"], "simulation");
}

#[test]
fn a_renewal_later_than_the_lease_runs_with_a_standing_warning() {
    let said = Program::new().say("run --headless --jobs 5 --renew 10s --lease 5s");
    assert_eq!(said.code, 0, "{}", said.err);
    let flat = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("warning renewal 10s comes later than the lease of 5s"), "{}", said.out);
    assert!(flat.contains("every job longer than the lease will be redelivered"), "{}", said.out);
}

#[test]
fn a_database_path_that_cannot_be_used_is_named_with_the_reason_and_left_alone() {
    let program = Program::new();
    fs::create_dir(program.path("folder")).expect("a folder");
    fs::write(program.path("letter.txt"), "dear reader").expect("a file");
    for (path, reason) in
        [("folder", "it is a folder"), ("missing/new.db", "does not exist"), ("letter.txt", "not a SQLite database")]
    {
        let said = program.say(&format!("run --headless --db {path}"));
        assert_eq!((said.code, said.out.as_str()), (4, ""), "{path}: {}", said.err);
        assert!(said.err.contains(reason) && said.err.contains(path), "{path}: {}", said.err);
    }
    assert_eq!(fs::read(program.path("letter.txt")).expect("still there"), b"dear reader");
    assert!(!program.path("letter.txt-wal").exists() && !program.path("missing").exists());
}

#[test]
fn another_programs_database_is_refused_and_stays_byte_for_byte_the_same() {
    let program = Program::new();
    let path = program.path("theirs.db");
    rusqlite::Connection::open(&path)
        .and_then(|theirs| {
            theirs.execute_batch("CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('x')")
        })
        .expect("a database");
    let before = fs::read(&path).expect("bytes");
    let said = program.say("run --headless --db theirs.db");
    assert_eq!(said.code, 4, "{}", said.err);
    assert!(said.err.contains("another program's database"), "{}", said.err);
    assert_eq!(fs::read(&path).expect("bytes"), before);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_stdout_is_an_error_with_its_reason() {
    let program = Program::new();
    for line in [
        "run --headless --jobs 5",
        "run --plain --jobs 5",
        "run --json --jobs 5",
        "grid",
        "compare --jobs 5",
        "sweep attempts=1,2 --jobs 5",
        "info",
        "run --help",
        "man",
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("there on Linux");
        let said = said(program.command(line).stdout(full).output().expect("the program starts"));
        assert_eq!(said.code, 4, "{line}: {}", said.err);
        assert!(said.err.starts_with("error: cannot write to stdout: "), "{line}: {}", said.err);
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_program_quietly() {
    let program = Program::new();
    for line in [
        "run --plain --jobs 20000",
        "run --headless --jobs 50",
        "run --json --jobs 50",
        "run --help",
        "grid",
        "grid --json",
        "compare --jobs 50",
        "compare --jobs 50 --json",
        "sweep attempts=1,2 --jobs 50",
        "sweep attempts=1,2 --jobs 50 --csv",
    ] {
        let mut child = program.command(line).spawn().expect("the program starts");
        drop(child.stdout.take());
        let said = said(child.wait_with_output().expect("it ends"));
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{line}");
    }
}

#[test]
fn the_exit_code_says_whether_the_promise_held() {
    let program = Program::new();
    for (line, code, reason) in [
        ("--jobs 50", 0, "nothing was put to the test"),
        ("--jobs 50 --crash ids:3@effect", 0, "the promise was kept"),
        ("--jobs 50 --dedup none --crash ids:3@effect", 0, "the promise was kept"),
        ("--jobs 50 --dedup two-write --crash ids:3@effect", 1, "the promise is broken"),
        ("--jobs 50 --dedup key-then-effect --crash ids:3@key", 1, "the promise is broken"),
        ("--jobs 50 --workers 1 --respawn off --crash ids:3@work", 3, "inconclusive: stuck"),
        ("--jobs 50 --fail ids:3@work --crash ids:3@commit", 3, "inconclusive: --crash ids@commit struck 0 of 1 jobs"),
    ] {
        let said = program.say(&format!("run --headless {line}"));
        assert_eq!(said.code, code, "{line}: {}{}", said.out, said.err);
        let end = said.out.lines().last().expect("a report");
        assert!(end.starts_with(&format!("exit {code}    {reason}")), "{line}: {}", said.out);
    }
}

#[test]
fn no_line_of_a_report_is_wider_than_80_columns_and_all_of_it_is_ascii() {
    let program = Program::new();
    let said = program.say(
        "run --headless --jobs 200 --workers 3 --dedup window:50 --order key --on-dead block --values versioned \
         --poison 3:crash --crash 5%@effect --fail ids:1,2@work --lose-beats 10% --lose-acks 10% --lose-replies 10% \
         --on-lost-lease abort --fence --key attempt --renew 2x",
    );
    assert!(said.out.is_ascii(), "{}", said.out);
    assert!(said.out.lines().all(|line| line.len() <= 80), "{}", said.out);
    assert!(said.out.lines().last().is_some_and(|line| line.starts_with("exit ")), "{}{}", said.out, said.err);
}

#[test]
fn the_fates_add_up_and_both_witnesses_say_the_same() {
    let object = Program::new().json(
        "run --json --jobs 500 --workers 4 --dedup none --poison 5 --crash 3%@effect --lose-acks 5% --max-attempts 2",
    );
    let count = |name: &str| object[name].as_u64().unwrap_or_else(|| panic!("{name} in {object}"));
    let dead = count("dead") - count("dead_applied");
    assert_eq!(count("once") + count("duplicated") + count("lost") + dead + count("pending"), 500);
    assert_eq!(count("effects"), count("once") + count("duplicated") + count("extra_effects"));
    assert_eq!(count("waiting") + count("leased") + count("unprotected") + count("done") + count("dead"), 500);
    for name in ["once", "duplicated", "lost", "dead", "dead_applied", "pending"] {
        assert_eq!(object["audit"][name], object[name], "{name}");
    }
    assert_eq!(object["agree"], true);
}

#[test]
fn a_kept_database_says_the_same_to_whoever_asks_it() {
    let program = Program::new();
    let flags = "run --json --jobs 300 --dedup two-write --crash ids:7,8,9@effect --db kept.db";
    let object = program.json(flags);
    assert_eq!(object["duplicated_jobs"], serde_json::json!([7, 8, 9]));
    let asked = rusqlite::Connection::open(program.path("kept.db")).expect("a database");
    let twice = "SELECT group_concat(job) FROM (SELECT job FROM effects WHERE run = ?1 \
                 GROUP BY job HAVING count(*) > 1 ORDER BY job)";
    let answer: String = asked.query_row(twice, [1], |row| row.get(0)).expect("an answer");
    assert_eq!(answer, "7,8,9");
    assert_eq!(program.json(flags)["database"]["run"], 2, "a second run is appended");
}

#[test]
fn a_seed_that_was_not_given_is_drawn_and_printed() {
    let program = Program::new();
    let first = program.json("run --json --jobs 1")["seed"].as_u64();
    let seeds = [first, program.json("run --json --jobs 1")["seed"].as_u64()];
    assert_ne!(seeds[0], seeds[1], "two draws in a row");
    let said = program.say("run --headless --jobs 1 --seed 249");
    assert!(said.out.contains("seed 249"), "{}", said.out);
}

#[test]
fn foreign_words_cannot_act_on_the_terminal() {
    let program = Program::new();
    let nasty = "x\u{1b}]52;c;aGk=\u{7}\u{9b}6n\u{202e}.db";
    let missing = format!("missing/{nasty}");
    for (line, word) in [
        ("run --headless --jobs 1 --db", nasty),
        ("run --headless --jobs 1 --db", &missing),
        ("run --headless --dedup", nasty),
        ("run --theme", nasty),
        ("man", nasty),
        (nasty, "x"),
    ] {
        let mut command = program.command(line);
        let said = said(command.arg(word).output().expect("the program starts"));
        let text = said.out + &said.err;
        assert!(text.contains("6n.db"), "{line} keeps the rest of the word: {text:?}");
        let acts = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!text.contains(acts), "{line}: {text:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_signal_drains_reports_and_gives_its_exit_code() {
    let program = Program::new();
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let mut child = program
            .command("run --plain --jobs 1000 --workers 2 --work 50ms --idle-jump off")
            .spawn()
            .expect("the program starts");
        let mut lines = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        while !line.contains("claim") {
            line.clear();
            lines.read_line(&mut line).expect("a line");
        }
        let sent = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status().expect("sent");
        assert!(sent.success());
        let mut rest = String::new();
        lines.read_to_string(&mut rest).expect("text");
        assert_eq!(child.wait().expect("it ends").code(), Some(code), "{signal}: {rest}");
        assert!(rest.lines().last().expect("a report").starts_with(&format!("exit {code}  ended by ")), "{rest}");
        assert!(rest.contains("0 leased"), "what was under way is ready again: {rest}");
    }
}

#[test]
fn notes_go_to_a_file_and_never_to_the_screen() {
    let program = Program::new();
    let said = program.say("run --headless --jobs 1");
    assert_eq!(said.err, "");
    let notes: Vec<_> = fs::read_dir(program.path("state/onceish")).expect("the folder of notes").collect();
    assert_eq!(notes.len(), 1);
    let text = fs::read_to_string(notes[0].as_ref().expect("a file").path()).expect("text");
    assert!(text.contains("a run begins"), "{text}");
}

#[test]
fn a_state_folder_that_cannot_be_written_is_done_without() {
    let program = Program::new();
    fs::write(program.path("state"), "in the way").expect("a file");
    let said = program.say("run --headless --jobs 1");
    assert_eq!((said.code, said.err.as_str()), (0, ""));
}

#[test]
fn info_completions_and_manual_are_printed() {
    let program = Program::new();
    let state = program.path("state/onceish");
    let info = program.say("info").out;
    assert!(info.contains(state.to_str().expect("text")), "{info}");
    assert!(!Path::new(&state).exists(), "asking makes nothing");
    assert!(program.say("completions bash").out.contains("--on-lost-lease"));
    assert!(program.say("man run").out.contains("A thread cannot be killed"));
    for (command, words) in [("grid", "--all"), ("compare", "A policy is a name"), ("sweep", "A range is written")] {
        let words = words.replace('-', "\\-");
        let page = program.say(&format!("man {command}")).out;
        assert!(page.contains(&words) && page.contains("measured, whatever was found"), "{command}: {page}");
        assert!(program.say(&format!("{command} --help")).out.contains("Exit codes:"), "{command}");
    }
    assert!(program.say("completions zsh").out.contains("--redeliver"));
}

#[test]
fn a_misspelt_command_and_a_flag_without_its_command_are_answered_with_what_was_meant() {
    refused("rnu", &["'run'"]);
    for flag in ["--json", "--headless", "--seed"] {
        refused(&format!("{flag} 5"), &[&format!("onceish run {flag}")]);
    }
}

#[test]
fn a_policy_that_is_none_is_refused_with_what_would_be_one() {
    for (line, words) in [
        ("compare --policy at-least-onec", &["'--policy <P>'", "did you mean at-least-once?"][..]),
        ("compare --policy dedpu=none", &["\"dedpu\"", "did you mean dedup?"]),
        ("compare --policy dedup=window:0", &["window:0", "from 1 to 10000000"]),
        ("compare --policy lease=NaN", &["NaN", "a duration"]),
        ("compare --policy attempts=99999999999999999999", &["from 1 to 1000000"]),
        ("compare --policy two-write@commit", &["a point of its program: claim, work, check, effect, key, ack"]),
        ("compare --policy two-write@nowhere", &["one of claim, ack, work, check, effect, key, commit"]),
        ("compare --policy two-write --policy two-write", &["two-write is given twice"]),
        ("compare --policy two-write --policy effect-then-key", &["effect-then-key is the same as two-write"]),
        ("compare --crash page@effect", &["--crash", "each policy brings its own point"]),
        ("compare --crash 1.5", &["--crash", "from 0 to 1"]),
        ("compare --crash 100% --max-attempts unlimited", &["for ever"]),
        ("compare --fail 2%@commit", &["--fail 2%@commit: no worker stands at commit"]),
        ("compare --jobs 1000000000000", &["from 1 to 10000000"]),
        ("compare --db kept.db", &["--db"]),
    ] {
        refused_as_it_is(line, words);
    }
    let empty = said(Program::new().command("compare --policy").arg("").output().expect("the program starts"));
    assert!(empty.code == 2 && empty.err.contains("expected a policy"), "{}", empty.err);
    let many: String = (1..=21).map(|n| format!(" --policy window:{n}")).collect();
    refused_as_it_is(&format!("compare{many}"), &["given 21 times", "at most 20"]);
}

#[test]
fn a_sweep_that_is_none_is_refused_with_what_would_be_one() {
    for (line, words) in [
        ("sweep", &["NAME=A,B,C"][..]),
        ("sweep window", &["NAME=A,B,C"]),
        ("sweep windw=5", &["did you mean window?"]),
        ("sweep window=", &["from 1 to 10000000"]),
        ("sweep window=5,5", &["among the values already"]),
        ("sweep window=1..10000000/1", &["50 values"]),
        ("sweep window=99999999999999999999", &["from 1 to 10000000"]),
        ("sweep crash-rate=NaN", &["0 to 1"]),
        ("sweep lease=-1s", &["a duration"]),
        ("sweep max-attempts=0", &["from 1 to 1000000"]),
        ("sweep window=5 --dedup none", &["--dedup sets what window sweeps"]),
        ("sweep lease=5s --redeliver 0..5", &["LO..HI"]),
        ("sweep crash-rate=2% --policy two-write --policy two-write", &["cannot be used multiple times"]),
        ("sweep crash-rate=2% --csv --json", &["--csv", "--json"]),
        ("grid --seed -1", &["--seed", "from 0 to"]),
        ("grid --driver sim", &["simulation"]),
        ("gird", &["'grid'"]),
    ] {
        refused_as_it_is(line, words);
    }
}

#[test]
fn what_measures_exits_0_whatever_it_finds_and_says_why_in_its_last_line() {
    const STUCK: &str = "exit 3    inconclusive: two-write@effect: stuck";
    let program = Program::new();
    for (line, code, end) in [
        ("grid", 0, "23 cells run: 18 once, 3 LOST, 2 TWICE. Each death struck. exit 0"),
        ("grid --all", 0, "Each death struck. exit 0"),
        ("compare --jobs 200", 0, "exit 0    board and SQL agree in every row"),
        ("compare --jobs 200 --crash none --policy two-write", 0, "exit 0    board and SQL agree in every row"),
        ("compare --jobs 200 --workers 1 --respawn off --policy two-write", 3, STUCK),
        ("sweep attempts=1,3 --jobs 200", 0, "exit 0    board and SQL agree at every value"),
    ] {
        let said = program.say(line);
        assert_eq!((said.code, said.err.as_str()), (code, ""), "{line}: {}", said.out);
        let (_, last) = said.out.split_at(said.out.rfind("\nexit ").or(said.out.rfind("\n\n")).expect("a last part"));
        assert!(last.trim_start().starts_with(end) || last.trim_end().ends_with(end), "{line}: {}", said.out);
        assert!(said.out.is_ascii() && said.out.lines().all(|line| line.len() <= 80), "{line}: {}", said.out);
        assert_eq!(program.say(line).out, said.out, "{line}: virtual time has no chance in it");
    }
}

#[test]
fn what_measures_prints_one_object_for_programs() {
    let program = Program::new();
    let grid = program.json("grid --json");
    assert_eq!((grid["once"].as_u64(), grid["lost"].as_u64(), grid["twice"].as_u64()), (Some(18), Some(3), Some(2)));
    assert_eq!(grid["cells"].as_array().map(Vec::len), Some(23));
    let cell = &grid["cells"][1];
    assert_eq!(
        (cell["ack"].as_str(), cell["point"].as_str(), cell["fate"].as_str()),
        (Some("before"), Some("ack"), Some("LOST"))
    );

    let compare = program.json("compare --json --jobs 200 --policy at-most-once --policy at-least-once");
    let rows = compare["rows"].as_array().expect("rows");
    let of = |name: &str| rows.iter().map(|row| row[name].clone()).collect::<Vec<Value>>();
    // The page's list has 16, 102, 112, 139 and 168 below 200.
    assert_eq!(of("lost"), [5, 0]);
    assert_eq!(of("duplicated"), [0, 5]);
    assert_eq!(of("at"), ["ack", "effect"]);
    assert_eq!(of("verdict"), ["KEPT", "KEPT"]);
    assert_eq!(rows[0]["lost_jobs"], serde_json::json!([16, 102, 112, 139, 168]));
    assert_eq!(rows[0]["lists"][0]["struck"], 5);
    assert_eq!(compare["harmed"][0]["by"].as_array().map(Vec::len), Some(2));
    for digest in [&grid["digest"], &compare["digest"], &rows[0]["digest"], &rows[1]["digest"]] {
        assert_eq!(digest.as_str().map(str::len), Some(64), "{digest}");
    }

    let sweep = program.json("sweep --json attempts=1,2 --jobs 200");
    assert_eq!((sweep["parameter"].as_str(), sweep["predicts"].as_str()), (Some("max-attempts"), Some("dead")));
    // 30 % of 200, and 30 % of those.
    let predicted = [&sweep["rows"][0], &sweep["rows"][1]].map(|row| row["predicted"].as_f64().map(f64::round));
    assert_eq!(predicted, [Some(60.0), Some(18.0)]);
    for object in [&grid, &compare, &sweep] {
        assert_eq!((object["exit"]["code"].as_u64(), object["seed"].as_u64()), (Some(0), Some(1)));
        assert_eq!(object["driver"], "simulation");
    }
}

#[test]
fn threads_that_measure_have_no_digest() {
    let object = Program::new().json("compare --json --jobs 20 --driver threads --policy two-write");
    assert!(object["digest"].is_null() && object["rows"][0]["digest"].is_null(), "{object}");
    assert_eq!(object["rows"][0]["duplicated"], 1, "job 16 of the page's list");
}

#[test]
fn csv_is_a_line_of_names_and_a_line_a_value() {
    let said = Program::new().say("sweep crash-rate=0,50% --jobs 100 --csv");
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let lines: Vec<Vec<&str>> = said.out.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!((lines.len(), lines[0][0], lines[1][0], lines[2][0]), (3, "crash_rate", "0", "0.5"));
    assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{}", said.out);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_what_measures_with_130_and_leaves_nothing_behind() {
    let program = Program::new();
    let temporary = program.path("temporary");
    fs::create_dir(&temporary).expect("a folder");
    let entries = || fs::read_dir(&temporary).expect("a folder").count();
    let mut command = program.command("compare --driver threads --jobs 9 --workers 2 --work 1h --crash none");
    let child = command.env("TMPDIR", &temporary).spawn().expect("the program starts");
    let patience = std::time::Duration::from_secs(60);
    let began = began();
    while entries() == 0 {
        assert!(began.elapsed() < patience, "a run begins with a temporary database");
        std::thread::yield_now();
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("sent");
    assert!(sent.success());
    let said = said(child.wait_with_output().expect("it ends"));
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (130, "", "ended by an interrupt\n"));
    assert_eq!(entries(), 0, "the temporary database is gone");
}

#[allow(clippy::disallowed_methods, reason = "a condition is waited for with a deadline in real time")]
fn began() -> std::time::Instant {
    std::time::Instant::now()
}

#[test]
fn what_cannot_be_shown_side_by_side_is_refused() {
    refused_as_it_is("compare --screen --policy transactional", &["two policies", "1 are given"]);
    refused_as_it_is("compare --screen --driver threads", &["--screen", "virtual time"]);
    refused_as_it_is("compare --screen --json", &["--screen", "--json"]);
    refused_as_it_is("compare --screen", &["not a terminal"]);
}

#[test]
fn a_file_that_virtual_time_wrote_is_whole_by_itself() {
    let program = Program::new();
    let said = program.say("run --headless --driver simulation --jobs 10 --seed 1 --db kept.db");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(!program.path("kept.db-wal").exists() && !program.path("kept.db-shm").exists());
}

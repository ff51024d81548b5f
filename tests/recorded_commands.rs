//! What the commands make of recordings, from outside: they write where they are asked to and over nothing, and read
//! what there is, however it came about.

mod program;

use std::fs;

use program::{Program, flat};
use serde_json::Value;

/// A run in virtual time in which two workers die between effect and key.
const TWO_WRITES: &str =
    "run --headless --driver simulation --jobs 20 --seed 5 --dedup effect-then-key --crash ids:3,7@effect";

/// The program beside the recording of the run of two writes.
fn recorded() -> Program {
    let program = Program::new();
    let said = program.say(&format!("{TWO_WRITES} --record run.jsonl"));
    assert_eq!(said.code, 1, "{}{}", said.out, said.err);
    program
}

fn lines(program: &Program) -> Vec<String> {
    fs::read_to_string(program.path("run.jsonl")).expect("text").lines().map(str::to_owned).collect()
}

fn rewrite(program: &Program, lines: &[String]) {
    fs::write(program.path("run.jsonl"), lines.join("\n") + "\n").expect("written");
}

#[test]
fn a_headless_run_is_recorded_where_it_is_asked_to_be_and_its_report_says_how_to_go_on() {
    let program = Program::new();
    for (n, telling) in ["", " --plain", " --json"].into_iter().enumerate() {
        let name = format!("run-{n}.jsonl");
        let said = program.say(&format!("{TWO_WRITES}{telling} --record {name}"));
        let full = program.path(&name).canonicalize().expect("there").to_string_lossy().into_owned();
        assert!(said.out.contains(&full), "{}", said.out);
        if telling == " --json" {
            assert_eq!(serde_json::from_str::<Value>(&said.out).expect("JSON")["recording"], full.as_str());
        } else {
            assert!(said.out.contains(&format!("More: onceish explain {full} 3\n")), "{}", said.out);
        }
        assert_eq!(program.say(&format!("replay --headless {name}")).code, 0);
    }
    assert!(!program.say(TWO_WRITES).out.contains("More:"), "without a recording there is nothing to ask");
}

#[test]
fn a_recording_is_written_over_nothing_and_nothing_runs_then() {
    let program = Program::new();
    fs::write(program.path("precious"), "mine").expect("written");
    #[cfg(unix)]
    std::os::unix::fs::symlink(program.path("precious"), program.path("link")).expect("a link");
    #[cfg(unix)]
    std::os::unix::fs::symlink(program.path("nowhere"), program.path("dangling")).expect("a link");
    for name in ["precious", "link", "dangling"].into_iter().filter(|name| cfg!(unix) || *name == "precious") {
        let said = program.say(&format!("{TWO_WRITES} --db sink.db --record {name}"));
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{name}: {}", said.err);
        assert!(said.err.contains(name) && said.err.contains("never written over"), "{}", said.err);
    }
    assert_eq!(fs::read_to_string(program.path("precious")).expect("text"), "mine");
    assert!(!program.path("sink.db").exists() && !program.path("nowhere").exists());
}

#[test]
fn a_recording_that_cannot_be_made_is_a_runtime_error() {
    let said = Program::new().say(&format!("{TWO_WRITES} --record no/such/folder/run.jsonl"));
    assert_eq!(said.code, 4, "{}{}", said.out, said.err);
}

#[test]
fn a_recording_and_its_database_are_two_files() {
    let program = Program::new();
    let said = program.say(&format!("{TWO_WRITES} --db same --record same"));
    assert_eq!((said.code, program.path("same").exists()), (2, false), "{}", said.err);
}

#[test]
fn a_recording_that_is_whole_comes_to_what_it_says() {
    let program = recorded();
    let said = program.say("replay run.jsonl --headless");
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    for words in ["VERDICT   BROKEN: 2 jobs were applied twice", "twice              2         2", "exit 0"] {
        assert!(said.out.contains(words), "{words} in {}", said.out);
    }
    assert!(said.out.lines().all(|line| line.len() <= 80 || line.contains("run.jsonl")), "{}", said.out);
    let object = program.json("replay run.jsonl --json");
    assert_eq!((&object["duplicated"], &object["closed"]), (&2.into(), &true.into()));
    assert_eq!(object["exit"]["code"], 0);
}

#[test]
fn a_recording_that_says_something_else_than_its_events_is_contradicted() {
    let program = recorded();
    let mut lines = lines(&program);
    let last = lines.pop().expect("it is closed");
    assert!(last.contains("\"duplicated\":2"), "{last}");
    lines.push(last.replace("\"duplicated\":2", "\"duplicated\":0"));
    rewrite(&program, &lines);
    let said = program.say("replay run.jsonl --headless");
    assert_eq!(said.code, 1);
    assert!(flat(&said.out).contains("its events come to duplicated 2, and it says 0"), "{}", said.out);
}

#[test]
fn a_recording_that_was_cut_off_is_inconclusive_with_one_warning() {
    let program = recorded();
    let mut lines = lines(&program);
    lines.truncate(lines.len() / 2);
    lines.push("{\"at\":".to_owned());
    fs::write(program.path("run.jsonl"), lines.join("\n")).expect("written");
    let said = program.say("replay run.jsonl --headless");
    assert_eq!(said.code, 3, "{}{}", said.out, said.err);
    assert_eq!(said.err.lines().count(), 1, "{}", said.err);
    assert!(said.err.contains("cut off at 0:") && said.out.contains("cut off at 0:"), "{}{}", said.out, said.err);
}

#[test]
fn a_recording_that_cannot_be_read_at_all_is_told_without_a_line_by_every_command() {
    let program = Program::new();
    for line in ["replay --headless nowhere", "explain nowhere 3", "rerun nowhere"] {
        let said = program.say(line);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{line}");
        assert!(said.err.starts_with("error: nowhere: No such file"), "{line}: {}", said.err);
    }
    let said = recorded().say("explain run.jsonl -1");
    assert_eq!(said.code, 2);
    assert!(said.err.contains("'-1'") && !said.err.contains("unexpected argument"), "{}", said.err);
}

#[test]
fn a_damaged_recording_is_refused_with_its_line_by_every_command() {
    let program = recorded();
    let mut lines = lines(&program);
    lines[16] = "\u{1b}]0;x\u{7}nonsense".to_owned();
    rewrite(&program, &lines);
    for command in ["replay --headless", "replay --json", "explain --all-anomalies"] {
        let said = program.say(&format!("{command} run.jsonl"));
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{command}: {}", said.err);
        assert!(said.err.starts_with("error: run.jsonl:17: not an event"), "{}", said.err);
        assert!(!said.err.contains('\u{1b}'));
    }
    let said = program.say("replay --headless nothing.jsonl");
    assert!(said.code == 2 && said.err.contains("nothing.jsonl"), "{}", said.err);
    fs::write(program.path("notes.txt"), "my notes\n").expect("written");
    assert!(program.say("explain notes.txt 1").err.contains("not a recording"));
}

#[test]
fn a_job_is_explained_event_by_event_and_then_why() {
    let program = recorded();
    let said = program.say("explain run.jsonl 3");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.starts_with("job 3 was applied TWICE    2 tries   key 3\n"), "{}", said.out);
    let told =
        ["enqueued", "claimed, lease to", "wrote the effect, row", "died after effect (crash list)", "lease ran out"];
    for words in
        told.into_iter().chain(["wrote the effect AGAIN", "acked: done", "\nwhy\n", "died before it wrote the key"])
    {
        assert!(said.out.contains(words), "{words} in {}", said.out);
    }
    assert!(said.out.lines().all(|line| line.len() <= 80), "{}", said.out);
    let calm = program.say("explain run.jsonl 4");
    assert!(calm.code == 0 && calm.out.starts_with("job 4 was applied once    1 try"), "{}", calm.out);
}

#[test]
fn a_job_that_is_not_there_is_refused_with_those_that_are() {
    let program = recorded();
    let said = program.say("explain run.jsonl 20");
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    assert!(said.err.contains("its jobs are 0 to 19"), "{}", said.err);
    assert_eq!(program.say("explain run.jsonl x").code, 2);
    assert_eq!(program.say("explain run.jsonl").code, 2);
}

#[test]
fn all_that_went_wrong_is_told_by_kind_with_an_example() {
    let said = recorded().say("explain run.jsonl --all-anomalies");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.starts_with("onceish explain   2 anomalies in "), "{}", said.out);
    assert!(said.out.contains("twice     2 effects were too many\n"), "{}", said.out);
    assert!(said.out.contains("More: onceish explain run.jsonl 3\n"), "{}", said.out);
}

#[test]
fn a_job_that_a_board_has_long_forgotten_is_explained_all_the_same() {
    let program = Program::new();
    let run = "run --headless --driver simulation --jobs 9000 --seed 1 --crash ids:2@effect --record run.jsonl";
    assert_eq!(program.say(run).code, 0);
    let said = program.say("explain run.jsonl 1");
    assert!(said.out.contains("claimed, lease to") && said.out.contains("acked: done"), "{}", said.out);
    assert!(!said.out.contains("no longer in memory"), "{}", said.out);
}

#[test]
fn a_screen_takes_no_file_to_record_in() {
    let said = Program::new().say("run --record run.jsonl");
    assert!(said.code == 2 && said.err.contains("every run on the screen is recorded"), "{}", said.err);
}

/// The recording of a lab of the course in which w2 is killed.
fn kept(name: &str) -> String {
    format!("{}/recordings/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn what_was_done_to_a_run_stands_among_its_faults() {
    let replayed = |name| flat(&Program::new().say(&format!("replay --headless {}", kept(name))).out);
    assert!(replayed("05-two-writes.jsonl").contains("faults done to it: kill w2 at effect (lab) promise"));
    let sandbox = replayed("sandbox-249.jsonl");
    assert!(sandbox.contains("kill w4 (operator), kill w2 at effect (operator)"), "{sandbox}");
    let listed = flat(&recorded().say("replay --headless run.jsonl").out);
    assert!(listed.contains("faults 2 workers died after effect (the crash list) promise"), "{listed}");
}

#[test]
fn a_recording_that_contradicts_itself_is_explained_with_a_warning() {
    let program = recorded();
    let mut lines = lines(&program);
    lines.remove(40);
    rewrite(&program, &lines);
    for line in ["explain run.jsonl 3", "rerun run.jsonl"] {
        let said = program.say(line);
        assert!(said.err.contains("run.jsonl contradicts itself: it has"), "{line}: {}", said.err);
    }
}

#[test]
fn a_recording_of_which_only_the_header_is_left_has_the_policy_of_its_header() {
    let program = recorded();
    let header = lines(&program).remove(0);
    rewrite(&program, &[header]);
    let said = program.say("replay --headless run.jsonl");
    assert!(flat(&said.out).contains("write the effect, write the key (two transactions)"), "{}", said.out);
    let report = program.say("export run.jsonl --to md --out -").out;
    assert!(!report.contains("changed on the way"), "{report}");
    let again = flat(&program.say("rerun run.jsonl").out);
    assert!(again.ends_with("every event came again exit 0 the same again, as far as it was recorded"), "{again}");
}

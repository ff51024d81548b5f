//! `onceish export`: where its files go, what it makes of damaged and hostile recordings, and what stands in its texts.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use onceish::event::{Event, What};
use onceish::lab::{self as labs, Trigger};
use onceish::setup::Setup;
use onceish::time::{Instant, Span};
use support::recorded::{record, two_writes};

const BAD_WORDS: &str =
    "</title><script>alert(1)</script> | `x` **b** [l](javascript:1) @team #1 \"q\" 'p' \\ & <!-- ]]>";

/// A lab whose title is no better.
const HOSTILE_LAB: &str = "\
title = \"</title><script>x\"
teaches = \"nothing\"
seed = 1
[[expect]]
that = \"lost == 0\"
[[step]]
say = \"something\"
";

/// A folder with the recording `run.jsonl`.
struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    fn new() -> Folder {
        Folder::with(&two_writes(60).simulate().events, None)
    }

    fn with(events: &[Event], lab: Option<&str>) -> Folder {
        let folder = Folder { folder: tempfile::tempdir().expect("a folder") };
        record(events, lab, &folder.path("run.jsonl"));
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What `onceish export` does in the folder with these words.
    fn export(&self, words: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_onceish"));
        command.arg("export").args(words.split(' ')).current_dir(self.folder.path());
        command.output().expect("it starts")
    }

    #[track_caller]
    fn text(&self, words: &str) -> String {
        let made = self.export(words);
        assert_eq!(made.status.code(), Some(0), "{}", said(&made));
        String::from_utf8(made.stdout).expect("UTF-8")
    }

    #[track_caller]
    fn refuses(&self, words: &str, why: &str) {
        let refused = self.export(words);
        assert_eq!(refused.status.code(), Some(2), "{words}: {}", said(&refused));
        assert!(said(&refused).contains(why), "{words}: {}", said(&refused));
        assert!(refused.stdout.is_empty(), "{words}");
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).expect("a folder");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The same run with a mark, a lab's words, a question and an answer, all hostile.
fn hostile() -> Folder {
    let mut events = two_writes(20).simulate().events;
    let at = events[40].at;
    let words = || BAD_WORDS.into();
    let told = [
        What::Marked { text: words() },
        What::Said { step: 1, text: words(), pause: false },
        What::Asked { step: 1, text: words() },
        What::Answered { step: 1, text: words() },
    ];
    events.splice(41..41, told.map(|what| Event { at, what }));
    Folder::with(&events, Some(HOSTILE_LAB))
}

/// Every tag that is opened is closed in its turn, and nothing but entities begins with an ampersand. Tags of `void` are
/// closed by themselves.
#[track_caller]
fn is_well_formed(text: &str, void: &[&str]) {
    let mut open = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let (words, tag) = rest.split_at(start);
        let entity = |after: &str| ["amp;", "lt;", "gt;", "quot;", "#39;"].iter().any(|name| after.starts_with(name));
        assert!(words.split('&').skip(1).all(entity), "{words}");
        let end = tag.find('>').expect("a tag ends");
        let inside = &tag[1..end];
        assert!(!inside.contains('<'), "{inside}");
        rest = &tag[end + 1..];
        let name = inside.trim_start_matches('/').split([' ', '/']).next().expect("a name");
        if inside.starts_with('!') || inside.ends_with('/') || void.contains(&name) {
            continue;
        }
        match inside.starts_with('/') {
            true => assert_eq!(open.pop(), Some(name), "{inside}"),
            false => open.push(name),
        }
        if matches!(name, "script" | "style") && !inside.starts_with('/') {
            rest = &rest[rest.find("</").expect("it ends")..];
        }
    }
    assert_eq!(open, Vec::<&str>::new());
}

#[test]
fn texts_go_to_stdout_and_all_else_beside_the_recording() {
    let folder = Folder::new();
    assert!(folder.text("run.jsonl --to md").starts_with("# sandbox, seed 249\n"));
    assert!(folder.text("run.jsonl --to lab").contains("\nseed = 249\n"));
    for (kind, name) in [("cast", "run.cast"), ("svg", "run.svg"), ("html", "run.html")] {
        assert_eq!(folder.text(&format!("run.jsonl --to {kind} --size 60x16")), format!("{name}\n"));
    }
    assert_eq!(folder.names(), ["run.cast", "run.html", "run.jsonl", "run.svg"]);
    let piped = folder.text("run.jsonl --to svg --size 60x16 --out -");
    assert_eq!(piped, fs::read_to_string(folder.path("run.svg")).expect("a picture"));
}

#[test]
fn what_is_there_is_overwritten_only_when_asked_and_the_recording_never() {
    let folder = Folder::new();
    let recording = fs::read(folder.path("run.jsonl")).expect("a recording");
    fs::write(folder.path("mine.md"), "mine").expect("written");
    folder.refuses("run.jsonl --to md --out mine.md", "is there already; --force overwrites it");
    assert_eq!(fs::read_to_string(folder.path("mine.md")).expect("mine"), "mine");
    folder.text("run.jsonl --to md --out mine.md --force");
    assert!(fs::read_to_string(folder.path("mine.md")).expect("a report").starts_with("# sandbox"));
    fs::hard_link(folder.path("run.jsonl"), folder.path("linked.jsonl")).expect("linked");
    #[cfg(unix)]
    std::os::unix::fs::symlink("run.jsonl", folder.path("symbolic.jsonl")).expect("linked");
    for name in ["run.jsonl", "./run.jsonl", "linked.jsonl", "symbolic.jsonl"] {
        for force in ["", " --force"] {
            folder.refuses(&format!("run.jsonl --to md --out {name}{force}"), "is the recording itself");
        }
    }
    folder.refuses("run.jsonl --to md --out . --force", "is not a file");
    assert_eq!(fs::read(folder.path("run.jsonl")).expect("a recording"), recording);
}

#[test]
fn nothing_half_written_is_left_where_a_file_cannot_be_made() {
    let folder = Folder::new();
    let failed = folder.export("run.jsonl --to md --out nowhere/report.md");
    assert_eq!(failed.status.code(), Some(4), "{}", said(&failed));
    assert!(said(&failed).contains("cannot write nowhere/report.md"), "{}", said(&failed));
    assert_eq!(folder.names(), ["run.jsonl"]);
}

#[test]
fn a_recording_that_was_cut_off_is_exported_up_to_there_with_one_warning() {
    let folder = Folder::new();
    let whole = fs::read(folder.path("run.jsonl")).expect("a recording");
    fs::write(folder.path("run.jsonl"), &whole[..whole.len() / 2]).expect("written");
    for kind in ["cast", "cast2", "md", "svg", "html", "lab"] {
        let made = folder.export(&format!("run.jsonl --to {kind} --out -"));
        assert_eq!(made.status.code(), Some(0), "{kind}: {}", said(&made));
        assert_eq!(said(&made), "warning: run.jsonl is cut off at its end; it is exported up to there\n", "{kind}");
        assert!(!made.stdout.is_empty(), "{kind}");
    }
    assert!(folder.text("run.jsonl --to md").contains("The recording ends before the run does."));
}

#[test]
fn a_recording_that_is_damaged_is_refused_with_its_line() {
    let folder = Folder::new();
    let text = fs::read_to_string(folder.path("run.jsonl")).expect("a recording");
    let mut lines: Vec<&str> = text.lines().collect();
    lines[6] = "{\"at\":0,\"e\":\"nonsense\"}";
    fs::write(folder.path("run.jsonl"), lines.join("\n") + "\n").expect("written");
    for kind in ["cast", "md", "svg", "html", "lab"] {
        folder.refuses(&format!("run.jsonl --to {kind} --out -"), "run.jsonl:7: not an event");
    }
    folder.refuses("missing.jsonl --to md", "there is no missing.jsonl");
    folder.refuses(". --to md", ". is not a file");
}

#[test]
fn flags_that_say_nothing_and_values_out_of_range_are_refused() {
    let folder = Folder::new();
    folder.refuses("run.jsonl --to md --size 80x24", "--size says nothing about --to md");
    folder.refuses("run.jsonl --to cast --at 3s", "--at says nothing about --to cast");
    folder.refuses("run.jsonl --to html --fps 5", "--fps says nothing about --to html");
    folder.refuses("run.jsonl --to svg --marks --out -", "cannot all go to stdout");
    for size in ["59x16", "60x15", "401x36", "120", "+80x24", "x", "120x36x1"] {
        folder.refuses(&format!("run.jsonl --to svg --size {size}"), "from 60x16 to 400x200");
    }
    for at in ["101%", "-1%", "5", "1:60", "1:2:3:4", "NaN%", ":", "1e9s"] {
        folder.refuses(&format!("run.jsonl --to svg --at={at}"), "expected a time such as 90s or 1:30");
    }
    folder.refuses("run.jsonl --to svg --at 10h", "--at is beyond the end of the recording, at 0:53.62");
    folder.refuses("run.jsonl --to cast --speed 0", "from 0.01 to 100000");
    folder.refuses("run.jsonl --to cast --fps 0", "1..=60");
}

#[test]
fn a_moment_is_named_by_time_or_by_part() {
    let folder = Folder::new();
    let at = |when: &str| folder.text(&format!("run.jsonl --to svg --out - --at {when}"));
    assert_eq!(at("40s"), at("0:40"));
    assert_eq!(at("100%"), folder.text("run.jsonl --to svg --out -"));
    assert!(at("0:40.3").contains("REPLAY") && at("0:40.3").contains("40.3 s"));
    assert!(at("0%").contains("0.0 s"));
}

#[test]
fn each_mark_has_a_picture_with_its_number() {
    let lab = two_writes(30).at(10.0, "mark first").at(20.0, "mark second");
    let folder = Folder::with(&lab.simulate().events, None);
    assert_eq!(folder.text("run.jsonl --to svg --marks --out shot.svg"), "shot-01.svg\nshot-02.svg\nshot-03.svg\n");
    for (name, words) in [("shot-01.svg", "first"), ("shot-02.svg", "second"), ("shot-03.svg", "one worker")] {
        let text = fs::read_to_string(folder.path(name)).expect("a picture");
        assert!(text.contains(&format!("<title id=\"t\">onceish: {words}")), "{name}");
    }
    folder.refuses("run.jsonl --to svg --marks --out shot.svg", "shot-01.svg is there already");
    let unmarked = Folder::with(&support::lab(3).simulate().events, None);
    unmarked.refuses("run.jsonl --to svg --marks", "run.jsonl has no marks");
}

#[test]
fn pictures_are_well_formed_whatever_they_are_told() {
    for folder in [Folder::new(), hostile()] {
        for words in ["--size 120x36", "--size 80x24 --ascii", "--size 200x60 --theme light", "--color never"] {
            let text = folder.text(&format!("run.jsonl --to svg --out - {words}"));
            is_well_formed(&text, &[]);
            assert!(!text.contains("<script") && !text.contains("href"), "{words}");
        }
    }
}

#[test]
fn a_picture_holds_the_words_of_the_screen_as_text() {
    let folder = Folder::new();
    let text = folder.text("run.jsonl --to svg --out - --at 40.3s");
    let words = text.lines().filter(|line| line.starts_with("<text"));
    let plain: String =
        words.map(|line| line.split(['<', '>']).skip(2).step_by(2).collect::<String>() + "\n").collect();
    for wanted in ["KEPT SO FAR  effectively-once", "look workers", "3 of 4 up", "job 43: effect written, key not"] {
        assert!(plain.contains(wanted), "{wanted} in\n{plain}");
    }
}

#[test]
fn a_page_needs_nothing_beside_it_and_is_whole_whatever_it_is_told() {
    for folder in [Folder::new(), hostile()] {
        let text = folder.text("run.jsonl --to html --out -");
        is_well_formed(&text, &["meta"]);
        assert_eq!(text.matches("<script").count(), 1, "only its own");
        for outside in ["src=", "href=", "url(", "@import", "https:"] {
            assert!(!text.contains(outside), "{outside}");
        }
        assert!(text.matches("<figure>").count() > 1);
    }
    let text = hostile().text("run.jsonl --to html --out -");
    assert!(text.contains("&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(text.contains("<td>1</td>"), "the question of step 1 is told");
}

#[test]
fn the_page_tells_the_run_in_words() {
    let text = Folder::new().text("run.jsonl --to html --out -");
    for wanted in [
        "BROKEN: effectively-once was promised, and 1 job was applied twice",
        "Work, write the effect, write the key (two transactions), ack.",
        "<td>kill w2 at effect</td><td>w2 will die after effect (d)</td>",
        "1 job applied TWICE, 1 lease ran out, 1 redelivery",
        "<summary>job 43 was applied TWICE",
        "onceish replay run.jsonl",
    ] {
        assert!(text.contains(wanted), "{wanted}");
    }
}

#[test]
fn the_report_tells_what_was_done_and_what_came_of_it() {
    let text = Folder::new().text("run.jsonl --to md");
    let row = "| 0:37.00 | operator | kill w2 at effect | w2 will die after effect (d) | 1 worker died |\n";
    assert!(text.contains(row), "{text}");
    assert!(text.contains("**BROKEN: effectively-once was promised, and 1 job was applied twice**"), "{text}");
    assert!(text.contains("| duplicated | 1 |\n") && text.contains("\n### job 43 was applied TWICE"), "{text}");
    assert!(text.ends_with("## Replay\n\n```sh\nonceish replay run.jsonl\n```\n"), "{text}");
}

#[test]
fn words_of_others_are_plain_text_in_the_report() {
    let text = hostile().text("run.jsonl --to md");
    let row = text.lines().find(|line| line.contains("| mark |")).expect("the mark");
    let unescaped = row.replace("\\\\", "").replace("\\|", "");
    assert_eq!(unescaped.matches('|').count(), 6, "a mark adds no column: {row}");
    for (act, plain) in
        [("<script>", "\\<script\\>"), ("**b**", "\\*\\*b\\*\\*"), ("@team", "\\@team"), ("[l]", "\\[l\\]")]
    {
        assert!(row.contains(plain) && !row.replace(plain, "").contains(act), "{row}");
    }
    assert!(text.starts_with("# \\</title\\>\\<script\\>x, seed 249\n"), "{text}");
    assert!(text.contains("## Predictions\n"), "{text}");
}

#[test]
fn a_report_is_never_longer_than_its_reader_is_patient() {
    let mut lab = two_writes(60);
    for n in 0..300 {
        lab = lab.at(1.0 + f64::from(n) / 10.0, "heal w1");
    }
    let text = Folder::with(&lab.simulate().events, None).text("run.jsonl --to md");
    assert!(text.contains("103 more are left out."), "300 heals, 2 kills and a mark, of which 200 are told: {text}");
}

#[test]
fn a_path_of_blanks_and_quotes_is_one_word_of_the_shell() {
    let folder = Folder::new();
    let path = folder.path("it's mine.jsonl");
    fs::rename(folder.path("run.jsonl"), &path).expect("renamed");
    let mut command = Command::new(env!("CARGO_BIN_EXE_onceish"));
    let made =
        command.args([Path::new("export"), &path, Path::new("--to"), Path::new("md")]).output().expect("it starts");
    let text = String::from_utf8(made.stdout).expect("UTF-8");
    assert!(text.contains("/it'\\''s mine.jsonl'\n"), "{text}");
}

/// What is wrong with a lab; what only surprises is not.
fn problems(text: &str) -> Vec<String> {
    let problems = labs::read("draft", text.as_bytes()).problems.into_iter();
    problems.filter(|problem| !problem.warning).map(|problem| problem.what).collect()
}

#[test]
fn a_draft_is_a_lab_that_nothing_is_wrong_with() {
    for folder in [Folder::new(), hostile()] {
        let text = folder.text("run.jsonl --to lab");
        assert_eq!(problems(&text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_draft_has_the_set_up_the_actions_and_the_figures_of_its_recording() {
    let text = Folder::new().text("run.jsonl --to lab");
    let lab = labs::read("draft", text.as_bytes()).lab.expect("a lab");
    let setup = &lab.variants[0].setup;
    let What::Started { setup: started, .. } = &two_writes(60).simulate().events[0].what else { panic!("it starts") };
    assert_eq!(*setup, **started);
    let acts: Vec<String> = lab.steps.iter().flat_map(|step| &step.acts).map(|cue| cue.action.to_string()).collect();
    assert_eq!(acts, ["kill w4", "kill w2 at effect"]);
    let triggers: Vec<Trigger> = lab.steps.iter().map(|step| step.trigger.clone()).collect();
    let at = |tenths: u64| Trigger::At(Instant::START + Span::millis(tenths * 100));
    assert_eq!(triggers, [at(182), at(370), at(400)]);
    assert!(lab.expects.iter().any(|expect| expect.text == "duplicated == 1"), "the kill doubles a job");
    assert_eq!(lab.must_happen.len(), 1, "two workers had to die");
}

#[test]
fn every_part_of_a_set_up_goes_into_a_draft_and_comes_out_again() {
    let lab = support::lab(20_000)
        .workers(7)
        .with("ack before, dedup none, key attempt, lease 7s, renew 2x, attempts 5, order key")
        .with("on-dead block, on-lost-lease abort, fence on, backoff 2s")
        .crash("page@work")
        .fail("2%@effect")
        .work("3s~20%")
        .respawn(None)
        .change(|setup| {
            setup.policy.values = onceish::policy::Values::Versioned;
            setup.workload.delay = Span::millis(1_500);
            setup.workload.keys = 3;
            setup.lose_beats = "2%".parse().expect("a rate");
            setup.gap = Span::millis(3);
            setup.seed = 42;
        });
    let setup = Setup { driver: onceish::setup::Driver::Simulation, ..lab.setup };
    let started = Event { at: Instant::START, what: What::Started { setup: Box::new(setup.clone()), run: 1 } };
    let text = Folder::with(&[started], None).text("run.jsonl --to lab");
    assert_eq!(problems(&text), Vec::<String>::new(), "{text}");
    assert_eq!(labs::read("draft", text.as_bytes()).lab.expect("a lab").variants[0].setup, setup, "{text}");
}

/// What `onceish lab` says of a draft.
#[track_caller]
fn holds(folder: &Folder) {
    fs::write(folder.path("draft.toml"), folder.text("run.jsonl --to lab")).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_onceish"));
    let ran = command.args(["lab", "draft.toml", "--headless"]).current_dir(folder.folder.path()).output();
    let ran = ran.expect("it starts");
    let told = String::from_utf8_lossy(&ran.stdout).into_owned() + &said(&ran);
    assert_eq!(ran.status.code(), Some(0), "{told}");
}

#[test]
fn the_draft_of_a_session_in_virtual_time_holds() {
    holds(&Folder::new());
    let troubled = two_writes(60)
        .at(5.123_456_789, "stall w2 for 6s")
        .at(15.0, "dedup transactional")
        .at(20.5, "cut w3 queue for 8s")
        .at(26.0, "pause random for 7s")
        .at(30.0, "lease 5s")
        .at(33.0, "lose acks 20%");
    holds(&Folder::with(&troubled.simulate().events, None));
}

/// A lab of two workers, one of which dies between its two writes.
const LAB: &str = "\
title = \"Killed between\"
teaches = \"effect and key apart\"
seed = 1
driver = \"simulation\"
[setup]
jobs = 3
workers = 2
dedup = \"effect-then-key\"
crash = [\"ids:1@effect\"]
[[step]]
[step.ask]
text = \"How many jobs are applied twice?\"
answer = \"duplicated\"
between = [0, 3]
why = \"The key was never written.\"
[[expect]]
that = \"duplicated == 1\"
says = \"the death doubles one job\"
[[must_happen]]
that = \"deaths == 1\"
";

#[test]
fn a_recorded_lab_is_judged_again_in_its_report_and_its_page() {
    let lab = support::lab(3).workers(2).dedup(onceish::policy::Dedup::EffectThenKey).crash("ids:1@effect");
    let mut events = lab.simulate().events;
    let told = [
        What::Said { step: 1, text: "".into(), pause: false },
        What::Asked { step: 1, text: "How many jobs are applied twice?".into() },
        What::Answered { step: 1, text: "2".into() },
    ];
    events.splice(1..1, told.map(|what| Event { at: Instant::START, what }));
    let folder = Folder::with(&events, Some(LAB));
    let text = folder.text("run.jsonl --to md");
    assert!(text.starts_with("# Killed between, seed 1\n"), "{text}");
    assert!(text.contains("| 1 | How many jobs are applied twice? | 2 | 1, not quite"), "{text}");
    assert!(text.contains("| duplicated == 1: the death doubles one job | 1 | holds |"), "{text}");
    assert!(text.contains("| deaths == 1 | 1 | holds |"), "{text}");
    assert!(text.contains("The lab holds"), "{text}");
    let page = folder.text("run.jsonl --to html --out -");
    assert!(page.contains("<td>duplicated == 1: the death doubles one job</td><td>1</td><td>holds</td>"), "{page}");
}

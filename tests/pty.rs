//! The whole program in a real pseudo-terminal, judged from outside: what it shows, what it writes, how it leaves,
//! and what it leaves behind.
#![cfg(unix)]

mod pty_support;

use std::time::{Duration, Instant};

use pty_support::bytes::{self, ENTER, LEAVE};
use pty_support::{DEAF_TO_HANG_UPS, JOB_CONTROL, Ledger, Screen, desk};
use rustix::process::Signal;

/// Jobs that never end by themselves, in a database that is kept.
const ENDLESS: &str = "run --seed 5 --db sink.db --work 1h --lease 1h";
/// Many short jobs, in a database that is kept.
const BUSY: &str = "run --seed 5 --db sink.db --work 20ms --rate 100";

/// The line of the log that ends a test: everything that was pressed before it has been taken in.
fn fence(screen: &mut Screen) {
    screen.act("mark fence").waits_for("mark    fence");
}

/// How many lines on the screen hold `words`.
fn lines_with(screen: &Screen, words: &str) -> usize {
    screen.text().lines().filter(|line| line.contains(words)).count()
}

fn ledger(screen: &Screen) -> Ledger {
    Ledger::open(&screen.path("sink.db"))
}

#[test]
fn q_drains_and_gives_the_terminal_back_as_it_was() {
    let mut screen = desk().start(BUSY);
    screen.waits_for("LIVE").waits_until("jobs are applied", |text| text.contains("SQL agrees"));
    screen.press("q");
    let raw = screen.ended_cleanly(0);
    assert_eq!(bytes::forbidden(&raw), [] as [String; 0]);
    assert_eq!(bytes::count(&raw, "\x1b[?1000h") + bytes::count(&raw, "\x1b[?1006h"), 0, "no mouse is captured");
    ledger(&screen).is_whole();
}

#[test]
fn a_temporary_database_is_gone_with_the_program() {
    let mut screen = desk().start("run --work 20ms --rate 100");
    screen.waits_for("SQL agrees").press("q");
    assert_eq!(screen.ends(), 0);
    assert_eq!(std::fs::read_dir(screen.path("tmp")).expect("the folder").count(), 0);
}

#[test]
fn ctrl_c_lets_what_is_under_way_finish_and_exits_with_130() {
    let mut screen = desk().start("run --db sink.db --workers 2 --jobs 2 --rate 1000 --work 1200ms");
    screen.waits_for("2 leased").press("\x03");
    screen.ended_cleanly(130);
    let ledger = ledger(&screen);
    ledger.is_whole();
    assert_eq!(ledger.count("SELECT count(*) FROM effects"), 2);
}

#[test]
fn a_second_ctrl_c_does_not_wait_for_the_drain() {
    const GRACE: Duration = Duration::from_secs(2);
    // A busy machine may be slow; it is not slow three times in a row.
    let at_once = (0..3).any(|_| {
        let mut screen = desk().start(ENDLESS);
        screen.waits_for("1 leased").press("\x03").waits_for("draining");
        let second = now();
        screen.press("\x03");
        let code = screen.ends();
        let took = second.elapsed();
        assert_eq!(code, 130);
        screen.ended_cleanly(130);
        ledger(&screen).is_whole();
        took < GRACE
    });
    assert!(at_once);
}

#[test]
fn a_second_q_does_not_wait_for_the_drain_either() {
    let mut screen = desk().start(ENDLESS);
    screen.waits_for("1 leased").press("q").waits_for("draining").press("q");
    screen.ended_cleanly(0);
    ledger(&screen).is_whole();
}

#[test]
fn signals_from_outside_have_their_exit_codes_and_give_the_terminal_back() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130)] {
        let mut screen = desk().start(BUSY);
        screen.waits_for("SQL agrees").signal(signal);
        screen.ended_cleanly(code);
        ledger(&screen).is_whole();
    }
}

#[test]
fn a_closed_terminal_ends_the_program_and_the_database_is_whole() {
    let mut screen = desk().start(BUSY);
    screen.waits_for("SQL agrees").hang_up();
    assert_eq!(screen.ends(), 129);
    ledger(&screen).is_whole();
}

#[test]
fn a_closed_terminal_ends_the_program_also_where_its_parent_ignores_hang_ups() {
    let mut screen = desk().within(DEAF_TO_HANG_UPS).start(BUSY);
    screen.waits_for("SQL agrees").hang_up();
    assert_eq!(screen.ends(), 129);
    ledger(&screen).is_whole();
}

#[test]
fn a_closed_terminal_is_noticed_also_while_nothing_is_drawn() {
    let mut screen = desk().within(DEAF_TO_HANG_UPS).start(BUSY);
    screen.waits_for("SQL agrees").press(" ").waits_for("STOPPED").hang_up_while_quiet();
    assert_eq!(screen.ends(), 129);
    ledger(&screen).is_whole();
}

#[test]
fn ctrl_z_gives_the_terminal_back_and_fg_paints_it_again() {
    let mut screen = desk().within(JOB_CONTROL).start("run --seed 5 --db sink.db --work 20ms --rate 100");
    screen.waits_for("SQL agrees").press("\x1a");
    screen.waits_for("job stopped").waits_for_alternate(false);
    if cfg!(target_os = "linux") {
        assert_eq!(state_of(screen.job()), 'T');
    }
    assert_eq!(bytes::count(&screen.raw(), LEAVE), 1);
    screen.press("\r").waits_for_alternate(true).waits_for("worker program");
    screen.press("?").waits_for("faults (same key heals)").press("\x1b").waits_for("worker program");
    screen.press("q");
    assert_eq!(screen.ends(), 0);
    screen.echoes();
    let raw = screen.all_of_it();
    assert_eq!(bytes::count(&raw, ENTER), bytes::count(&raw, LEAVE));
    ledger(&screen).is_whole();
}

#[test]
fn stopped_and_continued_from_outside_it_takes_its_keys_and_paints_again() {
    let mut screen = desk().within(JOB_CONTROL).start(BUSY);
    screen.waits_for("SQL agrees");
    rustix::process::kill_process(screen.job(), Signal::STOP).expect("it is there");
    // The shell has made the terminal its own: lines, and echo.
    screen.waits_for_bytes("job stopped", 1);
    let entered = bytes::count(&screen.raw(), ENTER);
    screen.press("\r").waits_for_bytes(ENTER, entered + 1).waits_until_gone("job stopped").waits_for("worker program");
    screen.press("?").waits_for("faults (same key heals)").press("\x1b").waits_for("worker program");
    screen.press("q");
    assert_eq!(screen.ends(), 0);
    screen.echoes();
}

#[test]
fn ctrl_z_where_nobody_could_take_it_back_to_the_foreground_only_paints_again() {
    let mut screen = desk().start(BUSY);
    screen.waits_for("SQL agrees").press("\x1a").waits_for_bytes(ENTER, 2);
    screen.waits_for_alternate(true).waits_for("worker program");
    screen.press("q");
    assert_eq!(screen.ends(), 0);
    screen.echoes();
}

#[test]
fn a_storm_of_sizes_leaves_the_same_picture() {
    let mut screen = desk().start(BUSY);
    screen.waits_for("SQL agrees").press("4\r");
    storm(&mut screen, 20);
    screen.resize(10, 50).waits_for("needs 60x16").resize(24, 80).waits_for("4 dead letters: 0");
    screen.press("\x1b").waits_for("worker program");
    screen.press("1 ").waits_for("STOPPED").waits_for("x kill").press("d").waits_for("effect-then-key");
    screen.waits_for_quiet(Duration::from_millis(300));
    let picture = screen.text();
    storm(&mut screen, 20);
    // Back before the program has seen that it was small: what the terminal forgot is drawn all the same.
    screen.resize(24, 80).resize(5, 20).resize(24, 80);
    screen.waits_until("the picture is what it was", |text| text == picture);
    screen.press("\x1b").waits_until_gone("effect-then-key").press(" ").waits_until_gone("STOPPED");
    screen.press("q");
    let raw = screen.ended_cleanly(0);
    assert_eq!(bytes::count(&raw, "panicked"), 0);
    ledger(&screen).is_whole();
}

/// Goes through all sizes `rounds` times. At each the program may draw for a moment, or not.
fn storm(screen: &mut Screen, rounds: usize) {
    for (rows, columns) in [(0, 0), (1, 1), (2, 200), (5, 20), (24, 80), (60, 250)].repeat(rounds) {
        screen.resize(rows, columns);
        screen.writes_within(Duration::from_millis(20));
    }
}

#[test]
fn a_panic_in_a_handler_is_a_failed_delivery_and_never_touches_the_screen() {
    let mut screen = desk().size(36, 120).start("run --workers 2 --work 100ms --rate 2 --backoff 10ms");
    screen.waits_for("LIVE").act("poison panic").waits_for("dead 1");
    screen.waits_until("the workers live", |text| text.contains("2 of 2 up") && !text.contains("DEAD  "));
    screen.press("4\r\r").waits_for("the handler of a poisonous job panicked");
    let raw = screen.raw();
    assert_eq!((bytes::count(&raw, ENTER), bytes::count(&raw, LEAVE)), (1, 0), "the screen was never left");
    assert_eq!(bytes::count(&raw, "panicked at"), 0, "nor written over");
    screen.press("q");
    screen.ended_cleanly(0);
    assert!(screen.notes().contains("the handler of a poisonous job panicked"), "it is noted");
}

#[test]
fn a_killed_worker_is_shown_dead_and_comes_back_on_a_whole_screen() {
    let mut screen = desk().start("run --respawn 3s --work 1h --lease 1h");
    screen.waits_for("1 leased").press("x").waits_for("w1 is killed").waits_for("w1 DEAD");
    screen.waits_until_gone("DEAD").waits_for("4 of 4 up");
    assert_eq!(bytes::count(&screen.raw(), LEAVE), 0);
    screen.press("qq");
    screen.ended_cleanly(0);
}

#[test]
fn a_key_acts_on_its_press_and_neither_on_its_repeat_nor_on_its_release() {
    let mut screen = desk().size(36, 120).start("run --respawn off --work 1h --lease 1h --rate 0.01");
    screen.waits_for("1 leased").press("5\r");
    screen.press("\x1b[120;1:1u\x1b[120;1:2u\x1b[120;1:3u").waits_for("you     w1 is killed");
    screen.press("\x1b[32;1:1u\x1b[32;1:2u\x1b[32;1:3u").waits_for("STOPPED");
    fence(&mut screen);
    assert_eq!(lines_with(&screen, "killed") + lines_with(&screen, "is dead already"), 1, "{}", screen.text());
    assert_eq!(lines_with(&screen, "you     time stands"), 1, "{}", screen.text());
    assert_eq!(lines_with(&screen, "you     time goes"), 0, "{}", screen.text());
}

#[test]
fn what_is_pasted_is_not_typed() {
    let mut screen = desk().size(36, 120).start("run --work 1h --lease 1h --rate 0.01");
    screen.waits_for("1 leased").press("5\r").press("\x1b[200~xxx q\r:kill all\r\x03\x1b[201~");
    fence(&mut screen);
    assert_eq!(lines_with(&screen, "kill"), 0, "{}", screen.text());
    screen.press(":\x1b[200~kill w1\x1b[201~").waits_for(": kill w1");
    assert_eq!(lines_with(&screen, "is killed"), 0, "a paste is no enter either\n{}", screen.text());
    screen.press("\r").waits_for("you     w1 is killed");
}

#[test]
fn starting_again_keeps_the_seed_and_starts_from_nothing() {
    let mut screen = desk().start("run --seed 7 --work 1h --lease 1h --rate 0.01");
    screen.waits_for("1 leased").act("enqueue 40").waits_for("= 41");
    screen.press("\x12").waits_for("seed 7").waits_until_gone("= 41").waits_for("1 leased");
    screen.press("q").waits_for("draining").press("q");
    screen.ended_cleanly(0);
}

#[test]
fn no_color_means_no_colour_unless_it_is_empty_and_the_flag_overrules_it() {
    let seen_with = |no_color, flag| {
        let line = format!("run --respawn off --work 1h --lease 1h --color {flag}");
        let mut screen = desk().env("NO_COLOR", no_color).start(&line);
        screen.waits_for("1 leased").press("x").waits_for("w1 DEAD").press("d").waits_for("effect-then-key");
        !bytes::colours(&screen.raw()).is_empty()
    };
    assert!(!seen_with("1", "auto"));
    assert!(seen_with("", "auto"));
    assert!(seen_with("1", "always"), "the flag asks for colours");
    assert!(!seen_with("", "never"), "the flag wants none");
}

#[test]
fn ascii_means_that_no_other_byte_is_written() {
    let mut screen = desk().size(36, 120).start("run --ascii --respawn off --rate 50 --work 100ms --lease 1s");
    screen.waits_for("board = SQL").press("x").waits_for("DEAD").press("p").act("poison fail").waits_for("dead 1");
    screen.press("d").waits_for("effect-then-key").press("\x1b").waits_until_gone("effect-then-key");
    screen.press("?").waits_for("faults (same key heals)").press("\x1b").waits_for("operator");
    for panel in ["2", "3", "4", "5", "6"] {
        screen.press(panel).waits_for(&format!(">{panel} ")).press("\r").waits_until_gone("operator");
        screen.press("\x1b").waits_for("operator");
    }
    screen.press("q");
    let raw = screen.ended_cleanly(0);
    assert!(
        raw.is_ascii(),
        "{:?}",
        String::from_utf8_lossy(&raw).chars().filter(|c| !c.is_ascii()).collect::<String>()
    );
}

#[test]
fn without_a_terminal_it_says_so_and_writes_no_escape_byte() {
    for (name, script, why) in [
        ("stdout", r#""$0" "$@" >out"#, "stdout is not a terminal"),
        ("stdin", r#""$0" "$@" </dev/null"#, "stdin is not a terminal"),
        ("TERM", r#"unset TERM; "$0" "$@""#, "TERM is not set"),
    ] {
        let mut screen = desk().within(script).start("run --db sink.db");
        assert_eq!(screen.ends(), 2, "{name}");
        screen.waits_for(why).waits_for("--headless");
        let out = std::fs::read(screen.path("out")).unwrap_or_default();
        assert_eq!(out, [], "{name}");
        assert!(!screen.all_of_it().contains(&0x1b), "{name}");
        assert!(!screen.path("sink.db").exists(), "{name}: nothing was begun");
    }
}

/// What no terminal should be told, around words that should arrive.
const HOSTILE: &str =
    "one\x1b]52;c;aGk=\x07two\x1b[2J\u{9b}6n\u{9d}0;x\u{9c}three\u{202e}\u{200b}\u{2066}four\x7f\tfive";

#[test]
fn a_hostile_mark_is_shown_without_what_would_act_on_the_terminal() {
    let mut screen = desk().size(36, 120).start("run --work 1h --lease 1h --rate 0.01");
    screen.waits_for("1 leased").press(&format!(":\x1b[200~mark {HOSTILE}\x1b[201~")).waits_for("four five");
    screen.press("\r").waits_for("marked");
    screen.act("mark typed\u{202e}\u{9d}\u{200b}too").waits_for("mark    typedtoo");
    screen
        .press("/\u{202e}\u{9b}\x1b[200~\x1b]0;\u{202e}words\x1b[201~")
        .waits_for(": ]0;words")
        .press("\x1b")
        .waits_until_gone("words");
    screen.press("5\r").waits_for("four five").press("qq");
    let raw = screen.ended_cleanly(0);
    assert_eq!(bytes::forbidden(&raw), [] as [String; 0]);
}

#[test]
fn a_hostile_file_name_is_told_clean_and_opens_no_screen() {
    let mut screen = desk().start_with(&["run", "--db", &format!("no such folder/{HOSTILE}")]);
    assert_eq!(screen.ends(), 4);
    screen.waits_for("no such folder");
    let raw = screen.all_of_it();
    assert_eq!(bytes::forbidden(&raw), [] as [String; 0]);
    assert!(!raw.contains(&0x1b));
}

#[test]
fn a_key_is_answered_while_a_million_jobs_run_at_full_speed() {
    let mut screen = desk().start("run --db sink.db --jobs 1000000 --rate 1000000 --work 0ms --gap 0ms --respawn off");
    screen.waits_until("jobs are applied", |text| !text.contains("once 0") && text.contains("once "));
    for _ in 0..5 {
        screen.press("?").waits_for("faults (same key heals)").press("\x1b").waits_for("worker program");
    }
    screen.press("x").waits_for("w1 DEAD").press("qq");
    screen.ended_cleanly(0);
    assert_eq!(ledger(&screen).count("SELECT count(*) - count(DISTINCT job) FROM effects"), 0);
}

#[test]
fn nothing_is_written_while_time_is_stopped() {
    let mut screen = desk().start(BUSY);
    screen.waits_for("SQL agrees").press(" ").waits_for("STOPPED");
    // What came of the key is shown for a while; its going is the last thing that is drawn.
    screen.waits_for("x kill").waits_for_quiet(Duration::from_secs(1));
    screen.press("?").waits_for("faults (same key heals)").waits_for_quiet(Duration::from_secs(1));
}

/// The state of a process as the kernel of Linux has it: `T` is stopped.
fn state_of(pid: rustix::process::Pid) -> char {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("it is there");
    let behind_the_name = stat.rsplit(") ").next().expect("a name in brackets");
    behind_the_name.chars().next().expect("a state")
}

#[allow(clippy::disallowed_methods, reason = "the test measures how long the program takes")]
fn now() -> Instant {
    Instant::now()
}

//! Home as it was drawn, and what its keys do.

use std::cell::RefCell;
use std::rc::Rc;

use super::*;
use crate::time::Span;
use crate::tui::fixture::text;
use crate::tui::theme::Theme;

const fn done(right: u32, of: u32) -> Best {
    Best::Done { right, of, marked: false }
}

/// Chapter, title, what it teaches, what it runs in, how long it takes, and the best result.
type Row = (&'static str, &'static str, &'static str, &'static str, &'static str, Best);

#[rustfmt::skip]
const COURSE: [Row; 22] = [
    ("Where the ack goes", "Ack first", "a job acked early can die without a trace", "threads", "3 min", done(2, 2)),
    ("Where the ack goes", "Ack last", "nothing is lost, and some jobs run twice", "threads", "3 min", done(2, 2)),
    ("Where the ack goes", "The harmless crash", "most crashes cost one retry and no more", "threads", "2 min", done(1, 1)),
    ("Where the ack goes", "Killed at random", "why a demo seldom shows the bug", "threads", "4 min", done(1, 2)),
    ("Knowing a duplicate", "Two writes", "effect and key apart: twice, or lost", "threads", "5 min", done(3, 3)),
    ("Knowing a duplicate", "One transaction", "dies in every gap, still applies once", "threads", "4 min", done(2, 2)),
    ("Knowing a duplicate", "The unstable key", "a key that changes per try never matches", "threads", "2 min", done(1, 1)),
    ("Knowing a duplicate", "Memory in the worker", "what a worker remembers dies with it", "threads", "4 min", done(2, 3)),
    ("Knowing a duplicate", "The bounded window", "dedup lasts as long as its memory", "virtual", "4 min", Best::Unfinished(2)),
    ("Knowing a duplicate", "Replay after the window", "old dead letters are applied again", "virtual", "3 min", Best::Untouched),
    ("The lease", "Shorter than the tail", "slow jobs run twice with no crash at all", "virtual", "4 min", Best::Untouched),
    ("The lease", "Renewal", "a third of the lease; why double is useless", "virtual", "4 min", Best::Untouched),
    ("The lease", "The stalled heartbeat", "alive, at work, and replaced all the same", "threads", "3 min", Best::Untouched),
    ("The lease", "The cut-off zombie", "cut from the queue, not from the sink", "threads", "4 min", Best::Untouched),
    ("The lease", "The long pause", "it wakes up and goes on writing", "threads", "3 min", Best::Untouched),
    ("The lease", "Two fences", "refusing the ack does not refuse the write", "threads", "4 min", Best::Untouched),
    ("The lease", "Giving up", "stop when renewal fails; what is left", "threads", "3 min", Best::Untouched),
    ("The fleet and the dead", "One of four", "how long until anyone notices", "threads", "3 min", Best::Untouched),
    ("The fleet and the dead", "Poison", "one job takes the workers down in turn", "threads", "4 min", Best::Untouched),
    ("The fleet and the dead", "Poison in order", "one key waits, then has a gap", "threads", "4 min", Best::Untouched),
    ("The fleet and the dead", "Overtaken", "the older version lands last", "threads", "3 min", Best::Untouched),
    ("The fleet and the dead", "The DLQ nobody reads", "flat depth, growing age, redrive in vain", "threads", "4 min", Best::Untouched),
];

/// The listing of the pictures.
fn listing() -> Listing {
    let labs = COURSE.iter().zip(1..).map(|((chapter, title, teaches, runs_in, takes, best), number)| LabEntry {
        chapter: (*chapter).to_owned(),
        number,
        title: (*title).to_owned(),
        teaches: (*teaches).to_owned(),
        runs_in: (*runs_in).to_owned(),
        takes: (*takes).to_owned(),
        best: *best,
    });
    let recording = |title: &str, when: &str, lasts: u64, crashes: u64, harm: &str| RecordingEntry {
        title: title.to_owned(),
        when: when.to_owned(),
        lasts: Some(Span::seconds(lasts)),
        crashes: Some(crashes),
        harm: harm.to_owned(),
        verdict: "BROKEN".to_owned(),
    };
    Listing {
        last_time: Some("effect-then-key, lease 3 s, 1.2 jobs/s, seed 249".to_owned()),
        labs: labs.collect(),
        recordings: vec![
            recording("lab 08 memory in the worker", "today 14:02", 190, 2, "twice 2"),
            recording("sandbox, seed 249", "today 13:40", 130, 4, "twice 3"),
        ],
        warning: None,
    }
}

/// The same before anything was ever done.
fn fresh() -> Listing {
    let mut listing = Listing { last_time: None, recordings: Vec::new(), ..listing() };
    listing.labs.iter_mut().for_each(|lab| lab.best = Best::Untouched);
    listing
}

/// Hands out a listing and notes what is asked of it; everything it should open it opens as another home.
struct Noting {
    listing: Rc<RefCell<Listing>>,
    asked: Rc<RefCell<Vec<String>>>,
}

impl Source for Noting {
    fn listing(&self) -> Listing {
        self.listing.borrow().clone()
    }
    fn open(&self, choice: Choice, look: Look) -> Result<Screen<'static>, String> {
        self.asked.borrow_mut().push(format!("{choice:?}"));
        match choice {
            Choice::Lab(21) => Err("labs/22: \u{1b}[2Jno such file".to_owned()),
            _ => Ok(Screen::home(Box::new(Noting { listing: Rc::default(), asked: Rc::default() }), look)),
        }
    }
    fn left(&self) {
        self.asked.borrow_mut().push("left".to_owned());
    }
}

struct Desk {
    listing: Rc<RefCell<Listing>>,
    asked: Rc<RefCell<Vec<String>>>,
    home: Home<'static>,
}

impl Desk {
    fn of(listing: Listing, theme: Theme, glyphs: Glyphs) -> Desk {
        let (listing, asked) = (Rc::new(RefCell::new(listing)), Rc::new(RefCell::new(Vec::new())));
        let source = Noting { listing: listing.clone(), asked: asked.clone() };
        let home = Home::new(Box::new(source), Look::new(theme, glyphs));
        Desk { listing, asked, home }
    }

    fn usual() -> Desk {
        Desk::of(listing(), Theme::Dark, Glyphs::UNICODE)
    }

    fn rows(&mut self, width: u16, height: u16) -> Vec<String> {
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
        self.home.draw(&mut buffer);
        text(&buffer)
    }

    fn picture(&mut self, width: u16, height: u16) -> String {
        self.rows(width, height).iter().map(|row| format!("{row}|\n")).collect()
    }

    fn press(&mut self, keys: &str) -> Vec<Request> {
        let key = |c: char| match c {
            '\n' => Key::Enter,
            '\t' => Key::Tab,
            '\x1b' => Key::Esc,
            '^' => Key::Up,
            '_' => Key::Down,
            '{' => Key::Home,
            '}' => Key::End,
            c => Key::Char(c),
        };
        keys.chars().flat_map(|c| self.home.press(key(c), Stroke::Press)).collect()
    }

    fn selected(&self) -> Option<Choice> {
        self.home.chosen.selected(&self.home.listing)
    }

    fn asked(&self) -> Vec<String> {
        self.asked.borrow().clone()
    }
}

#[rustfmt::skip]
const WIDE: [&str; 36] = [
    " onceish                                                                                         0.1.0   dark   threads ",
    " What happens to a job when something dies? Run a real queue, break it, and see what was lost and what was done twice.  ",
    "─ 1 sandbox ────────────────────────────────────────────────────────────────────────────────────────────────────────────",
    "   Free play        4 workers, a queue, a SQLite sink. Kill, stall and cut workers; change the policy while they run.   ",
    "   As last time     effect-then-key, lease 3 s, 1.2 jobs/s, seed 249                                                    ",
    "═ ►2 labs: a course ════════════════════════════════════════════════════════════ 8 of 22 done   14 of 16 answers right ═",
    " Where the ack goes               what it teaches                                   runs in   takes        best         ",
    "    1  Ack first                   a job acked early can die without a trace         threads   3 min         2/2        ",
    "    2  Ack last                    nothing is lost, and some jobs run twice          threads   3 min         2/2        ",
    "    3  The harmless crash          most crashes cost one retry and no more           threads   2 min         1/1        ",
    "    4  Killed at random            why a demo seldom shows the bug                   threads   4 min         1/2        ",
    " Knowing a duplicate                                                                                                    ",
    "    5  Two writes                  effect and key apart: twice, or lost              threads   5 min         3/3        ",
    "    6  One transaction             dies in every gap, still applies once             threads   4 min         2/2        ",
    "    7  The unstable key            a key that changes per try never matches          threads   2 min         1/1        ",
    "    8  Memory in the worker        what a worker remembers dies with it              threads   4 min         2/3        ",
    " ►  9  The bounded window          dedup lasts as long as its memory                 virtual   4 min      step 2        ",
    "   10  Replay after the window     old dead letters are applied again                virtual   3 min                    ",
    " The lease                                                                                                              ",
    "   11  Shorter than the tail       slow jobs run twice with no crash at all          virtual   4 min                    ",
    "   12  Renewal                     a third of the lease; why double is useless       virtual   4 min                    ",
    "   13  The stalled heartbeat       alive, at work, and replaced all the same         threads   3 min                    ",
    "   14  The cut-off zombie          cut from the queue, not from the sink             threads   4 min                    ",
    "   15  The long pause              it wakes up and goes on writing                   threads   3 min                    ",
    "   16  Two fences                  refusing the ack does not refuse the write        threads   4 min                    ",
    "   17  Giving up                   stop when renewal fails; what is left             threads   3 min                    ",
    " The fleet and the dead                                                                                                 ",
    "   18  One of four                 how long until anyone notices                     threads   3 min                    ",
    "   19  Poison                      one job takes the workers down in turn            threads   4 min                    ",
    "   20  Poison in order             one key waits, then has a gap                     threads   4 min                    ",
    "   21  Overtaken                   the older version lands last                      threads   3 min                    ",
    "   22  The DLQ nobody reads        flat depth, growing age, redrive in vain          threads   4 min                    ",
    "─ 3 recordings ─────────────────────────────────────────────────────────────────────────────────────────────────────────",
    "     lab 08 memory in the worker    today 14:02     3 min 10 s     2 crashes     twice 2     BROKEN                     ",
    "     sandbox, seed 249              today 13:40     2 min 10 s     4 crashes     twice 3     BROKEN                     ",
    " enter start   v present   / filter   tab section   up down choose                          : palette   ? help   q quit ",
];

#[rustfmt::skip]
const SMALL: [&str; 24] = [
    " onceish                                                                  0.1.0 ",
    " What happens to a job when something dies? Break a real queue and see.         ",
    "─ 1 sandbox ────────────────────────────────────────────────────────────────────",
    "   Free play   4 workers, a queue, a SQLite sink; break it while it runs        ",
    "═ ►2 labs: a course ════════════════════════════ 8 of 22 done   14 of 16 right ═",
    " Knowing a duplicate                                                            ",
    "   5 Two writes               effect and key apart: twice, or lost           3/3",
    "   6 One transaction          dies in every gap, still applies once          2/2",
    "   7 The unstable key         a key that changes per try never matches       1/1",
    "   8 Memory in the worker     what a worker remembers dies with it           2/3",
    " ► 9 The bounded window       dedup lasts as long as its memory           step 2",
    "  10 Replay after the window  old dead letters are applied again                ",
    " The lease                                                                      ",
    "  11 Shorter than the tail    slow jobs run twice with no crash at all          ",
    "  12 Renewal                  a third of the lease; why double is useless       ",
    "  13 The stalled heartbeat    alive, at work, and replaced all the same         ",
    "  14 The cut-off zombie       cut from the queue, not from the sink             ",
    "  15 The long pause           it wakes up and goes on writing                   ",
    "  16 Two fences               refusing the ack does not refuse the write        ",
    "  17 Giving up                stop when renewal fails; what is left             ",
    "─ 3 recordings ─────────────────────────────────────────────────────────────────",
    "   lab 08 memory in the worker    today 14:02   3 min 10 s   twice 2  BROKEN    ",
    "   sandbox, seed 249              today 13:40   2 min 10 s   twice 3  BROKEN    ",
    " enter start  v present  / filter  tab section        : palette  ? help  q quit ",
];

#[test]
fn home_is_as_it_was_drawn() {
    assert_eq!(Desk::usual().rows(120, 36), WIDE);
    assert_eq!(Desk::usual().rows(80, 24), SMALL);
}

#[test]
fn in_ascii_nothing_shifts_and_at_other_sizes_all_can_be_reached() {
    let plain = |width, height| Desk::of(listing(), Theme::Dark, Glyphs::ASCII).rows(width, height);
    for (row, wanted) in plain(120, 36).iter().zip(WIDE) {
        assert_eq!(*row, wanted.replace('─', "-").replace('═', "=").replace('►', ">"));
    }
    insta::assert_snapshot!("home_60x16", Desk::usual().picture(60, 16));
    insta::assert_snapshot!("home_100x30", Desk::usual().picture(100, 30));
    for (width, height) in [(1, 1), (59, 20), (60, 16), (79, 17), (99, 29), (101, 30), (130, 24), (250, 80)] {
        let mut desk = Desk::usual();
        for keys in ["", "1_", "2}", "3_", "/x", "\x1b:", "\x1b?", "\x1b"] {
            desk.press(keys);
            desk.rows(width, height);
        }
    }
}

#[test]
fn wherever_the_selection_goes_it_shows() {
    for (width, height) in [(120, 36), (80, 24), (60, 16)] {
        let mut desk = Desk::usual();
        desk.press("1{");
        for step in 0..26 {
            let rows = desk.rows(width, height);
            assert_eq!(rows.iter().filter(|row| row.starts_with(" ►")).count(), 1, "{step}: {rows:#?}");
            desk.press("_");
        }
        assert_eq!(desk.selected(), Some(Choice::Recording(1)), "2 ways, 22 labs, 2 recordings");
    }
}

#[test]
fn on_a_first_start_the_selection_is_on_the_first_lab_and_says_to_start_there() {
    let mut desk = Desk::of(fresh(), Theme::Dark, Glyphs::UNICODE);
    assert_eq!(desk.selected(), Some(Choice::Lab(0)));
    insta::assert_snapshot!("home_fresh_80x24", desk.picture(80, 24));
    assert!(desk.rows(80, 24)[23].starts_with(" enter: start here  v present"));
}

#[test]
fn enter_opens_what_is_selected_and_the_footer_says_how() {
    let mut desk = Desk::usual();
    let footer = |desk: &mut Desk| desk.rows(120, 36)[35].clone();
    assert!(footer(&mut desk).starts_with(" enter start   v present"), "{}", footer(&mut desk));
    assert_eq!(desk.press("\n"), [Request::Open]);
    assert_eq!(desk.press("_v"), [Request::Open]);
    assert_eq!(desk.press("1{\n"), [Request::Open]);
    assert_eq!(desk.press("_\n"), [Request::Open]);
    desk.press("\t\t");
    assert!(footer(&mut desk).starts_with(" enter replay   / filter"), "{}", footer(&mut desk));
    assert_eq!(desk.press("\n"), [Request::Open]);
    assert_eq!(desk.asked(), ["Lab(8)", "Present(9)", "FreePlay", "LastTime", "Recording(0)"]);
}

#[test]
fn what_was_opened_is_come_back_from_with_everything_fresh() {
    let mut desk = Desk::usual();
    desk.press("\n");
    assert!(desk.home.opened().is_some());
    desk.listing.borrow_mut().labs[8].best = done(1, 1);
    desk.home.back();
    assert_eq!(desk.asked(), ["Lab(8)", "left"]);
    assert!(desk.rows(120, 36)[5].contains("9 of 22 done   15 of 17 answers right"));
    assert_eq!(desk.selected(), Some(Choice::Lab(8)), "where it was");
}

#[test]
fn what_is_the_matter_with_the_listing_is_said_until_a_key_is_pressed() {
    let listing = Listing { warning: Some("scores begin anew: scores.json is damaged".to_owned()), ..listing() };
    let mut desk = Desk::of(listing, Theme::Dark, Glyphs::UNICODE);
    assert_eq!(desk.rows(80, 24)[23].trim_end(), " scores begin anew: scores.json is damaged");
    desk.press("j");
    assert!(!desk.rows(80, 24)[23].contains("scores begin"));
}

#[test]
fn answers_are_counted_once_there_are_any() {
    let mut desk = Desk::usual();
    desk.listing.borrow_mut().labs.iter_mut().for_each(|lab| lab.best = Best::Untouched);
    desk.home.back();
    let rule = desk.rows(120, 36)[5].clone();
    assert!(rule.contains("0 of 22 done ") && !rule.contains("right"), "{rule}");
}

#[test]
fn what_cannot_be_opened_says_why_on_the_bottom_line() {
    let mut desk = Desk::usual();
    assert_eq!(desk.press("}\n"), []);
    assert_eq!(desk.rows(80, 24)[23].trim_end(), " labs/22: [2Jno such file");
}

#[test]
fn a_filter_leaves_what_says_so_and_esc_takes_it_away() {
    let mut desk = Desk::usual();
    desk.press("/fence");
    let rows = desk.rows(80, 24);
    assert!(rows[4].contains("2 labs: a course / fence") && rows[23].starts_with(" / fence"), "{rows:#?}");
    assert_eq!(desk.press("\n\n"), [Request::Open], "enter takes the text, and then what it left");
    assert_eq!(desk.asked(), ["Lab(15)"]);
    desk.press("\x1b");
    assert_eq!(desk.home.chosen.listed(1, &desk.home.listing).len(), 22);
    desk.press("/nothing of the kind\n");
    assert_eq!(desk.selected(), None);
    assert_eq!(desk.press("\n"), []);
    insta::assert_snapshot!("home_nothing_80x24", desk.picture(80, 24));
}

#[test]
fn a_result_that_was_interfered_with_is_marked() {
    let mut listing = listing();
    listing.labs[0].best = Best::Done { right: 2, of: 2, marked: true };
    let mut desk = Desk::of(listing, Theme::Dark, Glyphs::UNICODE);
    assert!(desk.rows(120, 36)[7].trim_end().ends_with("2/2 *"));
    desk.press("{");
    assert!(desk.rows(80, 24)[6].ends_with("2/2 *"));
}

#[test]
fn palette_and_help_work_here_too() {
    let mut desk = Desk::usual();
    insta::assert_snapshot!("home_palette_80x24", {
        desk.press(":");
        desk.picture(80, 24)
    });
    desk.press("ascii\n");
    assert!(desk.rows(80, 24).concat().is_ascii());
    desk.press(":kill w1\n");
    assert_eq!(desk.home.message.as_deref(), Some("nothing runs here; enter starts what is selected"));
    assert_eq!(desk.press(":quit\n"), [Request::Quit]);
    desk.press("?");
    insta::assert_snapshot!("home_help_80x24", desk.picture(80, 24));
    assert_eq!(desk.press("qq"), [Request::Quit], "q closes help, and then leaves");
}

#[test]
fn hostile_titles_and_names_are_only_words() {
    let nasty = "\u{1b}]52;c;aGk=\u{7} \u{9b}6n \u{202e}evil\u{200b} \u{7f} 日本語";
    let mut listing = listing();
    listing.last_time = Some(nasty.to_owned());
    for lab in &mut listing.labs {
        (lab.title, lab.teaches, lab.chapter) = (nasty.to_owned(), nasty.to_owned(), nasty.to_owned());
        (lab.takes, lab.runs_in) = (nasty.to_owned(), nasty.to_owned());
    }
    for one in &mut listing.recordings {
        (one.title, one.when) = (nasty.to_owned(), nasty.to_owned());
        (one.harm, one.verdict) = (nasty.to_owned(), nasty.to_owned());
    }
    for (width, height) in [(120, 36), (80, 24), (60, 16)] {
        let mut desk = Desk::of(listing.clone(), Theme::Dark, Glyphs::UNICODE);
        desk.home.message = Some(nasty.to_owned());
        for row in desk.rows(width, height) {
            assert!(!row.contains(|c: char| c.is_control() || matches!(c, '\u{200b}' | '\u{202e}')), "{row:?}");
            assert_eq!(crate::tui::fit::width(&row), usize::from(width), "{row:?}");
        }
    }
}

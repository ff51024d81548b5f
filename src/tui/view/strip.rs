//! The strip: what was promised and is it kept, the jobs by fate, both conservation sums, and the policy in words.
//!
//! It is on every screen of a run, and no overlay covers it.

use super::Scene;
use crate::board::{Counters, Word};
use crate::policy::Policy;
use crate::text::count;
use crate::time::Span;
use crate::tui::canvas::Canvas;
use crate::tui::fit::{clock, short, shorter, width};
use crate::tui::layout::Form;
use crate::tui::theme::Role;
use crate::tui::watch::Moment;
use crate::tui::words::policy;
use crate::tui::{Badge, Showing};

/// Under this much wall time for a lease, a busy machine lets leases run out by accident.
const SHORT_LEASE: Span = Span::millis(100);

/// Draws the strip.
pub fn draw(canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
    if scene.layout.form == Form::Small {
        title(canvas, scene);
        fates(canvas, scene, 1);
        return;
    }
    title(canvas, scene);
    let promised = fates(canvas, scene, 1);
    sums(canvas, scene);
    policy_row(canvas, scene, promised);
}

fn title(canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
    let setup = scene.board.setup();
    let source = setup.map(|setup| format!("   {}   seed {}", setup.driver, setup.seed)).unwrap_or_default();
    let start = clockwork(canvas, scene.moment(), &source);
    let end = if scene.layout.form == Form::Small {
        canvas.put(1, 0, "onceish", Role::Strong)
    } else {
        canvas.pieces(1, 0, &[("onceish", Role::Strong), ("  ", Role::Text), (&scene.app.name, Role::Text)])
    };
    if let Some((words, role)) = notice(scene.moment(), scene.app.is_leaving()) {
        let room = start.saturating_sub(end + 4);
        canvas.put_within(end + 2, 0, room, &words, role);
    }
}

/// Draws what kind of time it is, how it goes and how far it has come, then `more`, at the right end of the title row.
/// Returns where it starts.
pub fn clockwork(canvas: &mut Canvas<'_>, shown: Moment<'_>, more: &str) -> u16 {
    let edge = canvas.width().saturating_sub(1);
    let recorded = if shown.showing.recorded { "   rec" } else { "" };
    let right = format!("x{}   {}{more}{recorded}", shown.showing.speed, clock(shown.now));
    let start = canvas.put_right(edge, 0, &right, Role::Text);
    let (badge, role) = badge(shown.showing);
    canvas.put_right(start, 0, &badge, role)
}

/// What kind of time it is, and whether it stands.
fn badge(showing: Showing) -> (String, Role) {
    let name = showing.badge.name();
    if showing.stopped { (format!("{name} STOPPED  "), Role::Look) } else { (format!("{name}  "), Role::Ok) }
}

/// What must not be overlooked: the gravest only.
pub fn notice(shown: Moment<'_>, leaving: bool) -> Option<(String, Role)> {
    let Moment { board, showing, .. } = shown;
    if let Some(text) = board.violations().first() {
        return Some((format!("VIOLATED {text}"), Role::BadMark));
    }
    if leaving {
        return Some(("draining... q again leaves now".to_owned(), Role::Look));
    }
    if let Some((how, _)) = board.finished() {
        let words = match how {
            crate::event::Finish::Failed(why) => return Some((format!("FAILED {why}"), Role::Bad)),
            crate::event::Finish::Drained => "run over: drained",
            crate::event::Finish::Stuck => "run over: stuck",
            crate::event::Finish::Quit | crate::event::Finish::Violated => "run over",
        };
        return Some((words.to_owned(), Role::Look));
    }
    if let Some(why) = board.stuck() {
        return Some((format!("STUCK: {why}"), Role::Look));
    }
    let real = board.policy().lease.as_seconds() / showing.speed.max(0.1);
    (showing.badge == Badge::Live && real < SHORT_LEASE.as_seconds())
        .then(|| ("lease under 0.1 s: expect redeliveries by accident".to_owned(), Role::Look))
}

/// From this width on the fates stand in columns of fixed width.
const SLOTTED: u16 = 118;

/// How the row of fates is written where there is less and less room.
#[derive(Clone, Copy)]
struct Plan {
    slotted: bool,
    promise: bool,
    total: bool,
    short: bool,
}

/// What goes first stands first: the columns, the promise (the policy's row has it then), the total (the queue's sum
/// has it), the last digits.
const PLANS: [Plan; 5] = [
    Plan { slotted: true, promise: true, total: true, short: false },
    Plan { slotted: false, promise: true, total: true, short: false },
    Plan { slotted: false, promise: false, total: true, short: false },
    Plan { slotted: false, promise: false, total: false, short: false },
    Plan { slotted: false, promise: false, total: false, short: true },
];

/// One piece of the row of fates, with the least cells it takes.
type Piece = (String, Role, usize);

/// Draws the jobs by fate and returns whether the promise had room.
fn fates(canvas: &mut Canvas<'_>, scene: &Scene<'_>, y: u16) -> bool {
    let risk = if canvas.width() >= 100 { at_risk(scene) } else { (String::new(), Role::Text) };
    let reserved = if risk.0.is_empty() { 0 } else { width(&risk.0) + 2 };
    let room = usize::from(canvas.width()).saturating_sub(2 + reserved);
    let plans = PLANS.iter().filter(|plan| !plan.slotted || canvas.width() >= SLOTTED);
    let mut chosen = None;
    for plan in plans {
        let pieces = pieces(scene, *plan);
        let cells: usize = pieces.iter().map(|(text, _, least)| (width(text)).max(*least)).sum();
        chosen = Some((plan, pieces));
        if cells <= room {
            break;
        }
    }
    let Some((plan, pieces)) = chosen else { return false };
    let mut x = 1;
    for (text, role, least) in &pieces {
        let end = canvas.put(x, y, text, *role);
        x = end.max(x + *least as u16);
    }
    let edge = canvas.width().saturating_sub(1);
    if usize::from(x) + reserved <= usize::from(edge) + 1 {
        canvas.put_right(edge, y, &risk.0, risk.1);
    }
    plan.promise
}

fn pieces(scene: &Scene<'_>, plan: Plan) -> Vec<Piece> {
    let wide = plan.slotted;
    let truth = scene.app.look.truth;
    let (word, role) = verdict(scene);
    let gap = if wide { "  " } else { " " };
    let promise = if plan.promise { format!("{gap}{}", scene.verdict.promise) } else { String::new() };
    let mut pieces = vec![(word.to_owned(), role, 0)];
    let head = if wide { 34usize.saturating_sub(width(word)) } else { width(&promise) + 2 };
    pieces.push((promise, Role::Text, head));
    let slots: [usize; 5] = if wide { [11, 12, 12, 14, 11] } else { [0; 5] };
    for ((label, n, role), slot) in figures(&scene.counters).into_iter().zip(slots) {
        let figure = match (truth, plan.short) {
            (false, _) => "?".to_owned(),
            (true, false) => count(n),
            (true, true) => short(n),
        };
        let (label, role) = if truth { (label, role) } else { (label.to_lowercase(), Role::Text) };
        pieces.push((format!("{label} {figure}"), role, slot.saturating_sub(2)));
        let gap = if label == "dead" && !wide { "" } else { "  " };
        pieces.push((gap.to_owned(), Role::Text, 0));
    }
    if plan.total {
        let total = count(scene.counters.enqueued);
        let jobs = if scene.counters.enqueued == 1 { "job" } else { "jobs" };
        pieces.push((if wide { format!("= {total} {jobs}") } else { format!(" = {total}") }, Role::Text, 0));
    }
    pieces
}

fn verdict(scene: &Scene<'_>) -> (&'static str, Role) {
    if !scene.app.look.truth {
        return ("?", Role::Text);
    }
    verdict_word(scene.verdict.word)
}

/// The word of a verdict, and how it looks.
pub fn verdict_word(word: Word) -> (&'static str, Role) {
    let role = match word {
        Word::Unknown => Role::Text,
        Word::KeptSoFar | Word::Kept => Role::Ok,
        Word::Broken => Role::Bad,
    };
    (word.name(), role)
}

/// The fates in their order; what is broken is in capitals.
pub fn figures(counters: &Counters) -> [(String, u64, Role); 5] {
    let broken = |n: u64, word: &str| match n {
        0 => (word.to_owned(), n, Role::Text),
        _ => (word.to_uppercase(), n, Role::Bad),
    };
    let plain = |n: u64, word: &str| (word.to_owned(), n, Role::Text);
    [
        broken(counters.lost, "lost"),
        plain(counters.once, "once"),
        broken(counters.duplicated, "twice"),
        plain(counters.pending, "pending"),
        plain(counters.dead_unapplied(), "dead"),
    ]
}

/// How many jobs would be applied again, if their worker died now.
fn at_risk(scene: &Scene<'_>) -> (String, Role) {
    let n = scene.counters.at_risk;
    let shown = scene.app.look.truth;
    let figure = if shown { short(n) } else { "?".to_owned() };
    (format!("at risk {figure}"), if n > 0 && shown { Role::Look } else { Role::Text })
}

/// How the row of sums is written where there is less and less room. The sink's sum is in all of them.
#[derive(Clone, Copy)]
struct Sums {
    /// Whether the queue's sum is introduced.
    queue: bool,
    sink: Words,
    /// Whether agreement is told; disagreement always is.
    witness: bool,
    write: fn(u64) -> String,
    /// Whether nothing is left out of the queue's sum, be it none.
    zeros: bool,
}

/// How much the sink's sum says of its figures.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    Full,
    Named,
    Bare,
}

const fn sums_as(queue: bool, sink: Words, witness: bool, write: fn(u64) -> String) -> Sums {
    Sums { queue, sink, witness, write, zeros: true }
}

const SUMS: [Sums; 10] = [
    sums_as(true, Words::Full, true, count),
    sums_as(true, Words::Named, true, count),
    sums_as(false, Words::Named, true, count),
    sums_as(false, Words::Bare, true, count),
    sums_as(true, Words::Named, true, short),
    sums_as(false, Words::Bare, true, short),
    sums_as(false, Words::Bare, false, count),
    sums_as(false, Words::Bare, false, short),
    Sums { zeros: false, ..sums_as(false, Words::Bare, false, short) },
    Sums { zeros: false, ..sums_as(false, Words::Bare, false, shorter) },
];

/// Both conservation sums, and whether the witnesses agree: in the longest form that fits. If none does, the queue's
/// sum is cut.
fn sums(canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
    let edge = canvas.width().saturating_sub(1);
    let room = usize::from(edge).saturating_sub(1);
    let (witness, role) = witnesses(scene);
    let mut right = String::new();
    let mut queue = String::new();
    let mut told = false;
    for form in SUMS {
        told = !witness.is_empty() && (form.witness || role == Role::Bad);
        queue = queue_sum(scene, form);
        right = sink_sum(scene, form);
        let after = if told { 2 + width(&witness) } else { 0 };
        if width(&queue) + 2 + width(&right) + after <= room {
            break;
        }
    }
    let mut start = edge;
    if told {
        start = canvas.put_right(edge, 2, &witness, role).saturating_sub(2);
    }
    let start = canvas.put_right(start, 2, &right, Role::Text);
    canvas.put_within(1, 2, start.saturating_sub(3), &queue, Role::Text);
}

fn queue_sum(scene: &Scene<'_>, form: Sums) -> String {
    let c = &scene.counters;
    let write = form.write;
    let lead = if form.queue { "queue  " } else { "" };
    let terms = [
        (c.waiting, "waiting"),
        (c.leased, "leased"),
        (c.unprotected, "unprotected"),
        (c.done, "done"),
        (c.dead, "dead"),
    ];
    let terms = terms.into_iter().filter(|(n, _)| form.zeros || *n > 0);
    let terms: Vec<String> = terms.map(|(n, word)| format!("{} {word}", write(n))).collect();
    format!("{lead}{} = {}", terms.join(" + "), write(c.enqueued))
}

fn sink_sum(scene: &Scene<'_>, form: Sums) -> String {
    let c = &scene.counters;
    let lead = if form.sink == Words::Bare { "" } else { "sink  " };
    if !scene.app.look.truth {
        return format!("{lead}?");
    }
    let write = form.write;
    let applied = c.effects - c.extra_effects;
    let [rows, jobs, extra] = [c.effects, applied, c.extra_effects].map(write);
    let row_word = if c.effects == 1 { "row" } else { "rows" };
    let job_word = if applied == 1 { "job" } else { "jobs" };
    match form.sink {
        Words::Full => format!("{lead}{rows} {row_word} = {jobs} {job_word} + {extra} extra"),
        Words::Named | Words::Bare => format!("{lead}{rows} {row_word} = {jobs} + {extra}"),
    }
}

/// Whether board and SQL agree, as far as they were compared.
fn witnesses(scene: &Scene<'_>) -> (String, Role) {
    let audit = scene.board.truth(scene.now).audit;
    match audit {
        _ if !scene.app.look.truth => (String::new(), Role::Text),
        Some((audit, _)) if !audit.agrees() => {
            (format!("BOARD {}, SQL {}", count(audit.board.rows), count(audit.sql.rows)), Role::Bad)
        }
        _ if !scene.board.witnesses_agree() => ("BOARD AND SQL DIFFER".to_owned(), Role::Bad),
        Some(_) => ("board = SQL".to_owned(), Role::Text),
        None => ("no audit yet".to_owned(), Role::Dim),
    }
}

/// The policy in words, in the longest form that fits.
fn policy_row(canvas: &mut Canvas<'_>, scene: &Scene<'_>, promised: bool) {
    let in_force: &Policy = scene.board.policy();
    let room = canvas.width().saturating_sub(2);
    let promise = if promised { String::new() } else { format!("{}: ", in_force.promise()) };
    let tries = policy::tries(in_force);
    let all = format!("{tries}, {}", policy::rest(in_force));
    let [long, brief, steps] =
        [policy::sentence(in_force, false), policy::sentence(in_force, true), policy::steps(in_force)];
    let [lease, lease_brief] = [policy::lease(in_force, false), policy::lease(in_force, true)];
    let laid = [
        format!("{promise}{long}  {lease}  {all}."),
        format!("{promise}{brief}  {lease}  {all}."),
        format!("{promise}{brief}  {lease_brief}  {all}."),
        format!("{promise}{brief}  {lease_brief}  {tries}."),
        format!("{promise}{steps}  {lease_brief}  {tries}."),
        format!("{promise}{steps} {lease_brief} {tries}."),
    ];
    let words = laid.iter().find(|words| width(words) <= usize::from(room)).or(laid.last());
    canvas.put_within(1, 3, room, words.map_or("", String::as_str), Role::Text);
}

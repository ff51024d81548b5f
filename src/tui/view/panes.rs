//! Who can know: what production monitoring sees, beside what the ledger says.
//!
//! The operator's side draws an [`OperatorView`] and is handed nothing else, so it cannot tell more than monitoring
//! could.

use super::Scene;
use crate::board::{Light, OperatorView, TruthView};
use crate::ids::Job;
use crate::text::count;
use crate::tui::canvas::{Canvas, Rule};
use crate::tui::fit::{cut, rate, short, span, width};
use crate::tui::glyphs::Joint;
use crate::tui::layout::Form;
use crate::tui::theme::Role;

/// Where operator and truth part, for panes of this width.
pub fn divide(width: u16) -> u16 {
    match width {
        // Beside a docked inspector the operator's side needs a little more than half.
        61..=79 => width / 2 + 1,
        80..=99 => width / 2 - 1,
        _ => (width - 1) / 2,
    }
}

/// Draws both panes with their rule.
pub fn draw(canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
    let view = scene.board.operator(scene.now);
    let truth = scene.app.look.truth.then(|| scene.board.truth(scene.now));
    if scene.layout.form == Form::Small {
        operator_line(canvas, &view);
        truth_line(canvas, truth.as_ref());
        return;
    }
    let middle = divide(canvas.width());
    let (width, height) = (canvas.width(), canvas.height());
    rules(canvas, middle);
    canvas.column(middle, 1, height - 1);
    let rows = height - 1;
    let mut left = canvas.part(ratatui::layout::Rect::new(0, 1, middle, rows));
    if scene.layout.form == Form::Full {
        operator(&mut left, &view)
    } else {
        operator_brief(&mut left, &view)
    }
    let mut right = canvas.part(ratatui::layout::Rect::new(middle + 1, 1, width - middle - 1, rows));
    match (&truth, scene.layout.form) {
        (None, _) => hidden(&mut right),
        (Some(truth), Form::Full) => truth_full(&mut right, truth, scene),
        (Some(truth), _) => truth_brief(&mut right, truth),
    }
}

fn rules(canvas: &mut Canvas<'_>, middle: u16) {
    let (left, right, hint) = match canvas.width() {
        100.. => ("operator: what monitoring can see", "truth: what the ledger says", "t hides"),
        80..=99 => ("operator", "truth", ""),
        _ => ("operator: monitoring", "truth: the ledger", ""),
    };
    let hint = if canvas.look.truth { hint } else { "t shows" };
    let width = canvas.width();
    let look = canvas.look;
    let rule = Rule { title: left, ..Rule::default() };
    canvas.part(ratatui::layout::Rect::new(0, 0, middle, 1)).rule(0, rule);
    let rule = Rule { title: right, right: hint, ..Rule::default() };
    canvas.part(ratatui::layout::Rect::new(middle + 1, 0, width - middle - 1, 1)).rule(0, rule);
    canvas.cell(middle, 0, look.glyphs.joint(Joint::Down, false), Role::Dim);
}

fn light(light: Light) -> (&'static str, Role) {
    match light {
        Light::None => ("", Role::Text),
        Light::Ok => ("ok", Role::Ok),
        Light::Look => ("look", Role::Look),
        Light::Bad => ("BAD", Role::Bad),
    }
}

/// One line of the operator's pane: light, name, words.
fn line(canvas: &mut Canvas<'_>, y: u16, lamp: Light, name: &str, at: u16, words: &str) {
    let (word, role) = light(lamp);
    canvas.put(1, y, word, role);
    canvas.put(6, y, name, Role::Text);
    canvas.put(at, y, words, Role::Text);
}

fn operator(canvas: &mut Canvas<'_>, view: &OperatorView) {
    let roomy = canvas.width() >= 48;
    let at = if roomy { 19 } else { 15 };
    line(canvas, 0, view.backlog_light, "backlog", at, &backlog(view, roomy));
    let flow = if roomy {
        let words = format!("{} in, {} acked; {}", rate(view.arrivals), rate(view.acks), short(view.redeliveries));
        let fits = width(&words) + " redelivered".len() <= usize::from(canvas.width() - at);
        format!("{words} {}", if fits { "redelivered" } else { "again" })
    } else {
        format!("{} in, {} out", rate(view.arrivals), rate(view.acks))
    };
    line(canvas, 1, view.flow_light, "flow", at, &flow);
    line(canvas, 2, view.workers_light, "workers", at, &workers(view, roomy));
    let errors = if roomy {
        format!("{} in the last 10 s, {} in all", count(view.errors_recent), count(view.errors))
    } else {
        format!("{} in 10 s, {} in all", count(view.errors_recent), count(view.errors))
    };
    line(canvas, 3, view.errors_light, "errors", at, &errors);
    let name = if roomy { "dead letters" } else { "dead" };
    line(canvas, 4, view.dead_light, name, at, &dead(view, roomy));
}

fn backlog(view: &OperatorView, roomy: bool) -> String {
    let waiting = count(view.backlog);
    let waiting = if roomy { format!("{waiting} waiting") } else { waiting };
    match view.oldest {
        Some(age) => format!("{waiting}, oldest {}", span(age)),
        None => waiting,
    }
}

fn workers(view: &OperatorView, roomy: bool) -> String {
    let up = format!("{} of {}", view.up, view.workers);
    let up = if roomy { format!("{up} up") } else { up };
    match (view.silent, roomy) {
        (Some((worker, silence)), true) => format!("{up}; {worker} silent for {}", span(silence)),
        (Some((worker, silence)), false) => format!("{up}, {worker} silent {}", span(silence)),
        (None, false) => format!("{up} up"),
        (None, true) => up,
    }
}

fn dead(view: &OperatorView, roomy: bool) -> String {
    let n = count(view.dead);
    match (view.dead_newest, roomy) {
        (None, _) => n,
        (Some(age), true) => format!("{n}, none new for {}", span(age)),
        (Some(age), false) => format!("{n}, none for {}", span(age)),
    }
}

fn operator_brief(canvas: &mut Canvas<'_>, view: &OperatorView) {
    line(canvas, 0, view.backlog_light, "backlog", 15, &backlog(view, false));
    line(canvas, 1, view.workers_light, "workers", 15, &workers(view, false));
    let mut errors = format!("{} in 10 s", count(view.errors_recent));
    if view.dead > 0 {
        let age = if view.dead_light > Light::Ok { "new" } else { "old" };
        errors.push_str(&format!("; dead {}, {age}", count(view.dead)));
    }
    line(canvas, 2, view.errors_light.max(view.dead_light), "errors", 15, &errors);
}

fn operator_line(canvas: &mut Canvas<'_>, view: &OperatorView) {
    let lamp = [view.backlog_light, view.flow_light, view.workers_light, view.errors_light, view.dead_light];
    let (word, role) = light(lamp.into_iter().max().unwrap_or(Light::None));
    canvas.put(1, 0, word, role);
    let words = format!(
        "operator  {} waiting, {} of {} up, {} errors, dead {}",
        count(view.backlog),
        view.up,
        view.workers,
        count(view.errors_recent),
        count(view.dead)
    );
    canvas.put(6, 0, &words, Role::Text);
}

fn truth_line(canvas: &mut Canvas<'_>, truth: Option<&TruthView>) {
    let Some(truth) = truth else {
        canvas.put(6, 1, "truth     ?", Role::Text);
        return;
    };
    let (word, role) = light(truth_light(truth));
    canvas.put(1, 1, word, role);
    let words = format!("truth     {}, at risk {}, rows {}", harm(truth), count(truth.at_risk.0), count(truth.rows));
    canvas.put(6, 1, &words, Role::Text);
}

fn truth_light(truth: &TruthView) -> Light {
    match (truth.lost.0 + truth.twice.0, truth.at_risk.0) {
        (0, 0) => Light::Ok,
        (0, _) => Light::Look,
        _ => Light::Bad,
    }
}

/// `lost 0, twice 0`, the broken one in capitals.
fn harm(truth: &TruthView) -> String {
    let word = |n: u64, word: &str| if n > 0 { word.to_uppercase() } else { word.to_owned() };
    let (lost, twice) = (truth.lost.0, truth.twice.0);
    format!("{} {}, {} {}", word(lost, "lost"), count(lost), word(twice, "twice"), count(twice))
}

fn hidden(canvas: &mut Canvas<'_>) {
    canvas.put(6, 0, "?   hidden; t shows what the ledger says", Role::Text);
}

/// Where the figures of the truth's pane end: further to the right as soon as one of them needs it.
fn figures_end(canvas: &Canvas<'_>, figures: &[u64]) -> u16 {
    let base: u16 = if canvas.width() >= 48 { 18 } else { 17 };
    let widest = figures.iter().map(|n| width(&short(*n)) as u16).max().unwrap_or(0);
    base.max(14 + widest)
}

/// One line of the truth's pane: light, name, figure up to `edge`, words.
fn figure(canvas: &mut Canvas<'_>, (y, edge): (u16, u16), lamp: Light, name: &str, n: u64, words: &str) {
    let (word, role) = light(lamp);
    let gap = if canvas.width() >= 48 { 3 } else { 2 };
    canvas.put(1, y, word, role);
    canvas.put(6, y, name, Role::Text);
    canvas.put_right(edge, y, &short(n), if lamp == Light::Bad { Role::Bad } else { Role::Text });
    canvas.put(edge + gap, y, words, Role::Text);
}

fn truth_full(canvas: &mut Canvas<'_>, truth: &TruthView, scene: &Scene<'_>) {
    let wide = canvas.width() >= 48;
    let c = &scene.counters;
    let bad = |n: u64| if n > 0 { Light::Bad } else { Light::Ok };
    let edge = figures_end(canvas, &[truth.lost.0, truth.twice.0, c.once, truth.at_risk.0, truth.rows]);
    figure(canvas, (0, edge), bad(truth.lost.0), "lost", truth.lost.0, &jobs(&truth.lost.1, truth.lost.0));
    let extra =
        if truth.twice.0 == 0 && wide { "no extra rows".to_owned() } else { jobs(&truth.twice.1, truth.twice.0) };
    figure(canvas, (1, edge), bad(truth.twice.0), "twice", truth.twice.0, &extra);
    let all = if c.enqueued == 1 { "1 job".to_owned() } else { format!("{} jobs", short(c.enqueued)) };
    let of = match wide {
        true => {
            format!("of {}; pending {}, dead {}", all, short(c.pending), short(c.dead_unapplied()))
        }
        false => format!("of {all}"),
    };
    figure(canvas, (2, edge), Light::None, "once", c.once, &of);
    let (n, first) = &truth.at_risk;
    let lamp = if *n > 0 { Light::Look } else { Light::Ok };
    let why = match first {
        Some((job, why)) if wide => format!("job {job}: {why}"),
        Some((job, _)) => format!("job {job}"),
        None => String::new(),
    };
    figure(canvas, (3, edge), lamp, "at risk", *n, &why);
    let audited = audit(truth, canvas.width() >= 55);
    let lamp = if scene.board.witnesses_agree() { Light::None } else { Light::Bad };
    figure(canvas, (4, edge), lamp, "rows", truth.rows, &audited);
}

/// The first few of the jobs that came to harm.
fn jobs(named: &[Job], n: u64) -> String {
    if named.is_empty() {
        return String::new();
    }
    let list: Vec<String> = named.iter().map(Job::to_string).collect();
    let more = if n > named.len() as u64 { " ..." } else { "" };
    format!("{} {}{more}", if named.len() == 1 { "job" } else { "jobs" }, list.join(", "))
}

fn audit(truth: &TruthView, wide: bool) -> String {
    match &truth.audit {
        None => "not yet counted by SQL".to_owned(),
        Some((audit, ago)) if audit.agrees() && wide => format!("by SQL {} ago: the board agrees", span(*ago)),
        Some((audit, _)) if audit.agrees() => "SQL agrees".to_owned(),
        Some((audit, _)) => format!("SQL {}, board {}", count(audit.sql.rows), count(audit.board.rows)),
    }
}

fn truth_brief(canvas: &mut Canvas<'_>, truth: &TruthView) {
    let harmed = truth.lost.0 + truth.twice.0 > 0;
    let (word, role) = light(if harmed { Light::Bad } else { Light::Ok });
    canvas.put(1, 0, word, role);
    let names = jobs(if truth.twice.0 > 0 { &truth.twice.1 } else { &truth.lost.1 }, truth.lost.0 + truth.twice.0);
    let words = if harmed { format!("{}  {names}", harm(truth)) } else { harm(truth) };
    canvas.put(6, 0, &words, if harmed { Role::Bad } else { Role::Text });
    let (n, first) = &truth.at_risk;
    let (word, role) = light(if *n > 0 { Light::Look } else { Light::Ok });
    canvas.put(1, 1, word, role);
    let risk = match first {
        Some((job, _)) => format!("at risk {}, job {job}:", count(*n)),
        None => format!("at risk {}", count(*n)),
    };
    canvas.put(6, 1, &risk, Role::Text);
    let room = usize::from(canvas.width().saturating_sub(7));
    let last = match (first, &truth.audit) {
        (Some((_, why)), _) => (*why).to_owned(),
        (None, _) => format!("rows {}, {}", count(truth.rows), audit(truth, false)),
    };
    canvas.put(6, 2, &cut(&last, room), Role::Text);
}

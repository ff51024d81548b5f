//! Who is doing what: one row a worker, always in order of number.

use super::Scene;
use crate::board::{DeliveryView, StepView, WorkerState, WorkerView};
use crate::event::{Fault, Hold};
use crate::policy::{Attempts, Point, Program};
use crate::tui::canvas::{Canvas, Rule};
use crate::tui::fit::narrow;
use crate::tui::layout::Form;
use crate::tui::panel::Panel;
use crate::tui::theme::Role;

/// Where the columns of a row are. A right-aligned column names the cell behind its last.
struct Columns {
    state: u16,
    job: u16,
    attempt: u16,
    token: Option<u16>,
    step: u16,
    gauge: (u16, u16),
    left: u16,
    beat: Option<u16>,
    link: Option<u16>,
    /// Whether the row itself says what its figures are.
    labelled: bool,
}

impl Columns {
    fn of(width: u16, form: Form) -> Columns {
        match (form, width) {
            (Form::Small, _) if width < 80 => Columns {
                state: 6,
                job: 17,
                attempt: 18,
                token: None,
                step: 23,
                gauge: (38, 6),
                left: 51,
                beat: None,
                link: Some(52),
                labelled: true,
            },
            (Form::Full, 100..) => Columns {
                state: 11,
                job: 24,
                attempt: 27,
                token: Some(38),
                step: 41,
                gauge: (56, 12),
                left: 75,
                beat: Some(88),
                link: Some(91),
                labelled: false,
            },
            (_, 80..) => Columns {
                state: 6,
                job: 17,
                attempt: 18,
                token: Some(26),
                step: 28,
                gauge: (42, 8),
                left: 56,
                beat: Some(68),
                link: Some(70),
                labelled: true,
            },
            _ => Columns {
                state: 6,
                job: 17,
                attempt: 18,
                token: Some(26),
                step: 28,
                gauge: (41, 6),
                left: 53,
                beat: (width >= 65).then_some(65),
                link: None,
                labelled: true,
            },
        }
    }
}

impl Columns {
    /// Makes room for the longest job id and token that the run has; the gauge gives way.
    fn spread(mut self, jobs: u64, tokens: u64) -> Columns {
        let usual = if self.labelled { 3 } else { 5 };
        let more = |n: u64| (n.to_string().len() as u16).saturating_sub(usual);
        let job = more(jobs);
        let all = job + if self.token.is_some() { more(tokens) } else { 0 };
        self.job += job;
        self.attempt += job;
        self.token = self.token.map(|edge| edge + all);
        self.step += all;
        self.gauge = ((self.gauge.0 + all).min(self.left.saturating_sub(7)), self.gauge.1.saturating_sub(all));
        self
    }
}

/// Draws the workers with their rule.
pub fn draw(canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
    let columns = Columns::of(canvas.width(), scene.layout.form)
        .spread(scene.counters.enqueued.saturating_sub(1), scene.counters.deliveries);
    let first = scene.app.first_worker(scene.workers.len(), scene.layout.visible);
    rule(canvas, scene, first, &columns);
    let mut y = 1;
    if !columns.labelled {
        headings(canvas, &columns);
        y = 2;
    }
    let rows = usize::from(canvas.height().saturating_sub(y));
    for (place, view) in scene.workers.iter().enumerate().skip(first).take(rows) {
        row(canvas, y, view, scene, &columns, place == scene.app.worker);
        y += 1;
    }
}

fn rule(canvas: &mut Canvas<'_>, scene: &Scene<'_>, first: usize, columns: &Columns) {
    let all = scene.workers.len();
    let focused = scene.app.focus == Panel::Workers;
    let rows = usize::from(canvas.height()).saturating_sub(if columns.labelled { 1 } else { 2 });
    if all > rows {
        let last = (first + rows).min(all);
        let out_of_sight = |place: usize| place < first || place >= last;
        let alarm = scene.workers.iter().enumerate().any(|(place, view)| out_of_sight(place) && is_wrong(view.state));
        let right = format!("w{}-w{last} of {all}", first + 1);
        canvas.rule(0, Rule { title: "1 workers", right: &right, focused, alarm });
        return;
    }
    let right = match (columns.labelled, columns.token) {
        (true, Some(_)) if canvas.width() >= 80 => "job try token  step  lease left",
        _ => "",
    };
    canvas.rule(0, Rule { title: "1 workers", right, focused, alarm: false });
}

/// True for a state that a healthy worker is not in.
fn is_wrong(state: WorkerState) -> bool {
    !matches!(state, WorkerState::Idle | WorkerState::Working | WorkerState::Gone)
}

fn headings(canvas: &mut Canvas<'_>, columns: &Columns) {
    canvas.put(3, 1, "worker", Role::Dim);
    canvas.put(columns.state, 1, "state", Role::Dim);
    canvas.put_right(columns.job, 1, "job", Role::Dim);
    canvas.put(columns.attempt, 1, "try", Role::Dim);
    canvas.put_right(columns.token.unwrap_or(0), 1, "token", Role::Dim);
    canvas.put(columns.step, 1, "step", Role::Dim);
    canvas.put(columns.gauge.0, 1, "lease left", Role::Dim);
    canvas.put_right(columns.beat.unwrap_or(0), 1, "last beat", Role::Dim);
    canvas.put(columns.link.unwrap_or(0), 1, "link", Role::Dim);
}

fn row(canvas: &mut Canvas<'_>, y: u16, view: &WorkerView, scene: &Scene<'_>, columns: &Columns, selected: bool) {
    if selected {
        let mark = canvas.look.glyphs.select;
        canvas.cell(1, y, mark, Role::Accent);
    }
    canvas.put(3, y, &view.worker.to_string(), if selected { Role::Strong } else { Role::Text });
    let (word, role) = state(view.state);
    canvas.put(columns.state, y, word, role);
    // What an idle worker's slot carried before it died is no longer its own.
    let idle = view.state == WorkerState::Idle;
    if let Some(delivery) = view.delivery.as_ref().filter(|_| !idle) {
        carried(canvas, y, delivery, scene, columns);
        lease(canvas, y, delivery, view.state, columns);
    }
    canvas.put_within(
        columns.step,
        y,
        columns.gauge.0.saturating_sub(columns.step + 1),
        &if idle { String::new() } else { step(view, scene) },
        Role::Text,
    );
    // An idle worker owes the queue no beat, so its silence says nothing.
    let owes = view.state != WorkerState::Idle;
    if let (Some(edge), Some(since), true) = (columns.beat, view.last_beat, owes) {
        let words = if columns.labelled { format!("beat {}", narrow(since)) } else { narrow(since) };
        canvas.put_right(edge, y, &words, Role::Text);
    }
    if let Some(x) = columns.link {
        let (words, role) = link(view, columns.labelled);
        canvas.put(x, y, &words, role);
    }
}

/// A worker's state in a word; what is broken is in capitals.
pub fn state(state: WorkerState) -> (&'static str, Role) {
    match state {
        WorkerState::Idle => ("idle", Role::Dim),
        WorkerState::Working => ("working", Role::Text),
        WorkerState::Zombie => ("ZOMBIE", Role::Bad),
        WorkerState::Asleep => ("asleep", Role::Look),
        WorkerState::Hung => ("hung", Role::Look),
        WorkerState::Held(_) => ("held", Role::Look),
        WorkerState::Dead => ("DEAD", Role::Bad),
        WorkerState::Gone => ("gone", Role::Dim),
    }
}

fn carried(canvas: &mut Canvas<'_>, y: u16, delivery: &DeliveryView, scene: &Scene<'_>, columns: &Columns) {
    canvas.put_right(columns.job, y, &delivery.job.to_string(), Role::Text);
    canvas.put(columns.attempt, y, &tries(delivery.attempt, scene.board.policy().attempts), Role::Text);
    if let Some(edge) = columns.token {
        let words = if columns.labelled { format!("t{}", delivery.token) } else { delivery.token.to_string() };
        canvas.put_right(edge, y, &words, Role::Text);
    }
}

/// `1/3`; only the attempt where there is no limit or a redrive has gone beyond it.
fn tries(attempt: u32, limit: Attempts) -> String {
    match limit {
        Attempts::Limit(limit) if attempt <= limit && limit < 100 => format!("{attempt}/{limit}"),
        _ => attempt.to_string(),
    }
}

/// The time left of one full lease, as a gauge and a figure.
fn lease(canvas: &mut Canvas<'_>, y: u16, delivery: &DeliveryView, state: WorkerState, columns: &Columns) {
    let (x, cells) = columns.gauge;
    match delivery.lease {
        Some((left, full)) => {
            let part = if full.is_zero() { 0.0 } else { left.as_seconds() / full.as_seconds() };
            canvas.gauge(x, y, cells, part);
            canvas.put_right(columns.left, y, &narrow(left), Role::Text);
        }
        None if state == WorkerState::Zombie => {
            canvas.put_within(x, y, columns.left - x, "lease is over", Role::Bad);
        }
        None => {
            canvas.put_within(x, y, columns.left - x, "acked already", Role::Look);
        }
    }
}

/// Where the worker stands in its program: `work  93 %`, `after effect`.
fn step(view: &WorkerView, scene: &Scene<'_>) -> String {
    match (view.step, view.state) {
        (_, WorkerState::Held(Hold::Claim)) => "waits to claim".to_owned(),
        (_, WorkerState::Held(Hold::Ack)) => "waits to ack".to_owned(),
        (_, WorkerState::Held(Hold::Sink)) => "waits for sink".to_owned(),
        (_, WorkerState::Held(Hold::Locked)) => "sink is locked".to_owned(),
        (StepView::Nowhere, _) => String::new(),
        (StepView::In(Point::Work, Some(part)), _) => {
            format!("work {:>3} %", (part.clamp(0.0, 1.0) * 100.0).floor())
        }
        (StepView::In(point, _), _) => label(scene.board.program(), point).to_owned(),
        (StepView::After(point), _) => format!("after {point}"),
    }
}

/// The step that has `point` behind it, as the program calls it.
fn label(program: &Program, point: Point) -> &'static str {
    program.lines().into_iter().find(|line| line.point == point).map_or(point.name(), |line| line.label)
}

/// What is the matter between the worker and the rest, or when a dead slot comes back.
fn link(view: &WorkerView, brief: bool) -> (String, Role) {
    if view.state == WorkerState::Dead {
        return match view.back {
            Some(back) if brief => (format!("back {:.1}", back.as_seconds()), Role::Text),
            Some(back) => (format!("back in {}", narrow(back)), Role::Text),
            None => (if brief { "r revives" } else { "stays dead; r restarts it" }.to_owned(), Role::Text),
        };
    }
    let faults: Vec<String> = view.faults.iter().filter_map(|(fault, factor)| fault_words(*fault, *factor)).collect();
    if faults.is_empty() {
        (if view.state == WorkerState::Gone { "" } else { "ok" }.to_owned(), Role::Ok)
    } else {
        (faults.join(", "), Role::Look)
    }
}

/// A fault as the link column says it; sleep is told by the state.
fn fault_words(fault: Fault, factor: f64) -> Option<String> {
    Some(match fault {
        Fault::Stall => "no beats".to_owned(),
        Fault::Pause => return None,
        Fault::Hang => "hung".to_owned(),
        Fault::CutQueue => "no queue".to_owned(),
        Fault::CutSink => "no sink".to_owned(),
        Fault::Slow => format!("slow x{factor}"),
        Fault::LoseBeats | Fault::LoseAcks | Fault::LoseReplies => format!("loses {fault}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_are_told_against_their_limit_while_they_are_within_it() {
        assert_eq!(tries(1, Attempts::Limit(3)), "1/3");
        assert_eq!(tries(4, Attempts::Limit(3)), "4");
        assert_eq!(tries(7, Attempts::Unlimited), "7");
    }
}

//! The names of the lanes, and what the panel's rule says when not all of them show.

use crate::board::{WorkerState, WorkerView};
use crate::event::Fault;

/// The faults that a name carries, the gravest first, by the key that makes them.
const FAULTS: [(Fault, char); 6] = [
    (Fault::Pause, 'z'),
    (Fault::Hang, 'h'),
    (Fault::CutQueue, 'p'),
    (Fault::CutSink, 'P'),
    (Fault::Stall, 's'),
    (Fault::Slow, 'l'),
];

/// The letter of the gravest fault of a worker, if it has one: `x` for a dead one.
pub fn fault_letter(worker: &WorkerView) -> Option<char> {
    if worker.state == WorkerState::Dead {
        return Some('x');
    }
    let has = |fault: Fault| worker.faults.iter().any(|(what, _)| *what == fault);
    FAULTS.iter().find(|(fault, _)| has(*fault)).map(|(_, letter)| *letter)
}

/// The name of a lane: `w1`, `w2x`.
pub fn name(worker: &WorkerView) -> String {
    match fault_letter(worker) {
        Some(letter) => format!("{}{letter}", worker.worker),
        None => worker.worker.to_string(),
    }
}

/// The columns that names take, with a blank on either side and room for a fault, for `count` workers.
pub fn width(count: usize) -> u16 {
    let digits = count.max(1).ilog10() + 1;
    4 + u16::try_from(digits).unwrap_or(0)
}

/// What the rule says when only `shown` of the workers show, from the one at `scroll` on: `w1-w8 of 64`, and `!` at its
/// end when something is wrong out of sight. `None` when all of them show.
pub fn range_text(workers: &[WorkerView], scroll: usize, shown: usize) -> Option<String> {
    if shown >= workers.len() {
        return None;
    }
    let first = scroll.min(workers.len() - shown);
    let seen = first..first + shown;
    let hidden = |index: usize| !seen.contains(&index);
    let wrong = workers.iter().enumerate().any(|(index, worker)| hidden(index) && is_wrong(worker));
    let ends = (workers.get(first)?.worker, workers.get((first + shown).max(1) - 1)?.worker);
    Some(format!("{}-{} of {}{}", ends.0, ends.1, workers.len(), if wrong { " !" } else { "" }))
}

fn is_wrong(worker: &WorkerView) -> bool {
    !matches!(worker.state, WorkerState::Idle | WorkerState::Working | WorkerState::Gone) || !worker.faults.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::StepView;
    use crate::ids::Worker;

    fn worker(number: u16, state: WorkerState, faults: &[Fault]) -> WorkerView {
        WorkerView {
            worker: Worker(number),
            state,
            delivery: None,
            step: StepView::Nowhere,
            last_beat: None,
            back: None,
            faults: faults.iter().map(|fault| (*fault, 1.0)).collect(),
            armed: None,
        }
    }

    fn fleet(count: u16, wrong: u16) -> Vec<WorkerView> {
        let state = |number| if number == wrong { WorkerState::Zombie } else { WorkerState::Working };
        (1..=count).map(|number| worker(number, state(number), &[])).collect()
    }

    #[test]
    fn a_name_carries_the_gravest_fault() {
        assert_eq!(name(&worker(1, WorkerState::Working, &[])), "w1");
        assert_eq!(name(&worker(2, WorkerState::Dead, &[Fault::CutQueue])), "w2x");
        assert_eq!(name(&worker(3, WorkerState::Zombie, &[Fault::Stall, Fault::CutQueue])), "w3p");
        assert_eq!(name(&worker(12, WorkerState::Asleep, &[Fault::Pause])), "w12z");
        assert_eq!(name(&worker(4, WorkerState::Working, &[Fault::LoseAcks])), "w4");
    }

    #[test]
    fn a_name_and_its_fault_fit_between_two_blanks() {
        assert_eq!([1, 9, 10, 99, 100, 256].map(width), [5, 5, 6, 6, 7, 7]);
    }

    #[test]
    fn the_rule_names_the_workers_that_show_and_warns_of_what_does_not() {
        assert_eq!(range_text(&fleet(8, 0), 0, 8), None);
        assert_eq!(range_text(&fleet(64, 3), 0, 8).as_deref(), Some("w1-w8 of 64"));
        assert_eq!(range_text(&fleet(64, 9), 0, 8).as_deref(), Some("w1-w8 of 64 !"));
        assert_eq!(range_text(&fleet(64, 9), 1, 8).as_deref(), Some("w2-w9 of 64"));
        assert_eq!(range_text(&fleet(64, 9), 99, 8).as_deref(), Some("w57-w64 of 64 !"));
    }

    #[test]
    fn a_worker_with_a_fault_is_worth_the_warning_too() {
        let mut workers = fleet(9, 0);
        workers[8].faults.push((Fault::Stall, 1.0));
        assert_eq!(range_text(&workers, 0, 8).as_deref(), Some("w1-w8 of 9 !"));
    }
}

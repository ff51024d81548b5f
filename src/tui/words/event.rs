//! An event as the log tells it: a verb and a few words.

use crate::event::{By, End, Event, Fault, Finish, Hold, Reason, Spot, What};
use crate::policy::Program;
use crate::text::counted;
use crate::tui::fit::{chosen, moment};

/// The verb and the words of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// At most seven letters.
    pub verb: &'static str,
    /// The rest.
    pub words: String,
}

/// What else the log has to know to tell an event.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The program in force, for the letters of points.
    pub program: &'a Program,
    /// True if the event is an effect of a job that had one, and the truth is shown.
    pub again: bool,
}

/// True for what the log leaves out unless it is asked for: renewals, checks and keys.
pub fn is_noise(what: &What) -> bool {
    matches!(
        what,
        What::Renewed { .. }
            | What::Stepped { .. }
            | What::Key { .. }
            | What::Audited { .. }
            | What::Ended { how: End::Done, .. }
            | What::Enqueued { .. }
    )
}

/// True for what the operator did.
pub fn is_mine(what: &What) -> bool {
    matches!(what, What::Action { by: By::Operator, .. })
}

fn told(verb: &'static str, words: impl Into<String>) -> Told {
    Told { verb, words: words.into() }
}

/// The event in words.
pub fn tell(event: &Event, context: Context<'_>) -> Told {
    match &event.what {
        What::Started { .. }
        | What::Policy { .. }
        | What::Action { .. }
        | What::Stopped
        | What::Going
        | What::Speed { .. }
        | What::Jumped { .. }
        | What::Marked { .. }
        | What::Said { .. }
        | What::Asked { .. }
        | What::Answered { .. }
        | What::Audited { .. }
        | What::Violated { .. }
        | What::Drained
        | What::Stuck { .. }
        | What::Finished { .. } => tell_run(&event.what),
        What::Died { .. }
        | What::Spawned { .. }
        | What::Armed { .. }
        | What::Disarmed { .. }
        | What::Fault { .. }
        | What::Healed { .. }
        | What::Held { .. } => tell_worker(&event.what, context),
        What::Effect { .. }
        | What::Key { .. }
        | What::Recognised { .. }
        | What::Fenced { .. }
        | What::Undone { .. }
        | What::ReplyLost { .. }
        | What::Stepped { .. } => tell_sink(&event.what, context),
        What::Enqueued { .. }
        | What::Dead { .. }
        | What::Redriven { .. }
        | What::Gap { .. }
        | What::Overtaken { .. }
        | What::Outdated { .. } => tell_job(&event.what),
        _ => tell_delivery(&event.what),
    }
}

fn tell_run(what: &What) -> Told {
    match what {
        What::Started { setup, .. } => {
            told("start", format!("{}, seed {}", counted(setup.workers.into(), "worker", "workers"), setup.seed))
        }
        What::Policy { what, from, to } => told("policy", format!("{what} {from} -> {to}")),
        What::Action { text, came, by, .. } => told(
            if *by == By::Operator { "you" } else { "lab" },
            if came.is_empty() { text.to_string() } else { came.to_string() },
        ),
        What::Stopped => told("stop", "time stands"),
        What::Going => told("go", "time goes"),
        What::Speed { x } => told("speed", format!("x{x}")),
        What::Jumped { by } => told("jump", format!("the clock moved on by {}", chosen(*by))),
        What::Marked { text } => told("mark", text.to_string()),
        What::Said { step, text, .. } if text.is_empty() => told("lab", format!("step {step}")),
        What::Said { text, .. } => told("lab", text.to_string()),
        What::Asked { text, .. } => told("asks", text.to_string()),
        What::Answered { text, .. } => told("answer", text.to_string()),
        What::Audited { counts } => told(
            "audit",
            format!("SQL counts {}, {}", counted(counts.rows, "row", "rows"), counted(counts.jobs, "job", "jobs")),
        ),
        What::Violated { text } => told("BROKEN", text.to_string()),
        What::Drained => told("drained", "nothing is left to do"),
        What::Stuck { why } => told("stuck", why.to_string()),
        What::Finished { how, .. } => told(
            "end",
            match how {
                Finish::Drained => "drained".to_owned(),
                Finish::Stuck => "stuck".to_owned(),
                Finish::Quit => "somebody quit".to_owned(),
                Finish::Violated => "an invariant did not hold".to_owned(),
                Finish::Failed(why) => why.to_string(),
            },
        ),
        _ => told("", ""),
    }
}

fn tell_job(what: &What) -> Told {
    match what {
        What::Enqueued { j, poison: Some(how), .. } => told("enqueue", format!("job {j}, poison: {how}")),
        What::Enqueued { j, .. } => told("enqueue", format!("job {j}")),
        What::Dead { j, reason, tries, max } => {
            let max = max.map(|max| format!("/{max}")).unwrap_or_default();
            told("DEAD", format!("job {j} after {tries}{max} tries: {}", reason_words(reason)))
        }
        What::Redriven { j } => told("redrive", format!("job {j}, fresh budget")),
        What::Gap { key, j } => told("gap", format!("key {key} goes on without job {j}")),
        What::Overtaken { key, j } => told("overtak", format!("job {j} overwrote a newer value of key {key}")),
        What::Outdated { key, j } => told("outdate", format!("job {j}: value of key {key} refused, it is older")),
        _ => told("", ""),
    }
}

/// Why a job is dead, in a few words.
pub fn reason_words(reason: &Reason) -> String {
    match reason {
        Reason::Failed(words) => words.to_string(),
        Reason::Crashed(spot) => format!("crashed {}", spot_words(*spot)),
        Reason::LeaseExpired => "lease expired".to_owned(),
        Reason::AttemptsLowered => "attempts lowered".to_owned(),
    }
}

/// Where it happened: `in work`, `after effect`.
pub fn spot_words(spot: Spot) -> String {
    match spot {
        Spot::In(point) => format!("in {point}"),
        Spot::After(point) => format!("after {point}"),
    }
}

fn tell_delivery(what: &What) -> Told {
    match what {
        What::Claimed { w, j, n, k, deadline, .. } => {
            let attempt = if *n > 1 { format!("/{n}") } else { String::new() };
            told("claim", format!("{w} job {j}{attempt} token {k}, lease to {}", moment(*deadline)))
        }
        What::Renewed { w, k, deadline } => told("renew", format!("{w} token {k}, lease to {}", moment(*deadline))),
        What::BeatLost { w, k } => told("unheard", format!("{w} token {k}: the renewal was lost")),
        What::RenewalStale { w, k } => told("stale", format!("{w} token {k}: renewal refused")),
        What::Expired { w, j, k } => told("expire", format!("job {j} token {k}, was {w}; ready again")),
        What::Released { w, j, k } => told("release", format!("job {j} token {k}, was {w}")),
        What::Acked { w, j, k } => told("ack", format!("{w} job {j} token {k}")),
        What::AckLost { w, j, k } => told("unheard", format!("{w} job {j} token {k}: the ack was lost")),
        What::AckStale { w, j, k } => told("stale", format!("{w} job {j} token {k}: ack refused")),
        What::AckRepeated { w, j, k } => told("ack", format!("{w} job {j} token {k}, once more")),
        What::Nacked { w, j, k, until, words } => {
            let until = until.map(|at| format!(", again at {}", moment(at))).unwrap_or_default();
            told("nack", format!("{w} job {j} token {k}: {words}{until}"))
        }
        What::NackStale { w, j, k } => told("stale", format!("{w} job {j} token {k}: nack refused")),
        What::Ended { w, j, k, how, by } => ended(&format!("{w} job {j} token {k}"), how, *by),
        _ => told("", ""),
    }
}

fn ended(who: &str, how: &End, by: Option<By>) -> Told {
    let by = by.map(|by| format!(", by {}", by_words(by))).unwrap_or_default();
    match how {
        End::Done => told("done", who),
        End::Crashed(spot) => told("crash", format!("{who} {}{by}", spot_words(*spot))),
        End::Failed(words) => told("fail", format!("{who}: {words}{by}")),
        End::RefusedAck => told("refused", format!("{who}: its ack came too late")),
        End::Fenced => told("refused", format!("{who}: its write was fenced")),
        End::LeaseLost => told("abort", format!("{who}: its lease is gone")),
        End::Quit => told("abort", format!("{who}: the run ended")),
    }
}

/// Who or what caused it, in a word or two.
pub fn by_words(by: By) -> &'static str {
    match by {
        By::Operator => "you",
        By::Lab => "the lab",
        By::List => "the list",
        By::Rate => "the rate",
        By::Poison => "poison",
    }
}

fn tell_sink(what: &What, context: Context<'_>) -> Told {
    match what {
        What::Stepped { w, k, p } => told("step", format!("{w} token {k} passed {p}")),
        What::Effect { w, j, k, row } => {
            let again = if context.again { ": SECOND effect" } else { "" };
            told("effect", format!("{w} job {j} token {k}, row {row}{again}"))
        }
        What::Key { w, j, k } => told("key", format!("{w} job {j} token {k}")),
        What::Recognised { w, j, k } => told("dedup", format!("{w} job {j} token {k}: recognised")),
        What::Fenced { w, j, k } => told("fence", format!("{w} job {j} token {k}: write refused")),
        What::Undone { w, k } => told("undone", format!("{w} token {k}: the commit failed")),
        What::ReplyLost { w, k } => told("unheard", format!("{w} token {k}: the sink's answer was lost")),
        _ => told("", ""),
    }
}

fn tell_worker(what: &What, context: Context<'_>) -> Told {
    let letter = |point| context.program.letter(point).map(|letter| format!(" ({letter})")).unwrap_or_default();
    match what {
        What::Died { w, by, back, .. } => {
            let back = back.map(|at| format!(", back at {}", moment(at))).unwrap_or_default();
            told("died", format!("{w}, by {}{back}", by_words(*by)))
        }
        What::Spawned { w, generation } if *generation > 1 => told("up", format!("{w} respawned, memory empty")),
        What::Spawned { w, .. } => told("up", w.to_string()),
        What::Armed { w, point } => told("armed", format!("{w} dies after {point}{}", letter(*point))),
        What::Disarmed { w, point } => told("disarm", format!("{w} does not die after {point}")),
        What::Fault { w, what, factor, until } => {
            let who = w.map_or("all".to_owned(), |w| w.to_string());
            let until = until.map(|at| format!(" until {}", moment(at))).unwrap_or_default();
            told("fault", format!("{who} {}{until}", fault_words(*what, *factor)))
        }
        What::Healed { w, what } => {
            let who = w.map_or("all".to_owned(), |w| w.to_string());
            told("healed", format!("{who} {what}"))
        }
        What::Held { w, what, .. } => told(
            "held",
            format!(
                "{w} {}",
                match what {
                    Hold::Claim => "waits to claim: cut from the queue",
                    Hold::Ack => "waits to ack: cut from the queue",
                    Hold::Sink => "waits to write: cut from the sink",
                    Hold::Locked => "waits: another program holds the database",
                }
            ),
        ),
        _ => told("", ""),
    }
}

/// A fault in words, with its factor where it has one.
pub fn fault_words(fault: Fault, factor: f64) -> String {
    match fault {
        Fault::Stall => "renewals stall".to_owned(),
        Fault::Pause => "asleep".to_owned(),
        Fault::Hang => "hangs".to_owned(),
        Fault::CutQueue => "cut from the queue".to_owned(),
        Fault::CutSink => "cut from the sink".to_owned(),
        Fault::Slow => format!("slow x{factor}"),
        Fault::LoseBeats | Fault::LoseAcks | Fault::LoseReplies => {
            format!("{fault} lost at {:.0} %", factor * 100.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{Job, Row, Token, Worker};
    use crate::policy::{AckOrder, Dedup, Point};
    use crate::request::RowCounts;
    use crate::setup::Setup;
    use crate::time::{Instant, Span};

    fn line(what: What, again: bool) -> String {
        let program = Program::of(AckOrder::After, Dedup::EffectThenKey);
        let told = tell(&Event { at: Instant::START, what }, Context { program: &program, again });
        assert!(told.verb.len() <= 7, "{}", told.verb);
        format!("{} {}", told.verb, told.words)
    }

    #[test]
    fn the_log_tells_the_life_of_a_job_that_was_applied_twice() {
        let (w, j, k) = (Worker(4), Job(43), Token(52));
        assert_eq!(
            line(
                What::Claimed {
                    w,
                    j,
                    n: 2,
                    k,
                    deadline: Instant(44_100_000_000),
                    lease: Span::seconds(3),
                    work: Span::seconds(2)
                },
                false
            ),
            "claim w4 job 43/2 token 52, lease to 44.10"
        );
        assert_eq!(
            line(What::Effect { w, j, k, row: Row(47) }, true),
            "effect w4 job 43 token 52, row 47: SECOND effect"
        );
        assert_eq!(line(What::Armed { w: Worker(2), point: Point::Effect }, false), "armed w2 dies after effect (d)");
        assert_eq!(
            line(What::Expired { w: Worker(2), j, k: Token(46) }, false),
            "expire job 43 token 46, was w2; ready again"
        );
    }

    #[test]
    fn one_of_anything_is_told_as_one() {
        let counts = |rows| RowCounts { row: Row(9), rows, jobs: rows };
        assert_eq!(line(What::Audited { counts: counts(1) }, false), "audit SQL counts 1 row, 1 job");
        assert_eq!(line(What::Audited { counts: counts(2) }, false), "audit SQL counts 2 rows, 2 jobs");
        let setup = Box::new(Setup { workers: 1, ..Setup::sandbox(7) });
        assert_eq!(line(What::Started { setup, run: 1 }, false), "start 1 worker, seed 7");
    }
}

//! Why a job was forgotten without an effect.

use super::{death, died, died_before};
use crate::board::tries::{Tries, Try};
use crate::event::End;
use crate::policy::{AckOrder, Dedup};

/// The cause of the loss.
pub(super) fn why(tries: &Tries) -> String {
    let finder = tries.all.iter().find(|one| one.recognised());
    let writer = tries.all.iter().find(|one| one.key().is_some() && !one.wrote());
    if let (Some(writer), Some(finder)) = (writer, finder) {
        return by_its_key(writer, finder);
    }
    let acked = tries.all.iter().rfind(|one| one.acked());
    match acked {
        Some(one) if one.policy.ack == AckOrder::Before => acked_first(one),
        Some(one) => format!("{} acked, and no try had written an effect. The ledger has no row.", one.worker),
        None => "The queue forgot it, and the ledger has no row.".to_owned(),
    }
}

/// The key was written and the effect was not, so the next attempt took the job for done.
fn by_its_key(writer: &Try, finder: &Try) -> String {
    let w = writer.worker;
    let end = match death(writer) {
        Some(place) => format!("died before {}", died_before(writer, place)),
        None if matches!(writer.end(), Some((End::Failed(_), _))) => "failed before it wrote the effect".to_owned(),
        None => "got no further".to_owned(),
    };
    format!(
        "{w} wrote the key and {end}. {} found the key, took the job for done and acked. The ledger has no row.",
        finder.worker
    )
}

fn acked_first(one: &Try) -> String {
    let w = one.worker;
    let end = match one.end() {
        Some((End::Crashed(place), _)) => format!("{}, with nothing written", died(one, *place)),
        Some((End::Failed(_), _)) => format!("{w} failed in the work"),
        Some((End::Fenced, _)) => format!("the sink refused the write of {w}"),
        Some((End::LeaseLost, _)) => format!("{w} gave up"),
        Some((End::Quit, _)) => format!("the run ended while {w} worked"),
        Some((End::Done | End::RefusedAck, _)) | None if one.recognised() && one.policy.dedup != Dedup::None => {
            format!("{w} found the key of a try that wrote no effect")
        }
        _ => format!("{w} wrote no effect"),
    };
    format!(
        "The ack came before the work, and then {end}. The queue had its ack, so nobody looked again. The ledger has no row."
    )
}

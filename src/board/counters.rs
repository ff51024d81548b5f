//! What is counted straight from events. Sums that can go down, such as places and fates, are kept elsewhere.

use super::view::Counters;
use crate::event::{End, What};

/// Counts one event.
pub(super) fn count(counters: &mut Counters, what: &What) {
    match what {
        What::Claimed { n, .. } => {
            counters.deliveries += 1;
            counters.redeliveries += u64::from(*n > 1);
        }
        What::Renewed { .. } => counters.renewals += 1,
        What::BeatLost { .. } => counters.beats_lost += 1,
        What::RenewalStale { .. } => counters.stale_renewals += 1,
        What::Acked { .. } => counters.acked += 1,
        What::AckLost { .. } => counters.acks_lost += 1,
        What::AckStale { .. } | What::NackStale { .. } => counters.stale_acks += 1,
        What::AckRepeated { .. } => counters.repeated_acks += 1,
        What::Nacked { .. } => counters.nacked += 1,
        What::Ended { how, .. } => count_end(counters, how),
        What::Expired { .. } => counters.expirations += 1,
        What::Released { .. } => counters.released += 1,
        What::Redriven { .. } => counters.redriven += 1,
        What::Gap { .. } => counters.order_gaps += 1,
        What::Overtaken { .. } => counters.overtaken += 1,
        What::Outdated { .. } => counters.outdated += 1,
        What::Recognised { .. } => counters.dedup_hits += 1,
        What::Fenced { .. } => counters.fenced += 1,
        What::ReplyLost { .. } => counters.replies_lost += 1,
        What::Died { .. } => counters.deaths += 1,
        _ => {}
    }
}

fn count_end(counters: &mut Counters, how: &End) {
    match how {
        End::Done => {}
        End::Crashed(_) => counters.crashes += 1,
        End::Failed(_) => counters.failed += 1,
        End::RefusedAck | End::Fenced => counters.refused += 1,
        End::LeaseLost | End::Quit => counters.aborted += 1,
    }
}

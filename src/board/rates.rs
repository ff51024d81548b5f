//! Rates for the sparklines, and latencies.

use hdrhistogram::Histogram;

use super::series::Series;
use super::view::Rates;
use crate::time::{Instant, Span};

/// Sparklines reach back this many seconds at most.
const SECONDS: usize = 1_024;

/// The fold of arrivals, acks, effects and the two latencies.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    /// Arrivals.
    pub arrivals: Series,
    /// Accepted acks.
    pub acks: Series,
    /// Effects.
    pub effects: Series,
    wait: Latency,
    service: Latency,
}

#[derive(Clone, Debug)]
struct Latency(Histogram<u64>);

impl Latency {
    /// Microseconds up to a day, to two digits.
    fn new() -> Latency {
        Latency(Histogram::new_with_max(86_400_000_000, 2).expect("the bounds are sound"))
    }

    fn record(&mut self, span: Span) {
        self.0.saturating_record((span.0 / 1_000).max(1));
    }

    fn view(&self) -> Option<(Span, Span)> {
        let quantile = |q| Span(self.0.value_at_quantile(q).saturating_mul(1_000));
        (!self.0.is_empty()).then(|| (quantile(0.5), quantile(0.99)))
    }
}

impl Flow {
    /// Nothing has happened.
    pub fn new() -> Flow {
        let series = || Series::new(Span::seconds(1), SECONDS);
        Flow { arrivals: series(), acks: series(), effects: series(), wait: Latency::new(), service: Latency::new() }
    }

    /// A job was handed out after this wait.
    pub fn waited(&mut self, span: Span) {
        self.wait.record(span);
    }

    /// A job was acked this long after its claim.
    pub fn served(&mut self, span: Span) {
        self.service.record(span);
    }

    /// The last `seconds` seconds, and the latencies of the whole run.
    pub fn view(&self, now: Instant, seconds: usize) -> Rates {
        let seconds = seconds.min(SECONDS);
        Rates {
            arrivals: self.arrivals.last(seconds, now),
            acks: self.acks.last(seconds, now),
            effects: self.effects.last(seconds, now),
            wait: self.wait.view(),
            service: self.service.view(),
        }
    }
}

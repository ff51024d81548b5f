//! The hands-on page's four designs on its 20,000 jobs and 398 crashes: exact figures, on eight threads and in virtual
//! time.

mod support;

use onceish::event::{End, What};
use onceish::policy::{AckOrder, Dedup};
use onceish::setup::Driver;
use support::{Ended, lab};

fn page(driver: Driver, ack: AckOrder, dedup: Dedup, point: &str) -> Ended {
    let ended = lab(20_000).on(driver).workers(8).ack(ack).dedup(dedup).crash(&format!("page@{point}")).run();
    let crashed = |what: &What| matches!(what, What::Ended { how: End::Crashed(_), .. });
    assert_eq!(ended.count(crashed), 398, "every crash of the page's list struck");
    ended
}

const LOST: &str = "SELECT job FROM jobs WHERE state = 'done' AND job NOT IN (SELECT job FROM effects) ORDER BY job";
const TWICE: &str = "SELECT job FROM effects GROUP BY job HAVING count(*) > 1 ORDER BY job";

/// Lost, once, duplicated, as the page has them, with the ids that came to harm.
fn the_designs_give_the_figures_of_the_page(driver: Driver) {
    let first = page(driver, AckOrder::Before, Dedup::None, "ack");
    assert_eq!(first.fates(), (398, 19_602, 0), "ack first");
    let lost = first.ids(LOST);
    assert_eq!((lost.len(), &lost[..5]), (398, &[16, 102, 112, 139, 168][..]));

    let last = page(driver, AckOrder::After, Dedup::None, "effect");
    assert_eq!(last.fates(), (0, 19_602, 398), "ack last");
    assert_eq!(last.ids(TWICE), lost, "the ids that ack last doubles are the ids that ack first loses");
    let deliveries = last.count(|what| matches!(what, What::Claimed { .. }));
    assert_eq!(deliveries, 20_000 + 398);

    let effect_first = page(driver, AckOrder::After, Dedup::EffectThenKey, "effect");
    assert_eq!(effect_first.fates(), (0, 19_602, 398), "effect, then key");
    assert_eq!(effect_first.ids(TWICE), lost);

    let key_first = page(driver, AckOrder::After, Dedup::KeyThenEffect, "key");
    assert_eq!(key_first.fates(), (398, 19_602, 0), "key, then effect");
    assert_eq!(key_first.ids(LOST), lost);

    for point in ["effect", "key", "commit"] {
        let one = page(driver, AckOrder::After, Dedup::Transactional, point);
        assert_eq!(one.fates(), (0, 20_000, 0), "one transaction, killed at {point}");
        let recognised = one.count(|what| matches!(what, What::Recognised { .. }));
        assert_eq!(recognised, if point == "commit" { 398 } else { 0 }, "killed at {point}");
    }
}

#[test]
fn every_design_gives_the_figures_of_the_page_to_the_row() {
    the_designs_give_the_figures_of_the_page(Driver::Threads);
}

#[test]
fn virtual_time_gives_the_same_figures() {
    the_designs_give_the_figures_of_the_page(Driver::Simulation);
}

#[test]
#[ignore = "the long form: twenty runs in a row of each design"]
fn twenty_runs_in_a_row_give_the_same_figures() {
    (0..20).for_each(|_| the_designs_give_the_figures_of_the_page(Driver::Threads));
}

#[test]
fn an_unstable_key_recognises_nothing() {
    for key in ["attempt", "random"] {
        let ended = lab(20_000).workers(8).with(&format!("key {key}")).crash("page@commit").run();
        assert_eq!(ended.fates(), (0, 19_602, 398), "key {key}");
    }
}

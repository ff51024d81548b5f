//! The page's nine claims and its assembly. Each fills in a sheet and says what came of it in a few words.
//!
//! Beside the page's figures each claim demands what follows from them: the same ids, and as many deliveries, expired
//! leases, recognised duplicates and refused acks as there have to be. A figure that is right for another reason fails.

use std::collections::BTreeSet;

use super::cases::Case;
use super::figures::{self, CRASHES, JOBS, LONGEST_DELAY};
use super::runs::Facts;
use super::sheet::Measure::{Errors, Escaped, Lost, Once, Recognised, Twice};
use super::sheet::Sheet;
use crate::policy::{DedupKey, Renewal};
use crate::text::count;

/// A claim: its number, its words, and how it is judged.
pub struct Statement {
    /// Its number on the page; `None` for the assembly.
    pub number: Option<u8>,
    /// The claim.
    pub words: &'static str,
    /// Fills in the sheet and says what came of it.
    pub judge: fn(&mut Sheet<'_>) -> String,
}

/// The claims in the order in which they are told, and the assembly last.
pub const ALL: [Statement; 10] = [
    Statement { number: Some(1), words: "ack first loses exactly the crashed jobs", judge: ack_first },
    Statement { number: Some(2), words: "ack last loses none, doubles the same ones", judge: ack_last },
    Statement { number: Some(3), words: "a key at the sink makes them harmless", judge: key_at_the_sink },
    Statement { number: Some(4), words: "a window below the longest delay leaks", judge: short_windows },
    Statement { number: Some(5), words: "a window at the longest delay leaks none", judge: long_windows },
    Statement { number: Some(6), words: "a key outside the transaction catches none", judge: two_writes },
    Statement { number: Some(7), words: "a short lease doubles the slow jobs", judge: short_leases },
    Statement { number: Some(8), words: "only a far longer lease reaches zero", judge: long_leases },
    Statement { number: Some(9), words: "renewal frees the lease from the work time", judge: renewal },
    Statement { number: None, words: "the assembly: four designs, the same jobs", judge: assembly },
];

/// Every crashed job was delivered once more, and only those: behind a lease that ran out.
fn each_came_back(sheet: &mut Sheet<'_>, case: Case, run: &Facts) {
    let n = &run.counters;
    sheet.demand_count(case, "deliveries", n.deliveries, JOBS + CRASHES);
    sheet.demand_count(case, "leases ran out", n.expirations, CRASHES);
    sheet.demand_count(case, "jobs were dead", n.dead, 0);
}

fn same(sheet: &mut Sheet<'_>, case: Case, what: &str, ids: &BTreeSet<u32>, others: &BTreeSet<u32>) {
    sheet.demand(ids == others, format!("{case}: {what}"));
}

fn ack_first(sheet: &mut Sheet<'_>) -> String {
    let case = Case::AckFirst;
    sheet.table(&[Lost, Once, Twice]);
    sheet.row("the page's crashed jobs", case, &figures::ACK_FIRST);
    sheet.table(&[Lost, Twice, Errors]);
    for (rate, page) in figures::ACK_FIRST_TRY {
        let case = Case::AckFirstRate(rate);
        sheet.row(format!("{} % of the workers die", f64::from(rate) / 10.0), case, &page);
        nothing_comes_back(sheet, case);
    }
    nothing_comes_back(sheet, case);
    let Some(run) = sheet.run(case) else { return String::new() };
    format!("{} lost, {} twice", count(run.sql.lost), count(run.sql.duplicated))
}

/// The lost are those whose worker died, and nothing in the queue tells of them.
fn nothing_comes_back(sheet: &mut Sheet<'_>, case: Case) {
    let Some(run) = sheet.run(case) else { return };
    same(sheet, case, "the lost are exactly those whose worker died", &run.lost, &case.victims());
    sheet.demand_count(case, "deliveries", run.counters.deliveries, JOBS);
    sheet.demand_count(case, "acks were accepted", run.counters.acked, JOBS);
    sheet.demand_count(case, "leases ran out", run.counters.expirations, 0);
}

fn ack_last(sheet: &mut Sheet<'_>) -> String {
    let case = Case::AckLast;
    sheet.table(&[Lost, Once, Twice]);
    sheet.row("the page's crashed jobs", case, &figures::ACK_LAST);
    let (Some(run), Some(first)) = (sheet.run(case), sheet.run(Case::AckFirst)) else { return String::new() };
    same(sheet, case, "its doubled jobs are those that ack first loses", &run.twice, &first.lost);
    sheet.demand_count(case, "effects", run.sql.rows, JOBS + CRASHES);
    each_came_back(sheet, case, run);
    let ids = if run.twice == first.lost { "same ids" } else { "other ids" };
    format!("{} lost, {} twice, {ids}", count(run.sql.lost), count(run.sql.duplicated))
}

fn key_at_the_sink(sheet: &mut Sheet<'_>) -> String {
    let case = Case::KeyAtTheSink(DedupKey::Job);
    sheet.table(&[Lost, Once, Twice]);
    sheet.row("the page's crashed jobs", case, &figures::KEY_AT_THE_SINK);
    sheet.table(&[Recognised]);
    sheet.row("delivered again, to no effect", case, &[figures::RECOGNISED]);
    sheet.table(&[Twice]);
    for (key, page) in figures::KEY_TRY {
        let case = Case::KeyAtTheSink(key);
        sheet.row(made_of(key), case, &[page]);
        let Some(run) = sheet.run(case) else { continue };
        let (twice, recognised) = if page == 0 { (BTreeSet::new(), CRASHES) } else { (case.victims(), 0) };
        same(sheet, case, "its doubled jobs are those whose worker died, or none", &run.twice, &twice);
        sheet.demand_count(case, "were recognised", run.counters.dedup_hits, recognised);
        each_came_back(sheet, case, run);
    }
    let Some(run) = sheet.run(case) else { return String::new() };
    let (lost, twice, recognised) = (run.sql.lost, run.sql.duplicated, run.counters.dedup_hits);
    format!("{}, {}; {} recognised", count(lost), count(twice), count(recognised))
}

fn made_of(key: DedupKey) -> &'static str {
    match key {
        DedupKey::Job => "key = job id",
        DedupKey::Attempt => "key = job id + attempt",
        DedupKey::Random => "key = random for each attempt",
    }
}

/// Every window of block 4 with its longest delay and what escaped.
fn windows() -> impl Iterator<Item = (u32, u32, u64)> {
    let block = figures::WINDOWS.into_iter().map(|(window, page)| (window, LONGEST_DELAY, page));
    let tried = figures::WINDOWS_TRY
        .into_iter()
        .flat_map(|(delay, cells)| cells.into_iter().map(move |(window, page)| (window, delay, page)));
    block.chain(tried)
}

fn window_rows(sheet: &mut Sheet<'_>, wanted: fn(u32, u32) -> bool) {
    sheet.table(&[Escaped]);
    for (window, delay, page) in windows().filter(|(window, delay, _)| wanted(*window, *delay)) {
        let case = Case::Window { window, delay };
        sheet.expected_row(case.to_string(), case, page, figures::expected_escapes(window, delay));
        let Some(run) = sheet.run(case) else { continue };
        let victims = case.victims();
        sheet.demand(run.twice.is_subset(&victims), format!("{case}: only those whose worker died escape"));
        sheet.demand_count(case, "were recognised", run.counters.dedup_hits, CRASHES - page.min(CRASHES));
        sheet.demand_count(case, "were lost", run.sql.lost, 0);
        each_came_back(sheet, case, run);
    }
}

fn short_windows(sheet: &mut Sheet<'_>) -> String {
    window_rows(sheet, |window, delay| window < delay);
    let half = LONGEST_DELAY / 2;
    let Some(run) = sheet.run(Case::Window { window: half, delay: LONGEST_DELAY }) else { return String::new() };
    format!("{} at {} of {}", count(run.sql.duplicated), count(half.into()), count(LONGEST_DELAY.into()))
}

fn long_windows(sheet: &mut Sheet<'_>) -> String {
    window_rows(sheet, |window, delay| window >= delay);
    let case = Case::Window { window: LONGEST_DELAY, delay: LONGEST_DELAY };
    let Some(run) = sheet.run(case) else { return String::new() };
    format!("{} at {}", count(run.sql.duplicated), count(LONGEST_DELAY.into()))
}

fn two_writes(sheet: &mut Sheet<'_>) -> String {
    let (two, one) = figures::TWO_WRITES;
    sheet.table(&[Twice]);
    sheet.row("effect, then key: two writes", Case::EffectThenKey, &[two]);
    sheet.row("both in one transaction", Case::OneTransaction, &[one]);
    sheet.table(&[Lost, Twice]);
    let orders = [Case::KeyThenEffect, Case::EffectThenKey, Case::OneTransaction];
    let recognised = [CRASHES, 0, 0];
    for ((case, page), recognised) in orders.into_iter().zip(figures::ORDERS_TRY).zip(recognised) {
        sheet.row(case.to_string(), case, &page);
        let Some(run) = sheet.run(case) else { continue };
        let ids = |harmed: u64| if harmed == 0 { BTreeSet::new() } else { case.victims() };
        same(sheet, case, "the lost are those whose worker died, or none", &run.lost, &ids(page[0]));
        same(sheet, case, "its doubled jobs are those whose worker died, or none", &run.twice, &ids(page[1]));
        sheet.demand_count(case, "were recognised", run.counters.dedup_hits, recognised);
        each_came_back(sheet, case, run);
    }
    let Some(run) = sheet.run(Case::EffectThenKey) else { return String::new() };
    format!("{} twice", count(run.sql.duplicated))
}

fn leased(seconds: u32, renew: Renewal) -> Case {
    Case::Lease { seconds, renew }
}

/// The jobs whose work outlasts a lease.
fn outlasting(seconds: u32) -> BTreeSet<u32> {
    (0..).zip(figures::work_times()).filter(|(_, work)| *work > f64::from(seconds)).map(|(id, _)| id).collect()
}

/// What comes of leases that nobody renews in time. A job that outlasts its lease does so at both of its attempts: both
/// write, neither is let ack, and then it is dead.
fn slow_jobs_come_back(sheet: &mut Sheet<'_>, case: Case, seconds: u32) {
    let Some(run) = sheet.run(case) else { return };
    let slow = outlasting(seconds);
    let many = slow.len() as u64;
    same(sheet, case, "its doubled jobs are those that outlast the lease", &run.twice, &slow);
    sheet.demand_count(case, "were lost", run.sql.lost, 0);
    sheet.demand_count(case, "deliveries", run.counters.deliveries, JOBS + many);
    sheet.demand_count(case, "leases ran out", run.counters.expirations, 2 * many);
    sheet.demand_count(case, "acks were stale", run.counters.stale_acks, 2 * many);
    sheet.demand_count(case, "jobs were dead and applied", run.sql.dead_applied, many);
    sheet.demand_count(case, "renewals were accepted", run.counters.renewals, 0);
}

fn lease_rows(sheet: &mut Sheet<'_>, wanted: fn(u32) -> bool) {
    sheet.table(&[Twice]);
    for (seconds, page, ..) in figures::LEASES.into_iter().filter(|(seconds, ..)| wanted(*seconds)) {
        let case = leased(seconds, Renewal::Off);
        sheet.expected_row(case.to_string(), case, page, figures::expected_outlasting(seconds));
        slow_jobs_come_back(sheet, case, seconds);
    }
}

fn short_leases(sheet: &mut Sheet<'_>) -> String {
    lease_rows(sheet, |seconds| seconds < 60);
    let Some(run) = sheet.run(leased(5, Renewal::Off)) else { return String::new() };
    format!("{} at 5 s", count(run.sql.duplicated))
}

fn long_leases(sheet: &mut Sheet<'_>) -> String {
    lease_rows(sheet, |seconds| seconds >= 60);
    let runs = (sheet.run(leased(60, Renewal::Off)), sheet.run(leased(300, Renewal::Off)));
    let (Some(minute), Some(long)) = runs else { return String::new() };
    format!("{} at 60 s, {} at 300 s", count(minute.sql.duplicated), count(long.sql.duplicated))
}

fn renewal(sheet: &mut Sheet<'_>) -> String {
    let mut doubled = 0;
    let mut made = false;
    sheet.table(&[Twice]);
    for (seconds, _, page, _) in figures::LEASES {
        let case = leased(seconds, Renewal::Third);
        sheet.row(format!("lease {seconds} s, renewed at a third"), case, &[page]);
        let Some(run) = sheet.run(case) else { continue };
        (made, doubled) = (true, doubled + run.sql.duplicated);
        sheet.demand_count(case, "deliveries", run.counters.deliveries, JOBS);
        sheet.demand_count(case, "leases ran out", run.counters.expirations, 0);
        sheet.demand_count(
            case,
            "acks and renewals were stale",
            run.counters.stale_acks + run.counters.stale_renewals,
            0,
        );
        sheet.demand(run.counters.renewals > 0, format!("{case}: leases were renewed"));
        sheet.demand_count(case, "jobs were applied once", run.sql.once, JOBS);
    }
    sheet.table(&[Twice]);
    for (seconds, _, _, page) in figures::LEASES {
        let case = leased(seconds, Renewal::Double);
        let label = format!("lease {seconds} s, renewed at twice");
        sheet.finding_row(label, case, page, figures::expected_outlasting(seconds));
        slow_jobs_come_back(sheet, case, seconds);
    }
    match (made, doubled) {
        (false, _) => String::new(),
        (true, 0) => "0 at every lease, measured".to_owned(),
        (true, n) => format!("{} over all leases", count(n)),
    }
}

fn assembly(sheet: &mut Sheet<'_>) -> String {
    sheet.table(&[Lost, Once, Twice]);
    let designs = [
        ("at-most-once", Case::AckFirst),
        ("at-least-once", Case::AckLast),
        ("dedup, non-transactional", Case::EffectThenKey),
        ("dedup, transactional", Case::KeyAtTheSink(DedupKey::Job)),
    ];
    let mut right = Vec::new();
    for ((label, case), page) in designs.into_iter().zip(figures::ASSEMBLY) {
        sheet.row(label, case, &page);
        let Some(run) = sheet.run(case) else { continue };
        right.extend((run.sql.once == JOBS).then_some(label));
    }
    match right[..] {
        [] => "none is right".to_owned(),
        [one] if one == designs[3].0 => "only the last is right".to_owned(),
        _ => format!("right: {}", right.join("; ")),
    }
}

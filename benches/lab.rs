//! The lab beside what it is measured against. `onceish bench` prints the same pairs as ratios.

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use onceish::cli::measure;
use onceish::policy::Dedup;
use onceish::recording::Player;
use onceish::setup::{Setup, Synchronous};
use onceish::sink::Target;
use onceish::sink::bare::bare_loop;

/// Jobs of one measured run of the sink: long enough that starting threads does not count.
const JOBS: u32 = 20_000;

/// Time for `n` repetitions of a run of `jobs` at `rate` jobs a second.
fn time_at(rate: f64, jobs: u32, n: u64) -> Duration {
    Duration::from_secs_f64(n as f64 * f64::from(jobs) / rate)
}

fn effects(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("effects committed, one transaction a job");
    group.throughput(Throughput::Elements(u64::from(JOBS))).sample_size(10);
    group.bench_function("bare loop, one connection", |bencher| {
        bencher.iter_custom(|n| {
            let bare = || bare_loop(Target::Temporary, Dedup::Transactional, Synchronous::Normal, JOBS);
            (0..n).map(|_| time_at(bare().expect("a temporary file"), JOBS, 1)).sum()
        });
    });
    for workers in [1, 2, 4, 8] {
        group.bench_function(format!("whole lab, {workers} workers"), |bencher| {
            bencher.iter_custom(|n| {
                let lab = || measure::lab(Dedup::Transactional, workers, JOBS).expect("a temporary file");
                (0..n).map(|_| time_at(lab().effects, JOBS, 1)).sum()
            });
        });
    }
    group.finish();
}

fn queue(criterion: &mut Criterion) {
    const JOBS: u32 = 200_000;
    let mut group = criterion.benchmark_group("queue alone");
    group.throughput(Throughput::Elements(u64::from(JOBS))).sample_size(10);
    for threads in [1, 8] {
        group.bench_function(format!("claim, ack and end, {threads} threads"), |bencher| {
            bencher.iter_custom(|n| (0..n).map(|_| time_at(measure::queue_alone(threads, JOBS), JOBS, 1)).sum());
        });
    }
    group.finish();
}

fn simulation(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("virtual time");
    group.throughput(Throughput::Elements(u64::from(JOBS))).sample_size(10);
    group.bench_function("bare loop in memory", |bencher| {
        bencher.iter_custom(|n| {
            let bare = || bare_loop(Target::Memory, Dedup::Transactional, Synchronous::Normal, JOBS);
            (0..n).map(|_| time_at(bare().expect("memory"), JOBS, 1)).sum()
        });
    });
    group.bench_function("whole model, 8 workers", |bencher| {
        bencher.iter_custom(|n| {
            let simulated = || measure::virtually::jobs_simulated(Dedup::Transactional, JOBS).expect("memory");
            (0..n).map(|_| time_at(simulated(), JOBS, 1)).sum()
        });
    });
    group.finish();
}

fn board(criterion: &mut Criterion) {
    let mut setup = Setup::headless(1);
    setup.workload.jobs = Some(20_000);
    let events = measure::events_of(setup).expect("a temporary file");
    let mut group = criterion.benchmark_group("board");
    group.throughput(Throughput::Elements(events.len() as u64)).sample_size(20);
    group.bench_function("fold, invariants checked", |bencher| bencher.iter(|| measure::fold(&events)));
    group.finish();
}

fn screen(criterion: &mut Criterion) {
    let board = measure::dense_board().expect("memory");
    let look = measure::plain_look();
    let mut group = criterion.benchmark_group("screen");
    group.bench_function("one full screen, 200x50", |bencher| {
        bencher.iter(|| onceish::tui::paint(&board, board.now(), onceish::tui::Showing::live(&board), 200, 50, look));
    });
    group.finish();
}

fn recordings(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("long.jsonl");
    measure::recorded::write(&path, 125_000).expect("a temporary file");
    let mut group = criterion.benchmark_group("a recording of a million events");
    group.sample_size(10);
    group.bench_function("open", |bencher| bencher.iter(|| Player::open(&path).expect("whole")));
    let mut player = Player::open(&path).expect("whole");
    let (mut n, len) = (0_usize, player.len());
    group.bench_function("go to any place", |bencher| {
        bencher.iter(|| {
            n = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
            player.show(n % len).expect("unchanged");
        });
    });
    group.finish();
}

criterion_group!(benches, effects, recordings, simulation, queue, board, screen);
criterion_main!(benches);

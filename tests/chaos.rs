//! Every fault at any moment, in any combination, and all of it reversible: random actions on a running lab.

mod support;

use onceish::event::{Finish, What};
use onceish::setup::Poison;
use onceish::time::Span;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use support::{Ended, lab};

const WORKERS: u16 = 4;
const ACTIONS: usize = 150;

/// Something that an operator might do next.
fn some_action(random: &mut impl Rng) -> String {
    let who = match random.random_range(0..6) {
        0 => "all".to_owned(),
        1 => "random".to_owned(),
        _ => format!("w{}", random.random_range(1..=WORKERS)),
    };
    let point = ["claim", "ack", "work", "check", "effect", "key", "commit"].choose(random).expect("some");
    let dedup = ["none", "effect-then-key", "key-then-effect", "transactional", "window:50", "ttl:2s", "per-worker"];
    let dedup = dedup.choose(random).expect("some");
    let millis = random.random_range(10..400);
    match random.random_range(0..24) {
        0 | 1 => format!("kill {who}"),
        2 | 3 => format!("kill {who} at {point}"),
        4 => format!("disarm {who}"),
        5 => format!("stall {who} for {millis}ms"),
        6 => format!("pause {who} for {millis}ms"),
        7 => format!("hang {who} for {millis}ms"),
        8 => format!("cut {who} queue for {millis}ms"),
        9 => format!("cut {who} sink for {millis}ms"),
        10 => format!("slow {who} x3 for {millis}ms"),
        11 => format!("pause {who}"),
        12 => format!("cut {who} queue"),
        13 | 14 => "heal all".to_owned(),
        15 => format!("lose {} 20%", ["beats", "acks", "replies"].choose(random).expect("some")),
        16 => format!("restart {who}"),
        17 => format!("dedup {dedup}"),
        18 => format!("ack {}", ["before", "after"].choose(random).expect("some")),
        19 => format!("fence {}", ["on", "off"].choose(random).expect("some")),
        20 => format!("order {}", ["none", "key"].choose(random).expect("some")),
        21 => format!("attempts {}", ["1", "2", "5", "unlimited"].choose(random).expect("some")),
        22 => ["redrive all", "poison fail", "poison crash", "enqueue 5"].choose(random).expect("some").to_string(),
        _ => [
            "stop",
            "go",
            "step",
            "jump",
            "speed 5",
            "on-lost-lease abort",
            "on-lost-lease continue",
            "key attempt",
            "key job",
        ]
        .choose(random)
        .expect("some")
        .to_string(),
    }
}

fn storm(seed: u64) -> Ended {
    let run = lab(600)
        .workers(WORKERS)
        .work("20ms~50%")
        .with("lease 500ms, backoff 50ms")
        .poison(3, Poison::Crash)
        .respawn(Some(Span::millis(50)))
        .speed(5.0)
        .change(|setup| setup.seed = seed)
        .interactive()
        .start();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    for said in 1..=ACTIONS {
        let action = some_action(&mut random);
        run.act(&action);
        run.when(&action, |events| {
            events.iter().filter(|event| matches!(event.what, What::Action { .. })).count() >= said
        });
    }
    let calm = ["go", "heal all", "lose beats 0", "lose acks 0", "lose replies 0", "disarm all", "attempts 3"];
    for action in calm {
        run.act(action);
    }
    run.act("restart all");
    let mut calmed = None;
    run.when("all is settled after the storm", |events| {
        let is = |what: &What, text: &str| matches!(what, What::Action { text: said, .. } if &**said == text);
        calmed = calmed.or_else(|| events.iter().rposition(|event| is(&event.what, "restart all")));
        let settled = events.iter().rposition(|event| event.what == What::Drained);
        let claimed = events.iter().rposition(|event| matches!(event.what, What::Claimed { .. }));
        calmed.is_some() && settled > calmed.max(claimed)
    });
    run.quit()
}

/// What must hold whatever was done. The support has both witnesses agree, and every delivery end once.
fn check(seed: u64) {
    let ended = storm(seed);
    assert_eq!(ended.how, Finish::Quit, "seed {seed}");
    let counts = ended.counts();
    let fates = counts.once + counts.duplicated + counts.lost + (counts.dead - counts.dead_applied) + counts.pending;
    assert_eq!(fates, counts.enqueued, "seed {seed}: every job has exactly one fate");
    assert_eq!(counts.pending, 0, "seed {seed}: all is settled");
    assert_eq!(ended.sql("SELECT count(*) FROM jobs WHERE state NOT IN ('done', 'dead')"), 0, "seed {seed}");
    assert_eq!(ended.sql("SELECT count(*) FROM effects WHERE job NOT IN (SELECT job FROM jobs)"), 0, "seed {seed}");
}

#[test]
fn whatever_is_done_to_a_lab_every_job_has_one_fate_and_both_witnesses_agree() {
    (0..4).for_each(check);
}

#[test]
#[ignore = "the long form: sixty storms"]
fn sixty_storms_leave_every_job_with_one_fate() {
    (100..160).for_each(check);
}

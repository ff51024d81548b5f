//! The grammar of actions as a table: what palettes complete, help lists, and the parser knows its first words from.

/// One kind of action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verb {
    /// Its first word.
    pub name: &'static str,
    /// How it is written, with W for a worker (wN, random or all), D for a duration and [ ] around what may be left out.
    pub form: &'static str,
    /// What it does, in a few words.
    pub does: &'static str,
}

const fn verb(name: &'static str, form: &'static str, does: &'static str) -> Verb {
    Verb { name, form, does }
}

/// Every kind of action: faults first, then jobs, settings, time.
pub const VERBS: &[Verb] = &[
    verb("kill", "kill W [at POINT]", "the worker dies now, or when it passes the point"),
    verb("disarm", "disarm W", "takes an armed kill back"),
    verb("stall", "stall W [for D]", "renewals stop; work, effect and ack go on"),
    verb("pause", "pause W [for D]", "work and renewals stop; the lease goes on"),
    verb("hang", "hang W [for D]", "the work stops; renewals go on"),
    verb("cut", "cut W queue|sink [for D]", "no message passes between the worker and the queue or the sink"),
    verb("slow", "slow W [xN] [for D]", "work takes N times as long, 4 unless said"),
    verb("lose", "lose beats|acks|replies P", "such messages are lost with probability P"),
    verb("heal", "heal W [FAULT]", "ends a fault, or all faults of the worker"),
    verb("restart", "restart W", "brings a dead worker back now"),
    verb("enqueue", "enqueue N", "adds N jobs"),
    verb("poison", "poison fail|crash|panic", "adds a job that always fails, kills its worker, or panics"),
    verb("redrive", "redrive JOB|all", "puts dead letters back with a fresh budget"),
    verb("ack", "ack before|after", "where the ack goes"),
    verb("dedup", "dedup NAME", "how a duplicate is recognised"),
    verb("key", "key job|attempt|random", "what the dedup key is made of"),
    verb("lease", "lease D", "how long one delivery is leased"),
    verb("renew", "renew off|1/3|2x|D", "when the lease is renewed"),
    verb("attempts", "attempts N|unlimited", "how often a job may be started"),
    verb("order", "order none|key", "which jobs wait for each other"),
    verb("on-dead", "on-dead skip|block", "what happens to a key whose head is dead-lettered"),
    verb("on-lost-lease", "on-lost-lease continue|abort", "what a worker does that lost its lease"),
    verb("fence", "fence on|off", "whether the sink refuses the writes of zombies"),
    verb("backoff", "backoff BASE[,FACTOR[,CAP]]", "the wait after a failure"),
    verb("stop", "stop", "stops time"),
    verb("go", "go", "lets time go"),
    verb("step", "step", "while time is stopped: one event on"),
    verb("speed", "speed X", "lab seconds in a second, 0.1 to 100"),
    verb("jump", "jump", "moves the clock to the next moment at which anything is due"),
    verb("mark", "mark TEXT", "sets a mark on the timeline"),
    verb("answer", "answer STEP TEXT", "answers the question of a lab's step"),
];

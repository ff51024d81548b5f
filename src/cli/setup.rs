//! From flags to the set-up of a run.
//!
//! All that is wrong is found at once, before a file is touched. What is legal but will teach something else than was
//! meant is a standing warning, which the report repeats.

use super::args::{CrewArgs, FaultArgs, PolicyArgs, RunArgs, WorkloadArgs};
use crate::policy::{Policy, Switch};
use crate::setup::{Setup, check};

/// A set-up that passed all checks.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// What the run starts with.
    pub setup: Setup,
    /// What its reader should know, in sentences.
    pub warnings: Vec<String>,
}

/// Puts the flags over the defaults of their mode and checks the whole. `draw_seed` is asked only when no seed was
/// given. The error holds a line for each thing that is wrong.
pub fn prepare(args: &RunArgs, draw_seed: impl FnOnce() -> u64) -> Result<Prepared, Vec<String>> {
    let seed = args.running.seed.unwrap_or_else(draw_seed);
    let mut setup = if args.output.is_headless() { Setup::headless(seed) } else { Setup::sandbox(seed) };
    put_policy(&args.policy, &mut setup.policy);
    put_workload(&args.workload, &mut setup);
    setup.crash.clone_from(&args.crash.crash);
    put_faults(&args.faults, &mut setup);
    put_crew(&args.crew, &mut setup);
    put_running(args, &mut setup);
    let errors = errors(&setup);
    if errors.is_empty() { Ok(Prepared { warnings: warnings(&setup), setup }) } else { Err(errors) }
}

/// Overwrites `place` when the flag was given.
fn put<T>(place: &mut T, given: Option<T>) {
    if let Some(value) = given {
        *place = value;
    }
}

/// Puts the flags of a policy over `policy`.
pub fn put_policy(given: &PolicyArgs, policy: &mut Policy) {
    put(&mut policy.fence, given.fence.then_some(Switch::On));
    put(&mut policy.ack, given.ack);
    put(&mut policy.dedup, given.dedup);
    put(&mut policy.key, given.key);
    put(&mut policy.lease, given.lease);
    put(&mut policy.renew, given.renew);
    put(&mut policy.attempts, given.max_attempts);
    put(&mut policy.on_lost_lease, given.on_lost_lease);
    put(&mut policy.order, given.order);
    put(&mut policy.on_dead, given.on_dead);
    put(&mut policy.values, given.values);
    put(&mut policy.backoff, given.backoff);
}

/// Puts the flags of a workload over that of `setup`.
pub fn put_workload(given: &WorkloadArgs, setup: &mut Setup) {
    let workload = &mut setup.workload;
    if given.jobs.is_some() || given.stream_for.is_some() {
        workload.jobs = given.jobs;
    }
    workload.stream_for = given.stream_for;
    put(&mut workload.rate, given.rate.map(Some));
    put(&mut workload.work, given.work);
    put(&mut workload.delay, given.delay);
    put(&mut workload.keys, given.keys);
    workload.poison = given.poison;
}

/// Puts the flags of the faults beside crashes over those of `setup`.
pub fn put_faults(given: &FaultArgs, setup: &mut Setup) {
    setup.fail.clone_from(&given.fail);
    put(&mut setup.lose_beats, given.lose_beats);
    put(&mut setup.lose_acks, given.lose_acks);
    put(&mut setup.lose_replies, given.lose_replies);
}

/// Puts the flags of the workers over those of `setup`.
pub fn put_crew(given: &CrewArgs, setup: &mut Setup) {
    put(&mut setup.workers, given.workers);
    put(&mut setup.respawn, given.respawn.map(|respawn| respawn.0));
    put(&mut setup.gap, given.gap);
}

fn put_running(args: &RunArgs, setup: &mut Setup) {
    let given = &args.running;
    put(&mut setup.speed, given.speed);
    put(&mut setup.idle_jump, given.idle_jump);
    put(&mut setup.synchronous, given.synchronous);
    put(&mut setup.driver, given.driver);
}

/// What cannot be, a line each.
pub fn errors(setup: &Setup) -> Vec<String> {
    check::mistakes(setup, "--").into_iter().map(|finding| finding.text).collect()
}

/// What is legal but will surprise, a sentence each.
pub fn warnings(setup: &Setup) -> Vec<String> {
    check::warnings(setup, "--").into_iter().map(|finding| finding.text).collect()
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::super::args::{Cli, Command, command};
    use super::*;
    use crate::policy::{AckOrder, Attempts, Dedup, OnDead, Ordering};
    use crate::setup::{Work, fields};
    use crate::time::Span;

    fn parsed(line: &str) -> RunArgs {
        let words = ["onceish", "run"].into_iter().chain(line.split_whitespace());
        let matches = command().try_get_matches_from(words).unwrap_or_else(|error| panic!("{line}: {error}"));
        match Cli::from_arg_matches(&matches).expect("matches").command {
            Some(Command::Run(args)) => *args,
            other => panic!("{line} is not a run: {other:?}"),
        }
    }

    fn set_up(line: &str) -> Setup {
        prepared(line).setup
    }

    fn prepared(line: &str) -> Prepared {
        prepare(&parsed(line), || 7).unwrap_or_else(|errors| panic!("{line}: {errors:?}"))
    }

    fn refused(line: &str) -> String {
        prepare(&parsed(line), || 7).expect_err(line).join("\n")
    }

    #[test]
    fn without_flags_a_run_has_the_defaults_of_its_mode() {
        assert_eq!(set_up("--headless"), Setup::headless(7));
        assert_eq!(set_up(""), Setup::sandbox(7));
        assert_eq!(set_up("--json --seed 249"), Setup::headless(249));
    }

    #[test]
    fn every_flag_reaches_the_setup() {
        let mut wanted = Setup::headless(13);
        wanted.policy.ack = AckOrder::Before;
        wanted.policy.dedup = Dedup::Window(500);
        wanted.policy.key = crate::policy::DedupKey::Attempt;
        wanted.policy.lease = Span::seconds(5);
        wanted.policy.renew = crate::policy::Renewal::Off;
        wanted.policy.attempts = Attempts::Unlimited;
        wanted.policy.on_lost_lease = crate::policy::OnLostLease::Abort;
        wanted.policy.order = Ordering::Key;
        wanted.policy.on_dead = OnDead::Block;
        wanted.policy.fence = Switch::On;
        wanted.policy.values = crate::policy::Values::Versioned;
        wanted.policy.backoff = "2s,3,40s".parse().expect("a backoff");
        wanted.workload.jobs = Some(20_000);
        wanted.workload.stream_for = Some(Span::seconds(60));
        wanted.workload.rate = Some(100.0);
        wanted.workload.work = Work::Around(Span::millis(20), 100);
        wanted.workload.delay = Span::seconds(1);
        wanted.workload.keys = 16;
        wanted.workload.poison = Some("3:crash".parse().expect("poison"));
        wanted.crash = vec!["page@ack".parse().expect("a strike"), "1%@work".parse().expect("a strike")];
        wanted.fail = vec!["ids:1,2@work".parse().expect("a strike")];
        wanted.lose_beats = "0.1".parse().expect("a rate");
        wanted.lose_acks = "0.2".parse().expect("a rate");
        wanted.lose_replies = "0.3".parse().expect("a rate");
        wanted.workers = 8;
        wanted.respawn = None;
        wanted.gap = Span::millis(1);
        wanted.speed = 2.5;
        wanted.idle_jump = Switch::Off;
        wanted.synchronous = crate::setup::Synchronous::Full;
        let line = "--headless --seed 13 --ack before --dedup window:500 --key attempt --lease 5s --renew off \
            --max-attempts unlimited --on-lost-lease abort --order key --on-dead block --fence --values versioned \
            --backoff 2s,3,40s --jobs 20000 --for 60s --rate 100 --work 20ms~10% --delay 1s --keys 16 \
            --poison 3:crash --crash page@ack --crash 1%@work --fail ids:1,2@work --lose-beats 10% --lose-acks 20% \
            --lose-replies 30% --workers 8 --respawn off --gap 1ms --speed 2.5 --idle-jump off --synchronous full \
            --driver threads";
        assert_eq!(set_up(line), wanted);
    }

    #[test]
    fn every_part_of_a_setup_that_files_know_is_a_flag_of_the_same_name() {
        let command = command();
        let run = command.find_subcommand("run").expect("there");
        let flags: Vec<&str> = run.get_arguments().filter_map(clap::Arg::get_long).collect();
        for field in fields::FIELDS {
            assert!(flags.contains(&field.name), "{} is no flag", field.name);
        }
        let apart = ["seed", "driver", "db", "headless", "plain", "json", "record", "theme", "ascii", "color", "help"];
        let left: Vec<&&str> = flags.iter().filter(|flag| fields::field(flag).is_none()).collect();
        assert!(left.iter().all(|flag| apart.contains(flag)), "{left:?}");
    }

    #[test]
    fn a_crash_point_that_cannot_occur_is_an_error_naming_those_that_can() {
        let refusal = refused("--headless --dedup none --crash page@key");
        assert!(refusal.contains("no worker stands at key"), "{refusal}");
        assert!(refusal.ends_with("the points are claim, work, effect, ack"), "{refusal}");
        assert!(refused("--headless --ack before --dedup none --fail 1%@check").contains("--fail 1%@check"));
        set_up("--headless --dedup transactional --crash page@commit");
    }

    #[test]
    fn poison_needs_a_number_of_jobs_and_no_more_than_there_are() {
        assert!(refused("--poison 2").contains("needs --jobs"));
        assert!(refused("--headless --jobs 5 --poison 6").contains("more than the 5 jobs"));
        set_up("--headless --jobs 5 --poison 5:panic");
    }

    #[test]
    fn all_that_is_wrong_is_said_at_once() {
        let refusal = refused("--headless --for 5s --poison 2 --dedup none --crash page@key --fail page@commit");
        assert_eq!(refusal.lines().count(), 4, "{refusal}");
    }

    #[test]
    fn a_stream_that_ends_by_time_has_as_many_jobs_as_arrive() {
        let setup = set_up("--headless --for 5s --rate 10");
        assert_eq!((setup.workload.jobs, setup.workload.rate), (None, Some(10.0)));
        assert!(refused("--headless --for 5s").contains("needs a --rate"));
    }

    #[test]
    fn a_renewal_later_than_the_lease_runs_with_a_standing_warning() {
        for line in ["--headless --renew 10s --lease 5s", "--headless --renew 2x", "--headless --renew 5s --lease 5s"] {
            let warnings = prepared(line).warnings;
            assert_eq!(warnings.len(), 1, "{line}: {warnings:?}");
            assert!(warnings[0].ends_with("every job longer than the lease will be redelivered"), "{warnings:?}");
        }
        assert!(prepared("--headless --renew 4s --lease 5s").warnings.is_empty());
        assert!(prepared("--headless --renew 2x --ack before").warnings.is_empty(), "no lease outlasts such an ack");
    }

    #[test]
    fn a_lease_too_short_for_a_busy_machine_is_warned_of() {
        assert!(prepared("--headless --lease 99ms").warnings[0].contains("99 ms on the wall clock"));
        assert!(prepared("--headless --lease 5s --speed 100").warnings[0].contains("50 ms on the wall clock"));
        assert!(prepared("--headless --lease 100ms").warnings.is_empty());
        assert!(
            prepared("--headless --lease 99ms --driver simulation").warnings.is_empty(),
            "no machine is waited for"
        );
    }

    #[test]
    fn a_list_that_names_jobs_beyond_the_stream_is_warned_of() {
        let warnings = prepared("--headless --jobs 10 --crash ids:3,10,11@work").warnings;
        assert_eq!(warnings, ["--crash at work names 2 of 3 jobs beyond --jobs 10"]);
    }
}

//! The story of a job: its lines, and the sentences that say why.

use super::{Script, seconds};
use crate::board::{Fate, Story};
use crate::event::{By, End, Fault, Reason, Spot, What};
use crate::ids::{Job, OrderKey, Token, Worker};
use crate::policy::Point;
use crate::setup::Poison;

fn story(script: &Script, job: u32) -> Story {
    script.board.story(Job(job)).expect("the job has a story")
}

fn lines(story: &Story) -> Vec<String> {
    let mut told = Vec::new();
    for part in &story.tries {
        told.push(part.title.clone());
        told.extend(part.lines.iter().map(|line| format!("{:.2}  {}", line.at.seconds(), line.text)));
    }
    told
}

/// w1 dies between its two writes and w2 does the job again.
fn two_writes() -> Script {
    let mut script = Script::under("dedup effect-then-key, lease 3s");
    script.enqueue(1).at(36.07).claim(1, 0).at(37.07).renew(1).at(38.07).renew(1);
    script.at(38.88).work(1).at(38.89).no_key(1).at(38.9).effect(1).killed_after(1, Point::Effect);
    script.at(41.07).expire(1).at(41.1).claim(2, 0).at(42.1).renew(2).at(43.1).renew(2);
    script.at(43.5).work(2).at(43.51).no_key(2).at(43.52).effect(2).at(43.53).key(2).at(43.54).done(2);
    script.at(43.9).back(1);
    script
}

#[test]
fn a_death_between_two_writes_is_told_as_the_screen_draws_it() {
    let story = story(&two_writes(), 0);
    assert_eq!(story.title, "job 0 was applied TWICE    2 tries   key 0");
    let told = lines(&story);
    let wanted = [
        "before any try",
        "0.00  enqueued",
        "try 1   w1   token 1",
        "36.07  claimed, lease to 39.07",
        "38.07  renewed 2 times, lease to 41.07",
        "38.89  asked the sink for key 0: not there",
        "38.90  wrote the effect, row 1",
        "38.90  killed after effect, by you (X d)",
        "41.07  lease ran out; 0 is ready again",
        "try 2   w2   token 2",
        "41.10  claimed, lease to 44.10",
        "43.10  renewed 2 times, lease to 46.10",
        "43.51  asked the sink for key 0: not there",
        "43.52  wrote the effect AGAIN, row 2",
        "43.53  wrote the key",
        "43.54  acked: done",
    ];
    assert_eq!(told, wanted);
    assert_eq!(
        story.why,
        "w1 wrote the effect and died before it wrote the key. Nobody acked, so 3 s after the last renewal the lease \
         ran out and the job went to w2. w2 asked for the key, found none, and did the work again."
    );
    assert_eq!(story.monitoring, "w1 down for 5.0 s, one redelivery, 0 errors.");
    assert_eq!(
        story.holds,
        "Effect and key in one transaction: press d, then t. Then, from its next job on, f repeats this kill."
    );
    assert!(!story.truncated);
}

#[test]
fn a_line_leads_to_its_place_in_the_log_and_to_its_worker() {
    let script = two_writes();
    for part in story(&script, 0).tries {
        for line in part.lines {
            let event = &script.events[line.seq as usize];
            assert_eq!(event.at, line.at, "{}", line.text);
            assert_eq!(event.what.worker(), line.worker, "{}", line.text);
        }
    }
}

/// Asserts that the story's end says these things.
#[track_caller]
fn says(script: &Script, why: &[&str], monitoring: &str, holds: &str) {
    let story = story(script, 0);
    for part in why {
        assert!(story.why.contains(part), "{:?} lacks {part:?}", story.why);
    }
    assert!(story.monitoring.contains(monitoring), "{:?} lacks {monitoring:?}", story.monitoring);
    assert!(story.holds.contains(holds), "{:?} lacks {holds:?}", story.holds);
    let length = |line: &&String| line.chars().count();
    let told: Vec<String> = story.tries.iter().flat_map(|part| &part.lines).map(|line| line.text.clone()).collect();
    let longest = told.iter().max_by_key(length).expect("lines");
    assert!(longest.chars().count() <= 48, "too long for the panel: {longest}");
    assert!(story.why.is_ascii() && story.monitoring.is_ascii() && story.holds.is_ascii());
}

const TRANSACTION: &str = "Effect and key in one transaction: press d, then t.";

#[test]
fn twice_without_dedup() {
    let mut script = Script::under("dedup none, lease 3s");
    script.enqueue(1).claim(1, 0).work(1).effect(1).killed_after(1, Point::Effect);
    script.at(3.0).expire(1).claim(2, 0).work(2).effect(2).done(2);
    says(
        &script,
        &["w1 wrote the effect and died before its ack.", "3 s after its claim the lease ran out", "Nothing here"],
        "one redelivery, 0 errors.",
        TRANSACTION,
    );
}

#[test]
fn twice_by_a_zombie_that_wrote_first() {
    for (fault, cause) in [
        (Fault::Stall, "its heartbeats were stalled."),
        (Fault::Pause, "it was asleep."),
        (Fault::CutQueue, "it was cut off from the queue."),
    ] {
        let mut script = Script::under("dedup none, lease 3s");
        script.enqueue(1).claim(1, 0).at(0.5).fault(1, fault).at(3.0).expire(1).claim(2, 0);
        script.at(5.0).heal(1, fault).work(1).effect(1).ack_stale(1).at(8.0).work(2).effect(2).done(2);
        says(
            &script,
            &["The lease of w1 ran out: ", cause, "w1 went on as a zombie and wrote the effect, while w2 had the job."],
            "w1 silent for 5.0 s, one redelivery, one late ack refused",
            "Then, from its next job on, f repeats this fault.",
        );
    }
}

#[test]
fn twice_by_a_zombie_that_wrote_last() {
    let mut script = Script::under("dedup none, lease 3s");
    script.enqueue(1).claim(1, 0).at(0.5).fault(1, Fault::Pause).at(3.0).expire(1).claim(2, 0);
    script.at(5.0).work(2).effect(2).done(2).at(6.0).heal(1, Fault::Pause).at(8.0).work(1).effect(1).ack_stale(1);
    says(
        &script,
        &["w2 got the job and applied it; w1 went on as a zombie and wrote as well."],
        "w1 silent for 8.0 s",
        TRANSACTION,
    );
    assert!(lines(&story(&script, 0)).contains(&"8.00  wrote the effect AGAIN, row 2".to_owned()));
}

#[test]
fn twice_by_work_that_outlasts_its_lease() {
    let mut script = Script::under("dedup none, lease 3s, renew off");
    script.enqueue(1).claim(1, 0).at(3.0).expire(1).claim(2, 0).at(5.0).work(1).effect(1).ack_stale(1);
    script.work(2).effect(2).done(2);
    says(&script, &["the work took longer than 3 s and nothing renewed it."], "one late ack refused", TRANSACTION);
    let mut script = Script::under("dedup none, lease 3s, renew 2x");
    script.enqueue(1).claim(1, 0).at(3.0).expire(1).claim(2, 0).at(5.0).work(1).effect(1).ack_stale(1);
    script.work(2).effect(2).done(2);
    says(&script, &["it lasts 3 s and the first renewal was due after 6 s."], "", TRANSACTION);
}

#[test]
fn twice_by_lost_renewals() {
    let mut script = Script::under("dedup none, lease 3s");
    script.enqueue(1).claim(1, 0);
    let (w, _, k) = script.hand(1);
    script.at(1.0).tell(What::BeatLost { w, k }).at(2.0).tell(What::BeatLost { w, k }).at(3.0).expire(1).claim(2, 0);
    script.at(4.0).work(1).effect(1).ack_stale(1).at(6.0).work(2).effect(2).done(2);
    says(&script, &["its renewals were lost on the way."], "", TRANSACTION);
    assert!(lines(&story(&script, 0)).contains(&"2.00  2 renewals lost on the way".to_owned()));
}

#[test]
fn renewals_are_told_together_whatever_happens_elsewhere_between_them() {
    let mut script = Script::under("dedup effect-then-key, lease 3s");
    script.enqueue(1).claim(1, 0).at(1.0).work(1).effect(1).killed_after(1, Point::Effect);
    script.at(3.0).expire(1).claim(2, 0).at(4.0).renew(2).back(1).at(5.0).renew(2).at(6.0).renew(2);
    let told = lines(&story(&script, 0));
    assert!(told.contains(&"6.00  renewed 3 times, lease to 9.00".to_owned()), "{told:?}");
}

#[test]
fn twice_by_a_lost_ack() {
    let mut script = Script::under("dedup none, lease 3s");
    script.enqueue(1).claim(1, 0).work(1).effect(1).ack_lost(1);
    script.at(3.0).expire(1).claim(2, 0).work(2).effect(2).done(2);
    says(
        &script,
        &["w1 wrote the effect and acked, but the ack was lost. The queue never heard it, so 3 s after its claim"],
        "One redelivery, 0 errors.",
        TRANSACTION,
    );
}

#[test]
fn twice_by_a_lost_answer_of_the_sink() {
    let mut script = Script::under("dedup effect-then-key, lease 3s");
    script.enqueue(1).claim(1, 0).work(1).no_key(1).effect(1).reply_lost(1).effect(1).key(1).done(1);
    says(&script, &["w1 wrote the effect and the sink's answer was lost."], "0 errors.", TRANSACTION);
}

#[test]
fn twice_by_two_that_asked_before_either_wrote() {
    let mut script = Script::under("dedup effect-then-key, lease 3s");
    script.enqueue(1).claim(1, 0).fault(1, Fault::Stall).at(3.0).expire(1).claim(2, 0).work(2).no_key(2);
    script.work(1).no_key(1).effect(1).key(1).ack_stale(1).effect(2).key(2).done(2);
    says(&script, &["w2 had asked for the key before w1 wrote it."], "", TRANSACTION);
}

#[test]
fn twice_by_a_window_that_forgot() {
    let mut script = Script::under("dedup window:1, lease 3s");
    script.enqueue(3).claim(1, 0).work(1).apply(1).ack_lost(1).whole_life(1, 1).whole_life(1, 2);
    script.at(3.0).expire_token(Worker(1), Job(0), Token(1)).claim(2, 0).work(2).apply(2).done(2);
    says(
        &script,
        &["w1 committed its effect and acked", "2 other ids had been taken in by then; the window keeps 1"],
        "",
        "Keys that are kept for good",
    );
}

#[test]
fn twice_by_a_ttl_that_ran_out() {
    let mut script = Script::under("dedup ttl:2s, lease 3s");
    script.enqueue(1).claim(1, 0).work(1).apply(1).ack_lost(1).at(3.0).expire(1).claim(2, 0).work(2).apply(2).done(2);
    says(&script, &["That was 3.0 s later, and the sink forgets an id after 2 s."], "", "Keys that are kept for good");
}

#[test]
fn twice_by_a_memory_that_died() {
    let mut script = Script::under("dedup per-worker, lease 3s");
    script.enqueue(1).claim(1, 0).work(1).effect(1).commit(1).remember(1).killed_after(1, Point::Key);
    let mut other = script.clone();
    script.at(3.0).expire(1).claim(2, 0).work(2).effect(2).commit(2).remember(2).done(2);
    says(&script, &["What w1 knew died with it, and w2 remembers only what it did itself."], "", "no death erases");
    other.at(3.0).expire(1).at(5.0).back(1).claim(1, 0).work(1).effect(1).commit(1).remember(1).done(1);
    says(&other, &["it knew nothing of its own first try."], "w1 down for 5.0 s", "no death erases");
}

#[test]
fn twice_by_a_key_that_never_matches() {
    for (key, sentence) in [
        ("attempt", "The key holds the number of the try, so no two tries share one."),
        ("random", "The key is drawn anew for each try, so it never matches."),
    ] {
        let mut script = Script::under(&format!("dedup transactional, lease 3s, key {key}"));
        script.enqueue(1).claim(1, 0).work(1).apply(1).killed_after(1, Point::Commit);
        script.at(3.0).expire(1).claim(2, 0).work(2).apply(2).done(2);
        says(&script, &[sentence], "", "type :key job.");
    }
}

#[test]
fn twice_over_a_switch() {
    let mut script = Script::under("dedup none, lease 3s");
    script.enqueue(1).claim(1, 0).work(1).effect(1).killed_after(1, Point::Effect).switch("dedup transactional");
    script.at(3.0).expire(1).claim(2, 0).work(2).apply(2).done(2);
    says(&script, &["w1 applied it without dedup, so w2 found no key of it."], "", "The policy in force now");
    let mut script = Script::under("dedup window:10, lease 3s");
    script.enqueue(1).claim(1, 0).work(1).apply(1).killed_after(1, Point::Commit).switch("dedup transactional");
    script.at(3.0).expire(1).claim(2, 0).work(2).apply(2).done(2);
    says(&script, &["w1 applied it under window:10; w2, under transactional, does not look there."], "", "");
}

#[test]
fn lost_by_an_early_ack() {
    let mut script = Script::under("ack before, dedup none");
    script.enqueue(1).claim(1, 0).ack(1).at(1.0).killed_at_work(1).at(6.0).back(1);
    says(
        &script,
        &["The ack came before the work, and then w1 died in work", "nobody looked again. The ledger has no row."],
        "w1 down for 5.0 s, 0 errors, and an ack: for the queue it is done.",
        "The ack after the effect: press a.",
    );
    assert_eq!(story(&script, 0).title, "job 0 was LOST    1 try   no key");
    let mut script = Script::under("ack before, dedup none");
    script.enqueue(1).claim(1, 0).ack(1).end(1, End::Failed("card declined".into()));
    says(&script, &["then w1 failed in the work."], "One error, and an ack: for the queue it is done.", "press a.");
}

#[test]
fn lost_by_a_key_without_its_effect() {
    let mut script = Script::under("dedup key-then-effect, lease 3s");
    script.enqueue(1).claim(1, 0).work(1).no_key(1).key(1).killed_after(1, Point::Key);
    script.at(3.0).expire(1).claim(2, 0).work(2).found(2).done(2);
    says(
        &script,
        &["w1 wrote the key and died before it wrote the effect.", "w2 found the key, took the job for done"],
        "one redelivery",
        TRANSACTION,
    );
}

#[test]
fn once_since_the_duplicate_was_recognised_or_rolled_back_or_harmless() {
    let mut script = Script::under("dedup transactional, lease 3s");
    script.enqueue(1).claim(1, 0).work(1).apply(1).killed_after(1, Point::Commit);
    script.at(3.0).expire(1).claim(2, 0).work(2).found(2).done(2);
    says(&script, &["w1 applied it and died before the ack. w2 found that it had been applied"], "", "It held.");
    let mut script = Script::under("dedup transactional, lease 3s");
    script.enqueue(1).claim(1, 0).work(1).killed_after(1, Point::Effect);
    script.at(3.0).expire(1).claim(2, 0).work(2).apply(2).done(2);
    says(&script, &["w1 died inside its transaction, so SQLite rolled it back."], "", "It held.");
    let mut script = Script::under("dedup none, lease 3s");
    script.enqueue(1).claim(1, 0).killed_at_work(1).at(3.0).expire(1).claim(2, 0).work(2).effect(2).done(2);
    says(&script, &["in the middle of the work when it died: a harmless retry. w2 applied it and acked."], "", "");
    let mut script = Script::under("dedup none, lease 3s, fence on");
    script.enqueue(1).claim(1, 0).fault(1, Fault::CutQueue).at(3.0).expire(1).claim(2, 0).work(2).effect(2).done(2);
    script.at(5.0).work(1).fenced(1);
    says(&script, &["The fence refused the late write of w1: a later try had written first."], "", "It held.");
    let mut script = Script::under("dedup none");
    script.enqueue(1).whole_life(1, 0);
    says(&script, &["It was handed out once, applied once and acked."], "0 errors.", "It held.");
}

#[test]
fn dead_after_its_tries() {
    let mut script = Script::under("dedup none, attempts 2");
    script.enqueue(1).claim(1, 0).work(1).fail(1).at(1.0).claim(2, 0).at(2.0).work(2).fail_for_good(2);
    says(&script, &["Both tries were used up; the last: \"card declined\"."], "2 errors", "R redrives it with a fresh");
    let mut script = Script::under("dedup none, lease 3s, attempts 1");
    let poison = Some(Poison::Crash);
    script.tell(What::Enqueued { j: Job(0), key: OrderKey(0), due: seconds(1.0), poison });
    script.at(1.0).claim(1, 0).end_by(1, End::Crashed(Spot::In(Point::Work)), Some(By::Poison)).died(1, By::Poison);
    script.at(4.0).expire(1).dead(0, Reason::Crashed(Spot::In(Point::Work)));
    says(
        &script,
        &["Its only try was used up; the last: w1 died in work."],
        "w1 down",
        "Nothing: poison fails every time.",
    );
    let told = lines(&story(&script, 0));
    assert_eq!(told[1], "0.00  enqueued, due at 1.00; poison: kills its worker");
    assert_eq!(
        told[told.len() - 3..],
        ["1.00  died in work (poison)", "4.00  lease ran out", "4.00  DEAD after try 1 of 1: its worker died",]
    );
}

#[test]
fn dead_and_applied_all_the_same() {
    let mut script = Script::under("dedup transactional, lease 3s, attempts 2");
    script.enqueue(1).claim(1, 0).work(1).apply(1).killed_after(1, Point::Commit);
    script.at(3.0).expire(1).claim(2, 0).work(2).found(2).killed_after(2, Point::Commit);
    script.at(6.0).expire(2).dead(0, Reason::Crashed(Spot::After(Point::Commit)));
    says(
        &script,
        &["Dead does not mean undone", "safe while key 0 is kept"],
        "w1 down, w2 down",
        "will be recognised.",
    );
    script.switch("dedup none");
    assert!(story(&script, 0).holds.starts_with("Leave it there"));
}

#[test]
fn a_job_under_way_says_what_is_still_to_come() {
    let mut script = Script::under("dedup effect-then-key, lease 3s");
    script.enqueue(2);
    assert_eq!(story(&script, 0).why, "It waits for a worker.");
    script.claim(1, 0);
    assert_eq!(story(&script, 0).why, "w1 is at it.");
    script.work(1).no_key(1).effect(1).killed_after(1, Point::Effect);
    says(
        &script,
        &["its worker is gone", "would apply it again: effect written, key not."],
        "",
        "Nothing is decided yet.",
    );
    let mut script = Script::under("ack before, dedup none");
    script.enqueue(1).claim(1, 0).ack(1);
    says(&script, &["if w1 dies now, it is lost."], "", "Nothing is decided yet.");
}

#[test]
fn a_fault_that_held_before_the_claim_is_part_of_the_story() {
    let mut script = Script::under("dedup none, lease 3s");
    script.enqueue(1).at(9.5).fault(1, Fault::Stall).fault_by(1, Fault::Slow, 3.0).at(10.0).claim(1, 0);
    let told = lines(&story(&script, 0));
    assert!(told.contains(&"9.50  heartbeats stalled (s) since 9.50".to_owned()), "{told:?}");
    assert!(told.contains(&"9.50  slowed x3 (F l) since 9.50".to_owned()), "{told:?}");
}

#[test]
fn a_job_that_never_came_has_no_story() {
    let mut script = Script::under("dedup none");
    assert!(script.enqueue(1).board.story(Job(1)).is_none());
    assert!(crate::board::Board::new().story(Job(0)).is_none());
}

#[test]
fn a_commit_that_failed_is_told_and_counts_for_nothing() {
    let mut script = Script::under("dedup transactional, lease 3s");
    script.enqueue(1).claim(1, 0).work(1).effect(1).key(1).undone(1).killed_at_work(1);
    script.at(3.0).expire(1).claim(2, 0).work(2).apply(2).done(2);
    let told = lines(&story(&script, 0));
    assert!(told.contains(&"0.00  the commit failed: nothing of it stands".to_owned()), "{told:?}");
    assert!(told.contains(&"3.00  committed effect and key, row 2".to_owned()), "not again: {told:?}");
    says(&script, &["w2 applied it and acked."], "", "It held.");
}

#[test]
fn a_job_whose_worker_died_under_its_lease_does_not_wait() {
    let mut script = Script::under("dedup none, lease 3s");
    script.enqueue(1).claim(1, 0).killed_at_work(1);
    assert!(story(&script, 0).title.contains("is leased, its worker is gone"), "{}", story(&script, 0).title);
    script.at(3.0).expire(1);
    assert!(story(&script, 0).title.contains("waits"), "{}", story(&script, 0).title);
}

/// The sentence that tells all of it.
fn brief(script: &Script) -> String {
    script.board.brief(Job(0)).expect("the job is told of")
}

#[test]
fn a_sentence_names_the_rows_and_the_workers() {
    assert_eq!(brief(&two_writes()), "w1 wrote row 1 and died after effect: w2 found no key and wrote row 2");
    let mut script = Script::under("dedup none, lease 3s");
    script.enqueue(1).claim(1, 0).work(1).effect(1).killed_after(1, Point::Effect);
    script.at(3.0).expire(1).claim(2, 0).work(2).effect(2).done(2);
    assert_eq!(brief(&script), "w1 wrote row 1 and died after effect: w2 wrote row 2");
}

#[test]
fn a_row_that_was_rolled_back_is_told_and_the_only_one_is_called_so() {
    let mut script = Script::under("dedup transactional, lease 3s");
    script.enqueue(1).claim(1, 0).work(1).killed_after(1, Point::Effect);
    script.at(3.0).expire(1).claim(2, 0).work(2).effect(2).key(2).done(2);
    assert_eq!(brief(&script), "w1 died inside the transaction, so its row was rolled back: w2 wrote the only row");
}

#[test]
fn a_job_that_was_acked_first_and_lost_is_told_as_that() {
    let mut script = Script::under("ack before, dedup none, lease 3s");
    script.enqueue(1).claim(1, 0).ack(1).killed_after(1, Point::Ack);
    assert_eq!(brief(&script), "w1 acked first and died after ack");
    assert_eq!(script.board.outcome(Job(0)), Some(Fate::Lost));
}

#[test]
fn what_is_not_settled_has_no_outcome_yet() {
    let mut script = Script::under("dedup none, lease 3s");
    assert_eq!(script.board.outcome(Job(0)), None, "it has not arrived");
    script.enqueue(1).claim(1, 0).work(1).effect(1);
    assert_eq!(script.board.outcome(Job(0)), None, "it may yet be applied again");
    script.killed_after(1, Point::Effect).at(3.0).expire(1).claim(2, 0).work(2).effect(2);
    assert_eq!(script.board.outcome(Job(0)), Some(Fate::Twice), "nothing undoes it, be it acked or not");
    let mut script = Script::under("dedup none, lease 3s");
    script.enqueue(1).claim(1, 0).work(1).effect(1).done(1);
    assert_eq!(script.board.outcome(Job(0)), Some(Fate::Once));
}

//! Memory stays bounded however long a run is, and what is shown of it stays true.

use super::Script;
use crate::event::What;
use crate::ids::Job;

#[test]
fn the_latest_events_are_kept_and_the_rest_is_forgotten() {
    let mut script = Script::under("dedup none");
    script.enqueue(15_000);
    for job in 0..2_000 {
        script.whole_life(1, job);
    }
    let recent = script.board.recent();
    assert_eq!(recent.len(), 20_000);
    assert_eq!(recent.back().expect("events").0 + 1, script.board.seq());
    assert_eq!(recent.front().expect("events").0, script.board.seq() - 20_000);
}

#[test]
fn a_harmless_life_is_told_as_long_as_it_is_recent() {
    let mut script = Script::under("dedup none, lease 3s");
    script.enqueue(6_000).whole_life(1, 0);
    assert!(script.board.story(Job(0)).expect("recent").tries.len() == 2);
    for job in 1..6_000 {
        script.whole_life(1, job);
    }
    assert!(script.board.story(Job(0)).is_none());
}

#[test]
fn a_job_that_came_to_harm_keeps_its_story() {
    let mut script = Script::under("dedup none, lease 3s");
    script.enqueue(6_000).claim(1, 0).work(1).effect(1).ack_lost(1).at(3.0).expire(1);
    script.claim(1, 0).work(1).effect(1).done(1);
    for job in 1..6_000 {
        script.whole_life(1, job);
    }
    let story = script.board.story(Job(0)).expect("it is kept");
    assert!(story.title.contains("TWICE") && !story.truncated);
}

#[test]
fn anomalies_and_stories_are_bounded_and_counters_are_not() {
    let mut script = Script::under("dedup none, lease 3s");
    script.enqueue(10_050);
    for job in 0..10_050 {
        script.claim(1, job).work(1).effect(1).reply_lost(1).effect(1).done(1);
    }
    assert_eq!(script.board.counters().duplicated, 10_050);
    assert_eq!(script.board.harm().twice.len(), 10_050);
    assert_eq!(script.board.anomalies().len(), 10_000);
    assert_eq!(script.board.anomalies_in_all(), 10_050);
    assert_eq!(script.board.anomalies()[0].job, Job(50));
    assert!(script.board.story(Job(49)).is_none());
    assert!(script.board.story(Job(50)).is_some());
}

#[test]
fn a_job_without_end_has_a_story_that_begins_late() {
    let mut script = Script::under("dedup none, attempts unlimited");
    script.enqueue(1);
    for n in 0..300 {
        script.at(f64::from(n)).claim(1, 0).work(1).fail(1);
    }
    let story = script.board.story(Job(0)).expect("it is under way");
    assert!(story.truncated);
    let last = story.tries.last().expect("tries");
    assert_eq!(last.title, "try 300   w1   token 300");
    assert!(story.tries.len() <= 101, "four events a try, 400 in all: {}", story.tries.len());
}

#[test]
fn renewals_without_end_take_one_line() {
    let mut script = Script::under("dedup none, lease 3s");
    script.enqueue(1).claim(1, 0);
    for n in 0..1_000 {
        script.at(f64::from(n)).renew(1);
    }
    let story = script.board.story(Job(0)).expect("it is under way");
    assert_eq!(story.tries[1].lines.len(), 2);
    assert_eq!(story.tries[1].lines[1].text, "renewed 1000 times, lease to 1002.00");
}

#[test]
fn fifty_thousand_open_jobs_are_followed_and_no_more() {
    let mut script = Script::under("dedup none");
    script.enqueue(50_010);
    for job in 0..50_010 {
        script.claim(1, job).work(1).effect(1).ack_lost(1);
    }
    assert!(script.board.story(Job(0)).is_some());
    assert!(!script.board.story(Job(0)).expect("it is followed").truncated);
    script.at(40.0);
    for job in 0..50_010 {
        let k = crate::ids::Token(u64::from(job) + 1);
        script.tell(What::Expired { w: crate::ids::Worker(1), j: Job(job), k });
    }
    let late = script.board.story(Job(50_005)).expect("its expiry is recent");
    assert!(late.truncated);
    script.claim(1, 50_005).work(1).effect(1).done(1);
    let late = script.board.story(Job(50_005)).expect("recent, and applied twice");
    assert!(late.title.contains("TWICE"));
    assert!(!late.why.is_empty());
}

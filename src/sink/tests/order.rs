//! Fences, and the values of order keys: who may write after whom.

use super::desk::{Notes, delivery, effects, number, store};
use crate::ids::{OrderKey, Row};
use crate::policy::{Dedup, Values};
use crate::request::Transacted::{Applied, Fenced};
use crate::request::{Fact, Session, Sink, Transacted, Transaction};

/// What came of `transaction`, and what the host was told.
fn told(session: &mut dyn Session, transaction: &Transaction) -> (Transacted, Vec<Fact>) {
    let mut notes = Notes::default();
    let came = session.transact(transaction, &mut notes).expect("the sink works");
    (came, notes.facts)
}

fn fenced(mut transaction: Transaction) -> Transaction {
    transaction.fence = true;
    transaction
}

#[test]
fn an_older_token_is_refused_after_a_newer_one_wrote_and_nothing_of_it_stands() {
    let store = store();
    let mut session = store.session().expect("a session");
    let zombie = fenced(delivery(1, 5, Dedup::None).bracket());
    let successor = fenced(delivery(1, 8, Dedup::None).bracket());
    assert_eq!(told(&mut *session, &successor).0, Applied);
    assert_eq!(told(&mut *session, &zombie), (Fenced, vec![Fact::Fenced]));
    assert_eq!(effects(&store), 1);
    assert_eq!(number(store.path(), "SELECT token FROM fences WHERE job = 1"), 8);
}

#[test]
fn a_zombie_that_writes_before_its_successor_is_rightly_accepted() {
    let store = store();
    let mut session = store.session().expect("a session");
    for token in [5, 8] {
        assert_eq!(told(&mut *session, &fenced(delivery(1, token, Dedup::None).bracket())).0, Applied);
    }
    assert_eq!(effects(&store), 2);
}

#[test]
fn the_fence_is_checked_in_each_of_two_writes() {
    let store = store();
    let mut session = store.session().expect("a session");
    let [_, effect, key] = delivery(1, 5, Dedup::EffectThenKey).transactions().try_into().expect("three");
    assert_eq!(told(&mut *session, &fenced(effect)).0, Applied);
    assert_eq!(told(&mut *session, &fenced(delivery(1, 8, Dedup::None).bracket())).0, Applied);
    assert_eq!(told(&mut *session, &fenced(key)), (Fenced, vec![Fact::Fenced]));
    assert_eq!(number(store.path(), "SELECT count(*) FROM keys"), 0);
}

#[test]
fn one_delivery_passes_its_own_fence_with_both_its_writes() {
    let store = store();
    let mut session = store.session().expect("a session");
    for step in delivery(1, 5, Dedup::EffectThenKey).transactions() {
        assert_eq!(told(&mut *session, &fenced(step)).0, Applied);
    }
}

#[test]
fn a_token_of_one_job_does_not_fence_another() {
    let store = store();
    let mut session = store.session().expect("a session");
    assert_eq!(told(&mut *session, &fenced(delivery(1, 8, Dedup::None).bracket())).0, Applied);
    assert_eq!(told(&mut *session, &fenced(delivery(2, 5, Dedup::None).bracket())).0, Applied);
}

#[test]
fn a_rolled_back_write_leaves_no_token_behind() {
    let store = store();
    let mut session = store.session().expect("a session");
    let mut failing = fenced(delivery(1, 8, Dedup::Transactional).bracket());
    failing.fails_after = Some(crate::policy::Point::Effect);
    assert_eq!(told(&mut *session, &failing), (Transacted::Failed, vec![]));
    assert_eq!(told(&mut *session, &fenced(delivery(1, 5, Dedup::Transactional).bracket())).0, Applied);
}

/// Writes the effects of jobs 1, 5 and 3, which all have the order key 1, and tells the facts beside each row.
fn one_five_three(values: Values) -> (Vec<Vec<Fact>>, i64, i64) {
    let store = store();
    let mut session = store.session().expect("a session");
    let mut facts = Vec::new();
    for job in [1, 5, 3] {
        let mut effect = delivery(job, 1, Dedup::None).bracket();
        effect.values = values;
        let (came, mut told) = told(&mut *session, &effect);
        assert_eq!((came, told.remove(0)), (Applied, Fact::Effect(Row(i64::try_from(facts.len()).expect("few") + 1))));
        facts.push(told);
    }
    let value = "SELECT coalesce((SELECT job FROM key_values WHERE order_key = 1), -1)";
    (facts, number(store.path(), value), effects(&store))
}

#[test]
fn last_write_lets_an_older_job_overtake() {
    let overtaken = vec![Fact::Overtaken(OrderKey(1))];
    assert_eq!(one_five_three(Values::LastWrite), (vec![vec![], vec![], overtaken], 3, 3));
}

#[test]
fn versioned_refuses_the_older_value_and_lets_its_row_stand() {
    let outdated = vec![Fact::Outdated(OrderKey(1))];
    assert_eq!(one_five_three(Values::Versioned), (vec![vec![], vec![], outdated], 5, 3));
}

#[test]
fn without_values_none_is_kept() {
    assert_eq!(one_five_three(Values::Off), (vec![vec![], vec![], vec![]], -1, 3));
}

#[test]
fn a_job_that_is_applied_again_does_not_overtake_itself() {
    let store = store();
    let mut session = store.session().expect("a session");
    for token in 1..=2 {
        let mut effect = delivery(1, token, Dedup::None).bracket();
        effect.values = Values::LastWrite;
        assert_eq!(told(&mut *session, &effect).1.len(), 1, "only the row");
    }
}

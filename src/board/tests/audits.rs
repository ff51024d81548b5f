//! Two witnesses: SQL up to a row beside the board at that row, and both at the end.

use super::Script;
use crate::board::AuditView;
use crate::event::What;
use crate::ids::Row;
use crate::policy::Point;
use crate::request::{FinalCounts, RowCounts};

fn audit(script: &Script) -> AuditView {
    script.board.truth(script.now()).audit.expect("an audit was made").0
}

/// Three jobs applied once each and one of them again: rows 1 to 4.
fn four_rows() -> Script {
    let mut script = Script::under("dedup none, lease 3s");
    script.enqueue(3).claim(1, 0).work(1).effect(1).ack_lost(1);
    script.whole_life(1, 1).at(3.0).expire_token(crate::ids::Worker(1), crate::ids::Job(0), crate::ids::Token(1));
    script.claim(2, 0).work(2).effect(2).done(2).whole_life(1, 2);
    script
}

#[test]
fn the_board_is_compared_at_the_row_that_sql_reached() {
    let mut script = four_rows();
    assert_eq!(script.board.counters().effects, 4);
    script.audit(2, 2, 2);
    assert_eq!(audit(&script).board, RowCounts { row: Row(2), rows: 2, jobs: 2 }, "the board is two rows ahead");
    assert!(script.board.witnesses_agree());
    script.audit(3, 3, 2).audit(4, 4, 3);
    assert!(script.board.witnesses_agree(), "row 3 is a second effect, row 4 a third job");
}

#[test]
fn a_row_that_only_one_witness_saw_is_a_difference_for_good() {
    for (row, rows, jobs) in [(4, 5, 3), (4, 4, 4), (4, 3, 3), (3, 4, 3)] {
        let mut script = four_rows();
        script.audit(row, rows, jobs);
        assert!(!script.board.witnesses_agree(), "{rows} rows and {jobs} jobs up to row {row}");
        script.audit(4, 4, 3);
        assert!(!script.board.witnesses_agree());
    }
}

#[test]
fn an_audit_with_nothing_new_agrees_again() {
    let mut script = four_rows();
    script.audit(4, 4, 3).audit(4, 4, 3);
    assert!(script.board.witnesses_agree());
    let empty = Script::under("dedup none").audit(0, 0, 0).board.witnesses_agree();
    assert!(empty);
}

#[test]
fn rows_of_a_database_that_had_some_begin_above_them() {
    let mut script = Script::under("dedup none");
    script.enqueue(2).claim(1, 0).work(1);
    let (w, j, k) = script.hand(1);
    script.tell(What::Effect { w, j, k, row: Row(5_001) });
    script.audit(5_001, 1, 1);
    assert!(script.board.witnesses_agree());
}

#[test]
fn a_row_that_was_taken_back_may_be_given_out_again() {
    let mut script = Script::under("dedup transactional");
    script.enqueue(1).claim(1, 0).work(1);
    let (w, j, k) = script.hand(1);
    let effect = What::Effect { w, j, k, row: Row(1) };
    script.tell(effect.clone()).key(1).undone(1).tell(effect).key(1);
    script.commit(1).done(1).audit(1, 1, 1);
    assert!(script.board.witnesses_agree());
}

#[test]
fn the_final_counts_of_both_witnesses_are_compared_one_by_one() {
    let mut script = Script::under("ack before, dedup none");
    script.enqueue(2).claim(1, 0).ack(1).killed_after(1, Point::Ack);
    script.claim(2, 1).ack(2).work(2).effect(2).end(2, crate::event::End::Done);
    let counts = FinalCounts { enqueued: 2, rows: 1, applied: 1, once: 1, lost: 1, ..FinalCounts::default() };
    let mut agreed = script.clone();
    agreed.finish_with(counts);
    assert!(agreed.board.witnesses_agree());
    assert_eq!(agreed.board.finished().expect("it ended").1, Some(&counts));
    let wrong = [
        FinalCounts { enqueued: 3, ..counts },
        FinalCounts { rows: 2, ..counts },
        FinalCounts { applied: 0, ..counts },
        FinalCounts { once: 0, ..counts },
        FinalCounts { duplicated: 1, ..counts },
        FinalCounts { lost: 0, ..counts },
        FinalCounts { dead: 1, ..counts },
        FinalCounts { dead_applied: 1, ..counts },
        FinalCounts { pending: 1, ..counts },
    ];
    for counts in wrong {
        let mut script = script.clone();
        script.finish_with(counts);
        assert!(!script.board.witnesses_agree(), "{counts:?}");
    }
}

//! The grammar of actions: every form, every refusal, and the way there and back.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::policy::{Attempts, Backoff, Renewal};

fn read(text: &str) -> Action {
    parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn refused(text: &str) -> ParseError {
    parse(text).expect_err(text)
}

const W2: Who = Who::Worker(Worker(2));

#[test]
fn every_form_of_the_grammar_is_read() {
    for (text, action) in [
        ("kill w2", Action::Kill(W2, None)),
        ("  kill   w2  at  effect ", Action::Kill(W2, Some(Point::Effect))),
        ("kill random", Action::Kill(Who::Random, None)),
        ("disarm all", Action::Disarm(Who::All)),
        ("stall w2 for 5s", Action::Stall(W2, Some(Span::seconds(5)))),
        ("pause w2", Action::Pause(W2, None)),
        ("hang w2 for 2min", Action::Hang(W2, Some(Span::seconds(120)))),
        ("cut w2 queue", Action::Cut(W2, Link::Queue, None)),
        ("cut w2 sink for 250ms", Action::Cut(W2, Link::Sink, Some(Span::millis(250)))),
        ("slow w2", Action::Slow(W2, 4.0, None)),
        ("slow w2 for 3s", Action::Slow(W2, 4.0, Some(Span::seconds(3)))),
        ("slow w2 x2.5 for 3s", Action::Slow(W2, 2.5, Some(Span::seconds(3)))),
        ("lose acks 2%", Action::Lose(Message::Acks, Rate::new(0.02).expect("a rate"))),
        ("heal all", Action::Heal(Who::All, None)),
        ("heal w2 queue", Action::Heal(W2, Some(Fault::CutQueue))),
        ("restart w2", Action::Restart(W2)),
        ("enqueue 1000000", Action::Enqueue(1_000_000)),
        ("poison crash", Action::Poison(Poison::Crash)),
        ("redrive 0", Action::Redrive(Letters::One(Job(0)))),
        ("redrive all", Action::Redrive(Letters::All)),
        ("dedup two-write", Action::Set(Setting::Dedup(Dedup::EffectThenKey))),
        ("lease 3s", Action::Set(Setting::Lease(Span::seconds(3)))),
        ("fence on", Action::Set(Setting::Fence(Switch::On))),
        ("stop", Action::Stop),
        ("go", Action::Go),
        ("step", Action::Step),
        ("speed 0.1", Action::Speed(0.1)),
        ("jump", Action::Jump),
        ("mark  here  it began ", Action::Mark("here  it began".to_owned())),
    ] {
        assert_eq!(read(text), action, "{text}");
    }
}

#[test]
fn an_error_points_at_the_wrong_word_and_offers_the_nearest() {
    for (text, column, len, suggestion) in [
        ("kil w2", 1, 3, Some("kill")),
        (" stal w2", 2, 4, Some("stall")),
        ("kill w2 at efect", 12, 5, Some("effect")),
        ("cut w2 queu for 5s", 8, 4, Some("queue")),
        ("dedup transactionel", 7, 13, Some("transactional")),
        ("ack befor", 5, 5, Some("before")),
        ("heal w2 stalll", 9, 6, Some("stall")),
        ("lose ack 0.1", 6, 3, Some("acks")),
        ("kill al", 6, 2, Some("all")),
        ("kill w0", 6, 2, None),
        ("kill w257", 6, 4, None),
        ("stall w2 for 5", 14, 1, None),
        ("kill w2 now", 9, 3, None),
        ("kill", 6, 1, None),
        ("", 1, 1, None),
        ("mark", 6, 1, None),
    ] {
        let error = refused(text);
        assert_eq!((error.column, error.len), (column, len), "{text}: {error}");
        assert_eq!(error.suggestion.as_deref(), suggestion, "{text}: {error}");
    }
    assert_eq!(refused("kil w2").to_string(), "no such action: kil. Did you mean kill?");
}

#[test]
fn columns_count_characters_and_errors_carry_no_control_characters() {
    let error = refused("mörk\u{a0}é \u{1b}[2Jw2");
    assert_eq!(error.column, 1);
    let error = refused("\u{a0}kil w2");
    assert_eq!((error.column, error.len), (2, 3), "a space of two bytes is one character");
    let error = refused("kill \u{1b}[2Jw2");
    assert!(error.to_string().chars().all(|c| !c.is_control()), "{error}");
}

#[test]
fn figures_out_of_range_are_refused_with_the_range() {
    for text in [
        "slow w2 x0.5",
        "slow w2 x1001",
        "slow w2 xNaN",
        "slow w2 xinf",
        "slow w2 4",
        "speed 0",
        "speed 101",
        "speed NaN",
        "speed 1e1",
        "speed -1",
        "enqueue 0",
        "enqueue 1000001",
        "enqueue -1",
        "enqueue +1",
        "lose acks 1.5",
        "lose acks NaN",
        "lose replies 100%",
        "lose replies 1",
        "redrive -1",
        "redrive 10000000",
        "stall w2 for 0",
        "stall w2 for 25h",
        "stall w2 for -1s",
        "lease 0",
        "attempts 0",
        "attempts 18446744073709551616",
        "dedup window:0",
    ] {
        refused(text);
    }
    assert!(refused("speed 101").message.ends_with("0.1 to 100"));
    assert!(refused("enqueue 0").message.ends_with("1 to 1000000"));
}

#[test]
fn each_verb_of_the_table_is_read_and_has_a_form_that_begins_with_it() {
    for verb in VERBS {
        assert!(verb.form.starts_with(verb.name), "{}", verb.form);
        if let Err(error) = parse(verb.name) {
            assert!(error.message.starts_with("here belongs"), "{}: {error}", verb.name);
        }
    }
    for name in SettingName::ALL {
        assert!(VERBS.iter().any(|verb| verb.name == name.name()), "{name} can be set");
    }
}

fn whom() -> impl Strategy<Value = Who> {
    prop_oneof![(1..=MAX_WORKERS).prop_map(|n| Who::Worker(Worker(n))), Just(Who::Random), Just(Who::All)]
}

fn span() -> impl Strategy<Value = Span> {
    let any = 1..=24 * 3_600_000_000_000_u64;
    let round = (1..=8_640_000_u64).prop_map(|n| n * 10_000_000);
    prop_oneof![any, round].prop_map(Span)
}

fn dedups() -> impl Strategy<Value = Dedup> {
    prop_oneof![select(&Dedup::ALL[..]), (1..=10_000_000_u32).prop_map(Dedup::Window), span().prop_map(Dedup::Ttl)]
}

fn backoffs() -> impl Strategy<Value = Backoff> {
    (span(), 1_000..=1_000_000_u32, span()).prop_map(|(a, factor_milli, b)| Backoff {
        base: a.min(b),
        factor_milli,
        cap: a.max(b),
    })
}

fn settings() -> impl Strategy<Value = Setting> {
    prop_oneof![
        select(AckOrder::ALL).prop_map(Setting::Ack),
        dedups().prop_map(Setting::Dedup),
        select(DedupKey::ALL).prop_map(Setting::Key),
        (1_000_000..=24 * 3_600_000_000_000_u64).prop_map(|n| Setting::Lease(Span(n))),
        prop_oneof![Just(Renewal::Off), Just(Renewal::Third), Just(Renewal::Double), span().prop_map(Renewal::Every)]
            .prop_map(Setting::Renew),
        prop_oneof![Just(Attempts::Unlimited), (1..=Attempts::MAX).prop_map(Attempts::Limit)]
            .prop_map(Setting::Attempts),
        select(Ordering::ALL).prop_map(Setting::Order),
        select(OnDead::ALL).prop_map(Setting::OnDead),
        select(OnLostLease::ALL).prop_map(Setting::OnLostLease),
        select(Switch::ALL).prop_map(Setting::Fence),
        backoffs().prop_map(Setting::Backoff),
    ]
}

fn faults() -> impl Strategy<Value = Action> {
    let for_a_while = || proptest::option::of(span());
    prop_oneof![
        (whom(), proptest::option::of(select(Point::ALL))).prop_map(|(w, p)| Action::Kill(w, p)),
        whom().prop_map(Action::Disarm),
        (whom(), for_a_while()).prop_map(|(w, d)| Action::Stall(w, d)),
        (whom(), for_a_while()).prop_map(|(w, d)| Action::Pause(w, d)),
        (whom(), for_a_while()).prop_map(|(w, d)| Action::Hang(w, d)),
        (whom(), select(Link::ALL), for_a_while()).prop_map(|(w, l, d)| Action::Cut(w, l, d)),
        (whom(), 1.0..=1_000.0, for_a_while()).prop_map(|(w, x, d)| Action::Slow(w, x, d)),
        (select(Message::ALL), 0.0..=1.0).prop_map(|(m, p)| Action::Lose(m, Rate::new(p).expect("between 0 and 1"))),
        (whom(), proptest::option::of(select(Fault::ALL))).prop_map(|(w, f)| Action::Heal(w, f)),
    ]
}

fn others() -> impl Strategy<Value = Action> {
    prop_oneof![
        whom().prop_map(Action::Restart),
        (1..=MAX_ENQUEUED).prop_map(Action::Enqueue),
        select(Poison::ALL).prop_map(Action::Poison),
        (0..MAX_JOBS).prop_map(|job| Action::Redrive(Letters::One(Job(job)))),
        Just(Action::Redrive(Letters::All)),
        settings().prop_map(Action::Set),
        select(vec![Action::Stop, Action::Go, Action::Step, Action::Jump]),
        (0.1..=100.0).prop_map(Action::Speed),
        "[!-~][ -~]{0,40}[!-~]".prop_map(Action::Mark),
        (1..=u32::MAX, "[!-~][ -~]{0,40}[!-~]").prop_map(|(step, text)| Action::Answer(step, text)),
    ]
}

proptest! {
    #[test]
    fn a_written_action_reads_back_as_itself(action in prop_oneof![faults(), others()]) {
        let text = action.to_string();
        prop_assert_eq!(parse(&text), Ok(action), "{}", text);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "\\PC{0,60}|[ -~\\t\\n]{0,60}") {
        if let Err(error) = parse(&text) {
            prop_assert!(error.column >= 1 && error.len >= 1);
            prop_assert!(error.column <= text.chars().count() + 2);
        }
    }

    #[test]
    fn almost_right_text_does_not_panic_either(action in prop_oneof![faults(), others()], cut in 0..40_usize) {
        let text: String = action.to_string().chars().take(cut).collect();
        let _ = parse(&text);
    }
}

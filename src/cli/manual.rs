//! Completions and manual pages, made from the one description of the command line.

use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::args::{ABOUT_KILLS, command};
use super::failure::Failure;
use crate::text::nearest;
use crate::tui::keys;

/// What each exit code says, for the manual.
const EXITS: [(&str, &str); 6] = [
    ("0", "The promise held, or nothing was put to the test; also on leaving the screen."),
    ("1", "The promise or an invariant was broken, or the two witnesses disagree."),
    ("2", "Usage."),
    ("3", "Inconclusive: stuck, cut short, or a fault that had to strike did not."),
    ("4", "A runtime error: files, locks, the disk."),
    ("129, 130, 143", "Ended by a hang-up, by ctrl-c, by SIGTERM."),
];

/// The completions of a shell.
pub fn completions(shell: clap_complete::Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "onceish", &mut script);
    script
}

/// The manual page of the whole, or of one command.
pub fn page(of: Option<&str>) -> Result<Vec<u8>, Failure> {
    let mut whole = command();
    whole.build();
    let (described, is_whole) = match of {
        None => (whole.clone(), true),
        Some(name) => match whole.find_subcommand(name) {
            Some(found) => (found.clone().name(format!("onceish-{name}")), false),
            None => return Err(unknown(&whole, name)),
        },
    };
    let mut text = Vec::new();
    let rendered = Man::new(described).render(&mut text);
    if is_whole || of == Some("run") {
        text.extend(extras().to_roff().into_bytes());
    }
    rendered.map(|()| text).map_err(|error| Failure::Runtime(error.into()))
}

fn unknown(whole: &clap::Command, name: &str) -> Failure {
    let names: Vec<&str> = whole.get_subcommands().map(clap::Command::get_name).collect();
    let meant = nearest(name, names.iter().copied()).map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    Failure::Usage(vec![format!("no command {name}: there are {}{meant}", names.join(", "))])
}

/// What a page has beside its flags.
fn extras() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["ABOUT KILLS"]).text([roman(ABOUT_KILLS)]);
    roff.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in EXITS {
        roff.control("TP", []).text([bold(code)]).text([roman(meaning)]);
    }
    roff.control("SH", ["KEYS"]);
    for place in places() {
        roff.control("SS", [place.place()]);
        for key in keys::table().iter().filter(|key| key.context == place) {
            roff.control("TP", []).text([bold(key.key)]).text([roman(key.does)]);
        }
    }
    roff
}

/// The places that have keys, in the order of the table.
fn places() -> Vec<keys::Context> {
    let mut places: Vec<keys::Context> = Vec::new();
    for key in keys::table() {
        if !places.contains(&key.context) {
            places.push(key.context);
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    fn text(of: Option<&str>) -> String {
        String::from_utf8(page(of).expect("a page")).expect("text")
    }

    #[test]
    fn the_manual_tells_flags_kills_and_exit_codes() {
        assert!(text(None).contains("EXIT STATUS"));
        let run = text(Some("run"));
        assert!(run.contains("lease") && run.contains("A thread cannot be killed from outside in Rust"));
        assert!(!text(Some("info")).contains("EXIT STATUS"));
    }

    #[test]
    fn the_manual_has_every_key() {
        let manual = text(None);
        for key in keys::table() {
            assert!(manual.contains(&key.does.replace('-', "\\-")), "{} {}", key.key, key.does);
        }
    }

    #[test]
    fn a_page_that_is_not_there_is_answered_with_the_nearest() {
        let refusal = page(Some("runn")).expect_err("not there");
        assert!(refusal.to_string().ends_with("did you mean run?"), "{refusal}");
        assert_eq!(refusal.code(), 2);
    }

    #[test]
    fn every_shell_gets_completions() {
        for shell in clap_complete::Shell::value_variants() {
            let script = String::from_utf8(completions(*shell)).expect("text");
            assert!(script.contains("on-lost-lease"), "{shell}");
        }
    }
}

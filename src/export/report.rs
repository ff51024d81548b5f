//! A recording told as Markdown, as GitHub reads it.

use std::fmt::Write as _;

use super::clock;
use super::tale::{Act, Tale};
use crate::board::Story;
use crate::text::{clean, count};

/// The report. `replay` is the command that plays the recording.
pub fn report(tale: &Tale, replay: &str) -> String {
    let sections = [
        format!("# {}\n\n{}\n", foreign(&tale.title), foreign(&tale.facts)),
        format!("**{}**\n\n{}\n", foreign(&tale.verdict), foreign(&tale.end)),
        setup(tale),
        timeline(tale),
        predictions(tale),
        expectations(tale),
        figures(tale),
        stories(tale),
        format!("## Replay\n\n{}", fenced(replay)),
    ];
    sections.into_iter().filter(|section| !section.is_empty()).collect::<Vec<_>>().join("\n")
}

fn setup(tale: &Tale) -> String {
    let base = if tale.differences.from_sandbox { "the sandbox" } else { "a run without a screen" };
    let mut text = format!("## Set-up\n\n{}\n", foreign(&tale.policy));
    if tale.differences.keys.is_empty() {
        let _in_memory = writeln!(text, "\nAll else is as in {base} by default.");
        return text;
    }
    let _in_memory = write!(text, "\n| differs from {base} | |\n|---|---|\n");
    for (name, value) in &tale.differences.keys {
        let _in_memory = writeln!(text, "| {name} | {} |", cell(value));
    }
    text
}

fn timeline(tale: &Tale) -> String {
    if tale.acts.is_empty() {
        return "## What was done\n\nNothing; the run went on by itself.\n".to_owned();
    }
    let mut text =
        "## What was done\n\n| at | by | what | what came of it | until the next |\n|---:|---|---|---|---|\n"
            .to_owned();
    for Act { at, who, text: what, came, then } in &tale.acts {
        let then = if then.is_empty() { "-" } else { then };
        let _in_memory =
            writeln!(text, "| {} | {who} | {} | {} | {} |", clock(*at), cell(what), cell(came), cell(then));
    }
    if tale.more_acts > 0 {
        let _in_memory = writeln!(text, "\n{} more are left out.", count(tale.more_acts as u64));
    }
    text
}

fn predictions(tale: &Tale) -> String {
    if tale.asked.is_empty() {
        return String::new();
    }
    let mut text = "## Predictions\n\n| step | question | answer | measured |\n|---:|---|---|---|\n".to_owned();
    for asked in &tale.asked {
        let answer = asked.answer.as_deref().unwrap_or("none given");
        let measured = cell(&asked.measured);
        let _in_memory =
            writeln!(text, "| {} | {} | {} | {measured} |", asked.step, cell(&asked.question), cell(answer));
    }
    text
}

fn expectations(tale: &Tale) -> String {
    if tale.outcome.is_empty() {
        return String::new();
    }
    let mut text = format!("## What the lab expected\n\n{}\n\n", foreign(&tale.outcome));
    text.push_str("| expected | came | |\n|---|---|---|\n");
    for expected in &tale.expected {
        let (what, got) = (cell(&expected.what), cell(&expected.got));
        let _in_memory = writeln!(text, "| {what} | {got} | {} |", expected.held);
    }
    text
}

fn figures(tale: &Tale) -> String {
    let mut text = "## Figures\n\n| counter | at the end |\n|---|---:|\n".to_owned();
    for (name, n) in &tale.counters {
        let _in_memory = writeln!(text, "| {} | {} |", foreign(name), count(*n));
    }
    text
}

fn stories(tale: &Tale) -> String {
    if tale.stories.is_empty() {
        return String::new();
    }
    let mut text = "## Jobs that came to harm\n".to_owned();
    for story in &tale.stories {
        text.push_str(&one_story(story));
    }
    if tale.more_stories > 0 {
        let _in_memory = writeln!(text, "\n{} more are left out.", count(tale.more_stories as u64));
    }
    text
}

fn one_story(story: &Story) -> String {
    let mut text = format!("\n### {}\n", foreign(&story.title));
    for one in &story.tries {
        let _in_memory = write!(text, "\n{}\n\n", foreign(&one.title));
        for line in &one.lines {
            let worker = line.worker.map(|worker| format!("{worker} ")).unwrap_or_default();
            let _in_memory = writeln!(text, "- {} {worker}{}", clock(line.at), foreign(&line.text));
        }
    }
    let end = [&story.why, &story.monitoring, &story.holds].map(|words| foreign(words));
    for words in end.iter().filter(|words| !words.is_empty()) {
        let _in_memory = write!(text, "\n{words}\n");
    }
    text
}

/// A command in a block of its own. A line of backticks in it cannot end the block, since it stands on one line.
fn fenced(command: &str) -> String {
    format!("```sh\n{}\n```\n", clean(command).replace('`', "'"))
}

/// Words for a cell of a table.
fn cell(words: &str) -> String {
    foreign(words)
}

/// Words of others as plain text: nothing in them is a heading, a link, a mention, a table's border or HTML.
pub fn foreign(words: &str) -> String {
    let words = clean(words);
    let mut out = String::with_capacity(words.len());
    for (at, c) in words.char_indices() {
        let acts = matches!(
            c,
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '!' | '&' | '@' | '$' | '^'
        );
        let links = c == ':' && words[at..].starts_with("://");
        let begins = c == '.' && words[..at].to_ascii_lowercase().ends_with("www");
        if acts || links || begins {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

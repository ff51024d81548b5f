//! A recording told as one page of HTML that needs nothing beside it: no network, no fonts, and no script to be read.
//!
//! A short script lets the screens be stepped through one by one; without it they stand one below the other.

use std::fmt::Write as _;

use super::palette::Palette;
use super::svg::{self, About, escape};
use super::tale::{Act, Tale, fates, verdict};
use super::{Shot, clock, shots};
use crate::board::Story;
use crate::recording::{Damage, Player};
use crate::text::{clean, count};
use crate::tui::picture::{Format, replayed};

/// Screens on a page.
const SCREENS: usize = 24;

/// Steps through the screens by buttons and arrow keys.
const SCRIPT: &str = "\
const all=[...document.querySelectorAll('figure')],bar=document.getElementById('steps');
if(all.length>1){let n=0;const place=document.createElement('span');
const show=i=>{n=(i+all.length)%all.length;all.forEach((f,j)=>f.hidden=j!==n);
place.textContent=' '+(n+1)+' of '+all.length+' '};
const button=(text,by)=>{const b=document.createElement('button');b.textContent=text;b.onclick=()=>show(n+by);return b};
const whole=document.createElement('button');whole.textContent='all';
whole.onclick=()=>{all.forEach(f=>f.hidden=false);place.textContent=' all '+all.length+' '};
bar.append(button('back',-1),place,button('next',1),' ',whole);
document.onkeydown=e=>{if(e.key==='ArrowRight')show(n+1);if(e.key==='ArrowLeft')show(n-1)};show(0)}";

/// The page. `replay` is the command that plays the recording.
///
/// # Errors
/// When the recording has changed since it was opened.
pub fn page(player: &mut Player, tale: &Tale, format: Format, replay: &str) -> Result<String, Damage> {
    let palette = Palette::of(format.theme);
    let sections = [
        format!("<h1>{}</h1>\n<p>{}</p>\n", safe(&tale.title), safe(&tale.facts)),
        format!("<p class=\"verdict\">{}</p>\n<p>{}</p>\n", safe(&tale.verdict), safe(&tale.end)),
        setup(tale),
        screens(player, format)?,
        timeline(tale),
        predictions(tale),
        expectations(tale),
        figures(tale),
        stories(tale),
        format!("<h2>Replay</h2>\n<pre>{}</pre>\n", safe(replay)),
    ];
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n\
         <style>{}{}</style>\n</head>\n<body>\n<main>\n{}</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        safe(&tale.title),
        look(&palette),
        svg::style(&palette),
        sections.concat()
    ))
}

fn look(palette: &Palette) -> String {
    let Palette { background, text, colours } = palette;
    format!(
        "body{{background:{background};color:{text};font:16px/1.5 system-ui,sans-serif;margin:0}}\
         main{{max-width:1110px;margin:0 auto;padding:1rem}}\
         table{{border-collapse:collapse}}td,th{{text-align:left;vertical-align:top;padding:.15rem 1rem .15rem 0}}\
         td.n{{text-align:right;font-variant-numeric:tabular-nums}}\
         figure{{margin:1rem 0}}figure svg{{max-width:100%;height:auto;border:1px solid {0};border-radius:6px}}\
         .verdict{{font-size:1.3rem;font-weight:bold}}pre{{overflow:auto}}\
         @media print{{figure[hidden]{{display:block}}#steps{{display:none}}}}",
        colours[7]
    )
}

fn setup(tale: &Tale) -> String {
    let base = if tale.differences.from_sandbox { "the sandbox" } else { "a run without a screen" };
    let rows = tale.differences.keys.iter().map(|(name, value)| row(&[name, value]));
    let rows: String = rows.collect();
    let words = format!("<h2>Set-up</h2>\n<p>{}</p>\n", safe(&tale.policy));
    match rows.is_empty() {
        true => format!("{words}<p>All else is as in {base} by default.</p>\n"),
        false => format!("{words}<p>It differs from {base} in this:</p>\n<table>\n{rows}</table>\n"),
    }
}

/// The screens at marks, actions and anomalies, and the last.
fn screens(player: &mut Player, format: Format) -> Result<String, Damage> {
    let mut text = "<h2>Screens</h2>\n<p id=\"steps\"></p>\n".to_owned();
    for (n, Shot { events, at, words }) in shots(player, SCREENS).into_iter().enumerate() {
        player.show(events)?;
        let board = player.board();
        let title = format!("{}  {words}", clock(at));
        let said = format!("{}; {}", verdict(board), fates(board));
        let about = About { title: &clean(&title), words: &clean(&said), mark: &n.to_string() };
        let picture = svg::element(&replayed(board, at, format), about);
        let _in_memory = write!(text, "<figure>\n<figcaption>{}</figcaption>\n{picture}</figure>\n", safe(&title));
    }
    Ok(text)
}

fn timeline(tale: &Tale) -> String {
    if tale.acts.is_empty() {
        return "<h2>What was done</h2>\n<p>Nothing; the run went on by itself.</p>\n".to_owned();
    }
    let act = |Act { at, who, text, came, then }: &Act| row(&[&clock(*at), who, text, came, then]);
    let rows: String = tale.acts.iter().map(act).collect();
    let head = head(&["at", "by", "what", "what came of it", "until the next"]);
    format!("<h2>What was done</h2>\n<table>\n{head}{rows}</table>\n{}", more(tale.more_acts))
}

fn predictions(tale: &Tale) -> String {
    let rows = tale.asked.iter().map(|asked| {
        let answer = asked.answer.as_deref().unwrap_or("none given");
        row(&[&asked.step.to_string(), &asked.question, answer, &asked.measured])
    });
    match rows.collect::<String>() {
        rows if rows.is_empty() => rows,
        rows => {
            format!(
                "<h2>Predictions</h2>\n<table>\n{}{rows}</table>\n",
                head(&["step", "question", "answer", "measured"])
            )
        }
    }
}

fn expectations(tale: &Tale) -> String {
    if tale.outcome.is_empty() {
        return String::new();
    }
    let rows = tale.expected.iter().map(|expected| row(&[&expected.what, &expected.got, expected.held]));
    let rows: String = rows.collect();
    let head = head(&["expected", "came", ""]);
    format!("<h2>What the lab expected</h2>\n<p>{}</p>\n<table>\n{head}{rows}</table>\n", safe(&tale.outcome))
}

fn figures(tale: &Tale) -> String {
    let figure =
        |(name, n): &(String, u64)| format!("<tr><td>{}</td><td class=\"n\">{}</td></tr>\n", safe(name), count(*n));
    let rows: String = tale.counters.iter().map(figure).collect();
    format!("<h2>Figures</h2>\n<table>\n{rows}</table>\n")
}

fn stories(tale: &Tale) -> String {
    if tale.stories.is_empty() {
        return String::new();
    }
    let told: String = tale.stories.iter().map(one_story).collect();
    format!("<h2>Jobs that came to harm</h2>\n{told}{}", more(tale.more_stories))
}

fn one_story(story: &Story) -> String {
    let mut text = format!("<details>\n<summary>{}</summary>\n", safe(&story.title));
    for one in &story.tries {
        let _in_memory = write!(text, "<p>{}</p>\n<table>\n", safe(&one.title));
        for line in &one.lines {
            let worker = line.worker.map(|worker| worker.to_string()).unwrap_or_default();
            text.push_str(&row(&[&clock(line.at), &worker, &line.text]));
        }
        text.push_str("</table>\n");
    }
    for words in [&story.why, &story.monitoring, &story.holds].into_iter().filter(|words| !words.is_empty()) {
        let _in_memory = writeln!(text, "<p>{}</p>", safe(words));
    }
    text + "</details>\n"
}

fn more(n: usize) -> String {
    if n == 0 { String::new() } else { format!("<p>{} more are left out.</p>\n", count(n as u64)) }
}

fn row(cells: &[&str]) -> String {
    let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", safe(cell))).collect();
    format!("<tr>{cells}</tr>\n")
}

fn head(cells: &[&str]) -> String {
    let cells: String = cells.iter().map(|cell| format!("<th>{cell}</th>")).collect();
    format!("<tr>{cells}</tr>\n")
}

/// Words of others as text of the page.
fn safe(words: &str) -> String {
    escape(&clean(words))
}

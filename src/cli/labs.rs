//! `labs` lists the labs that come with the program; and how any command finds the lab that it is asked for, by number,
//! name or path.
//!
//! A file is read up to the longest that a lab may be and no further, whatever it is. Who asks for the lab as a whole gets
//! it, or all that is wrong with its file as a failure.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::Context;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use super::args::LabsArgs;
use super::failure::{self, Failure};
use crate::lab::{self, Lab, Problem, Shipped, course, render};
use crate::text::{clean, counted};

/// The version of the JSON that `labs` prints.
const FORMAT: u32 = 1;
/// The widest report.
const WIDTH: usize = 80;

/// A lab that somebody asked for, not yet read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// What its file is called in messages.
    pub file: String,
    /// Its name: the file's, without folder and ending.
    pub name: String,
    /// The file.
    pub bytes: Vec<u8>,
}

impl Asked {
    /// The lab, and what its file says that may be wrong; or all that is wrong.
    pub fn read(&self) -> Result<(Lab, Vec<Problem>), Failure> {
        let lab::Read { lab, problems } = lab::read(&self.name, &self.bytes);
        let text = String::from_utf8_lossy(&self.bytes);
        let told = |problem: &Problem| render(problem, &self.file, &text).trim_end().to_owned();
        match lab {
            Some(lab) => Ok((lab, problems)),
            None => Err(Failure::Usage(problems.iter().filter(|problem| !problem.warning).map(told).collect())),
        }
    }
}

/// Finds a lab by its number or name, or a file by its path.
pub fn find(asked: &str) -> Result<Asked, Failure> {
    let is_path = asked.contains(['/', '\\']) || asked.ends_with(".toml") || Path::new(asked).is_file();
    if is_path {
        return from_file(asked);
    }
    let Some(shipped) = lab::course::find(course(), asked) else {
        let near = lab::course::near(course(), asked);
        let help = near.map_or_else(|| "onceish labs lists them".to_owned(), |name| format!("did you mean {name}?"));
        return Err(Failure::Usage(vec![format!("no lab and no file is called {}; {help}", clean(asked))]));
    };
    let file = format!("{}.toml", shipped.name);
    Ok(Asked { file, name: shipped.name.to_owned(), bytes: shipped.text.as_bytes().to_vec() })
}

fn from_file(asked: &str) -> Result<Asked, Failure> {
    let path = Path::new(asked);
    if !path.exists() {
        return Err(Failure::Usage(vec![format!("there is no file {}", clean(asked))]));
    }
    if path.is_dir() {
        return Err(Failure::Usage(vec![format!("{} is a folder, not a lab", clean(asked))]));
    }
    let mut bytes = Vec::new();
    let most = lab::LONGEST_FILE as u64 + 1;
    let read = File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
    read.with_context(|| format!("cannot read {}", clean(asked)))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Asked { file: asked.to_owned(), name, bytes })
}

/// Lists the labs that come with the program. The result is the exit code.
pub fn labs(args: &LabsArgs) -> Result<u8, Failure> {
    let labs: Vec<(&Shipped, Lab)> = course().iter().filter_map(|shipped| Some((shipped, whole(shipped)?))).collect();
    let text = if args.json { as_json(&labs) } else { as_table(&labs) };
    failure::print(&text).map(|()| 0)
}

fn whole(shipped: &Shipped) -> Option<Lab> {
    lab::read(shipped.name, shipped.text.as_bytes()).lab
}

fn as_json(labs: &[(&Shipped, Lab)]) -> String {
    let each = |(shipped, lab): &(&Shipped, Lab)| {
        json!({
            "number": shipped.number(),
            "name": lab.name,
            "title": lab.title,
            "chapter": lab.chapter,
            "teaches": lab.teaches,
            "takes": lab.takes,
            "driver": lab.driver.map(|driver| driver.name()),
            "variants": lab.variants.iter().map(|variant| &variant.name).filter(|name| !name.is_empty()).collect::<Vec<_>>(),
            "steps": lab.steps.len(),
            "questions": lab.steps.iter().filter(|step| step.ask.is_some()).count(),
        })
    };
    let list: Value = labs.iter().map(each).collect();
    super::json::line(&json!({ "format": FORMAT, "labs": list }))
}

fn as_table(labs: &[(&Shipped, Lab)]) -> String {
    let number = |lab: &Lab, n: u32| format!("{n:>3}{}", if lab.driver.is_some() { "*" } else { " " });
    let widest = labs.iter().map(|(_, lab)| lab.title.width()).max().unwrap_or(0).min(WIDTH - 4 - 3 - 50);
    let mut text = format!("{}, each a lesson and a check\n", counted(labs.len() as u64, "lab", "labs"));
    let mut chapter = None;
    for (shipped, lab) in labs {
        if chapter != Some(&lab.chapter) && !lab.chapter.is_empty() {
            text += &format!("\n{}\n", lab.chapter);
        }
        chapter = Some(&lab.chapter);
        let title = fitted(&lab.title, widest);
        text += format!("{} {title}  {}", number(lab, shipped.number()), lab.teaches).trim_end();
        text.push('\n');
    }
    if labs.iter().any(|(_, lab)| lab.driver.is_some()) {
        text += "\n* on one driver only: its file says which, and the lab runs on it by itself\n";
    }
    text + "\nonceish lab 1 opens the first; with --headless it runs as a check.\n"
}

/// `text` in exactly so many columns.
fn fitted(text: &str, columns: usize) -> String {
    let mut shown = text.to_owned();
    while shown.width() > columns {
        shown.pop();
    }
    let gap = " ".repeat(columns - shown.width());
    shown + &gap
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lab(text: &str) -> Lab {
        let text = format!("title = \"A title\"\nteaches = \"what\"\nseed = 1\n{text}\n[[step]]\nsay = \"hello\"\n");
        let read = lab::read("01-a", text.as_bytes());
        read.lab.unwrap_or_else(|| panic!("{:?}", read.problems))
    }

    #[test]
    fn labs_are_listed_by_chapter_and_those_of_one_driver_are_marked() {
        let labs = [lab("chapter = \"First\""), lab("chapter = \"First\"\ndriver = \"simulation\"")];
        let shipped = [Shipped { name: "01-a", text: "" }, Shipped { name: "02-b", text: "" }];
        let pairs: Vec<(&Shipped, Lab)> = shipped.iter().zip(labs).collect();
        let table = as_table(&pairs);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(
            lines[..5],
            ["2 labs, each a lesson and a check", "", "First", "  1  A title  what", "  2* A title  what"]
        );
        assert!(table.contains("* on one driver only"));
        let json: Value = serde_json::from_str(&as_json(&pairs)).expect("JSON");
        assert_eq!((&json["labs"][1]["number"], &json["labs"][1]["driver"]), (&json!(2), &json!("simulation")));
        assert_eq!((&json["labs"][0]["driver"], &json["labs"][0]["steps"]), (&Value::Null, &json!(1)));
    }

    #[test]
    fn the_list_of_the_course_fits_on_a_terminal() {
        let labs: Vec<(&Shipped, Lab)> = course().iter().filter_map(|lab| Some((lab, whole(lab)?))).collect();
        let table = as_table(&labs);
        assert!(table.lines().all(|line| line.width() <= WIDTH && line.is_ascii()), "{table}");
    }
}

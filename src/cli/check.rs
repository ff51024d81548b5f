//! `check` reads lab files and tells all that is wrong with them, or may be. It runs nothing.

use super::args::CheckArgs;
use super::failure::{self, Failure};
use super::labs::{self, Asked};
use crate::lab::{self, render};
use crate::text::counted;

/// The exit code for files with errors.
const WRONG: u8 = 2;

/// What was found in all files together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    labs: u64,
    /// Labs without an error.
    whole: u64,
    errors: u64,
    warnings: u64,
}

/// Checks the labs. The result is the exit code: 0 unless one has an error.
pub fn check(args: &CheckArgs) -> Result<u8, Failure> {
    let mut text = String::new();
    let mut sum = Sum::default();
    for file in &args.files {
        sum.labs += 1;
        match labs::find(file) {
            Ok(asked) => text += &one(&asked, &mut sum),
            Err(Failure::Usage(mistakes)) => {
                sum.errors += 1;
                text += &mistakes.iter().map(|mistake| format!("{mistake}\n\n")).collect::<String>();
            }
            Err(failure) => return Err(failure),
        }
    }
    text += &in_words(sum);
    failure::print(&text)?;
    Ok(if sum.errors > 0 { WRONG } else { 0 })
}

/// What is wrong with one lab, in words.
fn one(asked: &Asked, sum: &mut Sum) -> String {
    let read = lab::read(&asked.name, &asked.bytes);
    let errors = read.errors() as u64;
    sum.whole += u64::from(errors == 0);
    sum.errors += errors;
    sum.warnings += read.problems.len() as u64 - errors;
    let text = String::from_utf8_lossy(&asked.bytes);
    read.problems.iter().map(|problem| render(problem, &asked.file, &text) + "\n").collect()
}

/// The last line: how many labs are whole, and what was found.
fn in_words(sum: Sum) -> String {
    let whole = match sum.whole {
        1 => "1 lab is whole".to_owned(),
        _ => format!("{} are whole", counted(sum.whole, "lab", "labs")),
    };
    let errors = counted(sum.errors, "error", "errors");
    let warnings = counted(sum.warnings, "warning", "warnings");
    let found = match (sum.errors, sum.warnings) {
        (0, 0) => String::new(),
        (0, _) => format!(", with {warnings}"),
        (_, 0) => format!(", {} not: {errors}", sum.labs - sum.whole),
        (_, _) => format!(", {} not: {errors} and {warnings}", sum.labs - sum.whole),
    };
    format!("{whole}{found}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_says_how_many_are_whole_and_what_was_found() {
        let sum = |labs, whole, errors, warnings| in_words(Sum { labs, whole, errors, warnings });
        assert_eq!(sum(1, 1, 0, 0), "1 lab is whole\n");
        assert_eq!(sum(22, 22, 0, 0), "22 labs are whole\n");
        assert_eq!(sum(2, 2, 0, 1), "2 labs are whole, with 1 warning\n");
        assert_eq!(sum(3, 1, 5, 0), "1 lab is whole, 2 not: 5 errors\n");
        assert_eq!(sum(1, 0, 1, 2), "0 labs are whole, 1 not: 1 error and 2 warnings\n");
    }
}

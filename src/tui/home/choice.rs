//! What is selected: a section, a row of each, and what each list is filtered by.

use super::listing::Listing;
use crate::tui::keys::Direction;

/// How many rows a page is.
const PAGE: usize = 10;

/// Something that can be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The sandbox.
    FreePlay,
    /// The sandbox as it was set up last.
    LastTime,
    /// A lab, by its place in the listing.
    Lab(usize),
    /// A lab for an audience, by its place in the listing.
    Present(usize),
    /// A recording, by its place in the listing.
    Recording(usize),
}

/// The three sections, and what is selected in each.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The focused section: 0 sandbox, 1 labs, 2 recordings.
    pub section: usize,
    /// The selected row of each, among those that its filter leaves.
    rows: [usize; 3],
    /// What each list shows.
    pub filters: [String; 3],
}

impl Chosen {
    /// The course, at the lab to go on with.
    pub fn first(listing: &Listing) -> Chosen {
        Chosen { section: 1, rows: [0, listing.next_lab(), 0], filters: Default::default() }
    }

    /// What a section lists, by places in the listing.
    pub fn listed(&self, section: usize, listing: &Listing) -> Vec<Choice> {
        let fits = |text: &str| text.to_lowercase().contains(&self.filters[section].to_lowercase());
        match section {
            0 => [Some(Choice::FreePlay), listing.last_time.as_ref().map(|_| Choice::LastTime)]
                .into_iter()
                .flatten()
                .collect(),
            1 => {
                let labs = listing.labs.iter().enumerate();
                let told = |lab: &super::LabEntry| {
                    fits(&format!("{} {} {} {}", lab.number, lab.title, lab.teaches, lab.chapter))
                };
                labs.filter(|(_, lab)| told(lab)).map(|(place, _)| Choice::Lab(place)).collect()
            }
            _ => {
                let all = listing.recordings.iter().enumerate();
                let told = |one: &super::RecordingEntry| {
                    fits(&format!("{} {} {} {}", one.title, one.when, one.harm, one.verdict))
                };
                all.filter(|(_, one)| told(one)).map(|(place, _)| Choice::Recording(place)).collect()
            }
        }
    }

    /// The selected row of a section.
    pub fn row(&self, section: usize, listing: &Listing) -> usize {
        self.rows[section].min(self.listed(section, listing).len().saturating_sub(1))
    }

    /// What is selected, if the focused section lists anything.
    pub fn selected(&self, listing: &Listing) -> Option<Choice> {
        let row = self.row(self.section, listing);
        self.listed(self.section, listing).get(row).copied()
    }

    /// Moves along the section; up and down go on into the next one.
    pub fn walk(&mut self, direction: Direction, listing: &Listing) {
        let all = self.listed(self.section, listing).len();
        let (here, last) = (self.row(self.section, listing), all.saturating_sub(1));
        self.rows[self.section] = match direction {
            Direction::Up if here == 0 => return self.cross(false, listing),
            Direction::Down if here == last => return self.cross(true, listing),
            Direction::Up => here - 1,
            Direction::Down => here + 1,
            Direction::PageUp => here.saturating_sub(PAGE),
            Direction::PageDown => (here + PAGE).min(last),
            Direction::Home => 0,
            Direction::End => last,
            Direction::Left | Direction::Right => here,
        };
    }

    fn cross(&mut self, down: bool, listing: &Listing) {
        let next = if down { self.section + 1 } else { self.section.wrapping_sub(1) };
        let all = if next < 3 { self.listed(next, listing).len() } else { 0 };
        if all > 0 {
            self.section = next;
            self.rows[next] = if down { 0 } else { all - 1 };
        }
    }

    /// Filters the focused list by these words and selects its first row.
    pub fn filter(&mut self, words: &str) {
        words.clone_into(&mut self.filters[self.section]);
        self.rows[self.section] = 0;
    }
}

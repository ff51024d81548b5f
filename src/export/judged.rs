//! A recorded lab, judged again from its recording: what it expected, and how its questions were answered.

use std::collections::BTreeMap;

use crate::lab::{self, Graded, Judgement, Watch};
use crate::recording::{Damage, Player};

/// How a lab came out, as its recording tells.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Its expectations and why it holds or does not.
    pub judgement: Judgement,
    /// How its questions were answered, by the numbers of their steps.
    pub graded: BTreeMap<u32, Graded>,
}

/// Judges the lab of a recording; `None` when no lab was run, or one that has several runs, since a recording is of
/// one run and the lab is about them all.
///
/// # Errors
/// When the recording has changed since it was opened.
pub fn judged(player: &mut Player) -> Result<Option<Judged>, Damage> {
    let lab = player.header().lab.as_deref().and_then(|text| lab::read("recorded", text.as_bytes()).lab);
    let Some(lab) = lab.filter(|lab| lab.variants.len() == 1) else { return Ok(None) };
    let mut watch = Watch::new(&lab, 0);
    for n in 1..=player.len() {
        player.show(n)?;
        if let Some((_, event)) = player.board().recent().back() {
            watch.fold(event);
        }
    }
    let watches = [watch];
    let asks = lab.steps.iter().enumerate().filter_map(|(place, step)| Some((place, step.ask.as_ref()?)));
    let graded = asks.map(|(place, ask)| {
        let step = lab::number_of(place);
        let answer = watches[0].answers().get(&step).map(String::as_str);
        (step, lab::grade(ask, answer, &watches, 0))
    });
    Ok(Some(Judged { graded: graded.collect(), judgement: lab::judge(&lab, &watches) }))
}

//! What opens over the rows above the footer: choosers, the palette, and fields that ask for one text. The run goes on
//! under all of them.

pub mod ask;
pub mod choices;
pub mod chooser;
pub mod complete;
pub mod palette;

use super::app::Command as Meaning;
pub use ask::Ask;
pub use chooser::Chooser;
pub use palette::Palette;

/// What an overlay decided.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// It stays open.
    Open,
    /// It closes, and nothing is done.
    Close,
    /// It closes, and this is done.
    Do(Meaning),
}

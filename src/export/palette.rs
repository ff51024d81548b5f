//! The colours of exports. A terminal has its own palette; a picture and a page have to bring one.

use crate::tui::picture::Colour;
use crate::tui::theme::Theme;

/// A background, the text on it, and eight colours, each as `#rrggbb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    /// Behind everything.
    pub background: &'static str,
    /// Plain text.
    pub text: &'static str,
    /// The colours in the order of [`Colour`].
    pub colours: [&'static str; 8],
}

/// All eight, in order.
pub const COLOURS: [Colour; 8] = [
    Colour::Black,
    Colour::Red,
    Colour::Green,
    Colour::Yellow,
    Colour::Blue,
    Colour::Magenta,
    Colour::Cyan,
    Colour::White,
];

const DARK: Palette = Palette {
    background: "#15181d",
    text: "#d7dade",
    colours: ["#3c424b", "#ff6d6a", "#7fc97a", "#e5be4f", "#76a9fa", "#d893f2", "#5cccd9", "#d7dade"],
};

const LIGHT: Palette = Palette {
    background: "#ffffff",
    text: "#1f2328",
    colours: ["#1f2328", "#b3002d", "#116329", "#7a5b00", "#0a4fb0", "#8034b8", "#0a6672", "#5c656f"],
};

impl Palette {
    /// The colours of a theme. Without colours a picture is dark.
    pub fn of(theme: Theme) -> Palette {
        match theme {
            Theme::Dark | Theme::Mono => DARK,
            Theme::Light => LIGHT,
        }
    }

    /// One of the colours; none is plain text.
    pub fn colour(&self, colour: Option<Colour>) -> &'static str {
        colour.map_or(self.text, |colour| self.colours[colour as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The relative luminance of the Web Content Accessibility Guidelines, with a square for their curve.
    fn luminance(colour: &str) -> f64 {
        let part = |at| {
            let byte = u8::from_str_radix(&colour[at..at + 2], 16).expect("two hexadecimal digits");
            let part = f64::from(byte) / 255.0;
            part * part
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }

    #[test]
    fn every_colour_that_a_theme_uses_can_be_read_on_its_background() {
        for palette in [DARK, LIGHT] {
            let behind = luminance(palette.background);
            for colour in palette.colours.iter().skip(1).chain([&palette.text]) {
                let (light, dark) = (luminance(colour).max(behind), luminance(colour).min(behind));
                let contrast = (light + 0.05) / (dark + 0.05);
                assert!(contrast > 4.5, "{colour} on {}: {contrast}", palette.background);
            }
        }
    }
}

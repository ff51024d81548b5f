//! Colours and attributes: each thing on the screen has a role, and a theme gives each role a style.
//!
//! Only the sixteen ANSI colours are used, so that the user's own palette applies, and dim text is the DIM attribute:
//! bright black is the background in some palettes. Meaning never rests on a style alone; the words carry it.

use ratatui::style::{Color, Modifier, Style};

use super::glyphs::Glyphs;
use crate::ids::Job;
use crate::policy::named;

/// What a piece of the screen is, as far as its style goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Plain text.
    Text,
    /// Text that stands out: an effect, the selected job's bars, a cell that just changed.
    Strong,
    /// Text that steps back: rules, hints, other jobs' bars.
    Dim,
    /// Something is well.
    Ok,
    /// Something deserves a look.
    Look,
    /// Something is broken.
    Bad,
    /// A mark for something broken.
    BadMark,
    /// Selection, focus, the line of now.
    Accent,
    /// The title of the focused panel.
    Title,
    /// A mark for what the operator did.
    Mine,
}

named! {
    /// Which theme was asked for.
    ThemeChoice {
        /// By `COLORFGBG`, else dark.
        Auto = "auto",
        /// For a dark background.
        Dark = "dark",
        /// For a light background.
        Light = "light",
        /// Attributes only.
        Mono = "mono",
    }
}

named! {
    /// When colour is used.
    ColourChoice {
        /// Unless `NO_COLOR` is set or the terminal is dumb.
        Auto = "auto",
        /// Whatever the environment says.
        Always = "always",
        /// Never.
        Never = "never",
    }
}

/// The style of every role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Colours for a dark background.
    Dark,
    /// Colours for a light background.
    Light,
    /// No colour.
    Mono,
}

impl Theme {
    /// The style of `role`.
    pub fn style(self, role: Role) -> Style {
        let style = Style::new();
        match role {
            Role::Text => style,
            Role::Strong => style.add_modifier(Modifier::BOLD),
            Role::Dim => style.add_modifier(Modifier::DIM),
            Role::Ok => self.coloured(style, Color::Green),
            Role::Look => self.coloured(style, self.look()),
            Role::Bad => self.coloured(style, Color::Red).add_modifier(Modifier::BOLD),
            Role::BadMark => self.coloured(style, Color::Red).add_modifier(Modifier::BOLD | Modifier::REVERSED),
            Role::Accent => self.coloured(style, self.accent()),
            Role::Title => self.coloured(style, self.accent()).add_modifier(Modifier::REVERSED),
            Role::Mine => self.coloured(style, Color::Magenta).add_modifier(Modifier::REVERSED),
        }
    }

    fn coloured(self, style: Style, colour: Color) -> Style {
        if self == Theme::Mono { style } else { style.fg(colour) }
    }

    /// Yellow cannot be read on white.
    fn look(self) -> Color {
        if self == Theme::Light { Color::Magenta } else { Color::Yellow }
    }

    fn accent(self) -> Color {
        if self == Theme::Light { Color::Blue } else { Color::Cyan }
    }

    /// The theme for what was asked for, in this environment.
    pub fn choose(theme: ThemeChoice, colour: ColourChoice, environment: &Environment) -> Theme {
        let colourless = match colour {
            ColourChoice::Always => false,
            ColourChoice::Never => true,
            ColourChoice::Auto => environment.no_color || environment.term == "dumb",
        };
        match theme {
            _ if colourless => Theme::Mono,
            ThemeChoice::Mono => Theme::Mono,
            ThemeChoice::Dark => Theme::Dark,
            ThemeChoice::Light => Theme::Light,
            ThemeChoice::Auto if environment.light_background() => Theme::Light,
            ThemeChoice::Auto => Theme::Dark,
        }
    }
}

/// What the environment says about the terminal. Read once, at the edge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// `TERM`.
    pub term: String,
    /// The locale in force for characters: `LC_ALL`, else `LC_CTYPE`, else `LANG`.
    pub locale: String,
    /// `COLORFGBG`.
    pub colorfgbg: String,
    /// True when `NO_COLOR` is set and not empty.
    pub no_color: bool,
}

impl Environment {
    /// What `read` says of the variables that matter here; an empty variable counts as unset.
    pub fn read(read: impl Fn(&str) -> Option<String>) -> Environment {
        let set = |name: &str| read(name).filter(|value| !value.is_empty());
        Environment {
            term: set("TERM").unwrap_or_default(),
            locale: set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG")).unwrap_or_default(),
            colorfgbg: set("COLORFGBG").unwrap_or_default(),
            no_color: set("NO_COLOR").is_some(),
        }
    }

    /// The last field of `COLORFGBG` is the background: 7 and 9 to 15 are light.
    fn light_background(&self) -> bool {
        let background = self.colorfgbg.rsplit(';').next().and_then(|n| n.parse::<u8>().ok());
        matches!(background, Some(7 | 9..=15))
    }

    /// True where line characters cannot be trusted to be drawn.
    pub fn wants_ascii(&self) -> bool {
        let locale = self.locale.to_ascii_lowercase();
        let utf8 = locale.contains("utf-8") || locale.contains("utf8");
        matches!(self.term.as_str(), "linux" | "dumb") || !utf8
    }
}

/// Everything a view needs to know about how to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// The styles.
    pub theme: Theme,
    /// The line marks.
    pub glyphs: Glyphs,
    /// True while the ledger is shown; false while `t` hides it.
    pub truth: bool,
    /// The job whose bars stand out, if one is selected.
    pub selected: Option<Job>,
}

impl Look {
    /// Theme and glyphs with the truth shown and no job selected.
    pub fn new(theme: Theme, glyphs: Glyphs) -> Look {
        Look { theme, glyphs, truth: true, selected: None }
    }

    /// The style of `role`.
    pub fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROLES: [Role; 10] = [
        Role::Text,
        Role::Strong,
        Role::Dim,
        Role::Ok,
        Role::Look,
        Role::Bad,
        Role::BadMark,
        Role::Accent,
        Role::Title,
        Role::Mine,
    ];

    fn environment(pairs: &[(&str, &str)]) -> Environment {
        Environment::read(|name| pairs.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn no_role_uses_bright_black_or_a_colour_beyond_the_sixteen() {
        for theme in [Theme::Dark, Theme::Light, Theme::Mono] {
            for role in ROLES {
                let style = theme.style(role);
                assert!(
                    !matches!(style.fg, Some(Color::DarkGray | Color::Rgb(..) | Color::Indexed(_))),
                    "{theme:?} {role:?}"
                );
                assert_eq!(style.bg, None, "{theme:?} {role:?}");
            }
        }
    }

    #[test]
    fn mono_has_no_colour_at_all() {
        for role in ROLES {
            assert_eq!(Theme::Mono.style(role).fg, None, "{role:?}");
        }
    }

    #[test]
    fn no_color_counts_only_when_it_is_not_empty() {
        let choose = |env| Theme::choose(ThemeChoice::Auto, ColourChoice::Auto, &environment(env));
        assert_eq!(choose(&[("NO_COLOR", "1")]), Theme::Mono);
        assert_eq!(choose(&[("NO_COLOR", "")]), Theme::Dark);
        assert_eq!(
            Theme::choose(ThemeChoice::Dark, ColourChoice::Always, &environment(&[("NO_COLOR", "1")])),
            Theme::Dark
        );
    }

    #[test]
    fn auto_follows_colorfgbg_and_is_dark_without_it() {
        for (value, theme) in
            [("15;0", Theme::Dark), ("0;15", Theme::Light), ("0;default;7", Theme::Light), ("", Theme::Dark)]
        {
            let env = environment(&[("COLORFGBG", value)]);
            assert_eq!(Theme::choose(ThemeChoice::Auto, ColourChoice::Auto, &env), theme, "{value}");
        }
    }

    #[test]
    fn ascii_is_chosen_unasked_on_the_console_and_without_utf_8() {
        assert!(environment(&[("TERM", "linux"), ("LANG", "en_US.UTF-8")]).wants_ascii());
        assert!(environment(&[("TERM", "xterm"), ("LANG", "C")]).wants_ascii());
        assert!(environment(&[("TERM", "xterm")]).wants_ascii());
        assert!(!environment(&[("TERM", "xterm"), ("LANG", "de_DE.UTF-8")]).wants_ascii());
        assert!(environment(&[("TERM", "xterm"), ("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")]).wants_ascii());
        assert!(!environment(&[("TERM", "xterm"), ("LC_ALL", ""), ("LC_CTYPE", "C.utf8")]).wants_ascii());
    }
}

//! What the program wrote, byte by byte: a terminal's picture hides what a terminal obeyed.

/// Enters the alternate screen.
pub const ENTER: &str = "\x1b[?1049h";
/// Leaves the alternate screen.
pub const LEAVE: &str = "\x1b[?1049l";
/// Shows the cursor.
pub const SHOW_CURSOR: &str = "\x1b[?25h";
/// Hides the cursor.
pub const HIDE_CURSOR: &str = "\x1b[?25l";
/// Tells pastes from typing.
pub const PASTE_ON: &str = "\x1b[?2004h";
/// Tells them no more.
pub const PASTE_OFF: &str = "\x1b[?2004l";

/// How often `wanted` occurs.
pub fn count(raw: &[u8], wanted: &str) -> usize {
    raw.windows(wanted.len()).filter(|window| *window == wanted.as_bytes()).count()
}

/// True if `last` occurs, and `first` does not occur behind it.
pub fn ends_with(raw: &[u8], last: &str, first: &str) -> bool {
    let place = |wanted: &str| raw.windows(wanted.len()).rposition(|window| window == wanted.as_bytes());
    place(last).is_some() && place(first) < place(last)
}

/// The bytes that make a terminal do what no program of this kind asks for: set its title or clipboard, answer on
/// standard input, or turn the direction of a line. Each as it was found.
pub fn forbidden(raw: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(raw);
    let mut found = Vec::new();
    for opening in ["\x1b]", "\x1bP", "\x1b^", "\x1b_", "\x1bX"] {
        found.extend(text.match_indices(opening).map(|(at, _)| format!("{opening:?} at {at}")));
    }
    found.extend(sequences(raw).filter(|(_, last)| *last == b'n').map(|(inner, _)| format!("a query: {inner:?}")));
    let steers = |c: &char| {
        ('\u{80}'..='\u{9f}').contains(c)
            || ('\u{200b}'..='\u{200f}').contains(c)
            || ('\u{202a}'..='\u{202e}').contains(c)
            || ('\u{2066}'..='\u{2069}').contains(c)
            || *c == '\u{fffd}'
    };
    found.extend(text.chars().filter(steers).map(|c| format!("{c:?}")));
    found
}

/// The colours that were asked for. The default colour is none.
pub fn colours(raw: &[u8]) -> Vec<u32> {
    let styles = sequences(raw).filter(|(_, last)| *last == b'm');
    let numbers = styles
        .flat_map(|(inner, _)| inner.split([';', ':']).filter_map(|number| number.parse().ok()).collect::<Vec<u32>>());
    numbers.filter(|n| matches!(n, 30..=38 | 40..=48 | 90..=97 | 100..=107)).collect()
}

/// The control sequences: what stands between `ESC [` and the last byte, and the last byte.
fn sequences(raw: &[u8]) -> impl Iterator<Item = (String, u8)> + '_ {
    let starts = raw.windows(2).enumerate().filter(|(_, pair)| *pair == b"\x1b[").map(|(at, _)| at + 2);
    starts.filter_map(|start| {
        let length = raw[start..].iter().position(|byte| (0x40..=0x7e).contains(byte))?;
        let inner = String::from_utf8_lossy(&raw[start..start + length]).into_owned();
        Some((inner, raw[start + length]))
    })
}

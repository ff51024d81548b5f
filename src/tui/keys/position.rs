//! Where letters of other scripts sit on the keyboard, so that command keys work by position on layouts that send no
//! Latin letter. Text fields never use this.

/// Rows of keys as typed on a Latin keyboard, and by the same keys on others. A Latin letter is left alone.
const LAYOUTS: [(&str, &str); 6] = [
    ("qwertyuiop[]", "йцукенгшщзхъ"),
    ("asdfghjkl;'", "фывапролджэ"),
    ("zxcvbnm,./", "ячсмитьбю."),
    ("wertyuiop", "ςερτυθιοπ"),
    ("asdfghjkl", "ασδφγηξκλ"),
    ("zxcvbnm", "ζχψωβνμ"),
];

/// The Latin character on the key that types `c`, in the same case; `None` for Latin characters themselves.
pub fn latin(c: char) -> Option<char> {
    if c.is_ascii() {
        return None;
    }
    let lower = c.to_lowercase().next()?;
    let (latin, _) = LAYOUTS
        .iter()
        .find_map(|(latin, other)| latin.chars().zip(other.chars()).find(|(_, typed)| *typed == lower))?;
    Some(if c.is_uppercase() { latin.to_ascii_uppercase() } else { latin })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_mapped_with_their_case_and_latin_ones_are_left_alone() {
        assert_eq!(latin('ф'), Some('a'));
        assert_eq!(latin('Ф'), Some('A'));
        assert_eq!(latin('λ'), Some('l'));
        assert_eq!(latin('x'), None);
        assert_eq!(latin('日'), None);
    }
}

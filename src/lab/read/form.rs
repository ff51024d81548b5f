//! The form of a file: from text to the tree that TOML makes of it.
//!
//! Brackets that stand too deep in each other, and keys of too many parts, are refused by their tokens alone, before
//! anything is made of them: what reads them takes longer for each the more there are.

use std::ops::Range;

use toml::Spanned;
use toml::de::DeTable;
use toml_parser::lexer::TokenKind;

use super::problem::Findings;

/// How deep brackets may stand in each other, and of how many parts a key may be; a lab needs three.
const DEEPEST: usize = 16;

/// The file as a tree. Doubled keys are told and the rest of the file is read on; after any other slip in its form there is
/// no telling what was meant.
pub(super) fn document<'a>(text: &'a str, found: &mut Findings) -> Option<Spanned<DeTable<'a>>> {
    if let Some((at, what)) = too_deep(text) {
        found.error(&at, what, None);
        return None;
    }
    let (document, errors) = DeTable::parse_recoverable(text);
    let mut whole = true;
    for error in errors {
        let doubled = error.message() == "duplicate key";
        whole &= doubled;
        let at = error.span().unwrap_or(0..0);
        if doubled {
            found.error(&at, "this key is there already", Some("each key stands once in its table".to_owned()));
        } else {
            found.error(&at, format!("not TOML: {}", error.message()), None);
        }
    }
    whole.then_some(document)
}

/// The first bracket or part of a key that stands too deep, if one does, and what is wrong with it.
fn too_deep(text: &str) -> Option<(Range<usize>, String)> {
    let (mut open, mut dots) = (Vec::new(), 0_usize);
    for token in toml_parser::Source::new(text).lex() {
        nest(&mut open, token.kind());
        dots = match token.kind() {
            TokenKind::Dot => dots + 1,
            TokenKind::Atom | TokenKind::BasicString | TokenKind::LiteralString | TokenKind::Whitespace => dots,
            _ => 0,
        };
        let what = match (open.len() > DEEPEST, dots >= DEEPEST) {
            (true, _) => format!("more than {DEEPEST} brackets are open here"),
            (_, true) => format!("this key has more than {DEEPEST} parts"),
            _ => continue,
        };
        let span = token.span();
        return Some((span.start()..span.end(), what));
    }
    None
}

/// Opens or closes a bracket. One that closes another kind than the last one that was opened closes none.
fn nest(open: &mut Vec<TokenKind>, kind: TokenKind) {
    let opener = match kind {
        TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => return open.push(kind),
        TokenKind::RightSquareBracket => TokenKind::LeftSquareBracket,
        TokenKind::RightCurlyBracket => TokenKind::LeftCurlyBracket,
        _ => return,
    };
    if open.last() == Some(&opener) {
        open.pop();
    }
}

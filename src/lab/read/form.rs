//! The form of a file: from text to the tree that TOML makes of it.
//!
//! Brackets that stand too deep in each other are refused by their tokens alone, before anything is made of them: what
//! reads them takes longer for each bracket the more there are.

use std::ops::Range;

use toml::Spanned;
use toml::de::DeTable;
use toml_parser::lexer::TokenKind;

use super::problem::Findings;

/// How deep brackets may stand in each other; a lab needs three.
const DEEPEST: usize = 16;

/// The file as a tree. Doubled keys are told and the rest of the file is read on; after any other slip in its form there is
/// no telling what was meant.
pub(super) fn document<'a>(text: &'a str, found: &mut Findings) -> Option<Spanned<DeTable<'a>>> {
    if let Some(at) = too_deep(text) {
        found.error(&at, format!("more than {DEEPEST} brackets are open here"), None);
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

/// The first bracket that stands too deep, if one does. A bracket that closes another kind than the last one that was
/// opened closes none.
fn too_deep(text: &str) -> Option<Range<usize>> {
    let mut open = Vec::new();
    for token in toml_parser::Source::new(text).lex() {
        match token.kind() {
            kind @ (TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket) => open.push(kind),
            TokenKind::RightSquareBracket if open.last() == Some(&TokenKind::LeftSquareBracket) => {
                open.pop();
            }
            TokenKind::RightCurlyBracket if open.last() == Some(&TokenKind::LeftCurlyBracket) => {
                open.pop();
            }
            _ => {}
        }
        if open.len() > DEEPEST {
            let span = token.span();
            return Some(span.start()..span.end());
        }
    }
    None
}

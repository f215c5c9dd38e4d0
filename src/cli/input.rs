//! What several commands read in the same way: positions, materials, sizes.

use anyhow::{Result, bail};
use retrograde::chess::Position;
use retrograde::chess::material::{MAX_MEN, Material};
use retrograde::game::Game;
use retrograde::xiangqi;

/// Ranks of a xiangqi board, by which its FEN is known.
const XIANGQI_RANKS: usize = 10;
const CHESS_RANKS: usize = 8;

/// More threads than any machine has use for.
const MAX_THREADS: usize = 1024;

/// The text of a FEN given as one argument or as several words, `_` for a space as addresses have
/// it.
fn fen(words: &[String]) -> String {
    words.join(" ").replace('_', " ")
}

/// The position of a FEN given as one argument or as several words.
pub fn position(words: &[String]) -> Result<Position> {
    let fen = fen(words);
    if fen.trim() == "startpos" {
        return Ok(Position::start());
    }
    match ranks(&fen) {
        XIANGQI_RANKS => bail!(
            "this is a xiangqi board of ten ranks; add --game xiangqi, or write eight ranks for chess"
        ),
        ranks if ranks > CHESS_RANKS => {
            bail!(
                "FEN board has {ranks} ranks: write 8 for chess or 10 for xiangqi, separated by `/`"
            )
        }
        _ => {}
    }
    Ok(Position::from_fen(&complete(
        &fen,
        ["w", "-", "-", "0", "1"],
    ))?)
}

/// A FEN of which only the first fields were typed, with what stands for the others.
fn complete<const N: usize>(fen: &str, rest: [&str; N]) -> String {
    let mut fields: Vec<&str> = fen.split_whitespace().collect();
    if let Some(missing) = fields
        .len()
        .checked_sub(1)
        .and_then(|typed| rest.get(typed..))
    {
        fields.extend(missing);
    }
    fields.join(" ")
}

/// Whether a FEN given as one argument or as several words is of xiangqi.
fn is_xiangqi(words: &[String]) -> bool {
    ranks(&fen(words)) == XIANGQI_RANKS
}

/// The ranks of the board of a FEN.
fn ranks(fen: &str) -> usize {
    let board = fen.split_whitespace().next().unwrap_or_default();
    board.split('/').count()
}

/// Whether a FEN is to be read as xiangqi: as said, or by its ranks.
pub fn means_xiangqi(game: Option<Game>, words: &[String]) -> bool {
    match game {
        Some(game) => game == Game::Xiangqi,
        None => is_xiangqi(words),
    }
}

/// The xiangqi position of a FEN given as one argument or as several words.
pub fn xiangqi_position(words: &[String]) -> Result<xiangqi::Position> {
    let fen = fen(words);
    if fen.trim() == "startpos" {
        return Ok(xiangqi::Position::start());
    }
    Ok(xiangqi::Position::from_fen(&complete(
        &fen,
        ["w", "-", "-", "0", "1"],
    ))?)
}

/// The position of the words of a line of EPD: four fields and operations, or a FEN of six fields.
/// And the words behind it. Behind four fields the operations `hmvc` and `fmvn` stand for the two
/// that are missing.
pub fn epd(words: &[String]) -> Result<(Position, &[String])> {
    let fields = match (words, has_counters(words)) {
        // A word for all of them.
        ([first, ..], _) if first.contains('_') => 1,
        (_, true) => 6,
        (_, false) => 4,
    };
    let (words, rest) = words.split_at(fields.min(words.len()));
    let mut fen = fen(words);
    if fen.split_whitespace().count() == 4 {
        let operations = rest.join(" ");
        let counter = |name, otherwise| operand(&operations, name).unwrap_or(otherwise);
        fen += &format!(" {} {}", counter("hmvc", "0"), counter("fmvn", "1"));
    }
    Ok((position(&[fen])?, rest))
}

/// What an operation of a line of EPD is given, if it is there: each ends with a semicolon that is
/// not within quotes.
fn operand<'a>(operations: &'a str, name: &str) -> Option<&'a str> {
    let mut is_quoted = false;
    let mut operations = operations.split(|letter| {
        is_quoted ^= letter == '"';
        letter == ';' && !is_quoted
    });
    operations.find_map(|operation| {
        let (first, rest) = operation.trim().split_once(' ')?;
        (first == name).then(|| rest.trim())
    })
}

/// The xiangqi position of such words, where the two fields that it has no use for may be missing.
/// And the words behind it.
pub fn xiangqi_epd(words: &[String]) -> Result<(xiangqi::Position, &[String])> {
    let is_unused = |number: usize| words.get(number).is_some_and(|word| word == "-");
    let has_unused = is_unused(2) && is_unused(3);
    let fields = match (words, has_unused, has_counters(words)) {
        ([first, ..], ..) if first.contains('_') => 1,
        (_, true, true) => 6,
        (_, true, false) => 4,
        (_, false, _) => 2,
    };
    let (fen, rest) = words.split_at(fields.min(words.len()));
    Ok((xiangqi_position(fen)?, rest))
}

/// Whether the fifth and sixth word of a FEN are numbers.
fn has_counters(words: &[String]) -> bool {
    let is_counter = |word: Option<&String>| {
        word.is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
    };
    is_counter(words.get(4)) && is_counter(words.get(5))
}

/// A material in the form that has a table, from a signature in any order and case.
pub fn material(signature: &str) -> Result<Material, retrograde::chess::material::MaterialError> {
    Ok(signature.parse::<Material>()?.normal_form())
}

/// A xiangqi material in the form that has a table.
pub fn xiangqi_material(signature: &str) -> Result<xiangqi::Material> {
    Ok(signature.parse::<xiangqi::Material>()?.normal_form())
}

/// A number of men that tables exist for.
pub fn men(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(men) if (3..=MAX_MEN).contains(&men) => Ok(men),
        _ => Err(format!("tables have 3 to {MAX_MEN} men, kings included")),
    }
}

/// A number of threads.
pub fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads) if (1..=MAX_THREADS).contains(&threads) => Ok(threads),
        _ => Err(format!("write a number from 1 to {MAX_THREADS}")),
    }
}

/// Bytes, from a number with or without K, M, G or T, which are powers of 1024.
pub fn size(text: &str) -> Result<u64, String> {
    let wrong = || "write a number of bytes such as 512M or 2G".to_owned();
    let upper = text.trim().to_ascii_uppercase();
    let digits = upper.trim_end_matches("IB").trim_end_matches('B');
    let (number, shift) = match digits.chars().last() {
        Some('K') => (&digits[..digits.len() - 1], 10),
        Some('M') => (&digits[..digits.len() - 1], 20),
        Some('G') => (&digits[..digits.len() - 1], 30),
        Some('T') => (&digits[..digits.len() - 1], 40),
        _ => (digits, 0),
    };
    let number: f64 = number.trim().parse().map_err(|_| wrong())?;
    let bytes = number * (1u64 << shift) as f64;
    // 2^53 bytes: above, a float no longer counts single bytes, and no machine has as many.
    if !(1.0..=9e15).contains(&bytes) {
        return Err(wrong());
    }
    Ok(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_units() {
        assert_eq!(size("512M"), Ok(512 << 20));
        assert_eq!(size("2g"), Ok(2 << 30));
        assert_eq!(size("1.5GiB"), Ok(3 << 29));
        assert_eq!(size("4096"), Ok(4096));
        for wrong in ["", "G", "-1", "0", "nan", "inf", "2X", "1e30"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}

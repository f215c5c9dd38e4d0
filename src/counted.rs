//! Numbers of things in messages.

use std::fmt::Display;

/// A number of things, of which one is called by the noun.
pub fn counted(number: impl Display, noun: &str) -> String {
    let number = number.to_string();
    match (number.as_str(), noun.strip_suffix("ly")) {
        ("1", _) => format!("1 {noun}"),
        (_, Some(start)) => format!("{number} {start}lies"),
        (_, None) => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_called_many() {
        let lengths = [0_usize, 1, 2].map(|number| counted(number, "square"));
        assert_eq!(lengths, ["0 squares", "1 square", "2 squares"]);
        let plies = [0_i32, 1, 12].map(|number| counted(number, "ply"));
        assert_eq!(plies, ["0 plies", "1 ply", "12 plies"]);
    }
}

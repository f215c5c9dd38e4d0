//! A move generator that shares nothing with the library: an array of letters and the rules as
//! written down.

/// Ranks from red's side, files from red's left; `.` is empty.
type Letters = [[char; 9]; 10];

/// The board of a FEN and whether red is to move.
fn read(fen: &str) -> (Letters, bool) {
    let mut fields = fen.split(' ');
    let mut letters = [['.'; 9]; 10];
    for (row, text) in fields.next().unwrap().split('/').enumerate() {
        let mut file = 0;
        for letter in text.chars() {
            match letter.to_digit(10) {
                Some(empty) => file += empty as usize,
                None => {
                    letters[9 - row][file] = letter;
                    file += 1;
                }
            }
        }
    }
    (letters, fields.next() == Some("w"))
}

fn at(letters: &Letters, file: i32, rank: i32) -> Option<char> {
    let row = letters.get(usize::try_from(rank).ok()?)?;
    row.get(usize::try_from(file).ok()?).copied()
}

fn is_ours(letter: char, red: bool) -> bool {
    letter != '.' && letter.is_ascii_uppercase() == red
}

/// What a side can do, its king left aside: file and rank from, file and rank to.
fn pseudo_legal(letters: &Letters, red: bool) -> Vec<[i32; 4]> {
    let mut moves = Vec::new();
    for rank in 0..10 {
        for file in 0..9 {
            let letter = letters[rank as usize][file as usize];
            if is_ours(letter, red) {
                for [to_file, to_rank] in targets(letters, letter, file, rank) {
                    let target = at(letters, to_file, to_rank);
                    if target.is_some_and(|target| !is_ours(target, red)) {
                        moves.push([file, rank, to_file, to_rank]);
                    }
                }
            }
        }
    }
    moves
}

const STRAIGHT: [[i32; 2]; 4] = [[1, 0], [-1, 0], [0, 1], [0, -1]];
const OBLIQUE: [[i32; 2]; 4] = [[1, 1], [-1, 1], [1, -1], [-1, -1]];

fn targets(letters: &Letters, letter: char, file: i32, rank: i32) -> Vec<[i32; 2]> {
    let red = letter.is_ascii_uppercase();
    let forward = if red { 1 } else { -1 };
    let in_palace = |&[file, rank]: &[i32; 2]| {
        let from_its_end = if red { rank } else { 9 - rank };
        (3..=5).contains(&file) && (0..=2).contains(&from_its_end)
    };
    let at_home = |rank: i32| if red { rank < 5 } else { rank > 4 };
    let is_empty = |file: i32, rank: i32| at(letters, file, rank) == Some('.');
    let step = |[f, r]: [i32; 2]| [file + f, rank + r];
    match letter.to_ascii_uppercase() {
        'K' => STRAIGHT.map(step).into_iter().filter(in_palace).collect(),
        'A' => OBLIQUE.map(step).into_iter().filter(in_palace).collect(),
        'B' => OBLIQUE
            .into_iter()
            .filter(|[f, r]| is_empty(file + f, rank + r) && at_home(rank + 2 * r))
            .map(|[f, r]| [file + 2 * f, rank + 2 * r])
            .collect(),
        'N' => STRAIGHT
            .into_iter()
            .filter(|[f, r]| is_empty(file + f, rank + r))
            .flat_map(|[f, r]| [[2 * f + r, 2 * r + f], [2 * f - r, 2 * r - f]])
            .map(step)
            .collect(),
        'P' if at_home(rank) => vec![[file, rank + forward]],
        'P' => vec![[file, rank + forward], [file + 1, rank], [file - 1, rank]],
        'R' | 'C' => along_lines(letters, letter, file, rank),
        _ => unreachable!("{letter}"),
    }
}

fn along_lines(letters: &Letters, letter: char, file: i32, rank: i32) -> Vec<[i32; 2]> {
    let mut targets = Vec::new();
    for [f, r] in STRAIGHT {
        let mut screens = 0;
        for n in 1.. {
            let Some(target) = at(letters, file + n * f, rank + n * r) else {
                break;
            };
            let captures_over = if letter.eq_ignore_ascii_case(&'C') {
                1
            } else {
                0
            };
            let is_empty = target == '.';
            if (is_empty && screens == 0) || (!is_empty && screens == captures_over) {
                targets.push([file + n * f, rank + n * r]);
            }
            screens += i32::from(!is_empty);
        }
    }
    targets
}

fn find_king(letters: &Letters, red: bool) -> [i32; 2] {
    let king = if red { 'K' } else { 'k' };
    (0..10)
        .flat_map(|rank| (0..9).map(move |file| [file, rank]))
        .find(|&[file, rank]| at(letters, file, rank) == Some(king))
        .unwrap()
}

fn kings_face(letters: &Letters) -> bool {
    let [file, low] = find_king(letters, true);
    let [other, high] = find_king(letters, false);
    file == other && (low + 1..high).all(|rank| at(letters, file, rank) == Some('.'))
}

fn is_attacked(letters: &Letters, red: bool) -> bool {
    let [file, rank] = find_king(letters, red);
    pseudo_legal(letters, !red)
        .iter()
        .any(|&[_, _, to_file, to_rank]| [to_file, to_rank] == [file, rank])
}

fn after(letters: &Letters, [file, rank, to_file, to_rank]: [i32; 4]) -> Letters {
    let mut next = *letters;
    next[to_rank as usize][to_file as usize] = letters[rank as usize][file as usize];
    next[rank as usize][file as usize] = '.';
    next
}

fn name([file, rank, to_file, to_rank]: [i32; 4]) -> String {
    let letter = |file: i32| char::from(b'a' + file as u8);
    format!("{}{rank}{}{to_rank}", letter(file), letter(to_file))
}

/// The legal moves of a position in ICCS, sorted, each with whether it gives check.
pub fn legal_moves(fen: &str) -> Vec<(String, bool)> {
    let (letters, red) = read(fen);
    let mut moves: Vec<(String, bool)> = pseudo_legal(&letters, red)
        .into_iter()
        .map(|m| (m, after(&letters, m)))
        .filter(|(_, next)| !is_attacked(next, red) && !kings_face(next))
        .map(|(m, next)| (name(m), is_attacked(&next, !red)))
        .collect();
    moves.sort();
    moves
}

/// Every move that keeps the rules of its man, sorted.
pub fn pseudo_legal_moves(fen: &str) -> Vec<String> {
    let (letters, red) = read(fen);
    let mut moves: Vec<String> = pseudo_legal(&letters, red).into_iter().map(name).collect();
    moves.sort();
    moves
}

/// Whether the side to move is in check.
pub fn is_check(fen: &str) -> bool {
    let (letters, red) = read(fen);
    is_attacked(&letters, red)
}

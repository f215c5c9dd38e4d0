//! The positions of one material as words.
//!
//! One attacker is the *bit* of a word, a number below 90. The address of the word is made of both
//! camps and the squares of the other attackers, the last one fastest:
//!
//! ```text
//! KNPvKAABB:  address = (black camp * 9 + red king) * 55 + pawn        bit = knight
//! ```
//!
//! The first camp is *folded*: of a camp and its mirror image only one has an address. A position
//! whose first camp is its own mirror image is there twice, once for each mirror image of the rest;
//! both are kept in step.

use super::home::{Home, NONE};
use crate::game::{Bits, Color};
use crate::xiangqi::rules::{Bitboard, Role, mirror, squares};
use crate::xiangqi::{Camps, Material};

/// A man that can cross the river.
pub type Attacker = (Color, Role);

/// More attackers than a solvable material has beside the one in the word.
pub(super) const MAX_ATTACKERS: usize = 8;

/// One attacker whose square is in the address.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub man: Attacker,
    /// The squares it can stand on, in the order of the address.
    pub squares: Vec<u8>,
    /// Words from one place to the next.
    pub stride: usize,
    /// Inverse of `squares`; `u8::MAX` where it cannot stand.
    pub places: [u8; 90],
}

/// All positions of a material.
#[derive(Debug)]
pub struct Space {
    /// The material, in the colours it is laid out in; not always in normal form.
    pub material: Material,
    /// The attacker in the word.
    pub word_man: Attacker,
    /// Number of words of a set.
    pub words: usize,
    pub(super) homes: [Home; 2],
    /// Whose camp comes first and is folded.
    pub(super) folded: Color,
    pub(super) axes: Vec<Axis>,
    /// Words that share both camps.
    pub(super) inner: usize,
    /// For each of them, where the attackers of the address stand.
    pub(super) attackers: Vec<Bitboard>,
    /// For each of them, the one with left and right exchanged.
    pub(super) mirrored: Vec<u32>,
    /// The squares of the man in the word.
    pub(super) domain: Bitboard,
}

/// Where the men of an address stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The camps by color.
    pub camps: [u32; 2],
    /// Which of the words that share them.
    pub inner: usize,
    /// All squares in use.
    pub occupied: Bitboard,
}

/// A square with left and right exchanged.
#[inline(always)]
pub(super) fn mirror_square(square: u8) -> u8 {
    80 + square - square / 10 * 20
}

/// The attackers of a material: red's before black's, the strongest first.
fn attackers(material: &Material) -> Vec<Attacker> {
    let roles = || {
        Role::ALL
            .into_iter()
            .rev()
            .filter(|role| role.is_attacker())
    };
    Color::ALL
        .into_iter()
        .flat_map(|color| roles().map(move |role| (color, role)))
        .flat_map(|man| std::iter::repeat_n(man, material.count(man.0, man.1)))
        .collect()
}

/// What it costs to have a man in the word: the moves of a knight are few operations there, those
/// of a rook many, and a pawn leaves two bits in five unused.
const IN_THE_WORD: [Role; 4] = [Role::Knight, Role::Rook, Role::Cannon, Role::Pawn];

/// The attacker that a material has in its words, or `None` if it has no attacker.
#[must_use]
pub fn word_man(material: &Material) -> Option<Attacker> {
    let all = attackers(material);
    IN_THE_WORD
        .into_iter()
        .find_map(|role| all.iter().copied().find(|man| man.1 == role))
}

/// The words of a set of positions of a material; `None` where [`Space::new`] makes no space of it.
#[must_use]
pub fn words(material: &Material) -> Option<u64> {
    let mut addressed = attackers(material);
    let in_word = word_man(material)?;
    addressed.remove(addressed.iter().position(|&man| man == in_word)?);
    if addressed.len() > MAX_ATTACKERS {
        return None;
    }
    let [red, black] = Color::ALL.map(|color| {
        let camps = Camps::new(
            material.count(color, Role::Advisor),
            material.count(color, Role::Elephant),
        );
        (camps.folded_len() as u64, camps.len() as u64)
    });
    // The camp that loses the larger share is folded, black's if they are alike.
    let share = |(folded, all): (u64, u64)| folded as f64 / all as f64;
    let camps = match share(red) < share(black) {
        true => red.0 * black.1,
        false => red.1 * black.0,
    };
    let words = (addressed.iter())
        .map(|man| u64::from(man.1.domain(man.0).count_ones()))
        .try_fold(camps, u64::checked_mul)?;
    u32::try_from(words).ok().map(u64::from)
}

impl Space {
    /// The positions of a material with that attacker in the word, or `None` if it has none of them
    /// or the sets would have more words than 32 bits can number.
    #[must_use]
    pub fn new(material: Material, word_man: Attacker) -> Option<Space> {
        let mut addressed = attackers(&material);
        let in_word = addressed.iter().position(|&man| man == word_man)?;
        addressed.remove(in_word);
        if addressed.len() > MAX_ATTACKERS {
            return None;
        }
        let mut homes = Color::ALL.map(|color| {
            Home::new(
                color,
                material.count(color, Role::Advisor),
                material.count(color, Role::Elephant),
            )
        });
        let share = |home: &Home| home.folded_len() as f64 / home.len() as f64;
        let folded = if share(&homes[0]) < share(&homes[1]) {
            Color::White
        } else {
            Color::Black
        };
        homes[folded.index()].fold();
        let mut inner = 1usize;
        let mut axes = Vec::new();
        for &man in addressed.iter().rev() {
            let domain: Vec<u8> = squares(man.1.domain(man.0))
                .map(|square| square.index() as u8)
                .collect();
            let mut places = [u8::MAX; 90];
            for (place, &square) in (0..).zip(&domain) {
                places[usize::from(square)] = place;
            }
            let stride = inner;
            inner = inner.checked_mul(domain.len())?;
            axes.push(Axis {
                man,
                squares: domain,
                stride,
                places,
            });
        }
        axes.reverse();
        let words = homes
            .iter()
            .try_fold(inner, |words, home| words.checked_mul(home.numbers.len()))?;
        u32::try_from(words).ok()?;
        let mut space = Space {
            material,
            word_man,
            words,
            homes,
            folded,
            axes,
            inner,
            attackers: Vec::new(),
            mirrored: Vec::new(),
            domain: word_man.1.domain(word_man.0),
        };
        space.attackers = (0..inner)
            .map(|at| {
                let numbers = space.attacker_squares(at);
                let numbers = &numbers[..space.axes.len()];
                numbers.iter().fold(0, |set, &square| set | 1 << square)
            })
            .collect();
        space.mirrored = (0..inner)
            .map(|at| {
                let mut numbers = space.attacker_squares(at);
                for square in &mut numbers {
                    *square = mirror_square(*square);
                }
                space.inner_of(&numbers) as u32
            })
            .collect();
        Some(space)
    }

    /// How many squares the man in the word can stand on: so many positions a word has.
    #[must_use]
    pub fn domain_size(&self) -> u32 {
        self.domain.count_ones()
    }

    /// The colour of the camp that is not folded.
    #[inline(always)]
    pub(super) fn other(&self) -> Color {
        !self.folded
    }

    /// How many camps of the second dimension there are.
    #[inline(always)]
    pub(super) fn others(&self) -> usize {
        self.homes[self.other().index()].numbers.len()
    }

    /// The squares of the addressed attackers of a word, in the order of the axes.
    #[inline(always)]
    pub(super) fn attacker_squares(&self, inner: usize) -> [u8; MAX_ATTACKERS] {
        let mut numbers = [0; MAX_ATTACKERS];
        let mut rest = inner;
        for (axis, square) in self.axes.iter().zip(&mut numbers) {
            let place = rest / axis.stride;
            rest -= place * axis.stride;
            *square = axis.squares[place];
        }
        numbers
    }

    #[inline(always)]
    fn inner_of(&self, numbers: &[u8]) -> usize {
        self.axes
            .iter()
            .zip(numbers)
            .map(|(axis, &square)| usize::from(axis.places[usize::from(square)]) * axis.stride)
            .sum()
    }

    /// Where the men of an address stand.
    #[inline(always)]
    pub(super) fn place(&self, address: usize) -> Place {
        let camps = address / self.inner;
        let inner = address % self.inner;
        let [first, second] = [camps / self.others(), camps % self.others()];
        let mut numbers = [0; 2];
        numbers[self.folded.index()] = self.homes[self.folded.index()].numbers[first];
        numbers[self.other().index()] = second as u32;
        let [red, black] = numbers;
        Place {
            camps: numbers,
            inner,
            occupied: self.homes[0].occupied[red as usize]
                | self.homes[1].occupied[black as usize]
                | self.attackers[inner],
        }
    }

    /// The address of camps, of which the first must not be folded away, and of attackers.
    #[inline(always)]
    pub(super) fn address(&self, camps: [u32; 2], inner: usize) -> usize {
        let first = self.homes[self.folded.index()].places[camps[self.folded.index()] as usize];
        let second = camps[self.other().index()];
        (first as usize * self.others() + second as usize) * self.inner + inner
    }

    /// The address of these camps and attackers or of their mirror image, and which of them.
    #[inline(always)]
    pub(super) fn locate(&self, camps: [u32; 2], numbers: &[u8]) -> (usize, bool) {
        let folded = camps[self.folded.index()];
        let inner = self.inner_of(numbers);
        if self.homes[self.folded.index()].places[folded as usize] != NONE {
            return (self.address(camps, inner), false);
        }
        let mirrored = self.mirrored_camps(camps);
        (self.address(mirrored, self.mirrored[inner] as usize), true)
    }

    #[inline(always)]
    pub(super) fn mirrored_camps(&self, camps: [u32; 2]) -> [u32; 2] {
        std::array::from_fn(|side| self.homes[side].mirrored[camps[side] as usize])
    }

    /// The word and bit of a placement: by color and role the squares of its men, as many as the
    /// material has.
    ///
    /// `None` if a man stands where it cannot.
    #[must_use]
    pub fn find(&self, pieces: &[[Bitboard; 7]; 2]) -> Option<(usize, u32)> {
        let mut camps = [0; 2];
        for (side, camp) in camps.iter_mut().enumerate() {
            let of = |role: Role| pieces[side][role.index()];
            let king = squares(of(Role::King)).next()?;
            *camp = self.homes[side].number(
                king.index() as u8,
                of(Role::Advisor),
                of(Role::Elephant),
            )?;
        }
        let mut left = *pieces;
        let mut take = |(color, role): Attacker| {
            let set = &mut left[color.index()][role.index()];
            let square = squares(*set).next()?;
            *set &= !square.bit();
            (role.domain(color) & square.bit() != 0).then_some(square.index() as u8)
        };
        let bit = take(self.word_man)?;
        let mut numbers = [0; MAX_ATTACKERS];
        for (axis, number) in self.axes.iter().zip(&mut numbers) {
            *number = take(axis.man)?;
        }
        let (address, mirrored) = self.locate(camps, &numbers);
        let bit = if mirrored { mirror_square(bit) } else { bit };
        Some((address, bit.into()))
    }

    /// The words of two camps, by the numbers of [`Camps`](crate::xiangqi::Camps): the first of
    /// them, and whether they are those of the mirror image.
    pub(crate) fn words_of_camps(&self, camps: [u32; 2]) -> (usize, bool) {
        let folded = camps[self.folded.index()] as usize;
        let mirrored = self.homes[self.folded.index()].places[folded] == NONE;
        let camps = if mirrored {
            self.mirrored_camps(camps)
        } else {
            camps
        };
        (self.address(camps, 0), mirrored)
    }

    /// What the men of one kind add to the number of a position, address times 128 plus bit.
    pub(crate) fn contribution(&self, man: Attacker, squares_of_men: Bitboard) -> usize {
        let mut men = squares(squares_of_men).map(|square| square.index());
        let mut sum = 0;
        if man == self.word_man {
            sum += men.next().unwrap_or(0);
        }
        let axes = self.axes.iter().filter(|axis| axis.man == man);
        for (axis, square) in axes.zip(men) {
            sum += usize::from(axis.places[square]) * axis.stride * 128;
        }
        sum
    }

    /// The men of one position by color and role.
    #[must_use]
    pub fn pieces(&self, address: usize, bit: u32) -> [[Bitboard; 7]; 2] {
        let place = self.place(address);
        let mut pieces = [[0; 7]; 2];
        for (side, home) in self.homes.iter().enumerate() {
            let camp = place.camps[side] as usize;
            pieces[side][Role::King.index()] = 1 << home.king[camp];
            pieces[side][Role::Advisor.index()] = home.advisors[camp];
            pieces[side][Role::Elephant.index()] = home.elephants[camp];
        }
        let numbers = self.attacker_squares(place.inner);
        for (axis, &square) in self.axes.iter().zip(&numbers) {
            pieces[axis.man.0.index()][axis.man.1.index()] |= 1 << square;
        }
        pieces[self.word_man.0.index()][self.word_man.1.index()] |= 1 << bit;
        pieces
    }

    /// Where the man of a word can stand on a square of its own; nowhere if two others share one.
    /// Many of these positions are not legal.
    #[must_use]
    pub fn possible(&self, address: usize) -> u128 {
        let occupied = self.place(address).occupied;
        match occupied.count() as usize + 1 == self.material.men() {
            true => self.domain & !occupied,
            false => 0,
        }
    }

    /// How many positions of the full board the position in a word stands for, 0 if another one
    /// stands for them: a position and its mirror image are counted with one of them, and men of a
    /// kind are not told apart.
    #[must_use]
    pub fn images(&self, address: usize) -> Images {
        let place = self.place(address);
        let folded = place.camps[self.folded.index()];
        let own_mirror_image = self.homes[self.folded.index()].mirrored[folded as usize] == folded;
        // Both mirror images of the rest have an address of their own where the camp is its own
        // mirror image.
        let weight = if own_mirror_image { 1 } else { 2 };
        let numbers = self.attacker_squares(place.inner);
        let numbers = &numbers[..self.axes.len()];
        let in_order = self
            .axes
            .windows(2)
            .zip(numbers.windows(2))
            .all(|(axes, pair)| axes[0].man != axes[1].man || pair[0] < pair[1]);
        // Of men of a kind, that in the word stands on the lowest square.
        let lowest = (self.axes.iter().zip(numbers))
            .filter(|(axis, _)| axis.man == self.word_man)
            .map(|(_, &square)| square)
            .min()
            .unwrap_or(90);
        Images {
            weight: if in_order { weight } else { 0 },
            counted: (1 << lowest) - 1,
        }
    }

    /// Left and right exchanged if so.
    #[inline(always)]
    pub(super) fn turned(word: u128, mirrored: bool) -> u128 {
        if mirrored { mirror(word) } else { word }
    }
}

/// Which positions of a word are counted, and how often.
#[derive(Clone, Copy, Debug)]
pub struct Images {
    /// Positions of the full board for each counted one.
    pub weight: u64,
    /// The bits that are counted.
    pub counted: u128,
}

//! Syzygy tables, small ones and what is made of others.
//!
//! Small tables are taken as they are. Large ones become miniatures: their own orders of men and
//! codes, but few blocks and a sparse index that leads there. Materials without a table get orders
//! and the code of another material. Two tables of the same metric give a cross: all that comes
//! before the blocks of one, the blocks of the other.

use std::error::Error;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use retrograde::chess::material::Material;
use retrograde::chess::{Piece, Role};
use retrograde::game::Color;
use retrograde::metric::Metric;
use retrograde::syzygy::{DTZ_MAGIC, Encoder, Flags, Table, WDL_MAGIC};
use retrograde_fuzz::Random;

/// Longest table that is taken as it is.
pub const SMALL: usize = 12_000;
const NO_RANK: u8 = 15;
const BLOCKS: usize = 8;
const MOST_ENTRIES: u64 = 256;

/// Where the parts of a file are.
struct Parts {
    encoders: Vec<Encoder>,
    heads: Vec<Range<usize>>,
    maps: Vec<Range<usize>>,
    end: usize,
}

fn streams(material: &Material, metric: Metric) -> (usize, usize) {
    let files = if material.has_pawns() { 4 } else { 1 };
    let sides = if metric == Metric::Wdl && !material.is_symmetric() {
        2
    } else {
        1
    };
    (files, sides)
}

fn both_have_pawns(material: &Material) -> bool {
    Color::ALL
        .iter()
        .all(|&color| material.count(color, Role::Pawn) > 0)
}

fn even(offset: usize) -> usize {
    offset.next_multiple_of(2)
}

fn parts(bytes: &[u8], material: &Material, metric: Metric) -> Option<Parts> {
    let (files, sides) = streams(material, metric);
    let mut offset = 5;
    let mut encoders = Vec::new();
    for file in 0..files {
        let leading = bytes[offset];
        let mut second = NO_RANK << 4 | NO_RANK;
        offset += 1;
        if both_have_pawns(material) {
            second = bytes[offset];
            offset += 1;
        }
        let men = bytes.get(offset..)?.get(..material.men())?;
        offset += men.len();
        for side in 0..sides {
            let nibble = |byte: u8| byte >> (4 * side) & 15;
            let pieces: Option<Vec<Piece>> = men.iter().map(|&byte| piece(nibble(byte))).collect();
            encoders.push(Encoder::new(&pieces?, [nibble(leading), nibble(second)], file).ok()?);
        }
    }
    offset = even(offset);
    let mut heads = Vec::new();
    for _ in 0..files * sides {
        let start = offset;
        offset += if bytes[start] & Flags::SINGLE_VALUE.bits() != 0 {
            2
        } else {
            let lengths = usize::from(bytes[start + 8] - bytes[start + 9] + 1);
            let symbols = start + 10 + 2 * lengths;
            let symbols = usize::from(u16::from_le_bytes([bytes[symbols], bytes[symbols + 1]]));
            even(12 + 2 * lengths + 3 * symbols + symbols % 2)
        };
        heads.push(start..offset);
    }
    let mut maps = Vec::new();
    for head in &heads {
        let flags = bytes[head.start];
        let mut start = offset;
        if metric == Metric::Dtz && flags & Flags::MAPPED.bits() != 0 {
            let is_wide = flags & Flags::WIDE.bits() != 0;
            start = if is_wide { even(start) } else { start };
            offset = start;
            for _ in 0..4 {
                offset += match is_wide {
                    true => {
                        2 + 2 * usize::from(u16::from_le_bytes([bytes[offset], bytes[offset + 1]]))
                    }
                    false => 1 + usize::from(bytes[offset]),
                };
            }
        }
        maps.push(start..offset);
    }
    Some(Parts {
        encoders,
        heads,
        maps,
        end: even(offset),
    })
}

fn piece(code: u8) -> Option<Piece> {
    let role = Role::from_index(usize::from(code & 7).checked_sub(1)?)?;
    Some(role.of(Color::ALL[usize::from(code >> 3)]))
}

fn code(piece: Piece) -> u8 {
    piece.role.index() as u8 + 1 + 8 * piece.color.index() as u8
}

/// What comes before the sparse index of a table of a material, with heads and maps of another one.
fn borrowed(material: &Material, metric: Metric, bytes: &[u8], parts: &Parts) -> Option<Vec<u8>> {
    let kinds: Vec<(Piece, usize)> = Color::ALL
        .iter()
        .flat_map(|&color| Role::ALL.map(|role| (role.of(color), material.count(color, role))))
        .filter(|&(_, count)| count > 0)
        .collect();
    let second = if both_have_pawns(material) {
        1
    } else {
        NO_RANK
    };
    let mut random = Random::new(1);
    let pieces = (0..10_000).find_map(|_| {
        let mut kinds = kinds.clone();
        for place in (1..kinds.len()).rev() {
            kinds.swap(place, random.below(place + 1));
        }
        let men = kinds
            .iter()
            .flat_map(|&(piece, count)| std::iter::repeat_n(piece, count));
        let men: Vec<Piece> = men.collect();
        Encoder::new(&men, [0, second], 0).is_ok().then_some(men)
    })?;
    let mut out = if metric == Metric::Wdl {
        WDL_MAGIC
    } else {
        DTZ_MAGIC
    }
    .to_vec();
    out.push(u8::from(!material.is_symmetric()) | u8::from(material.has_pawns()) << 1);
    let (files, sides) = streams(material, metric);
    for _ in 0..files {
        out.push(0);
        if both_have_pawns(material) {
            out.push(0x11);
        }
        out.extend(pieces.iter().map(|&piece| 17 * code(piece)));
    }
    out.resize(even(out.len()), 0);
    let of_stream = |stream: usize| stream % parts.heads.len();
    for stream in 0..files * sides {
        let head = &parts.heads[of_stream(stream)];
        out.extend(&bytes[head.clone()]);
        // White's distances, which every material has.
        let last = out.len() - head.len();
        out[last] &= !Flags::BLACK_TO_MOVE.bits();
    }
    for stream in 0..files * sides {
        if bytes[parts.heads[of_stream(stream)].start] & Flags::WIDE.bits() != 0 {
            out.resize(even(out.len()), 0);
        }
        out.extend(&bytes[parts.maps[of_stream(stream)].clone()]);
    }
    out.resize(even(out.len()), 0);
    Some(out)
}

/// A small file with this beginning, and blocks from `body`.
fn miniature(start: &[u8], parts: &Parts, body: &[u8]) -> Vec<u8> {
    let mut out = start[..parts.end.min(start.len())].to_vec();
    out.resize(parts.end, 0);
    let coded = |head: &&Range<usize>| start[head.start] & Flags::SINGLE_VALUE.bits() == 0;
    let mut spans = Vec::new();
    for (head, encoder) in parts.heads.iter().zip(&parts.encoders) {
        let span_bits = encoder
            .len()
            .div_ceil(MOST_ENTRIES)
            .next_power_of_two()
            .ilog2();
        if coded(&head) {
            out[head.start + 1] = out[head.start + 1].min(8);
            out[head.start + 2] = span_bits as u8;
            out[head.start + 3] = 0;
            out[head.start + 4..head.start + 8].copy_from_slice(&(BLOCKS as u32).to_le_bytes());
            spans.push((
                span_bits,
                encoder.len().div_ceil(1 << span_bits),
                out[head.start + 1],
            ));
        }
    }
    for &(_, entries, _) in &spans {
        for entry in 0..entries {
            out.extend((entry as u32 % 2 + BLOCKS as u32 / 2).to_le_bytes());
            out.extend([0, 0]);
        }
    }
    for &(span_bits, ..) in &spans {
        let more_values = ((1u64 << span_bits) / 2).clamp(1, 1 << 12) - 1;
        for _ in 0..BLOCKS {
            out.extend((more_values as u16).to_le_bytes());
        }
    }
    let mut body = body.iter().copied().cycle();
    for &(.., block_bits) in &spans {
        out.resize(out.len().next_multiple_of(64), 0);
        out.extend(body.by_ref().take(BLOCKS << block_bits));
    }
    out.resize(out.len() + 16, 0);
    out
}

fn is_table(bytes: &[u8], material: &Material, metric: Metric) -> bool {
    Table::from_store(Box::new(bytes.to_vec()), material, metric).is_ok()
}

/// Writes the seeds of one of the targets.
pub fn seeds(target: &Path, materials: &[&str], folders: &[PathBuf]) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(target)?;
    let mut made = [0, 0];
    for (choice, (metric, extension)) in [(Metric::Wdl, "rtbw"), (Metric::Dtz, "rtbz")]
        .into_iter()
        .enumerate()
    {
        let mut whole: Vec<(usize, Material, Vec<u8>, Parts)> = Vec::new();
        let mut seeds: Vec<(usize, String, Vec<u8>)> = Vec::new();
        for (number, name) in materials.iter().enumerate() {
            let material: Material = name.parse()?;
            let path = folders
                .iter()
                .map(|folder| folder.join(format!("{name}.{extension}")));
            let Some(path) = path.into_iter().find(|path| path.is_file()) else {
                continue;
            };
            let bytes = fs::read(path)?;
            let parts = parts(&bytes, &material, metric).ok_or("not a Syzygy table")?;
            let small = miniature(&bytes, &parts, &bytes[bytes.len() / 2..]);
            seeds.push((number, format!("{name}-miniature"), small));
            if bytes.len() <= SMALL {
                seeds.push((number, (*name).to_owned(), bytes.clone()));
            }
            whole.push((number, material, bytes, parts));
        }
        for (donor, (_, _, bytes, donated)) in whole.iter().enumerate().take(4) {
            for (number, name) in materials.iter().enumerate() {
                let material: Material = name.parse()?;
                let Some(start) = borrowed(&material, metric, bytes, donated) else {
                    continue;
                };
                let parts = parts(&start, &material, metric).ok_or("a beginning that is none")?;
                let body = &bytes[bytes.len() / 3..];
                seeds.push((
                    number,
                    format!("{name}-borrowed-{donor}"),
                    miniature(&start, &parts, body),
                ));
            }
        }
        for pair in whole.windows(2) {
            let [(number, _, bytes, parts), (_, _, other, others)] = pair else {
                continue;
            };
            if bytes.len().max(other.len()) <= SMALL {
                let cross = [&bytes[..parts.end], &other[others.end..]].concat();
                seeds.push((*number, format!("{}-cross", materials[*number]), cross));
            }
        }
        for (number, name, bytes) in seeds {
            let material: Material = materials[number].parse()?;
            made[usize::from(is_table(&bytes, &material, metric))] += 1;
            for is_unmapped in [0, 2] {
                let prefix = [number as u8, choice as u8 | is_unmapped];
                fs::write(
                    target.join(format!("{name}-{is_unmapped}.{extension}")),
                    [&prefix, &bytes[..]].concat(),
                )?;
            }
        }
    }
    println!(
        "{}: {} that can be opened, {} that cannot",
        target.display(),
        made[1],
        made[0]
    );
    Ok(())
}

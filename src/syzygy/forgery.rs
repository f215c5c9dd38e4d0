//! Tables with values that are not true, for tests of what should notice.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::layout::Flags;
use super::{
    EncodedStream, Encoder, LeadingPawns, LongStream, Maps, MenOrder, Sequence, Stream, Table,
    write_table,
};
use crate::chess::index::Placement;
use crate::chess::material::Material;
use crate::chess::rules::Role;
use crate::game::Color;
use crate::metric::Metric;
use crate::store::Scratch;

/// A table that can be changed and written again.
pub(crate) struct Forgery {
    material: Material,
    metric: Metric,
    pub streams: Vec<ForgedStream>,
}

/// A stream in the first of all orders of men, which need not be that of the file.
pub(crate) struct ForgedStream {
    order: MenOrder,
    pub encoder: Encoder,
    /// Who is to move, in the colours of the file.
    pub side: Color,
    flags: Flags,
    pub maps: Option<Maps>,
    pub values: Vec<u8>,
}

impl Forgery {
    pub fn read(path: &Path, material: &Material, metric: Metric) -> Forgery {
        let table = Table::open(path, material, metric).unwrap();
        let streams = (0..table.streams_len()).map(|number| {
            let stream = &table.layout.streams[number];
            let sequence = Sequence::new(&table, number).unwrap();
            let mut old = vec![0; stream.encoder.len() as usize];
            sequence.decode(0, &mut old).unwrap();
            let order = MenOrder::all(table.material()).swap_remove(0);
            let encoder = order.encoder(number / table.layout.sides).unwrap();
            let index = |placement: &Placement| {
                let color = encoder.leading_color();
                let pawns =
                    color.and_then(|color| LeadingPawns::new(placement.of(color, Role::Pawn)));
                stream.encoder.index(placement, pawns)
            };
            // Kings side by side have indices if other men lead.
            let values = (0..encoder.len()).map(|new| {
                let old_index = index(&encoder.placement(new).unwrap());
                old_index.map_or(0, |index| old[index as usize])
            });
            let kept = [
                Flags::BLACK_TO_MOVE,
                Flags::MAPPED,
                Flags::WINS_IN_PLIES,
                Flags::LOSSES_IN_PLIES,
            ];
            let kept = kept.into_iter().filter(|&flag| stream.flags.contain(flag));
            let flags = kept.fold(Flags::default(), Flags::with);
            let is_black = match metric {
                Metric::Wdl => number % table.layout.sides == 1,
                _ => flags.contain(Flags::BLACK_TO_MOVE),
            };
            let maps = stream.maps.each_ref().map(|map| {
                let bytes = map.iter().map(|&number| number as u8);
                bytes.collect::<Vec<u8>>()
            });
            ForgedStream {
                values: values.collect(),
                order,
                encoder,
                side: if is_black { Color::Black } else { Color::White },
                flags,
                maps: flags.contain(Flags::MAPPED).then_some(maps),
            }
        });
        Forgery {
            streams: streams.collect(),
            material: *table.material(),
            metric,
        }
    }

    /// Writes the table with a right checksum.
    pub fn write(&self, path: &Path) {
        let streams: Vec<Stream> = self
            .streams
            .iter()
            .map(|stream| Stream {
                order: stream.order.clone(),
                encoded: stream.encoded(self.metric),
                maps: stream.maps.clone(),
            })
            .collect();
        write_table(path, &self.material, self.metric, &streams).unwrap();
    }
}

impl ForgedStream {
    /// Encoded without looking for pairs, which takes most of the time otherwise.
    fn encoded(&self, metric: Metric) -> EncodedStream {
        let mut is_present = [false; 256];
        for &value in &self.values {
            is_present[usize::from(value)] = true;
        }
        let scratch = [(); 2].map(|()| Arc::new(Scratch::new(None).unwrap()));
        let places = scratch.each_ref();
        EncodedStream::of_long(self, &[], &is_present, self.flags, metric, places).unwrap()
    }
}

impl LongStream for ForgedStream {
    fn len(&self) -> u64 {
        self.values.len() as u64
    }

    fn fill(&self, start: u64, out: &mut [u8]) -> io::Result<()> {
        out.copy_from_slice(&self.values[start as usize..][..out.len()]);
        Ok(())
    }
}

//! Which tables there are: names, files opened when first asked, and the way from a position's
//! material to them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::ProbeOptions;
use super::error::ProbeError;
use crate::chess::index::{IndexSpace, MAX_DIMENSIONS, Order};
use crate::chess::material::Material;
use crate::chess::men::Men;
use crate::chess::rules::Role;
use crate::chess::rules::zobrist::MaterialKey;
use crate::chess::{Chess, ChessRules};
use crate::game::Color;
use crate::metric::{DtzRange, Metric, Wdl};
use crate::reserve::{gathered, room};
use crate::syzygy::{self, Kept, Memory};
use crate::table::{Description, Progress, Stream, Table};
use crate::tables::{
    Format, Places, check_header, check_streams, in_other_colors, list_by_name, parse_file_name,
};

/// What a file name of either format stands for, the material as the name has it.
fn parse_any_name(name: &str) -> Option<(Material, Metric, Format)> {
    let native = parse_file_name::<Chess>(name);
    let native = native.map(|(material, metric)| (material, metric, Format::Native));
    native.or_else(|| {
        let (material, metric) = syzygy::parse_file_name(name)?;
        Some((material, metric, Format::Syzygy))
    })
}

/// A table that was found by its name. It is opened when it is first needed.
#[derive(Debug)]
pub struct TableFile {
    path: PathBuf,
    material: Material,
    /// The material in the colours of the file's name.
    named: Material,
    metric: Metric,
    format: Format,
    /// Number among the files of the catalog, for the cache.
    number: u32,
    is_mapped: bool,
    /// Shared by all tables of the material in these colours.
    space: Arc<LazySpace>,
    opened: OnceLock<Result<OpenTable, ProbeError>>,
}

/// The relation between placements and indices, worked out when a table is opened.
type LazySpace = OnceLock<IndexSpace>;

/// A table whose header fits its name.
// The larger one is the one that is asked most, and a box would be one more place in memory to look
// at.
#[allow(clippy::large_enum_variant)]
#[derive(Debug)]
pub(super) enum OpenTable {
    Native(NativeTable),
    Syzygy(SyzygyTable),
}

/// A table of others.
#[derive(Debug)]
pub(super) struct SyzygyTable {
    pub table: syzygy::Table,
    /// Whether its White is Black in the normal form of the material.
    pub colors_exchanged: bool,
    /// Number among the files of the catalog.
    number: u32,
}

impl SyzygyTable {
    /// The stored result of men in the colours of the normal form, or exchanged.
    #[inline(always)]
    pub fn wdl(
        &self,
        men: impl Men,
        turn: Color,
        colors_exchanged: bool,
        memory: &Memory,
    ) -> Result<Wdl, ProbeError> {
        let (men, turn) = self.in_its_colors(men, turn, colors_exchanged);
        Ok(self.table.wdl_keeping(men, turn, Some(self.kept(memory)))?)
    }

    /// Men in the colours of the normal form, or exchanged, and the side to move in the colours of
    /// the file.
    #[inline]
    fn in_its_colors<M: Men>(&self, men: M, turn: Color, colors_exchanged: bool) -> (M, Color) {
        match colors_exchanged == self.colors_exchanged {
            true => (men, turn),
            false => (men.with_colors_exchanged(), !turn),
        }
    }

    #[inline]
    fn kept<'a>(&self, memory: &'a Memory) -> Kept<'a> {
        let table = self.number;
        Kept { memory, table }
    }

    /// The stored distance to zeroing of such men in a position of a result; nothing if that side's
    /// are not stored.
    #[inline(never)]
    pub fn dtz(
        &self,
        men: impl Men,
        turn: Color,
        colors_exchanged: bool,
        wdl: Wdl,
        memory: &Memory,
    ) -> Result<Option<DtzRange>, ProbeError> {
        let (men, turn) = self.in_its_colors(men, turn, colors_exchanged);
        Ok(self
            .table
            .dtz_keeping(men, turn, wdl, Some(self.kept(memory)))?)
    }
}

/// A table of our own.
#[derive(Debug)]
pub(super) struct NativeTable {
    pub table: Table,
    /// Whether its White is Black in the normal form of the material, as in tables of earlier
    /// versions.
    pub colors_exchanged: bool,
    /// What the header says in the colours of the normal form, where those of the file are others.
    description: Option<Box<Description>>,
    /// For each side to move, the order of its stream, if there is one.
    sides: [Option<Order>; 2],
    /// Those of the streams of high bytes.
    high_bytes: [Option<Order>; 2],
}

impl NativeTable {
    /// The stream of a side to move and its order.
    #[inline]
    pub fn side(&self, side: usize) -> Option<(&Stream, &Order)> {
        let order = self.sides[side].as_ref()?;
        Some((self.table.stream(side as u8)?, order))
    }

    /// The stream of the high bytes of a side to move and its order, if numbers take two bytes.
    pub fn high_bytes(&self, side: usize) -> Option<(&Stream, &Order)> {
        let order = self.high_bytes[side].as_ref()?;
        Some((self.table.high_bytes(side as u8)?, order))
    }

    /// Whether numbers take two bytes.
    #[inline]
    pub fn has_high_bytes(&self) -> bool {
        self.high_bytes.iter().any(Option::is_some)
    }
}

impl TableFile {
    pub(super) fn new(
        path: PathBuf,
        named: Material,
        metric: Metric,
        format: Format,
        number: u32,
        is_mapped: bool,
    ) -> TableFile {
        TableFile {
            path,
            material: named.normal_form(),
            named,
            metric,
            format,
            number,
            is_mapped,
            space: Arc::default(),
            opened: OnceLock::new(),
        }
    }

    /// Where the file is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the table is of, in normal form.
    #[must_use]
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// What the table is of in the colours of its name: those of its sides to move. Syzygy tables
    /// and tables of earlier versions may have other colours than the normal form.
    #[must_use]
    pub fn named_material(&self) -> &Material {
        &self.named
    }

    /// What it stores.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// How it stores that.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// Opens the table, whatever its format, and checks its header and length.
    ///
    /// # Errors
    ///
    /// [`ProbeError::Table`] if it is damaged, [`ProbeError::ForeignTable`] if it is not what its
    /// name says. The first answer stays: a file that is replaced is seen by a new
    /// [`Tablebase`](super::Tablebase).
    pub fn check(&self) -> Result<(), ProbeError> {
        self.open().map(|_| ())
    }

    /// The opened table of our own format, header and length checked.
    ///
    /// # Errors
    ///
    /// As for [`check`](Self::check); [`ProbeError::OtherFormat`] if it is a Syzygy table.
    pub fn table(&self) -> Result<&Table, ProbeError> {
        match self.open()? {
            OpenTable::Native(opened) => Ok(&opened.table),
            OpenTable::Syzygy(_) => Err(ProbeError::OtherFormat {
                path: self.path.clone(),
                material: self.material.to_string(),
            }),
        }
    }

    /// Opens the table, whatever its format, and compares its checksums. `progress` is told how
    /// many bytes of how many are done and says whether to go on.
    ///
    /// # Errors
    ///
    /// As for [`check`](Self::check), and if a checksum is wrong or `progress` said so.
    #[cfg(feature = "generate")]
    pub fn verify_checksums(&self, progress: &Progress<'_>) -> Result<(), ProbeError> {
        match self.open()? {
            OpenTable::Native(opened) => opened.table.verify_checksums(progress)?,
            OpenTable::Syzygy(opened) => opened.table.verify_checksum(progress)?,
        }
        Ok(())
    }

    /// What the header says, in the colours of the normal form.
    ///
    /// # Errors
    ///
    /// As for [`table`](Self::table).
    pub fn description(&self) -> Result<&Description, ProbeError> {
        match self.open()? {
            OpenTable::Native(NativeTable {
                description: Some(description),
                ..
            }) => Ok(description),
            _ => self.table().map(Table::description),
        }
    }

    /// Length of the file in bytes, damaged or not.
    ///
    /// # Errors
    ///
    /// [`ProbeError::Table`] with what the system says.
    pub fn bytes(&self) -> Result<u64, ProbeError> {
        match std::fs::metadata(&self.path) {
            Ok(metadata) => Ok(metadata.len()),
            Err(problem) => Err(ProbeError::from(crate::Error::Table {
                name: self.path.display().to_string(),
                arguments: self.material.to_string(),
                problem: problem.into(),
            })),
        }
    }

    /// Opens the file, says that it will be read, and decodes a Syzygy table of results as a whole
    /// if there is room.
    pub(super) fn prefetch(&self, memory: &Memory) -> Result<(), ProbeError> {
        match self.open()? {
            OpenTable::Native(NativeTable { table, .. }) => table.will_read(),
            OpenTable::Syzygy(SyzygyTable { table, .. }) => {
                table.will_read();
                table.preload_into(&memory.budget)?;
            }
        }
        Ok(())
    }

    #[inline]
    pub(super) fn open(&self) -> Result<&OpenTable, ProbeError> {
        match self.opened.get() {
            Some(Ok(opened)) => Ok(opened),
            _ => self.open_first(),
        }
    }

    #[cold]
    fn open_first(&self) -> Result<&OpenTable, ProbeError> {
        let opened = match self.opened.get() {
            Some(opened) => opened,
            None => match self.open_now() {
                // There may be memory, or a file that can be opened, the next time.
                Err(error) if error.may_pass() => return Err(error),
                // Two threads may get here; either's is as good.
                opened => self.opened.get_or_init(|| opened),
            },
        };
        opened.as_ref().map_err(Clone::clone)
    }

    fn open_now(&self) -> Result<OpenTable, ProbeError> {
        match self.format {
            Format::Native => self.open_native().map(OpenTable::Native),
            Format::Syzygy => self.open_syzygy().map(OpenTable::Syzygy),
        }
    }

    fn open_syzygy(&self) -> Result<SyzygyTable, ProbeError> {
        let open = match self.is_mapped {
            true => syzygy::Table::open,
            false => syzygy::Table::open_unmapped,
        };
        let table = open(&self.path, &self.material, self.metric)?;
        Ok(SyzygyTable {
            colors_exchanged: *table.material() != self.material,
            number: self.number,
            table,
        })
    }

    fn open_native(&self) -> Result<NativeTable, ProbeError> {
        let table = if self.is_mapped {
            Table::open(&self.path)?
        } else {
            Table::open_unmapped(&self.path)?
        };
        let foreign = |difference| ProbeError::ForeignTable {
            path: self.path.clone(),
            material: self.material.to_string(),
            difference,
        };
        check_header::<Chess>(&table, &self.named, self.metric, ChessRules::FiftyMoves)
            .map_err(foreign)?;
        // Only now: the numbers of pawn placements of a large material are worth some memory.
        if self.space.get().is_none() {
            let space = IndexSpace::try_new(self.named);
            let space = space.map_err(|refused| table.error(refused.into()))?;
            // Two threads may get here; either's is as good.
            let _ = self.space.set(space);
        }
        let [sides, high_bytes] = self.orders(&table).map_err(foreign)?;
        let colors_exchanged = self.named != self.material;
        let mut description = None;
        if colors_exchanged {
            let normal = IndexSpace::try_new(self.material);
            let normal = normal.map_err(|refused| table.error(refused.into()))?;
            let exchanged = in_other_colors(table.description(), self.space(), &normal);
            description = Some(Box::new(exchanged));
        }
        Ok(NativeTable {
            colors_exchanged,
            description,
            table,
            sides,
            high_bytes,
        })
    }

    /// The orders of both sides, of all bytes or low ones and of high ones, if the streams fit the
    /// name; else what does not.
    fn orders(&self, table: &Table) -> Result<[[Option<Order>; 2]; 2], String> {
        let space = self.space();
        check_streams::<Chess>(table, &self.named, self.metric, space.len())?;
        let mut planes = [[None, None], [None, None]];
        for stream in table.streams() {
            let order = stream.order();
            let (used, unused) = order.split_at(MAX_DIMENSIONS.min(order.len()));
            let order = match unused.iter().all(|&byte| byte == u8::MAX) {
                true => space.order(used).ok(),
                false => None,
            };
            let order = order.ok_or("the header has an impossible order of pieces")?;
            planes[stream.plane() as usize][usize::from(stream.side())] = Some(order);
        }
        Ok(planes)
    }

    /// The relation between indices and placements in the colours of the file.
    #[inline]
    pub(super) fn space(&self) -> &IndexSpace {
        self.space.get_or_init(|| IndexSpace::new(self.named))
    }
}

/// The tables of one material.
#[derive(Debug)]
pub(super) struct Entry {
    pub material: Material,
    /// By number of metric: the number in the catalog of the file that answers.
    files: [Option<usize>; 3],
}

/// All tables of some directories.
#[derive(Debug)]
pub(super) struct Catalog {
    pub directories: Arc<[PathBuf]>,
    pub files: Vec<TableFile>,
    entries: Vec<Entry>,
    places: Places,
    pub max_men: usize,
}

/// The tables of a position's material, found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<'a> {
    pub entry: &'a Entry,
    /// Whether the stored material has the position's colours exchanged.
    pub colors_exchanged: bool,
}

impl Catalog {
    /// Lists the directories. Only names are looked at; where two directories have the same table,
    /// the first one's counts.
    pub fn scan(directories: &[PathBuf], options: &ProbeOptions) -> Result<Catalog, ProbeError> {
        let mut candidates = Vec::new();
        for (number, directory) in directories.iter().enumerate() {
            let problem = |problem| ProbeError::Directory {
                path: directory.clone(),
                problem: Arc::new(problem),
            };
            let listed = list_by_name(directory, parse_any_name).map_err(problem)?;
            room(&mut candidates, listed.len())?;
            candidates.extend(listed.into_iter().map(|(path, name)| (number, path, name)));
        }
        Catalog::of_candidates(directories.into(), candidates, options)
    }

    /// Some files. Only names are looked at; where two stand for the same table, the first one
    /// counts.
    pub fn of_paths(paths: &[PathBuf], options: &ProbeOptions) -> Result<Catalog, ProbeError> {
        let mut directories: Vec<PathBuf> = Vec::new();
        let mut candidates = Vec::new();
        for (number, path) in paths.iter().enumerate() {
            let name = path.file_name().and_then(|name| name.to_str());
            let name = name.and_then(parse_any_name);
            let name = name.ok_or_else(|| ProbeError::FileName { path: path.clone() })?;
            let directory = path.parent().unwrap_or(path);
            if !directories.iter().any(|known| known == directory) {
                directories.push(directory.to_owned());
            }
            room(&mut candidates, 1)?;
            candidates.push((number, path.clone(), name));
        }
        Catalog::of_candidates(directories.into(), candidates, options)
    }

    /// The files that are wanted of some with the number of their place, of which the lowest
    /// counts.
    fn of_candidates(
        directories: Arc<[PathBuf]>,
        candidates: Vec<(usize, PathBuf, (Material, Metric, Format))>,
        options: &ProbeOptions,
    ) -> Result<Catalog, ProbeError> {
        let is_wanted = |format| options.format.is_none_or(|wanted| wanted == format);
        let wanted = candidates.into_iter().filter(|found| is_wanted(found.2.2));
        let mut found = gathered(wanted.map(|(number, path, (named, metric, format))| {
            let material = named.normal_form();
            let place = (material.men(), material.to_string(), metric, format);
            // One directory may have `KQvKNN.rtbw` and `KNNvKQ.rtbw`; which is listed first is
            // nobody's choice. The normal name comes before others.
            (place, (number, named != material, path), named)
        }))?;
        found.sort_unstable_by(|one, other| (&one.0, &one.1).cmp(&(&other.0, &other.1)));
        found.dedup_by(|later, first| later.0 == first.0);
        let files = found.into_iter().zip(0..).map(
            |(((_, _, metric, format), (_, _, path), named), number)| {
                TableFile::new(path, named, metric, format, number, options.map_files)
            },
        );
        Catalog::of_files(directories, gathered(files)?)
    }

    pub(super) fn of_files(
        directories: Arc<[PathBuf]>,
        mut files: Vec<TableFile>,
    ) -> Result<Catalog, ProbeError> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut spaces: [Arc<LazySpace>; 2] = Default::default();
        for (number, file) in files.iter_mut().enumerate() {
            // Files are sorted, so those of one material stand together.
            if entries
                .last()
                .is_none_or(|last| last.material != file.material)
            {
                spaces = Default::default();
                room(&mut entries, 1)?;
                entries.push(Entry {
                    material: file.material,
                    files: [None; 3],
                });
            }
            if let Some(entry) = entries.last_mut() {
                file.space = Arc::clone(&spaces[usize::from(file.named != file.material)]);
                // Our own format comes first, and answers where there are both.
                entry.files[usize::from(file.metric.number())].get_or_insert(number);
            }
        }
        let keys = gathered(entries.iter().map(|Entry { material, .. }| {
            let key = key_of(material);
            let exchanged = (!material.is_symmetric()).then(|| key.swapped().to_bits());
            (key.to_bits(), exchanged)
        }))?;
        let men = files.iter().map(|file| file.material.men());
        Ok(Catalog {
            directories,
            max_men: men.max().unwrap_or(0),
            files,
            entries,
            places: Places::new(&keys)?,
        })
    }

    /// The tables of a material in either colours.
    #[inline]
    pub fn find(&self, key: MaterialKey) -> Option<Found<'_>> {
        let (entry, colors_exchanged) = self.places.find(key.to_bits())?;
        Some(Found {
            entry: &self.entries[entry],
            colors_exchanged,
        })
    }

    /// The file of a metric, if there is one.
    #[inline]
    pub fn file(&self, entry: &Entry, metric: Metric) -> Option<&TableFile> {
        Some(&self.files[entry.files[usize::from(metric.number())]?])
    }

    /// The files of a metric that answer, those of fewer men first.
    pub fn answering(&self, metric: Metric) -> impl Iterator<Item = &TableFile> {
        let entries = self.entries.iter();
        entries.filter_map(move |entry| self.file(entry, metric))
    }

    /// The error for a material without a table.
    #[cold]
    pub fn missing(&self, key: MaterialKey, metric: Metric) -> ProbeError {
        let men = key.men();
        if men as usize > crate::chess::material::MAX_MEN {
            return ProbeError::TooManyMen { material: key, men };
        }
        let counts = Color::ALL.map(|color| Role::ALL.map(|role| key.count(role.of(color)) as u8));
        let material = Material::from_counts(counts).map_or_else(
            || key.to_string(),
            |material| material.normal_form().to_string(),
        );
        ProbeError::MissingTable {
            material,
            metric,
            searched: Arc::clone(&self.directories),
        }
    }
}

/// The key that positions of a material have.
pub(super) fn key_of(material: &Material) -> MaterialKey {
    let mut key = MaterialKey::EMPTY;
    for color in Color::ALL {
        for role in material.side(color) {
            key = key.with(role.of(color));
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::file_name;

    fn catalog(men: std::ops::RangeInclusive<usize>) -> Catalog {
        let files = men
            .flat_map(Material::all_with_men)
            .flat_map(|material| Metric::ALL.map(|metric| (material, metric)))
            .zip(0..)
            .map(|((material, metric), number)| {
                let path = PathBuf::from(file_name(&material, metric));
                TableFile::new(path, material, metric, Format::Native, number, true)
            })
            .collect();
        Catalog::of_files([PathBuf::from("tables")].into(), files).unwrap()
    }

    #[test]
    fn every_material_is_found_in_both_colors_and_no_other_is() {
        let catalog = catalog(3..=5);
        assert_eq!(catalog.max_men, 5);
        for material in (3..=5).flat_map(Material::all_with_men) {
            let found = catalog.find(key_of(&material)).unwrap();
            assert_eq!(found.entry.material, material);
            assert!(!found.colors_exchanged);
            let found = catalog.find(key_of(&material).swapped()).unwrap();
            assert_eq!(found.entry.material, material);
            assert_eq!(found.colors_exchanged, !material.is_symmetric());
            for metric in Metric::ALL {
                let file = catalog.file(found.entry, metric).unwrap();
                assert_eq!((*file.material(), file.metric()), (material, metric));
            }
        }
        for material in Material::all_with_men(6) {
            assert!(catalog.find(key_of(&material)).is_none());
        }
        assert!(catalog.find(MaterialKey::EMPTY).is_none());
    }

    #[test]
    fn a_missing_table_is_named_in_normal_form() {
        let catalog = catalog(3..=3);
        let key = key_of(&"KRvKQ".parse().unwrap());
        assert!(matches!(
            catalog.missing(key, Metric::Dtm),
            ProbeError::MissingTable { material, .. } if material == "KQvKR"
        ));
    }
}

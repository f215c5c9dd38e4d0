//! What imports what: the modules of the library and of the program, read from their sources.
//!
//! A house has no circles: of two modules that stand side by side, one is above the other. A parent
//! and its own children may name each other. What a module hands on (`pub use`) is counted as what
//! it comes from.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree};

/// The names of a module from the root of the crate on; none for the root itself.
type ModulePath = Vec<String>;

/// One module: what it names, and what it hands on.
#[derive(Debug, Default)]
struct Module {
    /// Absolute paths that are named, outside tests and documentation.
    named: BTreeSet<Vec<String>>,
    /// By its name here, the absolute path of what is handed on.
    handed_on: BTreeMap<String, Vec<String>>,
    /// Children that are for tests alone.
    for_tests: Vec<String>,
}

/// All modules of the crate; the program's stand below the root as well.
#[derive(Debug, Default)]
struct House {
    modules: BTreeMap<ModulePath, Module>,
}

/// Whether an item is for tests or documentation alone.
fn is_left_out(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let mut is = false;
        if attribute.path().is_ident("cfg") {
            // An error is another kind of condition, such as a feature, and then the item counts.
            let _ = attribute.parse_nested_meta(|meta| {
                is |= meta.path.is_ident("test") || meta.path.is_ident("doc");
                Ok(())
            });
        }
        is
    })
}

/// Collects what one file names.
struct Reader<'a> {
    here: &'a ModulePath,
    module: Module,
}

impl Reader<'_> {
    /// A path from the root of the crate; `None` for what comes from elsewhere.
    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        let mut base = self.here.clone();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" | "retrograde" => {
                base.clear();
                rest = &path[1..];
            }
            "self" => rest = &path[1..],
            "super" => {
                while rest.first().is_some_and(|name| name == "super") {
                    base.pop()?;
                    rest = &rest[1..];
                }
            }
            _ => return None,
        }
        base.extend(rest.iter().cloned());
        Some(base)
    }

    fn read_use(&mut self, tree: &UseTree, before: &[String], is_handed_on: bool) {
        let with = |name: &syn::Ident| {
            let mut path = before.to_vec();
            path.push(name.to_string());
            path
        };
        let mut leaf = |path: Vec<String>, name: String| {
            // Children are named without `self`.
            let relative = self
                .absolute(&path)
                .or_else(|| is_handed_on.then(|| self.here.iter().chain(&path).cloned().collect()));
            let Some(absolute) = relative else { return };
            if is_handed_on {
                self.module.handed_on.insert(name, absolute);
            } else {
                self.module.named.insert(absolute);
            }
        };
        match tree {
            UseTree::Path(path) => self.read_use(&path.tree, &with(&path.ident), is_handed_on),
            UseTree::Name(name) if name.ident == "self" => leaf(before.to_vec(), String::new()),
            UseTree::Name(name) => leaf(with(&name.ident), name.ident.to_string()),
            UseTree::Rename(rename) => leaf(with(&rename.ident), rename.rename.to_string()),
            UseTree::Glob(_) => leaf(before.to_vec(), "*".to_owned()),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.read_use(tree, before, is_handed_on);
                }
            }
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = match item {
            Item::Mod(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            _ => &Vec::new(),
        };
        if is_left_out(attributes) {
            if let Item::Mod(item) = item {
                self.module.for_tests.push(item.ident.to_string());
            }
            return;
        }
        if let Item::Use(item) = item {
            let is_handed_on = !matches!(item.vis, syn::Visibility::Inherited);
            self.read_use(&item.tree, &[], is_handed_on);
        }
        visit::visit_item(self, item);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        if names.len() > 1
            && let Some(absolute) = self.absolute(&names)
        {
            self.module.named.insert(absolute);
        }
        visit::visit_path(self, path);
    }
}

impl House {
    fn read() -> House {
        let mut house = House::default();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        house.read_folder(&root, &Vec::new());
        let tests: Vec<ModulePath> = (house.modules.iter())
            .flat_map(|(parent, module)| {
                let child = |name: &String| parent.iter().chain([name]).cloned().collect();
                module.for_tests.iter().map(child)
            })
            .collect();
        house
            .modules
            .retain(|module, _| !tests.iter().any(|test| module.starts_with(test)));
        house
    }

    fn read_folder(&mut self, folder: &Path, here: &ModulePath) {
        let mut entries: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        entries.sort();
        for path in entries {
            let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
            let mut module = here.clone();
            if !matches!(stem.as_str(), "mod" | "lib" | "main") {
                module.push(stem);
            }
            if path.is_dir() {
                self.read_folder(&path, &module);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                self.read_file(&path, module);
            }
        }
    }

    fn read_file(&mut self, path: &Path, here: ModulePath) {
        let text = std::fs::read_to_string(path).unwrap();
        let file = syn::parse_file(&text).unwrap();
        if is_left_out(&file.attrs) {
            return;
        }
        let mut reader = Reader {
            here: &here,
            module: Module::default(),
        };
        reader.visit_file(&file);
        let Module {
            named,
            handed_on,
            for_tests,
        } = reader.module;
        // `lib.rs` and `main.rs` are both the root.
        let module = self.modules.entry(here).or_default();
        module.named.extend(named);
        module.handed_on.extend(handed_on);
        module.for_tests.extend(for_tests);
    }

    /// The module in which a path ends, after what is handed on; `None` if it begins with no
    /// module.
    fn module_of(&self, path: &[String]) -> ModulePath {
        let mut path = path.to_vec();
        // Every step leads to what a module hands on, and that is no circle in a program that
        // compiles.
        for _ in 0..16 {
            let len = (0..=path.len())
                .rev()
                .find(|&len| self.modules.contains_key(&path[..len]))
                .unwrap_or(0);
            let Some(name) = path.get(len) else {
                return path;
            };
            let Some(further) = self.modules[&path[..len]].handed_on.get(name) else {
                return path[..len].to_vec();
            };
            let mut further = further.clone();
            if further == path[..=len] {
                return path[..len].to_vec();
            }
            further.extend_from_slice(&path[len + 1..]);
            path = further;
        }
        panic!("{path:?} is handed on in a circle")
    }

    /// Every import between modules of which neither is above the other: from, to, and the name.
    fn imports(&self) -> Vec<(&ModulePath, ModulePath, String)> {
        let mut imports = Vec::new();
        for (from, module) in &self.modules {
            for path in module.named.iter().chain(module.handed_on.values()) {
                let to = self.module_of(path);
                if !from.starts_with(&to) && !to.starts_with(from) {
                    imports.push((from, to, path.join("::")));
                }
            }
        }
        imports
    }
}

/// Where two paths part: the parent that they share, and the child of each.
fn siblings(from: &ModulePath, to: &ModulePath) -> (ModulePath, String, String) {
    let shared = from.iter().zip(to).take_while(|(a, b)| a == b).count();
    (
        from[..shared].to_vec(),
        from[shared].clone(),
        to[shared].clone(),
    )
}

#[test]
fn modules_side_by_side_do_not_import_each_other_in_a_circle() {
    let house = House::read();
    assert!(house.modules.len() > 100, "the sources were not found");
    let imports = house.imports();
    // For each parent: child to the children it imports.
    let mut floors: BTreeMap<ModulePath, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for (from, to, _) in &imports {
        let (parent, from, to) = siblings(from, to);
        floors
            .entry(parent)
            .or_default()
            .entry(from)
            .or_default()
            .insert(to);
    }
    let mut found = String::new();
    for (parent, mut children) in floors {
        // Take away what imports nothing that is left; a circle stays.
        loop {
            let left: BTreeSet<String> = children.keys().cloned().collect();
            let before = children.len();
            children.retain(|_, imported| {
                imported.retain(|name| left.contains(name));
                !imported.is_empty()
            });
            if children.len() == before {
                break;
            }
        }
        // And what nothing that is left imports.
        loop {
            let imported: BTreeSet<String> = children.values().flatten().cloned().collect();
            let before = children.len();
            children.retain(|name, _| imported.contains(name));
            if children.len() == before {
                break;
            }
        }
        for (from, to, name) in &imports {
            let (of, child, other) = siblings(from, to);
            if of == parent && children.get(&child).is_some_and(|set| set.contains(&other)) {
                let _ = writeln!(found, "{} names {name}", from.join("::"));
            }
        }
    }
    assert!(found.is_empty(), "these imports make circles:\n{found}");
}

/// What must not be named from where: each a path from the root on.
const FORBIDDEN: [(&[&str], &[&str]); 6] = [
    (
        &["retro"],
        &[
            "probe", "table", "tables", "generate", "verify", "chess", "xiangqi",
        ],
    ),
    (
        &["chess", "solve"],
        &["probe", "table", "tables", "generate", "verify"],
    ),
    (
        &["xiangqi", "solve"],
        &["probe", "table", "tables", "generate", "verify"],
    ),
    (&["reach"], &["probe", "tables", "generate", "verify"]),
    (
        &["verify"],
        &["retro", "chess::solve", "xiangqi::solve", "generate"],
    ),
    (&["table"], &["chess", "xiangqi"]),
];

#[test]
fn the_solver_knows_no_files_and_the_verifier_no_solver() {
    let house = House::read();
    let mut found = String::new();
    for (from, to, name) in house.imports() {
        for (room, forbidden) in FORBIDDEN {
            let is_in = |other: &&str| {
                let other: Vec<&str> = other.split("::").collect();
                to.iter().map(String::as_str).take(other.len()).eq(other)
            };
            let stands_there = from
                .iter()
                .map(String::as_str)
                .take(room.len())
                .eq(room.iter().copied());
            if stands_there && forbidden.iter().any(is_in) {
                let _ = writeln!(found, "{} names {name}", from.join("::"));
            }
        }
    }
    assert!(
        found.is_empty(),
        "these imports lead the wrong way:\n{found}"
    );
}

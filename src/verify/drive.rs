//! The way through the tables of a directory, for either game: in which order materials are looked
//! at, and what is reported of them.

use std::collections::HashMap;
use std::fmt::Display;
use std::hash::Hash;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use super::report::{Found, Observer, Report, Subject};
use crate::Error;
use crate::parallel;

/// Why a material could not be verified.
#[derive(Debug)]
pub(super) enum Stop {
    Cancelled,
    Unreadable(PathBuf, String),
}

/// What comparing the values of a material gave.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub tables: usize,
    pub positions: u64,
    pub found: Found,
}

/// What verifying the tables of one game, in one format or under one set of rules, is particular
/// about.
pub(super) trait Verifier: Send {
    type Material: Copy + Eq + Hash + Display + Sync;

    fn subject(&self, material: Self::Material) -> Subject;

    /// The materials whose values those of a material are found or compared with.
    fn needs(&self, material: &Self::Material, is_asked: bool) -> Vec<Self::Material>;

    /// Small ones first.
    fn size(&self, material: &Self::Material) -> (usize, usize);

    /// Compares the checksums of the tables of a material; gives those that are wrong.
    ///
    /// # Errors
    ///
    /// Only if the caller cancelled.
    fn verify_checksums(&self, material: &Self::Material) -> Result<Vec<(PathBuf, String)>, Error>;

    /// Finds the values of a material and keeps what `later` ones need; compares them if that is
    /// asked for.
    fn verify_values(
        &mut self,
        material: Self::Material,
        is_asked: bool,
        later: &[Self::Material],
    ) -> Result<Outcome, Stop>;

    /// Forgets what no material of `later` needs, now that `material` is done.
    fn forget(&mut self, material: &Self::Material, later: &[Self::Material]);
}

/// Verifies materials, after what they lead to.
///
/// # Errors
///
/// If the caller cancelled.
pub(super) fn drive<V: Verifier>(
    verifier: &mut V,
    asked: &[V::Material],
    cancel: &AtomicBool,
    observer: &dyn Observer,
    report: &mut Report,
) -> Result<(), Error> {
    parallel::inside(|| go_through(verifier, asked, cancel, observer, report))
}

fn go_through<V: Verifier>(
    verifier: &mut V,
    asked: &[V::Material],
    cancel: &AtomicBool,
    observer: &dyn Observer,
    report: &mut Report,
) -> Result<(), Error> {
    let order = in_order_of_use(verifier, asked);
    // Materials whose values are not known, and the file that keeps them from being known.
    let mut unknown: HashMap<V::Material, PathBuf> = HashMap::new();
    for (number, &material) in order.iter().enumerate() {
        if cancel.load(Ordering::Relaxed) {
            return Err(Error::Cancelled);
        }
        let is_asked = asked.contains(&material);
        let subject = verifier.subject(material);
        let later = &order[number + 1..];
        if is_asked {
            observer.started(subject);
            let damaged = verifier.verify_checksums(&material)?;
            if let Some((path, _)) = damaged.first() {
                unknown.insert(material, path.clone());
            }
            report.unreadable.extend(damaged);
            observer.comparing(subject);
        } else {
            observer.reading(subject);
        }
        let mut needed = verifier.needs(&material, is_asked).into_iter();
        if unknown.contains_key(&material) {
            // A damaged file says nothing of the values that once were in it.
        } else if let Some(path) = needed.find_map(|needed| unknown.get(&needed).cloned()) {
            if is_asked {
                report.not_compared.push((subject, path.clone()));
            }
            unknown.insert(material, path);
        } else {
            match verifier.verify_values(material, is_asked, later) {
                Ok(outcome) => {
                    report.tables += outcome.tables;
                    report.positions += outcome.positions;
                    report.differences += outcome.found.total;
                    report.listed.extend(outcome.found.listed);
                }
                Err(Stop::Cancelled) => return Err(Error::Cancelled),
                Err(Stop::Unreadable(path, problem)) => {
                    unknown.insert(material, path.clone());
                    report.unreadable.push((path, problem));
                }
            }
        }
        if is_asked {
            observer.finished(subject);
        } else {
            observer.read(subject);
        }
        verifier.forget(&material, later);
    }
    Ok(())
}

/// Materials, and all that they need, in an order in which each comes after what it needs, but not
/// long after, so that few values have to be kept.
fn in_order_of_use<V: Verifier>(verifier: &V, asked: &[V::Material]) -> Vec<V::Material> {
    let needs = |material: &V::Material| verifier.needs(material, asked.contains(material));
    let mut all = asked.to_vec();
    let mut next = 0;
    while let Some(material) = all.get(next) {
        for needed in needs(material) {
            if !all.contains(&needed) {
                all.push(needed);
            }
        }
        next += 1;
    }
    let sort = |materials: &mut Vec<V::Material>| {
        materials.sort_by_cached_key(|material| (verifier.size(material), material.to_string()));
    };
    fn visit<M: Copy + PartialEq>(
        materials: Vec<M>,
        needs: &dyn Fn(&M) -> Vec<M>,
        order: &mut Vec<M>,
    ) {
        for material in materials {
            if !order.contains(&material) {
                visit(needs(&material), needs, order);
                order.push(material);
            }
        }
    }
    let sorted = |material: &V::Material| {
        let mut needed = needs(material);
        sort(&mut needed);
        needed
    };
    sort(&mut all);
    let mut order = Vec::new();
    visit(all, &sorted, &mut order);
    order
}

//! Something that can be closed while other threads use it.

use std::sync::{Arc, PoisonError, RwLock};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A value until it is closed. Whoever uses it at that moment keeps it until the end of that use.
#[derive(Debug)]
pub struct Handle<T>(RwLock<Option<Arc<T>>>);

impl<T> Handle<T> {
    /// An open one.
    pub fn new(value: T) -> Handle<T> {
        Handle(RwLock::new(Some(Arc::new(value))))
    }

    /// The value.
    ///
    /// # Errors
    ///
    /// `ValueError` if it was closed.
    pub fn get(&self) -> PyResult<Arc<T>> {
        let open = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let closed = || PyValueError::new_err("the tablebase is closed; open it again");
        open.as_ref().map(Arc::clone).ok_or_else(closed)
    }

    /// Whether it was closed.
    pub fn is_closed(&self) -> bool {
        self.0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .is_none()
    }

    /// Closes it, or does nothing if it is closed.
    pub fn close(&self) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

//! Everything that links once.

mod architecture;
#[cfg(unix)]
mod capi;
mod cli;
mod engine;
mod examples;
mod game;
mod generate;
mod goes_on;
mod kernels;
mod lock_files;
mod naive;
mod probe;
mod reach;
mod reference;
mod solve;
mod solved;
mod statistics;
mod syzygy;
mod table;
mod verify;
mod work_files;
mod xiangqi;

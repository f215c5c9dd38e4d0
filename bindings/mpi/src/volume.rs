//! How much ranks tell each other, ply by ply.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use retrograde::chess::material::Material;
use retrograde::generate::{Observer, Ranks};
use retrograde::metric::Metric;

use crate::network::Network;

/// Bytes sent for a ply of a metric.
type OfPly = (Metric, u32, u64);

/// Counts what one rank sends.
#[derive(Debug)]
pub struct Volume<'a> {
    network: &'a Arc<Network>,
    counted: Mutex<Counted>,
}

#[derive(Debug, Default)]
struct Counted {
    /// In the order in which they were done.
    plies: Vec<OfPly>,
    sent_before: u64,
}

impl<'a> Volume<'a> {
    /// Nothing is counted so far.
    pub fn new(network: &'a Arc<Network>) -> Volume<'a> {
        let counted = Counted {
            plies: Vec::new(),
            sent_before: network.sent(),
        };
        Volume {
            network,
            counted: Mutex::new(counted),
        }
    }

    /// What all ranks have sent. All of them have to ask.
    pub fn of_all_ranks(self) -> io::Result<Total> {
        let counted = self
            .counted
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let mut total = Total {
            plies: counted.plies,
            rest: self.network.gathered(),
        };
        for ply in &mut total.plies {
            ply.2 = self.network.tell(ply.2)?.iter().sum();
        }
        total.rest = self.network.tell(total.rest)?.iter().sum();
        Ok(total)
    }
}

impl Observer for Volume<'_> {
    fn started(&self, _: Material) {}

    fn advanced(&self, _: u64) {}

    fn finished(&self, _: Material, _: u64) {}

    fn ply(&self, _: Material, metric: Metric, plies: u32) {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = self.network.sent();
        let of_ply = sent - counted.sent_before;
        counted.sent_before = sent;
        counted.plies.push((metric, plies, of_ply));
    }
}

/// What all ranks have sent.
#[derive(Debug)]
pub struct Total {
    plies: Vec<OfPly>,
    /// To bring what was solved together.
    rest: u64,
}

impl Total {
    /// A line for each ply, and the sums.
    pub fn print(&self) {
        for (metric, ply, bytes) in &self.plies {
            println!("{metric} ply {ply}: {bytes} bytes sent");
        }
        let plies: u64 = self.plies.iter().map(|&(.., bytes)| bytes).sum();
        println!(
            "all plies: {plies} bytes sent; to bring everything together: {} bytes",
            self.rest
        );
    }
}

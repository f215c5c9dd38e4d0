//! Any text as a material or as the name of a file of either game: an error, or what is the same
//! when it is printed and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use retrograde::chess::{self, Chess};
use retrograde::syzygy;
use retrograde::tables::{file_name, parse_file_name};
use retrograde::xiangqi::{self, Xiangqi};

fuzz_target!(|text: &str| {
    if let Ok(material) = text.parse::<chess::material::Material>() {
        assert_eq!(material.to_string().parse(), Ok(material));
        let normal = material.normal_form();
        assert_eq!(normal.normal_form(), normal);
    }
    if let Ok(material) = text.parse::<xiangqi::Material>() {
        assert_eq!(material.to_string().parse(), Ok(material));
        let normal = material.normal_form();
        assert_eq!(normal.normal_form(), normal);
    }
    if let Some((material, metric)) = parse_file_name::<Chess>(text) {
        let again = file_name(&material, metric);
        assert_eq!(parse_file_name::<Chess>(&again), Some((material, metric)));
    }
    if let Some((material, metric)) = parse_file_name::<Xiangqi>(text) {
        let again = file_name(&material, metric);
        assert_eq!(parse_file_name::<Xiangqi>(&again), Some((material, metric)));
    }
    if let Some((material, metric)) = syzygy::parse_file_name(text) {
        let again = syzygy::file_name(&material, metric).expect("it has a name");
        // Either side may come first in a name, and one name is written.
        let found = syzygy::parse_file_name(&again);
        assert_eq!(found, Some((material.normal_form(), metric)));
    }
});

//! The compiled kernels of the graphics card belong to their source.

use std::path::Path;

use sha2::{Digest, Sha256};

#[test]
fn compiled_kernels_are_those_of_the_source() {
    let card = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/card");
    let source = std::fs::read(card.join("kernels.cu")).unwrap();
    let compiled = std::fs::read_to_string(card.join("kernels.ptx")).unwrap();
    let digest: String = (Sha256::digest(source).iter())
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let first = compiled.lines().next().unwrap();
    let expected = format!("// Of kernels.cu with the SHA-256 {digest}");
    assert_eq!(first, expected, "run scripts/compile-kernels");
    for kernel in retrograde::card::Kernel::ALL {
        let entry = format!(".visible .entry {}(", kernel.name());
        assert!(compiled.contains(&entry), "{}", kernel.name());
    }
}

//! Any text as a position of xiangqi: an error, or a position that is the same when it is printed
//! and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use retrograde::xiangqi::rules::{Move, Position, Setup, wxf};

fuzz_target!(|text: &str| {
    if let Ok(setup) = Setup::from_fen(text) {
        let printed = setup.to_fen();
        assert_eq!(Setup::from_fen(&printed).as_ref(), Ok(&setup), "{printed}");
    }
    let Ok(position) = Position::from_fen(text) else {
        return;
    };
    let printed = position.to_fen();
    assert_eq!(
        Position::from_fen(&printed).as_ref(),
        Ok(&position),
        "{printed}"
    );
    for m in &position.legal_moves() {
        assert_eq!(Move::from_iccs(&position, &m.to_iccs()), Ok(m), "{printed}");
        assert_eq!(
            Move::from_wxf(&position, &wxf(&position, m)),
            Ok(m),
            "{printed}"
        );
        let next = position.play(m);
        let printed = next.to_fen();
        assert_eq!(
            Position::from_fen(&printed).as_ref(),
            Ok(&next),
            "{printed}"
        );
    }
});

// What the page has to know of each game: boards, men, FEN, and how a move changes them.

export const games = {
  chess: {
    name: "Chess", path: "standard", files: 8, ranks: 8, firstRank: 1, men: "KQRBNP",
    first: "white", start: "8/8/8/8/8/2k5/1R6/K7 w - - 0 1", book: "san", zeroing: "dtz",
    names: { K: "king", Q: "queen", R: "rook", B: "bishop", N: "knight", P: "pawn" },
  },
  xiangqi: {
    name: "Xiangqi", path: "xiangqi", files: 9, ranks: 10, firstRank: 0, men: "KRNCPAB",
    first: "red", start: "3k5/9/9/9/9/9/9/9/9/R3K4 w - - 0 1", book: "wxf", zeroing: "dtc",
    names: { K: "king", R: "rook", N: "knight", C: "cannon", P: "pawn", A: "advisor", B: "elephant" },
  },
};

export const gameOf = (fen) => fen.trim().split(/[\s_]/)[0].split("/").length === 10 ? "xiangqi" : "chess";

export const squareName = (game, file, rank) => String.fromCharCode(97 + file) + (rank + games[game].firstRank);

export function coordinates(game, square) {
  return [square.charCodeAt(0) - 97, Number(square.slice(1)) - games[game].firstRank];
}

export const isWhite = (man) => man === man.toUpperCase();

export const manName = (game, man) =>
  `${isWhite(man) ? games[game].first : "black"} ${games[game].names[man.toUpperCase()]}`;

// The men by square, the turn, and the fields behind. Throws a sentence if there is no board.
export function parse(fen) {
  const fields = fen.trim().replaceAll("_", " ").split(/\s+/);
  const game = gameOf(fen);
  const { files, ranks, men: letters } = games[game];
  const rows = fields[0].split("/");
  if (rows.length !== ranks) throw new Error(`a FEN has ${ranks} ranks here, not ${rows.length}`);
  const men = new Map();
  rows.forEach((row, down) => {
    let file = 0;
    for (const letter of row) {
      if (/[1-9]/.test(letter)) { file += Number(letter); continue; }
      let man = letter;
      if (game === "xiangqi") man = { E: "B", e: "b", H: "N", h: "n" }[letter] ?? letter;
      if (!letters.includes(man.toUpperCase())) throw new Error(`${letter} is no man`);
      men.set(squareName(game, file, ranks - 1 - down), man);
      file += 1;
    }
    if (file !== files) throw new Error(`${row} is not ${files} squares long`);
  });
  return {
    game, men, turn: fields[1] === "b" ? "b" : "w", castling: fields[2] ?? "-", enPassant: fields[3] ?? "-",
    clock: Number(fields[4] ?? 0) || 0, move: Number(fields[5] ?? 1) || 1,
  };
}

export function format(position) {
  const { game, men } = position;
  const { files, ranks } = games[game];
  const rows = [];
  for (let rank = ranks - 1; rank >= 0; rank--) {
    let row = "", empty = 0;
    for (let file = 0; file < files; file++) {
      const man = men.get(squareName(game, file, rank));
      if (!man) { empty += 1; continue; }
      row += (empty || "") + man;
      empty = 0;
    }
    rows.push(row + (empty || ""));
  }
  const { turn, castling, enPassant, clock, move } = position;
  return `${rows.join("/")} ${turn} ${castling} ${enPassant} ${clock} ${move}`;
}

// After an edit nothing is known of castling, of en passant and of the clock.
export const edited = (position, men) => ({ ...position, men, castling: "-", enPassant: "-" });

// The position after a legal move, as the server names it.
export function play(position, move) {
  const { game } = position;
  const men = new Map(position.men);
  const from = move.uci.slice(0, 2), to = move.uci.slice(2, 4);
  const man = men.get(from);
  men.delete(from);
  let enPassant = "-", castling = position.castling;
  if (game === "chess") {
    const [fromFile, fromRank] = coordinates(game, from), [toFile, toRank] = coordinates(game, to);
    const kind = man.toUpperCase();
    if (kind === "P" && fromFile !== toFile && !men.has(to)) men.delete(squareName(game, toFile, fromRank));
    if (kind === "P" && Math.abs(toRank - fromRank) === 2) enPassant = squareName(game, toFile, (fromRank + toRank) / 2);
    if (kind === "K" && Math.abs(toFile - fromFile) === 2) {
      const rook = squareName(game, toFile > fromFile ? 7 : 0, fromRank);
      men.set(squareName(game, (fromFile + toFile) / 2, fromRank), men.get(rook));
      men.delete(rook);
    }
    const lost = { a1: "Q", h1: "K", e1: "KQ", a8: "q", h8: "k", e8: "kq" };
    const gone = (lost[from] ?? "") + (lost[to] ?? "");
    castling = [...castling].filter((right) => !gone.includes(right)).join("") || "-";
  }
  const promoted = move.uci[4];
  men.set(to, promoted ? (isWhite(man) ? promoted.toUpperCase() : promoted) : man);
  return {
    game, men, castling, enPassant, turn: position.turn === "w" ? "b" : "w",
    clock: move.zeroing ? 0 : position.clock + 1, move: position.move + (position.turn === "b" ? 1 : 0),
  };
}

// Left and right exchanged.
export function mirrored(position) {
  const { game } = position;
  const turned = new Map();
  for (const [square, man] of position.men) {
    const [file, rank] = coordinates(game, square);
    turned.set(squareName(game, games[game].files - 1 - file, rank), man);
  }
  return edited(position, turned);
}

// White and black exchanged, and the board turned with them.
export function exchanged(position) {
  const { game } = position;
  const turned = new Map();
  for (const [square, man] of position.men) {
    const [file, rank] = coordinates(game, square);
    turned.set(squareName(game, file, games[game].ranks - 1 - rank), isWhite(man) ? man.toLowerCase() : man.toUpperCase());
  }
  return { ...edited(position, turned), turn: position.turn === "w" ? "b" : "w" };
}

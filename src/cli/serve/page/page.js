// The page: asks the server for the position on the board, and shows what it says.

import { games, gameOf, parse, format, edited, play, mirrored, exchanged, isWhite, manName } from "./games.js";
import { Board, drawMan, element } from "./board.js";

const at = (id) => document.getElementById(id);
const state = { position: null, answer: null, every: null, line: null };
const board = new Board(at("board"), {
  move: moveMan,
  put: (man, square) => change((men) => men.set(square, man)),
  remove: (square) => change((men) => men.delete(square)),
  say: (text) => { at("cursor").textContent = text; },
});

const node = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value); else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
};

async function ask(path, parameters) {
  const reply = await fetch(`${path}?${new URLSearchParams(parameters)}`, { headers: { Accept: "application/json" } });
  if (!reply.ok) throw new Error((await reply.text()).trim());
  return reply.json();
}

const parameters = () => {
  const { game } = state.position;
  return { fen: format(state.position), ...(game === "xiangqi" && { rules: at("rules").value }) };
};

// Shows a position; `history` is "push", "replace" or nothing.
async function show(position, history = "push") {
  const isOther = state.position?.game !== position.game;
  Object.assign(state, { position, answer: null, every: null, line: null });
  board.values = new Map();
  board.targets = new Map();
  board.arrow = null;
  if (isOther) { board.cursor = null; spares(position.game); }
  document.body.classList.toggle("xiangqi", position.game === "xiangqi");
  for (const button of document.querySelectorAll("[data-game]")) {
    button.setAttribute("aria-pressed", String(button.dataset.game === position.game));
  }
  at("material").hidden = true;
  at("line").hidden = true;
  at("desk").hidden = at("answer").hidden = false;
  board.show(position);
  const fen = format(position);
  at("fen").value = fen;
  at("clock").value = position.clock;
  at("turn").textContent = `${colorName(position.turn)} to move`;
  const address = `?fen=${encodeURIComponent(fen.replaceAll(" ", "_")).replaceAll("%2F", "/")}`;
  if (history === "push") window.history.pushState(null, "", address);
  if (history === "replace") window.history.replaceState(null, "", address);
  try {
    const answer = await ask(games[position.game].path, parameters());
    if (state.position === position) { state.answer = answer; showAnswer(); }
  } catch (error) {
    if (state.position === position) { verdict("unknown", error.message); at("moves").replaceChildren(); at("detail").textContent = ""; }
  }
}

const colorName = (turn) => {
  const name = turn === "w" ? games[state.position.game].first : "black";
  return name[0].toUpperCase() + name.slice(1);
};

function verdict(category, text) {
  at("verdict").textContent = text;
  at("verdict").className = category;
}

const plies = (distance) => `${distance} ${distance === 1 ? "ply" : "plies"}`;

const result = { win: "wins", loss: "loses", draw: "draw", "cursed-win": "wins, but for the fifty-move rule", "blessed-loss": "is saved by the fifty-move rule",
  "maybe-win": "wins, or the fifty-move rule prevents it", "maybe-loss": "loses, or the fifty-move rule saves it",
  "syzygy-win": "wins, if a rounded distance is the shorter one", "syzygy-loss": "loses, if a rounded distance is the shorter one" };

function showAnswer() {
  const { answer, position } = state;
  const game = games[position.game];
  const color = colorName(position.turn);
  const words = answer.checkmate ? `${color} is mated`
    : answer.stalemate ? (position.game === "chess" ? "Stalemate" : `${color} has no move and loses`)
    : answer.category === "draw" ? "Draw"
    : answer.category === "unknown" ? "Unknown"
    : `${color} ${result[answer.category]}`;
  const mate = answer.dtm ? `: mate in ${Math.ceil(Math.abs(answer.dtm) / 2)}` : "";
  verdict(answer.category, words + mate);
  const details = [answer.material];
  if (answer[game.zeroing]) {
    const what = position.game === "chess" ? "capture, pawn move or mate" : "capture or mate";
    details.push(`${plies(Math.abs(answer[game.zeroing]))} to the next ${what}`);
  }
  if (answer.dtm) details.push(`${plies(Math.abs(answer.dtm))} to mate`);
  if (answer.insufficient_material) details.push("nobody can mate");
  if (answer.reason) details.push(answer.reason);
  at("detail").textContent = details.join(" · ");
  at("about").href = `?material=${answer.material}&game=${position.game}`;
  board.targets = new Map();
  for (const { uci } of answer.moves) {
    const from = uci.slice(0, 2);
    board.targets.set(from, [...(board.targets.get(from) ?? []), uci.slice(2, 4)]);
  }
  board.paint();
  showMoves();
}

const groups = [
  ["Wins", ["loss"]], ["Wins, but for the clock", ["blessed-loss", "maybe-loss", "syzygy-loss"]], ["Draws", ["draw"]],
  ["Unknown", ["unknown"]], ["Saved by the clock", ["cursed-win", "maybe-win", "syzygy-win"]], ["Loses", ["win"]],
];

function showMoves() {
  const { answer, position } = state;
  const game = games[position.game];
  const tables = groups.map(([title, categories]) => {
    const moves = answer.moves.filter((move) => categories.includes(move.category));
    if (!moves.length) return "";
    const rows = moves.map((move) => {
      const arrow = (squares) => () => { board.arrow = squares; board.paint(); };
      const squares = [move.uci.slice(0, 2), move.uci.slice(2, 4)];
      const button = node("button", { type: "button", onclick: () => show(play(position, move)),
        onpointerenter: arrow(squares), onpointerleave: arrow(null), onfocus: arrow(squares), onblur: arrow(null) }, move[game.book]);
      const number = (value) => node("td", { class: "number" }, value === null || value === undefined ? "–" : String(Math.abs(value)));
      const remark = move.checkmate ? "mate" : move.stalemate ? "stalemate" : move.zeroing ? "zeroes" : "";
      return node("tr", {}, node("td", {}, button), number(move.checkmate ? null : move[game.zeroing]), number(move.dtm), node("td", {}, remark));
    });
    const head = node("tr", {}, ...["Move", game.zeroing.toUpperCase(), "DTM", ""].map((text, column) =>
      node("th", { scope: "col", ...(column % 3 && { class: "number" }) }, text)));
    return node("div", {}, node("h3", { class: categories[0] === "loss" ? "win" : categories[0] === "win" ? "loss" : categories[0] }, title),
      node("table", {}, node("thead", {}, head), node("tbody", {}, ...rows)));
  });
  at("moves").replaceChildren(...tables);
}

async function moveMan(from, to) {
  const moves = (state.answer?.moves ?? []).filter(({ uci }) => uci.startsWith(from + to));
  if (moves.length === 1) return show(play(state.position, moves[0]));
  if (moves.length > 1) return promote(moves);
  return change((men) => { const man = men.get(from); men.delete(from); men.set(to, man); });
}

function promote(moves) {
  const dialog = at("promotion");
  const white = state.position.turn === "w";
  dialog.replaceChildren(...moves.map((move) => {
    const letter = white ? move.uci[4].toUpperCase() : move.uci[4];
    const label = manName("chess", letter);
    return node("button", { type: "button", "aria-label": label, onclick: () => { dialog.close(); show(play(state.position, move)); } }, picture("chess", letter));
  }));
  dialog.showModal();
}

function change(edit) {
  const men = new Map(state.position.men);
  edit(men);
  return show(edited(state.position, men));
}

function picture(game, man) {
  return element("svg", { viewBox: "-22.5 -22.5 45 45", width: 36, height: 36, "aria-hidden": "true" }, drawMan(game, man));
}

// Men to put on the board: dragged there, or chosen and then a square clicked.
function spares(game) {
  for (const [id, isOfBlack] of [["spare-black", true], ["spare-white", false]]) {
    const men = [...games[game].men].map((letter) => isOfBlack ? letter.toLowerCase() : letter);
    at(id).replaceChildren(...men.map((man) => node("button", {
      type: "button", "aria-label": `Add ${manName(game, man)}`, onpointerdown: (event) => carry(event, man),
      onclick: () => { if (board.cursor) change((all) => all.set(board.cursor, man)); },
    }, picture(game, man))));
  }
}

function carry(event, man) {
  event.preventDefault();
  event.target.releasePointerCapture?.(event.pointerId);
  const put = (up) => {
    window.removeEventListener("pointerup", put);
    const box = at("board").getBoundingClientRect();
    const isInside = up.clientX >= box.left && up.clientX < box.right && up.clientY >= box.top && up.clientY < box.bottom;
    const square = isInside ? board.squareAt(up) : null;
    if (square) return change((men) => men.set(square, man));
    // A click: the next square that is clicked takes the man.
    const place = (down) => {
      down.stopPropagation();
      const there = board.squareAt(down);
      if (there) change((men) => men.set(there, man));
    };
    at("board").addEventListener("pointerdown", place, { once: true, capture: true });
  };
  window.addEventListener("pointerup", put);
}

async function showEvery() {
  const { position } = state;
  const square = board.selected ?? board.cursor ?? [...position.men].find(([, man]) => man.toUpperCase() !== "K")?.[0];
  if (!square || !position.men.has(square)) return;
  try {
    const answer = await ask(`${games[position.game].path}/squares`, { ...parameters(), square });
    if (state.position !== position) return;
    const known = answer.squares.filter(({ category }) => category !== "illegal");
    board.values = new Map(known.map((value) => [value.square, {
      category: value.category, text: value.dtm || value[games[position.game].zeroing] || (value.category === "draw" ? "=" : ""),
    }]));
    board.paint();
    at("cursor").textContent = `values of the ${manName(position.game, answer.man)} on every square`;
  } catch (error) {
    at("detail").textContent = error.message;
  }
}

async function showLine(metric) {
  const { position } = state;
  try {
    const line = await ask(`${games[position.game].path}/mainline`, { ...parameters(), ...(metric && { metric }) });
    if (state.position !== position) return;
    state.line = line;
    let after = position;
    const steps = line.mainline.flatMap((step) => {
      const man = after.men.get(step.uci.slice(0, 2));
      const takes = after.men.has(step.uci.slice(2, 4)) || (man.toUpperCase() === "P" && step.uci[0] !== step.uci[2]);
      const isZeroing = takes || (position.game === "chess" && man.toUpperCase() === "P");
      const number = after.turn === "w" ? `${after.move}. ` : after === position ? `${after.move}… ` : "";
      after = play(after, { ...step, zeroing: isZeroing });
      const target = after;
      return [number, node("button", { type: "button", onclick: () => show(target) }, step[games[position.game].book]), " "];
    });
    at("line-moves").replaceChildren(...(steps.length ? steps : ["no moves: the game is over or drawn"]));
    at("line").hidden = false;
  } catch (error) {
    at("line-moves").replaceChildren(error.message);
    at("line").hidden = false;
  }
}

function portable() {
  const { position, line } = state;
  const tags = [`[SetUp "1"]`, `[FEN "${format(position)}"]`, `[Result "${line.winner === "w" ? "1-0" : line.winner === "b" ? "0-1" : "*"}"]`];
  const moves = line.mainline.map((step, number) => {
    const ply = number + (position.turn === "b" ? 1 : 0);
    const move = position.move + Math.floor(ply / 2);
    const before = ply % 2 === 0 ? `${move}. ` : number === 0 ? `${move}... ` : "";
    return before + step[games[position.game].book];
  });
  return `${tags.join("\n")}\n\n${moves.join(" ")} ${line.winner === "w" ? "1-0" : line.winner === "b" ? "0-1" : "*"}\n`;
}

async function showMaterial(material, game) {
  at("desk").hidden = at("answer").hidden = true;
  const section = at("material");
  section.hidden = false;
  section.replaceChildren(node("h2", {}, material));
  try {
    const [stats, list] = await Promise.all([ask(`tables/${encodeURIComponent(material)}`, { game }), ask("tables", { game })]);
    const files = list.tables.filter((table) => table.material === stats.material);
    const sizes = files.map(({ metric, bytes, format: kind }) => node("tr", {}, node("td", {}, metric.toUpperCase()), node("td", {}, kind),
      node("td", { class: "number" }, `${bytes.toLocaleString("en")} bytes`)));
    section.append(node("table", {}, node("tbody", {}, ...sizes)));
    for (const side of [games[game].first, "black"]) {
      const of = stats[side];
      section.append(node("h3", {}, `${side[0].toUpperCase()}${side.slice(1)} to move`));
      section.append(node("p", {}, [["draws", of.draws], ["mated", of.mated], ["stalemated", of.stalemated], ["illegal", of.illegal]]
        .map(([name, count]) => `${count.toLocaleString("en")} ${name}`).join(", ")));
      for (const metric of [games[game].zeroing, "dtm"]) {
        if (!of[metric]) continue;
        section.append(node("p", {}, `${metric.toUpperCase()}: positions by plies (logarithmic); longest win ${plies(of[metric].longest.plies)}`));
        section.append(histogram(of[metric].histogram, `${metric} of ${material}, ${side} to move`));
        const boards = of[metric].longest.fens.slice(0, 4).map((fen) => {
          const svg = element("svg", { class: "small" });
          new Board(svg).show(parse(fen));
          return node("a", { href: `?fen=${fen.replaceAll(" ", "_")}`, "aria-label": fen }, svg);
        });
        section.append(node("div", { class: "boards" }, ...boards));
      }
    }
  } catch (error) {
    section.append(node("p", {}, error.message));
  }
}

function histogram(rows, label) {
  const longest = Math.max(...rows.map(([distance]) => Math.abs(distance)), 1);
  const most = Math.log10(Math.max(...rows.map(([, count]) => count), 10));
  const [width, height] = [800, 160];
  const x = (distance) => 40 + (width - 50) * distance / (longest + 1);
  const y = (count) => height - 20 - (height - 30) * Math.log10(Math.max(count, 1)) / most;
  const bar = Math.max((width - 50) / (longest + 1) * 0.8, 0.5);
  const parts = rows.map(([distance, count]) => element("rect", {
    x: x(Math.abs(distance)) - bar / 2, y: y(count), width: bar, height: height - 20 - y(count), class: distance > 0 ? "win" : "loss",
  }));
  for (let power = 0; power <= most; power++) {
    const text = element("text", { x: 0, y: y(10 ** power) + 4 });
    text.textContent = (10 ** power).toLocaleString("en", { notation: "compact" });
    parts.push(element("line", { x1: 38, x2: width, y1: y(10 ** power), y2: y(10 ** power) }), text);
  }
  const step = Math.max(1, Math.ceil(longest / 100)) * 10;
  for (let distance = 0; distance <= longest; distance += step) {
    const text = element("text", { x: x(distance), y: height - 5, "text-anchor": "middle" });
    text.textContent = String(distance);
    parts.push(text);
  }
  return element("svg", { class: "histogram", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, ...parts);
}

// What the address says.
function open(history) {
  const asked = new URLSearchParams(location.search);
  const material = asked.get("material");
  if (material) return showMaterial(material, asked.get("game") === "xiangqi" ? "xiangqi" : "chess");
  const fen = asked.get("fen") ?? games.chess.start;
  try {
    return show(parse(fen), history);
  } catch (error) {
    return show(parse(games.chess.start), history).then(() => { at("detail").textContent = error.message; });
  }
}

for (const button of document.querySelectorAll("[data-game]")) {
  button.addEventListener("click", () => show(parse(games[button.dataset.game].start)));
}
at("turn").addEventListener("click", () => show({ ...edited(state.position, state.position.men), turn: state.position.turn === "w" ? "b" : "w" }));
at("flip").addEventListener("click", () => { board.flipped = !board.flipped; board.paint(); });
at("mirror").addEventListener("click", () => show(mirrored(state.position)));
at("colors").addEventListener("click", () => show(exchanged(state.position)));
at("clear").addEventListener("click", () => change((men) => { for (const [square, man] of [...men]) if (man.toUpperCase() !== "K") men.delete(square); }));
at("every").addEventListener("click", showEvery);
at("line-mate").addEventListener("click", () => showLine("dtm"));
at("line-zero").addEventListener("click", () => showLine());
at("copy").addEventListener("click", () => navigator.clipboard?.writeText(portable()));
at("rules").addEventListener("change", () => show(state.position, "replace"));
at("clock").addEventListener("change", () => show({ ...state.position, clock: Math.max(0, Number(at("clock").value) || 0) }));
const best = () => { const [move] = state.answer?.moves ?? []; if (move) show(play(state.position, move)); };
at("best").addEventListener("click", best);
function read(text) {
  try {
    show(parse(text));
  } catch (error) {
    verdict("unknown", error.message);
  }
}
at("fen-form").addEventListener("submit", (event) => { event.preventDefault(); read(at("fen").value); });
at("fen").addEventListener("change", () => read(at("fen").value));
document.addEventListener("paste", (event) => {
  if (event.target.closest?.("input")) return;
  const text = event.clipboardData.getData("text");
  if (text.includes("/")) read(text);
});
document.addEventListener("keydown", (event) => {
  if (event.key === " " && !event.target.closest?.("input, button, select, a")) { event.preventDefault(); best(); }
});
window.addEventListener("popstate", () => open(null));
open("replace");

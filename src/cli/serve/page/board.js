// One board of SVG for both games: draws a position, and tells what was done to it by mouse, finger or keyboard.

import { games, coordinates, squareName, isWhite, manName } from "./games.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const SIZE = 45;

// Silhouettes of chess men, drawn for this page.
const SHAPES = {
  P: "M22.5 9a5 5 0 0 1 3.6 8.5c2.6 1.6 3.4 4.6 1.4 7.500 4 2 5.500 6 5.500 11.500h-21c0-5.500 1.500-9.500 5.500-11.500-2-2.900-1.200-5.900 1.400-7.500A5 5 0 0 1 22.500 9z",
  R: "M10 37.500h25v-4l-3-3V18h3V8.500h-5.500v4h-4v-4h-6v4h-4v-4H10V18h3v12.500l-3 3z",
  N: "M13 37.500h22c1-13-2-23-13-25.500l-2-4-2.500 4c-4 3-7 9-8.500 14 1 2.500 3.500 2.500 5 1 2-2 4-2 6-3 0 4-6 7-7 13.500z",
  B: "M22.500 5.500a2.500 2.500 0 0 1 1.500 4.500c5 3 8 8 7 13-.5 2.500-2 4-3 5l1 4.500 6 1v4H10v-4l6-1 1-4.500c-1-1-2.500-2.500-3-5-1-5 2-10 7-13a2.500 2.500 0 0 1 1.500-4.500zM21.500 15v3h-3v2h3v5h2v-5h3v-2h-3v-3z",
  Q: "M10 37.500h25l-1.500-6L38 14l-7 7.500-2-12-6.500 11-6.500-11-2 12L7 14l4.500 17.500z",
  K: "M21 4.500h3v3h3v3h-3v4c6-4 13-1 13 5 0 5-4 8-5 11v7H13v-7c-1-3-5-6-5-11 0-6 7-9 13-5v-4h-3v-3h3z",
};

export function element(name, attributes = {}, ...children) {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// A man whose middle is at 0, 0.
export function drawMan(game, man) {
  const white = isWhite(man);
  const [fill, stroke] = white ? ["#fdfdfb", "#20201e"] : ["#2a2a2c", "#f2f2ee"];
  if (game === "chess") {
    const shape = element("path", {
      d: SHAPES[man.toUpperCase()], fill, stroke, "stroke-width": 1.4, "stroke-linejoin": "round", "fill-rule": "evenodd",
      transform: `translate(${-SIZE / 2} ${-SIZE / 2})`,
    });
    return element("g", {}, shape);
  }
  const color = white ? "#a81d1d" : "#1c1c1c";
  const disc = element("circle", { r: 19, fill: "#f7ecd2", stroke: color, "stroke-width": 2 });
  const ring = element("circle", { r: 15.5, fill: "none", stroke: color, "stroke-width": 1 });
  const letter = element("text", {
    y: 7, "text-anchor": "middle", "font-size": 20, "font-weight": 700, "font-family": "serif", fill: color,
  });
  letter.textContent = man.toUpperCase() === "B" ? "E" : man.toUpperCase();
  return element("g", {}, disc, ring, letter);
}

export class Board {
  // `actions.move(from, to)`, `actions.put(man, square)`, `actions.remove(square)`, `actions.say(text)`.
  constructor(svg, actions = {}) {
    this.svg = svg;
    this.actions = actions;
    this.flipped = false;
    this.selected = null;
    this.cursor = null;
    this.targets = new Map();
    this.values = new Map();
    this.arrow = null;
    if (!actions.move) return;
    svg.addEventListener("pointerdown", (event) => this.down(event));
    svg.addEventListener("pointermove", (event) => this.dragging(event));
    svg.addEventListener("pointerup", (event) => this.up(event));
    svg.addEventListener("pointercancel", () => this.drop());
    svg.addEventListener("keydown", (event) => this.key(event));
    svg.addEventListener("focus", () => this.paint());
    svg.addEventListener("blur", () => this.paint());
  }

  show(position) {
    this.position = position;
    this.selected = null;
    this.paint();
  }

  center(square) {
    const { game } = this.position;
    const [file, rank] = coordinates(game, square);
    const { files, ranks } = games[game];
    const [x, y] = this.flipped ? [files - 1 - file, rank] : [file, ranks - 1 - rank];
    return [(x + 0.5) * SIZE, (y + 0.5) * SIZE];
  }

  squareAt(event) {
    const { game } = this.position;
    const { files, ranks } = games[game];
    const box = this.svg.getBoundingClientRect();
    let x = Math.floor((event.clientX - box.left) / box.width * files);
    let y = Math.floor((event.clientY - box.top) / box.height * ranks);
    if (x < 0 || y < 0 || x >= files || y >= ranks) return null;
    if (this.flipped) x = files - 1 - x; else y = ranks - 1 - y;
    return squareName(game, x, y);
  }

  paint() {
    const { game, men } = this.position;
    const { files, ranks } = games[game];
    this.svg.setAttribute("viewBox", `0 0 ${files * SIZE} ${ranks * SIZE}`);
    const head = element("marker", { id: "head", viewBox: "0 0 10 10", refX: 6, refY: 5, markerWidth: 3, markerHeight: 3, orient: "auto" },
      element("path", { d: "M0 0L10 5L0 10z", fill: "var(--mark)" }));
    const parts = [element("defs", {}, head), game === "chess" ? this.squares() : this.points()];
    for (const [square, value] of this.values) {
      const [x, y] = this.center(square);
      parts.push(element("rect", { x: x - SIZE / 2, y: y - SIZE / 2, width: SIZE, height: SIZE, class: `value ${value.category}` }));
      const text = element("text", { x, y: y + 4, class: "value-text" });
      text.textContent = value.text;
      parts.push(text);
    }
    for (const [square, man] of men) {
      const [x, y] = this.center(square);
      const drawn = drawMan(game, man);
      drawn.setAttribute("class", "man");
      drawn.setAttribute("transform", `translate(${x} ${y})`);
      drawn.dataset.square = square;
      parts.push(drawn);
    }
    if (this.selected) {
      parts.push(this.ring(this.selected, "selected"));
      for (const to of this.targets.get(this.selected) ?? []) {
        const [cx, cy] = this.center(to);
        parts.push(element("circle", { cx, cy, r: 7, class: "target" }));
      }
    }
    if (this.cursor && document.activeElement === this.svg) parts.push(this.ring(this.cursor, "cursor"));
    if (this.arrow) {
      const [[x1, y1], [x2, y2]] = this.arrow.map((square) => this.center(square));
      parts.push(element("line", { x1, y1, x2, y2, class: "arrow" }));
    }
    this.svg.replaceChildren(...parts);
  }

  ring(square, kind) {
    const [x, y] = this.center(square);
    return element("rect", { x: x - SIZE / 2 + 2, y: y - SIZE / 2 + 2, width: SIZE - 4, height: SIZE - 4, class: kind });
  }

  squares() {
    const group = element("g");
    for (let rank = 0; rank < 8; rank++) for (let file = 0; file < 8; file++) {
      const square = squareName("chess", file, rank);
      const [x, y] = this.center(square);
      const kind = (file + rank) % 2 ? "square-light" : "square-dark";
      group.append(element("rect", { x: x - SIZE / 2, y: y - SIZE / 2, width: SIZE, height: SIZE, class: kind }));
    }
    return group;
  }

  points() {
    const group = element("g", {}, element("rect", { width: 9 * SIZE, height: 10 * SIZE, class: "paper" }));
    const line = (x1, y1, x2, y2) => group.append(element("line", {
      x1: (x1 + 0.5) * SIZE, y1: (y1 + 0.5) * SIZE, x2: (x2 + 0.5) * SIZE, y2: (y2 + 0.5) * SIZE, class: "ink",
    }));
    for (let rank = 0; rank < 10; rank++) line(0, rank, 8, rank);
    for (let file = 0; file < 9; file++) {
      if (file === 0 || file === 8) line(file, 0, file, 9);
      else { line(file, 0, file, 4); line(file, 5, file, 9); }
    }
    for (const top of [0, 7]) { line(3, top, 5, top + 2); line(5, top, 3, top + 2); }
    return group;
  }

  down(event) {
    const square = this.squareAt(event);
    if (!square || event.button) return;
    this.svg.focus();
    const hasMan = this.position.men.has(square);
    if (this.selected && this.selected !== square) return this.go(this.selected, square);
    if (!hasMan) return;
    this.drag = { square, wasSelected: this.selected === square };
    this.selected = square;
    this.paint();
    this.svg.setPointerCapture?.(event.pointerId);
  }

  dragging(event) {
    if (!this.drag) return;
    const man = this.svg.querySelector(`[data-square="${this.drag.square}"]`);
    const box = this.svg.getBoundingClientRect();
    const scale = games[this.position.game].files * SIZE / box.width;
    man.classList.add("dragged");
    man.setAttribute("transform", `translate(${(event.clientX - box.left) * scale} ${(event.clientY - box.top) * scale})`);
    this.svg.append(man);
  }

  up(event) {
    if (!this.drag) return;
    const { square, wasSelected } = this.drag;
    this.drag = null;
    const to = this.squareAt(event);
    if (!to) this.actions.remove(square);
    else if (to !== square) this.go(square, to);
    else { if (wasSelected) this.selected = null; this.paint(); }
  }

  drop() {
    this.drag = null;
    this.selected = null;
    this.paint();
  }

  go(from, to) {
    this.selected = null;
    this.actions.move(from, to);
  }

  key(event) {
    const { game, men } = this.position;
    const { files, ranks } = games[game];
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    this.cursor ??= squareName(game, 0, 0);
    const step = steps[event.key];
    if (step) {
      const [file, rank] = coordinates(game, this.cursor);
      const sign = this.flipped ? -1 : 1;
      const clamp = (value, end) => Math.min(end - 1, Math.max(0, value));
      this.cursor = squareName(game, clamp(file + sign * step[0], files), clamp(rank + sign * step[1], ranks));
      const man = men.get(this.cursor);
      this.actions.say(`${this.cursor}${man ? `, ${manName(game, man)}` : ""}`);
    } else if (event.key === "Enter") {
      if (this.selected && this.selected !== this.cursor) this.go(this.selected, this.cursor);
      else this.selected = this.selected || !men.has(this.cursor) ? null : this.cursor;
    } else if (event.key === "Delete" || event.key === "Backspace") {
      if (men.has(this.cursor)) this.actions.remove(this.cursor);
    } else if (event.key === "Escape") {
      this.selected = null;
    } else if (games[game].men.includes(event.key.toUpperCase()) && event.key.length === 1 && !event.ctrlKey && !event.metaKey) {
      this.actions.put(event.key, this.cursor);
    } else {
      return;
    }
    event.preventDefault();
    this.paint();
  }
}

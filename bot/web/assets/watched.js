// A game in play as the status page shows it: board, players, clocks, the course of the evaluation and the last thought.

import { Board } from "./board.js";
import { clockText } from "./words.js";

const most = 600; // centipawns at the edge of the graph
const hurry = 20000; // ms below which a clock is marked
const other = { white: "black", black: "white" };

const svg = (name, attributes) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};

const make = (name, className, text = "") => Object.assign(document.createElement(name), { className, textContent: text });

// large writes a count in thousands or millions.
const large = (n) => (n >= 1e6 ? `${(n / 1e6).toFixed(1)} M` : n >= 1e4 ? `${Math.round(n / 1e3)} k` : String(n));

export class GameCard {
  // link makes an element that leads to an address.
  constructor(link) {
    this.link = link;
    this.element = make("article", "card game");
    this.head = make("h3", "small");
    this.rows = { top: this.#row(), bottom: this.#row() };
    const host = make("div", "");
    this.graph = svg("svg", { class: "graph", viewBox: "0 0 200 40", preserveAspectRatio: "none", role: "img" });
    this.thought = make("p", "thought");
    this.line = make("p", "line-of-play");
    this.element.append(this.head, this.rows.top.row, host, this.rows.bottom.row, this.graph, this.thought, this.line);
    this.board = null;
    this.host = host;
  }

  #row() {
    const row = make("div", "side");
    const who = make("span", "who");
    const clock = make("span", "clock");
    clock.setAttribute("role", "timer");
    row.append(who, clock);
    return { row, who, clock };
  }

  show(game, now) {
    this.game = game;
    this.behind = now - game.at; // ms for which the clocks had run when the picture was made
    const names = ["white", "black"].map((c) => game.players[c].name).join(" – ");
    this.board ??= new Board(this.host, { label: `Board of ${names}` });
    this.element.setAttribute("aria-label", names);
    const kind = [game.terms, game.speed, game.rated ? "rated" : "casual", game.variant].filter(Boolean).join(" ");
    this.head.replaceChildren(this.link(kind, game.url));
    if (game.fen !== this.shownFEN) {
      this.shownFEN = game.fen;
      this.board.show({ fen: game.fen, orientation: game.us, lastMove: game.lastMove, check: game.check ?? "" });
    }
    for (const [place, side] of [["bottom", game.us], ["top", other[game.us]]]) {
      const p = game.players[side];
      this.rows[place].side = side;
      this.rows[place].who.textContent = [p.title, p.name, p.rating ? `(${p.rating})` : ""].filter(Boolean).join(" ");
    }
    this.#draw(game.scores);
    const t = game.thought;
    this.thought.textContent = t ? [
      t.san, t.score && `${t.score} for White`, t.depth && `depth ${t.depth}`, t.nps && `${large(t.nps)} nodes/s`, `${(t.tookMs / 1000).toFixed(2)} s`, t.source,
    ].filter(Boolean).join(" · ") : "No move of its own yet.";
    this.line.textContent = t?.line ? t.line.join(" ") : "";
    this.tick(0);
  }

  // tick shows the clocks as they are some ms after the picture came.
  tick(since) {
    if (!this.game) return;
    for (const { side, clock } of Object.values(this.rows)) {
      clock.hidden = !this.game.clock;
      if (!this.game.clock) continue;
      const runs = this.game.running === side;
      const left = this.game.clock[side] - (runs ? this.behind + since : 0);
      const text = clockText(left);
      if (clock.textContent !== text) clock.textContent = text;
      clock.classList.toggle("runs", runs);
      clock.classList.toggle("hurry", left < hurry);
    }
  }

  // draw shows the scores from White's side, White's advantage upwards.
  #draw(scores) {
    const key = scores.length ? `${scores.length} ${scores.at(-1)}` : "";
    if (key === this.drawn) return;
    this.drawn = key;
    const end = Math.max(scores.at(-1)?.[0] ?? 1, 20);
    const y = (cp) => 20 - (Math.max(-most, Math.min(most, cp)) / most) * 19;
    const points = scores.map(([ply, cp]) => `${((ply / end) * 200).toFixed(1)},${y(cp).toFixed(1)}`);
    this.graph.replaceChildren(svg("line", { class: "even", x1: 0, y1: 20, x2: 200, y2: 20 }));
    if (points.length > 1) this.graph.append(svg("polyline", { class: "course", points: points.join(" ") }));
    const now = scores.at(-1)?.[1];
    this.graph.setAttribute("aria-label", now === undefined ? "No score yet" : `Course of the score, now ${(now / 100).toFixed(2)} for White`);
  }
}

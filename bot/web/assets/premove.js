// Where a man could go one day: the squares to plan a move to while the opponent thinks. Only how men move is known here; what
// is legal is asked when the move is sent.

import { colorOf } from "./pieces.js";

const files = "abcdefgh";
const straight = [[1, 0], [-1, 0], [0, 1], [0, -1]];
const diagonal = [[1, 1], [1, -1], [-1, 1], [-1, -1]];
const leaps = [[1, 2], [2, 1], [2, -1], [1, -2], [-1, -2], [-2, -1], [-2, 1], [-1, 2]];

// plannable returns the targets of the man on a square, in the form that the board takes. men is a Map from squares to letters.
export function plannable(men, from) {
  const letter = men.get(from);
  if (!letter) return [];
  const white = letter === letter.toUpperCase();
  const file = files.indexOf(from[0]);
  const rank = Number(from[1]);
  const found = new Set();
  const add = (f, r) => {
    if (f < 0 || f > 7 || r < 1 || r > 8) return false;
    found.add(files[f] + r);
    return true;
  };
  const ride = (steps, far) => {
    for (const [df, dr] of steps) for (let i = 1; i <= far && add(file + i * df, rank + i * dr); i++);
  };
  switch (letter.toLowerCase()) {
    case "p": {
      const up = white ? 1 : -1;
      for (const df of [-1, 0, 1]) add(file + df, rank + up);
      if (rank === (white ? 2 : 7)) add(file, rank + 2 * up);
      break;
    }
    case "n": ride(leaps, 1); break;
    case "b": ride(diagonal, 7); break;
    case "r": ride(straight, 7); break;
    case "q": ride([...straight, ...diagonal], 7); break;
    case "k":
      ride([...straight, ...diagonal], 1);
      if (rank === (white ? 1 : 8)) {
        // Castling: two squares to a side, or to a rook of its own.
        add(6, rank);
        add(2, rank);
        for (const [square, man] of men) if (man === (white ? "R" : "r") && Number(square[1]) === rank) found.add(square);
      }
      break;
  }
  found.delete(from);
  const last = white ? "8" : "1";
  return [...found].map((square) => ({ square, promotion: letter.toLowerCase() === "p" && square[1] === last }));
}

// free tells whether nothing stands between two squares as things are. A knight's leap has nothing between.
function free(men, from, to) {
  const [df, dr] = [files.indexOf(to[0]) - files.indexOf(from[0]), Number(to[1]) - Number(from[1])];
  if (df && dr && Math.abs(df) !== Math.abs(dr)) return true;
  const far = Math.max(Math.abs(df), Math.abs(dr));
  for (let i = 1; i < far; i++) {
    if (men.has(files[files.indexOf(from[0]) + (df / far) * i] + (Number(from[1]) + (dr / far) * i))) return false;
  }
  return true;
}

// findPlanned finds the moves of a side's men that a typed text means when it is not that side's turn: two squares, or SAN with or
// without its signs, in small letters when nothing else fits. Of men that could go to the same square those whose way is free come
// first. They have the form {from, to, promotion}, with "" for none and a queen when no man is named; more than one means that the
// text does not decide.
export function findPlanned(text, men, color) {
  const typed = text.replace(/[-+#!?=\s]/g, "").replace(/0/g, "O");
  const small = typed.toLowerCase();
  const own = [...men].filter(([, letter]) => colorOf(letter) === color).map(([square, letter]) => ({ square, man: letter.toLowerCase() }));
  // to finds the moves to a square of the men that fit.
  const to = (square, promotion, fits) => own.filter(fits).flatMap(({ square: from }) => plannable(men, from)
    .filter((t) => t.square === square && (t.promotion || !promotion))
    .map((t) => ({ from, to: square, promotion: t.promotion ? promotion || "q" : "" })));
  const castling = /^oo(o?)$/.exec(small);
  if (castling) {
    const home = own.filter(({ square }) => square[1] === (color === "white" ? "1" : "8"));
    const king = home.find(({ man }) => man === "k")?.square;
    const rooks = home.filter(({ square, man }) => man === "r" && king && (square < king) === Boolean(castling[1])).map(({ square }) => square).sort();
    // On the rook's square, since the king's may be that of a step; the rook is the outermost.
    return rooks.length ? [{ from: king, to: castling[1] ? rooks[0] : rooks.at(-1), promotion: "" }] : [];
  }
  const [, from, onto, into] = /^([a-h][1-8])([a-h][1-8])([nbrq]?)$/.exec(small) ?? [];
  if (from) return to(onto, into, ({ square }) => square === from);
  const san = (words) => {
    const [, name = "", file, rank, takes, square, promotion = ""] = words ?? [];
    if (!square) return [];
    const found = to(square, promotion.toLowerCase(), (m) => m.man === (name.toLowerCase() || "p") && m.square[0].includes(file) && m.square[1].includes(rank)
      && (name || (m.square[0] === square[0]) === !(takes || file))); // a pawn that takes names its file, another goes straight on
    const clear = found.filter((m) => free(men, m.from, m.to));
    return clear.length ? clear : found;
  };
  const exact = san(/^([NBRQK]?)([a-h]?)([1-8]?)(x?)([a-h][1-8])([NBRQ]?)$/.exec(typed));
  return exact.length ? exact : san(/^([nbrqk]?)([a-h]?)([1-8]?)(x?)([a-h][1-8])([nbrq]?)$/.exec(small));
}

// What happens in a game, in words.

import { names } from "./pieces.js";

const capital = (text) => text[0].toUpperCase() + text.slice(1);
const other = (color) => (color === "white" ? "black" : "white");

// spoken reads a SAN move out: "Nxf3+" is "knight takes f3, check".
export function spoken(san) {
  const tail = san.endsWith("#") ? ", checkmate" : san.endsWith("+") ? ", check" : "";
  const core = san.replace(/[+#]$/, "");
  if (core === "O-O") return `castles kingside${tail}`;
  if (core === "O-O-O") return `castles queenside${tail}`;
  const [, man = "", from, takes, to, promotion = ""] = /^([NBRQK]?)([a-h]?[1-8]?)(x?)([a-h][1-8])(?:=([NBRQ]))?$/.exec(core) ?? [];
  if (!to) return san;
  const words = [man && names[man.toLowerCase()], from, takes && "takes", to, promotion && `promotes to ${names[promotion.toLowerCase()]}`];
  return words.filter(Boolean).join(" ") + tail;
}

// findTyped finds the legal moves that a typed text means: SAN with or without its signs, with zeros for castling, in small letters
// when nothing else fits; or UCI, where a promotion without a man is to a queen. More than one means that the text does not decide.
export function findTyped(text, legal) {
  const plain = (t) => t.replace(/[-+#!?=\s]/g, "").replace(/0/g, "O");
  const typed = plain(text);
  const small = typed.toLowerCase();
  const uci = (m) => [m.from + m.to, ...m.targets.map((target) => m.from + target)].some(
    (squares) => small === squares + (m.promotion ?? "") || (m.promotion === "q" && small === squares));
  for (const fits of [(m) => plain(m.san) === typed, uci, (m) => plain(m.san).toLowerCase() === small]) {
    const found = legal.filter(fits);
    if (found.length) return found;
  }
  return [];
}

// ending says how a game ended and who won.
export function ending(game) {
  const loser = game.winner && capital(other(game.winner));
  const winner = game.winner && capital(game.winner);
  switch (game.status) {
    case "aborted": return "The game was aborted.";
    case "mate": return `Checkmate. ${winner} wins.`;
    case "resign": return `${loser} resigned. ${winner} wins.`;
    case "stalemate": return "Stalemate: a draw.";
    case "timeout": return winner ? `${loser} left the game. ${winner} wins.` : "A player left the game: a draw.";
    case "outoftime":
      return winner ? `${loser}'s time is up. ${winner} wins.` : "The time is up, and the other side cannot mate: a draw.";
    case "insufficientMaterialClaim": return "A draw: the opponent had too little left to mate.";
    case "draw": return game.over && game.over !== "checkmate" ? `A draw by ${game.over}.` : "A draw by agreement.";
    default: return winner ? `${winner} wins.` : "The game is over.";
  }
}

// result is the score of a finished game.
export function result(game) {
  if (game.status === "aborted") return "*";
  if (!game.winner) return "½–½";
  return game.winner === "white" ? "1–0" : "0–1";
}

// clockText writes a time that is left, in ms.
export function clockText(ms) {
  const left = Math.max(ms, 0);
  const two = (n) => String(n).padStart(2, "0");
  const seconds = Math.floor(left / 1000);
  if (left < 10000) return `0:${two(seconds)}.${Math.floor((left % 1000) / 100)}`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

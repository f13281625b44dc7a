// Where a man could go one day: the squares to plan a move to while the opponent thinks. Only how men move is known here; what
// is legal is asked when the move is sent.

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

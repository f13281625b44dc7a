// A game in play as PGN, all its moves: the server's own export leaves out the last ones as long as the game runs.

const text = (value) => String(value).replace(/[\\"]/g, "\\$&");

// pgnOf writes what the page knows of a game.
export function pgnOf(game) {
  const tags = [["Event", "Casual game"], ["Site", `${location.origin}/${game.id}`], ["White", game.players.white.name], ["Black", game.players.black.name], ["Result", "*"]];
  const fields = game.start.fen.split(" ");
  if (game.timeControl) tags.push(["TimeControl", `${game.timeControl.limit}+${game.timeControl.increment}`]);
  if (game.variant === "chess960") tags.push(["Variant", "Chess960"]);
  if (game.variant !== "standard") tags.push(["SetUp", "1"], ["FEN", game.start.fen]);
  let black = fields[1] === "b";
  let number = Number(fields[5]);
  const moves = game.plies.map((ply, i) => {
    const label = black ? (i ? "" : `${number}... `) : `${number}. `;
    if (black) number++;
    black = !black;
    return label + ply.san;
  });
  return `${tags.map(([name, value]) => `[${name} "${text(value)}"]`).join("\n")}\n\n${[...moves, "*"].join(" ")}\n`;
}

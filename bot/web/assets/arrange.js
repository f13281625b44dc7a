// Arranging a game: an opponent is asked for, challenged and waited for, or two bots are set to play.

import { Refusal, postJSON } from "./api.js";

// challenge challenges a bot and returns the id of the game, once the bot has accepted.
export async function challenge(api, wish, signal) {
  const { name } = await postJSON("/play/opponent", { level: wish.level });
  const form = { color: wish.color, keepAliveStream: "true", variant: wish.chess960 ? "chess960" : wish.fen ? "fromPosition" : "standard" };
  if (wish.fen) form.fen = wish.fen;
  if (wish.clock) {
    form["clock.limit"] = wish.clock.limit;
    form["clock.increment"] = wish.clock.increment;
  }
  let id = "";
  try {
    for await (const line of api.lines(`/api/challenge/${encodeURIComponent(name)}`, { method: "POST", form, signal, idle: 60000 })) {
      if (line.id) id = line.id;
      if (line.done === "accepted") return id;
      if (line.done === "declined") {
        const made = await api.get(`/api/challenge/${id}/show`);
        const busy = made.declineReasonKey === "later" ? " It plays a few games at a time only: end one of those below first." : "";
        throw new Refusal(0, `${name} declined: ${made.declineReason ?? "no reason given"}${busy}`);
      }
      if (line.done) break;
    }
  } catch (fault) {
    if (signal.aborted && id) await api.post(`/api/challenge/${id}/cancel`).catch(() => {});
    throw fault;
  }
  throw new Refusal(0, `The challenge to ${name} came to nothing.`);
}

// exhibit lets two bots play and returns how to follow their game: {id, token}.
export function exhibit(wish) {
  return postJSON("/play/exhibition", {
    white: wish.white, black: wish.black, fen: wish.fen, chess960: wish.chess960,
    limit: wish.clock.limit, increment: wish.clock.increment,
  });
}

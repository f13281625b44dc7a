// One game as the server tells it: it follows the game's stream, comes back when the connection was lost, asks the rules what
// the moves mean, and sends what the player wants. It draws nothing; it tells listeners by events:
//   change   something is different: draw it anew
//   moved    plies were added at the end (detail: how many); not told for what was there when the page came
//   notice   detail is a sentence that the player should read
//   chat     the chat is different

import { Refusal, postJSON } from "./api.js";

const unlimited = 2147483647; // the server's number for a clock that does not run
const running = new Set(["created", "started"]);
const firstPause = 300; // ms before the connection is tried anew, doubled up to
const longestPause = 4000; // ms
const steady = 10000; // ms that a stream must have lived to count as good
const glancePause = 1000; // ms between two looks at a game in a hidden tab beside others
const offerWait = 2500; // ms in which an offer must show in the stream
const chatPause = 1500; // ms between two looks at the chat of a game whose stream has ended
const chatLasts = 60000; // ms for which it is looked at after the end, and after anything that was said

export const opposite = (color) => (color === "white" ? "black" : "white");

export class Game extends EventTarget {
  // api is the account's; me is its name, "" for somebody who only watches.
  constructor(api, id, me) {
    super();
    this.api = api;
    this.id = id;
    this.me = me;
    this.link = "opening"; // opening, live, lost, elsewhere, ended, or failed with the reason in this.fault
    this.fault = "";
    this.color = null; // the player's side
    this.players = { white: { name: "" }, black: { name: "" } };
    this.start = { fen: "", check: "" };
    this.moves = []; // UCI, as the server has them
    this.plies = []; // the same, explained
    this.legal = [];
    this.over = "";
    this.status = "created";
    this.winner = "";
    this.offers = { draw: { white: false, black: false }, takeback: { white: false, black: false } };
    this.clock = null; // {white, black: ms at the time "at"; increment: ms}; null without one
    this.gone = null; // {due: when the game can be claimed, as performance.now() tells it} while the opponent is away
    this.chat = null; // not read yet
    this.chatAsked = 0; // questions for the chat, and the latest of them that was answered
    this.chatRead = 0;
    this.hearing = false; // the chat is read again and again, until hearUntil
    this.sent = null; // own move that the stream has not shown yet: {ply, move, fault}
    this.anew = false; // the stream was ended to look at the game anew
    this.premove = null; // {from, to, promotion}
    this.stop = new AbortController();
    this.tab = `${performance.timeOrigin} ${Math.random()}`; // tells this tab from others
    this.tabs = new BroadcastChannel("castellan-game");
    this.crowded = false; // other tabs of this browser have games too
    this.tabs.onmessage = (e) => {
      if (!e.data?.id || e.data.tab === this.tab) return;
      this.crowded = true;
      if (e.data.id === this.id && this.link !== "ended") this.#yieldTo();
      else this.#stepAside();
    };
    this.wake = () => {
      this.skipPause?.();
      this.#stepAside();
    };
    addEventListener("online", this.wake);
    document.addEventListener("visibilitychange", this.wake);
  }

  get playing() {
    return this.link !== "opening" && running.has(this.status);
  }

  get turn() {
    const first = this.start.fen.split(" ")[1] === "b" ? 1 : 0;
    return (this.moves.length + first) % 2 ? "black" : "white";
  }

  get myTurn() {
    return this.playing && this.color === this.turn && !this.sent;
  }

  // position is what is on the board after a number of plies: {fen, check, last: the ply}.
  position(ply) {
    if (this.sent && ply > this.sent.ply) return { ...this.sent.move, last: this.sent.move };
    const last = this.plies[ply - 1];
    return last ? { ...last, last } : { ...this.start, last: null };
  }

  // shownPlies counts the plies with an own move that is still on its way.
  get shownPlies() {
    return this.plies.length + (this.sent ? 1 : 0);
  }

  // left is the time of a side in ms, or null in a game without a clock.
  left(side) {
    if (!this.clock) return null;
    const runs = this.status === "started" && this.moves.length >= 2 && this.turn === side;
    return Math.max(this.clock[side] - (runs ? performance.now() - this.clock.at : 0), 0);
  }

  // aside tells whether the game is to be looked at now and then only. A stream holds a connection, and a browser has six to a server
  // for all its tabs together: a hidden one leaves them to the others when there are any. It still hears of each move within
  // about a second, and counts as present. A planned move is worth the connection.
  get #aside() {
    return document.hidden && this.crowded && !this.premove;
  }

  #stepAside() {
    if (!this.#aside || this.link !== "live" || this.resting) return;
    this.anew = true;
    this.stream.abort();
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  // follow follows the game until it is over, closed or taken over by another tab.
  async follow() {
    this.tabs.postMessage({ id: this.id, tab: this.tab });
    let pause = firstPause;
    while (!this.stop.signal.aborted) {
      const opened = performance.now();
      const glance = this.#aside; // the first line is enough, which says it all
      let first = null;
      let failed = false;
      this.stream = new AbortController();
      this.doubted = this.sent?.fault ? this.sent : null; // what this stream's first line is to decide
      try {
        for await (const line of this.api.lines(`${this.api.base}stream/${this.id}`, { signal: this.stream.signal })) {
          first ??= line;
          if (glance) break;
          await this.#take(line);
          if (this.#aside) break;
          // Not before: two browsers that take the stream from each other are not to do so in a rush.
          if (performance.now() - opened > steady) pause = firstPause;
        }
        // Not before the stream has ended: hidden tabs that each hold one connection and wait for another would wait for each other.
        if (glance && first) await this.#take(first);
        if (!this.playing && this.link !== "opening") {
          this.#setLink("ended");
          this.hear();
          return;
        }
      } catch (fault) {
        if (this.stop.signal.aborted) return;
        failed = true;
        if (fault instanceof Refusal && fault.status >= 400 && fault.status < 500 && fault.status !== 429) {
          this.fault = fault.message;
          this.#setLink("failed");
          return;
        }
      }
      if (this.stop.signal.aborted) return;
      if (this.anew) {
        this.anew = false;
        continue;
      }
      if (this.#aside && !failed) {
        if (glance) await this.#rest(glancePause);
        continue;
      }
      this.#setLink("lost");
      await this.#rest(pause);
      pause = Math.min(pause * 2, longestPause);
    }
  }

  // rest waits some ms, or until there is a reason to look at once.
  async #rest(ms) {
    this.resting = true;
    await new Promise((resolve) => {
      this.skipPause = resolve;
      setTimeout(resolve, ms);
    });
    this.resting = false;
  }

  close() {
    this.#halt();
    this.tabs.close();
    removeEventListener("online", this.wake);
    document.removeEventListener("visibilitychange", this.wake);
  }

  #halt() {
    this.stop.abort();
    this.stream?.abort();
  }

  #yieldTo() {
    this.#halt();
    this.#setLink("elsewhere");
  }

  #setLink(link) {
    if (this.link === link) return;
    this.link = link;
    this.#tell("change");
  }

  async #take(line) {
    switch (line.type) {
      case "gameFull":
        await this.#takeFull(line);
        break;
      case "gameState":
        await this.#takeState(line);
        break;
      case "chatLine":
        await this.readChat();
        break;
      case "opponentGone":
        this.#takeGone(line);
        this.#tell("change");
        break;
    }
  }

  // takeGone notes from when on the game can be claimed. The server rounds down, so a second is added; of several such lines the
  // earliest time counts.
  #takeGone(line) {
    const due = performance.now() + 1000 * ((line.claimWinInSeconds ?? 0) + 1);
    this.gone = line.gone ? { due: Math.min(due, this.gone?.due ?? due) } : null;
  }

  async #takeFull(full) {
    const opening = this.link === "opening";
    for (const side of ["white", "black"]) {
      const p = full[side] ?? {};
      this.players[side] = { name: p.name ?? "?", title: p.title ?? "", rating: p.rating };
    }
    const mine = (side) => (full[side]?.id ?? "").toLowerCase() === this.me.toLowerCase();
    this.color = this.me ? ["white", "black"].find(mine) ?? null : null;
    this.variant = full.variant?.key ?? "standard";
    this.initialFen = full.initialFen;
    this.timeControl = full.clock ? { limit: full.clock.initial / 1000, increment: full.clock.increment / 1000 } : null;
    this.gone = null;
    await this.#takeState(full.state, opening);
    this.#setLink("live");
    if (!this.#aside) await this.readChat(); // nobody reads it there, and a stream follows when somebody does
    this.#decide();
  }

  async #takeState(state, quiet = false) {
    const moves = state.moves ? state.moves.split(" ") : [];
    const before = this.moves;
    const changed = quiet || moves.length !== before.length || moves.some((m, i) => m !== before[i]);
    const at = performance.now();
    let explained = null;
    if (changed) explained = await postJSON("/rules", { fen: this.initialFen ?? "", moves: moves.join(" ") });
    this.moves = moves;
    if (explained) {
      this.start = { fen: explained.fen, check: explained.check ?? "" };
      this.plies = explained.plies;
      this.legal = explained.legal;
      this.over = explained.over ?? "";
      this.gone = null;
      if (this.sent && moves.length !== this.sent.ply) this.sent = null;
      if (moves.length < before.length) this.premove = null;
    }
    this.status = state.status;
    this.winner = state.winner ?? "";
    this.offers = {
      draw: { white: Boolean(state.wdraw), black: Boolean(state.bdraw) },
      takeback: { white: Boolean(state.wtakeback), black: Boolean(state.btakeback) },
    };
    this.clock = state.wtime >= unlimited || state.wtime === undefined || !this.timeControl ? null
      : { white: state.wtime, black: state.btime, increment: state.winc, at };
    if (!this.playing) {
      this.sent = null;
      this.premove = null;
    }
    if (this.link === "lost") this.link = "live";
    const added = moves.length - before.length;
    if (!quiet && added > 0) this.#tell("moved", added);
    this.#tell("change");
    if (changed && this.premove && this.myTurn) this.#playPremove();
  }

  #playPremove() {
    const { from, to, promotion } = this.premove;
    this.premove = null;
    const move = this.find(from, to, promotion);
    if (move) this.play(move);
    else {
      this.#tell("change");
      this.#tell("notice", "The planned move is not legal any more.");
    }
  }

  // find finds the legal move from one square to another. A promotion without a man is to a queen.
  find(from, to, promotion) {
    const moves = this.legal.filter((m) => m.from === from && m.targets.includes(to));
    return moves.find((m) => !m.promotion || m.promotion === (promotion || "q"));
  }

  // play sends a legal move. It shows at once and counts when the stream shows it.
  play(move) {
    this.sent = { ply: this.moves.length, move, fault: null };
    this.#tell("change");
    this.#send(this.sent);
  }

  async #send(sent) {
    sent.fault = null;
    try {
      await this.api.post(`${this.api.base}${this.id}/move/${sent.move.uci}`);
    } catch (fault) {
      if (this.sent !== sent) return;
      // The move may have got through all the same: an answer can get lost, and browsers send a request again by themselves when
      // they are not sure of its fate. Its text may mean another move by now. The game is looked at anew, and what it shows decides.
      sent.fault = fault;
      this.anew = this.link === "live";
      this.stream.abort();
    }
  }

  // decide says what becomes of a move whose sending failed, when the game has been looked at anew and still stands where the move
  // was made.
  #decide() {
    const sent = this.doubted;
    this.doubted = null;
    if (!sent || sent !== this.sent || !this.playing || this.moves.length !== sent.ply) return;
    if (!(sent.fault instanceof Refusal)) {
      this.#send(sent);
      return;
    }
    this.sent = null;
    this.#tell("change");
    this.#tell("notice", `The move was refused: ${sent.fault.message}`);
  }

  plan(premove) {
    this.premove = premove;
    this.#tell("change");
  }

  // act sends something else: resign, abort, draw/yes, takeback/no, claim-victory, … It tells whether the server took it.
  async act(what) {
    try {
      await this.api.post(`${this.api.base}${this.id}/${what}`);
      return true;
    } catch (fault) {
      this.#tell("notice", fault instanceof Refusal ? fault.message : "That did not reach the server. Try again when the connection is back.");
      return false;
    }
  }

  // offer offers a draw or asks for a takeback. The server says yes to either and ignores what is not allowed: only the stream
  // shows whether it counts.
  async offer(kind) {
    const ply = this.moves.length;
    const counted = new Promise((resolve) => {
      const look = () => {
        if (this.offers[kind][this.color] || !this.playing || this.moves.length !== ply) done(true);
      };
      const done = (yes) => {
        clearTimeout(timer);
        this.removeEventListener("change", look);
        resolve(yes);
      };
      const timer = setTimeout(() => done(false), offerWait);
      this.addEventListener("change", look);
    });
    if (!(await this.act(`${kind}/yes`)) || (await counted)) return;
    this.#tell("notice", kind === "draw"
      ? "The offer did not count: a draw can be offered once both have moved, and once in ten moves."
      : "Nothing can be taken back now: both must have moved, and after a refusal there is a wait.");
  }

  async say(text) {
    await this.api.post(`${this.api.base}${this.id}/chat`, { room: "player", text });
    await this.readChat().catch(() => {}); // it was said all the same
    this.hear();
  }

  async readChat() {
    const asked = ++this.chatAsked;
    try {
      const chat = await this.api.get(`${this.api.base}${this.id}/chat`);
      if (asked < this.chatRead) return false; // a later question was answered first
      this.chatRead = asked;
      if (JSON.stringify(chat) === JSON.stringify(this.chat)) return false;
      this.chat = chat;
      this.#tell("chat");
      return true;
    } catch (fault) {
      if (!(fault instanceof Refusal)) throw fault;
      return false;
    }
  }

  // hear reads the chat of a game that has ended for a while, now that no stream tells of it: people say goodbye when the game is over.
  async hear() {
    if (this.link !== "ended") return;
    this.hearUntil = performance.now() + chatLasts;
    if (this.hearing) return;
    this.hearing = true;
    while (!this.stop.signal.aborted && performance.now() < this.hearUntil) {
      if (await this.readChat().catch(() => false)) this.hearUntil = performance.now() + chatLasts;
      await new Promise((resolve) => setTimeout(resolve, chatPause));
    }
    this.hearing = false;
  }
}

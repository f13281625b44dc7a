// The page to play on: it puts the game, the board and what stands around it together.

import { API, Refusal, getJSON } from "./api.js";
import { challenge, exhibit } from "./arrange.js";
import { Board, placement } from "./board.js";
import { Game, opposite } from "./game.js";
import { names } from "./pieces.js";
import { pgnOf } from "./pgn.js";
import { findPlanned, plannable } from "./premove.js";
import { Setup } from "./setup.js";
import { Sound } from "./sound.js";
import { MoveList, Player, showChat } from "./table.js";
import { ending, findTyped, result, spoken } from "./words.js";

const byId = (id) => document.getElementById(id);
const show = (id, yes) => { byId(id).hidden = !yes; };
const capital = (text) => text[0].toUpperCase() + text.slice(1);

const gamePath = /^\/([A-Za-z0-9]{8})$/;
const noticeTime = 8000; // ms that a notice stays
const clockTick = 100; // ms between two looks at the clocks

// bringIntoView scrolls to an element when a part of it is out of view.
function bringIntoView(element) {
  const { top, bottom } = element.getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) element.scrollIntoView();
}

class Page {
  constructor(session) {
    this.session = session;
    this.api = new API(session.token, "board");
    this.game = null;
    this.orientation = "white";
    this.cursor = null; // ply that is looked at, or null for the newest
    this.wish = null; // what the running game was started with, for a rematch
    this.players = { top: new Player(byId("top")), bottom: new Player(byId("bottom")) };
    this.sound = new Sound(byId("sound"));
    this.board = new Board(byId("board"), {
      onMove: (from, to, promotion) => this.#moveChosen(from, to, promotion),
      onCancel: () => this.game?.premove && this.game.plan(null),
    });
    this.moveList = new MoveList(byId("moves"), (ply) => this.#look(ply));
    this.setup = new Setup(byId("setup-form"), session, {
      onStart: (wish) => this.#arrange(wish),
      preview: (fen) => {
        if (this.game) return;
        this.startFEN = fen;
        this.#drawSetup();
      },
    });
    this.#listen();
    setInterval(() => this.#tick(), clockTick);
  }

  #listen() {
    const on = (id, act) => byId(id).addEventListener("click", act);
    on("flip", () => {
      this.orientation = opposite(this.orientation);
      this.#draw();
    });
    on("home", (e) => {
      e.preventDefault();
      this.#go("");
    });
    on("new-game", () => this.#go(""));
    on("cancel", () => this.arranging?.abort());
    on("first", () => this.#look(0));
    on("previous", () => this.#look(this.#shownPly() - 1));
    on("next", () => this.#look(this.#shownPly() + 1));
    on("last", () => this.#look(Infinity));
    on("draw", () => this.game.offer("draw"));
    on("takeback", () => this.game.offer("takeback"));
    on("accept", () => this.game.act(`${this.offered}/yes`));
    on("decline", () => this.game.act(`${this.offered}/no`));
    on("claim-victory", () => this.game.act("claim-victory"));
    on("claim-draw", () => this.game.act("claim-draw"));
    on("resign", () => {
      if (this.game.moves.length < 2) this.game.act("abort");
      else this.#askSure(true);
    });
    on("sure-yes", () => {
      this.#askSure(false);
      this.game.act("resign");
    });
    on("sure-no", () => this.#askSure(false));
    on("pgn-now", () => {
      const href = URL.createObjectURL(new Blob([pgnOf(this.game)], { type: "application/x-chess-pgn" }));
      Object.assign(document.createElement("a"), { href, download: `castellan-${this.game.id}.pgn` }).click();
      setTimeout(() => URL.revokeObjectURL(href), 60000);
    });
    on("rematch", () => this.#rematch());
    byId("sure").addEventListener("keydown", (e) => e.key === "Escape" && this.#askSure(false));
    byId("move-form").addEventListener("submit", (e) => {
      e.preventDefault();
      this.#typed(byId("type-move").value);
    });
    byId("chat-form").addEventListener("submit", async (e) => {
      e.preventDefault();
      const text = byId("say").value.trim();
      if (!text) return;
      try {
        await this.game.say(text);
        byId("say").value = "";
      } catch (fault) {
        this.#notice(fault instanceof Refusal ? fault.message : "That was not sent. Try again when the connection is back.");
      }
    });
    byId("type-move").addEventListener("keydown", (e) => e.key === "Escape" && this.game?.premove && this.game.plan(null));
    byId("say").addEventListener("input", () => this.game?.hear());
    addEventListener("keydown", (e) => this.#key(e));
    addEventListener("popstate", () => this.route());
  }

  // route opens what the address names: a game, or the form for a new one.
  route() {
    const id = gamePath.exec(location.pathname)?.[1];
    if (id) this.#open(id);
    else this.#form();
  }

  // go goes to a game, or with "" to the form.
  #go(id, state = null) {
    history.pushState(state, "", `/${id}`);
    this.route();
  }

  #leave() {
    this.game?.close();
    this.game = null;
    this.cursor = null;
    this.#askSure(false);
    this.#notice("");
    show("link", false);
    show("table", true);
  }

  async #form() {
    this.#leave();
    document.title = "Castellan";
    this.orientation = "white";
    show("panel", false);
    show("setup", true);
    if (byId("setup").getBoundingClientRect().top < 0) byId("setup").scrollIntoView();
    this.setup.busy(false);
    this.startFEN ??= "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    this.#drawSetup();
    this.setup.refresh();
    try {
      this.#listRunning((await this.api.get("/api/account/playing")).nowPlaying);
    } catch {
      show("resume", false); // the form says it when it is used
    }
  }

  #listRunning(games) {
    show("resume", games.length > 0);
    byId("resume").querySelector("ul").replaceChildren(...games.map((g) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = `/${g.gameId}`;
      link.textContent = `${capital(g.color)} against ${g.opponent.username}`;
      link.addEventListener("click", (e) => {
        e.preventDefault();
        this.#go(g.gameId);
      });
      item.append(link, g.isMyTurn ? ": your move" : ": not your move");
      return item;
    }));
  }

  // arrange starts the game that is wished for. A wish that fails says so in the form.
  async #arrange(wish) {
    this.arranging = new AbortController();
    this.setup.busy(true);
    byId("cancel").focus();
    this.#announce(wish.what === "watch" ? "Setting up the game." : "Challenging the bot.");
    try {
      if (wish.what === "watch") {
        const { id, token } = await exhibit(wish);
        this.#go(id, { token, wish });
      } else {
        this.#go(await challenge(this.api, wish, this.arranging.signal), { wish });
      }
      this.sound.play("start");
    } catch (fault) {
      if (this.game) this.#form();
      const cancelled = this.arranging.signal.aborted;
      this.setup.busy(false, cancelled ? "" : fault instanceof Refusal ? fault.message : "The server does not answer.");
    }
  }

  #rematch() {
    const { game } = this;
    const wish = { ...this.wish };
    if (game.color) wish.color = opposite(game.color);
    else [wish.white, wish.black] = [wish.black, wish.white];
    if (game.variant !== "chess960") wish.fen = game.variant === "fromPosition" ? game.initialFen : "";
    this.#go("");
    this.#arrange(wish);
  }

  async #open(id) {
    this.#leave();
    show("setup", false);
    show("panel", true);
    this.wish = history.state?.wish ?? null;
    let token = history.state?.token ?? "";
    let game = this.#attach(id, token);
    await game.follow();
    if (game === this.game && game.link === "failed" && !token) {
      // Not a game of this person: perhaps one between bots.
      token = (await getJSON(`/play/exhibition/${id}`).catch(() => null))?.token ?? "";
      if (game !== this.game) return;
      if (!token) {
        show("table", Boolean(game.start.fen)); // a board without a game says nothing
        return;
      }
      game.close();
      game = this.#attach(id, token);
      await game.follow();
    }
  }

  #attach(id, token) {
    const game = new Game(token ? new API(token, "bot") : this.api, id, token ? "" : this.session.name);
    this.game = game;
    let turned = false;
    const mine = (act) => (e) => game === this.game && act(e);
    game.addEventListener("change", mine(() => {
      if (!turned && game.link !== "opening") {
        turned = true;
        this.orientation = game.color ?? "white";
        this.#draw({ animate: false });
        bringIntoView(byId("table"));
        // What had the focus is gone with the form: the keyboard goes on at the board.
        if (document.activeElement === document.body) this.board.focus();
        return;
      }
      this.#draw();
    }));
    game.addEventListener("moved", mine((e) => this.#moved(e.detail)));
    game.addEventListener("notice", mine((e) => this.#notice(e.detail)));
    game.addEventListener("chat", mine(() => this.#drawChat()));
    byId("chat-lines").replaceChildren();
    this.chatLength = -1;
    this.wasPlaying = false;
    this.lastLink = "";
    this.#draw();
    return game;
  }

  #shownPly() {
    return this.cursor ?? this.game.shownPlies;
  }

  #look(ply) {
    if (!this.game) return;
    const newest = this.game.shownPlies;
    this.cursor = ply >= newest ? null : Math.max(ply, 0);
    this.#draw();
    if (this.cursor !== null) {
      const last = this.game.plies[this.cursor - 1];
      this.#announce(last ? `After ${spoken(last.san)}` : "The start position");
    }
  }

  #drawSetup() {
    this.board.show({ fen: this.startFEN, orientation: this.orientation, lastMove: [], check: "", mover: null, planned: [], targets: () => [] });
    for (const [place, side] of this.#sides()) {
      this.players[place].show(side, { name: capital(side) }, [], false);
      this.players[place].tick(null, false);
    }
  }

  #sides() {
    return [["bottom", this.orientation], ["top", opposite(this.orientation)]];
  }

  #draw({ animate = true } = {}) {
    const { game } = this;
    if (!game) {
      this.#drawSetup();
      return;
    }
    if (this.cursor !== null && this.cursor >= game.shownPlies) this.cursor = null;
    const ply = this.#shownPly();
    const at = game.position(ply);
    const newest = this.cursor === null;
    const planning = game.playing && game.color && !game.myTurn;
    this.board.show({
      fen: at.fen || "8/8/8/8/8/8/8/8",
      orientation: this.orientation,
      lastMove: at.last ? [at.last.from, at.last.to] : [],
      check: at.check ?? "",
      mover: game.playing && newest && game.color ? game.color : null,
      targets: (from) => (planning ? plannable(this.board.men, from) : this.#targets(from)),
      planned: newest && game.premove ? [game.premove.from, game.premove.to] : [],
      animate,
    });
    const shown = [...game.plies, ...(game.sent ? [game.sent.move] : [])];
    for (const [place, side] of this.#sides()) {
      this.players[place].show(side, game.players[side], shown.slice(0, ply), game.playing && game.turn === side);
    }
    this.moveList.show(game.start.fen ? game.start : { fen: "8/8/8/8/8/8/8/8 w - - 0 1" }, shown, ply);
    byId("first").disabled = byId("previous").disabled = ply === 0;
    byId("last").disabled = byId("next").disabled = newest;
    this.#drawPanel();
    this.#tick();
  }

  #targets(from) {
    const found = new Map();
    for (const m of this.game.legal) {
      if (m.from === from) for (const square of m.targets) found.set(square, { square, promotion: Boolean(m.promotion) });
    }
    return [...found.values()];
  }

  #drawPanel() {
    const { game } = this;
    const status = this.#status();
    if (byId("status").textContent !== status) byId("status").textContent = status;
    document.title = game.playing && game.myTurn ? "Your move – Castellan" : `${game.players.white.name} – ${game.players.black.name}`;
    const mine = game.playing && Boolean(game.color);
    const opponent = game.color ? opposite(game.color) : "";
    show("in-play", mine);
    show("move-form", mine);
    show("at-end", game.link === "ended" || game.link === "failed");
    show("rematch", Boolean(this.wish) && game.link === "ended");
    show("pgn", game.link === "ended");
    show("pgn-now", game.link !== "ended" && game.moves.length > 0);
    show("chat", game.link !== "failed");
    show("chat-form", Boolean(game.color));
    byId("pgn").href = `/game/export/${game.id}`;
    byId("pgn").download = `castellan-${game.id}.pgn`;
    byId("resign").textContent = game.moves.length < 2 ? "Abort" : "Resign";
    const offering = mine && game.offers.draw[game.color];
    byId("draw").textContent = offering ? "Draw offered" : "Offer a draw";
    byId("draw").disabled = Boolean(offering) || game.moves.length < 2;
    const asking = mine && game.offers.takeback[game.color];
    byId("takeback").textContent = asking ? "Takeback asked for" : "Take back";
    byId("takeback").disabled = Boolean(asking) || game.moves.length < 2;
    this.offered = mine && game.offers.draw[opponent] ? "draw" : mine && game.offers.takeback[opponent] ? "takeback" : "";
    if (this.offered && byId("offer").hidden) {
      byId("offer-text").textContent = this.offered === "draw" ? `${game.players[opponent].name} offers a draw.`
        : `${game.players[opponent].name} asks to take back.`;
      this.#announce(byId("offer-text").textContent);
    }
    show("offer", Boolean(this.offered));
    if (!mine) this.#askSure(false);
    if (this.wasPlaying && !game.playing) {
      this.sound.play("end");
      this.#announce(status);
    }
    this.wasPlaying = game.playing;
    this.#drawLink();
  }

  #drawLink() {
    const { link, fault } = this.game;
    if (link === this.lastLink) return;
    const back = this.lastLink === "lost" && (link === "live" || link === "ended");
    this.lastLink = link;
    const bar = byId("link");
    const text = { lost: "The connection is lost. Trying again…", elsewhere: "This game is open in another tab.", failed: fault }[link] ?? "";
    bar.replaceChildren(text);
    bar.hidden = !text;
    bar.dataset.link = link;
    if (link === "elsewhere") {
      const here = Object.assign(document.createElement("button"), { type: "button", textContent: "Play here" });
      here.addEventListener("click", () => this.route());
      bar.append(" ", here);
    }
    if (back) this.#announce("The connection is back.");
  }

  #status() {
    const { game } = this;
    if (game.link === "failed") return "";
    if (game.link === "opening") return "Opening the game…";
    if (!game.playing) return `${result(game)}  ${ending(game)}`;
    if (this.cursor !== null) return "Looking back. The last position is the one in play.";
    if (!game.color) return `${capital(game.turn)} to move.`;
    if (game.premove) return `Your move ${game.premove.from}–${game.premove.to} is planned.`;
    if (game.sent) return "Sending your move…";
    return game.myTurn ? "Your move." : `${game.players[game.turn].name} is thinking.`;
  }

  // moved tells of plies that were added: by sound and to a screen reader.
  #moved(count) {
    const { game } = this;
    const said = game.plies.slice(-count).map((p, i) => {
      const side = (count - i) % 2 ? opposite(game.turn) : game.turn;
      return `${side === game.color ? "You" : game.players[side].name}: ${spoken(p.san)}.`;
    });
    this.#announce(said.join(" "));
    const last = game.plies.at(-1);
    this.sound.play(last.check ? "check" : last.captured ? "capture" : "move");
    if (game.color && opposite(game.turn) !== game.color) this.cursor = null; // the opponent has moved: back to the game
  }

  #moveChosen(from, to, promotion) {
    const { game } = this;
    if (!game?.playing) return;
    this.#notice("");
    if (!game.myTurn) {
      game.plan({ from, to, promotion });
      return;
    }
    const move = game.find(from, to, promotion);
    if (move) game.play(move);
  }

  #typed(text) {
    const { game } = this;
    const wanted = text.trim();
    if (!wanted || !game) return;
    if (!game.myTurn) {
      this.#typedAhead(wanted);
      return;
    }
    const found = findTyped(wanted, game.legal);
    if (found.length !== 1) {
      this.#notice(found.length ? `“${wanted}” fits ${found.map((m) => m.san).join(" and ")}: say which.` : `“${wanted}” is not a legal move here.`);
      return;
    }
    byId("type-move").value = "";
    this.#notice("");
    this.cursor = null;
    game.play(found[0]);
  }

  // typedAhead plans a move that was typed while the opponent thinks.
  #typedAhead(wanted) {
    const { game } = this;
    if (!game.playing || !game.color) return;
    const found = findPlanned(wanted, placement(game.position(game.shownPlies).fen), game.color);
    if (found.length !== 1) {
      this.#notice(found.length ? `It is not your move yet, and to plan it “${wanted}” fits ${found.map((m) => m.from + m.to).join(" and ")}: say which.`
        : `It is not your move yet, and none of your men can go there to plan “${wanted}”.`);
      return;
    }
    byId("type-move").value = "";
    this.#notice("");
    this.cursor = null;
    const [{ from, to, promotion }] = found;
    game.plan(found[0]);
    this.#announce(`Planned: ${from} to ${to}${promotion && `, promotes to ${names[promotion]}`}. It is played when it is your move, if it is legal then.`);
  }

  #key(e) {
    if (e.altKey || e.ctrlKey || e.metaKey || e.defaultPrevented || !this.game) return;
    if (e.target.closest("input, select, textarea")) return;
    const step = { ArrowLeft: () => this.#shownPly() - 1, ArrowRight: () => this.#shownPly() + 1, Home: () => 0, End: () => Infinity }[e.key];
    if (!step) return;
    e.preventDefault();
    this.#look(step());
  }

  #askSure(yes) {
    if (byId("sure").hidden !== yes) return;
    show("sure", yes);
    byId("sure-text").textContent = "Resign this game?";
    if (yes) byId("sure-no").focus();
    else if (!byId("in-play").hidden) byId("resign").focus();
  }

  #notice(text) {
    byId("notice").textContent = text;
    clearTimeout(this.noticeTimer);
    if (text) this.noticeTimer = setTimeout(() => { byId("notice").textContent = ""; }, noticeTime);
  }

  #announce(text) {
    byId("announce").textContent = text;
  }

  #drawChat() {
    const lines = this.game.chat;
    if (this.chatLength >= 0) {
      const fresh = lines.slice(this.chatLength).filter((l) => l.user !== "lichess" && l.user !== this.session.name);
      if (fresh.length) this.#announce(fresh.map((l) => `${l.user} says: ${l.text}`).join(" "));
    }
    this.chatLength = lines.length;
    showChat(byId("chat-lines"), lines);
  }

  #tick() {
    const { game } = this;
    if (!game) return;
    for (const [place, side] of this.#sides()) {
      const left = game.link === "opening" ? null : game.left(side);
      this.players[place].tick(left, game.playing && game.moves.length >= 2 && game.turn === side);
    }
    const wait = game.gone && game.playing && game.color ? Math.ceil((game.gone.due - performance.now()) / 1000) : null;
    show("gone", wait !== null);
    if (wait === null) return;
    const due = wait <= 0 && !game.myTurn;
    byId("gone-text").textContent = due ? "Your opponent has left the game." : `Your opponent has left. You can claim the game in ${Math.max(wait, 0)} s, when it is not your move.`;
    byId("claim-victory").disabled = byId("claim-draw").disabled = !due;
  }
}

try {
  new Page(await getJSON("/play/session")).route();
} catch {
  const bar = byId("link");
  bar.textContent = "The server does not answer. Is castellan local still running? Reload the page when it is.";
  bar.hidden = false;
}

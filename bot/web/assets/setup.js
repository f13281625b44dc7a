// The form for a new game: what to play, against whom, with which clock and from where. What was chosen last is kept in the
// browser and chosen again.

import { Refusal, postJSON } from "./api.js";

const clocks = [[1, 0], [2, 1], [3, 2], [5, 3], [10, 5], [15, 10], [30, 0], [30, 20]];
const store = "castellan-setup";
const usual = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

const clockName = (minutes, seconds) => `${minutes}+${seconds}`;

function option(value, text) {
  const element = document.createElement("option");
  element.value = value;
  element.textContent = text;
  return element;
}

export class Setup {
  // form is the form's element. onStart(wish) is told of a game that is wanted; preview(fen) of its start position.
  constructor(form, session, { onStart, preview }) {
    this.form = form;
    this.fields = form.elements;
    this.preview = preview;
    this.fault = document.getElementById("setup-fault");
    this.asked = 0;
    this.#fill(session);
    this.#recall();
    form.addEventListener("input", () => this.refresh());
    form.addEventListener("change", () => this.refresh());
    form.addEventListener("submit", async (e) => {
      e.preventDefault();
      const wish = await this.#wish();
      if (!wish) return;
      this.#keep();
      onStart(wish);
    });
  }

  #fill(session) {
    const { level, white, black, clock } = this.fields;
    for (const select of [level, white, black]) {
      select.append(...session.levels.map((l) => option(l.key, l.name)));
      select.value = session.level;
    }
    const given = clockName(session.limit / 60, session.increment);
    if (!clocks.some(([m, s]) => clockName(m, s) === given)) clock.append(option(`${session.limit} ${session.increment}`, given));
    for (const [m, s] of clocks) clock.append(option(`${m * 60} ${s}`, clockName(m, s)));
    clock.append(option("none", "No clock"), option("own", "Another clock…"));
    clock.value = `${session.limit} ${session.increment}`;
    this.fields.minutes.value = 5;
    this.fields.increment.value = 3;
  }

  #recall() {
    try {
      const kept = JSON.parse(localStorage.getItem(store) ?? "{}");
      for (const [name, value] of Object.entries(kept)) {
        const field = this.fields[name];
        if (!field || typeof value !== "string") continue;
        if (field.tagName !== "SELECT" || [...field.options].some((o) => o.value === value)) field.value = value;
      }
    } catch {
      // what was kept is of no use
    }
  }

  #keep() {
    try {
      localStorage.setItem(store, JSON.stringify(Object.fromEntries(new FormData(this.form))));
    } catch {
      // a browser that keeps nothing
    }
  }

  // refresh shows the fields that go with what is chosen, and the position that the game would start from.
  async refresh() {
    const { what, clock, start } = this.fields;
    for (const part of this.form.querySelectorAll("[data-for]")) part.hidden = part.dataset.for !== what.value;
    const none = [...clock.options].find((o) => o.value === "none");
    none.disabled = what.value === "watch";
    if (none.disabled && clock.value === "none") clock.value = clock.options[0].value;
    document.getElementById("own-clock").hidden = clock.value !== "own";
    document.getElementById("number-field").hidden = start.value !== "chess960";
    document.getElementById("fen-field").hidden = start.value !== "fen";
    document.getElementById("go").textContent = what.value === "watch" ? "Watch" : "Play";
    this.fault.textContent = "";
    const asked = ++this.asked;
    const { fen, fault } = await this.#position();
    if (asked === this.asked) {
      if (fen) this.preview(fen);
      if (fault && this.fields.fen.value.trim()) this.fault.textContent = fault;
    }
  }

  // position is the start that the form asks for: {fen}, with chess960 and no number the usual one to look at; or
  // {fault}, with a fen too when that can be looked at and not be played from.
  async #position() {
    const { start, number, fen } = this.fields;
    let question = {};
    if (start.value === "chess960" && number.value !== "") {
      if (!/^\d{1,3}$/.test(number.value) || Number(number.value) > 959) return { fault: "The number of the start must be 0 to 959." };
      question = { number: Number(number.value) };
    } else if (start.value === "fen") {
      if (!fen.value.trim()) return { fault: "Enter a position as FEN." };
      question = { fen: fen.value.trim() };
    } else {
      return { fen: usual };
    }
    try {
      const answer = await postJSON("/rules", question);
      return answer.over ? { fen: answer.fen, fault: `In this position the game is over: ${answer.over}.` } : { fen: answer.fen };
    } catch (fault) {
      return { fault: fault instanceof Refusal ? fault.message : "The server does not answer." };
    }
  }

  // wish is what the form asks for, or null after saying what is wrong with it.
  async #wish() {
    const f = this.fields;
    const wish = { what: f.what.value, color: f.color.value, level: f.level.value, white: f.white.value, black: f.black.value };
    const { asked } = this;
    const { fen, fault } = await this.#position();
    if (fault) return asked === this.asked ? this.#complain(fault) : null; // of another position than the form has by now
    wish.chess960 = f.start.value === "chess960";
    wish.fen = f.start.value === "fen" || (wish.chess960 && f.number.value !== "") ? fen : "";
    switch (f.clock.value) {
      case "none":
        break;
      case "own": {
        const minutes = Number(f.minutes.value);
        const seconds = Number(f.increment.value);
        if (!Number.isInteger(minutes) || minutes < 0 || minutes > 180) return this.#complain("The minutes must be a whole number from 0 to 180.");
        if (!Number.isInteger(seconds) || seconds < 0 || seconds > 60) return this.#complain("The seconds a move must be a whole number from 0 to 60.");
        if (minutes * 60 + seconds * 40 < 30) return this.#complain("That is too little time to play with.");
        wish.clock = { limit: minutes * 60, increment: seconds };
        break;
      }
      default: {
        const [limit, increment] = f.clock.value.split(" ").map(Number);
        wish.clock = { limit, increment };
      }
    }
    return wish;
  }

  #complain(fault) {
    this.fault.textContent = fault;
    return null;
  }

  // busy shows that a game is being arranged, or no longer; say is what went wrong.
  busy(yes, say = "") {
    document.getElementById("go").disabled = yes;
    document.getElementById("cancel").hidden = !yes;
    this.fault.textContent = say;
  }
}

// What stands around the board: the two players with their clocks and what they have taken, the list of moves, and the chat.
// Texts from outside are set as text and never read as HTML.

import { colorOf, drawMan, nameOf } from "./pieces.js";
import { clockText } from "./words.js";
import { opposite } from "./game.js";

const worth = { p: 1, n: 3, b: 3, r: 5, q: 9 };
const hurry = 20000; // ms below which a clock is marked

// Player is the bar above or below the board.
export class Player {
  constructor(bar) {
    this.bar = bar;
    this.clock = bar.querySelector(".clock");
    this.takenKey = "";
  }

  show(side, player, plies, active) {
    this.side = side;
    this.bar.dataset.side = side;
    this.bar.classList.toggle("active", active);
    this.bar.querySelector(".name").textContent = player.name;
    this.bar.querySelector(".rating").textContent = player.title ? `${player.title} ${player.rating ?? ""}` : "";
    const all = plies.map((p) => p.captured).filter(Boolean);
    const taken = all.filter((man) => colorOf(man) === opposite(side));
    const points = (men) => men.reduce((sum, man) => sum + worth[man.toLowerCase()], 0);
    const ahead = 2 * points(taken) - points(all);
    const key = `${side} ${taken.join("")} ${ahead}`;
    if (key === this.takenKey) return;
    this.takenKey = key;
    const place = this.bar.querySelector(".taken");
    taken.sort((a, b) => worth[b.toLowerCase()] - worth[a.toLowerCase()]);
    place.replaceChildren(...taken.map((man) => drawMan(man)));
    if (ahead > 0) place.append(`+${ahead}`);
    place.setAttribute("role", "img");
    place.setAttribute("aria-label", taken.length ? `took ${taken.map((man) => nameOf(man)).join(", ")}` : "took nothing");
  }

  tick(ms, runs) {
    this.clock.hidden = ms === null;
    if (ms === null) return;
    const text = clockText(ms);
    if (this.clock.textContent !== text) this.clock.textContent = text;
    this.clock.classList.toggle("runs", runs);
    this.clock.classList.toggle("hurry", ms < hurry);
  }
}

// MoveList lists the moves; each is a button that shows the position after it.
export class MoveList {
  constructor(list, onPick) {
    this.list = list;
    this.key = "";
    list.addEventListener("click", (e) => {
      const button = e.target.closest("button");
      if (button) onPick(Number(button.dataset.ply));
    });
  }

  show(start, plies, shown) {
    const key = `${start.fen} ${plies.map((p) => p.uci).join(" ")}`;
    if (key !== this.key) {
      this.key = key;
      const fields = start.fen.split(" ");
      const blackFirst = fields[1] === "b" ? 1 : 0;
      let number = Number(fields[5] ?? 1);
      const rows = [];
      plies.forEach((p, i) => {
        let row = rows.at(-1);
        if (!row || (i + blackFirst) % 2 === 0) {
          row = document.createElement("li");
          const label = document.createElement("span");
          label.className = "number";
          label.textContent = `${number++}.`;
          row.append(label);
          if (i === 0 && blackFirst) row.append(Object.assign(document.createElement("span"), { className: "none", textContent: "…" }));
          rows.push(row);
        }
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = p.san;
        button.dataset.ply = i + 1;
        row.append(button);
      });
      this.list.replaceChildren(...rows);
    }
    for (const button of this.list.querySelectorAll("button")) {
      if (Number(button.dataset.ply) === shown) {
        button.setAttribute("aria-current", "step");
        // Only the list itself is scrolled: the page stays where it is. Where there is room for one row, the rows stand in a line.
        const row = button.parentElement;
        const { list } = this;
        if (row.offsetTop < list.scrollTop || row.offsetTop + row.offsetHeight > list.scrollTop + list.clientHeight) {
          list.scrollTop = row.offsetTop - list.clientHeight / 2;
        }
        if (button.offsetLeft < list.scrollLeft || button.offsetLeft + button.offsetWidth > list.scrollLeft + list.clientWidth) {
          list.scrollLeft = button.offsetLeft + button.offsetWidth - list.clientWidth + 8;
        }
      } else {
        button.removeAttribute("aria-current");
      }
    }
  }
}

// showChat fills the list of what was said.
export function showChat(list, lines) {
  list.replaceChildren(...lines.map(({ user, text }) => {
    const item = document.createElement("li");
    if (user === "lichess") {
      item.className = "server"; // the server speaks by this name
    } else {
      const name = document.createElement("b");
      name.textContent = user;
      item.append(name, ": ");
    }
    item.append(String(text));
    return item;
  }));
  list.scrollTop = list.scrollHeight;
}

// The board: it shows a position and lets men be moved by drag, by click or touch on two squares, and by keyboard. What may be
// moved where is told to it; it knows no rules, no server and no page around it.

import { colorOf, drawMan, nameOf, names } from "./pieces.js";

const files = "abcdefgh";

// placement reads the first field of a FEN: a Map from squares to letters.
export function placement(fen) {
  const men = new Map();
  fen.split(" ")[0].split("/").forEach((row, i) => {
    let file = 0;
    for (const c of row) {
      if (c >= "1" && c <= "8") file += Number(c);
      else if (names[c.toLowerCase()] && file < 8 && i < 8) men.set(files[file++] + (8 - i), c);
    }
  });
  return men;
}

const dragAfter = 5; // pixels that the pointer must go before a press is a drag

export class Board {
  // host is the element that becomes the board. onMove(from, to, promotion) is told of a move that was chosen among the targets;
  // promotion is q, r, b, n or "". onCancel is told when somebody gives up what is selected or planned.
  constructor(host, { onMove = () => {}, onCancel = () => {}, label = "Chess board" } = {}) {
    this.host = host;
    this.onMove = onMove;
    this.onCancel = onCancel;
    this.shown = { fen: "", orientation: "white", lastMove: [], check: "", mover: null, targets: () => [], planned: [] };
    this.men = new Map();
    this.selected = "";
    this.focused = "e2";
    this.drag = null;
    host.classList.add("board");
    this.grid = document.createElement("div");
    this.grid.className = "ranks";
    this.grid.setAttribute("role", "grid");
    this.grid.setAttribute("aria-label", label);
    host.replaceChildren(this.grid);
    this.#build();
    host.addEventListener("pointerdown", (e) => this.#press(e));
    host.addEventListener("pointermove", (e) => this.#pull(e));
    host.addEventListener("pointerup", (e) => this.#release(e));
    for (const lost of ["pointercancel", "lostpointercapture"]) {
      host.addEventListener(lost, (e) => e.pointerId === this.drag?.pointer && this.#endDrag());
    }
    host.addEventListener("keydown", (e) => this.#key(e));
    host.addEventListener("contextmenu", (e) => {
      e.preventDefault();
      if (!this.drag?.touch) this.cancel(); // a finger that rests on a man is no other button
    });
    host.addEventListener("focusin", (e) => {
      const square = e.target.dataset?.square;
      if (square) this.#rove(square);
    });
  }

  // show shows a position. All of it is optional and stays as it was when left out:
  //   fen          the position; its first field is enough
  //   orientation  the side at the bottom, "white" or "black"
  //   lastMove     squares to mark as those of the last move
  //   check        square of a king in check, or ""
  //   mover        whose men can be taken hold of: "white", "black", "both" or null
  //   targets      function from a square to what its man may do: [{square, promotion: true when a man must be chosen}]
  //   planned      squares of a move that is planned for later
  //   animate      false to set the men down without a slide
  show(change) {
    const before = this.men;
    const turned = change.orientation && change.orientation !== this.shown.orientation;
    const { animate = true, ...kept } = change;
    this.shown = { ...this.shown, ...kept };
    this.men = placement(this.shown.fen);
    if (turned) this.#build();
    this.host.dataset.fen = this.shown.fen;
    this.host.dataset.orientation = this.shown.orientation;
    if (this.selected && !this.#movable(this.selected)) this.#select("");
    if (this.choice && !this.#movable(this.choice.from)) this.#closeChoice();
    const slides = animate && !turned && before.size > 0 ? this.#slides(before) : [];
    // What is being dragged stays in the hand as long as it still stands there: a move is planned while the opponent moves.
    const { drag } = this;
    if (drag && (turned || before.get(drag.square) !== this.men.get(drag.square) || (drag.moving && !this.#movable(drag.square)))) this.#endDrag();
    this.#paint();
    for (const [from, to] of slides) this.#slide(from, to);
  }

  // cancel gives up what is in the hand, or else what is selected, chosen or planned.
  cancel() {
    const dragged = this.drag?.moving;
    this.#endDrag();
    this.#select("");
    this.#closeChoice();
    if (!dragged) this.onCancel();
  }

  // focus gives the keyboard to the board.
  focus() {
    this.squares.get(this.focused).focus({ preventScroll: true });
  }

  #build() {
    this.squares = new Map();
    const ranks = this.shown.orientation === "white" ? [8, 7, 6, 5, 4, 3, 2, 1] : [1, 2, 3, 4, 5, 6, 7, 8];
    const columns = this.shown.orientation === "white" ? [...files] : [...files].reverse();
    const rows = ranks.map((rank) => {
      const row = document.createElement("div");
      row.className = "rank";
      row.setAttribute("role", "row");
      for (const file of columns) {
        const cell = document.createElement("div");
        cell.className = `square ${(files.indexOf(file) + rank) % 2 ? "dark" : "light"}`;
        cell.setAttribute("role", "gridcell");
        cell.dataset.square = file + rank;
        cell.tabIndex = file + rank === this.focused ? 0 : -1;
        if (file === columns[0]) cell.dataset.rank = rank;
        if (rank === ranks[7]) cell.dataset.file = file;
        row.append(cell);
        this.squares.set(file + rank, cell);
      }
      return row;
    });
    this.#closeChoice();
    this.grid.replaceChildren(...rows);
  }

  #paint() {
    const { lastMove, check, planned } = this.shown;
    const targets = new Set(this.selected ? this.shown.targets(this.selected).map((t) => t.square) : []);
    for (const [square, cell] of this.squares) {
      const letter = this.men.get(square) ?? "";
      if (cell.dataset.man !== letter) {
        cell.dataset.man = letter;
        cell.replaceChildren(...(letter ? [drawMan(letter)] : []));
      }
      cell.classList.toggle("last", lastMove.includes(square));
      cell.classList.toggle("check", check === square);
      cell.classList.toggle("planned", planned.includes(square));
      cell.classList.toggle("target", targets.has(square));
      cell.classList.toggle("movable", this.#movable(square));
      cell.setAttribute("aria-selected", String(square === this.selected));
      cell.classList.toggle("selected", square === this.selected);
      const says = [square, letter ? nameOf(letter) : "empty"];
      if (check === square) says.push("in check");
      if (lastMove.includes(square)) says.push("last move");
      if (targets.has(square)) says.push("can be moved to");
      if (planned.includes(square)) says.push("planned");
      cell.setAttribute("aria-label", says.join(", "));
    }
  }

  #movable(square) {
    const letter = this.men.get(square);
    const { mover } = this.shown;
    return Boolean(letter && mover && (mover === "both" || colorOf(letter) === mover));
  }

  #select(square) {
    this.selected = square;
    this.#paint();
  }

  // choose is a click or Enter on a square: it selects a man, or moves the one that is selected.
  #choose(square) {
    if (this.selected && this.selected !== square && this.#tryMove(this.selected, square)) return;
    if (this.#movable(square) && square !== this.selected) {
      this.#select(square);
    } else if (this.selected) {
      this.#select("");
    } else {
      this.onCancel();
    }
  }

  // tryMove plays a move, or asks for the man first when a pawn promotes. It tells whether the square was a target.
  #tryMove(from, to) {
    const target = this.shown.targets(from).find((t) => t.square === to);
    if (!target) return false;
    this.#select("");
    if (target.promotion) this.#askPromotion(from, to);
    else this.onMove(from, to, "");
    return true;
  }

  #askPromotion(from, to) {
    this.#closeChoice();
    const color = colorOf(this.men.get(from));
    const box = document.createElement("div");
    box.className = "promotion";
    box.setAttribute("role", "dialog");
    box.setAttribute("aria-label", "Promote the pawn to");
    const column = this.shown.orientation === "white" ? files.indexOf(to[0]) : 7 - files.indexOf(to[0]);
    const top = (to[1] === "8") === (this.shown.orientation === "white");
    box.style.left = `${column * 12.5}%`;
    box.style[top ? "top" : "bottom"] = "0";
    for (const man of top ? "qnrb" : "brnq") {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-label", names[man]);
      button.dataset.promotion = man;
      button.append(drawMan(color === "white" ? man.toUpperCase() : man));
      button.addEventListener("click", () => {
        this.#closeChoice();
        this.squares.get(to).focus();
        this.onMove(from, to, man);
      });
      box.append(button);
    }
    this.choice = { box, from };
    this.host.append(box);
    box.querySelector("[data-promotion=q]").focus();
  }

  #closeChoice() {
    this.choice?.box.remove();
    this.choice = null;
  }

  #squareAt(e) {
    const box = this.host.getBoundingClientRect();
    const x = Math.floor(((e.clientX - box.left) / box.width) * 8);
    const y = Math.floor(((e.clientY - box.top) / box.height) * 8);
    if (x < 0 || x > 7 || y < 0 || y > 7) return "";
    return this.shown.orientation === "white" ? files[x] + (8 - y) : files[7 - x] + (y + 1);
  }

  #press(e) {
    // A second finger, or a pen beside the mouse, has no part in a drag.
    if (e.button !== 0 || !e.isPrimary || this.drag?.moving || this.choice?.box.contains(e.target)) return;
    this.#endDrag();
    if (this.choice) {
      this.cancel();
      return;
    }
    const square = this.#squareAt(e);
    if (!square) return;
    this.drag = {
      pointer: e.pointerId, touch: e.pointerType === "touch", square, x: e.clientX, y: e.clientY,
      moving: false, wasSelected: this.selected === square, man: null,
    };
    if (this.#movable(square)) {
      e.preventDefault(); // neither scrolls nor selects text
      this.squares.get(square).focus({ preventScroll: true });
      this.host.setPointerCapture(e.pointerId);
      const playsThis = this.selected && this.selected !== square && this.shown.targets(this.selected).some((t) => t.square === square);
      if (!playsThis) this.#select(square);
    }
  }

  #pull(e) {
    const drag = this.drag;
    if (drag?.pointer !== e.pointerId || !this.#movable(drag.square)) return;
    if (e.buttons & 2) {
      this.cancel(); // another button while the first is down is told as a movement
      return;
    }
    const x = e.clientX - drag.x;
    const y = e.clientY - drag.y;
    if (!drag.moving && Math.hypot(x, y) < dragAfter) return;
    if (!drag.moving) {
      drag.moving = true;
      this.#select(drag.square);
      drag.man = this.squares.get(drag.square).querySelector(".man");
      drag.man?.classList.add("dragged");
      const cell = this.squares.get(drag.square).getBoundingClientRect();
      // The man hangs by its middle, wherever on the square it was taken.
      drag.offset = [drag.x - (cell.left + cell.width / 2), drag.y - (cell.top + cell.height / 2)];
    }
    if (drag.man) drag.man.style.transform = `translate(${x + drag.offset[0]}px, ${y + drag.offset[1]}px) scale(1.1)`;
    const over = this.#squareAt(e);
    for (const [square, cell] of this.squares) cell.classList.toggle("over", square === over && square !== drag.square);
  }

  #release(e) {
    const drag = this.drag;
    if (drag?.pointer !== e.pointerId) return;
    const square = this.#squareAt(e);
    this.#endDrag();
    if (drag.moving) {
      if (square && square !== drag.square) {
        this.dropped = square; // the man is there already: no slide
        if (!this.#tryMove(drag.square, square)) this.#select("");
        this.dropped = "";
      }
    } else if (drag.wasSelected) {
      this.#select("");
    } else if (square === drag.square && this.selected !== square) {
      this.#choose(square);
    }
  }

  #endDrag() {
    const drag = this.drag;
    this.drag = null;
    if (drag?.man) {
      drag.man.classList.remove("dragged");
      drag.man.style.transform = "";
    }
    for (const cell of this.squares.values()) cell.classList.remove("over");
  }

  #rove(square) {
    this.squares.get(this.focused)?.setAttribute("tabindex", "-1");
    this.focused = square;
    this.squares.get(square)?.setAttribute("tabindex", "0");
  }

  #key(e) {
    if (e.altKey || e.ctrlKey || e.metaKey) return;
    if (e.key === "Escape") {
      const back = this.choice?.from;
      this.cancel();
      if (back) this.squares.get(back).focus();
      e.preventDefault();
      return;
    }
    if (this.choice?.box.contains(e.target)) {
      const buttons = [...this.choice.box.children];
      const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[e.key];
      if (step) {
        buttons[(buttons.indexOf(e.target) + step + buttons.length) % buttons.length].focus();
        e.preventDefault();
      }
      return;
    }
    const square = e.target.dataset?.square;
    if (!square) return;
    if (e.key === "Enter" || e.key === " ") {
      this.#choose(square);
      e.preventDefault();
      return;
    }
    const turn = this.shown.orientation === "white" ? 1 : -1;
    let file = files.indexOf(square[0]);
    let rank = Number(square[1]);
    switch (e.key) {
      case "ArrowLeft": file -= turn; break;
      case "ArrowRight": file += turn; break;
      case "ArrowUp": rank += turn; break;
      case "ArrowDown": rank -= turn; break;
      default: return;
    }
    e.preventDefault();
    e.stopPropagation();
    this.squares.get((files[file] ?? "") + rank)?.focus();
  }

  // slides finds which men went where between two positions: a man that is new on a square came from one where it is missing.
  #slides(before) {
    const left = [...before].filter(([square, letter]) => this.men.get(square) !== letter);
    const found = [];
    for (const [to, letter] of this.men) {
      if (before.get(to) === letter || to === this.dropped) continue;
      const i = left.findIndex(([, man]) => man === letter);
      if (i >= 0) found.push([left.splice(i, 1)[0][0], to]);
    }
    return found.length <= 2 ? found : []; // more than castling is another position, not a move
  }

  #slide(from, to) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const man = this.squares.get(to).querySelector(".man");
    const a = this.squares.get(from).getBoundingClientRect();
    const b = this.squares.get(to).getBoundingClientRect();
    man?.animate(
      [{ transform: `translate(${a.left - b.left}px, ${a.top - b.top}px)`, zIndex: 3 }, { transform: "none", zIndex: 3 }],
      { duration: 140, easing: "ease-out" },
    );
  }
}

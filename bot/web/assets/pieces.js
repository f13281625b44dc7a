// The six men as SVG, drawn on a field of 100 by 100. A man is made of parts from back to front; colours are the style sheet's:
// .man-fill is the body, .man-line what is drawn on it.

const plinth = "M27 77 H73 C77 78 80 82 80 86 V89 H20 V86 C20 82 23 78 27 77 Z";

const parts = {
  p: [
    ["fill", "M43.5 46 C43.5 59 38 67 31.5 77 H68.5 C62 67 56.5 59 56.5 46 Z"],
    ["fill", "M38 41.5 H62 C65 41.5 65.5 48 62 48 H38 C34.5 48 35 41.5 38 41.5 Z"],
    ["fill", "M50 17.5 A13 13 0 0 1 50 43.5 A13 13 0 0 1 50 17.5 Z"],
    ["fill", plinth],
  ],
  r: [
    ["fill", "M36.5 42 H63.5 L67.5 77 H32.5 Z"],
    ["fill", "M27 17 H37.5 V24.5 H45 V17 H55 V24.5 H62.5 V17 H73 V34 L65 43 H35 L27 34 Z"],
    ["line", "M31 35 H69 M34.5 69 H65.5"],
    ["fill", plinth],
  ],
  n: [
    ["fill", "M31 77 C31 66 38 60 44.5 54.5 C48 51.5 49.5 48 49 44.5 C44 49.5 37 50 32.5 53 C29.5 55 27.5 60 23.5 60.5 " +
      "C18.5 61 15 56 16 51 C17 45.5 24 38.5 27 31.5 C28.2 27.5 30 24.5 33 22 L33.5 11.5 L41.5 17 C44.5 16 48 15.5 51.5 16 " +
      "C68 18 78 34 77.5 60 C77.5 67 76.5 72 75 77 Z"],
    ["dot", "M36 28.2 A3 3 0 0 1 36 34.2 A3 3 0 0 1 36 28.2 Z"],
    ["dot", "M22.2 50 A1.7 1.7 0 0 1 22.2 53.4 A1.7 1.7 0 0 1 22.2 50 Z"],
    ["line", "M54 23 C65 28 70 42 69.5 61"],
    ["fill", plinth],
  ],
  b: [
    ["fill", "M43 60 C43 68 38 73 31 77 H69 C62 73 57 68 57 60 Z"],
    ["fill", "M50 20 C40.5 27 33.5 36 33.5 45 C33.5 51.5 37 56.5 42 59 H58 C63 56.5 66.5 51.5 66.5 45 C66.5 36 59.5 27 50 20 Z"],
    ["line", "M59 31 L49 44"],
    ["fill", "M38.5 57.5 H61.5 C65 57.5 65 64 61.5 64 H38.5 C35 64 35 57.5 38.5 57.5 Z"],
    ["fill", "M50 10 A5.6 5.6 0 0 1 50 21.2 A5.6 5.6 0 0 1 50 10 Z"],
    ["fill", plinth],
  ],
  q: [
    ["fill", "M37.5 62 C37.5 69 34 73 29 77 H71 C66 73 62.5 69 62.5 62 Z"],
    ["fill", "M35 60 L20 30 L34.5 43 L36.5 21.5 L46 41 L50 18 L54 41 L63.5 21.5 L65.5 43 L80 30 L65 60 Z"],
    ["fill", "M20 22.5 A4.6 4.6 0 0 1 20 31.7 A4.6 4.6 0 0 1 20 22.5 Z"],
    ["fill", "M36.2 14 A4.6 4.6 0 0 1 36.2 23.2 A4.6 4.6 0 0 1 36.2 14 Z"],
    ["fill", "M50 10 A4.6 4.6 0 0 1 50 19.2 A4.6 4.6 0 0 1 50 10 Z"],
    ["fill", "M63.8 14 A4.6 4.6 0 0 1 63.8 23.2 A4.6 4.6 0 0 1 63.8 14 Z"],
    ["fill", "M80 22.5 A4.6 4.6 0 0 1 80 31.7 A4.6 4.6 0 0 1 80 22.5 Z"],
    ["fill", "M34.5 57.5 H65.5 C69.5 57.5 69.5 64.5 65.5 64.5 H34.5 C30.5 64.5 30.5 57.5 34.5 57.5 Z"],
    ["fill", plinth],
  ],
  k: [
    ["fill", "M38 62 C38 69 34 73 29 77 H71 C66 73 62 69 62 62 Z"],
    ["fill", "M46.6 6.5 H53.4 V12.3 H59.5 V18.9 H53.4 V29 H46.6 V18.9 H40.5 V12.3 H46.6 Z"],
    ["fill", "M50 27 C42 27 33 30 28.5 36 C31.5 44 34.5 52 36.5 60 H63.5 C65.5 52 68.5 44 71.5 36 C67 30 58 27 50 27 Z"],
    ["line", "M34 39.5 C44 35.5 56 35.5 66 39.5"],
    ["fill", "M35 57.5 H65 C69 57.5 69 64.5 65 64.5 H35 C31 64.5 31 57.5 35 57.5 Z"],
    ["fill", plinth],
  ],
};

export const names = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };

// colorOf tells whose man a FEN letter is.
export const colorOf = (letter) => (letter === letter.toUpperCase() ? "white" : "black");

// nameOf is the man of a FEN letter in words: "white knight".
export const nameOf = (letter) => `${colorOf(letter)} ${names[letter.toLowerCase()]}`;

const svg = (name, attributes) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};

// drawMan returns a new picture of the man of a FEN letter. It says nothing to a screen reader: the square does.
export function drawMan(letter) {
  const picture = svg("svg", { viewBox: "3 1.5 94 94", class: `man ${colorOf(letter)}`, "aria-hidden": "true", focusable: "false" });
  for (const [kind, d] of parts[letter.toLowerCase()]) picture.append(svg("path", { class: `man-${kind}`, d }));
  return picture;
}

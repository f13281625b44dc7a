// The status page: it shows what the daemon sends and sends nothing itself. Whatever comes from outside is set as text.

import { GameCard } from "./watched.js";

const at = (id) => document.getElementById(id);

// put makes an element with text or children in it.
function put(name, content = "", attributes = {}) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...(Array.isArray(content) ? content : [String(content)]));
  return element;
}

// link leads to a page of the server; what is no web address stays text.
function link(text, url) {
  if (!/^https?:\/\//.test(url)) return document.createTextNode(text);
  return put("a", text, { href: url, rel: "noreferrer" });
}

// span writes a stretch of time, in ms, in its two largest units.
function span(ms) {
  const s = Math.max(Math.round(ms / 1000), 0);
  const parts = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]].map(([unit, size], i, all) => [unit, Math.floor((i ? s % all[i - 1][1] : s) / size)]);
  const first = parts.findIndex(([, n]) => n > 0);
  if (first < 0) return "0 s";
  return parts.slice(first, first + 2).filter(([, n]) => n > 0).map(([unit, n]) => `${n} ${unit}`).join(" ");
}

const moment = (ms) => new Date(ms).toLocaleString([], { dateStyle: "short", timeStyle: "medium" });

// none says that a list is empty, or shows it.
function none(what, empty) {
  const note = document.querySelector(`[data-none=${what}]`);
  note.hidden = !empty;
  const box = note.nextElementSibling;
  if (box.matches(".scroll")) box.hidden = empty;
}

// fill replaces what an element holds, unless it holds the same already: what is selected or focused stays so.
function fill(element, key, children) {
  const text = JSON.stringify(key);
  if (element.dataset.key === text) return;
  element.dataset.key = text;
  element.replaceChildren(...children());
}

const person = (p) => [p.title, p.name, p.rating ? `(${p.rating})` : ""].filter(Boolean).join(" ");

const endings = {
  mate: "checkmate", resign: "resignation", stalemate: "stalemate", timeout: "somebody left", draw: "draw", outoftime: "time was up",
  aborted: "aborted", noStart: "did not begin", cheat: "cheating found", insufficientMaterialClaim: "too little to mate",
};

let last = null; // the last picture, and when it came by the clock of this machine
let cameAt = 0;
const cards = new Map();

function show(now) {
  document.title = now.account ? `${now.account}: status` : "Castellan: status";
  at("account").textContent = now.account;
  showGames(now);
  tick();
  fill(at("limits"), now.limits.map((l) => l.name), () => now.limits.map((l) => put("li", `${l.name}, until ${moment(l.until)}`)));
  none("limits", !now.limits.length);
  fill(at("queue"), now.queue, () => now.queue.map((w) => put("li", `${person({ name: w.from, rating: w.rating })}: ${w.terms}, until ${moment(w.until)}`)));
  none("queue", !now.queue.length);
  fill(at("results"), now.results, () => now.results.map(resultRow));
  none("results", !now.results.length);
  fill(at("problems"), now.problems, () => now.problems.map((p) => put("li", [
    put("time", moment(p.at), { datetime: new Date(p.at).toISOString() }), " ", put("b", p.error ? "Error" : "Warning"), " ", p.text,
  ], { class: p.error ? "error" : "warning" })));
  none("problems", !now.problems.length);
}

function resultRow(r) {
  const diff = r.diff === undefined ? "" : ` ${r.diff > 0 ? "+" : ""}${r.diff}`;
  return put("tr", [
    put("td", [put("time", moment(r.ended), { datetime: new Date(r.ended).toISOString() })]),
    put("td", person({ title: r.title, name: r.opponent, rating: r.rating })),
    put("td", [link(`${r.terms} ${r.speed}`, r.url), `, ${r.rated ? "rated" : "casual"}, as ${r.us}`]),
    put("td", r.outcome + diff, { class: `outcome ${r.outcome}` }),
    put("td", endings[r.status] ?? r.status),
    put("td", Math.ceil(r.plies / 2)),
  ]);
}

function showGames(now) {
  const box = at("games");
  const running = new Set(now.games.map((g) => g.id));
  for (const [id, card] of cards) {
    if (running.has(id)) continue;
    card.element.remove();
    cards.delete(id);
  }
  for (const game of now.games) {
    let card = cards.get(game.id);
    if (!card) {
      card = new GameCard(link);
      cards.set(game.id, card);
      box.append(card.element);
    }
    card.show(game, now.now);
  }
  none("games", !now.games.length);
}

// tick shows what changes with time alone.
function tick() {
  if (!last) return;
  const now = last.now + (performance.now() - cameAt);
  const stream = last.stream;
  const facts = [
    ["Account", last.account || "not known yet"],
    ["Server", last.url || "not known yet"],
    ["Version", last.version],
    ["Running for", span(now - last.started)],
    ["Event stream", stream.open ? `open for ${span(now - stream.since)}` : `closed for ${span(now - stream.since)}`],
    ["Last line", stream.heard ? `${span(now - stream.heard)} ago` : "none yet"],
  ];
  if (last.own) facts.push(["Own challenge", `to ${last.own.to}: ${last.own.terms}, for ${span(now - last.own.since)}`]);
  if (stream.lostBy) facts.push(["Lost the last time by", stream.lostBy]);
  fill(at("facts"), facts, () => facts.flatMap(([name, value]) => [put("dt", name), put("dd", value)]));
  for (const card of cards.values()) card.tick(performance.now() - cameAt);
}

// health says how the bot is; it is read out when it changes.
function health(state, words) {
  const place = at("health");
  place.dataset.state = state;
  const text = place.querySelector(".words");
  if (text.textContent !== words) text.textContent = words;
}

function take(now) {
  last = now;
  cameAt = performance.now();
  const reasons = last.notReady ?? [];
  if (reasons.length) health("bad", `Not ready: ${reasons.join("; ")}`);
  else health(last.draining ? "leaving" : "good", last.draining ? "Takes no more games" : "Online");
  show(last);
}

// pace says why the page is not kept up to date at once, or with "" that it is.
function pace(words) {
  at("pace").textContent = words;
  at("pace").hidden = !words;
}

const silent = () => health("bad", "The daemon does not answer. What is below is the last that was heard.");
const lookAgain = 5000; // ms between two looks when the stream was refused
let source = null; // the stream of pictures
let timer = 0;

// listen follows the daemon while somebody looks: a browser has six connections to a server for all its tabs together, and a
// hidden one leaves them to the others.
function listen() {
  clearTimeout(timer);
  source?.close();
  source = null;
  if (document.hidden) return;
  const mine = new EventSource("/status/events");
  source = mine;
  mine.onopen = () => pace("");
  mine.onmessage = (e) => take(JSON.parse(e.data));
  mine.onerror = () => {
    if (mine !== source) return;
    if (mine.readyState === EventSource.CLOSED) look();
    else silent();
  };
}

// look asks why there is no stream, and for one picture.
async function look() {
  timer = setTimeout(listen, lookAgain);
  try {
    const stop = new AbortController();
    const reply = await fetch("/status/events", { signal: stop.signal });
    const why = reply.ok ? "" : (await reply.text()).trim().slice(0, 200);
    stop.abort();
    const now = await fetch("/status/now");
    if (!now.ok) throw new Error(now.statusText);
    take(await now.json());
    pace(why && `${why}: this one looks each ${lookAgain / 1000} seconds.`);
  } catch {
    pace("");
    silent();
  }
}

async function settings() {
  const list = await (await fetch("/status/settings")).json();
  const draw = () => {
    const shown = list.filter((s) => s.changed || at("all-settings").checked);
    at("settings").replaceChildren(...shown.map((s) => put("tr", [put("th", s.variable, { scope: "row" }), put("td", s.value || "not set")])));
    none("settings", !shown.length);
  };
  at("all-settings").addEventListener("change", draw);
  draw();
}

document.addEventListener("visibilitychange", listen);
listen();
settings();
setInterval(tick, 200);

// The felt, drawn from what the page gives: steps, each with all that lay on the table. Text goes in as text, never as markup.
const SVG = "http://www.w3.org/2000/svg";
const SUITS = {
  S: "M0-9C2-5 8-2 8 3C8 7 3 8 1 5C1 8 2 9 4 10H-4C-2 9-1 8-1 5C-3 8-8 7-8 3C-8-2-2-5 0-9Z",
  H: "M0 9C-3 4-9 1-9-4C-9-9-2-10 0-5C2-10 9-9 9-4C9 1 3 4 0 9Z",
  D: "M0-10C2-6 5-3 8 0C5 3 2 6 0 10C-2 6-5 3-8 0C-5-3-2-6 0-10Z",
  C: "M0-10A4.4 4.4 0 0 1 3.6-3A4.4 4.4 0 1 1 1 4C1 7 2 9 4 10H-4C-2 9-1 7-1 4A4.4 4.4 0 1 1-3.6-3A4.4 4.4 0 0 1 0-10Z",
};
const NAMES = { S: "spades", H: "hearts", D: "diamonds", C: "clubs" };
const L = 36, M = 50, R = 64;
const PIPS = {
  A: [[M, 70]], 2: [[M, 32], [M, 108]], 3: [[M, 32], [M, 70], [M, 108]], 4: [[L, 32], [R, 32], [L, 108], [R, 108]],
  5: [[L, 32], [R, 32], [M, 70], [L, 108], [R, 108]], 6: [[L, 32], [R, 32], [L, 70], [R, 70], [L, 108], [R, 108]],
  7: [[L, 32], [R, 32], [M, 51], [L, 70], [R, 70], [L, 108], [R, 108]],
  8: [[L, 32], [R, 32], [M, 51], [L, 70], [R, 70], [M, 89], [L, 108], [R, 108]],
  9: [[L, 30], [R, 30], [L, 56], [R, 56], [M, 70], [L, 84], [R, 84], [L, 110], [R, 110]],
  T: [[L, 30], [R, 30], [M, 43], [L, 56], [R, 56], [L, 84], [R, 84], [M, 97], [L, 110], [R, 110]],
};

function shape(name, attributes, parent) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent?.appendChild(made);
  return made;
}
function word(text, attributes, parent) { shape("text", attributes, parent).textContent = text; }
function box(tag, kind, parent, text) {
  const made = document.createElement(tag);
  if (kind) made.className = kind;
  if (text !== undefined) made.textContent = text;
  parent?.appendChild(made);
  return made;
}
function pip(suit, x, y, size, colour, parent) {
  shape("path", { d: SUITS[suit], fill: colour, transform: `translate(${x} ${y}) scale(${size} ${y > 71 ? -size : size})` }, parent);
}

export function card(lying, shown) {
  const svg = shape("svg", { viewBox: "0 0 100 140", class: "card", role: "img" });
  const { card: name, down, mark } = lying;
  const unread = name === "??", joker = name === "XX";
  const rank = name[0], suit = name[1];
  const label = unread ? "card not read" : joker ? "joker" : `${rank === "T" ? "10" : rank} of ${NAMES[suit]}`;
  svg.setAttribute("aria-label", label + (down ? ", face down" : "") + (mark ? `, ${mark}` : ""));
  const edge = mark === "exposed" ? "#ff6b5e" : unread ? "#f0b429" : "#1b1b1b";
  if (unread) {
    shape("rect", { x: 3, y: 3, width: 94, height: 134, rx: 10, fill: "#2b2410", stroke: edge, "stroke-width": 5, "stroke-dasharray": "9 6" }, svg);
    word("?", { x: 50, y: 88, "text-anchor": "middle", "font-size": 64, "font-weight": 700, fill: "#f0b429" }, svg);
    word("not read", { x: 50, y: 122, "text-anchor": "middle", "font-size": 18, fill: "#f0b429" }, svg);
    return svg;
  }
  if (down && !shown) {
    shape("rect", { x: 2, y: 2, width: 96, height: 136, rx: 10, fill: "#f4f1e8" }, svg);
    shape("rect", { x: 9, y: 9, width: 82, height: 122, rx: 6, fill: "#2c4a7c" }, svg);
    for (let k = 0; k < 9; k++) shape("path", { d: `M9 ${20 + 13 * k}L91 ${4 + 13 * k}`, stroke: "#7d97c4", "stroke-width": 2, fill: "none" }, svg);
    return svg;
  }
  shape("rect", { x: 2, y: 2, width: 96, height: 136, rx: 10, fill: down ? "#d9dee6" : "#f7f4ea", stroke: edge, "stroke-width": mark === "exposed" ? 7 : 1.5 }, svg);
  if (joker) {
    word("JOKER", { x: 50, y: 78, "text-anchor": "middle", "font-size": 26, "font-weight": 700, fill: "#7a2d8f" }, svg);
  } else {
    const colour = suit === "H" || suit === "D" ? "#c4242b" : "#15181c";
    const said = rank === "T" ? "10" : rank;
    for (const turned of [false, true]) {
      const corner = shape("g", turned ? { transform: "rotate(180 50 70)" } : {}, svg);
      word(said, { x: 14, y: 27, "text-anchor": "middle", "font-size": 27, "font-weight": 700, fill: colour, ...(said === "10" ? { textLength: 24, lengthAdjust: "spacingAndGlyphs" } : {}) }, corner);
      pip(suit, 14, 39, 0.78, colour, corner);
    }
    if (PIPS[rank]) {
      for (const [x, y] of PIPS[rank]) pip(suit, x, y, rank === "A" ? 2.6 : 0.92, colour, svg);
    } else {
      shape("rect", { x: 27, y: 24, width: 46, height: 92, rx: 5, fill: "#ece3c8", stroke: colour, "stroke-width": 2 }, svg);
      shape("path", { d: { K: "M36 46L42 34L50 44L58 34L64 46Z", Q: "M38 46Q50 26 62 46Z", J: "M38 46H62L56 36H44Z" }[rank], fill: "#c9a227", stroke: colour, "stroke-width": 1.2 }, svg);
      word(rank, { x: 50, y: 85, "text-anchor": "middle", "font-size": 40, "font-weight": 700, fill: colour }, svg);
      pip(suit, 50, 102, 0.95, colour, svg);
    }
  }
  if (down) {
    shape("path", { d: "M2 128V118L22 138H12Q2 138 2 128Z M98 12V22L78 2H88Q98 2 98 12Z", fill: "#2c4a7c" }, svg);
  }
  return svg;
}

function chip(cents) {
  const colour = cents >= 50000 ? "#6b3fa0" : cents >= 10000 ? "#22252b" : cents >= 2500 ? "#2d6e3e" : cents >= 500 ? "#a33b2f" : "#8d949b";
  const svg = shape("svg", { viewBox: "-12 -12 24 24", class: cents ? "chip" : "chip none", "aria-hidden": "true" });
  shape("circle", { r: 11, fill: cents ? colour : "none", stroke: "#f2efe4", "stroke-width": 1.4 }, svg);
  if (cents) {
    shape("circle", { r: 9, fill: "none", stroke: "#f2efe4", "stroke-width": 4, "stroke-dasharray": "4.7 4.72" }, svg);
    shape("circle", { r: 6.4, fill: colour, stroke: "#f2efe4", "stroke-width": 1 }, svg);
  }
  return svg;
}
const dollars = (cents) => (cents / 100).toLocaleString("en-US", { style: "currency", currency: "USD" });

function zone(parent, name, cards, shown, small) {
  if (!cards.length) return;
  const made = box("div", "zone" + (small ? " small" : ""), parent);
  box("div", "name", made, name);
  const row = box("div", "cards", made);
  cards.forEach((each) => row.appendChild(card(each, shown)));
}

function wrongHere(wrongs, seat, spot) {
  return wrongs.some((each) => each.seat === seat && each.wager === spot.wager && (each.hand ?? 1) === spot.hand && (!each.player || each.player === spot.player));
}

function drawSeat(parent, seat, data, step, shown) {
  const made = box("div", "seat" + (step.seat === seat.seat ? " now" : ""), parent);
  made.dataset.seat = seat.seat;
  const who = box("div", "who", made);
  box("b", "", who, String(seat.seat));
  who.append(seat.player || "nobody seen");
  who.title = seat.player;
  // Each hand of a box that was split has its own place, and its chips below it.
  const many = seat.hands.length > 1;
  made.style.flexGrow = Math.max(1, seat.hands.length);
  made.classList.toggle("split-box", many);
  const hands = box("div", "hands", made);
  const places = {};
  for (const hand of seat.hands) {
    const place = places[hand.hand] = box("div", "hand", hands);
    if (many) box("div", "no", place, `hand ${hand.hand}`);
    const row = box("div", "cards fan", place);
    hand.cards.forEach((each) => box("div", "held", row).appendChild(card(each, shown)));
    hand.choices.forEach((each) => box("span", "choice", place, each.replaceAll("_", " ")));
  }
  if (seat.discards.length) zone(made, "discarded", seat.discards, shown, true);
  const bettors = new Set(seat.spots.map((spot) => spot.player));
  for (const spot of seat.spots) {
    const under = many && places[spot.hand];
    const line = box("div", "spot" + (wrongHere(data.wrongs, seat.seat, spot) ? " wrong" : ""), under || made);
    line.appendChild(chip(spot.lying));
    const words = box("div", "", line);
    const whose = (spot.hand > 1 && !under ? ` · hand ${spot.hand}` : "") + (spot.player && (bettors.size > 1 || spot.player !== seat.player) ? ` · ${spot.player}` : "");
    box("div", "wager", words, spot.wager.replaceAll("_", " ") + whose);
    if (spot.lying || !spot.said) box("div", "sum", words, dollars(spot.lying));
    if (spot.said) box("div", "moved", words, `${spot.said}${spot.moved ? ` ${spot.moved > 0 ? "+" : "−"}${dollars(Math.abs(spot.moved))}` : ""}`);
  }
}

function draw(root, data, at, shown) {
  const step = data.steps[at];
  const felt = step.felt;
  const place = root.querySelector(".table");
  place.replaceChildren();
  const said = box("div", "said", place, step.said || " ");
  box("small", "", said, `   ${felt.ended ? "round ended" : felt.closed ? "no more bets" : "bets open"}`);
  const house = box("div", "house", place);
  zone(house, "dealer", felt.dealer, shown);
  zone(house, "community", felt.community, shown);
  zone(house, "burn", felt.burn, shown, true);
  zone(house, "rack: found face up", felt.rack, shown, true);
  const seats = box("div", "seats", place);
  Object.values(felt.seats).sort((one, two) => one.seat - two.seat).forEach((seat) => drawSeat(seats, seat, data, step, shown));
  if (felt.voided) {
    const stamp = box("span", "", box("div", "void", place), "VOID");
    box("small", "", stamp, felt.voided);
  }
  root.querySelectorAll("li").forEach((line) => {
    const number = Number(line.dataset.step);
    line.classList.toggle("now", number === at);
    line.classList.toggle("past", number < at);
  });
  const now = root.querySelector("li.now"), log = root.querySelector(".log");
  if (now && log) log.scrollTop = Math.max(0, now.offsetTop - log.offsetTop - log.clientHeight / 2);
  root.querySelector(".where").textContent = `step ${at + 1} of ${data.steps.length} · #${step.seq}`;
  root.querySelector("input[type=range]").value = at;
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".felt-root");
  const known = root.dataset.round === data.key;
  let at = known ? Number(root.dataset.at) : Math.min(Math.max(data.at, 0), data.steps.length - 1);
  root.dataset.round = data.key;
  root.replaceChildren();
  const bar = box("div", "bar", root);
  const button = (text, title, to) => {
    const made = box("button", "", bar, text);
    made.type = "button"; made.title = title; made.setAttribute("aria-label", title);
    made.onclick = () => go(to());
  };
  button("|◀", "First event", () => 0);
  button("◀", "Back (left arrow)", () => at - 1);
  const slider = box("input", "", bar);
  Object.assign(slider, { type: "range", min: 0, max: data.steps.length - 1, step: 1 });
  slider.setAttribute("aria-label", "Step through the round");
  slider.oninput = () => go(Number(slider.value));
  button("▶", "On (right arrow)", () => at + 1);
  button("▶|", "Last event", () => data.steps.length - 1);
  box("span", "where", bar);
  const choice = box("label", "", bar);
  const tick = box("input", "", choice);
  tick.type = "checkbox"; tick.checked = root.dataset.shown !== "no";
  choice.append("show face-down cards");
  tick.onchange = () => { root.dataset.shown = tick.checked ? "yes" : "no"; draw(root, data, at, tick.checked); };
  const split = box("div", "split", root);
  box("div", "table", split);
  const list = box("ol", "", box("div", "log", split));
  data.steps.forEach((step, number) => {
    const line = box("li", data.wrongSeqs.includes(step.seq) ? "wrong" : "", list);
    line.dataset.step = number;
    box("span", "t", line, step.time);
    const words = box("span", "", line, step.said);
    if (data.remarks[step.seq]) box("span", "remark", words, data.remarks[step.seq]);
    line.onclick = () => go(number);
  });
  function go(to) {
    at = Math.min(Math.max(to, 0), data.steps.length - 1);
    root.dataset.at = at;
    draw(root, data, at, tick.checked);
    // The address of this very step, without asking the server for anything.
    const address = new URL(window.location.href);
    if (address.searchParams.get("table") === data.table) {
      address.searchParams.set("step", at + 1);
      window.history.replaceState(window.history.state, "", address);
    }
  }
  const keys = (event) => {
    const path = event.composedPath()[0];
    if (event.altKey || event.ctrlKey || event.metaKey || (path.matches && path.matches("textarea, select, [contenteditable], input:not([type=range]):not([type=checkbox])"))) return;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: data.steps.length - 1 }[event.key];
    if (to === undefined || (path === slider && event.key.startsWith("Arrow"))) return;
    event.preventDefault();
    go(to);
  };
  window.addEventListener("keydown", keys);
  root.dataset.at = at;
  draw(root, data, at, tick.checked);
  return () => window.removeEventListener("keydown", keys);
}

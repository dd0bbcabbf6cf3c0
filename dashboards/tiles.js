// The floor's tiles and the ticker. Everything that came from a table goes in as text, never as markup.
function box(tag, kind, parent, text) {
  const made = document.createElement(tag);
  if (kind) made.className = kind;
  if (text !== undefined) made.textContent = text;
  parent?.appendChild(made);
  return made;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".floor");
  const link = (made, href, value) => {
    made.href = href;
    made.onclick = (event) => {
      // With a key held down the browser opens the address by itself, elsewhere.
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      setTriggerValue("picked", value);
    };
  };
  const tiles = document.createElement("div");
  tiles.className = "tiles";
  for (const tile of data.tiles) {
    const made = box("a", `tile ${tile.worst} ${tile.state}`, tiles);
    made.dataset.table = tile.table;
    link(made, tile.href, { table: tile.table });
    const top = box("div", "top", made);
    box("span", "name", top, tile.table);
    box("span", "age", top, tile.age);
    box("div", "game", made, tile.game);
    const line = box("div", "line", made);
    box("span", "", line, tile.dealer);
    box("span", "n", line, tile.round);
    const found = box("div", "found", made);
    for (const each of tile.open) {
      const count = box("span", `count ${each.severity}`, found, `${each.found} `);
      box("small", "", count, each.severity);
    }
    if (!tile.open.length) box("span", "quiet", found, "no open findings");
    const foot = box("div", "foot", made);
    box("span", tile.audited === "whole" ? "whole" : "part", foot, tile.coverage);
    if (tile.stake) box("span", "stake", foot, tile.stake);
  }
  const ticker = document.createElement("div");
  ticker.className = "ticker";
  box("h3", "", ticker, "Newest open findings");
  for (const each of data.ticker) {
    const made = box("a", each.severity, ticker);
    made.dataset.finding = each.id;
    link(made, each.href, { finding: each.id });
    const head = box("div", "head", made);
    const name = box("span", "", head);
    box("b", "", name, each.code);
    name.append(` ${each.where}`);
    box("span", "", head, each.age);
    box("div", "words", made, each.message);
  }
  if (!data.ticker.length) box("p", "", ticker, data.nothing);
  root.replaceChildren(tiles, ticker);
}

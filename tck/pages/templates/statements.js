
// --- the list of statements ----------------------------------------------------------------------

if ($("statements")) unpack().then(data => {
  function ability([look, text], cite, engine) {
    if (look === "none") return element("span", { className: "v none" }, `${SIGNS[look]} ${text}`);
    const href = `cases.html#${new URLSearchParams({ cite, engine })}`;
    return element("a", { className: `v ${look}`, href, title: look === "skip" ? text : "" }, `${SIGNS[look]} ${text}`);
  }
  function line([name, says, right, abilities]) {
    if (!abilities) {
      return element("tr", { className: "section" }, element("th", { scope: "rowgroup", colSpan: 2 + data.engines.length }, name));
    }
    const link = element("a", { href: `cases.html#${new URLSearchParams({ cite: name })}` }, name);
    link.dataset.nav = "";
    return element("tr", { id: name },
      element("th", { scope: "row" }, link),
      element("td", {}, ...prose(says), right ? element("em", {}, ...prose(` Right: ${right}`)) : ""),
      ...abilities.map((each, i) => element("td", {}, ability(data.abilities[each], name, data.engines[i]))));
  }
  const list = new LongList($("statements"), line);
  list.items = data.rows;

  function show() {
    const name = decodeURIComponent(location.hash.slice(1));
    const place = data.rows.findIndex(([id, , , abilities]) => abilities && id === name);
    if (place >= 0) choose(list.reach(place));
  }
  addEventListener("hashchange", show);
  show();
});

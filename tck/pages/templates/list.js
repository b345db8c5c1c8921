
// --- the list of cases ---------------------------------------------------------------------------

const filters = $("filters");
if (filters) unpack().then(data => {
  const CHOICES = ["engine", "outcome", "verdict", "kind", "chapter", "need"];
  const SWITCHES = { alone: false, fold: true };
  const results = data.results.map(([state, kind, verdict]) => ({ state, kind, verdict }));
  const cases = data.cases.map(([id, sql, chapter, series, needs, cites, found]) => {
    const one = {
      id, sql,
      chapter: data.chapters[chapter],
      series: data.series[series],
      needs: needs.map(each => data.needs[each]),
      cites: cites.map(each => data.cites[each]),
      results: found.map(each => results[each]),
    };
    const kinds = one.results.map(each => each.kind || each.state);
    one.text = [id, sql, one.chapter, ...one.needs, ...one.cites, ...kinds].join(" ").toLowerCase();
    return one;
  });
  function cell({ state, kind, verdict: whose }, engine) {
    const made = element("td", { title: [kind, whose].filter(Boolean).join(", ") }, WRONG.has(state)
      ? verdict(state, whose || kind)
      : element("span", { className: `v ${state}` }, SIGNS[state], element("span", { className: "hidden" }, ` ${state}`)));
    made.dataset.engine = data.engines[engine];
    return made;
  }
  function line({ one, more }) {
    const head = element("th", { scope: "row" },
      element("a", { href: `case.html#case=${encodeURIComponent(one.id)}` }, one.id),
      more ? ` and ${more} more of its series` : "",
      one.sql ? element("code", {}, one.sql) : "");
    head.firstChild.dataset.nav = "";
    const made = element("tr", {}, head, element("td", {}, one.chapter), ...one.results.map(cell));
    made.dataset.case = "";
    return made;
  }
  const list = new LongList($("rows"), line);

  function folded(found) {
    const lines = [], bySeries = new Map();
    for (const one of found) {
      const before = one.series && bySeries.get(one.series);
      if (before) { before.more += 1; continue; }
      lines.push({ one, more: 0 });
      if (one.series) bySeries.set(one.series, lines.at(-1));
    }
    return lines;
  }
  function apply() {
    const wanted = Object.fromEntries(CHOICES.map(name => [name, $(name).value]));
    const on = Object.fromEntries(Object.keys(SWITCHES).map(name => [name, $(name).checked]));
    const words = search.value.toLowerCase().split(/\s+/), cite = $("cite").value;
    const engine = data.engines.indexOf(wanted.engine);
    const fits = ({ state, kind, verdict }) => (!wanted.outcome || wanted.outcome === state || wanted.outcome === "wrong" && WRONG.has(state))
      && (!wanted.kind || wanted.kind === kind) && (!wanted.verdict || wanted.verdict === verdict)
      && (engine < 0 || state !== "none");
    const isAlone = one => one.results.filter(each => WRONG.has(each.state)).length === 1
      && (engine < 0 || WRONG.has(one.results[engine].state));
    const found = cases.filter(one => words.every(word => one.text.includes(word))
      && (!wanted.chapter || wanted.chapter === one.chapter)
      && (!wanted.need || one.needs.includes(wanted.need))
      && (!cite || one.cites.includes(cite))
      && (engine < 0 ? one.results.some(fits) : fits(one.results[engine]))
      && (!on.alone || isAlone(one)));
    list.items = on.fold ? folded(found) : found.map(one => ({ one, more: 0 }));
    $("found").textContent = `${found.length} of ${cases.length} cases`;
    $("cited").hidden = !cite;
    const changed = Object.keys(SWITCHES).filter(name => on[name] !== SWITCHES[name]);
    const kept = { q: search.value, ...wanted, cite, ...Object.fromEntries(changed.map(name => [name, on[name] ? "yes" : "no"])) };
    history.replaceState(null, "", `#${new URLSearchParams(Object.entries(kept).filter(([, value]) => value))}`);
  }
  function read() {
    const state = new URLSearchParams(location.hash.slice(1) || location.search);
    for (const name of CHOICES) $(name).value = state.get(name) ?? "";
    for (const name in SWITCHES) $(name).checked = state.has(name) ? state.get(name) === "yes" : SWITCHES[name];
    search.value = state.get("q") ?? "";
    $("cite").value = state.get("cite") ?? "";
    apply();
  }
  filters.hidden = false;
  search.form.addEventListener("submit", event => { event.preventDefault(); move(1); });
  search.addEventListener("input", apply);
  filters.addEventListener("change", apply);
  filters.addEventListener("reset", () => { $("cite").value = search.value = ""; setTimeout(apply); });
  addEventListener("hashchange", read);
  read();
});

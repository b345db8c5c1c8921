"use strict";
const $ = id => document.getElementById(id);
const search = $("search");

// --- light and dark ------------------------------------------------------------------------------

const THEMES = ["auto", "light", "dark"];
// A page from a file may be refused the store; the theme then lasts as long as the page.
const stored = (read, value) => {
  try { return read ? localStorage.getItem("theme") : localStorage.setItem("theme", value); } catch { return null; }
};
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  $("theme").textContent = { auto: "Auto", light: "Light", dark: "Dark" }[name];
  $("theme").setAttribute("aria-label", `Theme: ${name}`);
}
setTheme(THEMES.includes(stored(true)) ? stored(true) : "auto");
$("theme").hidden = $("help").hidden = false;
$("theme").addEventListener("click", () => {
  const next = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length];
  setTheme(next);
  stored(false, next);
});

// --- keys ----------------------------------------------------------------------------------------

const shown = () => [...document.querySelectorAll("[data-nav]")].filter(each => each.checkVisibility());
function move(by) {
  const links = shown(), at = links.indexOf(document.activeElement);
  const next = links[at < 0 ? (by > 0 ? 0 : links.length - 1) : Math.min(Math.max(at + by, 0), links.length - 1)];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}
$("help").addEventListener("click", () => $("keys").showModal());
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
  const typing = event.target.matches("input, select, textarea");
  const chosen = event.target === search || event.target.matches("[data-nav]");
  const by = { ArrowDown: chosen && 1, ArrowUp: chosen && -1, j: !typing && 1, k: !typing && -1 }[event.key];
  if (by) move(by);
  else if (event.key === "/" && !typing) search.select(), search.focus();
  else if (event.key === "?" && !typing) $("keys").showModal();
  else if (event.key === "Escape" && event.target === search) return search.blur();
  else return;
  event.preventDefault();
});

// --- the chapters ---------------------------------------------------------------------------------

const column = $("column");
if (column) {
  document.querySelector(".choose").hidden = false;
  const cells = [...document.querySelectorAll(".matrix [data-engine]")];
  const choose = () => cells.forEach(each => each.classList.toggle("chosen", each.dataset.engine === column.value));
  column.addEventListener("change", choose);
  choose();
  // Sorts the chapters of each section by an engine: first the worst, then the best, then as they were.
  const bodies = [...document.querySelectorAll(".matrix tbody")].map(body => ({ body, rows: [...body.querySelectorAll("[data-chapter]")] }));
  const buttons = [...document.querySelectorAll(".matrix .sort")];
  let sorted = { button: null, way: 0 };
  buttons.forEach((button, place) => {
    button.hidden = false;
    button.addEventListener("click", () => {
      sorted = { button, way: sorted.button === button ? (sorted.way + 1) % 3 : 1 };
      const part = row => Number(row.cells[place + 1].dataset.part);
      const key = row => (part(row) < 0 ? 2 : sorted.way === 1 ? part(row) : -part(row));
      for (const { body, rows } of bodies) {
        body.append(...(sorted.way ? [...rows].sort((a, b) => key(a) - key(b)) : rows));
      }
      buttons.forEach(each => { each.textContent = "↕"; });
      button.textContent = ["↕", "↑", "↓"][sorted.way];
    });
  });
}

// --- the list of cases ---------------------------------------------------------------------------

const filters = $("filters");
if (filters) {
  const SIGNS = { pass: "✓", fail: "✗", error: "!", known: "≈", skip: "–", none: "·" };
  const WRONG = new Set(["fail", "error", "known"]);
  const CHOICES = ["engine", "outcome", "verdict", "kind", "chapter", "need"];
  const SWITCHES = { alone: false, fold: true };
  const CHUNK = 100;
  const data = JSON.parse($("cases").textContent);
  const results = data.results.map(([state, kind, verdict]) => ({ state, kind, verdict }));
  const cases = data.cases.map(([id, sql, chapter, page, series, needs, cites, found]) => {
    const one = {
      id, sql,
      chapter: data.chapters[chapter],
      page: data.pages[page],
      series: data.series[series],
      needs: needs.map(each => data.needs[each]),
      cites: cites.map(each => data.cites[each]),
      results: found.map(each => results[each]),
    };
    const kinds = one.results.map(each => each.kind || each.state);
    one.text = [id, sql, one.chapter, ...one.needs, ...one.cites, ...kinds].join(" ").toLowerCase();
    return one;
  });
  let rows = [], drawn = 0;

  const element = (name, properties, ...inside) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...inside);
    return made;
  };
  function cell({ state, kind, verdict }, engine) {
    const sign = element("span", { ariaHidden: "true" }, SIGNS[state]);
    const made = element("td", { title: verdict }, element("span", { className: `v ${state}` }, sign, ` ${kind || state}`));
    made.dataset.engine = data.engines[engine];
    return made;
  }
  function line({ one, more }) {
    const head = element("th", { scope: "row" },
      element("a", { href: `${one.page}#${encodeURIComponent(one.id)}` }, one.id),
      more ? ` and ${more} more of its series` : "",
      one.sql ? element("code", {}, one.sql) : "");
    head.firstChild.dataset.nav = "";
    const made = element("tr", {}, head, element("td", {}, one.chapter), ...one.results.map(cell));
    made.dataset.case = "";
    return made;
  }
  function draw() {
    $("rows").append(...rows.slice(drawn, drawn + CHUNK).map(line));
    drawn = Math.min(drawn + CHUNK, rows.length);
  }
  new IntersectionObserver(([seen]) => seen.isIntersecting && drawn < rows.length && draw(),
    { rootMargin: "1000px" }).observe($("more"));

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
    const fits = ({ state, kind, verdict }) => (!wanted.outcome || wanted.outcome === state)
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
    rows = on.fold ? folded(found) : found.map(one => ({ one, more: 0 }));
    drawn = 0;
    $("rows").replaceChildren();
    draw();
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
}

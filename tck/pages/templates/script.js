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

// --- filters -------------------------------------------------------------------------------------

const filters = $("filters");
if (filters) {
  const CHOICES = ["engine", "outcome", "kind", "chapter", "need"];
  const cases = [...document.querySelectorAll("[data-case]")].map(row => ({
    row,
    text: `${row.textContent} ${row.dataset.needs} ${row.dataset.cites}`.toLowerCase(),
    chapter: row.dataset.chapter,
    needs: row.dataset.needs.split(" "),
    cites: row.dataset.cites.split(" "),
    verdicts: [...row.querySelectorAll("[data-state]")].map(cell => ({
      state: cell.dataset.state,
      kind: cell.textContent.trim().split(/\s+/).pop(),
    })),
  }));
  filters.hidden = false;
  function apply() {
    const wanted = Object.fromEntries(CHOICES.map(name => [name, $(name).value]));
    const words = search.value.toLowerCase().split(/\s+/), cite = $("cite").value;
    let count = 0;
    for (const each of cases) {
      const verdicts = wanted.engine ? [each.verdicts[wanted.engine]] : each.verdicts;
      const fits = words.every(word => each.text.includes(word))
        && (!wanted.chapter || wanted.chapter === each.chapter)
        && (!wanted.need || each.needs.includes(wanted.need))
        && (!cite || each.cites.includes(cite))
        && verdicts.some(({ state, kind }) => (!wanted.outcome || wanted.outcome === state)
          && (!wanted.kind || wanted.kind === kind) && (!wanted.engine || state !== "none"));
      each.row.hidden = !fits;
      count += fits;
    }
    $("found").textContent = `${count} of ${cases.length} cases`;
    $("cited").hidden = !cite;
    const state = new URLSearchParams(Object.entries({ q: search.value, ...wanted, cite }).filter(([, value]) => value));
    history.replaceState(null, "", `#${state}`);
  }
  function read() {
    const state = new URLSearchParams(location.hash.slice(1) || location.search);
    for (const name of CHOICES) $(name).value = state.get(name) ?? "";
    search.value = state.get("q") ?? "";
    $("cite").value = state.get("cite") ?? "";
    apply();
  }
  search.form.addEventListener("submit", event => { event.preventDefault(); move(1); });
  search.addEventListener("input", apply);
  filters.addEventListener("change", apply);
  filters.addEventListener("reset", () => { $("cite").value = search.value = ""; setTimeout(apply); });
  addEventListener("hashchange", read);
  read();
}

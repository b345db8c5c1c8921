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

// The page: its texts, the reference that answers, and what is shown of the answer.
import { CasesDialog } from "./cases.js";
import { Editor, describe, namesIn } from "./editor.js";
import { Reference } from "./reference.js";
import { allCases, caseOf, fragmentOf, textsOf } from "./share.js";
import { Timeline } from "./timeline.js";
import example from "./example.json";

const $ = id => document.getElementById(id);
const element = (name, properties = {}, ...inside) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...inside);
  return made;
};
/** How long typing must pause before the reference is asked, in ms. */
const PAUSE = 150;
/** As many characters as an address takes in every browser. */
const LONGEST = 60_000;
/** How long an answer takes before the page offers to stop it, in ms. */
const PATIENCE = 1500;

const editors = {
  query: new Editor($("query"), "sql", "Query", changed, () => namesIn(editors.schema.text)),
  script: new Editor($("script"), "yaml", "Rows and bounds", changed, () => [
    ...["date", "steps", "feed", "bound", "end", "now", "tables"].map(label => ({ label, type: "keyword" })),
    ...namesIn(editors.schema.text).filter(each => each.type === "class"),
  ]),
  schema: new Editor($("schema"), "sql", "Schema", changed),
};
let answer = null, step = 0, pause, patience, resized;
const timeline = new Timeline($("picture"), $("why"), $("stepper"), document.querySelector("meta[name=rules]")?.content);
const reference = new Reference(told);
const cases = new CasesDialog($("cases"), $("search"), $("found"), $("list"));

const texts = () => ({
  schema: editors.schema.text,
  query: editors.query.text,
  script: editors.script.text,
  profile: $("profile").value,
});

// --- texts and addresses --------------------------------------------------------------------------

function show(loaded) {
  for (const [name, editor] of Object.entries(editors)) editor.text = loaded[name];
  $("profile").value = loaded.profile;
  step = 0; // all of it
  const first = loaded === example ? firstAnswer() : null;
  if (first) present(first);
  ask();
}

/** The answer to the example, which the page has had since it was built; null: it is not in the page. */
function firstAnswer() {
  const element = $("answers");
  if (!element || answer) return null;
  const { wide, narrow } = JSON.parse(element.textContent);
  return $("answer").clientWidth < 700 ? narrow : wide;
}

/** Shows what the address says: a case, texts, or else the example. */
async function open() {
  clearTimeout(pause); // what was written last gives way
  const fragment = location.hash, name = caseOf(fragment), shared = await textsOf(fragment);
  about(null);
  if (name !== null) return openCase(name);
  if (!shared && fragment.startsWith("#play=")) about(wrong("This link is damaged: here is the example."));
  show(shared ?? example);
}

async function openCase(name) {
  let found;
  try {
    const id = name.split("/").pop(); // unique and for ever, which a chapter's name is not
    found = (await allCases()).find(each => each.id === id);
  } catch (error) {
    return tell("bad", `The cases cannot be loaded: ${error.message}`);
  }
  if (!found) {
    show(example);
    return about(wrong(`There is no case ${name}: here is the example.`));
  }
  about(
    element("h2", {}, element("code", { textContent: `${found.chapter}/${found.id}` })),
    ...(found.why ? [element("p", { className: "why", textContent: found.why })] : []),
    element("p", { className: "lead" }, `${found.cites.join(", ")}${found.expected ? ` · to be refused: ${found.expected}` : ""}`),
  );
  document.title = `${found.id}: rowtime playground`;
  show(found);
}

function about(...parts) {
  $("about").replaceChildren(...parts.filter(Boolean));
  $("about").hidden = !parts.some(Boolean);
  document.title = "rowtime playground";
}

const wrong = text => element("p", { className: "bad", textContent: text });

function changed() {
  clearTimeout(pause);
  pause = setTimeout(async () => {
    ask();
    about(null);
    const before = location.href, fragment = await fragmentOf(texts());
    if (location.href === before && fragment.length < LONGEST) history.replaceState(null, "", fragment);
  }, PAUSE);
}

// --- questions and answers ------------------------------------------------------------------------

function told({ state, text, share }) {
  clearTimeout(patience);
  $("stop").hidden = true;
  $("loading").hidden = !["starting", "loading"].includes(state);
  if (state === "loading") {
    $("loaded").value = Math.round(100 * share);
    $("share-loaded").textContent = `${Math.round(100 * share)} %`;
    if (share >= 1) $("loading-text").textContent = "Starting the engine, which answers changes:";
  }
  if (state === "broken") tell("bad", `The reference cannot be started: ${text}`);
  if (state === "busy") patience = setTimeout(() => {
    tell("", "Answering …");
    $("stop").hidden = false;
  }, PATIENCE);
}

function tell(look, text) {
  $("state").className = look;
  $("took").textContent = "";
  // The same words are not read out twice.
  if ($("state").textContent !== text) $("state").textContent = text;
}

async function ask() {
  $("answer").setAttribute("aria-busy", "true");
  const width = Math.floor($("answer").clientWidth);
  const found = await reference.ask({ ...texts(), width });
  if (!found) return;
  $("answer").removeAttribute("aria-busy");
  keepFiles();
  if (found.failed) return tell("bad", `No answer: ${found.failed}`);
  present(found.answer);
  $("took").textContent = `answered in ${Math.round(found.took)} ms`;
}

/** Shows an answer. */
function present(given) {
  answer = given;
  const { faults } = answer;
  tell(faults.length ? "bad" : "", summary());
  for (const [name, editor] of Object.entries(editors)) editor.show(faults.filter(each => each.text === name));
  showFaults(faults);
  showRun();
  showRows();
  showPlan();
}

function summary() {
  const { faults, query, moments, rows, objects } = answer;
  if (query && faults.length) return "The query fails when it runs";
  if (faults.length) return counted(faults.length, "fault");
  if (rows) return counted(rows.length, "row");
  if (moments.length) return `${counted(moments.reduce((sum, each) => sum + each.rows.length, 0), "row")} from ${counted(moments.length, "event")}`;
  return objects.length ? "The schema is valid; there is no query yet" : "There is no query yet";
}

const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

function showFaults(faults) {
  $("faults").hidden = !faults.length;
  $("faults").replaceChildren(...faults.map(fault => {
    const item = element("li"), names = { schema: "Schema", query: "Query", script: "Rows and bounds" };
    const line = editors[fault.text].view.state.doc.lineAt(Math.min(fault.start, editors[fault.text].text.length)).number;
    const place = element("button", { type: "button", className: "place", textContent: `${names[fault.text]}, line ${line}` });
    place.addEventListener("click", () => editors[fault.text].goTo(fault));
    item.append(place);
    describe(item, fault, () => editors[fault.text].apply(fault));
    return item;
  }));
}

function showRun() {
  const { moments, svg } = answer, count = moments.length;
  $("run").hidden = !count;
  editors.script.mark(0);
  if (!count) return timeline.clear();
  const before = Number($("step").max), whole = step === 0 || step >= before;
  timeline.draw(svg, moments);
  $("step").max = count;
  goTo(whole ? count : Math.min(step, count), false);
}

function goTo(number, seen = true) {
  const { moments } = answer;
  step = Math.max(1, Math.min(number, moments.length));
  const moment = moments[step - 1];
  $("step").value = step;
  const words = [moment.event, ...moment.faults, ...moment.rows.map(each => `emitted: ${each}`), moment.bound];
  $("step").setAttribute("aria-valuetext", `${step} of ${moments.length}: ${words.join("; ")}`);
  $("count").textContent = `${step} of ${moments.length}`;
  $("first").disabled = $("back").disabled = step === 1;
  $("on").disabled = $("last").disabled = step === moments.length;
  timeline.step(step);
  editors.script.mark(step < moments.length || seen ? moment.line : 0);
  $("moment").replaceChildren(
    element("strong", { textContent: moment.event }),
    ...moment.faults.map(each => element("pre", { className: "bad", textContent: each })),
    ...moment.rows.map(each => element("span", { className: "out", textContent: `◆ ${each}` })),
    element("span", { className: "lead", textContent: moment.bound }),
  );
  if (seen) keepInView();
}

/** Scrolls so that the event can be seen below the stepper, which stays at the top. */
function keepInView() {
  const { top, bottom } = timeline.edge, head = $("stepper").getBoundingClientRect().bottom;
  if (top < head) scrollBy({ top: top - head - 8 });
  else if (bottom > innerHeight - 12) scrollBy({ top: bottom - innerHeight + 60 });
}

function showRows() {
  const { rows, query, objects, dropped } = answer;
  $("result").hidden = !rows && !objects.length;
  const head = query?.columns.map(each => {
    const [, name, type] = each.match(/^(\S+) (.*)$/s) ?? [null, each, ""];
    return element("th", { scope: "col" }, name, element("small", { textContent: type }));
  });
  $("result").replaceChildren(...(rows
    ? [element("table", {},
      element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...rows.map(row => element("tr", {}, ...row.map(value =>
        element("td", { textContent: value, className: value === "NULL" ? "lead" : "" }))))))]
    : objects.map(each => element("p", {}, element("code", { textContent: each })))));
  $("dropped").hidden = !dropped.length;
  $("dropped").replaceChildren(...dropped.map(each => element("li", { className: "bad", textContent: each })));
}

function showPlan() {
  const { query } = answer;
  $("plan").hidden = !query;
  if (!query) return;
  $("explain").textContent = query.plan;
  $("facts").replaceChildren(...Object.entries({ columns: query.columns.join(", "), ...query.metadata }).flatMap(([name, text]) =>
    [element("dt", { textContent: name }), element("dd", { textContent: text })]));
}

// --- buttons and keys -----------------------------------------------------------------------------

$("step").addEventListener("input", () => goTo($("step").valueAsNumber));
$("first").addEventListener("click", () => goTo(1));
$("back").addEventListener("click", () => goTo(step - 1));
$("on").addEventListener("click", () => goTo(step + 1));
$("last").addEventListener("click", () => goTo(answer.moments.length));
$("stop").addEventListener("click", () => reference.stop());
$("profile").addEventListener("change", changed);
$("choose").addEventListener("click", () => cases.open());
$("help").addEventListener("click", () => $("keys").showModal());

$("share").addEventListener("click", async () => {
  const fragment = caseOf(location.hash) === null ? await fragmentOf(texts()) : location.hash;
  if (fragment.length > LONGEST) return tell("bad", "The texts are too long for a link: save the script.");
  history.replaceState(null, "", fragment);
  try {
    await navigator.clipboard.writeText(location.href);
    tell("", "The link is copied.");
  } catch {
    tell("", "The link is in the address bar.");
  }
});

$("save").addEventListener("click", () => {
  const { schema, query, script, profile } = texts();
  const block = (key, text) => !text.trim() ? "" : `${key}: |2\n${text.replace(/^(?=.)/gm, "  ").trimEnd()}\n`;
  const content = `# rowtime trace --script playground.yaml\nprofile: ${profile}\n${block("ddl", schema)}${block("sql", query)}${script.trim() || "steps:\n- end: true"}\n`;
  const url = URL.createObjectURL(new Blob([content], { type: "application/yaml" }));
  element("a", { href: url, download: "playground.yaml" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
});

/** The faults in the order of the editors on the page, each with its editor. */
const faults = () => Object.values(editors).flatMap(editor => editor.faults.map(fault => ({ editor, fault })));
let visited = -1;

addEventListener("keydown", event => {
  if (document.querySelector("dialog[open]") || event.altKey || event.metaKey) return;
  const from = event.composedPath()[0], editor = Object.values(editors).find(each => each.view.dom.contains(from));
  if (event.key === "F8" && faults().length) {
    visited = (visited + 1) % faults().length;
    const { editor, fault } = faults()[visited];
    editor.goTo(fault);
  } else if (event.key === "Enter" && event.ctrlKey) {
    const chosen = faults()[visited] ?? faults()[0];
    if (!chosen?.fault.changes.length) return;
    chosen.editor.apply(chosen.fault);
  } else if (editor) {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    ($("run").hidden ? $("answer") : $("step")).focus();
  } else if (event.ctrlKey || from.matches?.("select, input[type=search]")) return;
  else if (event.key === "/") cases.open();
  else if (event.key === "?") $("keys").showModal();
  else if (event.key === "e") editors.query.view.focus();
  else if ($("run").hidden || from.matches?.("figure") && event.key.startsWith("Arrow")) return;
  else if (["ArrowRight", "j"].includes(event.key)) goTo(step + 1);
  else if (["ArrowLeft", "k"].includes(event.key)) goTo(step - 1);
  else if (event.key === "Home") goTo(1);
  else if (event.key === "End") goTo(answer.moments.length);
  else return;
  event.preventDefault();
  event.stopPropagation(); // an editor has other uses for some keys
}, true);

// --- light and dark -------------------------------------------------------------------------------

const THEMES = ["auto", "light", "dark"];
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  $("theme").textContent = { auto: "Auto", light: "Light", dark: "Dark" }[name];
  $("theme").setAttribute("aria-label", `Theme: ${name}`);
}
// A browser may refuse the store; the theme then lasts as long as the page.
const stored = act => { try { return act(localStorage); } catch { return null; } };
setTheme(THEMES.find(each => each === stored(store => store.getItem("theme"))) ?? "auto");
$("theme").addEventListener("click", () => {
  const next = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length];
  setTheme(next);
  stored(store => store.setItem("theme", next));
});

// --- without a network ----------------------------------------------------------------------------

let isKept = false;
/** Keeps the files of the page in the browser.  Before the first answer they would all be fetched twice at once. */
function keepFiles() {
  if (isKept) return;
  isKept = true;
  navigator.serviceWorker?.register("offline.js").then(() => navigator.serviceWorker.ready).then(
    () => { $("offline").textContent = "It works without a network, too."; },
    () => { $("offline").textContent = "It needs the network: this browser keeps no files of this page."; },
  );
}

// A pane of another width gets a picture of its own.
let drawn = 0;
new ResizeObserver(([{ contentRect: { width } }]) => {
  if (Math.abs(width - drawn) < 60) return;
  drawn = width;
  clearTimeout(resized);
  if (answer?.svg) resized = setTimeout(ask, PAUSE);
}).observe($("answer"));

addEventListener("hashchange", open);
open();

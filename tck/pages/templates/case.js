
// --- the page of a case --------------------------------------------------------------------------

// The address names a case, and may name an engine: `#case=…&engine=…`.  The page shows all cases of
// its subject, whose data are in a file.

if ($("subject")) unpack().then(files => {
  const fileOf = new Map(Object.entries(files).flatMap(([file, ids]) => ids.map(id => [id, file])));
  let shown = null, complete = null;

  // A file of data calls `receive`; several files can be on their way.
  const receivers = new WeakMap();
  globalThis.receive = text => receivers.get(document.currentScript)(unpack(text));

  function load(file) {
    return new Promise((resolve, reject) => {
      const script = element("script", { src: file });
      receivers.set(script, resolve);
      script.addEventListener("load", () => script.remove());
      script.addEventListener("error", reject);
      document.head.append(script);
    });
  }
  function say(title, ...text) {
    shown = null;
    $("subject").replaceChildren(element("h1", {}, title), element("p", {}, ...text));
  }
  async function show() {
    const address = location.hash, wanted = new URLSearchParams(address.slice(1)), id = wanted.get("case");
    if (id === null) {
      if (!shown) say("Case", "The address names no case. ", element("a", { href: "cases.html" }, "All cases"));
      return;
    }
    const file = fileOf.get(id), search = `cases.html#${new URLSearchParams({ q: id })}`;
    if (!file) return say("No such case", "This report has no case of the name ", element("code", {}, id), ". ", element("a", { href: search }, "Search for it"));
    if (file !== shown) {
      const data = await load(file);
      if (location.hash !== address) return;
      complete = drawSubject(data);
      shown = file;
    }
    document.title = `${id}: case`;
    const article = document.getElementById(id);
    complete(article);
    const answer = document.getElementById(`${id}/${wanted.get("engine")}`);
    if (answer) answer.open = true;
    choose(answer ?? article, article);
  }
  addEventListener("hashchange", show);
  show();
});

const caseLink = (id, engine) => `#${new URLSearchParams(engine ? { case: id, engine } : { case: id })}`;

// Draws the cases of a subject; the function that it returns fills in one of them before it is seen.
function drawSubject(data) {
  const engines = data.engines.map(([label, href]) => ({ label, href }));
  const keywords = new Set(data.keywords), unknown = new Set(data.unknown);
  const LONG = 200;
  const MARKS = ["rows", "order", "time"];
  const COMPARED = {
    same: ["", ""], missing: ["−", "missing"], extra: ["+", "not expected"], differs: ["≠", "differs"],
    moved: ["→", "at another step"], order: ["↕", "at another place"],
  };
  const link = (href, text) => element("a", { href }, text);
  const scroll = (label, inside, tag = "div") =>
    element(tag, { className: "scroll", tabIndex: 0, role: "region", ariaLabel: label }, inside);

  // --- texts ---

  const TOKEN = /(--.*|\/\*[^]*?\*\/)|('(?:[^']|'')*'|\b\d[\d.]*(?:[eE][+-]?\d+)?)|("[^"]*"|[A-Za-z_]\w*)|[^]/g;
  function sql(lines) {
    const code = element("code", {});
    for (const [text, comment, literal, word] of lines.join("\n").matchAll(TOKEN)) {
      const look = comment ? "com" : literal ? "lit" : keywords.has(word?.toUpperCase()) ? "kw" : "";
      code.append(look ? element("span", { className: look }, text) : text);
    }
    code.normalize();
    return element("pre", { className: "sql" }, code);
  }
  const lines = (texts, tag = "pre") => element(tag, {}, texts.map(text => `${text}\n`).join(""));
  const sentence = text => `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
  const whose = verdict => element("b", { className: `whose ${verdict}`, title: data.verdicts[verdict] ?? "" }, verdict || "known to fail");
  const fact = pieces => element("p", {}, ...pieces.map((text, i) => i % 2 ? element("code", {}, text) : text));

  // --- tables ---

  const heads = (...names) => element("thead", {}, element("tr", {}, ...names));
  const head = (text, className = "", scope = "col") => element("th", { scope, className }, text);
  const unseen = text => element("span", { className: "hidden" }, text);

  function marked(name, value) {
    if (value === "none") return element("span", { className: "v none", title: `${name}: not judged` }, "·", unseen(" not judged"));
    return element("span", { className: `v ${value}` }, SIGNS[value], unseen(` ${value}`));
  }
  function mark(name, value) {
    const made = element("td", { className: "m" }, marked(name, value));
    made.dataset.mark = name;
    return made;
  }
  function result(id, answer, outdated) {
    const { label, href } = engines[answer.engine];
    const said = answer.reason ?? "";  // which is whole at the answer below
    const reason = element("td", { className: "of" }, said.length > LONG ? `${said.slice(0, LONG)}…` : said);
    if (answer.known) reason.append(" ", whose(answer.known[0]));
    if (outdated.includes(answer.engine)) {
      const title = "the case, or what the kit notes of it, changed after this run";
      reason.append(" ", element("small", { title }, "older case"));
    }
    return element("tr", {},
      element("th", { scope: "row" }, link(href, label)),
      element("td", {}, hasMore(answer) ? link(caseLink(id, label), verdict(answer.state, answer.kind)) : verdict(answer.state, answer.kind)),
      ...MARKS.map((name, i) => mark(name, answer.marks[i])),
      element("td", {}, answer.tier), reason);
  }
  function results(id, answers, outdated) {
    const table = element("table", { className: "verdicts" },
      heads(head("engine"), head("verdict"), ...MARKS.map(name => head(name, "m")), head("tier"), head(unseen("reason"))),
      element("tbody", {}, ...answers.map(answer => result(id, answer, outdated))));
    return scroll(`Verdicts on ${id}`, table);
  }

  // The steps of an answer: what happens, then the rows; beside one another, if they are of two sides.
  function steps(label, listed, columns, sides) {
    const width = columns.length || 1;
    const names = sides.flatMap((side, place) => (columns.length ? columns : [side]).map((column, i) => element("th",
      { scope: "col", className: place && !i ? "second" : "" },
      sides.length > 1 && columns.length ? element("small", {}, side) : "", " ", column)));
    const first = head(unseen("difference"), "mark"), last = head(unseen("note"), "fill");
    const table = element("table", { className: "steps" }, heads(first, ...names, last));
    listed.forEach(([events, rows, facts], number) => table.append(element("tbody", {},
      element("tr", { className: "events" }, element("th", { scope: "rowgroup", colSpan: 2 + sides.length * width },
        element("span", { className: "number" }, number + 1),
        ...events.map(event => element("span", { className: "event" }, event)))),
      ...rows.map(row => compared(row, sides, width)),
      ...facts.map(text => element("tr", { className: "fact" },
        element("td", { className: "mark" }), element("td", { colSpan: 1 + sides.length * width }, text))))));
    return scroll(label, table);
  }
  function compared(row, sides, width) {
    // The values of a row that is the same on both sides are texts; a comparison has a list as its fourth.
    const [how, expected, actual, differing, note] = Array.isArray(row[3]) ? row : ["same", row, row, [], ""];
    const [sign, name] = COMPARED[how];
    const cells = [expected, actual].slice(0, sides.length).flatMap((values, place) =>
      Array.from({ length: Math.max(width, values?.length ?? 0) }, (_, i) => element("td", {
        className: [place && !i && "second", values?.[i] === undefined ? "blank" : differing.includes(i) && "differing"].filter(Boolean).join(" "),
      }, values?.[i] ?? "")));
    return element("tr", { className: how },
      element("td", { className: "mark" }, sign, unseen(` ${name}`)), ...cells, element("td", { className: "note" }, note || name));
  }

  // --- pictures ---

  function shape(name, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }
  function drawing(label, { title, size: [width, height], plot: [x, y, w, h], paths, texts, marks }) {
    const svg = shape("svg", { class: "timeline", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": title });
    svg.append(shape("rect", { class: "plot", x, y, width: w, height: h }),
      ...paths.map(([look, d]) => shape("path", { class: look, d })),
      ...texts.map(([look, x, y, text, anchor]) => shape("text", { class: look, x, y, "text-anchor": anchor }, text)),
      ...marks.map(([look, d, x, y]) => shape("path", { class: look, d, transform: `translate(${x} ${y})` })));
    return scroll(label, svg, "figure");
  }

  // --- a case ---

  const isWrong = answer => WRONG.has(answer.state);
  const hasMore = answer => answer.steps || answer.refused || answer.detail || answer.why;
  const anchor = (id, answer) => `${id}/${engines[answer.engine].label}`;

  function opened(id, one, answer) {
    const label = engines[answer.engine].label, made = [];
    if (answer.reason) made.push(element("p", {}, answer.reason));
    if (answer.refused) {
      const [code, message, rendered] = answer.refused;
      made.push(element("p", {}, "It refused the query: ", element("code", {}, code), ` ${message}`));
      if (rendered.length) made.push(lines(rendered));
    }
    if (answer.steps) made.push(steps(`Steps of ${label} on ${id}`, answer.steps, one.columns ?? [], ["expected", "actual"]));
    if (answer.drawing) made.push(drawing(`Timeline of what ${label} answered to ${id}`, answer.drawing));
    if (answer.detail) made.push(lines(answer.detail));
    if (answer.why) made.push(element("h4", {}, "Why the reference has these rows"), lines(answer.why));
    return made;
  }
  function answered(id, one, answer) {
    const { label } = engines[answer.engine];
    const made = element("details", { className: "answer", id: anchor(id, answer), open: isWrong(answer) },
      element("summary", {}, verdict(answer.state, answer.kind ? `${label} ${answer.kind}` : label)));
    let isFilled = false;
    const fill = () => { if (made.open && !isFilled) { isFilled = true; made.append(...opened(id, one, answer)); } };
    made.addEventListener("toggle", fill);
    fill();
    return made;
  }
  function fill(article, one) {
    const { id } = one, answers = one.answers ?? [];
    if (one.report) {
      const [href, engine, symptom] = one.report;
      article.append(element("p", { className: "why" }, "Reported of ", link(href, engine), `: ${symptom}`));
    }
    for (const answer of answers.filter(each => each.known && each.state !== "pass")) {
      const { label, href } = engines[answer.engine], [of, reason] = answer.known;
      article.append(element("p", { className: "differs" }, link(href, label), of ? " differs: " : " differs", of ? whose(of) : "", `. ${sentence(reason)}`));
    }
    if (one.sql) article.append(sql(one.sql));
    if (one.ddl) article.append(element("details", {}, element("summary", {}, "DDL"), sql(one.ddl)));
    if (answers.length) article.append(results(id, answers, one.outdated ?? []));
    const cited = element("dl", { className: "cites" });
    for (const each of one.cites ?? []) {
      const [says, right] = data.statements[each] ?? ["", ""];
      cited.append(element("dt", {}, link(`statements.html#${encodeURIComponent(each)}`, each)),
        element("dd", {}, ...prose(says), right ? element("em", {}, ...prose(` Right: ${right}`)) : ""));
    }
    if (one.cites) article.append(cited);
    if (one.needs) {
      const needs = one.needs.flatMap(each => [", ", link(`features.html#${encodeURIComponent(each)}`, each)]);
      article.append(element("p", { className: "needs" }, "needs ", ...needs.slice(1)));
    }
    article.append(...(one.facts ?? []).map(fact));
    if (one.equal_to) article.append(element("p", {}, "The rows must be those of"), sql(one.equal_to));
    if (one.plan) article.append(lines(one.plan));
    if (one.steps) article.append(element("h3", {}, "What is expected"), steps(`Steps of ${id}`, one.steps, one.columns ?? [], ["expected"]));
    if (one.drawing) article.append(drawing(`Timeline of what is expected of ${id}`, one.drawing));
    article.append(...answers.filter(hasMore).map(answer => answered(id, one, answer)));
    article.append(element("p", { className: "place" }, one.place));
  }

  function articleOf(one) {
    const heading = link(caseLink(one.id), one.id);
    heading.dataset.nav = "";
    const made = element("article", { id: one.id, className: "waiting" }, element("h2", {}, heading));
    if (unknown.has(one.id)) made.append(element("p", {}, "The corpus has no case of this name: only its results are known."));
    else if (one.why) made.append(element("p", { className: "why" }, one.why));
    return made;
  }
  function entry(one) {
    const made = element("li", {}, link(caseLink(one.id), one.id), " ");
    for (const answer of (one.answers ?? []).filter(isWrong)) {
      made.append(verdict(answer.state, `${engines[answer.engine].label} ${answer.kind || answer.state}`), " ");
    }
    return made;
  }
  const articles = data.cases.map(articleOf), { chapter, subject } = data;
  $("subject").replaceChildren(
    element("p", { className: "lead" }, link(`cases.html#${new URLSearchParams({ chapter })}`, chapter)),
    element("h1", {}, subject || chapter),
    element("ul", { className: "contents" }, ...data.cases.map(entry)), ...articles);

  // An article is filled before it is seen: when it comes near, when a link leads to it, and for printing.
  const waiting = new Map(articles.map((article, i) => [article, data.cases[i]]));
  function complete(article) {
    const one = waiting.get(article);
    if (!one) return;
    waiting.delete(article);
    article.classList.remove("waiting");
    fill(article, one);
  }
  const near = new IntersectionObserver(seen => {
    for (const { isIntersecting, target } of seen) {
      if (isIntersecting) { near.unobserve(target); complete(target); }
    }
  }, { rootMargin: "1500px" });
  for (const article of articles) near.observe(article);
  addEventListener("beforeprint", () => articles.forEach(complete));
  return complete;
}


// --- what several pages draw ---------------------------------------------------------------------

const SIGNS = { pass: "✓", fail: "✗", error: "!", known: "≈", skip: "–", none: "·" };
const WRONG = new Set(["fail", "error", "known"]);

// The data of a text that `packed` of the kit has written; without one, of the page's own.
function unpack(text = $("data").textContent) {
  const bytes = Uint8Array.from(atob(text), each => each.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
}

function element(name, properties, ...inside) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...inside);
  return made;
}

// A text in which code stands between backticks.
const prose = text => text.split("`").map((each, i) => i % 2 ? element("code", {}, each) : each);

// How a case went: a sign and a word, so that no colour is needed.
function verdict(state, kind) {
  const sign = element("span", { ariaHidden: "true" }, SIGNS[state]);
  return element("span", { className: `v ${state}` }, sign, ` ${kind || state}`);
}

// Scrolls to the element that the address names, which alone is marked.
function choose(wanted, marked = wanted) {
  for (const each of document.querySelectorAll(".chosen")) each.classList.remove("chosen");
  marked.classList.add("chosen");
  wanted.scrollIntoView();
}

// Draws a long list as it comes near the window: `line` makes the element of an item.
class LongList {
  static #CHUNK = 100;
  #items = [];
  #drawn = 0;
  #body;
  #line;

  constructor(body, line) {
    this.#body = body;
    this.#line = line;
    new IntersectionObserver(([seen]) => seen.isIntersecting && this.#draw(this.#drawn + LongList.#CHUNK),
      { rootMargin: "1000px" }).observe($("more"));
    addEventListener("beforeprint", () => this.#draw(this.#items.length));
  }

  set items(items) {
    this.#items = items;
    this.#drawn = 0;
    this.#body.replaceChildren();
    this.#draw(LongList.#CHUNK);
  }

  // The element of the item at a place is drawn, and all before it.
  reach(place) {
    if (place >= this.#drawn) this.#draw(place + LongList.#CHUNK);
    return this.#body.children[place];
  }

  #draw(end) {
    this.#body.append(...this.#items.slice(this.#drawn, end).map(this.#line));
    this.#drawn = Math.max(this.#drawn, Math.min(end, this.#items.length));
  }
}

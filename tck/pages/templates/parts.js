
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

// Draws a long list as it comes near the window: `line` makes the element of an item.  Below the list is
// an element `more`; a list that can begin in its middle has an element `less` above it.
class LongList {
  static #CHUNK = 100;
  #items = [];
  #first = 0;
  #end = 0;
  #body;
  #line;

  constructor(body, line) {
    this.#body = body;
    this.#line = line;
    this.#watch($("more"), () => this.#append());
    if ($("less")) this.#watch($("less"), () => this.#prepend());
    addEventListener("beforeprint", () => {
      while (this.#first) this.#prepend();
      while (this.#end < this.#items.length) this.#append();
    });
  }

  set items(items) {
    this.#items = items;
    this.#beginAt(0);
  }

  // The element of the item at a place, which is drawn now.
  reach(place) {
    if (place < this.#first || place >= this.#end) this.#beginAt(Math.max(0, place - 10));
    return this.#body.children[place - this.#first];
  }

  #watch(each, draw) {
    new IntersectionObserver(([seen]) => seen.isIntersecting && draw(), { rootMargin: "1000px" }).observe(each);
  }

  #beginAt(place) {
    this.#body.replaceChildren();
    this.#first = this.#end = place;
    this.#append();
  }

  #append() {
    const end = Math.min(this.#end + LongList.#CHUNK, this.#items.length);
    this.#body.append(...this.#items.slice(this.#end, end).map(this.#line));
    this.#end = end;
  }

  // What is seen stays where it is.
  #prepend() {
    if (!this.#first) return;
    const first = Math.max(0, this.#first - LongList.#CHUNK), seen = this.#body.firstElementChild;
    const before = seen.getBoundingClientRect().top;
    this.#body.prepend(...this.#items.slice(first, this.#first).map(this.#line));
    this.#first = first;
    scrollBy(0, seen.getBoundingClientRect().top - before);
  }
}

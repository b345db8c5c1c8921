// The picture of a run, as far as it has come, and why each row came.

const SVG = "http://www.w3.org/2000/svg";

/** How long an explanation stays when the pointer leaves its row: it may be on its way there, in ms. */
const STAY = 250;

/** A timeline below `figure`; `why` is the element that explains a row, next to it. */
export class Timeline {
  #figure;
  #why;
  #head;
  #rules;
  #svg = null;
  #moments = [];
  #leaving;
  #row = null;

  /** `head` stays at the top of the page; `rules` is where rules stand, up to their ids, if anywhere. */
  constructor(figure, why, head, rules) {
    this.#figure = figure;
    this.#why = why;
    this.#head = head;
    this.#rules = rules;
    why.addEventListener("pointerenter", () => clearTimeout(this.#leaving));
    why.addEventListener("pointerleave", () => this.#leave());
    why.addEventListener("focusout", event => why.contains(event.relatedTarget) || this.#leave());
    why.addEventListener("keydown", event => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.#row?.focus();
    });
    addEventListener("scroll", () => this.#keepAxis(), { passive: true });
  }

  /** The axis of a picture with many events stays below `head`. */
  #keepAxis() {
    const axis = this.#svg?.querySelector(".axis.kept");
    if (!axis) return;
    const above = this.#head.getBoundingClientRect().bottom - this.#svg.getBoundingClientRect().top;
    const shift = Math.max(0, above - axis.firstElementChild.y.baseVal.value);
    axis.setAttribute("transform", `translate(0 ${shift})`);
  }

  #leave() {
    clearTimeout(this.#leaving);
    this.#leaving = setTimeout(() => this.#explained([], "", null), STAY);
  }

  /** Shows why a row came, below it; its rules lead to where they stand. */
  #explained(lit, text, row) {
    clearTimeout(this.#leaving);
    this.#svg?.classList.toggle("asked", lit.length > 0);
    for (const each of this.#svg?.querySelectorAll(".row, [data-row]") ?? []) each.classList.toggle("lit", lit.includes(each));
    this.#row = row;
    this.#why.hidden = !text;
    this.#why.replaceChildren(...text.split(/(\bS-\d{3,4}(?:\.[a-z]+)?\b)/).map((part, place) => {
      if (place % 2 === 0 || !this.#rules) return part;
      return Object.assign(document.createElement("a"), { href: `${this.#rules}${part}`, textContent: part });
    }));
    if (!text) return;
    const { bottom } = row.querySelector(".hit").getBoundingClientRect();
    this.#why.style.top = `${bottom - this.#why.parentElement.getBoundingClientRect().top + 2}px`;
  }

  /** Draws the picture of an answer. */
  draw(svg, moments) {
    this.#explained([], "", null);
    this.#moments = moments;
    const parsed = new DOMParser().parseFromString(svg.replace("<svg ", `<svg xmlns="${SVG}" `), "image/svg+xml");
    this.#svg = document.importNode(parsed.documentElement, true);
    this.#svg.setAttribute("role", "group");  // its rows can be asked, one by one
    this.#figure.replaceChildren(this.#svg);
    const below = this.#svg.querySelector(":scope > .done") ?? this.#svg.querySelector(":scope > .plot");
    below.after(this.#rect("step"));
    this.#svg.append(this.#rect("veil"));
    this.#explain();
    this.#keepAxis();
  }

  /** Shows nothing. */
  clear() {
    this.#explained([], "", null);
    this.#figure.replaceChildren();
    this.#svg = null;
  }

  #rect(name) {
    const rect = document.createElementNS(SVG, "rect");
    rect.setAttribute("class", name);
    rect.setAttribute("width", "100%");
    return rect;
  }

  /** Shows the first `count` events: what comes later is veiled. */
  step(count) {
    const end = this.#moments[count - 1].end, top = count > 1 ? this.#moments[count - 2].end : this.#top();
    this.#place(".step", top, end);
    this.#place(".veil", end, count < this.#moments.length ? this.#svg.viewBox.baseVal.height : end);
    for (const row of this.#svg.querySelectorAll(".row")) {
      const later = row.querySelector(".hit").y.baseVal.value >= end;
      row.classList.toggle("later", later);
      if (row.dataset.rows !== undefined) row.setAttribute("tabindex", later ? "-1" : "0");
    }
  }

  #top() {
    return this.#svg.querySelector(".plot").y.baseVal.value;
  }

  #place(name, top, bottom) {
    const rect = this.#svg.querySelector(name);
    rect.setAttribute("y", top);
    rect.setAttribute("height", Math.max(0, bottom - top));
  }

  /** The y in the page at which the event that was shown last ends. */
  get edge() {
    return this.#svg.querySelector(".step").getBoundingClientRect();
  }

  #explain() {
    const rows = [...this.#svg.querySelectorAll(".row")], dots = [...this.#svg.querySelectorAll("[data-row]")];
    const made = row => new Set((row.dataset.rows ?? "").split(" "));
    for (const row of rows) {
      // The browser's own tooltip would lie over what is shown here.
      const title = row.querySelector("title"), reason = title?.textContent ?? "";
      title?.remove();
      if (!reason) continue;
      row.setAttribute("role", "img");
      row.setAttribute("aria-label", reason);
      const on = () => this.#explained([row, ...dots.filter(dot => made(row).has(dot.dataset.row))], reason, row);
      for (const event of ["pointerenter", "focus", "click"]) row.addEventListener(event, on);
      row.addEventListener("pointerleave", () => this.#leave());
      row.addEventListener("blur", event => this.#why.contains(event.relatedTarget) || this.#leave());
      row.addEventListener("keydown", event => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        this.#why.querySelector("a")?.focus();
      });
    }
    for (const dot of dots) {
      dot.addEventListener("pointerenter", () =>
        this.#explained([dot, ...rows.filter(row => made(row).has(dot.dataset.row))], "", null));
      dot.addEventListener("pointerleave", () => this.#leave());
    }
  }
}

// The picture of a run, as far as it has come, and why each row came.

const SVG = "http://www.w3.org/2000/svg";

/** A timeline below `figure`; `why` is the element that explains a row. */
export class Timeline {
  #figure;
  #why;
  #svg = null;
  #moments = [];

  constructor(figure, why) {
    this.#figure = figure;
    this.#why = why;
  }

  /** Draws the picture of an answer. */
  draw(svg, moments) {
    this.#moments = moments;
    this.#why.textContent = "";
    const parsed = new DOMParser().parseFromString(svg.replace("<svg ", `<svg xmlns="${SVG}" `), "image/svg+xml");
    this.#svg = document.importNode(parsed.documentElement, true);
    this.#svg.setAttribute("role", "group");  // its rows can be asked, one by one
    this.#figure.replaceChildren(this.#svg);
    const below = this.#svg.querySelector(":scope > .done") ?? this.#svg.querySelector(":scope > .plot");
    below.after(this.#rect("step"));
    this.#svg.append(this.#rect("veil"));
    this.#explain();
  }

  /** Shows nothing. */
  clear() {
    this.#figure.replaceChildren();
    this.#why.textContent = "";
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
    const show = (lit, text) => {
      this.#svg.classList.toggle("asked", lit.length > 0);
      for (const each of [...rows, ...dots]) each.classList.toggle("lit", lit.includes(each));
      this.#why.textContent = text;
    };
    for (const row of rows) {
      // The browser's own tooltip would lie over what is shown here.
      const title = row.querySelector("title"), reason = title?.textContent ?? "";
      title?.remove();
      if (!reason) continue;
      row.setAttribute("role", "img");
      row.setAttribute("aria-label", reason);
      const on = () => show([row, ...dots.filter(dot => made(row).has(dot.dataset.row))], reason);
      const off = () => show([], "");
      for (const event of ["pointerenter", "focus"]) row.addEventListener(event, on);
      for (const event of ["pointerleave", "blur"]) row.addEventListener(event, off);
    }
    for (const dot of dots) {
      dot.addEventListener("pointerenter", () => show([dot, ...rows.filter(row => made(row).has(dot.dataset.row))], ""));
      dot.addEventListener("pointerleave", () => show([], ""));
    }
  }
}

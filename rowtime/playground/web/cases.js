// The dialog in which a case of the kit is chosen.
import { allCases } from "./share.js";

/** As many cases as a list shows. */
const MOST = 100;

export class CasesDialog {
  #dialog;
  #search;
  #found;
  #list;
  #cases = [];

  constructor(dialog, search, found, list) {
    this.#dialog = dialog;
    this.#search = search;
    this.#found = found;
    this.#list = list;
    search.addEventListener("input", () => this.#filter());
    list.addEventListener("click", event => event.target.closest("a") && dialog.close());
    dialog.addEventListener("click", event => event.target === dialog && dialog.close());
    dialog.addEventListener("keydown", event => this.#move(event));
  }

  async open() {
    this.#dialog.showModal();
    this.#search.select();
    this.#found.textContent = "Loading the cases …";
    try {
      this.#cases = (await allCases()).map(each => ({
        ...each,
        name: `${each.chapter}/${each.id}`,
        text: `${each.chapter}/${each.id} ${each.cites.join(" ")} ${each.query} ${each.why} ${each.expected}`.toLowerCase(),
      }));
      this.#filter();
    } catch (error) {
      this.#found.textContent = `The cases cannot be loaded: ${error.message}`;
    }
  }

  #filter() {
    const words = this.#search.value.toLowerCase().split(/\s+/);
    const named = each => words.every(word => each.name.includes(word));
    const all = this.#cases.filter(each => words.every(word => each.text.includes(word)));
    const found = [...all.filter(named), ...all.filter(each => !named(each))];
    const more = found.length > MOST ? `, the first ${MOST} of which are listed` : "";
    this.#found.textContent = `${found.length} of ${this.#cases.length} cases${more}`;
    this.#list.replaceChildren(...found.slice(0, MOST).map(each => {
      const link = document.createElement("a"), code = document.createElement("code");
      link.href = `#case=${each.chapter}/${each.id}`;
      link.append(Object.assign(document.createElement("span"), { textContent: `${each.chapter}/` }), each.id);
      code.textContent = (each.query || each.schema).replace(/\s+/g, " ").trim();
      link.append(code);
      const item = document.createElement("li");
      item.append(link);
      return item;
    }));
    this.#list.scrollTop = 0;
  }

  #move(event) {
    const links = [...this.#list.querySelectorAll("a")], at = links.indexOf(document.activeElement);
    if (event.key === "Enter" && document.activeElement === this.#search && links.length) links[0].click();
    else if (event.key === "ArrowDown") links[Math.min(at + 1, links.length - 1)]?.focus();
    else if (event.key === "ArrowUp") (at > 0 ? links[at - 1] : this.#search).focus();
    else return;
    event.preventDefault();
  }
}

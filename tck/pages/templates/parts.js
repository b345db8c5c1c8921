
// --- what several pages draw ---------------------------------------------------------------------

const SIGNS = { pass: "✓", fail: "✗", error: "!", known: "≈", skip: "–", none: "·" };
const WRONG = new Set(["fail", "error", "known"]);

// The data in an element of the page, as `packed` of the kit has written it.
function unpack(id) {
  const bytes = Uint8Array.from(atob($(id).textContent), each => each.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
}

function element(name, properties, ...inside) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...inside);
  return made;
}

// How a case went: a sign and a word, so that no colour is needed.
function verdict(state, kind) {
  const sign = element("span", { ariaHidden: "true" }, SIGNS[state]);
  return element("span", { className: `v ${state}` }, sign, ` ${kind || state}`);
}

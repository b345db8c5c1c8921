// The state of the page in the fragment of its address: a case by its name, or all texts, packed.

const stream = (bytes, by) => new Response(new Blob([bytes]).stream().pipeThrough(by));

/** `#play=…` for texts: their JSON, deflated, in the base64 of addresses. */
export async function fragmentOf(texts) {
  const { schema, query, script, profile } = texts;
  const json = new TextEncoder().encode(JSON.stringify([schema, query, script, profile]));
  const packed = new Uint8Array(await stream(json, new CompressionStream("deflate-raw")).arrayBuffer());
  let binary = "";
  for (const each of packed) binary += String.fromCharCode(each);
  return `#play=${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** The texts of `#play=…`; null: it is none, or damaged. */
export async function textsOf(fragment) {
  if (!fragment.startsWith("#play=")) return null;
  try {
    const binary = atob(fragment.slice(6).replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(binary, each => each.charCodeAt(0));
    const found = JSON.parse(await stream(packed, new DecompressionStream("deflate-raw")).text());
    const [schema, query, script, profile] = found;
    if (found.some(each => typeof each !== "string") || found.length !== 4) return null;
    return { schema, query, script, profile: profile === "sqlstream" ? profile : "calcite" };
  } catch {
    return null;
  }
}

/** The name of the case in `#case=chapter/id`; null: it is no such fragment. */
export const caseOf = fragment => (fragment.startsWith("#case=") ? decodeURIComponent(fragment.slice(6)) : null);

let cases;
/** All cases of the kit, in the order of the corpus; they are fetched once. */
export const allCases = () => (cases ??= fetch("cases.json.zlib").then(async found => {
  if (!found.ok) throw new Error(`${found.status} ${found.statusText}`);
  return stream(await found.arrayBuffer(), new DecompressionStream("deflate")).json();
}));

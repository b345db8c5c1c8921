// The reference, in a thread of its own: a question comes as JSON, its answer goes as JSON.
import { loadPyodide } from "./pyodide/pyodide.mjs";

/* global TOTAL_BYTES */
let loaded = 0, last = 0;
const fetched = self.fetch;
/** Fetches, and says how many of all bytes have arrived: their number is written by the builder. */
self.fetch = async (...asked) => {
  const found = await fetched(...asked);
  if (!found.body) return found;
  const counted = found.body.pipeThrough(new TransformStream({
    transform(part, to) {
      loaded += part.byteLength;
      to.enqueue(part);
      const share = Math.min(1, loaded / TOTAL_BYTES);
      if (share - last >= .01) postMessage({ loaded: last = share });
    },
  }));
  const { status, statusText, headers } = found;
  return new Response(counted, { status, statusText, headers });
};

/** The function of Python that answers. */
async function start() {
  const [python, modules] = await Promise.all([
    loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href }),
    fetch(new URL("python.zip.zlib", import.meta.url)).then(found => {
      if (!found.ok) throw new Error(`python.zip.zlib: ${found.status} ${found.statusText}`);
      const inflated = found.body.pipeThrough(new DecompressionStream("deflate"));
      return new Response(inflated).arrayBuffer();
    }),
  ]);
  python.FS.writeFile("/modules.zip", new Uint8Array(modules));
  python.runPython("import sys; sys.path.insert(0, '/modules.zip')");
  return python.pyimport("rowtime.playground.answer").answer_json;
}

const answer = start();
answer.then(() => postMessage({ ready: true }), error => postMessage({ broken: `${error.message ?? error}` }));

addEventListener("message", async ({ data: { id, question } }) => {
  try {
    postMessage({ id, answer: (await answer)(question) });
  } catch (error) {
    // A fault of ours, or of the browser (its stack is full): the last line says which.
    postMessage({ id, failed: `${error.message ?? error}`.trim().split("\n").pop() });
  }
});

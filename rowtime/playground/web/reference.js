// Questions to the reference, which runs in a worker: one at a time, of those that wait the last.

/** What the reference said, or why it did not: `{answer}` or `{failed}`, and how long it took in ms. */
export class Reference {
  #worker;
  #asked = null;
  #next = null;
  #number = 0;
  #started = false;
  #told;

  /** `told` is called with `{state: "starting" | "loading" | "ready" | "busy" | "broken", text, share}`. */
  constructor(told) {
    this.#told = told;
    this.#start();
  }

  #start() {
    this.#started = false;
    this.#told({ state: "starting" });
    // A worker from a blob has the page's own policy; one from a file would have none.
    const program = `import ${JSON.stringify(new URL("worker.js", document.baseURI).href)};`;
    const url = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
    this.#worker = new Worker(url, { type: "module" });
    this.#worker.addEventListener("message", ({ data }) => this.#hear(data));
    this.#worker.addEventListener("error", event =>
      this.#hear({ broken: event.message || "the files of the playground cannot be loaded" }));
  }

  /** The answer to a question; null if a later question took its place before it was asked. */
  ask(question) {
    return new Promise(resolve => {
      this.#next?.resolve(null);
      this.#next = { question, resolve };
      if (!this.#asked) this.#send();
    });
  }

  #send() {
    this.#asked = this.#next;
    this.#next = null;
    if (!this.#asked) return;
    this.#asked.since = performance.now();
    if (this.#started) this.#told({ state: "busy" });
    this.#worker.postMessage({ id: ++this.#number, question: JSON.stringify(this.#asked.question) });
  }

  #hear(data) {
    if (data.ready) {
      this.#started = true;
      return this.#told({ state: this.#asked ? "busy" : "ready" });
    }
    if (data.loaded !== undefined) return this.#told({ state: "loading", share: data.loaded });
    if (data.broken) return this.#told({ state: "broken", text: data.broken });
    if (data.id !== this.#number || !this.#asked) return;
    const { resolve, since } = this.#asked;
    const took = performance.now() - since;
    this.#asked = null;
    this.#told({ state: "ready" });
    resolve(data.failed ? { failed: data.failed, took } : { answer: JSON.parse(data.answer), took });
    this.#send();
  }

  /** Gives up the question that is being answered, and starts the reference anew. */
  stop() {
    this.#worker.terminate();
    this.#asked?.resolve({ failed: "stopped" });
    this.#asked = null;
    this.#number++;
    this.#start();
    if (this.#next) this.#send();
  }
}

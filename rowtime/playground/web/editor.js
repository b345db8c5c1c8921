// The editors, with what is wrong under the line where it is wrong.
import { autocompletion, completeFromList, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { SQLDialect, sql } from "@codemirror/lang-sql";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const WORDS = `all and any array as asc ascending at between both by case cast check close constraint create cross cube
current day declared default delete desc descending distinct drop else end escape every except exclude exists explain
extract false fetch filter first following for foreign from full function group groups grouping having history hour if
in inner insert intersect interval into is join key last lateral left like limit lock merge minute month natural not
null nulls of offset on only open or order outer over partition period preceding primary pump qualify range recursive
replace right rollup row rows second select sets similar some start started stop stream strict system_time table then
ties to true unbounded union unique unknown update upsert using values view watermark when where window with within year`;
const TYPES = "bigint boolean char date decimal double integer interval numeric real smallint time timestamp tinyint varbinary varchar";
const dialect = SQLDialect.define({ keywords: WORDS, types: TYPES, builtin: "", doubleQuotedStrings: false, hashComments: false });

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.typeName, tags.definition(tags.propertyName), tags.propertyName], color: "var(--link)" },
  { tag: [tags.string, tags.number, tags.bool, tags.null, tags.content], color: "var(--good)" },
  { tag: [tags.comment], color: "var(--muted)" },
]);

const look = EditorView.theme({
  "&": { fontSize: "13px", backgroundColor: "var(--paper)", color: "var(--ink)", maxHeight: "100%" },
  "&.cm-focused": { outline: "2px solid var(--link)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)", padding: "6px 0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--faint)", border: "none" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { background: "var(--selected)" },
  ".cm-matchingBracket": { outline: "1px solid var(--muted)", background: "none" },
  ".at-fault": { textDecoration: "underline wavy var(--bad) 1px", textUnderlineOffset: "3px", textDecorationSkipInk: "none" },
  ".at-fault-empty::after": { content: '""', borderBottom: "2px solid var(--bad)", display: "inline-block", width: "1ch" },
  ".fault": { fontFamily: "var(--sans)", whiteSpace: "normal", color: "var(--bad)", background: "var(--wash)", padding: "2px 8px 4px", margin: "2px 0" },
  ".fault .caret": { fontFamily: "var(--mono)", whiteSpace: "pre" },
  ".fault .hint": { color: "var(--ink)" },
  ".fault b": { fontWeight: "600" },
  ".fault button": { font: "inherit", color: "var(--link)", background: "none", border: "1px solid var(--frame)", borderRadius: "6px", padding: "0 8px", marginLeft: "8px", cursor: "pointer" },
  ".cm-tooltip": { background: "var(--paper)", color: "var(--ink)", border: "1px solid var(--frame)", borderRadius: "6px" },
  ".cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "14em" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { background: "var(--selected)", color: "var(--ink)" },
  ".cm-completionDetail": { color: "var(--muted)", fontStyle: "normal", marginLeft: "1em" },
  ".now": { backgroundColor: "var(--step)" },
}, { dark: false });

/** What is wrong, below its line. */
class FaultWidget extends WidgetType {
  constructor(fault, apply) {
    super();
    this.fault = fault;
    this.apply = apply;
  }

  eq(other) {
    return other.fault === this.fault;
  }

  toDOM() {
    const box = document.createElement("div");
    box.className = "fault";
    describe(box, this.fault, this.apply);
    return box;
  }

  ignoreEvent() {
    return true;
  }
}

/** Writes a fault into an element: its code, message and hint, and a button that corrects it. */
export function describe(box, fault, apply) {
  const message = document.createElement("div");
  if (fault.code) message.append(Object.assign(document.createElement("b"), { textContent: fault.code }), ": ");
  message.append(fault.message);
  box.append(message);
  if (!fault.hint) return;
  const hint = Object.assign(document.createElement("div"), { className: "hint", textContent: `hint: ${fault.hint}` });
  if (fault.changes.length) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Apply" });
    button.addEventListener("click", apply);
    hint.append(button);
  }
  box.append(hint);
}

const setFaults = StateEffect.define();
const setLine = StateEffect.define();

const faultsField = StateField.define({
  create: () => Decoration.none,
  update(shown, change) {
    for (const effect of change.effects) if (effect.is(setFaults)) return effect.value;
    return change.docChanged ? shown.map(change.changes) : shown;
  },
  provide: field => EditorView.decorations.from(field),
});

const lineField = StateField.define({
  create: () => Decoration.none,
  update(shown, change) {
    for (const effect of change.effects) if (effect.is(setLine)) return effect.value;
    return change.docChanged ? shown.map(change.changes) : shown;
  },
  provide: field => EditorView.decorations.from(field),
});

/** Words of a dialect in upper case, as they are written in the examples. */
const keywords = WORDS.split(/\s+/).map(each => ({ label: each.toUpperCase(), type: "keyword" }));
const types = TYPES.split(" ").map(each => ({ label: each.toUpperCase(), type: "type" }));

/** The names in a schema: of its objects, and of their columns with their types. */
export function namesIn(schema) {
  const found = new Map();
  const note = (label, type, detail) => found.has(label) || found.set(label, { label, type, detail, boost: 1 });
  const declared = /\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:FOREIGN\s+)?(STREAM|TABLE|VIEW|FUNCTION)\s+("[^"]+"|[\w.]+)\s*(\()?/gi;
  for (const match of schema.matchAll(declared)) {
    note(match[2], "class", match[1].toLowerCase());
    if (!match[3]) continue;
    let depth = 1, end = match.index + match[0].length;
    const start = end;
    for (; end < schema.length && depth; end++) depth += (schema[end] === "(") - (schema[end] === ")");
    for (const part of schema.slice(start, end - 1).split(/,(?![^()]*\))/)) {
      const column = part.match(/^\s*("[^"]+"|\w+)\s+(\w+(?:\(\d+\))?)/);
      if (column) note(column[1], "property", column[2]);
    }
  }
  return [...found.values()];
}

/** An editor below `parent`; `changed` is called after each change of its text by its user. */
export class Editor {
  /** `names` gives the words that may be completed besides those of the language. */
  constructor(parent, language, label, changed, names = () => []) {
    this.faults = [];
    parent.replaceChildren(); // the text that was there before the editor
    const complete = context => {
      const words = language === "yaml" ? [] : [...keywords, ...types];
      return completeFromList([...names(), ...words])(context);
    };
    // In a shadow tree the editor's style needs no <style> element, which the page's policy forbids.
    const root = parent.attachShadow({ mode: "open", delegatesFocus: true });
    this.view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        extensions: [
          lineNumbers(),
          history(),
          bracketMatching(),
          language === "yaml" ? yaml() : sql({ dialect }),
          syntaxHighlighting(colours),
          look,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": label }),
          autocompletion({ override: [complete], icons: false }),
          keymap.of([...completionKeymap, ...defaultKeymap.filter(each => each.key !== "Mod-/"), ...historyKeymap]),
          faultsField,
          lineField,
          EditorView.updateListener.of(update => update.docChanged && !this.setting && changed()),
        ],
      }),
    });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  set text(text) {
    this.setting = true;
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
    this.setting = false;
    this.show([]);
  }

  /** Marks the faults, of which each stands below the line where it ends. */
  show(faults) {
    this.faults = faults;
    const doc = this.view.state.doc, marks = [];
    for (const fault of faults) {
      const from = Math.min(fault.start, doc.length), to = Math.min(fault.end, doc.length);
      const line = doc.lineAt(Math.max(from, to - 1));
      if (from < to) marks.push(Decoration.mark({ class: "at-fault" }).range(from, to));
      const widget = new FaultWidget(fault, () => this.apply(fault));
      marks.push(Decoration.widget({ widget, block: true, side: 1 }).range(line.to));
    }
    this.view.dispatch({ effects: setFaults.of(Decoration.set(marks, true)) });
  }

  /** Makes the changes that a fault suggests. */
  apply(fault) {
    this.view.dispatch({
      changes: fault.changes.map(({ start, end, text }) => ({ from: start, to: end, insert: text })),
      userEvent: "input.apply",
    });
    this.view.focus();
  }

  /** Puts the cursor at a fault. */
  goTo(fault) {
    this.view.dispatch({ selection: { anchor: Math.min(fault.start, this.view.state.doc.length) }, scrollIntoView: true });
    this.view.focus();
  }

  /** Shows which line (from 1) happens now; 0: none. */
  mark(number) {
    const doc = this.view.state.doc;
    const marks = number > 0 && number <= doc.lines ? [Decoration.line({ class: "now" }).range(doc.line(number).from)] : [];
    this.view.dispatch({ effects: setLine.of(Decoration.set(marks)) });
    if (!marks.length) return;
    const block = this.view.lineBlockAt(marks[0].from), scroller = this.view.scrollDOM;
    if (block.top < scroller.scrollTop) scroller.scrollTop = block.top;
    else if (block.bottom > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = block.bottom - scroller.clientHeight;
  }
}

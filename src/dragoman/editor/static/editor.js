// The editor of a translation: CodeMirror, with the completion in grey, chips for tags, and our keys.

import {
  EditorState,
  EditorView,
  Prec,
  history,
  historyKeymap,
  insertNewline,
  keymap,
  standardKeymap,
} from "./vendor/codemirror.js";
import { chips } from "./chips.js";
import { ghost, hideGhost, setGhost, visible } from "./ghost.js";
import { found, marks, point, shade } from "./marks.js";
import { firstWord, recased } from "./text.js";

const SILENT = new Set(["Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock"]); // alone they are not keystrokes
const IDLE = 20_000; // milliseconds without a key after which nobody is working
export const KEY_TO_GHOST = "key to ghost";

export class Editor {
  /** `handlers` has: typed(text, ask), shown() when text or completion look different, confirm(force), leave(),
   *  other(step), moved(offset), pointed(offset), clicked(offset), waits() and tabbed() for a Tab at the end. */
  constructor(host, nonce, handlers) {
    Object.assign(this, { host, handlers, wants: null, pressed: 0, since: null, tabbing: false });
    this.nonce = nonce;
    this.view = new EditorView({ parent: host, state: this.state("", {}) });
    this.reset();
  }

  state(text, { label = "Translation", language = "", direction = "ltr", locked = false }) {
    this.language = language || "en";
    return EditorState.create({
      doc: text,
      selection: { anchor: text.length },
      extensions: [
        EditorView.cspNonce.of(this.nonce),
        EditorView.lineWrapping,
        EditorState.allowMultipleSelections.of(false),
        history(),
        ghost,
        chips,
        marks,
        EditorState.readOnly.of(locked),
        Prec.highest(keymap.of(this.keys())),
        keymap.of([...standardKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({
          "aria-label": label,
          lang: language,
          dir: direction,
          spellcheck: String(!this.spelled), // else the browser does it
          "aria-describedby": "completion",
          "data-gramm": "false",
        }),
        EditorView.updateListener.of((update) => this.updated(update)),
        EditorView.domEventObservers({
          keydown: (event) => this.counted(event),
          mousedown: () => (this.effort.clicks += 1),
          mousemove: (event) => this.handlers.pointed(this.offsetAt(event)),
          mouseleave: () => this.handlers.pointed(null),
          click: (event) => this.touched(event) || this.handlers.clicked(this.offsetAt(event)),
          compositionstart: () => this.host.classList.add("composing"),
          compositionend: () => setTimeout(() => this.composed()),
        }),
      ],
    });
  }

  keys() {
    const word = () => this.takeWord();
    const confirm = (force) => () => (this.held || this.handlers.confirm(force), true); // a key held down confirms once
    return [
      { key: "Tab", run: () => word() || this.tabPastTheEnd() },
      { key: "Ctrl-ArrowRight", mac: "Alt-ArrowRight", run: word },
      { key: "Ctrl-End", mac: "Cmd-End", run: () => this.takeAll() },
      { key: "Alt-Enter", run: () => (this.held || this.takeAllAndConfirm(), true) },
      { key: "Enter", run: confirm(false) },
      { key: "Mod-Enter", run: confirm(false) },
      { key: "Mod-Shift-Enter", run: confirm(true) },
      { key: "Shift-Enter", run: insertNewline },
      { key: "Escape", run: () => this.hide() || (this.handlers.leave(), true) },
      { key: "Alt-ArrowDown", run: () => (this.handlers.other(1), true) },
      { key: "Alt-ArrowUp", run: () => (this.handlers.other(-1), true) },
    ];
  }

  // ── What was typed ───────────────────────────────────────────────────────────────────────────────────────────────

  /** Edit another text. */
  load(text, options) {
    this.host.classList.remove("composing");
    this.loading = true;
    this.view.setState(this.state(text, options));
    this.loading = false;
    this.reset();
  }

  reset() {
    this.effort = { keys: 0, clicks: 0, milliseconds: 0 };
    this.wants = this.since = this.unwanted = null;
    this.tabbing = false;
    this.seen = this.whole;
    this.last = performance.now();
  }

  get text() {
    return this.view.state.doc.toString();
  }

  /** Text and completion, as shown. */
  get whole() {
    return this.text + (visible(this.view.state)?.text ?? "");
  }

  get composing() {
    return this.host.classList.contains("composing");
  }

  /** Insert a text as if it were typed. */
  insert(text, { all = false } = {}) {
    const { state } = this.view,
      { from, to } = all ? { from: 0, to: state.doc.length } : state.selection.main;
    if (state.readOnly) return;
    this.view.dispatch({
      changes: { from, to, insert: text },
      selection: { anchor: from + text.length },
      userEvent: "input",
    });
    this.view.focus();
  }

  /** Give the selection, or the word at the caret, small letters, then capitals, then one capital. */
  changeCase() {
    const { state } = this.view,
      { main } = state.selection;
    const { from, to } = main.empty ? (state.wordAt(main.head) ?? main) : main;
    if (state.readOnly || from === to) return;
    const insert = recased(state.sliceDoc(from, to));
    this.view.dispatch({ changes: { from, to, insert }, selection: { anchor: from, head: from + insert.length }, userEvent: "input" });
  }

  updated(update) {
    if (this.loading) return;
    if (update.docChanged && this.text !== this.unwanted) this.unwanted = null; // it was unwanted for that text only
    if (update.docChanged) {
      const typing = update.transactions.some((each) => each.isUserEvent("input") || each.isUserEvent("delete"));
      this.since = typing ? this.pressed : null;
      this.pressed = 0; // what comes without a key, from a menu or an input method, is not timed
      this.handlers.typed(this.text, !this.composing);
    } else if (update.selectionSet) this.handlers.moved(update.state.selection.main.head);
    const { whole } = this;
    if (whole === this.seen) return;
    this.seen = whole;
    this.handlers.shown();
  }

  composed() {
    this.host.classList.remove("composing");
    this.handlers.typed(this.text, true);
  }

  counted(event) {
    this.pressed = event.timeStamp;
    this.held = event.repeat;
    if (!SILENT.has(event.key)) this.effort.keys += 1;
    if (event.key !== "Tab" && !SILENT.has(event.key)) this.tabbing = false;
    this.active();
  }

  /** Count the time since the last activity. */
  active() {
    const now = performance.now();
    if (now - this.last < IDLE) this.effort.milliseconds += now - this.last;
    this.last = now;
  }

  offsetAt(event) {
    const part = event.target.closest?.(".ghost > span");
    if (part) return this.view.state.doc.length + Number(part.dataset.from);
    return this.view.posAtCoords({ x: event.clientX, y: event.clientY });
  }

  // ── The completion ───────────────────────────────────────────────────────────────────────────────────────────────

  /** Show a completion of the text as it is now, and do what was waiting for it. */
  suggest(completion) {
    const hidden = this.unwanted === this.text;
    this.view.dispatch({ effects: setGhost.of({ ...completion, hidden }) });
    this.measure();
    const wants = this.wants;
    this.wants = null;
    wants?.();
  }

  /** Show no completion, and expect none. */
  clear() {
    this.wants = null;
    this.view.dispatch({ effects: setGhost.of(null) });
  }

  /** Whether the completion shown belongs to an older text. */
  get stale() {
    const shown = this.view.state.field(ghost);
    return !shown.fresh && !shown.hidden;
  }

  get completion() {
    return visible(this.view.state);
  }

  takeWord() {
    const shown = this.completion;
    if (!shown) return false;
    this.tabbing = true;
    if (!shown.fresh) this.wants = () => this.takeWord();
    else this.append(firstWord(shown.text, this.language));
    return true;
  }

  /** Somebody who accepts word after word presses Tab once too often: that does not leave the editor, where Enter
   *  would then confirm. Esc, Shift + Tab or any other key and then Tab do. */
  tabPastTheEnd() {
    if (!this.tabbing && !this.handlers.waits()) return false;
    this.handlers.tabbed();
    return true;
  }

  /** A finger on a word of the completion takes all up to it: keyboards of phones have no Tab. */
  touched(event) {
    const shown = this.completion,
      part = event.pointerType === "touch" && event.target.closest?.(".ghost > span");
    if (!part || !shown?.fresh) return false;
    const next = part.nextElementSibling;
    this.append(next ? shown.text.slice(0, Number(next.dataset.from)) : shown.text);
    return true;
  }

  takeAll() {
    const shown = this.completion;
    if (!shown?.fresh) return false;
    this.append(shown.text);
    return true;
  }

  /** Accept the completion as it is shown, and confirm; one that belongs to an older text is not accepted. */
  takeAllAndConfirm() {
    if (!this.completion || this.takeAll()) this.handlers.confirm(false);
  }

  append(text) {
    const at = this.view.state.doc.length;
    this.view.dispatch({
      changes: { from: at, insert: text },
      selection: { anchor: at + text.length },
      userEvent: "input.complete",
      scrollIntoView: true,
    });
  }

  /** Hide the completion until a key is pressed, or (not for good) until another one comes. */
  hide({ forGood = true } = {}) {
    if (!this.completion) return false;
    this.wants = null;
    this.tabbing = false;
    if (forGood) this.unwanted = this.text;
    this.view.dispatch({ effects: hideGhost.of(null) });
    return true;
  }

  /** Mark ranges in which something was found (from, to, severity). */
  find(ranges) {
    const { length } = this.view.state.doc;
    this.view.dispatch({ effects: found.of(ranges.filter(({ to }) => to <= length)) });
  }

  shade(words) {
    this.view.dispatch({ effects: shade.of(words) });
  }

  /** Highlight ranges of the text and of the completion after it. */
  point(ranges) {
    const { length } = this.view.state.doc;
    this.view.dispatch({ effects: point.of(ranges.filter(({ to }) => to <= length)) });
    for (const part of this.host.querySelectorAll(".ghost > span")) {
      const at = length + Number(part.dataset.from);
      part.classList.toggle(
        "pointed",
        ranges.some(({ from, to }) => at >= from && at < to),
      );
    }
  }

  /** Record the time from the key to the painted completion among the browser's performance entries. */
  measure() {
    const start = this.since;
    this.since = null;
    if (!start) return;
    requestAnimationFrame(() => {
      const channel = new MessageChannel(); // its message comes after the frame is painted
      channel.port1.onmessage = () => performance.measure(KEY_TO_GHOST, { start, end: performance.now() });
      channel.port2.postMessage(null);
    });
  }
}

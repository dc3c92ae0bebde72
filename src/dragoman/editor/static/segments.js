// The list of segments, narrow beside the editor or as a bilingual grid above it: states, a filter, and opening a
// segment by mouse or keyboard.

import { DocumentSegments } from "./document.js";
import { count, fill, h } from "./dom.js";
import { CHECK, CHOICES, Shown, asQuery, fits } from "./filter.js";
import { Rows } from "./rows.js";
import { chipped } from "./chipped_text.js";

export const STATES = { new: "new", translated: "draft", confirmed: "confirmed", locked: "locked" };
const SHOWN_STATES = { ...STATES, approved: "approved", waiting: "waiting to be sent" };
const ORIGINS = {
  file: "file",
  machine: "machine",
  memory: "memory",
  repetition: "repetition",
  replacement: "replaced",
  person: "",
};
const MOVES = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
const PAUSE = 150; // milliseconds without a key before a search begins

export class SegmentList {
  /** `handlers` has: open(number), load(number) for a page around it, loadThese(numbers), numbers(query) for those that fit a filter,
   *  waiting(number) for one that waits to be sent, edited() for the numbers of confirmed segments changed since, me(), people(number), grid() to switch, inRows() to write there or not, and
   *  updated(number) when a segment has come. */
  constructor(handlers) {
    Object.assign(this, { handlers, current: null });
    this.segments = new DocumentSegments();
    this.shown = new Shown(0);
    this.rows = new Rows(
      { "aria-label": "Segments", onkeydown: (event) => this.moved(event) },
      { draw: (row) => this.row(row), seen: (from, to) => this.loadSeen(from, to) },
    );
    this.inRow = h("div", { class: "in-row" }); // where the translation of the open segment is written, in the grid
    this.rows.element.append(this.inRow);
    this.element = h("section", { class: "segments", "aria-label": "Document" }, this.build(), this.rows.element);
    new ResizeObserver(() => this.placeInRow()).observe(this.element);
  }

  build() {
    this.search = h("input", {
      type: "search",
      placeholder: "Search",
      "aria-label": "Search segments",
      oninput: () => this.soon(),
    });
    const options = Object.entries(CHOICES).map(([value, text]) => h("option", { value }, text));
    this.choice = h("select", { "aria-label": "Filter by state", onchange: () => this.filter() }, options);
    this.jump = h("input", { type: "number", min: 1, placeholder: "No.", "aria-label": "Go to segment number" });
    const grid = { class: "small quiet", title: "Alt + G", onclick: () => this.handlers.grid() };
    this.gridding = h("button", grid, "Grid");
    const inRows = { class: "small quiet rows-only", title: "Write the translation in its row", onclick: () => this.handlers.inRows() };
    this.inRows = h("button", inRows, "Edit in rows");
    this.bar = h("progress", { "aria-label": "Confirmed segments", max: 1, value: 0 });
    this.done = h("p", { class: "done" });
    const go = (event) => {
      event.preventDefault();
      const number = Number(this.jump.value);
      if (this.segments.has(number)) this.handlers.open(number);
      this.jump.value = "";
    };
    const jump = h("form", { class: "jump", onsubmit: go }, this.jump);
    const columns = ["No.", "Source", "Translation", "Match", "Notes", "State"];
    return [
      h("div", { class: "progress" }, h("div", { class: "row" }, this.done, this.gridding, this.inRows), this.bar),
      h("div", { class: "find" }, this.search, this.choice, jump),
      h(
        "div",
        { class: "columns", "aria-hidden": "true" },
        columns.map((name) => h("span", {}, name)),
      ),
    ];
  }

  /** Begin with a document of so many segments; `overview` has their states, and their order if it is not that of
   *  their numbers. */
  begin(about, overview) {
    const all = Object.values(about.states).reduce((sum, some) => sum + some, 0);
    this.segments = new DocumentSegments([], all, overview?.order ?? null);
    if (overview) this.segments.setStates(overview.states);
    this.jump.max = this.segments.last;
    this.filter();
    this.tally();
  }

  set(segments) {
    this.segments = new DocumentSegments(segments);
    this.filter();
    this.tally();
  }

  // ── Rows ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  row(row) {
    const number = this.shown.at(row),
      segment = this.segments.get(number),
      state = this.stateOf(number);
    const current = number === this.current;
    const open = () => this.handlers.open(number);
    const about = { onclick: open, tabindex: current ? "0" : "-1", "aria-current": current && "true" };
    const place = { "data-n": number, "aria-setsize": this.shown.count, "aria-posinset": row + 1 };
    return h("li", { "data-state": state, ...place }, h("button", about, this.cells(number, segment)));
  }

  /** The state that a row shows: approved is more than confirmed, and what waits to be sent is neither. */
  stateOf(number) {
    const segment = this.segments.get(number);
    if (this.handlers.waiting(number)) return "waiting";
    return segment?.state === "confirmed" && segment.stage === "done" ? "approved" : this.segments.states[number];
  }

  cells(number, segment) {
    const number_ = h("span", { class: "number" }, this.segments.label(number));
    if (!segment) return [number_, h("span", { class: "texts" }, h("span", { class: "of" }, "…"))];
    const { source, target, match, origin } = segment;
    const marks = this.marks(segment).map(([kind, name]) =>
      h("span", { class: `sign ${kind}`, title: name }, h("span", { class: "unseen" }, name)),
    );
    return [
      number_,
      h(
        "span",
        { class: "texts" },
        h("span", { class: "of" }, chipped(source)),
        h("span", { class: "to" }, chipped(target)),
      ),
      h("span", { class: "match" }, match ? `${Math.floor(match)} % ` : "", ORIGINS[origin] ?? ""),
      h("span", { class: "signs" }, marks),
      h("span", { class: "mark", title: SHOWN_STATES[this.stateOf(number)] }, h("span", { class: "unseen" }, SHOWN_STATES[this.stateOf(number)])),
    ];
  }

  /** What is to be said of a segment besides its state: kind and name. */
  marks(segment) {
    const { number, held, warnings, comments, assignee } = segment;
    const people = this.handlers.people(number);
    return [
      held && ["held", "held back: the file cannot hold this text"],
      this.handlers.edited().has(number) && ["edited", "changed since it was confirmed"],
      warnings > 0 && ["warned", warnings === 1 ? "1 warning" : `${warnings} warnings`],
      comments > 0 && ["commented", comments === 1 ? "1 comment" : `${comments} comments`],
      assignee && ["assigned", `assigned to ${assignee}`],
      people.length > 0 && ["present", `${people.join(", ")} here now`],
    ].filter(Boolean);
  }

  /** Load the segments in sight, unless they are here: whole pages, or those that a filter shows. */
  loadSeen(from, to) {
    if (this.filtered) {
      const rows = Array.from({ length: Math.max(0, to - from) }, (_, n) => this.shown.at(from + n));
      const absent = rows.filter((number) => number && !this.segments.get(number));
      if (absent.length) this.handlers.loadThese(absent);
      return;
    }
    for (const row of [from, (from + to) >> 1, to - 1]) {
      const number = this.shown.at(row);
      if (number && !this.segments.get(number)) this.handlers.load(number);
    }
  }

  /** Show a segment as the server has it now; whether that is news. */
  update(segment) {
    const news = this.segments.update(segment);
    this.handlers.updated?.(segment.number);
    this.refit(segment.number);
    return news;
  }

  /** Show several segments at once. */
  updateAll(segments) {
    for (const each of segments) this.segments.update(each);
    for (const each of segments) this.redraw(each.number);
    for (const each of segments) this.handlers.updated?.(each.number);
    this.tally();
  }

  /** Forget all segments but the open one: they are loaded again when they come in sight. */
  forget() {
    const { byNumber } = this.segments;
    for (const number of byNumber.keys()) if (number !== this.current) byNumber.delete(number);
    this.rows.reset(this.shown.count);
  }

  /** A segment has changed: draw it again, and take it in or out of what the filter shows. The open one stays. */
  refit(number) {
    const before = this.shown.count,
      segment = this.segments.get(number);
    if (segment && this.filtered && number !== this.current && !this.choice.value.startsWith(CHECK)) {
      if (fits(segment, this.wanted, this.known)) this.shown.add(number);
      else this.shown.delete(number);
    }
    if (this.shown.count !== before) this.rows.reset(this.shown.count), this.placeInRow();
    else this.redraw(number);
    this.tally();
  }

  redraw(number) {
    if (this.shown.has(number)) this.rows.redraw(this.shown.rowFrom(number));
  }

  /** Draw the rows as a grid with columns, or as a list. */
  setGrid(on) {
    this.gridding.setAttribute("aria-pressed", String(on));
    this.rows.reset(this.shown.count);
    if (this.current !== null) this.rows.reveal(this.shown.rowFrom(this.current));
    this.placeInRow();
  }

  /** Put the place for writing over the translation of the open segment. */
  placeInRow() {
    const column = this.element.querySelector(".columns").children[2];
    if (this.current === null || !column.offsetWidth) return;
    const { height } = this.rows,
      { style } = this.inRow;
    style.setProperty("--row", `${Math.round(height) - 2}px`);
    style.top = `${this.shown.rowFrom(this.current) * height}px`;
    style.left = `${column.offsetLeft - 8}px`;
    style.width = `${column.offsetWidth + 16}px`;
  }

  // ── Choosing ─────────────────────────────────────────────────────────────────────────────────────────────────────

  select(number) {
    const before = this.current;
    this.current = number;
    const shown = this.shown.count;
    this.shown.add(number);
    if (this.shown.count !== shown) this.rows.reset(this.shown.count);
    if (before !== null && before !== number) this.refit(before);
    this.redraw(number);
    this.rows.reveal(this.shown.rowFrom(number));
    this.placeInRow();
  }

  focus() {
    if (this.current !== null) this.rows.focus(this.shown.rowFrom(this.current));
  }

  moved(event) {
    const step = MOVES[event.key],
      row = event.target.closest("li");
    if (!step || !row) return;
    event.preventDefault();
    const wanted = this.shown.rowFrom(Number(row.dataset.n)) + step;
    this.rows.focus(Math.max(0, Math.min(this.shown.count - 1, wanted)));
  }

  /** The next segment to do in the filter, and those beside a segment. */
  next(number) {
    return this.shown.next(number, (each) => this.segments.toDo(each));
  }

  beside(number, step) {
    return this.shown.beside(number, step);
  }

  // ── The filter ───────────────────────────────────────────────────────────────────────────────────────────────────

  get wanted() {
    return { text: this.search.value.trim(), choice: this.choice.value };
  }

  get filtered() {
    return Boolean(this.wanted.text || this.wanted.choice);
  }

  get known() {
    return { edited: this.handlers.edited(), me: this.handlers.me() };
  }

  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.filter(), PAUSE);
  }

  filter() {
    const found = this.find();
    if (found instanceof Promise) found.then((numbers) => numbers && this.show(numbers));
    else this.show(found);
  }

  /** Show only segments in which a check has found something. */
  showCheck(check) {
    const value = `${CHECK}${check}`;
    if (![...this.choice.options].some((each) => each.value === value))
      this.choice.append(h("option", { value }, `Check: ${check}`));
    this.choice.value = value;
    this.filter();
  }

  clearFilter() {
    this.search.value = this.choice.value = "";
    this.filter();
  }

  show(numbers) {
    this.shown = new Shown(this.segments.count, numbers, this.segments);
    if (this.current !== null) this.shown.add(this.current);
    this.rows.reset(this.shown.count);
    if (this.current !== null) this.rows.reveal(this.shown.rowFrom(this.current));
    this.placeInRow();
  }

  /** The numbers that fit the filter, null for all; a promise if the server has to be asked. */
  find() {
    const { wanted, segments, known } = this,
      { text, choice } = wanted;
    if (!text && !choice) return null;
    const { numbers } = segments;
    if (choice === "edited" && !text) return numbers.filter((number) => known.edited.has(number));
    const byState = (n) => (choice === "open" ? segments.toDo(n) : !STATES[choice] || segments.states[n] === choice);
    if (!text && (choice === "open" || STATES[choice])) return numbers.filter(byState);
    if (segments.complete && !choice.startsWith(CHECK))
      return numbers.filter((number) => fits(segments.get(number), wanted, known));
    return this.ask(wanted, byState);
  }

  async ask(wanted, byState) {
    this.rows.element.setAttribute("aria-busy", "true");
    const found = await this.handlers.numbers(asQuery(wanted, this.handlers.me()));
    const { text, choice } = this.wanted;
    if (text !== wanted.text || choice !== wanted.choice) return null; // another one was chosen meanwhile
    this.rows.element.removeAttribute("aria-busy");
    return found?.filter(byState) ?? null;
  }

  tally() {
    const { done, all } = this.segments.progress;
    this.bar.max = Math.max(all, 1);
    this.bar.value = done;
    const held = this.segments.held.size;
    fill(
      this.done,
      h("strong", {}, count(done)),
      ` of ${count(all)} confirmed`,
      held > 0 && h("span", { class: "held" }, ` · ${count(held)} held back`),
    );
  }
}

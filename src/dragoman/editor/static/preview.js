// The panel with the text around the open segment, as readers will see it; the translation appears in it as one types.

import { get } from "./api.js";
import { fill, h } from "./dom.js";
import { notifyError } from "./notices.js";
import { nothing, panel } from "./panel.js";
import { preference, setPreference } from "./storage.js";
import { direction } from "./text.js";
import { clock, speed, timeline } from "./timeline.js";
import { readable, runsOf, typeset } from "./typeset.js";

const CALM = 120; // milliseconds at a segment before the text around it is loaded
const MARGIN = 3; // blocks that should be there before and after the open one

/** Blocks with those in one table put together: { block } or { rows }, rows being lists of cells, cells of blocks. */
export function withTables(blocks) {
  const found = [];
  let table = null;
  for (const block of blocks) {
    const { table: name, row, cell, column } = block.place;
    if (name < 0) {
      table = null;
      found.push({ block });
      continue;
    }
    if (table?.name !== name) found.push((table = { name, rows: [] }));
    if (table.row !== row) table.rows.push((table.cells = []));
    table.row = row;
    if (table.cell !== cell) table.cells[column] = [];
    table.cell = cell;
    (table.cells[column] ??= []).push(block);
  }
  return found;
}

/** A run of the completion, which nobody has accepted yet. */
const paler = (run) => (run.kind === "text" ? { kind: "alone", look: "coming", text: run.text } : run);

export class Preview {
  /** `handlers` has: path(rest) in the document, address(number), open(number), segment(number) as it is known, and
   *  typed() for the open one: text and the completion after it. */
  constructor(project, handlers) {
    Object.assign(this, { project, handlers, number: null, found: null, spots: new Map() }, panel("Preview"));
    this.sources = preference("preview") === "source";
    this.switching = h("button", { class: "small quiet", onclick: () => this.setSources(!this.sources) }, "Source");
    this.part = h("span", { class: "time" });
    this.line = h("div");
    this.page = h("div", { class: "page", role: "group", "aria-label": "Text around the segment" });
    fill(this.body, h("div", { class: "row" }, this.part, this.switching), this.line, this.page);
    this.switching.setAttribute("aria-pressed", String(this.sources));
    this.element.addEventListener("toggle", () => this.element.open && this.show(this.number));
  }

  /** Show the panel, or fold it. */
  toggle() {
    this.element.open = !this.element.open;
    if (this.element.open) this.element.scrollIntoView({ block: "nearest" });
  }

  /** Show the source of all segments, or their translations where there are any. */
  setSources(on) {
    this.sources = on;
    setPreference("preview", on ? "source" : "translation");
    this.switching.setAttribute("aria-pressed", String(on));
    this.draw();
  }

  // ── Loading ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Another segment is open. */
  show(number) {
    const before = this.number;
    this.number = number;
    clearTimeout(this.timer);
    if (!this.element.open || number === null) return;
    for (const each of new Set([before, number])) this.update(each);
    this.reveal();
    if (!this.covers(number)) this.timer = setTimeout(() => this.load().catch(notifyError), this.found ? CALM : 0);
  }

  /** Whether there is enough text around a segment already. */
  covers(number) {
    if (!this.spots.has(number)) return false;
    const at = this.found.blocks.findIndex(({ runs }) => runs.some(({ segment }) => segment === number));
    const { more_before: before, more_after: after, blocks } = this.found;
    return (!before || at >= MARGIN) && (!after || at < blocks.length - MARGIN);
  }

  async load() {
    const request = (this.latest = {});
    const found = await get(this.handlers.path(`preview?segment=${this.number}`));
    if (this.latest !== request) return;
    this.found = found;
    this.known = new Map(found.segments.map((each) => [each.number, each]));
    this.draw();
  }

  stop() {
    clearTimeout(this.timer);
    this.latest = null;
  }

  // ── Drawing ──────────────────────────────────────────────────────────────────────────────────────────────────────

  draw() {
    if (!this.found) return;
    this.spots.clear();
    this.speeds = new Map();
    const { blocks, part, more_before: before, more_after: after } = this.found;
    fill(this.part, part);
    const drawn = withTables(blocks).map(({ block, rows }) => (rows ? this.table(rows) : this.block(block)));
    fill(this.page, before && nothing("…"), drawn, after && nothing("…"));
    this.page.dir = direction(this.sources ? this.project.source : this.project.target);
    this.drawLine();
    this.reveal();
  }

  drawLine() {
    const cues = this.found?.blocks.filter((block) => block.cues.length) ?? [];
    const first = (block) => block.runs.find(({ segment }) => segment)?.segment;
    const isOpen = ({ runs }) => runs.some(({ segment }) => segment && segment === this.number);
    const open = (block) => first(block) && this.handlers.open(first(block));
    fill(this.line, cues.length > 0 && timeline(cues, { isOpen, open }));
  }

  table(rows) {
    const cells = (row) => Array.from(row, (some) => h("td", {}, (some ?? []).map((each) => this.block(each))));
    return h("div", { class: "wide" }, h("table", {}, h("tbody", {}, rows.map((row) => h("tr", {}, cells(row))))));
  }

  block(block) {
    const { role, level, marker, label } = block.place;
    const times = block.cues.length > 0 && this.times(block); // before the segments, which say how fast they are read
    const text = typeset(h(role === "code" ? "code" : "span", { class: "text" }), block.runs, (n) => this.spot(n, block));
    const deep = role === "heading" || role === "item" ? `level-${Math.min(level, 6)}` : "";
    return h(
      "div",
      { class: `block ${role} ${deep}` },
      times,
      label && h("span", { class: "label" }, label),
      marker && h("span", { class: "marker" }, marker),
      text,
      block.note && h("span", { class: "note" }, block.note),
    );
  }

  times(block) {
    const said = h("span", { class: "speed" });
    for (const { segment } of block.runs) if (segment) this.speeds.set(segment, { said, block });
    const { start } = block.cues[0],
      { end } = block.cues.at(-1);
    return h("span", { class: "label" }, `${clock(start)} – ${clock(end)} `, said);
  }

  /** The place of a segment: a link to it. */
  spot(number) {
    const open = (event) => {
      if (event.ctrlKey || event.metaKey) return; // in a new tab
      event.preventDefault();
      this.handlers.open(number);
    };
    const spot = h("a", { class: "spot", href: this.handlers.address(number), "data-n": number, onclick: open });
    this.spots.set(number, spot);
    this.update(number);
    return spot;
  }

  /** A segment looks different now. */
  update(number) {
    const spot = this.spots.get(number);
    if (!spot) return;
    const { looks, ...told } = this.known.get(number);
    const segment = this.handlers.segment(number) ?? told;
    const open = number === this.number;
    const { text, coming } = open ? this.handlers.typed() : { text: segment.target, coming: "" };
    const translated = !this.sources && Boolean(text + coming);
    const language = translated ? this.project.target : this.project.source;
    Object.assign(spot, { lang: language, dir: direction(language) });
    spot.dataset.state = translated ? segment.state : "new";
    spot.replaceChildren();
    if (!translated) typeset(spot, runsOf(segment.source, looks));
    else typeset(spot, [...runsOf(text, looks), ...runsOf(coming, looks).map(paler)]);
    if (open) spot.setAttribute("aria-current", "true");
    else spot.removeAttribute("aria-current");
    this.showSpeed(number, translated ? text + coming : segment.source, looks);
  }

  showSpeed(number, text, looks) {
    const place = this.speeds?.get(number);
    const found = place && speed(readable(text, looks), place.block.cues, place.block.limit);
    if (!found) return;
    fill(place.said, `${found.perSecond} characters/s`, found.tooFast && " – too fast to read");
    place.said.classList.toggle("wrong", found.tooFast);
  }

  /** The text in the editor, or the completion after it, is different now. */
  typed() {
    if (this.element.open) this.update(this.number);
  }

  /** Scroll the page, not what is around it, until the open segment is in sight. */
  reveal() {
    const spot = this.spots.get(this.number);
    this.drawLine();
    if (!spot) return;
    const { page } = this,
      frame = page.getBoundingClientRect(),
      place = spot.getBoundingClientRect();
    if (place.top < frame.top || place.bottom > frame.bottom)
      page.scrollTop += place.top - frame.top - page.clientHeight / 3;
  }
}

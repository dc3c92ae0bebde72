// The list of segments: their states, a filter, and opening one by mouse or arrow keys.

import { DocumentSegments } from "./document.js";
import { count, fill, h } from "./dom.js";

export const STATES = { new: "new", translated: "draft", confirmed: "confirmed", locked: "locked" };

export class SegmentList {
  /** `open(number)` is called when somebody chooses a segment. */
  constructor(open) {
    this.open = open;
    this.segments = new DocumentSegments();
    this.rows = new Map();
    this.current = null;
    this.list = h("ol", { "aria-label": "Segments", onkeydown: (event) => this.moved(event) });
    this.search = h("input", {
      type: "search",
      placeholder: "Search",
      "aria-label": "Search segments",
      oninput: () => this.filter(),
    });
    this.choice = h(
      "select",
      { "aria-label": "Filter by state", onchange: () => this.filter() },
      h("option", { value: "" }, "All"),
      h("option", { value: "open" }, "To do"),
      Object.entries(STATES).map(([value, text]) => h("option", { value }, text[0].toUpperCase() + text.slice(1))),
    );
    this.bar = h("progress", { "aria-label": "Confirmed segments", max: 1, value: 0 });
    this.done = h("p", { class: "done" });
    this.element = h(
      "section",
      { class: "segments", "aria-label": "Document" },
      h("div", { class: "progress" }, this.done, this.bar),
      h("div", { class: "find" }, this.search, this.choice),
      this.list,
    );
  }

  set(segments) {
    this.segments = new DocumentSegments(segments);
    this.rows = new Map(segments.map((each) => [each.number, this.row(each)]));
    fill(this.list, [...this.rows.values()]);
    this.tally();
  }

  row(segment) {
    const button = h("button", { onclick: () => this.open(segment.number), tabindex: "-1" });
    const row = h("li", { "data-state": segment.state }, button);
    this.draw(row, segment);
    return row;
  }

  draw(row, segment) {
    row.dataset.state = segment.state;
    fill(
      row.firstChild,
      h("span", { class: "number" }, segment.number),
      h(
        "span",
        { class: "texts" },
        h("span", { class: "of" }, segment.source),
        segment.target && h("span", { class: "to" }, segment.target),
      ),
      h("span", { class: "mark" }, h("span", { class: "unseen" }, STATES[segment.state])),
    );
  }

  /** Show a segment as the server has it now; whether that is news. */
  update(segment) {
    const news = this.segments.update(segment);
    this.draw(this.rows.get(segment.number), this.segments.get(segment.number));
    this.tally();
    return news;
  }

  select(number) {
    const before = this.rows.get(this.current)?.firstChild,
      row = this.rows.get(number);
    before?.removeAttribute("aria-current");
    before?.setAttribute("tabindex", "-1");
    this.current = number;
    row.firstChild.setAttribute("aria-current", "true");
    row.firstChild.setAttribute("tabindex", "0");
    row.hidden = false;
    const { list } = this,
      top = row.offsetTop; // in the list, not in the page
    if (top < list.scrollTop || top + row.offsetHeight > list.scrollTop + list.clientHeight)
      list.scrollTop = top - list.clientHeight / 3;
  }

  focus() {
    this.rows.get(this.current)?.firstChild.focus();
  }

  moved(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    let row = event.target.closest("li");
    do row = step > 0 ? row.nextElementSibling : row.previousElementSibling;
    while (row?.hidden);
    row?.firstChild.focus();
  }

  filter() {
    for (const [number, row] of this.rows)
      row.hidden = !this.segments.fits(number, this.search.value, this.choice.value);
  }

  tally() {
    const { done, all } = this.segments.progress;
    this.bar.max = Math.max(all, 1);
    this.bar.value = done;
    fill(this.done, h("strong", {}, count(done)), ` of ${count(all)} confirmed`);
  }
}

// A list of many rows of one height, of which only those in sight are in the page.

import { h } from "./dom.js";

const BEYOND = 15; // rows drawn above and below those in sight
const USUAL = 46; // pixels of a row, until one was measured

/** Which rows are to be drawn: from, and up to (without) to. */
export function inSight({ top, height, row, count }) {
  const first = Math.floor(top / row),
    last = Math.ceil((top + height) / row);
  return { from: Math.max(0, Math.min(first, count) - BEYOND), to: Math.min(count, last + BEYOND) };
}

export class Rows {
  /** `draw(row)` makes the element of a row, `seen(from, to)` is called with the rows that are drawn now. */
  constructor(attributes, { draw, seen = () => {} }) {
    Object.assign(this, { drawRow: draw, seen, count: 0, height: USUAL, drawn: new Map() });
    this.list = h("ol", attributes);
    this.element = h("div", { class: "scroll", tabindex: "-1", onscroll: () => this.draw() }, this.list);
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** Draw everything anew, for so many rows. */
  reset(count) {
    this.count = count;
    this.drawn.clear();
    this.list.replaceChildren();
    this.draw();
  }

  draw() {
    const { scrollTop: top, clientHeight: height } = this.element;
    const { from, to } = inSight({ top, height: height || 800, row: this.height, count: this.count });
    for (const [row, element] of this.drawn)
      if (row < from || row >= to) {
        if (element.contains(document.activeElement)) this.element.focus({ preventScroll: true });
        element.remove();
        this.drawn.delete(row);
      }
    let before = null;
    for (let row = from; row < to; row += 1) {
      const there = this.drawn.get(row),
        element = there ?? this.drawRow(row);
      this.drawn.set(row, element);
      if (!there) before ? before.after(element) : this.list.prepend(element);
      before = element;
    }
    this.list.style.paddingTop = `${from * this.height}px`;
    this.list.style.paddingBottom = `${Math.max(0, this.count - to) * this.height}px`;
    this.measure();
    this.seen(from, to);
  }

  /** Rows are as high as the style makes them, which depends on the size of the font. */
  measure() {
    const [first] = this.drawn.values();
    const height = first?.getBoundingClientRect().height;
    if (!height || Math.abs(height - this.height) < 0.5) return;
    const row = this.element.scrollTop / this.height;
    this.height = height;
    this.element.scrollTop = row * height;
    this.draw();
  }

  /** Draw one row anew, if it is drawn. */
  redraw(row) {
    const before = this.drawn.get(row);
    if (!before) return;
    const focused = before.contains(document.activeElement);
    const element = this.drawRow(row);
    this.drawn.set(row, element);
    before.replaceWith(element);
    if (focused) element.querySelector("button")?.focus({ preventScroll: true });
  }

  /** Scroll until a row is in sight; one that is stays where it is. */
  reveal(row) {
    const { scrollTop, clientHeight } = this.element,
      top = row * this.height;
    if (top < scrollTop || top + this.height > scrollTop + clientHeight)
      this.element.scrollTop = Math.max(0, top - clientHeight / 3);
    this.draw();
  }

  focus(row) {
    this.reveal(row);
    this.drawn.get(row)?.querySelector("button")?.focus({ preventScroll: true });
  }
}

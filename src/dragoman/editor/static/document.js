// The segments of the open document. All their states are known from the beginning; the segments themselves come page
// by page, those around the open one first.

const TO_DO = new Set(["new", "translated"]);
const LETTERS = { n: "new", t: "translated", c: "confirmed", r: "confirmed", l: "locked" };

export class DocumentSegments {
  /** Some segments of a document that has `count` of them, numbered from 1; `order` has their numbers in the order of
   *  the document, if some were merged or split. */
  constructor(segments = [], count = Math.max(0, ...segments.map((each) => each.number)), order = null) {
    this.count = count;
    this.order = order;
    this.rows = order && new Map(order.map((number, row) => [number, row]));
    this.last = order ? order.reduce((most, number) => Math.max(most, number), 0) : count; // the highest number
    this.states = new Array(this.last + 1).fill("new");
    this.done = 0;
    this.held = new Set(); // numbers of segments whose text the file cannot hold
    this.byNumber = new Map();
    for (const each of segments) this.update(each);
  }

  /** Take over all states: one letter for each segment. */
  setStates(letters) {
    for (let row = 0; row < this.count; row += 1) {
      const number = this.at(row);
      this.setState(number, this.get(number)?.state ?? LETTERS[letters[row]] ?? "new");
    }
  }

  setState(number, state) {
    this.done += Number(!TO_DO.has(state)) - Number(!TO_DO.has(this.states[number]));
    this.states[number] = state;
  }

  get(number) {
    return this.byNumber.get(number);
  }

  has(number) {
    return this.rows ? this.rows.has(number) : number >= 1 && number <= this.count;
  }

  /** The number in a row (from 0) of the whole document, and the row of a number. */
  at(row) {
    return this.order ? this.order[row] : row >= 0 && row < this.count ? row + 1 : undefined;
  }

  rowOf(number) {
    return this.rows ? (this.rows.get(number) ?? 0) : number - 1;
  }

  /** The segment so many places after another one, or before it, if it is here. */
  beside(number, step) {
    return this.get(this.at(this.rowOf(number) + step));
  }

  /** The numbers of all segments, in order. */
  get numbers() {
    return this.order ? [...this.order] : Array.from({ length: this.count }, (_, n) => n + 1);
  }

  /** What a segment is called: its number, or 3.2 for the second part of segment 3. */
  label(number) {
    const place = this.get(number)?.place;
    if (!place || !this.order) return String(number);
    const root = Math.floor(place);
    let part = 1;
    for (let row = this.rowOf(number); row > 0 && Math.floor(this.placeAt(row - 1)) === root; row -= 1) part += 1;
    return `${root}.${Math.max(2, part)}`;
  }

  placeAt(row) {
    const number = this.at(row);
    return this.get(number)?.place ?? number;
  }

  /** Whether all segments have come. */
  get complete() {
    return this.byNumber.size === this.count;
  }

  /** Take over a segment from the server, unless a newer version is known; whether it is news. */
  update(segment) {
    const known = this.get(segment.number);
    if (known && known.version > segment.version) return false; // overtaken by the answer to a later request
    this.byNumber.set(segment.number, segment);
    this.setState(segment.number, segment.state);
    this.held[segment.held ? "add" : "delete"](segment.number);
    return !known || known.version < segment.version;
  }

  toDo(number) {
    return TO_DO.has(this.states[number]);
  }

  /** Which segments of a page around a number are still to come: from, to; null if they are all there. */
  missing(number, size) {
    let from = Math.max(1, number - Math.floor(size / 2));
    let to = Math.min(this.last, from + size - 1);
    const settled = (each) => this.byNumber.has(each) || !this.has(each);
    while (from <= to && settled(from)) from += 1;
    while (to >= from && settled(to)) to -= 1;
    return from <= to ? { from, to } : null;
  }

  /** How many segments are done, of how many. */
  get progress() {
    return { done: this.done, all: this.count };
  }
}

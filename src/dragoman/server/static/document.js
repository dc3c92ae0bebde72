// The segments of the open document. All their states are known from the beginning; the segments themselves come page
// by page, those around the open one first.

const TO_DO = new Set(["new", "translated"]);
const LETTERS = { n: "new", t: "translated", c: "confirmed", r: "confirmed", l: "locked" };

export class DocumentSegments {
  /** Some segments of a document that has `count` of them, numbered from 1. */
  constructor(segments = [], count = Math.max(0, ...segments.map((each) => each.number))) {
    this.count = count;
    this.states = new Array(count + 1).fill("new");
    this.done = 0;
    this.held = new Set(); // numbers of segments whose text the file cannot hold
    this.byNumber = new Map();
    for (const each of segments) this.update(each);
  }

  /** Take over all states: one letter for each segment. */
  setStates(letters) {
    for (let n = 1; n <= this.count; n += 1) this.setState(n, this.get(n)?.state ?? LETTERS[letters[n - 1]] ?? "new");
  }

  setState(number, state) {
    this.done += Number(!TO_DO.has(state)) - Number(!TO_DO.has(this.states[number]));
    this.states[number] = state;
  }

  get(number) {
    return this.byNumber.get(number);
  }

  has(number) {
    return number >= 1 && number <= this.count;
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
    let to = Math.min(this.count, from + size - 1);
    while (from <= to && this.byNumber.has(from)) from += 1;
    while (to >= from && this.byNumber.has(to)) to -= 1;
    return from <= to ? { from, to } : null;
  }

  /** How many segments are done, of how many. */
  get progress() {
    return { done: this.done, all: this.count };
  }
}

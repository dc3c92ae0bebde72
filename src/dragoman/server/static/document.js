// The segments of the open document: their newest versions, which comes next, which fit a filter, how many are done.

const OPEN = new Set(["new", "translated"]);

export class DocumentSegments {
  constructor(segments = []) {
    this.byNumber = new Map(segments.map((each) => [each.number, each]));
  }

  get(number) {
    return this.byNumber.get(number);
  }

  has(number) {
    return this.byNumber.has(number);
  }

  /** Take over a segment from the server, unless a newer version is known; whether it is news. */
  update(segment) {
    const known = this.get(segment.number);
    if (known && known.version > segment.version) return false; // overtaken by the answer to a later request
    this.byNumber.set(segment.number, segment);
    return !known || known.version < segment.version;
  }

  /** The next segment to do: after a number, or else from the beginning; undefined if all others are done. */
  next(number) {
    const open = [...this.byNumber.values()].filter(({ state }) => OPEN.has(state));
    return (open.find((each) => each.number > number) ?? open.find((each) => each.number !== number))?.number;
  }

  /** The segment so many places after another one, or before it. */
  beside(number, step) {
    const numbers = [...this.byNumber.keys()];
    return numbers[numbers.indexOf(number) + step];
  }

  /** Whether a segment has a text, in source or target, and a state ("" for any, "open" for those to do). */
  fits(number, text, state) {
    const segment = this.get(number);
    if (state && state !== segment.state && !(state === "open" && OPEN.has(segment.state))) return false;
    return `${segment.source}\n${segment.target}`.toLowerCase().includes(text.toLowerCase());
  }

  /** How many segments are done, of how many. */
  get progress() {
    const all = [...this.byNumber.values()];
    return { done: all.filter(({ state }) => !OPEN.has(state)).length, all: all.length };
  }
}

// Which segments are shown, and which of them comes next: the filter above the list, and walking within it.

/** The choices of the filter: value → name. Some depend on what a segment is, not only on its state. */
export const CHOICES = {
  "": "All",
  open: "To do",
  new: "New",
  translated: "Draft",
  confirmed: "Confirmed",
  edited: "Changed since",
  held: "Held back",
  warnings: "With warnings",
  review: "To review",
  mine: "Assigned to me",
  locked: "Locked",
};

/** A choice of one check only, in the filter. */
export const CHECK = "check:";

/** Whether a text is in a segment's source or target, whatever the case. */
const contains = ({ source, target }, text) => `${source}\n${target}`.toLowerCase().includes(text.toLowerCase());

/** Whether a segment fits a filter (text, choice); `edited` are the numbers of confirmed segments changed since,
 *  `me` is the person's name. */
export function fits(segment, { text = "", choice = "" }, { edited = new Set(), me = null } = {}) {
  const { state, number } = segment;
  const chosen = {
    "": true,
    open: state === "new" || state === "translated",
    edited: edited.has(number),
    held: Boolean(segment.held),
    warnings: segment.warnings > 0 || Boolean(segment.held),
    review: segment.stage === "review",
    mine: Boolean(me) && segment.assignee === me,
  }[choice];
  return (chosen ?? state === choice) && contains(segment, text);
}

/** What the server is asked for the numbers that fit a filter, where not all segments are here. */
export function asQuery({ text, choice }, me) {
  const query = new URLSearchParams();
  if (text) query.set("search", text);
  if (choice === "held") query.set("warnings", "held");
  else if (choice === "warnings") query.set("warnings", "any");
  else if (choice === "review") query.set("stage", "review");
  else if (choice === "mine") query.set("assigned", me ?? "-");
  else if (choice.startsWith(CHECK)) query.set("warnings", choice.slice(CHECK.length));
  else if (choice && choice !== "open" && choice !== "edited") query.set("state", choice);
  return query.toString();
}

/** The numbers in a filter, in order: all from 1 to `count`, or some. `order` says where each number stands in the
 *  document, if that is not where it is by its size (`numbers` and `rowOf`, as DocumentSegments has them). */
export class Shown {
  constructor(count, numbers = null, order = null) {
    if (order?.order && !numbers) numbers = order.numbers;
    const place = order?.order ? (number) => order.rowOf(number) : (number) => number;
    if (order?.order) numbers.sort((one, other) => place(one) - place(other));
    Object.assign(this, { all: count, numbers, place });
  }

  get count() {
    return this.numbers ? this.numbers.length : this.all;
  }

  /** The number in a row (from 0). */
  at(row) {
    return this.numbers ? this.numbers[row] : row >= 0 && row < this.all ? row + 1 : undefined;
  }

  /** The row of a number, or of the first one after it. */
  rowFrom(number) {
    if (!this.numbers) return Math.max(0, number - 1);
    let [low, high] = [0, this.numbers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.place(this.numbers[middle]) < this.place(number)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  has(number) {
    return this.at(this.rowFrom(number)) === number;
  }

  add(number) {
    if (this.numbers && !this.has(number)) this.numbers.splice(this.rowFrom(number), 0, number);
  }

  delete(number) {
    if (this.numbers && this.has(number)) this.numbers.splice(this.rowFrom(number), 1);
  }

  /** The number so many rows after another one, or before it; the other one itself need not be among them. */
  beside(number, step) {
    const row = this.rowFrom(number);
    return this.at(step > 0 && !this.has(number) ? row + step - 1 : row + step);
  }

  /** The next number to do after another one, or else from the beginning; where nothing is to do, but a filter is set,
   *  simply the next one. */
  next(number, toDo) {
    const after = number ? this.rowFrom(number) + Number(this.has(number)) : 0;
    const found = this.find(after, toDo) ?? this.find(0, (each) => each !== number && toDo(each));
    return found ?? (this.numbers ? this.at(after) : undefined);
  }

  find(row, wanted) {
    for (; row < this.count; row += 1) if (wanted(this.at(row))) return this.at(row);
    return undefined;
  }
}

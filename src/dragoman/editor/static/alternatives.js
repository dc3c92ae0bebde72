// Completions of a text, as the editor shows them, and those that were offered for the same text before.

import { unit } from "./text.js";

/** What the editor shows of an answer: text, words (from, to, confidence) and whether to shade them. */
export function completion({ suffix, words = [] }, shade) {
  const found = words.map(({ text, begin, confidence }) => {
    const from = unit(suffix, begin);
    return { from, to: from + text.length, confidence };
  });
  return { text: suffix, words: found, shade };
}

/** The completions offered for one text, in the order in which they came, and the one that is shown. */
export class Alternatives {
  constructor() {
    this.clear();
  }

  clear() {
    this.offered = [];
    this.at = -1;
  }

  get empty() {
    return !this.offered.length;
  }

  /** Add a completion, which is shown from now on. */
  add(completion) {
    this.at = this.offered.push(completion) - 1;
  }

  /** The completion after the one shown (step 1) or before it (-1), to be shown instead; null if there is none. */
  move(step) {
    const found = this.offered[this.at + step];
    if (!found) return null;
    this.at += step;
    return found;
  }
}

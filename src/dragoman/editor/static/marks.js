// Marks on words of the text: how confident the models were, which are highlighted, and what checks have found.

import { Decoration, EditorView, RangeSet, StateEffect, StateField } from "./vendor/codemirror.js";
import { sureness } from "./ghost.js";

/** Shade words (from, to, confidence); an edited word loses its shade. */
export const shade = StateEffect.define();
/** Highlight ranges (from, to). */
export const point = StateEffect.define();
/** Mark what checks have found (from, to, severity). */
export const found = StateEffect.define();
/** Mark words that are in no dictionary (from, to). */
/** Mark what somebody looks for (from, to, now). */
export const hit = StateEffect.define();

const set = (ranges, kind) =>
  RangeSet.of(
    ranges
      .filter(({ from, to }) => to > from)
      .map((each) => Decoration.mark({ class: kind(each) }).range(each.from, each.to)),
    true,
  );

function field(effect, kind, edited) {
  return StateField.define({
    create: () => Decoration.none,
    update(marks, transaction) {
      if (transaction.docChanged) marks = edited(marks, transaction.changes);
      for (const each of transaction.effects) if (each.is(effect)) marks = set(each.value, kind);
      return marks;
    },
    provide: (self) => EditorView.decorations.from(self),
  });
}

function untouched(marks, changes) {
  const touched = [];
  changes.iterChangedRanges((from, to) => touched.push([from, to]));
  return marks.update({ filter: (from, to) => !touched.some(([a, b]) => a <= to && b >= from) }).map(changes);
}

export const marks = [
  field(shade, ({ confidence }) => `sure-${sureness(confidence)}`, untouched),
  field(
    point,
    () => "pointed",
    () => Decoration.none,
  ),
  field(
    found,
    ({ severity }) => `found ${severity}`,
    () => Decoration.none,
  ),
  field(hit, ({ now }) => (now ? "hit now" : "hit"), untouched),
];

// Inline tags in the editor as chips: the caret steps over them, they are deleted whole, and nothing can be typed into
// them.

import { Decoration, EditorState, EditorView, ViewPlugin, WidgetType } from "./vendor/codemirror.js";
import { tags } from "./text.js";
import { chip } from "./chipped_text.js";

class Chip extends WidgetType {
  constructor(tag) {
    super();
    this.tag = tag;
  }

  eq(other) {
    return other.tag === this.tag;
  }

  toDOM() {
    return chip(this.tag);
  }

  ignoreEvent() {
    return false;
  }
}

const drawn = (doc) =>
  Decoration.set(
    tags(doc.toString()).map(({ from, to, text }) => Decoration.replace({ widget: new Chip(text) }).range(from, to)),
  );

const shown = ViewPlugin.fromClass(
  class {
    constructor(view) {
      this.decorations = drawn(view.state.doc);
    }

    update(update) {
      if (update.docChanged) this.decorations = drawn(update.state.doc);
    }
  },
  {
    decorations: (plugin) => plugin.decorations,
    provide: (plugin) => EditorView.atomicRanges.of((view) => view.plugin(plugin)?.decorations ?? Decoration.none),
  },
);

/** A change that would cut a tag in two takes all of it; an insertion inside a tag goes after it. */
const whole = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.docChanged || transaction.isUserEvent("undo") || transaction.isUserEvent("redo")) return transaction;
  const chips = tags(transaction.startState.doc.toString());
  let cut = false;
  const changes = [];
  transaction.changes.iterChanges((from, to, _, __, insert) => {
    for (const chip of chips) {
      if (from === to && from > chip.from && from < chip.to) [from, to, cut] = [chip.to, chip.to, true];
      else if (from < chip.to && to > chip.from && (from > chip.from || to < chip.to)) {
        [from, to, cut] = [Math.min(from, chip.from), Math.max(to, chip.to), true];
      }
    }
    changes.push({ from, to, insert });
  });
  return cut ? { changes, userEvent: "input", scrollIntoView: true } : transaction;
});

export const chips = [shown, whole];

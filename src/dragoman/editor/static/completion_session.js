// Completions of the open segment: asked for with each key, shown when they belong to the text, and their alternatives.

import { Alternatives, completion } from "./alternatives.js";
import { ENGINES } from "./engine.js";
import { Live } from "./live.js";
import { sentence } from "./notices.js";

const FADING = 500; // milliseconds for which a completion of an older text stays when no new one comes

/** Why the suggestion is dragoman's own, although the project builds on another engine. */
export function silent({ engine, silence, upstream }) {
  const name = ENGINES[engine] ?? engine;
  if (upstream) return `What the engine (${name}) says looks wrong: ${silence}.`;
  if (silence === "slow") return `The engine (${name}) is slow; its words come when it answers.`;
  return `Without the engine (${name}): ${silence}.`;
}

export class CompletionSession {
  /** `workspace` has the open segment, its card and editor, the mode, and the panels. */
  constructor(workspace) {
    Object.assign(this, { workspace, live: null, revision: 0, alternatives: new Alternatives() });
  }

  connect() {
    this.live = new Live(
      this.workspace.project.name,
      (answer, asked) => this.answered(answer, asked),
      (state, busy) => this.connected(state, busy),
    );
  }

  connected(state, busy) {
    const { workspace } = this;
    workspace.element.dataset.busy = busy ? "yes" : "no";
    workspace.sync.connected(state);
    if (state === "away") workspace.suggestions.show([]);
  }

  stop() {
    this.live?.close();
    clearTimeout(this.fading);
  }

  /** Whether a completion is on its way. */
  get expected() {
    return this.workspace.mode === "interactive" && this.live?.busy === true;
  }

  /** Another segment is open. */
  begin() {
    this.alternatives.clear();
  }

  /** Open the segment on the server, for a completion of what is there, or in post-editing for a whole translation. */
  ask() {
    const { about, number, mode, editor, shading, least } = this.workspace;
    if (mode === "interactive") this.live?.open(about.id, number, editor.text, shading, least);
    else this.live?.open(about.id, number, "", shading);
  }

  /** The text has changed; nothing is asked for while an input method is composing. */
  typed(text, ask) {
    const { mode, shading, editor, pointing } = this.workspace;
    this.begin();
    if (!ask) return;
    if (mode === "interactive") this.live?.complete(text, shading);
    clearTimeout(this.fading);
    this.fading = setTimeout(() => editor.stale && editor.hide({ forGood: false }), FADING);
    pointing.changed();
  }

  /** The server has answered what was asked in the live session. */
  answered(answer, asked) {
    const { workspace } = this;
    if (asked.document !== workspace.about.id || asked.segment !== workspace.number) return;
    if (asked.do === "open") this.showSuggestions(answer);
    if (answer.error) return void workspace.card.say(sentence(answer.error.what));
    if (asked.do === "open" && answer.silence) workspace.card.say(silent(answer));
    this.revision = answer.revision;
    if (asked.do === "open") workspace.pointing.tokens(answer.source_tokens);
    if (asked.do === "open" && asked.prefix === "") workspace.suggestion ??= answer.suffix;
    if (workspace.mode === "postedit") return void this.prefill(answer, asked);
    if (asked.prefix !== workspace.editor.text || workspace.editor.composing) return;
    const found = completion(answer, workspace.shading);
    if (asked.do !== "reject") this.alternatives.clear();
    else if (!found.text) return void workspace.card.say("No other completions.");
    this.alternatives.add(found);
    this.suggest(found);
  }

  /** Show what there is to start from; over another engine also what was changed in its words, and why. */
  showSuggestions({ matches = [], upstream = null, revision }) {
    const { workspace } = this,
      { number } = workspace;
    workspace.suggestions.show(matches, upstream);
    if (upstream === null) return;
    const current = () => number === workspace.number && this.revision === revision && !workspace.stopped;
    workspace.origin
      .translation(workspace.segment.source, revision)
      .then((found) => current() && workspace.suggestions.add(found))
      .catch(() => {}); // the engine's words are shown, and there is a completion
  }

  suggest(found) {
    const { workspace } = this;
    workspace.editor.suggest(found);
    workspace.pointing.changed();
    workspace.card.speak(found.text);
  }

  /** In post-editing the whole suggestion is the text to start from. */
  prefill(answer, asked) {
    const { workspace } = this,
      { editor, card } = workspace;
    editor.clear();
    if (asked.do !== "open" || asked.prefix !== "") return;
    if (workspace.untouched && !editor.text) {
      const { effort } = editor;
      card.load(workspace.segment, answer.suffix);
      editor.effort = effort;
      editor.view.focus();
      card.textChanged();
      workspace.pointing.changed();
    }
    if (workspace.shading && editor.text === answer.suffix) editor.shade(completion(answer, true).words);
  }

  /** Show the next completion of the same text (step 1), or the one before (-1). */
  other(step) {
    if (this.workspace.mode !== "interactive" || this.alternatives.empty) return;
    const found = this.alternatives.move(step);
    if (!found && step < 0) return;
    this.workspace.editor.unwanted = null;
    if (found) this.suggest(found);
    else this.live?.reject(this.workspace.shading);
  }
}

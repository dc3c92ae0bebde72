// A translation made from another engine's words: what was changed in them, why, and how to take it back.

import { standsAlone, unit } from "./text.js";

/** Where a translation has other words than the engine's: from and to (in its text), both words, the corrections. */
export function changes({ text, target_tokens: tokens, phrases }) {
  return phrases
    .filter(({ replaces, target: [from, to] }) => replaces && to > from)
    .map(({ replaces, target: [first, end], corrections }) => {
      const [from, to] = [unit(text, tokens[first].start), unit(text, tokens[end - 1].end)];
      return { from, to, words: text.slice(from, to), engine: replaces, corrections: corrections ?? [] };
    });
}

/** "The engine said “X”; corrections 12 and 40 say “Y”." */
export function reason({ words, engine, corrections }) {
  const numbers = [...corrections].sort((one, other) => one - other);
  const last = numbers.pop();
  const listed = numbers.length ? `corrections ${numbers.join(", ")} and ${last} say` : `correction ${last} says`;
  return `The engine said “${engine}”; ${last === undefined ? "the models say" : listed} “${words}”.`;
}

/** A text with the engine's own words instead of a change, at the place most like the change's; null if it is gone. */
export function takenBack(text, { from, words, engine }) {
  const places = [];
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1))
    if (standsAlone(text, at, at + words.length)) places.push(at);
  if (!places.length) return null;
  const at = places.reduce((best, place) => (Math.abs(place - from) < Math.abs(best - from) ? place : best));
  return text.slice(0, at) + engine + text.slice(at + words.length);
}

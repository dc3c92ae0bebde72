// A translation made from another engine's words: what was changed in them, why, and how to take it back.

import { standsAlone, unit } from "./text.js";

const plain = (text) => text.toLowerCase().replace(/\s+/g, "");

/** Where a translation has other words than the engine's: from and to (in its text), both words, the corrections, and
 *  the changes that were weighed there, with what speaks for them. */
export function changes({ text, target_tokens: tokens, phrases, changes: weighed = [] }) {
  const used = weighed.filter((each) => each.used);
  return phrases
    .filter(({ replaces, target: [from, to] }) => replaces && to > from)
    .map(({ replaces, target: [first, end], corrections }) => {
      const [from, to] = [unit(text, tokens[first].start), unit(text, tokens[end - 1].end)];
      const words = text.slice(from, to);
      const evidence = used.filter(
        (each) => plain(replaces).includes(plain(each.said)) && plain(words).includes(plain(each.words)),
      );
      return { from, to, words, engine: replaces, corrections: corrections ?? [], evidence };
    });
}

/** "Replaced 5 of 6 times, last on 2026-05-01, 83 % likely to help." */
const weight = ({ times, seen, probability, last }) => {
  const often = times ? `Replaced ${times} of ${seen} times` : "Never replaced so";
  const dated = last ? `, last on ${last.slice(0, 10)}` : "";
  return `${often}${dated}, ${Math.round(100 * probability)} % likely to help.`;
};

/** "The engine said “X”; corrections 12 and 40 say “Y”. Replaced 5 of 6 times, last on 2026-05-01, 83 % likely to help." */
export function reason({ words, engine, corrections, evidence = [] }) {
  const numbers = [...corrections].sort((one, other) => one - other);
  const last = numbers.pop();
  const listed = numbers.length ? `corrections ${numbers.join(", ")} and ${last} say` : `correction ${last} says`;
  const said = `The engine said “${engine}”; ${last === undefined ? "the models say" : listed} “${words}”.`;
  return [said, ...evidence.map(weight)].join(" ");
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

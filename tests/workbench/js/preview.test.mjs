import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./support.mjs";

globalThis.navigator ??= { platform: "" };
const { withTables } = await page("preview");

const block = (name, table = -1, row = -1, cell = -1, column = 0) => ({ name, place: { table, row, cell, column } });

test("cells are put into rows, at their columns, and paragraphs of a cell together", () => {
  const blocks = [block("a"), block("b", 1, 1, 1, 0), block("c", 1, 2, 3, 1), block("d", 1, 2, 3, 1), block("e")];
  const [before, table, after] = withTables(blocks);
  assert.deepEqual([before.block.name, after.block.name], ["a", "e"]);
  assert.deepEqual(
    table.rows.map((row) => Array.from(row, (cell) => (cell ?? []).map(({ name }) => name).join())),
    [["b"], ["", "c,d"]],
  );
});

test("two tables that follow each other stay two", () => {
  assert.equal(withTables([block("a", 1, 1, 1), block("b", 9, 9, 9)]).length, 2);
});

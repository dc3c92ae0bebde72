// Reads {pattern, texts} and writes the tags of each text, as the page sees them: for test_tags.py.

import { readFileSync } from "node:fs";
import { page } from "./support.mjs";

const { setTagPattern, tags } = await page("text");
const { pattern, texts } = JSON.parse(readFileSync(0, "utf8"));
setTagPattern(pattern);
console.log(JSON.stringify(texts.map((text) => tags(text).map((tag) => tag.text))));

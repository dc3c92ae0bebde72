// This tab of the browser, and which other ones are open. What is typed belongs to the tab it was typed in; what a tab
// leaves behind when it is closed, or crashes, is taken over by the next one that opens the project.

const NAME = "dragoman:tab";

/** Do something with the tab's own storage, if it has any room. */
function store(what) {
  try {
    return what(sessionStorage);
  } catch {
    return null; // no storage: every visit is a new tab
  }
}

/** The name of this tab, the same after a reload. It is taken out of the tab's storage while the page is open, so that a
 *  tab that is duplicated gets a name of its own. */
function findName() {
  const name = store((storage) => storage.getItem(NAME));
  store((storage) => storage.removeItem(NAME));
  return name ?? Math.random().toString(36).slice(2, 10);
}

export const tab = findName();

/** Keep the name for a reload, and say that this tab holds what it has. */
export function keepName() {
  addEventListener("pagehide", () => store((storage) => storage.setItem(NAME, tab)));
  addEventListener("pageshow", () => store((storage) => storage.removeItem(NAME)));
  globalThis.navigator?.locks?.request(`${NAME}:${tab}`, () => new Promise(() => {}));
}

/** A test of which tabs are open. Without locks, which only safe connections have, all others are taken to be. */
export async function openTabs() {
  const locks = globalThis.navigator?.locks;
  if (!locks) return () => true;
  const { held } = await locks.query();
  const names = new Set([`${NAME}:${tab}`, ...held.map(({ name }) => name)]);
  return (other) => names.has(`${NAME}:${other}`);
}

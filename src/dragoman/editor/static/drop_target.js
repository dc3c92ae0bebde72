// Files dropped anywhere on the page.

/** Call `take(files, target)` when files are dropped; the page shows meanwhile that it takes them. */
export function onDrop(take) {
  const files = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const show = (on) => document.body.classList.toggle("dropping", on);
  addEventListener("dragover", (event) => {
    if (!files(event)) return;
    event.preventDefault();
    show(true);
  });
  addEventListener("dragleave", (event) => event.relatedTarget === null && show(false));
  addEventListener("drop", (event) => {
    show(false);
    if (!files(event)) return;
    event.preventDefault();
    take([...event.dataTransfer.files], event.target);
  });
}

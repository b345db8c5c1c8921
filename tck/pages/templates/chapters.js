
// --- the chapters ---------------------------------------------------------------------------------

const column = $("column");
if (column) {
  document.querySelector(".choose").hidden = false;
  const cells = [...document.querySelectorAll(".matrix [data-engine]")];
  const choose = () => cells.forEach(each => each.classList.toggle("chosen", each.dataset.engine === column.value));
  column.addEventListener("change", choose);
  choose();
  // Sorts the chapters of each section by an engine: first the worst, then the best, then as they were.
  const bodies = [...document.querySelectorAll(".matrix tbody")].map(body => ({ body, rows: [...body.querySelectorAll("[data-chapter]")] }));
  const buttons = [...document.querySelectorAll(".matrix .sort")];
  let sorted = { button: null, way: 0 };
  buttons.forEach((button, place) => {
    button.hidden = false;
    button.addEventListener("click", () => {
      sorted = { button, way: sorted.button === button ? (sorted.way + 1) % 3 : 1 };
      const part = row => Number(row.cells[place + 1].dataset.part);
      const key = row => (part(row) < 0 ? 2 : sorted.way === 1 ? part(row) : -part(row));
      for (const { body, rows } of bodies) {
        body.append(...(sorted.way ? [...rows].sort((a, b) => key(a) - key(b)) : rows));
      }
      buttons.forEach(each => { each.textContent = "↕"; });
      button.textContent = ["↕", "↑", "↓"][sorted.way];
    });
  });
}

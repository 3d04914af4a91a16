"use strict";
// A click on a column's head sorts the rows by it, a second one the other way round.
for (const table of document.querySelectorAll("table.grades")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.firstElementChild.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === (column ? "descending" : "ascending");
    const sign = down === Boolean(column) ? 1 : -1;
    const value = row => row.cells[column].dataset.s ?? row.cells[column].textContent;
    const rows = [...table.tBodies[0].rows];
    rows.sort((one, other) => sign * value(one).localeCompare(value(other), undefined, {numeric: true}));
    heads.forEach(each => each.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
    table.tBodies[0].append(...rows);
  }));
}
// Figures, in the colours of the theme.
const dark = matchMedia("(prefers-color-scheme: dark)");
const draw = () => {
  const ink = dark.matches ? "#c9ced3" : "#454b52", grid = dark.matches ? "#33383d" : "#e3e6e9";
  for (const holder of document.querySelectorAll(".figure")) {
    const {data, layout} = JSON.parse(document.getElementById(holder.id + "-data").textContent);
    const axis = {gridcolor: grid, zerolinecolor: grid, linecolor: grid, fixedrange: true};
    layout.font = {family: "system-ui, sans-serif", size: 13, color: ink};
    layout.xaxis = {...layout.xaxis, ...axis};
    layout.yaxis = {...layout.yaxis, ...axis};
    Plotly.react(holder, data, layout, {responsive: true, displayModeBar: false});
  }
};
setTimeout(draw);  // the page is seen before
dark.addEventListener("change", draw);

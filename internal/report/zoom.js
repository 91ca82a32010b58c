// Zoom into a chart: drag a rectangle, double-click for all of it. The values at the pointer stand below.
for (const figure of document.querySelectorAll("figure.zoom")) {
  const svg = figure.querySelector("svg"), whole = svg.getAttribute("viewBox").split(" ").map(Number);
  const [left, right, top, bottom, ...axes] = svg.dataset.axes.split(" ").map(Number);
  const values = figure.appendChild(document.createElement("output"));
  let from = null;
  const at = e => new DOMPoint(e.clientX, e.clientY).matrixTransform(svg.getScreenCTM().inverse());
  const value = (share, low, high, log) => (log ? low * (high / low) ** share : low + (high - low) * share).toPrecision(4);
  const show = ([x, y, width, height]) => {
    svg.setAttribute("viewBox", [x, y, width, height].join(" "));
    svg.style.setProperty("--zoom", width / whole[2]);
  };
  svg.addEventListener("pointerdown", e => { from = at(e); });
  svg.addEventListener("pointermove", e => {
    const p = at(e);
    values.textContent = value((p.x - left) / (right - left), ...axes.slice(0, 3)) + ", " +
      value((bottom - p.y) / (bottom - top), ...axes.slice(3));
  });
  svg.addEventListener("pointerup", e => {
    const to = at(e), first = from;
    from = null;
    if (first === null || 8 > Math.abs(to.x - first.x)) return;
    const width = Math.max(Math.abs(to.x - first.x), Math.abs(to.y - first.y) * whole[2] / whole[3]);
    const height = width * whole[3] / whole[2];
    show([(first.x + to.x - width) / 2, (first.y + to.y - height) / 2, width, height]);
  });
  svg.addEventListener("dblclick", () => show(whole));
}

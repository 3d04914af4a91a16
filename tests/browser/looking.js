// What eyes would see of the page; each function is given a node of it.

// A picture of what is drawn below a cell, as text: whatever changes in it changes this.
const drawn = output => [...output.querySelectorAll("canvas")].map(one => one.toDataURL()).join()
  + [...output.querySelectorAll("svg, img, [role=img]")].map(one => one.outerHTML).join();

// From the next key to the first frame with another picture, in ms.
const timeToMove = (output, seconds) => {
  const before = drawn(output);
  window.moved = new Promise(done => document.addEventListener("keydown", () => {
    const began = performance.now();
    const ask = () => {
      const spent = performance.now() - began;
      if (drawn(output) !== before || spent > 1000 * seconds) done(spent);
      else requestAnimationFrame(ask);
    };
    requestAnimationFrame(ask);
  }, {capture: true, once: true}));
};

const inView = node => new Promise(done =>
  new IntersectionObserver(([seen]) => done(seen.isIntersecting)).observe(node));

const nextFrame = node => new Promise(done => requestAnimationFrame(() => done(node.textContent)));

// The share of nearly white pixels in a screenshot.
const brightShare = async (_, hex) => {
  const bytes = Uint8Array.from(hex.match(/../g), pair => parseInt(pair, 16));
  const picture = await createImageBitmap(new Blob([bytes], {type: "image/png"}));
  const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
  context.drawImage(picture, 0, 0);
  const {data} = context.getImageData(0, 0, picture.width, picture.height);
  let bright = 0;
  for (let at = 0; at < data.length; at += 4) bright += Math.min(data[at], data[at + 1], data[at + 2]) > 215;
  return 4 * bright / data.length;
};

// Red, green, blue from 0 to 255, and how opaque from 0 to 1, of any colour of CSS.
const parts = colour => {
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue, opaque] = context.getImageData(0, 0, 1, 1).data;
  return [red, green, blue, opaque / 255];
};

// WCAG 2.2, "relative luminance" and "contrast ratio".
const luminance = colour => [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => {
  const share = colour[i] / 255;
  return sum + weight * (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4);
}, 0);
const contrast = (one, other) => {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
};

// The letters in figures that are hard to tell from the page: those that stand on nothing else.
const faintLetters = (output, least) => {
  const ground = parts(getComputedStyle(document.body).getPropertyValue("--jp-layout-color0"));
  const found = new Set();
  for (const text of output.querySelectorAll("svg text")) {
    if (!text.textContent.trim() || text.closest(".hoverlayer")) continue;
    const style = getComputedStyle(text), [red, green, blue, opaque] = parts(style.fill);
    const share = opaque * style.fillOpacity * style.opacity;
    const seen = [red, green, blue].map((one, i) => one * share + ground[i] * (1 - share));
    if (contrast(seen, ground) < least) found.add(`${text.textContent}: ${contrast(seen, ground).toFixed(1)}, ${style.fill}`);
  }
  return [...found];
};

// What reaches beyond the right edge of its output or text, less what scrolls by itself, and code in a text, which
// JupyterLab scrolls together with that text.
const tooWide = notebook => [...notebook.querySelectorAll(".jp-OutputArea-output, .jp-RenderedMarkdown")].flatMap(place => {
  const edge = place.getBoundingClientRect().right + 1, found = [];
  const look = node => {
    if (node.matches("pre")) return;
    if (node.getClientRects().length && node.getBoundingClientRect().right > edge) found.push(node);
    else if (!/auto|scroll|hidden/.test(getComputedStyle(node).overflowX)) [...node.children].forEach(look);
  };
  [...place.children].forEach(look);
  const told = found.map(node => `${Math.round(node.getBoundingClientRect().right - edge)} px: ${node.outerHTML.slice(0, 150)}`);
  if (place.scrollWidth > place.clientWidth + 1) {
    told.push(`${place.scrollWidth - place.clientWidth} px: a line in ${place.innerText.replace(/\s+/g, " ")}`);
  }
  return told;
});

// The height in px of the smallest letters below a cell; in a picture, as it is scaled on this page.
const smallestLetter = output => {
  const sizes = [];
  for (const img of output.querySelectorAll("img[src^='data:image/svg']")) {
    const [kind, source] = img.src.split(/,(.*)/s);
    const text = kind.endsWith("base64") ? atob(source) : decodeURIComponent(source);
    const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    for (const one of svg.querySelectorAll("text")) {
      const size = one.closest("[font-size]").getAttribute("font-size");
      sizes.push(parseFloat(size) * img.clientWidth / svg.viewBox.baseVal.width);
    }
  }
  for (const text of output.querySelectorAll("svg text")) {
    sizes.push(parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a);
  }
  const walk = document.createTreeWalker(output, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode.parentElement;
    const ours = walk.currentNode.textContent.trim() && !node.closest("svg, style, script, .jp-OutputPrompt");
    if (ours && node.checkVisibility()) sizes.push(parseFloat(getComputedStyle(node).fontSize));
  }
  return Math.min(...sizes);
};

// Where each code cell that is wider than its place begins.
const cutCode = notebook => [...notebook.querySelectorAll(".jp-CodeCell .cm-scroller")]
  .filter(one => one.scrollWidth > one.clientWidth + 1)
  .map(one => `${one.scrollWidth - one.clientWidth} px: ${one.textContent.slice(0, 80)}`);

// What the course's figures and a keyboard need of a page.

// Figures ask for the theme as JupyterLab says it; here it is the reader's choice, or else the system's.
const dark = matchMedia("(prefers-color-scheme: dark)");

function tellTheme() {
  const chosen = document.body.dataset.theme;
  const isLight = chosen === "light" || (chosen !== "dark" && !dark.matches);
  document.body.dataset.jpThemeLight = String(isLight);
  document.documentElement.style.colorScheme = isLight ? "light" : "dark"; // sliders, boxes, scroll bars
}

// A block that scrolls sideways can be reached with the keyboard: WCAG 2.1.1.
function reach(blocks) {
  const sizes = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
    }
  });
  blocks.forEach((block) => sizes.observe(block));
}

addEventListener("DOMContentLoaded", () => {
  tellTheme();
  new MutationObserver(tellTheme).observe(document.body, { attributeFilter: ["data-theme"] });
  dark.addEventListener("change", tellTheme);
  // the title of a fold says more than its label, which is the same for all
  document.querySelectorAll("details.hide > summary").forEach((title) => title.removeAttribute("aria-label"));
  reach(document.querySelectorAll("article pre, .output.text_html, .table-wrapper, .cf-panels, div.math"));
});

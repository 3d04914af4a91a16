// What the page objects ask of JupyterLab itself, which `--expose-app-in-browser` puts at window.jupyterapp.
window.course = {
  panels: () => [...jupyterapp.shell.widgets("main")].filter(widget => widget.context?.path?.endsWith(".ipynb")),
  panel: path => course.panels().find(panel => panel.context.path === path),
  cell: (path, index) => course.panel(path).content.widgets[index],

  pause: milliseconds => new Promise(done => setTimeout(done, milliseconds)),
  // What this comes to; an error where it comes to nothing in its time, since whoever asks would wait for ever.
  within: async (milliseconds, what, work) => {
    const late = course.pause(milliseconds).then(() => { throw new Error(`${what}: no answer in ${milliseconds} ms`); });
    return Promise.race([work(), late]);
  },

  ready: path => {
    const panel = course.panel(path);
    if (!panel?.context.isReady || panel.sessionContext.session?.kernel?.status !== "idle") return false;
    panel.node.dataset.path = path;
    return panel.content.widgets.length > 0;
  },

  sources: path => course.panel(path).content.widgets.map(cell => cell.model.sharedModel.getSource()),
  ids: path => course.panel(path).content.widgets.map(cell => cell.model.id),
  code: path => course.panel(path).content.widgets.flatMap((cell, index) => cell.model.type === "code" ? [index] : []),
  put: (path, index, source) => course.cell(path, index).model.sharedModel.setSource(source),

  show: path => jupyterapp.shell.activateById(course.panel(path).id),

  // The cell comes into view and becomes the active one, as after a click beside it.
  choose: async (path, index) => {
    const notebook = course.panel(path).content;
    course.show(path);
    notebook.deselectAll();
    notebook.activeCellIndex = index;
    notebook.mode = "command";
    await Promise.race([notebook.scrollToItem(index, "smart").catch(() => {}), course.pause(5000)]);  // it may say nothing
    notebook.node.focus();
    notebook.widgets[index].node.scrollIntoView({block: "nearest"});
  },

  // A command of JupyterLab's menus, for this notebook; over when what it does is done.
  command: async (path, name) => {
    course.show(path);
    await jupyterapp.commands.execute(name);
  },
  restart: path => course.panel(path).sessionContext.restartKernel(),

  // Until what is seen has been the same for so many milliseconds, but no longer than ten seconds.
  same: async (look, milliseconds) => {
    const end = Date.now() + 10000;
    for (let seen, since = Date.now(); Date.now() < Math.min(since + milliseconds, end);) {
      await course.pause(50);
      const now = look();
      if (now !== seen) [seen, since] = [now, Date.now()];
    }
  },
  // Every width, after the window has another.
  settled: () => {
    const parts = ".jp-Notebook, .jp-OutputArea-output, .jp-OutputArea-output svg, .cm-scroller";
    return course.same(() => [...document.querySelectorAll(parts)].map(node => node.clientWidth).join(), 500);
  },
  // What a cell shows: it is drawn later than the kernel is done, and a card may be drawn once more.
  drawn: (path, index) => course.same(() => course.cell(path, index).node.innerText, 200),

  // Counts how often a cell has run to its end.
  watch: (path, index) => {
    const model = course.cell(path, index).model;
    if (model.runsToTheEnd !== undefined) return;
    model.runsToTheEnd = 0;
    model.stateChanged.connect((_, change) => {
      if (change.name === "executionState" && change.newValue === "idle") model.runsToTheEnd += 1;
    });
  },
  runs: (path, index) => course.cell(path, index).model.runsToTheEnd,
  outputs: (path, index) => course.cell(path, index).model.outputs.length,

  // Closes it as it is, and asks nothing; what was not saved is lost.
  shut: path => course.panel(path).dispose(),

  // Runs all these cells, chosen together, as "Run Selected Cells" does; over when the last has run.
  together: async (path, cells) => {
    const notebook = course.panel(path).content;
    course.show(path);
    notebook.deselectAll();
    notebook.activeCellIndex = cells[0];
    cells.forEach(index => notebook.select(notebook.widgets[index]));
    await jupyterapp.commands.execute("notebook:run-cell");
  },
};

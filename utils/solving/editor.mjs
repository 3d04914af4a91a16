// The editor of a panel: CodeMirror with what Python needs. esbuild makes one file of this and the packages.

import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from "@codemirror/commands";
import { pythonLanguage } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, Prec } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tagHighlighter, tags } from "@lezer/highlight";

const UNWRITTEN = /raise NotImplementedError\(.*\)/;

// Pygments' names for kinds of words, for which the page has colours in both themes
const CLASSES = [
  ["k", tags.keyword],
  ["ow", tags.operatorKeyword],
  ["kc", tags.bool],
  ["kc", tags.null],
  ["bp", tags.self],
  ["s2", tags.string],
  ["sa", tags.special(tags.string)],
  ["c1", tags.comment],
  ["mi", tags.number],
  ["o", tags.operator],
  ["nd", tags.meta],
  ["nf", tags.function(tags.definition(tags.variableName))],
  ["nc", tags.definition(tags.className)],
];
const highlighter = tagHighlighter(CLASSES.map(([name, tag]) => ({ tag, class: name })));

/**
 * An editor at the end of `place`. `changed` is called whenever its text has changed, and `run` when the keys for that
 * are pressed.
 */
export function openEditor({ place, text, label, changed, run }) {
  const running = () => (run(), true);
  const view = new EditorView({
    parent: place,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        indentUnit.of("    "),
        pythonLanguage,
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        syntaxHighlighting(highlighter),
        EditorView.contentAttributes.of({ "aria-label": label, autocapitalize: "off", tabindex: "0" }),
        Prec.high(
          keymap.of([
            { key: "Mod-Enter", run: running },
            { key: "Shift-Enter", run: running },
            // Tab moves the focus from here on, however long one takes to press it
            { key: "Escape", run: (view) => (view.setTabFocusMode(true), false) },
          ]),
        ),
        keymap.of([...closeBracketsKeymap, ...historyKeymap, indentWithTab, ...defaultKeymap]),
        EditorView.updateListener.of(({ view, docChanged, focusChanged }) => {
          if (docChanged || focusChanged) view.setTabFocusMode(false);
          if (docChanged) changed();
        }),
      ],
    }),
  });

  return {
    text: () => view.state.doc.toString(),

    /** Put this in place of the whole text. One undo brings the old text back. */
    replace(insert) {
      const { length } = view.state.doc;
      view.dispatch({ changes: { from: 0, to: length, insert }, annotations: isolateHistory.of("full") });
    },

    /** Begin to write: what is to be replaced first is selected. */
    focus() {
      const unwritten = UNWRITTEN.exec(view.state.doc.toString());
      if (unwritten) {
        const { index: head } = unwritten; // the cursor is at its beginning, which narrow editors show too
        view.dispatch({ selection: { anchor: head + unwritten[0].length, head }, scrollIntoView: true });
      }
      view.focus();
    },
  };
}

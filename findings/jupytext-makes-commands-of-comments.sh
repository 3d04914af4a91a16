#!/usr/bin/env bash
# In a py:percent file jupytext takes magics for comments, and back. So a comment that begins with the name of a shell
# command that IPython knows (cat, echo, ls, cp, rm and others), or with a %, loses its `#` when a notebook is made, among
# lines of code too: `# cat sat on the mat` becomes a command that is run with the cell. `# cats sit` and `# cat: a token` stay
# comments, and so does whatever is indented. Written back to the file all are comments again, so that the source shows
# nothing of it. `comment_magics` set to false in the file's header is the way out.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/comments.py" <<'END'
import jupytext

print(f"jupytext {jupytext.__version__}")
BECOME_COMMANDS = ["cat sat on the mat", "echo of the query", "rm is short for remove", "%d is a place in a format"]
STAY = ["cats sit on mats", "cat: a token", "man is to king as woman is to queen"]


def read(comment):
    """The second line of a cell, between two lines of code, and the file that is written again."""
    notebook = jupytext.reads(f"# %%\nx = 1\n# {comment}\ny = 2\n", "py:percent")
    return notebook.cells[0].source.splitlines()[1], jupytext.writes(notebook, "py:percent")


changed = []
for comment in BECOME_COMMANDS + STAY:
    line, written = read(comment)
    print(f"{'# ' + comment!r:42} is read as {line!r}")
    assert f"# {comment}\n" in written
    if line == comment:
        changed.append(comment)
raise SystemExit(changed != BECOME_COMMANDS)
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet jupytext==1.19.6
if ! "$folder/venv/bin/python" "$folder/comments.py"; then
  echo "This has changed." >&2
  exit 1
fi

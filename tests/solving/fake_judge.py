"""A judge for tests of the panel, in the place of judging.mjs: it is known what it says, and nothing is loaded.

An answer with `while True` runs until it is stopped; one with `wrong` fails, and a repair of it is told when the page
calls `mend`. Where the page sets `becomes`, that is what becomes of every answer; where it sets `delays`, a promise, no
answer is judged before that is kept. `asked` has what it was asked.
"""

import json

from judge.checking import CheckFailed
from judge.checking.reporting import SilentReporter, use_reporter
from tests.ch00_tokens import test_space_tokenizer
from utils.learner.cards import as_html

WRONG = """\
class SpaceTokenizer:
    def __init__(self, vocab):
        self.words = vocab

    def encode(self, text):
        return [self.words.index(word) + 1 for word in text.split()]  # wrong

    def decode(self, ids):
        return " ".join(self.words[index] for index in ids)
"""
SOLVED = """\
class SpaceTokenizer:
    def __init__(self, vocab):
        self.words = vocab
        self.ids = {word: index for index, word in enumerate(vocab)}

    def encode(self, text):
        return [self.ids[word] for word in text.split()]

    def decode(self, ids):
        return " ".join(self.words[index] for index in ids)
"""
MENDED = "<details><summary>One change to your code would make every check pass. Where?</summary>Line 6</details>"
SCRIPT = """
globalThis.asked = [];
const card = %s;
export function openJudge({ says }) {
  let stop;
  const results = {
    failed: { html: card, mended: new Promise((done) => (globalThis.mend = () => done(card + %s))) },
    passed: { html: "<div>✔ <b>all</b></div>" },
    "not yet": { html: "<div>○ not yet</div>" },
    error: { html: "<div>a NameError</div>" },
    ended: { html: "<div>ended</div>" },
    "no judge": { html: "<div>no judge</div>" },
  };
  return {
    warm(stem) {
      asked.push({ warm: stem });
      says("Python is being fetched, 3 of 6 MB");
    },
    run(question) {
      asked.push(question);
      says("Running your code …");
      const { source } = question;
      const [printed] = /(?<=print\\(").*(?="\\))/.exec(source) ?? [""];
      const endless = source.includes("while True");
      const judged = source.includes("wrong") ? "failed" : "passed";
      const status = globalThis.becomes || (source.includes("NotImplementedError") ? "not yet" : judged);
      const result = { status, printed, mended: Promise.resolve(null), ...results[status] };
      const stopped = { status: "stopped", html: "<div>Stopped.</div>", printed: "", mended: Promise.resolve(null) };
      if (endless) return new Promise((done) => (stop = () => done(stopped)));
      return Promise.resolve(globalThis.delays).then(() => result);
    },
    stop: () => stop?.(),
  };
}
"""


def script() -> str:
    """The module, with the real card of a wrong answer."""
    names: dict[str, type] = {}
    exec(WRONG, names)
    try:
        with use_reporter(SilentReporter()):
            test_space_tokenizer(names["SpaceTokenizer"])
    except CheckFailed as failed:
        return SCRIPT % (json.dumps(as_html(failed.verdict)), json.dumps(MENDED))
    raise AssertionError("the wrong answer passes")

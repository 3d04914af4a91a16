// A story being written: what may come next as bars, which temperature, top-k and top-p reshape.
//
// data = {
//   tokens    the text that is continued, as numbers: <|endoftext|> first
//   words     the text of each token, by its number
//   texts     with a model at hand: texts(tokens) gives the texts of these in a row, in which a letter that is cut into
//             several tokens is whole; if none is given they are their `words`
//   d_vocab   how many tokens there are
//   n_ctx     how many of them the model can read
//   settings  { temperature, top_k, top_p } at the start, as chapter 8's sample_next_token takes them: a top_k or a
//             top_p of 0 cuts nothing off, and one of the two at least is 0
//   scores    with a model at hand: scores(tokens) gives the logits of what comes next, [d_vocab], or a promise of
//             them. They are read at once, so the model may write over them later
//   encode    with a model at hand, if one may type how the story begins: encode(text) gives its tokens, without
//             <|endoftext|>, or a promise of them
//   atOnce    with a model at hand: true if it is to write at once (it does not under reduced motion)
//   tree      without a model: what follows some texts, see `storedIn`. A token that it has no text for is -1
//   random    a number from 0 up to 1; Math.random if none is given
// }
// `draw` may be called again in the same place, whose class is `cp`; picture.css and story.css have its rules. Escape
// stops the writing. What is awaited may take its time: what a person asks for meanwhile is done afterwards.

import { tag, teller } from "./common.mjs";
import { candidates, drawn, rankedBy, storedIn } from "./sampling.mjs";
import { barsIn, chance, dials, nameOf, painter } from "./story_bars.mjs";

const LONGEST = 120; // tokens that it writes by itself
const KEY = "Bars: as it is drawn now. Strokes: by the model alone.";
const STORED = " ▸: what follows is stored here.";
const PAUSE = 60; // milliseconds between two of them, so that they can be read

// How a story goes on: { take, draw, goTo }, each of which changes `story` and then shows it.
function moves(story, data, show) {
  const { random = Math.random, n_ctx = Infinity } = data;
  const stored = (tokens) => storedIn(data.tree, tokens.slice(data.tokens.length), data.d_vocab);
  const after = async (tokens) => (data.scores ? rankedBy(await data.scores(tokens)) : stored(tokens));
  async function goTo(tokens, event = "", given = story.given) {
    const found = tokens.length > n_ctx ? null : await after(tokens);
    Object.assign(story, { tokens, given, found });
    show(event);
  }
  async function take(rank, how = "Taken") {
    const chances = story.found ? candidates(story.found, story.settings) : [];
    if (rank >= chances.length) return null;
    const token = story.found.tokens[rank];
    await goTo([...story.tokens, token], `${how}: “${nameOf(data.words[token])}”, with ${chance(chances[rank])}.`);
    return token;
  }
  const draw = async () => story.found && take(drawn(candidates(story.found, story.settings), random()), "Drawn");
  return { take, draw, goTo };
}

export function draw(place, data) {
  place.replaceChildren();
  const story = { tokens: [...data.tokens], given: data.tokens.length, settings: { temperature: 1, ...data.settings } };
  const form = data.encode && tag("label", place, { className: "cp-story-begin", textContent: "How it begins " });
  const prompt = form && tag("input", form, { type: "text" });
  const text = tag("p", place, { className: "cp-story-text" });
  const row = tag("div", place, { className: "cp-story-does" });
  const button = (name, work) => tag("button", row, { type: "button", textContent: name, onclick: work });
  const start = data.scores && button("Write a story", () => (writing ? stop() : write()));
  const step = button("Draw one token", () => act(() => go.draw()));
  const isNew = () => story.tokens.length > story.given;
  const back = button("Back", () => act(() => isNew() && go.goTo(story.tokens.slice(0, -1), "One token back.")));
  const again = button("Begin again", () => act(() => isNew() && go.goTo(story.tokens.slice(0, story.given))));
  dials(place, story.settings, () => show());
  const say = teller(place);
  const { list, ...parts } = barsIn(place, KEY + (data.tree ? STORED : ""), (rank) => act(() => go.take(rank)));
  const paint = painter({ ...parts, text, say }, data);
  const show = (event = "") => {
    for (const one of [back, again]) one.ariaDisabled = String(!isNew());
    step.ariaDisabled = String(!story.found);
    const wasInBars = list.contains(document.activeElement);
    paint(story, event);
    if (wasInBars && !story.found) back.focus(); // the bars are hidden then, and the focus would be lost
  };
  const go = moves(story, data, show);
  let [writing, last] = [null, Promise.resolve()];

  // What a person asks for, one after another; what goes wrong is said, and changes nothing.
  function act(work) {
    stop();
    return queue(work);
  }
  function queue(work) {
    last = last.then(work).catch((error) => {
      stop();
      say(`${error.message}. The story is as it was.`);
    });
    return last;
  }
  function write() {
    const mine = (writing = {});
    start.textContent = "Stop";
    return queue(async () => {
      if (isNew()) await go.goTo(story.tokens.slice(0, story.given));
      for (let made = 0; writing === mine && story.found && made < LONGEST; made++) {
        if ((await go.draw()) === data.tokens[0]) break; // the story has come to its end
        await new Promise((done) => setTimeout(done, PAUSE));
      }
      if (writing === mine) stop();
    });
  }
  function stop() {
    writing = null;
    if (start) start.textContent = "Write a story";
  }
  async function begin() {
    const typed = [data.tokens[0], ...(await data.encode(prompt.value))];
    const tokens = typed.slice(0, data.n_ctx);
    const cut = `The beginning has ${typed.length} tokens, and the first ${tokens.length} are read.`;
    await go.goTo(tokens, typed.length > tokens.length ? cut : "", tokens.length);
  }
  prompt?.addEventListener("change", () => act(begin));
  if (prompt) prompt.value = data.tokens.slice(1).map((token) => data.words[token]).join("");
  place.onkeydown = (event) => {
    if (event.key !== "Escape" || !(writing || list.contains(document.activeElement))) return;
    event.preventDefault();
    event.stopPropagation();
    stop();
    (start || step).focus();
  };
  const isQuiet = matchMedia("(prefers-reduced-motion: reduce)").matches;
  queue(() => go.goTo(story.tokens)).then(() => data.atOnce && start && !isQuiet && write());
}

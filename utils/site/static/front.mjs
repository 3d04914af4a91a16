// The front page's story: the model begins to write as soon as it is there.

import { tag } from "./common.mjs";
import { load } from "./loading.mjs";
import { draw } from "./story.mjs";

const BEGINNING = "Once upon a time there was a";
const SETTINGS = { temperature: 0.8, top_k: 0, top_p: 0.95 };

async function begin(place) {
  place.textContent = "The model is being fetched: 7 MB, once.";
  try {
    const { model, tokenizer, scores, words } = await load();
    const { d_vocab, n_ctx } = model.cfg;
    const encode = (text) => tokenizer.encode(text);
    const texts = (row) => tokenizer.texts(row);
    const tokens = [0, ...encode(BEGINNING)]; // 0 is <|endoftext|>, which comes before every text
    draw(place, { tokens, words, texts, d_vocab, n_ctx, settings: SETTINGS, scores, encode, atOnce: true });
    place.querySelector(".cp-story-text").tabIndex = 0; // its end is in view, its beginning is scrolled to
  } catch (error) {
    place.textContent = `${error.message}. Reload the page to try again.`;
  }
}

const place = document.querySelector("[data-story]");
if (navigator.connection?.saveData) {
  place.replaceChildren();
  tag("button", place, { type: "button", textContent: "Fetch the model, 7 MB", onclick: () => begin(place) });
} else {
  begin(place);
}
